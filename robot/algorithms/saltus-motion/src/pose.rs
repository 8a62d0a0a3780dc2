//! Poses and velocities in a plane.

use std::f64::consts::{PI, TAU};

/// Where a robot is, and where it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// In metres.
    pub x: f64,
    /// In metres.
    pub y: f64,
    /// The heading in radians.
    pub yaw: f64,
}

impl Pose {
    /// Returns a pose.
    pub const fn new(x: f64, y: f64, yaw: f64) -> Self {
        Self { x, y, yaw }
    }

    /// Returns the pose as three numbers.
    pub fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.yaw]
    }

    /// Returns how far another pose is away.
    pub fn distance(&self, other: &Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// Returns a pose that is given in the frame of this one.
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

    /// Returns another pose in the frame of this one.
    pub fn relative(&self, other: &Self) -> Self {
        let (sine, cosine) = self.yaw.sin_cos();
        let (x, y) = (other.x - self.x, other.y - self.y);
        Self { x: cosine * x + sine * y, y: cosine * y - sine * x, yaw: wrapped(other.yaw - self.yaw) }
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.to_array().iter().all(|part| part.is_finite())
    }
}

/// How a robot moves, in its own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Forward, in m/s.
    pub x: f64,
    /// To the left, in m/s.
    pub y: f64,
    /// Counterclockwise, in rad/s.
    pub theta: f64,
}

impl Velocity {
    /// Returns a velocity.
    pub const fn new(x: f64, y: f64, theta: f64) -> Self {
        Self { x, y, theta }
    }

    /// Returns the speed in m/s, without turning.
    pub fn speed(&self) -> f64 {
        self.x.hypot(self.y)
    }
}

/// Returns an angle between -π and π, π included.
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
