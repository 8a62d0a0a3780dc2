//! A smoother for velocities, which keeps the limits of a drive.
//!
//! Source: `nav2_velocity_smoother`, whose rules and settings these are.

use std::{error::Error, fmt, time::Duration};

use crate::pose::Velocity;

/// The limits of a drive: forward, to the left, and turning, in m/s and rad/s or m/s² and rad/s².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityLimits {
    /// The highest velocities.
    pub max_velocity: [f64; 3],
    /// The lowest velocities, which are negative or 0.
    pub min_velocity: [f64; 3],
    /// The highest accelerations.
    pub max_acceleration: [f64; 3],
    /// The highest decelerations, which are negative or 0.
    pub max_deceleration: [f64; 3],
    /// The velocities below which a velocity becomes 0.
    pub deadband: [f64; 3],
}

impl Default for VelocityLimits {
    fn default() -> Self {
        Self {
            max_velocity: [0.5, 0.0, 2.5],
            min_velocity: [-0.5, 0.0, -2.5],
            max_acceleration: [2.5, 0.0, 3.2],
            max_deceleration: [-2.5, 0.0, -3.2],
            deadband: [0.0; 3],
        }
    }
}

/// An error in the limits of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitError {
    /// A deceleration is positive.
    Deceleration,
    /// An acceleration is negative.
    Acceleration,
    /// A lowest velocity is positive.
    MinVelocity,
    /// A highest velocity is negative.
    MaxVelocity,
    /// The frequency is not positive.
    Frequency,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The texts are Nav2's, except for the last one.
        f.write_str(match self {
            Self::Deceleration => {
                "Positive values set of deceleration! These should be negative to slow down!"
            }
            Self::Acceleration => {
                "Negative values set of acceleration! These should be positive to speed up!"
            }
            Self::MinVelocity => "Positive values set of min_velocity! These should be negative!",
            Self::MaxVelocity => "Negative values set of max_velocity! These should be positive!",
            Self::Frequency => "The smoothing frequency must be positive!",
        })
    }
}

impl Error for LimitError {}

impl VelocityLimits {
    /// Checks the signs of the limits.
    ///
    /// # Errors
    ///
    /// Returns the first kind of limit with a wrong sign or a value that is NaN.
    pub fn check(&self) -> Result<(), LimitError> {
        let any = |limits: [f64; 3], is_wrong: fn(f64) -> bool| limits.into_iter().any(is_wrong);
        let checks = [
            (any(self.max_deceleration, |limit| limit.is_nan() || limit > 0.0), LimitError::Deceleration),
            (any(self.max_acceleration, |limit| limit.is_nan() || limit < 0.0), LimitError::Acceleration),
            (any(self.min_velocity, |limit| limit.is_nan() || limit > 0.0), LimitError::MinVelocity),
            (any(self.max_velocity, |limit| limit.is_nan() || limit < 0.0), LimitError::MaxVelocity),
        ];
        checks.into_iter().find(|(is_wrong, _)| *is_wrong).map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// The source of the current velocity of the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// The last commanded velocity.
    #[default]
    OpenLoop,
    /// The measured velocity.
    ClosedLoop,
}

/// A smoother that limits the changes of velocities to the accelerations of a drive.
///
/// ```
/// use std::time::Duration;
/// use saltus_motion::{Velocity, VelocityLimits, VelocitySmoother};
/// let mut smoother = VelocitySmoother::new(VelocityLimits::default(), false, 20.0, Duration::from_secs(1)).unwrap();
/// smoother.set_command(Velocity::new(0.4, 0.0, 0.0), Duration::ZERO);
/// let velocities: Vec<f64> =
///     (1..=4).map(|tick| smoother.tick(Duration::from_millis(50 * tick), None).unwrap().x).collect();
/// assert_eq!(velocities, [0.125, 0.25, 0.375, 0.4]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct VelocitySmoother {
    limits: VelocityLimits,
    /// Whether all parts of a velocity change in the same proportion.
    scales: bool,
    /// The frequency of the cycles, in Hz.
    frequency: f64,
    timeout: Duration,
    /// The last command, and the time at which it was set.
    command: Option<(Velocity, Duration)>,
    last: Velocity,
    is_stopped: bool,
}

impl VelocitySmoother {
    /// Creates a smoother whose [`tick`](Self::tick) is called with a frequency in Hz. If it `scales`, all parts of a velocity change in the
    /// same proportion. The robot stops after the time `timeout` without a command.
    ///
    /// # Errors
    ///
    /// Fails if limits have a wrong sign, or if the frequency is not positive.
    pub fn new(
        limits: VelocityLimits,
        scales: bool,
        frequency: f64,
        timeout: Duration,
    ) -> Result<Self, LimitError> {
        check(&limits, frequency)?;
        let (command, last, is_stopped) = (None, Velocity::default(), true);
        Ok(Self { limits, scales, frequency, timeout, command, last, is_stopped })
    }

    /// Changes the settings; see [`new`](Self::new). The last commanded velocity stays.
    ///
    /// # Errors
    ///
    /// Fails, and changes nothing, if limits have a wrong sign, or if the frequency is not positive.
    pub fn configure(
        &mut self,
        limits: VelocityLimits,
        scales: bool,
        frequency: f64,
        timeout: Duration,
    ) -> Result<(), LimitError> {
        check(&limits, frequency)?;
        (self.limits, self.scales, self.frequency, self.timeout) = (limits, scales, frequency, timeout);
        Ok(())
    }

    /// Sets the velocity that the robot should reach, at the time `now`. Returns `false`, and changes nothing, if it is not finite.
    pub fn set_command(&mut self, command: Velocity, now: Duration) -> bool {
        let is_finite = [command.x, command.y, command.theta].iter().all(|part| part.is_finite());
        if is_finite {
            self.command = Some((command, now));
        }
        is_finite
    }

    /// Returns the next velocity; `None` if the robot stands and there is no command. `measured` is the measured velocity of the robot;
    /// without it, the last commanded velocity counts.
    pub fn tick(&mut self, now: Duration, measured: Option<Velocity>) -> Option<Velocity> {
        let (command, stamp) = self.command?;
        let is_old = now.saturating_sub(stamp) > self.timeout;
        if is_old && (self.is_stopped || self.last == Velocity::default()) {
            self.is_stopped = true;
            return None;
        }
        self.is_stopped = false;
        let command = if is_old { Velocity::default() } else { command };
        let next = self.next(parts(command), parts(measured.unwrap_or(self.last)));
        self.last = Velocity::new(next[0], next[1], next[2]);
        let outside_deadband =
            |axis: usize| if next[axis].abs() < self.limits.deadband[axis] { 0.0 } else { next[axis] };
        Some(Velocity::new(outside_deadband(0), outside_deadband(1), outside_deadband(2)))
    }

    /// Returns the next velocity on the way from the current velocity to the command.
    fn next(&self, command: [f64; 3], current: [f64; 3]) -> [f64; 3] {
        let axes = [0, 1, 2];
        let change = axes.map(|axis| {
            command[axis].min(self.limits.max_velocity[axis]).max(self.limits.min_velocity[axis])
                - current[axis]
        });
        let limits = axes.map(|axis| {
            let target = change[axis] + current[axis];
            let is_faster = target.abs() >= current[axis].abs() && target * current[axis] >= 0.0;
            let limit = match is_faster {
                true => self.limits.max_acceleration[axis],
                false => -self.limits.max_deceleration[axis],
            };
            limit / self.frequency
        });
        let share = |axis: usize| {
            if change[axis].abs() > limits[axis] { limits[axis] / change[axis].abs() } else { 1.0 }
        };
        let scale = if self.scales { axes.map(share).into_iter().fold(1.0, f64::min) } else { 1.0 };
        axes.map(|axis| current[axis] + (change[axis] * scale).clamp(-limits[axis], limits[axis]))
    }
}

fn parts(velocity: Velocity) -> [f64; 3] {
    [velocity.x, velocity.y, velocity.theta]
}

fn check(limits: &VelocityLimits, frequency: f64) -> Result<(), LimitError> {
    limits.check()?;
    if frequency > 0.0 { Ok(()) } else { Err(LimitError::Frequency) }
}
