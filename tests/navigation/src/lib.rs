//! What the tests of navigation have in common: random worlds, and a robot that drives in them.
//!
//! | module | content |
//! |---|---|
//! | `random` | numbers that are the same in each run |
//! | `setup` | the robot of the published experiment, with its controllers |
//! | `world` | random worlds |
//! | `drive` | a robot that plans, and follows its paths |

mod drive;
mod random;
mod setup;
mod world;

pub use drive::{Drive, Outcome};
pub use random::Random;
pub use setup::{dwb, footprint, pursuit};
pub use world::World;
