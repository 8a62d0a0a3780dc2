//! The values of the parameters.

use std::time::Duration;

use saltus::{Node, param::ParameterError};
use saltus_amcl::{
    AmclSettings, BeamSkip, FilterSettings, MotionModel, MotionNoise, SensorModel, SensorSettings,
};
use saltus_motion::Pose;

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

const NUMBERS: [(&str, f64); 24] = [
    ("alpha1", 0.2),
    ("alpha2", 0.2),
    ("alpha3", 0.2),
    ("alpha4", 0.2),
    ("alpha5", 0.2),
    ("beam_skip_distance", 0.5),
    ("beam_skip_error_threshold", 0.9),
    ("beam_skip_threshold", 0.3),
    ("lambda_short", 0.1),
    ("laser_likelihood_max_dist", 2.0),
    ("laser_max_range", 100.0),
    ("laser_min_range", -1.0),
    ("pf_err", 0.05),
    ("pf_z", 0.99),
    ("recovery_alpha_fast", 0.0),
    ("recovery_alpha_slow", 0.0),
    ("sigma_hit", 0.2),
    ("transform_tolerance", 1.0),
    ("update_min_a", 0.2),
    ("update_min_d", 0.25),
    ("z_hit", 0.5),
    ("z_max", 0.05),
    ("z_rand", 0.5),
    ("z_short", 0.05),
];
const POSE: [&str; 4] = ["initial_pose.x", "initial_pose.y", "initial_pose.z", "initial_pose.yaw"];
const WHOLE: [(&str, i64); 4] =
    [("max_beams", 60), ("max_particles", 2000), ("min_particles", 500), ("resample_interval", 1)];
const FLAGS: [(&str, bool); 5] = [
    ("always_reset_initial_pose", false),
    ("do_beamskip", false),
    ("first_map_only", false),
    ("set_initial_pose", false),
    ("tf_broadcast", true),
];
const TEXTS: [(&str, &str); 7] = [
    ("base_frame_id", "base_footprint"),
    ("global_frame_id", "map"),
    ("laser_model_type", "likelihood_field"),
    ("map_topic", "map"),
    ("odom_frame_id", "odom"),
    ("robot_model_type", "nav2_amcl::DifferentialMotionModel"),
    ("scan_topic", "scan"),
];

/// Declares the parameters.
pub(crate) fn declare(node: &Node) -> Result<(), ParameterError> {
    for (name, default) in NUMBERS.into_iter().chain(POSE.map(|name| (name, 0.0))) {
        node.declare_parameter(name, default)?;
    }
    for (name, default) in WHOLE {
        node.declare_parameter(name, default)?;
    }
    for (name, default) in FLAGS {
        node.declare_parameter(name, default)?;
    }
    for (name, default) in TEXTS {
        node.declare_parameter(name, default.to_owned())?;
    }
    Ok(())
}

impl Settings {
    /// Returns the values of the parameters. As in Nav2, values that can't be used are replaced, with a text in `warnings`.
    pub(crate) fn read(node: &Node, warnings: &mut Vec<String>) -> Result<Self, ParameterError> {
        let number = |name: &str| node.get_parameter::<f64>(name);
        let flag = |name: &str| node.get_parameter::<bool>(name);
        let frame = |name: &str| -> Result<String, ParameterError> {
            let text: String = node.get_parameter(name)?;
            Ok(text.strip_prefix('/').map_or(text.clone(), Into::into))
        };
        let mut checked =
            |name: &str, default: f64, is_right: fn(f64) -> bool| -> Result<f64, ParameterError> {
                let value = number(name)?;
                if is_right(value) {
                    return Ok(value);
                }
                warnings.push(format!(
                    "You've set {name} to {value}, this isn't allowed, so it will be set to {default}."
                ));
                Ok(default)
            };
        let not_negative: fn(f64) -> bool = |value| value >= 0.0 && value.is_finite();
        let positive: fn(f64) -> bool = |value| value > 0.0 && value.is_finite();
        let noise = MotionNoise {
            alpha1: checked("alpha1", 0.0, not_negative)?,
            alpha2: checked("alpha2", 0.0, not_negative)?,
            alpha3: checked("alpha3", 0.0, not_negative)?,
            alpha4: checked("alpha4", 0.0, not_negative)?,
            alpha5: checked("alpha5", 0.0, not_negative)?,
        };
        let likelihood_distance = checked("laser_likelihood_max_dist", 2.0, not_negative)?;
        let sensor = SensorSettings {
            model: sensor_model(&node.get_parameter::<String>("laser_model_type")?),
            max_beams: u32::try_from(node.get_parameter::<i64>("max_beams")?).unwrap_or(0),
            z_hit: checked("z_hit", 0.5, not_negative)?,
            z_short: checked("z_short", 0.05, not_negative)?,
            z_max: checked("z_max", 0.05, not_negative)?,
            z_rand: checked("z_rand", 0.5, not_negative)?,
            sigma_hit: checked("sigma_hit", 0.2, positive)?,
            lambda_short: checked("lambda_short", 0.1, not_negative)?,
            skip: flag("do_beamskip")?.then_some(BeamSkip {
                distance: checked("beam_skip_distance", 0.5, not_negative)?,
                threshold: checked("beam_skip_threshold", 0.3, not_negative)?,
                error_threshold: checked("beam_skip_error_threshold", 0.9, not_negative)?,
            }),
        };
        let pf_err = checked("pf_err", 0.05, positive)?;
        let pf_z = checked("pf_z", 0.99, not_negative)?;
        let (slow, fast) = (
            checked("recovery_alpha_slow", 0.0, not_negative)?,
            checked("recovery_alpha_fast", 0.0, not_negative)?,
        );
        let tolerance = checked("transform_tolerance", 1.0, |value| (0.0..=86_400.0).contains(&value))?;
        let (min_particles, max_particles) = particles(node, warnings)?;
        let initial = Pose::new(number(POSE[0])?, number(POSE[1])?, number(POSE[3])?);
        Ok(Self {
            amcl: AmclSettings {
                model: motion_model(&node.get_parameter::<String>("robot_model_type")?),
                noise,
                sensor,
                filter: FilterSettings {
                    min_particles,
                    max_particles,
                    pf_err,
                    pf_z,
                    recovery_alpha_slow: slow,
                    recovery_alpha_fast: fast,
                },
                update_min_d: number("update_min_d")?,
                update_min_a: number("update_min_a")?,
                resample_interval: u32::try_from(node.get_parameter::<i64>("resample_interval")?)
                    .unwrap_or(1),
            },
            base_frame: frame("base_frame_id")?,
            odom_frame: frame("odom_frame_id")?,
            global_frame: frame("global_frame_id")?,
            scan_topic: node.get_parameter("scan_topic")?,
            map_topic: node.get_parameter("map_topic")?,
            laser_range: [number("laser_min_range")?, number("laser_max_range")?],
            likelihood_distance,
            tolerance: Duration::from_secs_f64(tolerance),
            broadcasts: flag("tf_broadcast")?,
            first_map_only: flag("first_map_only")?,
            initial_pose: flag("set_initial_pose")?.then_some(initial),
            forgets: flag("always_reset_initial_pose")?,
        })
    }
}

/// The largest number of particles. More would need too much time.
const MOST: usize = 1_000_000;

fn particles(node: &Node, warnings: &mut Vec<String>) -> Result<(usize, usize), ParameterError> {
    let mut count = |name: &str, default: usize| -> Result<usize, ParameterError> {
        let value: i64 = node.get_parameter(name)?;
        if let Some(count) = usize::try_from(value).ok().filter(|count| *count <= MOST) {
            return Ok(count);
        }
        warnings.push(format!(
            "You've set {name} to {value}, this isn't allowed, so it will be set to {default}."
        ));
        Ok(default)
    };
    let (min, max) = (count("min_particles", 500)?, count("max_particles", 2000)?);
    if min > max {
        warnings.push(format!(
            "You've set min_particles to be greater than max particles, this isn't allowed so max_particles will be set to {min}."
        ));
    }
    Ok((min, max.max(min).max(1)))
}

fn sensor_model(name: &str) -> SensorModel {
    match name {
        "beam" => SensorModel::Beam,
        "likelihood_field_prob" => SensorModel::LikelihoodFieldProb,
        _ => SensorModel::LikelihoodField,
    }
}

fn motion_model(name: &str) -> MotionModel {
    if name.ends_with("OmniMotionModel") { MotionModel::Omni } else { MotionModel::Differential }
}
