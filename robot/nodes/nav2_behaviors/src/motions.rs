//! The behaviors that turn and drive.

use std::time::Duration;

use saltus::{
    msgs::{
        builtin_interfaces::msg::Duration as DurationMessage,
        geometry_msgs::msg::Point,
        nav2_msgs::action::{
            BackUp, BackUp_Feedback, BackUp_Goal, BackUp_Result, DriveOnHeading, DriveOnHeading_Feedback,
            DriveOnHeading_Goal, DriveOnHeading_Result, Spin, Spin_Feedback, Spin_Goal, Spin_Result,
        },
    },
    param::ParameterError,
};
use saltus_motion::behavior::{Drive, Lookahead, Spin as Turn, SpinSettings, Step};
use saltus_nav_server::from_duration;
use saltus_server::range;

use crate::{
    robot::Robot,
    timed::{Failure, Next, TimedBehavior},
};

/// Turns on the spot.
pub(crate) struct Spinning {
    turn: Turn,
    allowance: Duration,
}

fn lookahead(robot: &Robot) -> Result<Lookahead, ParameterError> {
    let ahead = robot.parameters().seconds("simulate_ahead_time", 2.0)?;
    Ok(Lookahead { cycle: robot.cycle(), ahead })
}

fn spin_settings(robot: &Robot) -> Result<SpinSettings, ParameterError> {
    let number = |name: &str, default, range| robot.parameters().number(name, default, range);
    Ok(SpinSettings {
        lookahead: lookahead(robot)?,
        max_velocity: number("max_rotational_vel", 1.0, range::SPEED)?,
        min_velocity: number("min_rotational_vel", 0.4, range::SPEED)?,
        acceleration: number("rotational_acc_lim", 3.2, range::POSITIVE)?,
    })
}

impl TimedBehavior for Spinning {
    type Action = Spin;

    fn declare(robot: &Robot) -> Result<(), ParameterError> {
        spin_settings(robot).map(drop)
    }

    fn begin(goal: Spin_Goal, robot: &Robot) -> Result<Self, Failure> {
        let settings =
            spin_settings(robot).map_err(|error| Failure::new(Spin_Result::UNKNOWN, error.to_string()))?;
        let pose = robot.pose();
        let pose =
            pose.ok_or_else(|| Failure::new(Spin_Result::TF_ERROR, "Current robot pose is not available."))?;
        let angle = f64::from(goal.target_yaw);
        if !angle.is_finite() {
            return Err(Failure::new(Spin_Result::UNKNOWN, "the angle to spin is not finite"));
        }
        saltus::info!(robot.logger(), "Turning {angle:.2} for spin behavior.");
        Ok(Self { turn: Turn::new(settings, angle, &pose), allowance: from_duration(&goal.time_allowance) })
    }

    fn allowance(&self) -> (Duration, Failure) {
        let text = "Exceeded time allowance before reaching the Spin goal - Exiting Spin";
        (self.allowance, Failure::new(Spin_Result::TIMEOUT, text))
    }

    fn next(&mut self, robot: &Robot, _elapsed: Duration) -> Result<Next, Failure> {
        let pose = robot.pose();
        let pose =
            pose.ok_or_else(|| Failure::new(Spin_Result::TF_ERROR, "Current robot pose is not available."))?;
        let blocked = || Failure::new(Spin_Result::COLLISION_AHEAD, "Collision Ahead - Exiting Spin");
        step(self.turn.step(&pose, |pose| robot.is_free(pose))).ok_or_else(blocked)
    }

    fn feedback(&self, _elapsed: Duration) -> Spin_Feedback {
        Spin_Feedback { angular_distance_traveled: self.turn.turned() as f32 }
    }

    fn result(total_elapsed_time: DurationMessage, (error_code, error_msg): (u16, String)) -> Spin_Result {
        Spin_Result { total_elapsed_time, error_code, error_msg }
    }
}

/// Returns the next step; `None` if an obstacle is in the way.
fn step(step: Step) -> Option<Next> {
    match step {
        Step::Move(velocity) => Some(Next::Move(velocity)),
        Step::Done => Some(Next::Done),
        Step::Blocked => None,
    }
}

/// Drives straight on.
pub(crate) struct Driving {
    drive: Drive,
    allowance: Duration,
}

/// The codes of a behavior that drives.
struct Codes {
    unknown: u16,
    timeout: u16,
    transform: u16,
    collision: u16,
    input: u16,
}

const DRIVE: Codes = Codes {
    unknown: DriveOnHeading_Result::UNKNOWN,
    timeout: DriveOnHeading_Result::TIMEOUT,
    transform: DriveOnHeading_Result::TF_ERROR,
    collision: DriveOnHeading_Result::COLLISION_AHEAD,
    input: DriveOnHeading_Result::INVALID_INPUT,
};
const BACK: Codes = Codes {
    unknown: BackUp_Result::UNKNOWN,
    timeout: BackUp_Result::TIMEOUT,
    transform: BackUp_Result::TF_ERROR,
    collision: BackUp_Result::COLLISION_AHEAD,
    input: BackUp_Result::INVALID_INPUT,
};

/// Starts to drive a distance with a speed.
fn drive(robot: &Robot, distance: f64, speed: f64, codes: &Codes) -> Result<Drive, Failure> {
    let lookahead = lookahead(robot).map_err(|error| Failure::new(codes.unknown, error.to_string()))?;
    let pose = robot.pose();
    let pose = pose.ok_or_else(|| Failure::new(codes.transform, "Initial robot pose is not available."))?;
    let mismatch = || Failure::new(codes.input, "Speed and command sign did not match");
    Drive::new(lookahead, distance, speed, &pose).ok_or_else(mismatch)
}

fn drive_on(robot: &Robot, drive: &mut Drive, codes: &Codes) -> Result<Next, Failure> {
    let pose = robot.pose();
    let pose = pose.ok_or_else(|| Failure::new(codes.transform, "Current robot pose is not available."))?;
    let blocked = || Failure::new(codes.collision, "Collision Ahead - Exiting DriveOnHeading");
    step(drive.step(&pose, |pose| robot.is_free(pose))).ok_or_else(blocked)
}

fn late(codes: &Codes) -> Failure {
    let text = "Exceeded time allowance before reaching the DriveOnHeading goal - Exiting DriveOnHeading";
    Failure::new(codes.timeout, text)
}

/// Whether a target is straight ahead or behind.
fn is_straight(target: &Point) -> bool {
    target.y == 0.0 && target.z == 0.0
}

impl TimedBehavior for Driving {
    type Action = DriveOnHeading;

    fn declare(robot: &Robot) -> Result<(), ParameterError> {
        lookahead(robot).map(drop)
    }

    fn begin(goal: DriveOnHeading_Goal, robot: &Robot) -> Result<Self, Failure> {
        if !is_straight(&goal.target) {
            let text = "DrivingOnHeading in Y and Z not supported, will only move in X.";
            return Err(Failure::new(DRIVE.input, text));
        }
        let drive = drive(robot, goal.target.x, f64::from(goal.speed), &DRIVE)?;
        Ok(Self { drive, allowance: from_duration(&goal.time_allowance) })
    }

    fn allowance(&self) -> (Duration, Failure) {
        (self.allowance, late(&DRIVE))
    }

    fn next(&mut self, robot: &Robot, _elapsed: Duration) -> Result<Next, Failure> {
        drive_on(robot, &mut self.drive, &DRIVE)
    }

    fn feedback(&self, _elapsed: Duration) -> DriveOnHeading_Feedback {
        DriveOnHeading_Feedback { distance_traveled: self.drive.driven() as f32 }
    }

    fn result(
        total_elapsed_time: DurationMessage,
        (error_code, error_msg): (u16, String),
    ) -> DriveOnHeading_Result {
        DriveOnHeading_Result { total_elapsed_time, error_code, error_msg }
    }
}

/// Drives straight back.
pub(crate) struct Backing {
    drive: Drive,
    allowance: Duration,
}

impl TimedBehavior for Backing {
    type Action = BackUp;

    fn declare(robot: &Robot) -> Result<(), ParameterError> {
        lookahead(robot).map(drop)
    }

    fn begin(goal: BackUp_Goal, robot: &Robot) -> Result<Self, Failure> {
        if !is_straight(&goal.target) {
            let text = "Backing up in Y and Z not supported, will only move in X.";
            return Err(Failure::new(BACK.input, text));
        }
        let drive = drive(robot, -goal.target.x.abs(), -f64::from(goal.speed).abs(), &BACK)?;
        Ok(Self { drive, allowance: from_duration(&goal.time_allowance) })
    }

    fn allowance(&self) -> (Duration, Failure) {
        (self.allowance, late(&BACK))
    }

    fn next(&mut self, robot: &Robot, _elapsed: Duration) -> Result<Next, Failure> {
        drive_on(robot, &mut self.drive, &BACK)
    }

    fn feedback(&self, _elapsed: Duration) -> BackUp_Feedback {
        BackUp_Feedback { distance_traveled: self.drive.driven() as f32 }
    }

    fn result(total_elapsed_time: DurationMessage, (error_code, error_msg): (u16, String)) -> BackUp_Result {
        BackUp_Result { total_elapsed_time, error_code, error_msg }
    }
}
