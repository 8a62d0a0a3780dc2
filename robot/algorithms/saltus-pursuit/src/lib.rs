//! The controller regulated pure pursuit: a robot drives on an arc to a point ahead on its path, and slows down in curves and near
//! obstacles. No I/O.
//!
//! Source: S. Macenski et al., "Regulated Pure Pursuit for Robot Path Tracking", 2023, and
//! `nav2_regulated_pure_pursuit_controller`, whose settings it has.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the settings of the controller |
//! | `carrot` | the lookahead point on the path |
//! | `regulation` | the speed of the robot |
//! | `controller` | the controller |

mod carrot;
mod controller;
mod regulation;
mod settings;
#[cfg(test)]
mod tests;

pub use controller::Pursuit;
pub use settings::PursuitSettings;
