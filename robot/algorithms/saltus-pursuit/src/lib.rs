//! The controller regulated pure pursuit: a robot drives on an arc to a point ahead on its path, slower where it must. No I/O.
//!
//! Source: S. Macenski et al., "Regulated Pure Pursuit for Robot Path Tracking", 2023, and
//! `nav2_regulated_pure_pursuit_controller`, whose settings these are.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what the controller depends on |
//! | `carrot` | the point ahead on the path |
//! | `regulation` | how fast the robot may be |
//! | `controller` | the controller |

mod carrot;
mod controller;
mod regulation;
mod settings;
#[cfg(test)]
mod tests;

pub use controller::Pursuit;
pub use settings::PursuitSettings;
