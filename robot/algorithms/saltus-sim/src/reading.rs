//! What sensors measure.

use crate::pose::{Pose, Velocity};

/// Something that a simulation tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The time, in nanoseconds since the start.
    pub time: i64,
    /// The number of the robot; 0 for the clock.
    pub robot: usize,
    /// The place of the sensor in the list of its model; 0 for what is not from a sensor.
    pub sensor: usize,
    /// What it is.
    pub reading: Reading,
}

/// What a simulation tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The time.
    Clock,
    /// Where a robot is, as its odometry says.
    Odometry(OdometryReading),
    /// The joints of a robot.
    Joints(JointReading),
    /// The distances of a lidar.
    Scan(Scan),
    /// Accelerations and angular velocities.
    Imu(ImuReading),
    /// Whether a robot touches something.
    Bumper(bool),
    /// The position in the world.
    Position(Pose),
    /// The image of a depth camera.
    Depth(DepthImage),
}

/// Where a robot is, as its odometry says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdometryReading {
    /// The pose of the robot in the frame of the odometry.
    pub pose: Pose,
    /// Its velocity in its own frame.
    pub velocity: Velocity,
}

/// The joints of a robot, in the order of [`Drive::joints`](crate::Drive::joints).
#[derive(Clone, Debug, PartialEq)]
pub struct JointReading {
    /// The angles.
    pub positions: Vec<f64>,
    /// The angular velocities.
    pub velocities: Vec<f64>,
}

/// The distances of a lidar.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// A distance for each ray: infinite if nothing is within the range, and negative infinity if something is too near.
    pub ranges: Vec<f64>,
}

/// What an inertial measurement unit tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuReading {
    /// The heading.
    pub yaw: f64,
    /// The angular velocities about x, y and z.
    pub turn: [f64; 3],
    /// The accelerations along x, y and z; the one along z has that of gravity.
    pub acceleration: [f64; 3],
}

/// The image of a depth camera.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthImage {
    /// The distances along the axis of the camera, row by row from the top; infinite if nothing is within the range.
    pub depths: Vec<f32>,
}
