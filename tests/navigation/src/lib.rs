//! What the tests of navigation have in common: random worlds, and a robot that drives in them.
//!
//! | module | content |
//! |---|---|
//! | `random` | numbers that are the same in each run |
//! | `localization` | a localization in a world that is known |
//! | `setup` | the robot of the published experiment, with its controllers |
//! | `world` | random worlds |
//! | `tour` | a simulated robot with a lidar and wheel encoders, which drives around |
//! | `drive` | a robot that plans, and follows its paths |
//! | `whole` | a whole robot in steps of its simulator: it finds out where it is, plans, and follows its paths |

mod drive;
mod localization;
mod random;
mod setup;
mod tour;
mod whole;
mod world;

pub use drive::{Drive, Outcome};
pub use localization::{amcl, scan};
pub use random::Random;
pub use setup::{dwb, footprint, mppi, pursuit};
pub use tour::{Sight, Tour};
pub use whole::drive;
pub use world::World;
