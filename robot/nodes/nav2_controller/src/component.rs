//! The lifecycle node.

use std::time::Duration;

use saltus::{
    Node, Subscription,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::LifecycleNode,
    msgs::{nav_msgs::msg::Odometry, nav2_msgs::msg::SpeedLimit as SpeedLimitMessage},
    param::{Parameter, ParameterCallback, ParameterError},
};
use saltus_motion::{GoalChecker, ProgressChecker, SpeedLimit};
use saltus_nav_server::{PluginList, VelocityPublisher, from_twist};
use saltus_server::{
    CycleServer, Managed, ManagedNode, Parameters, Plugins, WorkHandle, Worker, manage, range,
};

use crate::{
    checkers::{goal_checkers, progress_checkers},
    control::{Control, ControlSettings, transform_tolerance},
    critics::standard_critics,
    dwb::DwbController,
    mppi::MppiController,
    plugin::ControllerPlugin,
    pursuit::PursuitController,
};
use nav2_costmap_2d::{CostmapNode, CostmapOwner, LayerTypes, WithCostmap};

/// Lets a robot follow paths. It is a lifecycle node, and has a costmap, `local_costmap/local_costmap`, with another node.
///
/// | name | description |
/// |---|---|
/// | `follow_path` (action) | follows a path |
/// | `cmd_vel` (publisher) | the velocity of the robot |
/// | `odom` (subscription) | the velocity of the robot |
/// | `speed_limit` (subscription) | the speed limit of the robot |
/// | `controller_plugins`, `goal_checker_plugins`, `progress_checker_plugins` (parameters) | the names of the plugins |
/// | `controller_frequency` (parameter) | the rate at which velocities are chosen, in Hz; 20.0 |
/// | `failure_tolerance` (parameter) | the longest time for which a controller may have no velocity, in seconds; 0.0, or -1.0 for no limit |
///
/// The other parameters are those of Nav2.
#[derive(Debug)]
pub struct ControllerServer(ManagedNode);

/// Returns the controllers of Nav2, with its critics. `base_frame` is the frame of the robot.
pub fn standard_controllers(base_frame: &str) -> Plugins<Box<dyn ControllerPlugin>> {
    let (base_frame, critics) = (base_frame.to_owned(), standard_critics());
    let mut plugins = Plugins::default();
    plugins
        .add("dwb_core::DWBLocalPlanner", move |config| DwbController::create(config, &critics))
        .add("nav2_mppi_controller::MPPIController", MppiController::create)
        .add("nav2_regulated_pure_pursuit_controller::RegulatedPurePursuitController", move |config| {
            PursuitController::create(config, &base_frame)
        });
    plugins
}

/// A function that returns the types of controllers of a server. Its argument is the frame of the robot.
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
    /// Returns a server that knows these controllers and layers of costmaps. The argument of
    /// `controllers` is the frame of the robot.
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
        let costmap = CostmapNode::for_server(&node, "local_costmap", layers)?;
        let owner = Owner {
            controllers: Box::new(controllers),
            goal: goal_checkers(),
            progress: progress_checkers(),
            costmap,
        };
        Ok(Self(manage::<WithCostmap<Configured>>(&node, owner)?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns in all states.
struct Owner {
    controllers: Controllers,
    goal: Plugins<GoalChecker>,
    progress: Plugins<ProgressChecker>,
    costmap: CostmapNode,
}

impl CostmapOwner for Owner {
    fn costmap(&self) -> &CostmapNode {
        &self.costmap
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    server: CycleServer<Control>,
    _odometry: Subscription<Odometry>,
    _limits: Subscription<SpeedLimitMessage>,
    _parameters: [ParameterCallback; 2],
    /// Dropped last: its callbacks use the rest.
    _worker: Worker,
}

const CONTROLLERS: PluginList<'_> = PluginList {
    parameter: "controller_plugins",
    defaults: &[("FollowPath", "dwb_core::DWBLocalPlanner")],
    kind: "controller :",
    owner: ("Controller Server", "controllers"),
};
const GOAL_CHECKERS: PluginList<'_> = PluginList {
    parameter: "goal_checker_plugins",
    defaults: &[("goal_checker", "nav2_controller::SimpleGoalChecker")],
    kind: "goal checker :",
    owner: ("Controller Server", "goal checkers"),
};
const PROGRESS_CHECKERS: PluginList<'_> = PluginList {
    parameter: "progress_checker_plugins",
    defaults: &[("progress_checker", "nav2_controller::SimpleProgressChecker")],
    kind: "progress checker :",
    owner: ("Controller Server", "progress checkers"),
};

impl Managed for Configured {
    type Owner = Owner;

    fn configure(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let control = control(node, &parameters, owner)?;
        let worker = Worker::managed(node, "controller")?;
        let timeout = parameters.seconds("action_server_result_timeout", 10.0)?;
        let timer = node.timer(control.settings.period);
        let server = CycleServer::open(node, worker.group(), "follow_path", timeout, timer, control)?;
        let (_odometry, _limits) = subscriptions(node, &worker, &parameters, &server)?;
        let _parameters = changes(node, owner, &server);
        Ok(Self { server, _odometry, _limits, _parameters, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, _owner: &Owner) -> Result<bool, ComponentError> {
        Ok(self.server.activate())
    }

    fn deactivate(&mut self, node: &LifecycleNode, _owner: &Owner) {
        self.server.deactivate(node);
    }
}

fn control(node: &LifecycleNode, parameters: &Parameters, owner: &Owner) -> Result<Control, ComponentError> {
    let costmap = owner.costmap.costmap().ok_or("the costmap is not configured")?;
    let settings = settings(parameters)?;
    let known = (owner.controllers)(costmap.base_frame());
    // The order is that of Nav2.
    let progress_checkers = PROGRESS_CHECKERS.create(parameters, &owner.progress)?;
    let goal_checkers = GOAL_CHECKERS.create(parameters, &owner.goal)?;
    let controllers = CONTROLLERS.create(parameters, &known)?;
    for controller in &controllers {
        transform_tolerance(node, &controller.name)?;
    }
    let is_stamped = parameters.get("enable_stamped_cmd_vel", false)?;
    let output = VelocityPublisher::new(node, "cmd_vel", is_stamped)?;
    Ok(Control::new(settings, costmap, (controllers, goal_checkers, progress_checkers), output))
}

fn settings(parameters: &Parameters) -> Result<ControlSettings, ParameterError> {
    let tolerance = parameters.unless_negative("failure_tolerance", 0.0)?;
    let threshold = |name: &str| parameters.number(name, 0.0001, range::SPEED);
    Ok(ControlSettings {
        period: parameters.period("controller_frequency", 20.0)?,
        thresholds: [
            threshold("min_x_velocity_threshold")?,
            threshold("min_y_velocity_threshold")?,
            threshold("min_theta_velocity_threshold")?,
        ],
        failure_tolerance: tolerance.map(Duration::from_secs_f64),
        stops: parameters.get("publish_zero_velocity", true)?,
        timeout: parameters.seconds("costmap_update_timeout", 0.3)?,
    })
}

fn subscriptions(
    node: &LifecycleNode,
    worker: &Worker,
    parameters: &Parameters,
    server: &CycleServer<Control>,
) -> Result<(Subscription<Odometry>, Subscription<SpeedLimitMessage>), ComponentError> {
    let (measured, limited) = (server.handle(), server.handle());
    let measure = move |odometry: Odometry| {
        measured.with(|control| control.velocity = from_twist(&odometry.twist.twist));
    };
    let limit = move |message: SpeedLimitMessage| {
        let limit = match (message.speed_limit, message.percentage) {
            (0.0, _) => SpeedLimit::None,
            (percent, true) => SpeedLimit::Percent(percent),
            (speed, false) => SpeedLimit::Absolute(speed),
        };
        limited.with(|control| control.limit_speed(limit));
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
fn changes(node: &LifecycleNode, owner: &Owner, server: &CycleServer<Control>) -> [ParameterCallback; 2] {
    let (checked, changed) = (server.handle(), server.handle());
    let (goal, progress) = (owner.goal.clone(), owner.progress.clone());
    let is_own = |parameter: &Parameter| !parameter.name.contains('.');
    let weak = node.downgrade();
    let check = node.on_set_parameters(move |proposed| {
        let Some(node) = weak.upgrade() else { return Ok(()) };
        // A declaration. Its reader checks the value, and this thread may hold the work.
        if proposed.iter().all(|one| !node.has_parameter(&one.name)) {
            return Ok(());
        }
        let is_running = checked.with(|control| control.is_running()).unwrap_or(false);
        if is_running && proposed.iter().any(is_own) {
            return Err(
                "Unable to dynamically change Parameters while the controller is currently running".into()
            );
        }
        settings(&Parameters::new(&node).proposing(proposed)).map_err(|error| error.to_string())?;
        let check = |control: &mut Control| control.check_controllers(proposed);
        checked.with(check).unwrap_or(Ok(())).map_err(|error| error.to_string())
    });
    let weak = node.downgrade();
    let apply = node.on_post_set_parameters(move |parameters| {
        let Some(node) = weak.upgrade() else { return };
        if let Err(error) = read_parameters(&node, &changed, parameters, (&goal, &progress)) {
            saltus::warn!(node.logger(), "the parameters are not used: {error}");
        }
    });
    [check, apply]
}

/// Gives the control the values of changed parameters.
fn read_parameters(
    node: &LifecycleNode,
    handle: &WorkHandle<Control>,
    changed: &[Parameter],
    (goal, progress): (&Plugins<GoalChecker>, &Plugins<ProgressChecker>),
) -> Result<(), ComponentError> {
    let settings = settings(&Parameters::new(node))?;
    let read = |control: &mut Control| {
        control.read_controllers(changed)?;
        handle.set_period(settings.period);
        control.settings = settings;
        Ok(control.recreate_checkers(node, changed, goal, progress)?)
    };
    handle.with(read).unwrap_or(Ok(()))
}
