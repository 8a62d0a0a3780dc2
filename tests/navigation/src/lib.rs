//! What the tests of navigation have in common: random worlds, and a robot that drives in them.
//!
//! | module | content |
//! |---|---|
//! | `random` | numbers that are the same in each run |
//! | `setup` | the robot of the published experiment, with its controllers |
//! | `world` | random worlds |
//! | `tour` | a simulated robot with a lidar and wheel encoders, which drives around |
//! | `drive` | a robot that plans, and follows its paths |

mod drive;
mod random;
mod setup;
mod tour;
mod world;

pub use drive::{Drive, Outcome};
pub use random::Random;
pub use setup::{dwb, footprint, pursuit};
pub use tour::{Sight, Tour};
pub use world::World;
