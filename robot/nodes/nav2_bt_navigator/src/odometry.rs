//! The last velocities of the robot.

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use saltus::{Time, types::lock};
use saltus_motion::Velocity;

/// The time over which velocities are averaged.
const WINDOW: Duration = Duration::from_millis(300);
/// The largest number of velocities that are kept.
const MOST: usize = 1000;

/// The velocities of the robot in the last 0.3 s.
#[derive(Debug, Default)]
pub(crate) struct Odometry(Mutex<VecDeque<(Time, Velocity)>>);

impl Odometry {
    /// Adds a velocity at a time, if it is finite.
    pub(crate) fn add(&self, stamp: Time, velocity: Velocity) {
        if ![velocity.x, velocity.y, velocity.theta].iter().all(|part| part.is_finite()) {
            return;
        }
        let mut known = lock(&self.0);
        // The clock may have jumped back.
        known.retain(|(other, _)| *other <= stamp && stamp.since(*other) <= WINDOW);
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back((stamp, velocity));
    }

    /// Returns the mean of the velocities; 0 if there are none.
    pub(crate) fn velocity(&self) -> Velocity {
        let known = lock(&self.0);
        let mean = |part: fn(&Velocity) -> f64| {
            known.iter().map(|(_, velocity)| part(velocity)).sum::<f64>() / known.len().max(1) as f64
        };
        Velocity::new(mean(|v| v.x), mean(|v| v.y), mean(|v| v.theta))
    }
}
