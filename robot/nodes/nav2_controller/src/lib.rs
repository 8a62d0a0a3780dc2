//! Lets a robot follow paths, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `plugin` | the trait of controllers |
//! | `critics` | the critics of DWB by name |
//! | `dwb` | DWB with its parameters and topics |
//! | `mppi` | MPPI with its parameters, critics and topics |
//! | `pursuit` | regulated pure pursuit with its parameters and topics |
//! | `checkers` | goal checkers and progress checkers by name |
//! | `failure` | the reasons why a goal is not followed to its end |
//! | `control` | the goal that is followed, cycle by cycle |
//! | `component` | the lifecycle node |

mod checkers;
mod component;
mod control;
mod critics;
mod dwb;
mod failure;
mod mppi;
mod plugin;
mod pursuit;

pub use component::{ControllerServer, standard_controllers};
pub use critics::standard_critics;
pub use dwb::DwbController;
pub use plugin::ControllerPlugin;

saltus::component!("nav2_controller::ControllerServer", ControllerServer);
