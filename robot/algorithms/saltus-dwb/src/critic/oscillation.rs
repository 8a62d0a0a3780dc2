//! Whether a robot goes to and fro.

use std::time::Duration;

use saltus_motion::{Pose, Velocity};

use super::{Critic, Illegal, Score};
use crate::{context::Context, trajectory::Trajectory};

/// Forbids to change a direction again, until the robot has moved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Oscillation {
    settings: OscillationSettings,
    trends: [Trend; 3],
    /// Where and when the direction changed.
    since: (Pose, Duration),
}

/// When a robot may change its direction again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OscillationSettings {
    /// After it has moved so far, in metres.
    pub distance: f64,
    /// After it has turned so far, in radians.
    pub angle: f64,
    /// After this time, if there is one.
    pub time: Option<Duration>,
    /// A faster robot may turn as it likes, in m/s.
    pub x_only: f64,
}

impl Default for OscillationSettings {
    fn default() -> Self {
        Self { distance: 0.05, angle: 0.2, time: None, x_only: 0.05 }
    }
}

/// The direction of one axis.
#[derive(Clone, Copy, Debug, Default)]
struct Trend {
    last: f64,
    /// The only direction that is allowed, if there is one.
    only: Option<f64>,
}

impl Trend {
    /// Takes a velocity. Returns whether the direction has changed.
    fn update(&mut self, velocity: f64) -> bool {
        if velocity == 0.0 {
            return false;
        }
        let has_changed = self.last * velocity < 0.0;
        if has_changed {
            self.only = Some(velocity.signum());
        }
        self.last = velocity.signum();
        has_changed
    }

    fn forbids(&self, velocity: f64) -> bool {
        self.only.is_some_and(|only| only * velocity < 0.0)
    }
}

impl Oscillation {
    /// Returns a critic.
    pub fn new(settings: OscillationSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    fn may_change_again(&self, context: &Context<'_>) -> bool {
        let (from, since) = self.since;
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

    fn chosen(&mut self, velocity: &Velocity, context: &Context<'_>) {
        let mut has_changed = self.trends[0].update(velocity.x);
        if self.settings.x_only < 0.0 || velocity.x.abs() <= self.settings.x_only {
            has_changed |= self.trends[1].update(velocity.y);
            has_changed |= self.trends[2].update(velocity.theta);
        }
        if has_changed {
            self.since = (context.robot, context.now);
        }
        if self.trends.iter().any(|trend| trend.only.is_some()) && self.may_change_again(context) {
            self.reset();
        }
    }
}
