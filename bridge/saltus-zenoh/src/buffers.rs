//! The keys on which nodes of ROS 2 Lyrical and later send bytes.
//!
//! A volatile publisher whose type contains bytes without a bound sends them on another key, for subscriptions that have announced that they
//! read it. What is sent there for all of them is the same as elsewhere.

use saltus_idl::{Base, Interfaces, Message, Primitive, Shape};
use saltus_relay::{Replica, ShowError};
use zenoh::key_expr::KeyExpr;

use crate::link::{keeps, other};

/// What a subscription announces that reads the other key.
pub(crate) const BACKENDS: &str = "cpu:";

/// Returns whether a publisher of this endpoint's type and profile may send on the other key. Without a description of the type, that is
/// not known.
pub(crate) fn has_buffers(replica: &Replica) -> bool {
    !keeps(&replica.end.qos) && replica.description.as_deref().is_some_and(contains_bytes)
}

/// Returns the other key.
pub(crate) fn buffer_key(key: &KeyExpr<'_>) -> Result<KeyExpr<'static>, ShowError> {
    KeyExpr::new(format!("{key}/_buf_cpu")).map_err(other)
}

fn contains_bytes(description: &str) -> bool {
    let mut interfaces = Interfaces::default();
    let has_bytes = |message: &Message| {
        message.fields.iter().any(|field| {
            let is_byte = matches!(field.ty.base, Base::Primitive(Primitive::Uint8 | Primitive::Char));
            is_byte && field.ty.shape == Shape::Unbounded
        })
    };
    interfaces.add_description(description).is_ok() && interfaces.messages().any(has_bytes)
}

#[cfg(test)]
mod tests {
    use saltus_cdr::Message as _;
    use saltus_msgs::{
        geometry_msgs::msg::Twist,
        sensor_msgs::msg::{CompressedImage, Image, LaserScan, PointCloud2},
        std_msgs::msg::{String as Text, UInt8MultiArray},
    };

    use super::*;

    #[test]
    fn types_with_bytes_are_known_by_their_descriptions() {
        let with = [
            Image::DESCRIPTION,
            CompressedImage::DESCRIPTION,
            PointCloud2::DESCRIPTION,
            UInt8MultiArray::DESCRIPTION,
        ];
        assert!(with.iter().all(|one| contains_bytes(&one.to_json())));
        let without = [Twist::DESCRIPTION, LaserScan::DESCRIPTION, Text::DESCRIPTION];
        assert!(without.iter().all(|one| !contains_bytes(&one.to_json())));
        assert!(!contains_bytes("nonsense"));
    }
}
