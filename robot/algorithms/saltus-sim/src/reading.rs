//! The outputs of a simulation.

use crate::pose::{Pose, Velocity};

/// An output of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The time, in nanoseconds since the start.
    pub time: i64,
    /// The index of the robot; 0 for the clock.
    pub robot: usize,
    /// The index of the sensor in the list of its model; 0 for a reading that is not from a sensor.
    pub sensor: usize,
    /// The reading.
    pub reading: Reading,
}

/// A reading of the clock, a robot or a sensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The time of the simulation.
    Clock,
    /// The odometry of a robot.
    Odometry(OdometryReading),
    /// The states of the joints of a robot.
    Joints(JointReading),
    /// The scan of a lidar.
    Scan(Scan),
    /// The accelerations and angular velocities of an inertial measurement unit.
    Imu(ImuReading),
    /// Whether a robot touches an object.
    Bumper(bool),
    /// The pose in the world.
    Position(Pose),
    /// The image of a depth camera.
    Depth(DepthImage),
}

/// The odometry of a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdometryReading {
    /// The pose of the robot in the frame of the odometry.
    pub pose: Pose,
    /// The velocity of the robot in its own frame.
    pub velocity: Velocity,
}

/// The states of the joints of a robot, in the order of [`Drive::joints`](crate::Drive::joints).
#[derive(Clone, Debug, PartialEq)]
pub struct JointReading {
    /// The angles, in radians.
    pub positions: Vec<f64>,
    /// The angular velocities, in rad/s.
    pub velocities: Vec<f64>,
}

/// The scan of a lidar.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The distance for each ray, in metres: infinity if nothing is within the range, and negative infinity if an object is too near
    /// (REP 117).
    pub ranges: Vec<f64>,
}

/// The reading of an inertial measurement unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuReading {
    /// The heading in the world, in radians.
    pub yaw: f64,
    /// The angular velocities about x, y and z, in rad/s.
    pub turn: [f64; 3],
    /// The accelerations along x, y and z, in m/s². The one along z includes gravity.
    pub acceleration: [f64; 3],
}

/// The image of a depth camera.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthImage {
    /// The depths along the axis of the camera in metres, row by row from the top; infinity if nothing is within the range.
    pub depths: Vec<f32>,
}
