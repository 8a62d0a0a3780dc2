//! The check whether a robot is at its goal.

use crate::pose::{Pose, Velocity, wrapped};

/// The tolerance within which a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalTolerance {
    /// The largest distance, in metres.
    pub xy: f64,
    /// The largest difference of the headings, in radians; `None` if the heading does not count.
    pub yaw: Option<f64>,
    /// Whether the opposite heading counts as well.
    pub is_symmetric: bool,
    /// The largest speed in m/s and the largest turning speed in rad/s, if the robot must stop.
    pub stopped: Option<(f64, f64)>,
    /// Whether the distance counts only until the robot has been near enough once.
    pub is_stateful: bool,
}

impl Default for GoalTolerance {
    fn default() -> Self {
        Self { xy: 0.25, yaw: Some(0.25), is_symmetric: false, stopped: None, is_stateful: true }
    }
}

/// A checker of whether a robot is at its goal.
///
/// ```
/// use saltus_motion::{GoalChecker, GoalTolerance, Pose, Velocity};
/// let mut checker = GoalChecker::new(GoalTolerance::default());
/// let goal = Pose::default();
/// assert!(!checker.is_reached(&Pose::new(0.2, 0.0, 1.0), &goal, &Velocity::default()));
/// // The distance was reached before, so only the heading counts.
/// assert!(checker.is_reached(&Pose::new(0.3, 0.0, 0.2), &goal, &Velocity::default()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GoalChecker {
    tolerance: GoalTolerance,
    was_near: bool,
}

impl GoalChecker {
    /// Creates a checker.
    pub fn new(tolerance: GoalTolerance) -> Self {
        Self { tolerance, was_near: false }
    }

    /// Returns the tolerance.
    pub fn tolerance(&self) -> &GoalTolerance {
        &self.tolerance
    }

    /// Changes the tolerance.
    pub fn set_tolerance(&mut self, tolerance: GoalTolerance) {
        self.tolerance = tolerance;
    }

    /// Starts again for a new path.
    pub fn reset(&mut self) {
        self.was_near = false;
    }

    /// Returns whether the robot is at its goal. Poses are in the same frame.
    pub fn is_reached(&mut self, robot: &Pose, goal: &Pose, velocity: &Velocity) -> bool {
        let is_near = self.was_near || robot.distance(goal) <= self.tolerance.xy;
        self.was_near = is_near && self.tolerance.is_stateful;
        let turn = wrapped(robot.yaw - goal.yaw).abs();
        let turn = if self.tolerance.is_symmetric { turn.min(std::f64::consts::PI - turn) } else { turn };
        let is_stopped = self
            .tolerance
            .stopped
            .is_none_or(|(speed, turning)| velocity.speed() <= speed && velocity.theta.abs() <= turning);
        is_near && self.tolerance.yaw.is_none_or(|yaw| turn <= yaw) && is_stopped
    }
}
