//! The velocities of commands and of the robot, and the next one.

use std::{collections::VecDeque, time::Duration};

use saltus::msgs::std_msgs::msg::Header;
use saltus_motion::{Feedback, LimitError, Velocity, VelocitySmoother as Smoother};

use crate::settings::Settings;

/// The largest number of velocities of the robot that are kept.
const MOST: usize = 10_000;

/// The last command and the velocities of the robot.
pub(crate) struct Smoothing {
    settings: Settings,
    smoother: Smoother,
    /// The header of the last command.
    header: Header,
    /// The velocities of the robot, and their times.
    odometry: VecDeque<(Duration, Velocity)>,
}

impl Smoothing {
    pub(crate) fn new(settings: Settings) -> Result<Self, LimitError> {
        let smoother = Smoother::new(settings.limits, settings.scales, settings.frequency, settings.timeout)?;
        Ok(Self { settings, smoother, header: Header::default(), odometry: VecDeque::new() })
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets other settings. The robot begins with its last commanded velocity.
    pub(crate) fn configure(&mut self, settings: Settings) -> Result<(), LimitError> {
        self.smoother.configure(settings.limits, settings.scales, settings.frequency, settings.timeout)?;
        self.settings = settings;
        Ok(())
    }

    /// Drops commands and velocities: the robot stands.
    pub(crate) fn restart(&mut self) -> Result<(), LimitError> {
        *self = Self::new(self.settings.clone())?;
        Ok(())
    }

    /// Sets the command. Returns whether it is finite.
    pub(crate) fn command(&mut self, velocity: Velocity, header: Header, now: Duration) -> bool {
        let is_finite = self.smoother.set_command(velocity, now);
        if is_finite {
            self.header = header;
        }
        is_finite
    }

    /// Adds the velocity of the robot at a time.
    pub(crate) fn measure(&mut self, velocity: Velocity, stamp: Duration) {
        let is_finite = [velocity.x, velocity.y, velocity.theta].iter().all(|part| part.is_finite());
        if is_finite && self.settings.feedback == Feedback::ClosedLoop {
            if self.odometry.len() == MOST {
                self.odometry.pop_front();
            }
            self.odometry.push_back((stamp, velocity));
        }
    }

    /// Returns the average of the last velocities of the robot.
    fn measured(&mut self) -> Option<Velocity> {
        let newest = self.odometry.back()?.0;
        let duration = self.settings.odom_duration;
        self.odometry.retain(|(stamp, _)| newest.saturating_sub(*stamp) <= duration);
        let count = self.odometry.len() as f64;
        let mean = |part: fn(&Velocity) -> f64| {
            self.odometry.iter().map(|(_, velocity)| part(velocity)).sum::<f64>() / count
        };
        Some(Velocity::new(mean(|v| v.x), mean(|v| v.y), mean(|v| v.theta)))
    }

    /// Returns the next velocity, and its header; `None` if the robot stands and there is no command.
    pub(crate) fn next(&mut self, now: Duration) -> Option<(Velocity, &Header)> {
        let measured = match self.settings.feedback {
            Feedback::OpenLoop => None,
            Feedback::ClosedLoop => self.measured(),
        };
        Some((self.smoother.tick(now, measured)?, &self.header))
    }
}
