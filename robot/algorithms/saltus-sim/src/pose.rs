//! Poses and velocities in the plane.

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
    /// Creates a pose.
    pub fn new(x: f64, y: f64, yaw: f64) -> Self {
        Self { x, y, yaw: wrapped(yaw) }
    }

    /// Whether x and y are within a distance from 0, in metres, and the heading is finite.
    pub(crate) fn is_within(&self, distance: f64) -> bool {
        // This is false for numbers that are not finite, too.
        self.x.abs() <= distance && self.y.abs() <= distance && self.yaw.is_finite()
    }

    /// Returns the position as a point.
    pub(crate) fn point(&self) -> Point {
        Point::new(self.x, self.y)
    }

    /// Converts a point from the frame of this pose to the frame in which this pose is given.
    pub(crate) fn apply(&self, point: Point) -> Point {
        self.rotate(point) + self.point()
    }

    /// Converts a direction from the frame of this pose to the frame in which this pose is given.
    pub(crate) fn rotate(&self, direction: Point) -> Point {
        Point::from_angle(self.yaw).rotate(direction)
    }

    /// Converts a direction to the frame of this pose: the inverse of [`rotate`](Self::rotate).
    pub(crate) fn rotate_back(&self, direction: Point) -> Point {
        Point::from_angle(-self.yaw).rotate(direction)
    }

    /// Converts a pose from the frame of this pose to the frame in which this pose is given.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        let Point { x, y } = self.apply(inner.point());
        Self::new(x, y, self.yaw + inner.yaw)
    }
}

/// The velocity of a body in its own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// The velocity along the axis x, in m/s.
    pub forward: f64,
    /// The velocity along the axis y, in m/s.
    pub left: f64,
    /// The angular velocity, in rad/s.
    pub turn: f64,
}

/// Returns the same angle in the range [-π, π].
pub(crate) fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle.abs() <= PI {
        return angle;
    }
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}
