//! The critic for the turn at the goal.

use saltus_motion::{Pose, wrapped};

use super::{Critic, Illegal, Score};
use crate::{context::Context, trajectory::Trajectory};

/// The critic that makes the robot slow down near the goal, and then only turn to the heading of the goal.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotateToGoal {
    settings: RotateToGoalSettings,
    is_near: bool,
    is_turning: bool,
}

/// The settings of [`RotateToGoal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotateToGoalSettings {
    /// The distance to the goal below which the robot is near, in metres.
    pub xy_tolerance: f64,
    /// The speed below which a robot near the goal only turns, in m/s.
    pub stopped: f64,
    /// The weight of the squared speed while the robot slows down, in s²/m².
    pub slowing_factor: f64,
    /// The time on the trajectory at which the heading counts, in seconds; the end of the trajectory if `None`.
    pub lookahead_time: Option<f64>,
}

impl Default for RotateToGoalSettings {
    fn default() -> Self {
        Self { xy_tolerance: 0.25, stopped: 0.25, slowing_factor: 5.0, lookahead_time: None }
    }
}

impl RotateToGoal {
    /// Creates a critic.
    pub fn new(settings: RotateToGoalSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Returns the difference between the heading and that of the goal, in radians.
    fn remaining_turn(&self, trajectory: &Trajectory, goal: &Pose) -> f64 {
        let yaw = self
            .settings
            .lookahead_time
            .map_or_else(|| trajectory.end().yaw, |time| yaw_at(trajectory, time));
        wrapped(yaw - goal.yaw).abs()
    }
}

/// Returns the heading at a time in seconds, interpolated between poses.
fn yaw_at(trajectory: &Trajectory, time: f64) -> f64 {
    let after = trajectory.times.partition_point(|other| *other < time).min(trajectory.poses.len() - 1);
    let before = after.saturating_sub(1);
    let ([from, to], [start, end]) = (
        [before, after].map(|index| trajectory.poses[index].yaw),
        [before, after].map(|index| trajectory.times[index]),
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
                Ok(slowing + self.remaining_turn(trajectory, &context.goal))
            }
            (true, true) if speed > 0.0 => Err(Illegal("Nonrotation command near goal.")),
            (true, true) => Ok(self.remaining_turn(trajectory, &context.goal)),
        }
    }
}
