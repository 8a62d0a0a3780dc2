//! MPPI with its parameters, critics and topics.

use saltus::{
    Publisher, QoS,
    component::ComponentError,
    msgs::{
        builtin_interfaces::msg::Duration as DurationMessage,
        geometry_msgs::msg::{Point, Vector3},
        nav_msgs::msg::Path,
        std_msgs::msg::{ColorRGBA, Header},
        visualization_msgs::msg::{Marker, MarkerArray},
    },
    param::{Parameter, ParameterError},
};
use saltus_motion::{Controller, Pose};
use saltus_mppi::{
    AngleMode, ConstraintCritic, CostCritic, Critic, GoalAngleCritic, GoalCritic, Inversion, MotionModel,
    Mppi, MppiSettings, ObstaclesCritic, PathAlignCritic, PathAngleCritic, PathFollowCritic,
    PreferForwardCritic, TwirlingCritic, VelocityDeadbandCritic, Weight,
};
use saltus_nav_server::to_path;
use saltus_server::{Parameters, PluginConfig, range};

use crate::plugin::ControllerPlugin;

/// MPPI with its parameters and topics.
///
/// | topic | description |
/// |---|---|
/// | `transformed_global_plan` | the part of the path that counts |
/// | `optimal_trajectory` | the motion that was chosen |
/// | `trajectories` | sampled motions and the chosen one as markers, if the parameter `visualize` is true |
pub(crate) struct MppiController {
    mppi: Mppi,
    parameters: Parameters,
    /// The steps between two motions and two poses that are published as markers; `None` if no markers are published.
    visualize: Option<(usize, usize)>,
    plan: Publisher<Path>,
    chosen: Publisher<Path>,
    markers: Publisher<MarkerArray>,
}

impl MppiController {
    /// Creates a controller.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter is wrong.
    pub(crate) fn create(config: &PluginConfig<'_>) -> Result<Box<dyn ControllerPlugin>, ComponentError> {
        let parameters = config.parameters.clone();
        let node = parameters.node().clone();
        Ok(Box::new(Self {
            mppi: Mppi::new(settings(&parameters)?, critics(&parameters)?)?,
            visualize: visualize(&parameters)?,
            plan: node.publisher("transformed_global_plan").qos(QoS::keep_last(1)).create()?,
            chosen: node.publisher("optimal_trajectory").qos(QoS::keep_last(1)).create()?,
            markers: node.publisher("trajectories").qos(QoS::keep_last(1)).create()?,
            parameters,
        }))
    }
}

fn visualize(parameters: &Parameters) -> Result<Option<(usize, usize)>, ParameterError> {
    let part = parameters.part("TrajectoryVisualizer");
    let steps = (step(&part, "trajectory_step", 5)?, step(&part, "time_step", 3)?);
    Ok(parameters.get("visualize", false)?.then_some(steps))
}

/// Returns a number of steps between two things.
fn step(part: &Parameters, name: &str, default: u32) -> Result<usize, ParameterError> {
    Ok(part.count(name, default, 1..=1_000_000)? as usize)
}

fn settings(parameters: &Parameters) -> Result<MppiSettings, ComponentError> {
    let number = |name: &str, default, range| parameters.number(name, default, range);
    let speed = |name: &str, default| number(name, default, range::SPEED);
    let acceleration = |name: &str, default| number(name, default, range::ACCELERATION);
    let default = MppiSettings::default();
    let turning =
        parameters.part("AckermannConstraints").number("min_turning_r", 0.2, range::NOT_NEGATIVE)?;
    let model = match &*parameters.text("motion_model", "DiffDrive")? {
        "DiffDrive" => MotionModel::Differential,
        "Omni" => MotionModel::Omni,
        "Ackermann" => MotionModel::Ackermann { min_turning_radius: turning },
        other => {
            return Err(format!(
                "Model {other} is not valid! Valid options are DiffDrive, Omni, or Ackermann"
            )
            .into());
        }
    };
    let near = Inversion {
        xy: number("inversion_xy_tolerance", 0.2, range::NOT_NEGATIVE)?,
        yaw: number("inversion_yaw_tolerance", 0.4, range::NOT_NEGATIVE)?,
    };
    // The default is half of the costmap.
    let search = number("max_robot_pose_search_dist", 0.0, range::FINITE)?;
    Ok(MppiSettings {
        model,
        model_dt: number("model_dt", default.model_dt, range::POSITIVE)?,
        time_steps: parameters.count("time_steps", 56, 2..=10_000)? as usize,
        batch_size: parameters.count("batch_size", 1000, 1..=1_000_000)? as usize,
        iteration_count: parameters.count("iteration_count", 1, 1..=1000)?,
        temperature: number("temperature", default.temperature, 1e-6..=1e6)?,
        gamma: number("gamma", default.gamma, 0.0..=1e6)?,
        vx_max: speed("vx_max", default.vx_max)?,
        vx_min: number("vx_min", default.vx_min, range::VELOCITY)?,
        vy_max: speed("vy_max", default.vy_max)?,
        wz_max: speed("wz_max", default.wz_max)?,
        ax_max: acceleration("ax_max", default.ax_max)?.abs(),
        ax_min: -acceleration("ax_min", default.ax_min)?.abs(),
        ay_max: acceleration("ay_max", default.ay_max)?.abs(),
        ay_min: -acceleration("ay_min", default.ay_min)?.abs(),
        az_max: acceleration("az_max", default.az_max)?.abs(),
        std: [
            number("vx_std", default.std[0], 0.0..=1e6)?,
            number("vy_std", default.std[1], 0.0..=1e6)?,
            number("wz_std", default.std[2], 0.0..=1e6)?,
        ],
        retry_attempt_limit: parameters.count("retry_attempt_limit", 1, 0..=1000)?,
        open_loop: parameters.get("open_loop", false)?,
        regenerate_noises: parameters.get("regenerate_noises", false)?,
        prune_distance: number("prune_distance", default.prune_distance, 0.0..=1e6)?,
        max_robot_pose_search_dist: (search > 0.0).then_some(search),
        inversion: parameters.get("enforce_path_inversion", false)?.then_some(near),
        period: parameters.of_node().period("controller_frequency", 20.0)?.as_secs_f64(),
        seed: default.seed,
    })
}

/// Returns the critics that the parameter `critics` names, without those that are switched off.
fn critics(parameters: &Parameters) -> Result<Vec<Box<dyn Critic>>, ComponentError> {
    let mut critics = Vec::new();
    for name in parameters.texts("critics", &[])? {
        let part = parameters.part(&name);
        let critic = critic(&name, parameters, &part)?;
        if part.get("enabled", true)? {
            critics.push(critic);
        }
    }
    Ok(critics)
}

fn weight(part: &Parameters, default: f64) -> Result<Weight, ParameterError> {
    let power = part.count("cost_power", 1, 0..=100)? as i32;
    Ok(Weight { weight: part.number("cost_weight", default, range::FINITE)?, power })
}

fn critic(name: &str, parameters: &Parameters, part: &Parameters) -> Result<Box<dyn Critic>, ComponentError> {
    let threshold = |default| part.number("threshold_to_consider", default, range::NOT_NEGATIVE);
    let offset =
        |default| part.count("offset_from_furthest", default, 0..=1_000_000).map(|offset| offset as usize);
    let cost = |name: &str, default| part.number(name, default, range::FINITE);
    let distance = |name: &str, default| part.number(name, default, range::NOT_NEGATIVE);
    let vx_min = || parameters.number("vx_min", -0.35, range::VELOCITY);
    Ok(match name {
        "ConstraintCritic" => Box::new(ConstraintCritic {
            weight: weight(part, 4.0)?,
            vx_max: parameters.number("vx_max", 0.5, range::SPEED)?,
            vx_min: vx_min()?,
            // As in Nav2, also for a robot that can't drive sideways.
            vy_max: parameters.number("vy_max", 0.5, range::SPEED)?,
        }),
        "CostCritic" => Box::new(CostCritic {
            weight: weight(part, 3.81)?,
            critical_cost: cost("critical_cost", 300.0)?,
            near_collision_cost: part.count("near_collision_cost", 253, 0..=255)? as u8,
            collision_cost: cost("collision_cost", 1e6)?,
            near_goal_distance: distance("near_goal_distance", 0.5)?,
            consider_footprint: part.get("consider_footprint", false)?,
            trajectory_point_step: step(part, "trajectory_point_step", 2)?,
        }),
        "ObstaclesCritic" => Box::new(ObstaclesCritic {
            power: weight(part, 1.0)?.power,
            critical_weight: cost("critical_weight", 20.0)?,
            repulsion_weight: cost("repulsion_weight", 1.5)?,
            collision_cost: cost("collision_cost", 1e5)?,
            collision_margin_distance: distance("collision_margin_distance", 0.1)?,
            near_goal_distance: distance("near_goal_distance", 0.5)?,
            consider_footprint: part.get("consider_footprint", false)?,
        }),
        "GoalCritic" => Box::new(GoalCritic { weight: weight(part, 5.0)?, threshold: threshold(1.4)? }),
        "GoalAngleCritic" => Box::new(GoalAngleCritic {
            weight: weight(part, 3.0)?,
            threshold: threshold(0.5)?,
            is_symmetric: part.get("symmetric_yaw_tolerance", false)?,
        }),
        "PathAlignCritic" => Box::new(PathAlignCritic {
            weight: weight(part, 10.0)?,
            threshold: threshold(0.5)?,
            max_path_occupancy_ratio: distance("max_path_occupancy_ratio", 0.07)?,
            offset_from_furthest: offset(20)?,
            trajectory_point_step: step(part, "trajectory_point_step", 4)?,
            use_path_orientations: part.get("use_path_orientations", false)?,
        }),
        "PathFollowCritic" => Box::new(PathFollowCritic {
            weight: weight(part, 5.0)?,
            threshold: threshold(1.4)?,
            offset_from_furthest: offset(6)?,
        }),
        "PathAngleCritic" => Box::new(PathAngleCritic {
            weight: weight(part, 2.2)?,
            threshold: threshold(0.5)?,
            offset_from_furthest: offset(4)?,
            max_angle_to_furthest: distance("max_angle_to_furthest", std::f64::consts::FRAC_PI_4)?,
            mode: match part.whole("mode", 0, 0..=2)? {
                0 => AngleMode::Forward,
                1 if vx_min()? < -1e-6 => AngleMode::Any,
                1 if parameters.is_proposal() => AngleMode::Forward,
                1 => {
                    saltus::warn!(
                        parameters.node().logger(),
                        "Path angle mode set to no directional preference, but controller's settings don't allow for \
                         reversing! Setting mode to forward preference."
                    );
                    AngleMode::Forward
                }
                _ => AngleMode::OfPath,
            },
        }),
        "PreferForwardCritic" => {
            Box::new(PreferForwardCritic { weight: weight(part, 5.0)?, threshold: threshold(0.5)? })
        }
        "TwirlingCritic" => Box::new(TwirlingCritic { weight: weight(part, 10.0)? }),
        "VelocityDeadbandCritic" => {
            let deadband: Vec<f64> = part.get("deadband_velocities", vec![0.0; 3])?;
            let deadband =
                <[f64; 3]>::try_from(deadband).map_err(|_| "deadband_velocities must have 3 numbers")?;
            if deadband.iter().any(|value| !value.is_finite()) {
                return Err("a number of deadband_velocities is not finite".into());
            }
            Box::new(VelocityDeadbandCritic { weight: weight(part, 35.0)?, deadband })
        }
        other => {
            let text = format!(
                "the critic {other} is unknown; there are ConstraintCritic, CostCritic, GoalAngleCritic, GoalCritic, \
                 ObstaclesCritic, PathAlignCritic, PathAngleCritic, PathFollowCritic, PreferForwardCritic, TwirlingCritic \
                 and VelocityDeadbandCritic"
            );
            return Err(text.into());
        }
    })
}

impl ControllerPlugin for MppiController {
    fn controller(&mut self) -> &mut dyn Controller {
        &mut self.mppi
    }

    fn read_parameters(&mut self) -> Result<(), ComponentError> {
        self.visualize = visualize(&self.parameters)?;
        let settings = settings(&self.parameters)?;
        Ok(self.mppi.configure(settings, critics(&self.parameters)?)?)
    }

    fn check_parameters(&self, proposed: &[Parameter]) -> Result<(), ComponentError> {
        let parameters = self.parameters.proposing(proposed);
        visualize(&parameters)?;
        critics(&parameters)?;
        Ok(settings(&parameters)?.check()?)
    }

    fn publish(&mut self, header: &Header, _path: &[Pose]) {
        if self.plan.subscription_count() > 0 {
            // A failure does not matter: the next message comes soon.
            let _ = self.plan.publish(&to_path(header, self.mppi.local_path()));
        }
        if self.chosen.subscription_count() > 0 {
            let _ = self.chosen.publish(&to_path(header, &self.mppi.chosen()));
        }
        let Some((every, step)) = self.visualize.filter(|_| self.markers.subscription_count() > 0) else {
            return;
        };
        let sampled = self.mppi.sampled(every, step).concat();
        let markers = vec![
            marker(header, "Candidate Trajectories", Marker::POINTS, [0.0, 0.6, 0.9], &sampled),
            marker(header, "Optimal Trajectory", Marker::LINE_STRIP, [0.9, 0.1, 0.1], &self.mppi.chosen()),
        ];
        let _ = self.markers.publish(&MarkerArray { markers });
    }
}

/// The lifetime of a marker.
const LIFETIME: i32 = 1;
/// The width of lines and points, in metres.
const WIDTH: f64 = 0.02;

fn marker(header: &Header, ns: &str, kind: i32, [r, g, b]: [f32; 3], poses: &[Pose]) -> Marker {
    let mut marker = Marker { header: header.clone(), ns: ns.into(), r#type: kind, ..Marker::default() };
    marker.pose.orientation.w = 1.0;
    marker.scale = Vector3 { x: WIDTH, y: WIDTH, z: WIDTH };
    marker.color = ColorRGBA { r, g, b, a: 1.0 };
    marker.lifetime = DurationMessage { sec: LIFETIME, nanosec: 0 };
    marker.points = poses.iter().map(|pose| Point { x: pose.x, y: pose.y, z: 0.0 }).collect();
    marker
}
