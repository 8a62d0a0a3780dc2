//! How a robot turns at its goal.

use saltus_motion::{Pose, wrapped};

use super::{Critic, Illegal, Score};
use crate::{context::Context, trajectory::Trajectory};

/// Near the goal, lets the robot slow down, and then only turn to the heading of the goal.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotateToGoal {
    settings: RotateToGoalSettings,
    is_near: bool,
    is_turning: bool,
}

/// When a robot turns to the heading of the goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotateToGoalSettings {
    /// How near the goal must be, in metres.
    pub xy_tolerance: f64,
    /// Below this speed, the robot only turns, in m/s.
    pub stopped: f64,
    /// By how much the square of the speed counts, in s²/m².
    pub slowing_factor: f64,
    /// The time in seconds at which the heading counts; that of the end of the trajectory if there is none.
    pub lookahead_time: Option<f64>,
}

impl Default for RotateToGoalSettings {
    fn default() -> Self {
        Self { xy_tolerance: 0.25, stopped: 0.25, slowing_factor: 5.0, lookahead_time: None }
    }
}

impl RotateToGoal {
    /// Returns a critic.
    pub fn new(settings: RotateToGoalSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Returns by how much the heading differs from that of the goal, in radians.
    fn turn_left(&self, trajectory: &Trajectory, goal: &Pose) -> f64 {
        let yaw = self
            .settings
            .lookahead_time
            .map_or_else(|| trajectory.end().yaw, |time| yaw_at(trajectory, time));
        wrapped(yaw - goal.yaw).abs()
    }
}

/// Returns the heading at a time, between two poses if there is none at that time.
fn yaw_at(trajectory: &Trajectory, time: f64) -> f64 {
    let after = trajectory.times.partition_point(|other| *other < time).min(trajectory.poses.len() - 1);
    let before = after.saturating_sub(1);
    let ([from, to], [start, end]) = (
        [before, after].map(|place| trajectory.poses[place].yaw),
        [before, after].map(|place| trajectory.times[place]),
    );
    let share = if end > start { ((time - start) / (end - start)).clamp(0.0, 1.0) } else { 1.0 };
    from + wrapped(to - from) * share
}

impl Critic for RotateToGoal {
    fn reset(&mut self) {
        (self.is_near, self.is_turning) = (false, false);
    }

    fn prepare(&mut self, context: &Context<'_>) {
        self.is_near |= context.robot.distance(&context.goal) <= self.settings.xy_tolerance;
        self.is_turning |= self.is_near && context.velocity.speed() <= self.settings.stopped;
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let (speed, current) = (trajectory.velocity.speed(), context.velocity.speed());
        match (self.is_near, self.is_turning) {
            (false, _) => Ok(0.0),
            (true, false) if speed >= current => Err(Illegal("Not slowing down near goal.")),
            (true, false) => {
                let slowing = speed * speed * self.settings.slowing_factor;
                Ok(slowing + self.turn_left(trajectory, &context.goal))
            }
            (true, true) if speed > 0.0 => Err(Illegal("Nonrotation command near goal.")),
            (true, true) => Ok(self.turn_left(trajectory, &context.goal)),
        }
    }
}
