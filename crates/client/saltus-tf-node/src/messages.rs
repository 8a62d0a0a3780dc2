//! Transforms as messages.

use saltus_msgs::{geometry_msgs::msg, std_msgs::msg::Header};
use saltus_tf::{StampedTransform, Transform, TransformError};

/// Returns a transform as a message.
///
/// ```
/// use saltus::tf::{StampedTransform, Transform, from_message, to_message};
/// use saltus::Time;
/// let stamped = StampedTransform::new("map", "base", Time::from_nanos(5), Transform::from_xyz(1.0, 2.0, 3.0));
/// let message = to_message(&stamped);
/// assert_eq!((&*message.header.frame_id, message.transform.translation.y), ("map", 2.0));
/// assert_eq!(from_message(&message), Ok(stamped));
/// ```
pub fn to_message(stamped: &StampedTransform) -> msg::TransformStamped {
    let ([x, y, z], rotation) = (stamped.transform.translation(), stamped.transform.rotation());
    msg::TransformStamped {
        header: Header { stamp: stamped.stamp.into(), frame_id: stamped.parent.to_string() },
        child_frame_id: stamped.child.to_string(),
        transform: msg::Transform { translation: msg::Vector3 { x, y, z }, rotation: quaternion(rotation) },
    }
}

/// Returns the transform in a message.
///
/// # Errors
///
/// Returns an error if a number is not finite, or if the quaternion does not have the length 1.
pub fn from_message(message: &msg::TransformStamped) -> Result<StampedTransform, TransformError> {
    let msg::Transform { translation, rotation } = &message.transform;
    let transform = Transform::new([translation.x, translation.y, translation.z], numbers(rotation))?;
    let (parent, child) = (&message.header.frame_id, &message.child_frame_id);
    Ok(StampedTransform::new(parent, child, message.header.stamp.into(), transform))
}

pub(crate) fn quaternion([x, y, z, w]: [f64; 4]) -> msg::Quaternion {
    msg::Quaternion { x, y, z, w }
}

pub(crate) fn numbers(rotation: &msg::Quaternion) -> [f64; 4] {
    [rotation.x, rotation.y, rotation.z, rotation.w]
}
