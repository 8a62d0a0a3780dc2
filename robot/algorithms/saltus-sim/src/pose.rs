//! Positions with a heading.

use rapier2d_f64::math::Vector;

/// A point or a direction in the plane.
pub type Point = Vector;

/// A position and a heading in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The position along x, in metres.
    pub x: f64,
    /// The position along y, in metres.
    pub y: f64,
    /// The heading, counterclockwise from the axis x, in radians from -π to π.
    pub yaw: f64,
}

impl Pose {
    /// Returns a pose.
    pub fn new(x: f64, y: f64, yaw: f64) -> Self {
        Self { x, y, yaw: wrapped(yaw) }
    }

    /// Whether its coordinates are at most so far from 0.
    pub(crate) fn is_within(&self, distance: f64) -> bool {
        // This is false for numbers that are not finite, too.
        self.x.abs() <= distance && self.y.abs() <= distance && self.yaw.is_finite()
    }

    /// Returns the position.
    pub fn point(&self) -> Point {
        Point::new(self.x, self.y)
    }

    /// Returns a point of this pose's frame in the frame of the pose.
    pub fn apply(&self, point: Point) -> Point {
        self.rotate(point) + self.point()
    }

    /// Returns a direction of this pose's frame in the frame of the pose.
    pub fn rotate(&self, direction: Point) -> Point {
        Point::from_angle(self.yaw).rotate(direction)
    }

    /// Returns the inverse of [`rotate`](Self::rotate).
    pub fn rotate_back(&self, direction: Point) -> Point {
        Point::from_angle(-self.yaw).rotate(direction)
    }

    /// Returns a pose of this pose's frame in the frame of the pose.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        let Point { x, y } = self.apply(inner.point());
        Self::new(x, y, self.yaw + inner.yaw)
    }
}

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// The velocity along its axis x, in metres per second.
    pub forward: f64,
    /// The velocity along its axis y, in metres per second.
    pub left: f64,
    /// The angular velocity, in radians per second.
    pub turn: f64,
}

/// Returns the same angle from -π to π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle.abs() <= PI {
        return angle;
    }
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}
