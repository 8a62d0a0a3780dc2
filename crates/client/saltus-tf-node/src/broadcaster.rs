//! Publishers of transforms.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use saltus_msgs::tf2_msgs::msg::TFMessage;
use saltus_node::{Node, NodeError, PublishValueError, Publisher};
use saltus_tf::StampedTransform;
use saltus_types::{QoS, lock};

use crate::{DEPTH, STATIC_TOPIC, TOPIC, messages::to_message};

/// Sends transforms that change, on `/tf`.
///
/// ```no_run
/// use saltus::tf::{StampedTransform, Transform, TransformBroadcaster};
/// let context = saltus::Context::new()?;
/// let node = context.node("odometry").create()?;
/// let broadcaster = TransformBroadcaster::new(&node)?;
/// let base = Transform::from_xyz(1.0, 0.0, 0.0);
/// broadcaster.send(&[StampedTransform::new("odom", "base", node.clock().now(), base)])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TransformBroadcaster(Publisher<TFMessage>);

impl TransformBroadcaster {
    /// Opens the publisher.
    ///
    /// # Errors
    ///
    /// Returns an error if the publisher can't be opened.
    pub fn new(node: &Node) -> Result<Self, NodeError> {
        Ok(Self(node.publisher(TOPIC).qos(QoS::keep_last(DEPTH)).create()?))
    }

    /// Sends transforms in one message.
    ///
    /// # Errors
    ///
    /// Returns an error if the message can't be sent.
    pub fn send(&self, transforms: &[StampedTransform]) -> Result<(), PublishValueError> {
        self.0.publish(&TFMessage { transforms: transforms.iter().map(to_message).collect() })
    }
}

/// Sends transforms that never change, on `/tf_static`. Listeners that come later get them, too.
#[derive(Debug)]
pub struct StaticTransformBroadcaster {
    publisher: Publisher<TFMessage>,
    /// All transforms so far, by their children. They are sent together, because only the last message is kept.
    sent: Mutex<BTreeMap<Arc<str>, StampedTransform>>,
}

impl StaticTransformBroadcaster {
    /// Opens the publisher.
    ///
    /// # Errors
    ///
    /// Returns an error if the publisher can't be opened.
    pub fn new(node: &Node) -> Result<Self, NodeError> {
        let qos = QoS::keep_last(1).transient_local();
        Ok(Self { publisher: node.publisher(STATIC_TOPIC).qos(qos).create()?, sent: Mutex::default() })
    }

    /// Sends transforms, and all that were sent before. A new transform of a child replaces the one before.
    ///
    /// # Errors
    ///
    /// Returns an error if the message can't be sent.
    pub fn send(&self, transforms: &[StampedTransform]) -> Result<(), PublishValueError> {
        let mut sent = lock(&self.sent);
        sent.extend(transforms.iter().map(|stamped| (stamped.child.clone(), stamped.clone())));
        self.publisher.publish(&TFMessage { transforms: sent.values().map(to_message).collect() })
    }
}
