//! The check whether a robot makes progress.

use std::time::Duration;

use crate::pose::{Pose, wrapped};

/// A checker of whether a robot makes progress.
///
/// ```
/// use std::time::Duration;
/// use saltus_motion::{Pose, ProgressChecker};
/// let mut checker = ProgressChecker::new(0.5, None, Duration::from_secs(10));
/// assert!(checker.moves(&Pose::default(), Duration::from_secs(1)));
/// assert!(checker.moves(&Pose::new(0.4, 0.0, 3.0), Duration::from_secs(11)));
/// assert!(!checker.moves(&Pose::new(0.4, 0.0, 0.0), Duration::from_secs(12)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ProgressChecker {
    radius: f64,
    angle: Option<f64>,
    allowance: Duration,
    /// The pose and the time from which on the robot must move.
    baseline: Option<(Pose, Duration)>,
}

impl ProgressChecker {
    /// Creates a checker. The robot must move farther than `radius` metres within the time `allowance`, or turn by more than `angle`
    /// radians, if it is given.
    pub fn new(radius: f64, angle: Option<f64>, allowance: Duration) -> Self {
        Self { radius, angle, allowance, baseline: None }
    }

    /// Starts again from the next pose.
    pub fn reset(&mut self) {
        self.baseline = None;
    }

    /// Returns whether the robot makes progress. `now` is the time since a fixed start.
    pub fn moves(&mut self, robot: &Pose, now: Duration) -> bool {
        let has_moved = |from: &Pose| {
            let turn = wrapped(robot.yaw - from.yaw).abs();
            robot.distance(from) > self.radius || self.angle.is_some_and(|angle| turn > angle)
        };
        match self.baseline {
            // The time may have jumped back.
            Some((from, since)) if !has_moved(&from) && now >= since => now - since <= self.allowance,
            _ => {
                self.baseline = Some((*robot, now));
                true
            }
        }
    }
}
