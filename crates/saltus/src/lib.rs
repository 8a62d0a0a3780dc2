//! Saltus: robotics middleware with ROS 2's vocabulary, over zero-copy shared memory.
//!
//! This is the crate that programs depend on. A talker:
//!
//! ```no_run
#![doc = include_str!("../examples/talker.rs")]
//! ```
//!
//! In place, into shared memory, each field once and in order (a forgotten or doubled field does
//! not compile), and read there without a copy:
//!
//! ```no_run
//! use saltus::msgs::sensor_msgs::msg::Image;
//!
//! let context = saltus::Context::new()?;
//! let node = context.node("camera").create()?;
//! let camera = node.publisher::<Image>("image").create()?;
//! camera
//!     .loan(Image::size_hint(640 * 480 * 3))?
//!     .header(|h| h.stamp(Default::default()).frame_id("camera"))
//!     .height(480)
//!     .width(640)
//!     .encoding("rgb8")
//!     .is_bigendian(0)
//!     .step(1920)
//!     .data(640 * 480 * 3, |pixels| pixels.fill(0))
//!     .publish()?;
//! let _viewer = node.subscription::<Image>("image").view(|image| {
//!     println!("{} x {}: {} bytes", image.width(), image.height(), image.data().len());
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use saltus_cdr as cdr;
pub use saltus_executor::{Canceller, FdHandle, Interest, SingleThreadedExecutor, SpinError, WaitStrategy};
pub use saltus_msgs as msgs;
pub use saltus_node::{
    Context, ContextError, ContextOptions, DomainId, EndpointInfo, EndpointKind, Graph, MessageInfo, Node,
    NodeBuilder, NodeError, NodeInfo, PollSubscription, PublishError, PublishValueError, Publisher,
    PublisherStatus, Sample, Subscription, SubscriptionStatus, TakeError, Timer, Waiter, Waker,
    monotonic_now, system_now,
};
pub use saltus_types as types;
pub use saltus_types::{Durability, Gid, History, QoS, Reliability, Time, TypeHash};

/// Runs a node on this thread until its context shuts down, waiting adaptively.
pub fn spin(node: &Node) -> Result<(), SpinError> {
    SingleThreadedExecutor::new(node.context())?.spin(node)
}
