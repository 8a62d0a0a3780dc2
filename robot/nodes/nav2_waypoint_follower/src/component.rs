//! The lifecycle node.

use std::time::Duration;

use saltus::{
    ActionClient, Node,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::LifecycleNode,
};
use saltus_server::{CycleServer, Managed, ManagedNode, Parameters, Plugins, Worker, manage, plugin_type};

use crate::{
    following::Follower,
    task::{Input, Wait, WaypointTask},
};

/// Lets a robot follow waypoints, and do something at each. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `follow_waypoints` (action) | follows waypoints |
/// | `navigate_to_pose` (action client) | drives to each of them |
/// | `stop_on_failure` (parameter) | whether a waypoint that can't be reached ends the goal; true |
/// | `loop_rate` (parameter) | the number of cycles in a second; 20 |
/// | `waypoint_task_executor_plugin` (parameter) | the task of the robot at each waypoint; `wait_at_waypoint` |
/// | `action_server_result_timeout` (parameter) | the time for which results are kept; 900.0 s |
#[derive(Debug)]
pub struct WaypointFollower(ManagedNode);

/// Returns the tasks of Nav2.
pub fn standard_tasks() -> Plugins<Box<dyn WaypointTask>> {
    let mut plugins = Plugins::default();
    plugins
        .add("nav2_waypoint_follower::WaitAtWaypoint", Wait::create)
        .add("nav2_waypoint_follower::InputAtWaypoint", Input::create);
    plugins
}

impl Component for WaypointFollower {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Self::with(options, standard_tasks())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl WaypointFollower {
    /// Returns a follower that knows these tasks.
    ///
    /// # Errors
    ///
    /// Returns an error if the node can't be opened.
    pub fn with(
        options: &NodeOptions,
        tasks: Plugins<Box<dyn WaypointTask>>,
    ) -> Result<Self, ComponentError> {
        let node = options.node("waypoint_follower").create()?;
        Ok(Self(manage::<Configured>(&node, tasks)?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    server: CycleServer<Follower>,
    /// Dropped last: its callbacks use the rest.
    _worker: Worker,
}

const TASKS: [(&str, &str); 1] = [("wait_at_waypoint", "nav2_waypoint_follower::WaitAtWaypoint")];

impl Managed for Configured {
    type Owner = Plugins<Box<dyn WaypointTask>>;

    fn configure(node: &LifecycleNode, plugins: &Self::Owner) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let worker = Worker::managed(node, "waypoints")?;
        let group = worker.group();
        let name = parameters.text("waypoint_task_executor_plugin", "wait_at_waypoint")?;
        let kind = plugin_type(&parameters, &name, &TASKS)?;
        let task = plugins.create(&kind, node, &name)?;
        saltus::info!(node.logger(), "Created waypoint_task_executor : {name} of type {kind}");
        let client = ActionClient::on(node, "navigate_to_pose").callback_group(group).create()?;
        let follower = Follower::new(client, task, parameters.get("stop_on_failure", true)?);
        let rate = parameters.count("loop_rate", 20, 1..=1000)?;
        let timer = node.timer(Duration::from_secs_f64(1.0 / f64::from(rate)));
        let timeout = parameters.seconds("action_server_result_timeout", 900.0)?;
        let server = CycleServer::open(node, group, "follow_waypoints", timeout, timer, follower)?;
        Ok(Self { server, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, _plugins: &Self::Owner) -> Result<bool, ComponentError> {
        Ok(self.server.activate())
    }

    fn deactivate(&mut self, node: &LifecycleNode, _plugins: &Self::Owner) {
        self.server.deactivate(node);
    }
}
