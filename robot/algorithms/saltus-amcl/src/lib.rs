//! Adaptive Monte Carlo localization: the pose of a robot in a known map. No I/O.
//!
//! Each particle is a possible pose of the robot. When the robot moves, each particle moves by the same motion with random noise.
//! A lidar scan raises the weights of the particles whose poses explain the scan. Then new particles are drawn in proportion to the
//! weights: many if they are far apart, and few if they are close together.
//!
//! Sources: S. Thrun, W. Burgard, D. Fox, "Probabilistic Robotics", 2005; D. Fox, "KLD-sampling: adaptive particle filters", 2001;
//! `nav2_amcl` of Nav2, whose rules and settings it has.
//!
//! | module | content |
//! |---|---|
//! | `random` | random numbers |
//! | `field` | a map with the distance of each cell to the nearest obstacle |
//! | `motion` | the motion models of the particles |
//! | `sensor` | the sensor models: the likelihood of a scan |
//! | `bins` | a histogram of particles over position and heading |
//! | `filter` | the particle filter |
//! | `localizer` | the localization |

mod bins;
mod field;
mod filter;
mod localizer;
mod motion;
mod random;
mod sensor;
#[cfg(test)]
mod tests;

pub use field::{DISTANCE_LIMIT, Field};
pub use filter::{Estimate, FilterSettings, Particle};
pub use localizer::{Amcl, AmclSettings, Update};
pub use motion::{MotionModel, MotionNoise};
pub use sensor::{BeamSkip, Scan, SensorModel, SensorSettings};
