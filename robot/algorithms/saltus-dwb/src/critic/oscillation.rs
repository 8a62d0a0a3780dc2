//! The critic against oscillation.

use std::time::Duration;

use saltus_motion::{Pose, Velocity};

use super::{Critic, Illegal, Score};
use crate::{context::Context, trajectory::Trajectory};

/// The critic that rejects a second change of a direction before the robot has moved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Oscillation {
    settings: OscillationSettings,
    trends: [Trend; 3],
    /// The pose and the time of the last change of a direction.
    last_change: (Pose, Duration),
}

/// The settings of [`Oscillation`]: the conditions under which the robot may change a direction again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OscillationSettings {
    /// The distance after which it may, in metres.
    pub distance: f64,
    /// The turn after which it may, in radians.
    pub angle: f64,
    /// The time after which it may, if there is one.
    pub time: Option<Duration>,
    /// The forward speed above which only the forward direction is checked, in m/s.
    pub x_only: f64,
}

impl Default for OscillationSettings {
    fn default() -> Self {
        Self { distance: 0.05, angle: 0.2, time: None, x_only: 0.05 }
    }
}

/// The direction of the velocity on one axis.
#[derive(Clone, Copy, Debug, Default)]
struct Trend {
    /// The sign of the last velocity that was not 0.
    last: f64,
    /// The sign of the allowed direction, if only one is allowed.
    allowed: Option<f64>,
}

impl Trend {
    /// Updates the direction from a velocity. Returns whether it has changed.
    fn update(&mut self, velocity: f64) -> bool {
        if velocity == 0.0 {
            return false;
        }
        let has_changed = self.last * velocity < 0.0;
        if has_changed {
            self.allowed = Some(velocity.signum());
        }
        self.last = velocity.signum();
        has_changed
    }

    fn forbids(&self, velocity: f64) -> bool {
        self.allowed.is_some_and(|allowed| allowed * velocity < 0.0)
    }
}

impl Oscillation {
    /// Creates a critic.
    pub fn new(settings: OscillationSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    fn may_change_again(&self, context: &Context<'_>) -> bool {
        let (from, since) = self.last_change;
        from.distance(&context.robot) > self.settings.distance
            || (context.robot.yaw - from.yaw).abs() > self.settings.angle
            || self.settings.time.is_some_and(|time| context.now.saturating_sub(since) > time)
    }
}

impl Critic for Oscillation {
    fn reset(&mut self) {
        self.trends = Default::default();
    }

    fn score(&self, trajectory: &Trajectory, _context: &Context<'_>) -> Score {
        let Velocity { x, y, theta } = trajectory.velocity;
        let is_oscillating = self.trends.iter().zip([x, y, theta]).any(|(trend, part)| trend.forbids(part));
        if is_oscillating { Err(Illegal("Trajectory is oscillating.")) } else { Ok(0.0) }
    }

    fn velocity_chosen(&mut self, velocity: &Velocity, context: &Context<'_>) {
        let mut has_changed = self.trends[0].update(velocity.x);
        if self.settings.x_only < 0.0 || velocity.x.abs() <= self.settings.x_only {
            has_changed |= self.trends[1].update(velocity.y);
            has_changed |= self.trends[2].update(velocity.theta);
        }
        if has_changed {
            self.last_change = (context.robot, context.now);
        }
        if self.trends.iter().any(|trend| trend.allowed.is_some()) && self.may_change_again(context) {
            self.reset();
        }
    }
}
