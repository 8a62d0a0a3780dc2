//! Shared parts of the tests of navigation: random worlds, and robots that drive in them.
//!
//! | module | content |
//! |---|---|
//! | `random` | random numbers that are the same in each run |
//! | `localization` | a localization in a known world |
//! | `setup` | the robot of the published experiment, with its controllers |
//! | `world` | random worlds |
//! | `tour` | a simulated robot with a lidar and wheel encoders, which drives to random points |
//! | `drive` | a robot that plans and follows paths |
//! | `whole` | a simulated robot that localizes itself, plans and follows paths |

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
pub use tour::{Sighting, Tour};
pub use whole::drive;
pub use world::World;
