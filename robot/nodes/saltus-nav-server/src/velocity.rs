//! Publishers and subscriptions of velocities.

use saltus::{
    QoS, Subscription,
    executor::CallbackGroup,
    lifecycle::{LifecycleNode, LifecyclePublisher},
    msgs::{
        geometry_msgs::msg::{Twist, TwistStamped},
        std_msgs::msg::Header,
    },
    node::NodeError,
};
use saltus_motion::Velocity;

use crate::messages::{from_twist, to_twist};

/// A publisher of velocities, with stamps or without.
#[derive(Debug)]
pub enum VelocityPublisher {
    /// `geometry_msgs/msg/Twist`.
    Plain(LifecyclePublisher<Twist>),
    /// `geometry_msgs/msg/TwistStamped`.
    Stamped(LifecyclePublisher<TwistStamped>),
}

impl VelocityPublisher {
    /// Opens a publisher. It keeps the last velocity only.
    ///
    /// # Errors
    ///
    /// Returns an error if the topic can't be opened.
    pub fn new(node: &LifecycleNode, topic: &str, is_stamped: bool) -> Result<Self, NodeError> {
        let qos = QoS::keep_last(1);
        Ok(match is_stamped {
            true => Self::Stamped(node.lifecycle_publisher(topic, qos)?),
            false => Self::Plain(node.lifecycle_publisher(topic, qos)?),
        })
    }

    /// Publishes a velocity, if the node is active.
    pub fn publish(&self, velocity: &Velocity, header: &Header) {
        let twist = to_twist(velocity);
        // A failure does not matter: the next message comes soon.
        let _ = match self {
            Self::Plain(publisher) => publisher.publish(&twist),
            Self::Stamped(publisher) => publisher.publish(&TwistStamped { header: header.clone(), twist }),
        };
    }
}

/// A subscription of velocities, with stamps or without.
#[derive(Debug)]
#[must_use = "dropping it closes the subscription; keep it in a variable, because `let _ =` drops it at once"]
pub enum VelocitySubscription {
    /// `geometry_msgs/msg/Twist`.
    Plain(Subscription<Twist>),
    /// `geometry_msgs/msg/TwistStamped`.
    Stamped(Subscription<TwistStamped>),
}

impl VelocitySubscription {
    /// Opens a subscription. Only the last velocity counts. A velocity without a stamp comes with an empty header.
    ///
    /// # Errors
    ///
    /// Returns an error if the topic can't be opened.
    pub fn new(
        node: &LifecycleNode,
        group: &CallbackGroup,
        topic: &str,
        is_stamped: bool,
        mut callback: impl FnMut(Velocity, Header) + Send + 'static,
    ) -> Result<Self, NodeError> {
        let qos = QoS::keep_last(1);
        Ok(match is_stamped {
            true => Self::Stamped(node.subscription(topic).qos(qos).callback_group(group).callback(
                move |message: TwistStamped| callback(from_twist(&message.twist), message.header),
            )?),
            false => Self::Plain(
                node.subscription(topic)
                    .qos(qos)
                    .callback_group(group)
                    .callback(move |twist: Twist| callback(from_twist(&twist), Header::default()))?,
            ),
        })
    }
}
