//! Short motions without a path: to turn, to back up, to drive on the heading, to wait, and to be driven by hand, as ROS 2's package of
//! this name has them.
//!
//! | module | content |
//! |---|---|
//! | `robot` | the pose of the robot, and the obstacles around it |
//! | `timed` | a behavior that ends, and its work for the goals of an action |
//! | `motions` | the behaviors that turn and drive |
//! | `waiting` | the behavior that waits |
//! | `teleop` | the behavior that lets a person drive |
//! | `types` | the behaviors by name |
//! | `component` | the lifecycle node |

mod component;
mod motions;
mod robot;
mod teleop;
mod timed;
mod types;
mod waiting;

pub use component::{BehaviorServer, RecoveryServer};
pub use robot::Robot;
pub use timed::{Failure, Next, TimedBehavior};
pub use types::{BehaviorAction, BehaviorConfig, BehaviorTypes, serve};

saltus::component!("behavior_server::BehaviorServer", BehaviorServer);
// In 2022, the package and its component had other names.
saltus::component!("recovery_server::RecoveryServer", RecoveryServer, package = "nav2_recoveries");
