//! Short motions without a path: to turn, to back up, to drive on the heading, and to be driven by hand.
//!
//! A behavior is asked for a velocity in each cycle. `is_free` tells it whether the robot may be at a pose.

use std::time::Duration;

use crate::pose::{Pose, Velocity, wrapped};

/// What a behavior does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The robot moves on with this velocity.
    Move(Velocity),
    /// It is done.
    Done,
    /// Something is in the way.
    Blocked,
}

/// How often a behavior is asked, and how far it looks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookahead {
    /// The time between two cycles.
    pub cycle: Duration,
    /// How long the way ahead must be free.
    pub ahead: Duration,
}

impl Default for Lookahead {
    fn default() -> Self {
        Self { cycle: Duration::from_millis(100), ahead: Duration::from_secs(2) }
    }
}

/// How many cycles are looked ahead at most.
const MOST: f64 = 1000.0;

impl Lookahead {
    /// Returns the time of a cycle in seconds, and how many are looked ahead, at least one.
    fn steps(&self) -> (f64, u32) {
        let cycle = self.cycle.as_secs_f64().max(1e-3);
        (cycle, (self.ahead.as_secs_f64() / cycle).clamp(1.0, MOST) as u32)
    }

    /// Whether the robot may go on with a velocity for the time ahead, but not farther than `left`: in metres, or in radians if it
    /// turns.
    fn is_free(
        &self,
        from: &Pose,
        velocity: Velocity,
        left: f64,
        mut is_free: impl FnMut(&Pose) -> bool,
    ) -> bool {
        let (cycle, steps) = self.steps();
        (1..=steps).all(|step| {
            let time = f64::from(step) * cycle;
            let (way, turn) = (velocity.x * time, velocity.theta * time);
            let is_beyond = way.abs() + turn.abs() > left + cycle * (velocity.x.abs() + velocity.theta.abs());
            is_beyond || is_free(&from.then(&Pose::new(way, 0.0, turn)))
        })
    }
}

/// Turns on the spot.
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
    target: f64,
    turned: f64,
    last: f64,
}

/// How a robot turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinSettings {
    /// How far it looks ahead.
    pub lookahead: Lookahead,
    /// The highest velocity, in rad/s.
    pub max_velocity: f64,
    /// The lowest velocity, in rad/s.
    pub min_velocity: f64,
    /// How fast it can slow down, in rad/s².
    pub acceleration: f64,
}

impl Default for SpinSettings {
    fn default() -> Self {
        Self { lookahead: Lookahead::default(), max_velocity: 1.0, min_velocity: 0.4, acceleration: 3.2 }
    }
}

impl Spin {
    /// Starts to turn by an angle, counterclockwise if it is positive.
    pub fn new(settings: SpinSettings, angle: f64, robot: &Pose) -> Self {
        Self { settings, target: angle, turned: 0.0, last: robot.yaw }
    }

    /// Returns how far it has turned.
    pub fn turned(&self) -> f64 {
        self.turned
    }

    /// Returns the next velocity.
    pub fn step(&mut self, robot: &Pose, is_free: impl FnMut(&Pose) -> bool) -> Step {
        self.turned += wrapped(robot.yaw - self.last);
        self.last = robot.yaw;
        let left = self.target.abs() - self.turned * self.target.signum();
        if left < 1e-6 {
            return Step::Done;
        }
        let speed = (2.0 * self.settings.acceleration * left).sqrt();
        let speed = speed.min(self.settings.max_velocity).max(self.settings.min_velocity);
        let velocity = Velocity::new(0.0, 0.0, speed.copysign(self.target));
        match self.settings.lookahead.is_free(robot, velocity, left, is_free) {
            true => Step::Move(velocity),
            false => Step::Blocked,
        }
    }
}

/// Drives straight on, or back.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    lookahead: Lookahead,
    distance: f64,
    speed: f64,
    start: Pose,
    driven: f64,
}

impl Drive {
    /// Starts to drive a distance in metres with a speed in m/s. Both are negative to drive back. `None` if their signs differ, if
    /// the speed is 0, or if a number is not finite.
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

    /// Returns how far it has driven.
    pub fn driven(&self) -> f64 {
        self.driven
    }

    /// Returns the next velocity.
    pub fn step(&mut self, robot: &Pose, is_free: impl FnMut(&Pose) -> bool) -> Step {
        self.driven = robot.distance(&self.start);
        let left = self.distance - self.driven;
        if left <= 0.0 {
            return Step::Done;
        }
        let velocity = Velocity::new(self.speed, 0.0, 0.0);
        match self.lookahead.is_free(robot, velocity, left, is_free) {
            true => Step::Move(velocity),
            false => Step::Blocked,
        }
    }
}

/// Returns the velocity with which a robot may follow a command of a person: slower if there is an obstacle within `ahead`, and 0 if
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
