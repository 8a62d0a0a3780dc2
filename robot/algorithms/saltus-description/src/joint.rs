//! A joint, and the transform at a position of the joint.

use saltus_tf::Transform;

/// The kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// A joint that turns about its axis within limits. Positions are in radians.
    Revolute,
    /// A joint that turns about its axis without limits. Positions are in radians.
    Continuous,
    /// A joint that slides along its axis within limits. Positions are in metres.
    Prismatic,
    /// A joint that does not move.
    Fixed,
    /// A joint that moves and turns in all directions. Another node sends its transform.
    Floating,
    /// A joint that moves in a plane. Another node sends its transform.
    Planar,
}

impl JointKind {
    /// Whether the position of a joint of this kind is a single number.
    pub fn has_position(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// The limits of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The lowest position, in radians or metres.
    pub lower: f64,
    /// The highest position, in radians or metres.
    pub upper: f64,
    /// The highest velocity, in radians or metres per second.
    pub velocity: f64,
    /// The highest force in newtons, or torque in newton metres.
    pub effort: f64,
}

/// The position of a joint that follows another one: `multiplier` times the other position, plus `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The name of the joint that it follows.
    pub joint: String,
    /// The factor.
    pub multiplier: f64,
    /// The offset, in radians or metres.
    pub offset: f64,
}

/// A joint, which connects a link with its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name, unique in its description.
    pub name: String,
    /// The kind of the joint.
    pub kind: JointKind,
    /// The name of the parent link.
    pub parent: String,
    /// The name of the link that the joint moves.
    pub child: String,
    /// The transform of the child in the frame of its parent at the position 0.
    pub origin: Transform,
    /// The axis in the frame of the child. Its length is 1 if the joint has a position.
    pub axis: [f64; 3],
    /// The limits of a revolute or prismatic joint.
    pub limits: Option<Limits>,
    /// The lowest and the highest position that a controller should keep, within the limits. One that is not given is infinite.
    pub soft_limits: Option<(f64, f64)>,
    /// The joint that this one follows, if any.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// Returns the transform of the child in the frame of its parent. `position` is in radians or metres, and must be finite. It has no
    /// effect if the kind of the joint has no position.
    ///
    /// Source: the URDF specification of joints, <https://wiki.ros.org/urdf/XML/joint>.
    pub fn transform(&self, position: f64) -> Transform {
        let moved = match self.kind {
            JointKind::Revolute | JointKind::Continuous => Transform::from_axis_angle(self.axis, position),
            JointKind::Prismatic => {
                let [x, y, z] = self.axis.map(|part| part * position);
                Transform::from_xyz(x, y, z)
            }
            _ => return self.origin,
        };
        self.origin.compose(&moved)
    }
}
