//! Where a robot is in a map: adaptive Monte Carlo localization. No I/O.
//!
//! Many particles say where the robot may be. When it moves, each moves with it, and a little differently. When its lidar sees
//! something, particles from which the map looks like that become more likely. Then new particles are drawn where likely ones are:
//! many if they are far from each other, and few if not.
//!
//! Sources: S. Thrun, W. Burgard, D. Fox, "Probabilistic Robotics", 2005; D. Fox, "KLD-sampling: adaptive particle filters", 2001;
//! `nav2_amcl`, whose rules and settings these are.
//!
//! | module | content |
//! |---|---|
//! | `random` | random numbers |
//! | `field` | a map, and how far each of its cells is from an obstacle |
//! | `motion` | how particles move |
//! | `sensor` | how likely a scan is |
//! | `bins` | particles by place and heading |
//! | `filter` | the particles |
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

pub use field::Field;
pub use filter::{Estimate, FilterSettings, Particle};
pub use localizer::{Amcl, AmclSettings, Update};
pub use motion::{MotionModel, MotionNoise};
pub use sensor::{BeamSkip, Scan, SensorModel, SensorSettings};
