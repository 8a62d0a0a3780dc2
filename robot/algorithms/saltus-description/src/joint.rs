//! A joint, and the transform that a position of it gives.

use saltus_tf::Transform;

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// It turns about its axis, within limits. Positions are in radians.
    Revolute,
    /// It turns about its axis without limits.
    Continuous,
    /// It moves along its axis, within limits. Positions are in metres.
    Prismatic,
    /// It does not move.
    Fixed,
    /// It moves and turns in all directions: something else sends its transform.
    Floating,
    /// It moves in a plane: something else sends its transform.
    Planar,
}

impl JointKind {
    /// Whether one number is the position of such a joint.
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
    /// The joint that it follows.
    pub joint: String,
    /// The factor.
    pub multiplier: f64,
    /// What is added.
    pub offset: f64,
}

/// A joint: it connects a link with its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name, unique in its description.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link that it is fastened to.
    pub parent: String,
    /// The link that it moves.
    pub child: String,
    /// The transform at the position 0.
    pub origin: Transform,
    /// The axis, in the frame of the child; its length is 1 if the joint has a position.
    pub axis: [f64; 3],
    /// The limits of a revolute or prismatic joint.
    pub limits: Option<Limits>,
    /// The limits that a controller should keep, which are closer than the others: the lowest and the highest position. One
    /// that is not given is infinite.
    pub soft_limits: Option<(f64, f64)>,
    /// The joint that it follows, if any.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// Returns the transform of the child in its parent. `position` must be finite. It has no effect if the kind of the
    /// joint has no position.
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
