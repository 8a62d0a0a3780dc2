//! Where velocities are published.

use saltus::{
    QoS,
    lifecycle::{LifecycleNode, LifecyclePublisher},
    msgs::{
        geometry_msgs::msg::{Twist, TwistStamped, Vector3},
        std_msgs::msg::Header,
    },
    node::NodeError,
};
use saltus_motion::Velocity;

/// A publisher of velocities.
pub(crate) enum Output {
    Plain(LifecyclePublisher<Twist>),
    Stamped(LifecyclePublisher<TwistStamped>),
}

impl Output {
    pub(crate) fn new(node: &LifecycleNode, topic: &str, is_stamped: bool) -> Result<Self, NodeError> {
        let qos = QoS::keep_last(1);
        Ok(match is_stamped {
            true => Self::Stamped(node.lifecycle_publisher(topic, qos)?),
            false => Self::Plain(node.lifecycle_publisher(topic, qos)?),
        })
    }

    /// Publishes a velocity, if the node is active.
    pub(crate) fn publish(&self, velocity: &Velocity, header: &Header) {
        let twist = to_twist(velocity);
        // The next one comes soon.
        let _ = match self {
            Self::Plain(publisher) => publisher.publish(&twist),
            Self::Stamped(publisher) => publisher.publish(&TwistStamped { header: header.clone(), twist }),
        };
    }
}

fn to_twist(velocity: &Velocity) -> Twist {
    Twist {
        linear: Vector3 { x: velocity.x, y: velocity.y, z: 0.0 },
        angular: Vector3 { x: 0.0, y: 0.0, z: velocity.theta },
    }
}

/// Returns the velocity of a message.
pub(crate) fn from_twist(twist: &Twist) -> Velocity {
    Velocity::new(twist.linear.x, twist.linear.y, twist.angular.z)
}
