//! Transforms between coordinate frames on the topics `/tf` and `/tf_static`, as in ROS 2's package `tf2_ros`.
//!
//! | module | content |
//! |---|---|
//! | `messages` | transforms as messages |
//! | `transformed` | messages whose content is transformed: poses, points, clouds, … |
//! | `broadcaster` | sends transforms |
//! | `listener` | receives transforms into a buffer |
//! | `filter` | holds messages until their transform is there |
//! | `pending` | items that wait until a thread polls them |
//! | `server` | looks up transforms for other processes |
//! | `client` | looks up transforms in the buffer of another process |
//! | `wait` | waits for a transform on the thread of the caller |

mod broadcaster;
mod client;
mod filter;
mod listener;
mod messages;
mod pending;
#[cfg(all(test, model))]
mod pending_model;
mod server;
mod sync;
mod transformed;
mod wait;

pub use broadcaster::{StaticTransformBroadcaster, TransformBroadcaster};
pub use client::{BufferClient, RemoteLookupError};
pub use filter::MessageFilter;
pub use listener::{ListenerError, TransformListener};
pub use messages::{from_message, to_message};
pub use server::BufferServer;
pub use transformed::{MessageError, Transformed};
pub use wait::{WaitError, wait_for_transform};

use saltus_types::QoS;

/// The topic of transforms that change.
const TOPIC: &str = "/tf";
/// The topic of transforms that never change.
const STATIC_TOPIC: &str = "/tf_static";
/// The depth of the queues of these topics, as in ROS 2.
const DEPTH: u16 = 100;

/// The QoS of subscriptions to `/tf_static`. All of a late joiner's transforms come at once.
const STATIC_LISTENER: QoS = QoS::keep_last(DEPTH).transient_local();
