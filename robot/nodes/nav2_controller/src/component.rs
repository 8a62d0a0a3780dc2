//! The lifecycle node.

use std::sync::{Arc, Mutex, OnceLock};

use saltus::{
    Node, Subscription, Timer,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::{CallbackReturn, LifecycleNode, WeakLifecycleNode},
    msgs::{
        nav_msgs::msg::Odometry,
        nav2_msgs::{action::FollowPath, msg::SpeedLimit as SpeedLimitMessage},
    },
    param::{Parameter, ParameterCallback, ParameterError},
    types::lock,
};
use saltus_motion::{GoalChecker, ProgressChecker, SpeedLimit};
use saltus_nav_server::{VelocityPublisher, from_twist};
use saltus_server::{Managed, ManagedNode, Parameters, Plugins, Tasks, Worker, manage};

use crate::{
    checkers::{goal_checkers, make_named, progress_checkers},
    control::{Control, ControlSettings, transform_tolerance},
    critics::standard_critics,
    dwb::DwbController,
    mppi::MppiController,
    plugin::ControllerPlugin,
    pursuit::PursuitController,
};
use nav2_costmap_2d::{CostmapNode, LayerTypes};

/// Lets a robot follow paths. It is a lifecycle node, and has a costmap, `local_costmap/local_costmap`, with another node.
///
/// | name | what it is |
/// |---|---|
/// | `follow_path` (action) | follows a path |
/// | `cmd_vel` (publisher) | the velocity of the robot |
/// | `odom` (subscription) | how the robot moves |
/// | `speed_limit` (subscription) | how fast the robot may be |
/// | `controller_plugins`, `goal_checker_plugins`, `progress_checker_plugins` (parameters) | the names of the plugins |
/// | `controller_frequency` (parameter) | how often a velocity is chosen, in Hz; 20.0 |
/// | `failure_tolerance` (parameter) | how long a controller may have no velocity, in seconds; 0.0, or -1.0 for ever |
///
/// The other parameters are those of Nav2.
#[derive(Debug)]
pub struct ControllerServer(ManagedNode);

/// Returns the controllers of Nav2 that there are, with its critics. `base_frame` is that of the robot.
pub fn standard_controllers(base_frame: &str) -> Plugins<Box<dyn ControllerPlugin>> {
    let (base_frame, critics) = (base_frame.to_owned(), standard_critics());
    let mut plugins = Plugins::default();
    plugins
        .add("dwb_core::DWBLocalPlanner", move |making| DwbController::make(making, &critics))
        .add("nav2_mppi_controller::MPPIController", MppiController::make)
        .add("nav2_regulated_pure_pursuit_controller::RegulatedPurePursuitController", move |making| {
            PursuitController::make(making, &base_frame)
        });
    plugins
}

/// Returns the controllers that a server knows, for the frame of the robot.
type Controllers = Box<dyn Fn(&str) -> Plugins<Box<dyn ControllerPlugin>> + Send>;

impl Component for ControllerServer {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Self::with(options, standard_controllers, LayerTypes::standard())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl ControllerServer {
    /// Returns a server that knows these controllers and layers of costmaps. `controllers` is told the frame of the robot.
    ///
    /// # Errors
    ///
    /// Returns an error if a node can't be opened.
    pub fn with(
        options: &NodeOptions,
        controllers: impl Fn(&str) -> Plugins<Box<dyn ControllerPlugin>> + Send + 'static,
        layers: LayerTypes,
    ) -> Result<Self, ComponentError> {
        let node = options.node("controller_server").create()?;
        let costmap = CostmapNode::of_server(&node, "local_costmap", layers)?;
        let owner = Owner {
            controllers: Box::new(controllers),
            goal: goal_checkers(),
            progress: progress_checkers(),
            costmap,
        };
        Ok(Self(manage::<Configured>(&node, owner)?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// What the node has always.
struct Owner {
    controllers: Controllers,
    goal: Plugins<GoalChecker>,
    progress: Plugins<ProgressChecker>,
    costmap: CostmapNode,
}

/// What the node has while it is configured.
struct Configured {
    shared: Arc<Shared>,
    _odometry: Subscription<Odometry>,
    _limits: Subscription<SpeedLimitMessage>,
    _parameters: [ParameterCallback; 2],
    /// Ended before what its callbacks use.
    _worker: Worker,
}

struct Shared {
    node: WeakLifecycleNode,
    control: Mutex<Control>,
    /// Set once, after what its callbacks use.
    task: OnceLock<(Tasks<FollowPath>, Timer)>,
}

const CONTROLLERS: [(&str, &str); 1] = [("FollowPath", "dwb_core::DWBLocalPlanner")];
const GOAL_CHECKERS: [(&str, &str); 1] = [("goal_checker", "nav2_controller::SimpleGoalChecker")];
const PROGRESS_CHECKERS: [(&str, &str); 1] = [("progress_checker", "nav2_controller::SimpleProgressChecker")];

impl Managed for Configured {
    type Owner = Owner;

    fn configure(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        owner.costmap.configured(node, || Self::make(node, owner))
    }

    fn activate(&mut self, _node: &LifecycleNode, owner: &Owner) -> Result<bool, ComponentError> {
        if owner.costmap.lifecycle().activate()? != CallbackReturn::Success {
            return Ok(false);
        }
        if let Some((tasks, _)) = self.shared.task.get() {
            tasks.activate();
        }
        Ok(true)
    }

    fn deactivate(&mut self, node: &LifecycleNode, owner: &Owner) {
        if let Some((tasks, timer)) = self.shared.task.get() {
            timer.cancel();
            tasks.deactivate();
        }
        // Also without a goal, as in Nav2.
        lock(&self.shared.control).halt(node);
        // It may be inactive already.
        let _ = owner.costmap.lifecycle().deactivate();
    }

    fn cleanup(self, owner: &Owner) {
        drop(self);
        let _ = owner.costmap.lifecycle().cleanup();
    }
}

impl Configured {
    fn make(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        let costmap = owner.costmap.costmap().ok_or("the costmap is not configured")?;
        let parameters = Parameters::new(node);
        let settings = settings(&parameters)?;
        let known = (owner.controllers)(costmap.base_frame());
        // The order is that of Nav2.
        let progress = make_named(
            &parameters,
            "progress_checker_plugins",
            &PROGRESS_CHECKERS,
            "progress checker",
            &owner.progress,
        )?;
        let goal =
            make_named(&parameters, "goal_checker_plugins", &GOAL_CHECKERS, "goal checker", &owner.goal)?;
        let controllers = make_named(&parameters, "controller_plugins", &CONTROLLERS, "controller", &known)?;
        for controller in &controllers {
            transform_tolerance(node, &controller.name)?;
        }
        let output =
            VelocityPublisher::new(node, "cmd_vel", parameters.get("enable_stamped_cmd_vel", false)?)?;
        let control = Control::new(settings, costmap, (controllers, goal, progress), output);
        let shared =
            Arc::new(Shared { node: node.downgrade(), control: Mutex::new(control), task: OnceLock::new() });
        let worker = Worker::managed(node, "controller")?;
        let timeout = parameters.seconds("action_server_result_timeout", 10.0)?;
        let (weak, ticked) = (Arc::downgrade(&shared), Arc::downgrade(&shared));
        let begin = move || weak.upgrade().iter().for_each(|shared| shared.begin());
        let tick = move || ticked.upgrade().iter().for_each(|shared| shared.tick());
        let timer = node.timer(settings.period).callback_group(worker.group()).callback(tick)?;
        timer.cancel();
        let tasks = Tasks::open(node, worker.group(), "follow_path", timeout, begin)?;
        let _ = shared.task.set((tasks, timer));
        let (_odometry, _limits) = subscriptions(node, &worker, &parameters, &shared)?;
        let _parameters = changes(node, owner, &shared);
        Ok(Self { shared, _odometry, _limits, _parameters, _worker: worker })
    }
}

fn settings(parameters: &Parameters) -> Result<ControlSettings, ParameterError> {
    let patience: f64 = parameters.get("failure_tolerance", 0.0)?;
    let threshold = |name: &str| parameters.get(name, 0.0001);
    Ok(ControlSettings {
        period: parameters.period("controller_frequency", 20.0)?,
        thresholds: [
            threshold("min_x_velocity_threshold")?,
            threshold("min_y_velocity_threshold")?,
            threshold("min_theta_velocity_threshold")?,
        ],
        patience: if patience < 0.0 { None } else { Some(parameters.seconds("failure_tolerance", 0.0)?) },
        stops: parameters.get("publish_zero_velocity", true)?,
        timeout: parameters.seconds("costmap_update_timeout", 0.3)?,
    })
}

fn subscriptions(
    node: &LifecycleNode,
    worker: &Worker,
    parameters: &Parameters,
    shared: &Arc<Shared>,
) -> Result<(Subscription<Odometry>, Subscription<SpeedLimitMessage>), ComponentError> {
    let (measured, limited) = (Arc::downgrade(shared), Arc::downgrade(shared));
    let measure = move |odometry: Odometry| {
        if let Some(shared) = measured.upgrade() {
            lock(&shared.control).velocity = from_twist(&odometry.twist.twist);
        }
    };
    let limit = move |message: SpeedLimitMessage| {
        let limit = match (message.speed_limit, message.percentage) {
            (0.0, _) => SpeedLimit::None,
            (percent, true) => SpeedLimit::Percent(percent),
            (speed, false) => SpeedLimit::Absolute(speed),
        };
        if let Some(shared) = limited.upgrade() {
            lock(&shared.control).limit_speed(limit);
        }
    };
    let odom = parameters.text("odom_topic", "odom")?;
    let limits = parameters.text("speed_limit_topic", "speed_limit")?;
    let group = worker.group();
    Ok((
        node.subscription(&odom).callback_group(group).callback(measure)?,
        node.subscription(&limits).callback_group(group).callback(limit)?,
    ))
}

/// Parameters have an effect at once. Those of the server itself can't change while a goal is followed.
fn changes(node: &LifecycleNode, owner: &Owner, shared: &Arc<Shared>) -> [ParameterCallback; 2] {
    let (checked, changed) = (Arc::downgrade(shared), Arc::downgrade(shared));
    let (goal, progress) = (owner.goal.clone(), owner.progress.clone());
    let is_own = |parameter: &Parameter| !parameter.name.contains('.');
    let check = node.on_set_parameters(move |parameters| {
        let is_running = checked.upgrade().is_some_and(|shared| lock(&shared.control).is_running());
        match is_running && parameters.iter().any(is_own) {
            true => {
                Err("Unable to dynamically change Parameters while the controller is currently running"
                    .into())
            }
            false => Ok(()),
        }
    });
    let apply = node.on_post_set_parameters(move |parameters| {
        let Some(shared) = changed.upgrade() else { return };
        let Some(node) = shared.node.upgrade() else { return };
        if let Err(error) = shared.read_parameters(&node, parameters, &goal, &progress) {
            saltus::warn!(node.logger(), "the parameters are not used: {error}");
        }
    });
    [check, apply]
}

impl Shared {
    fn read_parameters(
        &self,
        node: &LifecycleNode,
        changed: &[Parameter],
        goal: &Plugins<GoalChecker>,
        progress: &Plugins<ProgressChecker>,
    ) -> Result<(), ComponentError> {
        let settings = settings(&Parameters::new(node))?;
        let mut control = lock(&self.control);
        control.read_controllers(changed)?;
        if let Some((_, timer)) = self.task.get() {
            timer.set_period(settings.period);
        }
        control.settings = settings;
        Ok(control.remake_checkers(node, changed, goal, progress)?)
    }

    /// There is a goal, or its client does not want it any more. The first cycle is at once, and so is the last one then.
    fn begin(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        if timer.is_cancelled() {
            timer.reset();
            self.tick();
        } else if tasks.is_canceled() {
            self.tick();
        }
    }

    fn tick(&self) {
        let (Some(node), Some((tasks, timer))) = (self.node.upgrade(), self.task.get()) else { return };
        if !lock(&self.control).cycle(&node, tasks) {
            timer.cancel();
        }
    }
}
