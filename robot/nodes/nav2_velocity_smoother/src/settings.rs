//! The values of the parameters.

use std::time::Duration;

use saltus::component::ComponentError;
use saltus_motion::{Feedback, VelocityLimits};
use saltus_server::{Parameters, range};

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

impl Settings {
    /// Returns the values of the parameters. Declares those that were not declared before.
    ///
    /// # Errors
    ///
    /// Returns the problem of a value.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, ComponentError> {
        let [max_velocity, min_velocity, max_acceleration, max_deceleration, deadband] = arrays(parameters)?;
        let limits =
            VelocityLimits { max_velocity, min_velocity, max_acceleration, max_deceleration, deadband };
        limits.check()?;
        Ok(Self {
            limits,
            scales: parameters.get("scale_velocities", false)?,
            frequency: parameters.number("smoothing_frequency", 20.0, range::RATE)?,
            timeout: parameters.seconds("velocity_timeout", 1.0)?,
            feedback: feedback(&parameters.text("feedback", "OPEN_LOOP")?)?,
            odom_topic: parameters.text("odom_topic", "odom")?,
            odom_duration: parameters.seconds("odom_duration", 0.1)?,
            is_stamped: parameters.get("enable_stamped_cmd_vel", false)?,
        })
    }

    /// Returns the time between two velocities.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.frequency)
    }
}

const WRONG_SIZE: &str = "Invalid setting of kinematic and/or deadband limits! All limits must be size of 3 representing (x, y, theta).";

/// Returns the limits in the order of [`ARRAYS`].
fn arrays(parameters: &Parameters) -> Result<[[f64; 3]; 5], ComponentError> {
    let mut arrays = ARRAYS.map(|(_, default)| default);
    for (array, (name, default)) in arrays.iter_mut().zip(ARRAYS) {
        let values: Vec<f64> = parameters.get(name, default.to_vec())?;
        *array = values.try_into().map_err(|_| WRONG_SIZE)?;
        if array.iter().any(|value| !value.is_finite()) {
            return Err(format!("a number of `{name}` is not finite").into());
        }
    }
    Ok(arrays)
}

fn feedback(text: &str) -> Result<Feedback, &'static str> {
    match text {
        "OPEN_LOOP" => Ok(Feedback::OpenLoop),
        "CLOSED_LOOP" => Ok(Feedback::ClosedLoop),
        _ => Err("Invalid feedback_type, options are OPEN_LOOP and CLOSED_LOOP."),
    }
}
