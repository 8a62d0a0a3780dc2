//! The lifecycle node.

use std::{
    sync::{Arc, Mutex, OnceLock},
    task::{Wake, Waker},
};

use saltus::{
    ActionClient, Node, Timer,
    component::{Component, ComponentError, NodeOptions},
    executor::GuardCondition,
    lifecycle::{LifecycleNode, WeakLifecycleNode},
    msgs::nav2_msgs::action::FollowWaypoints,
    types::lock,
};
use saltus_server::{Managed, ManagedNode, Parameters, Plugins, Tasks, Worker, manage, plugin_type};

use crate::{
    following::Follower,
    task::{Input, Wait, WaypointTask},
};

/// Lets a robot follow waypoints, and do something at each. It is a lifecycle node.
///
/// | name | what it is |
/// |---|---|
/// | `follow_waypoints` (action) | follows waypoints |
/// | `navigate_to_pose` (action client) | drives to each of them |
/// | `stop_on_failure` (parameter) | whether a waypoint that can't be reached ends the goal; true |
/// | `loop_rate` (parameter) | how often the state is looked at, in Hz; 20 |
/// | `waypoint_task_executor_plugin` (parameter) | what the robot does at each waypoint; `wait_at_waypoint` |
/// | `action_server_result_timeout` (parameter) | how long results are kept; 900.0 s |
#[derive(Debug)]
pub struct WaypointFollower(ManagedNode);

/// Returns the tasks of Nav2 that there are.
pub fn standard_tasks() -> Plugins<Box<dyn WaypointTask>> {
    let mut plugins = Plugins::default();
    plugins
        .add("nav2_waypoint_follower::WaitAtWaypoint", Wait::make)
        .add("nav2_waypoint_follower::InputAtWaypoint", Input::make);
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

/// What the node has while it is configured.
struct Configured {
    shared: Arc<Shared>,
    /// Ended before what its callbacks use.
    _worker: Worker,
}

struct Shared {
    node: WeakLifecycleNode,
    follower: Mutex<Follower>,
    wake: Arc<WakeUp>,
    /// Set once, after what its callbacks use.
    task: OnceLock<(Tasks<FollowWaypoints>, Timer)>,
}

/// Lets a cycle be done at once.
#[derive(Default)]
struct WakeUp(Mutex<Option<GuardCondition>>);

impl Wake for WakeUp {
    fn wake(self: Arc<Self>) {
        if let Some(guard) = &*lock(&self.0) {
            guard.trigger();
        }
    }
}

const TASKS: [(&str, &str); 1] = [("wait_at_waypoint", "nav2_waypoint_follower::WaitAtWaypoint")];

impl Managed for Configured {
    type Owner = Plugins<Box<dyn WaypointTask>>;

    fn configure(node: &LifecycleNode, plugins: &Self::Owner) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let worker = Worker::managed(node, "waypoints")?;
        let name = parameters.text("waypoint_task_executor_plugin", "wait_at_waypoint")?;
        let kind = plugin_type(&parameters, &name, &TASKS)?;
        let task = plugins.make(&kind, node, &name)?;
        saltus::info!(node.logger(), "Created waypoint_task_executor : {name} of type {kind}");
        let client = ActionClient::on(node, "navigate_to_pose").callback_group(worker.group()).create()?;
        let follower = Follower::new(client, task, parameters.get("stop_on_failure", true)?);
        let shared = Arc::new(Shared {
            node: node.downgrade(),
            follower: Mutex::new(follower),
            wake: Arc::default(),
            task: OnceLock::new(),
        });
        let weak = Arc::downgrade(&shared);
        let changed = move || weak.upgrade().iter().for_each(|shared| shared.changed());
        let rate = parameters.count("loop_rate", 20)?.clamp(1, 1000);
        let period = std::time::Duration::from_secs_f64(1.0 / f64::from(rate));
        let weak = Arc::downgrade(&shared);
        let tick = move || weak.upgrade().iter().for_each(|shared| shared.tick());
        let timer = node.timer(period).callback_group(worker.group()).callback(tick)?;
        timer.cancel();
        let timeout = parameters.seconds("action_server_result_timeout", 900.0)?;
        let tasks = Tasks::open(node, worker.group(), "follow_waypoints", timeout, changed.clone())?;
        *lock(&shared.wake.0) = Some(node.guard_condition_in(worker.group(), changed));
        let _ = shared.task.set((tasks, timer));
        Ok(Self { shared, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, _plugins: &Self::Owner) -> Result<bool, ComponentError> {
        self.shared.task.get().iter().for_each(|(tasks, _)| tasks.activate());
        Ok(true)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, _plugins: &Self::Owner) {
        if let Some((tasks, timer)) = self.shared.task.get() {
            tasks.deactivate();
            timer.cancel();
            lock(&self.shared.follower).stop();
        }
    }

    fn cleanup(self, _plugins: &Self::Owner) {
        // The guard and what it wakes have each other.
        let guard = lock(&self.shared.wake.0).take();
        drop(guard);
    }
}

impl Shared {
    /// There is a goal, its client does not want it any more, or the robot has come to a waypoint.
    fn changed(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        if !timer.is_cancelled() {
            self.tick();
        } else if tasks.has_pending() {
            timer.reset();
            self.tick();
        }
    }

    fn tick(&self) {
        let (Some(node), Some((tasks, timer))) = (self.node.upgrade(), self.task.get()) else { return };
        let waker = Waker::from(self.wake.clone());
        if !lock(&self.follower).cycle(&node, tasks, &waker) {
            timer.cancel();
        }
    }
}
