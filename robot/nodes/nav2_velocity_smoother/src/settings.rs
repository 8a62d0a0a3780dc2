//! The values of the parameters.

use std::time::Duration;

use saltus::{
    Node,
    param::{Parameter, ParameterError, ParameterValue},
};
use saltus_motion::{Feedback, VelocityLimits};

/// The values of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) limits: VelocityLimits,
    /// Whether all parts of a velocity change in the same proportion.
    pub(crate) scales: bool,
    /// The rate at which velocities are published, in Hz.
    pub(crate) frequency: f64,
    /// The time without a command after which the robot stops.
    pub(crate) timeout: Duration,
    pub(crate) feedback: Feedback,
    pub(crate) odom_topic: String,
    /// The time over which the odometry is averaged.
    pub(crate) odom_duration: Duration,
    /// Whether velocities have a stamp and a frame.
    pub(crate) is_stamped: bool,
}

const ARRAYS: [(&str, [f64; 3]); 5] = [
    ("max_velocity", [0.5, 0.0, 2.5]),
    ("min_velocity", [-0.5, 0.0, -2.5]),
    ("max_accel", [2.5, 0.0, 3.2]),
    ("max_decel", [-2.5, 0.0, -3.2]),
    ("deadband_velocity", [0.0; 3]),
];

/// The longest time of a parameter, in seconds.
const LONGEST: f64 = 86_400.0;

/// Declares the parameters.
pub(crate) fn declare(node: &Node) -> Result<(), ParameterError> {
    for (name, default) in ARRAYS {
        node.declare_parameter(name, default.to_vec())?;
    }
    node.parameter("smoothing_frequency").floating_point_range(0.1, 1000.0, 0.0).declare(20.0)?;
    node.declare_parameter("feedback", "OPEN_LOOP".to_owned())?;
    node.declare_parameter("scale_velocities", false)?;
    node.declare_parameter("odom_topic", "odom".to_owned())?;
    node.parameter("odom_duration").floating_point_range(0.0, LONGEST, 0.0).declare(0.1)?;
    node.parameter("velocity_timeout").floating_point_range(0.0, LONGEST, 0.0).declare(1.0)?;
    node.declare_parameter("enable_stamped_cmd_vel", false)?;
    Ok(())
}

impl Settings {
    /// Returns the values of the parameters, or the problem of a value.
    pub(crate) fn read(node: &Node) -> Result<Self, String> {
        let array = |name: &str| -> Result<[f64; 3], String> {
            let values: Vec<f64> = node.get_parameter(name).map_err(|error| error.to_string())?;
            values.try_into().map_err(|_| WRONG_SIZE.to_owned())
        };
        let text = |name: &str| node.get_parameter::<String>(name).map_err(|error| error.to_string());
        let number = |name: &str| node.get_parameter::<f64>(name).map_err(|error| error.to_string());
        let flag = |name: &str| node.get_parameter::<bool>(name).map_err(|error| error.to_string());
        let limits = VelocityLimits {
            max_velocity: array("max_velocity")?,
            min_velocity: array("min_velocity")?,
            max_acceleration: array("max_accel")?,
            max_deceleration: array("max_decel")?,
            deadband: array("deadband_velocity")?,
        };
        limits.check().map_err(|error| error.to_string())?;
        Ok(Self {
            limits,
            scales: flag("scale_velocities")?,
            frequency: number("smoothing_frequency")?,
            timeout: Duration::from_secs_f64(number("velocity_timeout")?),
            feedback: feedback(&text("feedback")?)?,
            odom_topic: text("odom_topic")?,
            odom_duration: Duration::from_secs_f64(number("odom_duration")?),
            is_stamped: flag("enable_stamped_cmd_vel")?,
        })
    }

    /// Returns the time between two velocities.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.frequency)
    }
}

const WRONG_SIZE: &str = "Invalid setting of kinematic and/or deadband limits! All limits must be size of 3 representing (x, y, theta).";

fn feedback(text: &str) -> Result<Feedback, String> {
    match text {
        "OPEN_LOOP" => Ok(Feedback::OpenLoop),
        "CLOSED_LOOP" => Ok(Feedback::ClosedLoop),
        _ => Err("Invalid feedback_type, options are OPEN_LOOP and CLOSED_LOOP.".into()),
    }
}

/// Refuses values that can't be used, while the node runs.
pub(crate) fn check(changed: &[Parameter]) -> Result<(), String> {
    for Parameter { name, value } in changed {
        match (&**name, value) {
            ("feedback", ParameterValue::String(text)) => drop(feedback(text)?),
            (name, ParameterValue::DoubleArray(values)) if ARRAYS.iter().any(|(array, _)| *array == name) => {
                if values.len() != 3 {
                    return Err(WRONG_SIZE.into());
                }
                let is_wrong = |value: &f64| match name {
                    "max_velocity" | "max_accel" => *value < 0.0,
                    "min_velocity" | "max_decel" => *value > 0.0,
                    _ => false,
                };
                if values.iter().any(|value| is_wrong(value) || value.is_nan()) {
                    return Err(format!("a value of `{name}` has the wrong sign"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}
