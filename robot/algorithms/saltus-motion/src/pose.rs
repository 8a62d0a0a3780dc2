//! Poses and velocities in a plane.

use std::f64::consts::{PI, TAU};

/// A position and a heading in a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The position along x, in metres.
    pub x: f64,
    /// The position along y, in metres.
    pub y: f64,
    /// The heading, counterclockwise from the axis x, in radians.
    pub yaw: f64,
}

impl Pose {
    /// Creates a pose.
    pub const fn new(x: f64, y: f64, yaw: f64) -> Self {
        Self { x, y, yaw }
    }

    /// Returns x, y and the heading.
    pub fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.yaw]
    }

    /// Returns the distance to another pose, in metres.
    pub fn distance(&self, other: &Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// Converts a pose from the frame of this pose to the frame in which this pose is given.
    ///
    /// ```
    /// use saltus_motion::Pose;
    /// use std::f64::consts::FRAC_PI_2;
    /// let moved = Pose::new(1.0, 2.0, FRAC_PI_2).then(&Pose::new(0.5, 0.0, 0.1));
    /// assert!(moved.distance(&Pose::new(1.0, 2.5, 0.0)) < 1e-12);
    /// ```
    pub fn then(&self, other: &Self) -> Self {
        let (sine, cosine) = self.yaw.sin_cos();
        Self {
            x: self.x + cosine * other.x - sine * other.y,
            y: self.y + sine * other.x + cosine * other.y,
            yaw: wrapped(self.yaw + other.yaw),
        }
    }

    /// Converts a pose to the frame of this pose. This is the inverse of [`then`](Self::then).
    pub fn relative(&self, other: &Self) -> Self {
        let (sine, cosine) = self.yaw.sin_cos();
        let (x, y) = (other.x - self.x, other.y - self.y);
        Self { x: cosine * x + sine * y, y: cosine * y - sine * x, yaw: wrapped(other.yaw - self.yaw) }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.to_array().iter().all(|part| part.is_finite())
    }
}

/// The velocity of a robot in its own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// The velocity forward, in m/s.
    pub x: f64,
    /// The velocity to the left, in m/s.
    pub y: f64,
    /// The angular velocity counterclockwise, in rad/s.
    pub theta: f64,
}

impl Velocity {
    /// Creates a velocity.
    pub const fn new(x: f64, y: f64, theta: f64) -> Self {
        Self { x, y, theta }
    }

    /// Returns the speed of the translation, in m/s.
    pub fn speed(&self) -> f64 {
        self.x.hypot(self.y)
    }
}

/// Returns the same angle in the range (-π, π].
///
/// ```
/// use std::f64::consts::PI;
/// assert!((saltus_motion::wrapped(3.5 * PI) + 0.5 * PI).abs() < 1e-12);
/// ```
pub fn wrapped(angle: f64) -> f64 {
    if angle > -PI && angle <= PI {
        return angle;
    }
    PI - (PI - angle).rem_euclid(TAU)
}
