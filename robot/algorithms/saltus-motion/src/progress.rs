//! Whether a robot moves at all.

use std::time::Duration;

use crate::pose::{Pose, wrapped};

/// Checks that a robot moves on.
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
    /// From where and when on the robot must move.
    since: Option<(Pose, Duration)>,
}

impl ProgressChecker {
    /// Returns a checker. The robot must move farther than `radius` in metres within the time `allowance`, or turn by more than
    /// `angle`, if there is one.
    pub fn new(radius: f64, angle: Option<f64>, allowance: Duration) -> Self {
        Self { radius, angle, allowance, since: None }
    }

    /// Starts from the next pose.
    pub fn reset(&mut self) {
        self.since = None;
    }

    /// Whether the robot moves on: `now` is the time since any start.
    pub fn moves(&mut self, robot: &Pose, now: Duration) -> bool {
        let has_moved = |from: &Pose| {
            let turn = wrapped(robot.yaw - from.yaw).abs();
            robot.distance(from) > self.radius || self.angle.is_some_and(|angle| turn > angle)
        };
        match self.since {
            // The time may have jumped back.
            Some((from, since)) if !has_moved(&from) && now >= since => now - since <= self.allowance,
            _ => {
                self.since = Some((*robot, now));
                true
            }
        }
    }
}
