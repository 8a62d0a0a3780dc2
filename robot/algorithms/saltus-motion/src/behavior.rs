//! Short motions without a path: spin, back up, drive on heading, and assisted teleoperation.
//!
//! A behavior returns a velocity in each cycle. Its argument `is_free` returns whether the robot touches nothing at a pose.
//!
//! Source: `nav2_behaviors`, whose rules and settings these are.

use std::time::Duration;

use crate::pose::{Pose, Velocity, wrapped};

/// The result of a cycle of a behavior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The robot moves with this velocity.
    Move(Velocity),
    /// The behavior is complete.
    Done,
    /// An obstacle blocks the way.
    Blocked,
}

/// The time of a cycle, and the time for which the way ahead is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookahead {
    /// The time between two cycles.
    pub cycle: Duration,
    /// The time for which the way ahead must be free.
    pub ahead: Duration,
}

impl Default for Lookahead {
    fn default() -> Self {
        Self { cycle: Duration::from_millis(100), ahead: Duration::from_secs(2) }
    }
}

/// The maximum number of cycles that are checked.
const MAX_CYCLES: f64 = 1000.0;

impl Lookahead {
    /// Returns the time of a cycle in seconds, and the number of cycles to check, which is at least one.
    fn steps(&self) -> (f64, u32) {
        let cycle = self.cycle.as_secs_f64().max(1e-3);
        (cycle, (self.ahead.as_secs_f64() / cycle).clamp(1.0, MAX_CYCLES) as u32)
    }

    /// Whether the way ahead is free for a robot with a velocity. Poses beyond the remaining motion do not count. `remaining` is in metres
    /// or, for a turn, in radians.
    fn is_free(
        &self,
        from: &Pose,
        velocity: Velocity,
        remaining: f64,
        mut is_free: impl FnMut(&Pose) -> bool,
    ) -> bool {
        let (cycle, steps) = self.steps();
        (1..=steps).all(|step| {
            let time = f64::from(step) * cycle;
            let (distance, turn) = (velocity.x * time, velocity.theta * time);
            let step_length = cycle * (velocity.x.abs() + velocity.theta.abs());
            let is_beyond = distance.abs() + turn.abs() > remaining + step_length;
            is_beyond || is_free(&from.then(&Pose::new(distance, 0.0, turn)))
        })
    }
}

/// A turn on the spot.
///
/// ```
/// use saltus_motion::{Pose, behavior::{Spin, SpinSettings, Step}};
/// let mut spin = Spin::new(SpinSettings::default(), 1.57, &Pose::default());
/// let Step::Move(velocity) = spin.step(&Pose::default(), |_| true) else { panic!() };
/// assert_eq!(velocity.theta, 1.0);
/// assert_eq!(spin.step(&Pose::new(0.0, 0.0, 1.57), |_| true), Step::Done);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spin {
    settings: SpinSettings,
    /// The angle to turn, in radians.
    target: f64,
    turned: f64,
    /// The heading in the last cycle.
    last_yaw: f64,
}

/// The settings of a turn on the spot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinSettings {
    /// The check of the way ahead.
    pub lookahead: Lookahead,
    /// The highest velocity, in rad/s.
    pub max_velocity: f64,
    /// The lowest velocity, in rad/s.
    pub min_velocity: f64,
    /// The highest angular deceleration, in rad/s².
    pub acceleration: f64,
}

impl Default for SpinSettings {
    fn default() -> Self {
        Self { lookahead: Lookahead::default(), max_velocity: 1.0, min_velocity: 0.4, acceleration: 3.2 }
    }
}

impl Spin {
    /// Starts a turn by an angle in radians, counterclockwise if it is positive.
    pub fn new(settings: SpinSettings, angle: f64, robot: &Pose) -> Self {
        Self { settings, target: angle, turned: 0.0, last_yaw: robot.yaw }
    }

    /// Returns the angle that the robot has turned, in radians.
    pub fn turned(&self) -> f64 {
        self.turned
    }

    /// Returns the next velocity.
    pub fn step(&mut self, robot: &Pose, is_free: impl FnMut(&Pose) -> bool) -> Step {
        self.turned += wrapped(robot.yaw - self.last_yaw);
        self.last_yaw = robot.yaw;
        let remaining = self.target.abs() - self.turned * self.target.signum();
        if remaining < 1e-6 {
            return Step::Done;
        }
        let speed = (2.0 * self.settings.acceleration * remaining).sqrt();
        let speed = speed.min(self.settings.max_velocity).max(self.settings.min_velocity);
        let velocity = Velocity::new(0.0, 0.0, speed.copysign(self.target));
        match self.settings.lookahead.is_free(robot, velocity, remaining, is_free) {
            true => Step::Move(velocity),
            false => Step::Blocked,
        }
    }
}

/// A straight motion, forward or backward.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    lookahead: Lookahead,
    distance: f64,
    speed: f64,
    start: Pose,
    driven: f64,
}

impl Drive {
    /// Starts a motion over a distance in metres with a speed in m/s. Both are negative for a backward motion. Returns `None` if their
    /// signs differ, if the speed is 0, or if a number is not finite.
    ///
    /// ```
    /// use saltus_motion::{Pose, Velocity, behavior::{Drive, Lookahead, Step}};
    /// let mut back = Drive::new(Lookahead::default(), -0.3, -0.05, &Pose::default()).unwrap();
    /// assert_eq!(back.step(&Pose::default(), |_| true), Step::Move(Velocity::new(-0.05, 0.0, 0.0)));
    /// assert_eq!(back.step(&Pose::default(), |pose| pose.x > -0.1), Step::Blocked);
    /// assert_eq!(back.step(&Pose::new(-0.3, 0.0, 0.0), |_| true), Step::Done);
    /// ```
    pub fn new(lookahead: Lookahead, distance: f64, speed: f64, robot: &Pose) -> Option<Self> {
        let is_finite = speed.is_finite() && distance.is_finite() && robot.is_finite();
        let is_possible = is_finite && speed != 0.0 && (distance > 0.0) == (speed > 0.0);
        is_possible.then_some(Self { lookahead, distance: distance.abs(), speed, start: *robot, driven: 0.0 })
    }

    /// Returns the distance that the robot has driven, in metres.
    pub fn driven(&self) -> f64 {
        self.driven
    }

    /// Returns the next velocity.
    pub fn step(&mut self, robot: &Pose, is_free: impl FnMut(&Pose) -> bool) -> Step {
        self.driven = robot.distance(&self.start);
        let remaining = self.distance - self.driven;
        if remaining <= 0.0 {
            return Step::Done;
        }
        let velocity = Velocity::new(self.speed, 0.0, 0.0);
        match self.lookahead.is_free(robot, velocity, remaining, is_free) {
            true => Step::Move(velocity),
            false => Step::Blocked,
        }
    }
}

/// Returns the velocity for a command of a person (assisted teleoperation): slower if there is an obstacle within the lookahead, and 0 if
/// there is one within the first cycle.
///
/// ```
/// use std::time::Duration;
/// use saltus_motion::{Pose, Velocity, behavior::{Lookahead, assisted}};
/// let lookahead = Lookahead { cycle: Duration::from_millis(100), ahead: Duration::from_secs(1) };
/// let command = Velocity::new(1.0, 0.0, 0.0);
/// let slower = assisted(lookahead, &Pose::default(), command, |pose| pose.x < 0.45);
/// assert!((slower.x - 0.5).abs() < 1e-9);
/// assert_eq!(assisted(lookahead, &Pose::default(), command, |_| false), Velocity::default());
/// ```
pub fn assisted(
    lookahead: Lookahead,
    robot: &Pose,
    command: Velocity,
    mut is_free: impl FnMut(&Pose) -> bool,
) -> Velocity {
    let (cycle, steps) = lookahead.steps();
    let ahead = cycle * f64::from(steps);
    let mut pose = *robot;
    for step in 1..=steps {
        pose = pose.then(&Pose::new(command.x * cycle, command.y * cycle, command.theta * cycle));
        if !is_free(&pose) {
            let share = if step == 1 { 0.0 } else { f64::from(step) * cycle / ahead };
            return Velocity::new(command.x * share, command.y * share, command.theta * share);
        }
    }
    command
}
