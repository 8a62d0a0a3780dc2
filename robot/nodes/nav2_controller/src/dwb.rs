//! DWB with its parameters and topics.

use saltus::{
    Publisher, QoS,
    component::ComponentError,
    msgs::{
        dwb_msgs::msg::{CriticScore, LocalPlanEvaluation, Trajectory2D, TrajectoryScore},
        geometry_msgs::msg::Pose2D,
        nav_2d_msgs::msg::Twist2D,
        nav_msgs::msg::Path,
        std_msgs::msg::Header,
    },
    param::{Parameter, ParameterError},
};
use saltus_dwb::{Critic, Dwb, DwbSettings, Evaluation, Kinematics, Scored, Simulation, Trajectory, Window};
use saltus_motion::{Controller, Pose};
use saltus_nav_server::{to_duration, to_path};
use saltus_server::{Parameters, PluginConfig, Plugins, range};

use crate::plugin::ControllerPlugin;

/// The controller DWB with its parameters and topics.
///
/// | topic | description |
/// |---|---|
/// | `received_global_plan` | the path that is followed, in the frame of the costmap |
/// | `transformed_global_plan` | the part of it that counts |
/// | `local_plan` | the trajectory that was taken |
/// | `evaluation` | all trajectories with their scores |
pub struct DwbController {
    dwb: Dwb,
    parameters: Parameters,
    received: Option<Publisher<Path>>,
    transformed: Option<Publisher<Path>>,
    local: Option<Publisher<Path>>,
    evaluation: Option<Publisher<LocalPlanEvaluation>>,
}

impl DwbController {
    /// Creates a controller that knows these critics.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter is wrong, or a critic unknown.
    pub fn create(
        config: &PluginConfig<'_>,
        critics: &Plugins<Box<dyn Critic>>,
    ) -> Result<Box<dyn ControllerPlugin>, ComponentError> {
        let parameters = config.parameters.clone();
        let created = create_critics(config, critics)?;
        let generator =
            parameters.text("trajectory_generator_name", "dwb_plugins::StandardTrajectoryGenerator")?;
        if !generator.ends_with("StandardTrajectoryGenerator") {
            return Err(format!("the trajectory generator {generator} is unknown; there is dwb_plugins::StandardTrajectoryGenerator").into());
        }
        let node = parameters.node().clone();
        let topic = |name: &str, flag: &str| -> Result<Option<Publisher<Path>>, ComponentError> {
            let is_wanted = parameters.get(flag, true)?;
            let open = || node.publisher(name).qos(QoS::keep_last(1)).create();
            Ok(if is_wanted { Some(open()?) } else { None })
        };
        let has_evaluation = parameters.get("publish_evaluation", true)?;
        let evaluation = || node.publisher("evaluation").qos(QoS::keep_last(1)).create();
        Ok(Box::new(Self {
            received: topic("received_global_plan", "publish_global_plan")?,
            transformed: topic("transformed_global_plan", "publish_transformed_plan")?,
            local: topic("local_plan", "publish_local_plan")?,
            evaluation: if has_evaluation { Some(evaluation()?) } else { None },
            dwb: Dwb::new(settings(&parameters)?, created),
            parameters,
        }))
    }
}

/// The name of a critic, its weight, and the critic.
type NamedCritic = (String, f64, Box<dyn Critic>);

fn create_critics(
    config: &PluginConfig<'_>,
    critics: &Plugins<Box<dyn Critic>>,
) -> Result<Vec<NamedCritic>, ComponentError> {
    let parameters = &config.parameters;
    let mut namespaces = parameters.texts("default_critic_namespaces", &[])?;
    if namespaces.is_empty() {
        namespaces.push("dwb_critics".into());
    }
    let names = parameters.texts("critics", &[])?;
    if names.is_empty() {
        return Err(format!("No critics defined for {}", config.name).into());
    }
    let mut created = Vec::new();
    for name in names {
        let own = parameters.part(&name);
        let class = own.text("class", &name)?;
        let class = if class.contains("Critic") { class } else { format!("{class}Critic") };
        let kind = match class.contains("::") {
            true => class,
            false => {
                let kinds = namespaces.iter().map(|namespace| format!("{namespace}::{class}"));
                let mut known = kinds.clone().filter(|kind| critics.has(kind));
                known.next().or_else(|| kinds.clone().next()).unwrap_or(class)
            }
        };
        let scale = own.number("scale", 1.0, range::FINITE)?;
        let critic = critics.create(&kind, parameters.node(), &format!("{}.{name}", config.name))?;
        saltus::info!(parameters.node().logger(), "Using critic \"{name}\" ({kind})");
        created.push((name, scale, critic));
    }
    Ok(created)
}

/// The largest number of velocities of one axis. A cycle would be too short for more.
const MOST_SAMPLES: u32 = 200;

fn settings(parameters: &Parameters) -> Result<DwbSettings, ParameterError> {
    let velocity = |name: &str| parameters.number(name, 0.0, range::VELOCITY);
    let acceleration = |name: &str| parameters.number(name, 0.0, range::ACCELERATION);
    let positive = |name: &str, default| parameters.number(name, default, range::POSITIVE);
    let samples = |name: &str, default| parameters.count(name, default, 0..=MOST_SAMPLES);
    let distance = |name: &str| parameters.unless_negative(name, 2.0);
    let prunes = parameters.get("prune_plan", true)?;
    let shortens = parameters.get("shorten_transformed_plan", true)?;
    let (behind, ahead) = (distance("prune_distance")?, distance("forward_prune_distance")?);
    let by_time = parameters.get("discretize_by_time", false)?;
    let time_step = positive("time_granularity", 0.5)?;
    Ok(DwbSettings {
        kinematics: Kinematics {
            min_velocity: [velocity("min_vel_x")?, velocity("min_vel_y")?],
            max_velocity: [velocity("max_vel_x")?, velocity("max_vel_y")?, velocity("max_vel_theta")?],
            min_speed: velocity("min_speed_xy")?,
            max_speed: velocity("max_speed_xy")?,
            min_turning: velocity("min_speed_theta")?,
            acceleration: [
                acceleration("acc_lim_x")?,
                acceleration("acc_lim_y")?,
                acceleration("acc_lim_theta")?,
            ],
            deceleration: [
                acceleration("decel_lim_x")?,
                acceleration("decel_lim_y")?,
                acceleration("decel_lim_theta")?,
            ],
        },
        samples: [samples("vx_samples", 20)?, samples("vy_samples", 5)?, samples("vtheta_samples", 20)?],
        simulation: Simulation {
            time: positive("sim_time", 1.7)?,
            time_step: by_time.then_some(time_step),
            linear_step: positive("linear_granularity", 0.5)?,
            angular_step: positive("angular_granularity", 0.025)?,
            repeats_end: parameters.get("include_last_point", true)?,
        },
        window: Window {
            behind: behind.filter(|_| prunes),
            ahead: ahead.filter(|_| shortens),
            search: ahead.unwrap_or(-1.0),
        },
        prunes,
        short_circuits: parameters.get("short_circuit_trajectory_evaluation", true)?,
        keeps_evaluation: false,
    })
}

impl ControllerPlugin for DwbController {
    fn controller(&mut self) -> &mut dyn Controller {
        &mut self.dwb
    }

    fn read_parameters(&mut self) -> Result<(), ComponentError> {
        *self.dwb.settings_mut() = settings(&self.parameters)?;
        Ok(())
    }

    fn check_parameters(&self, proposed: &[Parameter]) -> Result<(), ComponentError> {
        settings(&self.parameters.proposing(proposed))?;
        Ok(())
    }

    fn prepare(&mut self) {
        let is_wanted = self.evaluation.as_ref().is_some_and(|publisher| publisher.subscription_count() > 0);
        self.dwb.settings_mut().keeps_evaluation = is_wanted;
    }

    fn publish(&mut self, header: &Header, path: &[Pose]) {
        let show = |publisher: &Option<Publisher<Path>>, path: &[Pose]| {
            if let Some(publisher) = publisher.as_ref().filter(|publisher| publisher.subscription_count() > 0)
            {
                // A failure does not matter: the next message comes soon.
                let _ = publisher.publish(&to_path(header, path));
            }
        };
        show(&self.received, path);
        show(&self.transformed, self.dwb.local_path());
        show(&self.local, &self.dwb.best().poses);
        if let Some(publisher) = &self.evaluation
            && publisher.subscription_count() > 0
        {
            let names: Vec<&str> = self.dwb.critics().collect();
            let _ = publisher.publish(&evaluation(header, &names, self.dwb.evaluation()));
        }
    }
}

fn evaluation(header: &Header, critics: &[&str], evaluation: &Evaluation) -> LocalPlanEvaluation {
    let index = |index: Option<usize>| index.and_then(|index| u16::try_from(index).ok()).unwrap_or(0);
    LocalPlanEvaluation {
        header: header.clone(),
        twists: evaluation.trajectories.iter().map(|scored| score(critics, scored)).collect(),
        best_index: index(evaluation.best),
        worst_index: index(evaluation.worst),
    }
}

fn score(critics: &[&str], scored: &Scored) -> TrajectoryScore {
    let one = |(name, (raw, scale)): (&&str, &(f64, f64))| CriticScore {
        name: (*name).to_owned(),
        raw_score: *raw as f32,
        scale: *scale as f32,
    };
    TrajectoryScore {
        traj: trajectory(&scored.trajectory),
        scores: critics.iter().zip(&scored.scores).map(one).collect(),
        // As in Nav2, a trajectory that is not allowed has the score -1.
        total: scored.total.map_or(-1.0, |total| total as f32),
    }
}

fn trajectory(trajectory: &Trajectory) -> Trajectory2D {
    let velocity = trajectory.velocity;
    let time = |seconds: &f64| {
        to_duration(std::time::Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
    };
    Trajectory2D {
        velocity: Twist2D { x: velocity.x, y: velocity.y, theta: velocity.theta },
        time_offsets: trajectory.times.iter().map(time).collect(),
        poses: trajectory.poses.iter().map(|pose| Pose2D { x: pose.x, y: pose.y, theta: pose.yaw }).collect(),
    }
}
