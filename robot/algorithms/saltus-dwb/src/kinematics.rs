//! The limits of velocities and accelerations.

use saltus_motion::{SpeedLimit, Velocity};

/// The limits of a robot: forward, to the left, and turning; in m/s, rad/s, m/s² and rad/s².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kinematics {
    /// The lowest velocities forward and to the left. The lowest velocity of turning is the negative highest one.
    pub min_velocity: [f64; 2],
    /// The highest velocities.
    pub max_velocity: [f64; 3],
    /// The lowest speed of a robot that turns slower than `min_turning`, in m/s.
    pub min_speed: f64,
    /// The highest speed in m/s; no limit if it is negative.
    pub max_speed: f64,
    /// The lowest angular velocity of a robot that is slower than `min_speed`, in rad/s.
    pub min_turning: f64,
    /// The highest accelerations.
    pub acceleration: [f64; 3],
    /// The highest decelerations, which are negative.
    pub deceleration: [f64; 3],
}

/// The tolerance for squared speeds, as in Nav2.
const ROUNDING: f64 = f32::EPSILON as f64;

impl Kinematics {
    /// Returns the lowest and the highest velocity of an axis: 0 is forward, 1 to the left, and 2 turning.
    pub(crate) fn range(&self, axis: usize) -> [f64; 2] {
        let max = self.max_velocity[axis];
        [self.min_velocity.get(axis).copied().unwrap_or(-max), max]
    }

    /// Returns the velocity of an axis after a time in seconds, on the way from one velocity to another.
    pub(crate) fn approach(&self, axis: usize, from: f64, to: f64, time: f64) -> f64 {
        if from < to {
            to.min(from + self.acceleration[axis] * time)
        } else {
            to.max(from + self.deceleration[axis] * time)
        }
    }

    /// Whether a velocity is within the limits of the speed: neither too fast nor too slow.
    pub(crate) fn allows(&self, velocity: &Velocity) -> bool {
        let squared = velocity.x * velocity.x + velocity.y * velocity.y;
        if self.max_speed >= 0.0 && squared > self.max_speed * self.max_speed + ROUNDING {
            return false;
        }
        let is_slow = self.min_speed >= 0.0 && squared + ROUNDING < self.min_speed * self.min_speed;
        let is_still = self.min_turning >= 0.0 && velocity.theta.abs() + ROUNDING < self.min_turning;
        !(is_slow && is_still) && (squared > 0.0 || velocity.theta != 0.0)
    }

    /// Returns the limits, reduced by a speed limit.
    pub(crate) fn limited(&self, limit: SpeedLimit) -> Self {
        let share = match limit {
            SpeedLimit::Percent(percent) => (percent / 100.0).min(1.0),
            SpeedLimit::Absolute(speed) if speed < self.max_speed => speed / self.max_speed,
            _ => return *self,
        };
        Self {
            max_velocity: self.max_velocity.map(|velocity| velocity * share),
            max_speed: self.max_speed * share,
            ..*self
        }
    }
}
