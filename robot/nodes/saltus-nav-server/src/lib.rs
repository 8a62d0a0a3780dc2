//! What the nodes of navigation have in common.
//!
//! | module | content |
//! |---|---|
//! | `messages` | poses, paths and velocities become messages, and messages become those |
//! | `parameters` | parameters that are declared where they are read |
//! | `velocity` | where velocities are published and received |
//! | `worker` | a thread for some callbacks of a node |
//! | `frames` | where a robot and poses are in a frame |
//! | `tasks` | an action server that does one goal at a time |
//! | `calls` | goals that a node sends to others, without waiting on its thread |
//! | `plugins` | algorithms by name |
//! | `managed` | lifecycle nodes that have something while they are configured, and a bond while they are active |

mod calls;
mod frames;
mod managed;
#[cfg(test)]
mod managed_tests;
mod messages;
mod parameters;
mod plugins;
mod tasks;
#[cfg(test)]
mod tests;
mod velocity;
mod worker;

pub use calls::{GoalCall, Progress};
pub use frames::{FrameError, Frames};
pub use managed::{Managed, ManagedNode, manage, on_panic};
pub use messages::{
    from_duration, from_path, from_pose, from_transform, from_twist, time_since_start, to_duration, to_path,
    to_pose, to_stamped, to_transform, to_twist,
};
pub use parameters::{Parameters, plugin_type};
pub use plugins::{Making, Named, PluginError, Plugins};
pub use tasks::{Ended, Tasks};
pub use velocity::{VelocityPublisher, VelocitySubscription};
pub use worker::{Worker, WorkerError};
