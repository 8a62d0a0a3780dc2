//! The frames, messages and lists of plugins that the nodes of navigation have in common.
//!
//! | module | content |
//! |---|---|
//! | `messages` | conversions between messages and poses, paths, velocities and durations |
//! | `velocity` | publishers and subscriptions of velocities |
//! | `frames` | the poses of a robot and of messages in a frame |
//! | `maps` | maps that are turned in their frame |
//! | `plugins` | the plugins of a server, which a parameter names |

mod frames;
mod maps;
mod messages;
mod plugins;
mod velocity;

pub use frames::{FrameError, Frames};
pub use maps::upright;
pub use messages::{
    from_duration, from_path, from_pose, from_transform, from_twist, time_since_start, to_duration, to_path,
    to_pose, to_stamped, to_transform, to_twist,
};
pub use plugins::PluginList;
pub use velocity::{VelocityPublisher, VelocitySubscription};
