//! The values of the parameters.

use std::time::Duration;

use saltus::{component::ComponentError, param::ParameterError};
use saltus_amcl::{
    AmclSettings, BeamSkip, FilterSettings, MotionModel, MotionNoise, SensorModel, SensorSettings,
};
use saltus_motion::Pose;
use saltus_server::{Parameters, range};

/// The values of the parameters.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) amcl: AmclSettings,
    pub(crate) base_frame: String,
    pub(crate) odom_frame: String,
    pub(crate) global_frame: String,
    pub(crate) scan_topic: String,
    pub(crate) map_topic: String,
    /// The range that is used. It may be smaller than that of the scan.
    pub(crate) laser_range: [f64; 2],
    /// The distance from an obstacle up to which the field has distances, in metres.
    pub(crate) likelihood_distance: f64,
    /// The time for which a transform is valid after the stamp of its scan.
    pub(crate) tolerance: Duration,
    pub(crate) broadcasts: bool,
    pub(crate) first_map_only: bool,
    /// The initial pose of the robot at the activation, if there is one.
    pub(crate) initial_pose: Option<Pose>,
    /// Whether the last pose is forgotten when the node is configured.
    pub(crate) forgets: bool,
}

/// The largest number of particles. More would need too much time.
const MOST: i64 = 1_000_000;

impl Settings {
    /// Returns the values of the parameters. Declares those that were not declared before.
    ///
    /// # Errors
    ///
    /// Returns the problem of a value.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, ComponentError> {
        let flag = |name: &str, default: bool| parameters.get(name, default);
        let finite = |name: &str, default| parameters.number(name, default, range::FINITE);
        let frame = |name: &str, default: &str| -> Result<String, ParameterError> {
            let text = parameters.text(name, default)?;
            Ok(text.strip_prefix('/').map_or(text.clone(), Into::into))
        };
        let yaw = finite("initial_pose.yaw", 0.0)?;
        // The height does not count, but robots have it in their files.
        finite("initial_pose.z", 0.0)?;
        let initial = Pose::new(finite("initial_pose.x", 0.0)?, finite("initial_pose.y", 0.0)?, yaw);
        Ok(Self {
            amcl: amcl(parameters)?,
            base_frame: frame("base_frame_id", "base_footprint")?,
            odom_frame: frame("odom_frame_id", "odom")?,
            global_frame: frame("global_frame_id", "map")?,
            scan_topic: parameters.text("scan_topic", "scan")?,
            map_topic: parameters.text("map_topic", "map")?,
            laser_range: [finite("laser_min_range", -1.0)?, finite("laser_max_range", 100.0)?],
            likelihood_distance: parameters.number(
                "laser_likelihood_max_dist",
                2.0,
                0.0..=saltus_amcl::DISTANCE_LIMIT,
            )?,
            tolerance: parameters.seconds("transform_tolerance", 1.0)?,
            broadcasts: flag("tf_broadcast", true)?,
            first_map_only: flag("first_map_only", false)?,
            initial_pose: flag("set_initial_pose", false)?.then_some(initial),
            forgets: flag("always_reset_initial_pose", false)?,
        })
    }
}

fn amcl(parameters: &Parameters) -> Result<AmclSettings, ComponentError> {
    let not_negative = |name: &str, default| parameters.number(name, default, range::NOT_NEGATIVE);
    Ok(AmclSettings {
        model: motion_model(&parameters.text("robot_model_type", "nav2_amcl::DifferentialMotionModel")?)?,
        noise: MotionNoise {
            alpha1: not_negative("alpha1", 0.2)?,
            alpha2: not_negative("alpha2", 0.2)?,
            alpha3: not_negative("alpha3", 0.2)?,
            alpha4: not_negative("alpha4", 0.2)?,
            alpha5: not_negative("alpha5", 0.2)?,
        },
        sensor: sensor(parameters)?,
        filter: filter(parameters)?,
        update_min_d: parameters.number("update_min_d", 0.25, range::FINITE)?,
        update_min_a: parameters.number("update_min_a", 0.2, range::FINITE)?,
        resample_interval: parameters.count("resample_interval", 1, 1..=u32::MAX)?,
    })
}

fn sensor(parameters: &Parameters) -> Result<SensorSettings, ComponentError> {
    let not_negative = |name: &str, default| parameters.number(name, default, range::NOT_NEGATIVE);
    let skip = BeamSkip {
        distance: not_negative("beam_skip_distance", 0.5)?,
        threshold: not_negative("beam_skip_threshold", 0.3)?,
        error_threshold: not_negative("beam_skip_error_threshold", 0.9)?,
    };
    Ok(SensorSettings {
        model: sensor_model(&parameters.text("laser_model_type", "likelihood_field")?)?,
        max_beams: parameters.count("max_beams", 60, 2..=u32::MAX)?,
        z_hit: not_negative("z_hit", 0.5)?,
        z_short: not_negative("z_short", 0.05)?,
        z_max: not_negative("z_max", 0.05)?,
        z_rand: not_negative("z_rand", 0.5)?,
        sigma_hit: parameters.number("sigma_hit", 0.2, range::POSITIVE)?,
        lambda_short: not_negative("lambda_short", 0.1)?,
        skip: parameters.get("do_beamskip", false)?.then_some(skip),
    })
}

fn filter(parameters: &Parameters) -> Result<FilterSettings, ComponentError> {
    let min = parameters.whole("min_particles", 500, 1..=MOST)?;
    let max = parameters.whole("max_particles", 2000, 1..=MOST)?;
    if min > max {
        return Err(format!("min_particles is {min}, but max_particles is {max}").into());
    }
    Ok(FilterSettings {
        min_particles: min as usize,
        max_particles: max as usize,
        pf_err: parameters.number("pf_err", 0.05, range::POSITIVE)?,
        pf_z: parameters.number("pf_z", 0.99, range::NOT_NEGATIVE)?,
        recovery_alpha_slow: parameters.number("recovery_alpha_slow", 0.0, range::SHARE)?,
        recovery_alpha_fast: parameters.number("recovery_alpha_fast", 0.0, range::SHARE)?,
    })
}

fn sensor_model(name: &str) -> Result<SensorModel, String> {
    match name {
        "beam" => Ok(SensorModel::Beam),
        "likelihood_field" => Ok(SensorModel::LikelihoodField),
        "likelihood_field_prob" => Ok(SensorModel::LikelihoodFieldProb),
        _ => Err(format!(
            "laser_model_type `{name}` is unknown; there are beam, likelihood_field and likelihood_field_prob"
        )),
    }
}

/// Returns the motion model of a name of Nav2, or of the shorter names that AMCL had before.
fn motion_model(name: &str) -> Result<MotionModel, String> {
    match name {
        "nav2_amcl::DifferentialMotionModel" | "differential" => Ok(MotionModel::Differential),
        "nav2_amcl::OmniMotionModel" | "omnidirectional" => Ok(MotionModel::Omni),
        _ => Err(format!(
            "robot_model_type `{name}` is unknown; there are nav2_amcl::DifferentialMotionModel and \
             nav2_amcl::OmniMotionModel"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_the_names_of_nav2_and_the_short_ones() {
        assert_eq!(motion_model("omnidirectional"), Ok(MotionModel::Omni));
        assert_eq!(motion_model("nav2_amcl::OmniMotionModel"), Ok(MotionModel::Omni));
        assert_eq!(motion_model("differential"), Ok(MotionModel::Differential));
        assert!(motion_model("car").unwrap_err().contains("there are nav2_amcl::DifferentialMotionModel"));
        assert_eq!(sensor_model("beam"), Ok(SensorModel::Beam));
        assert!(sensor_model("likelihood").unwrap_err().contains("there are beam, likelihood_field"));
    }
}
