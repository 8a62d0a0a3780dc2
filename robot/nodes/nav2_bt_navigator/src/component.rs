//! The lifecycle node.

use std::{
    sync::{Arc, Mutex},
    task::{Wake, Waker},
};

use saltus::{
    ActionClient, Node, Subscription,
    component::{Component, ComponentError, NodeOptions},
    executor::GuardCondition,
    lifecycle::LifecycleNode,
    msgs::{
        geometry_msgs::msg::PoseStamped,
        nav_msgs::msg::Odometry as OdometryMessage,
        nav2_msgs::action::{NavigateToPose, NavigateToPose_Goal},
    },
    types::lock,
};
use saltus_behavior_tree::Factory;
use saltus_nav_server::{Frames, from_twist};
use saltus_server::{Managed, ManagedNode, Parameters, Worker, manage, plugin_type};

use crate::{
    goals::{ThroughPoses, ToPose},
    navigator::{Busy, MakeFactory, Navigator},
    nodes::register,
    odometry::Odometry,
    world::{Settings, World},
};

/// Navigates to poses as a behavior tree says. It is a lifecycle node.
///
/// | name | what it is |
/// |---|---|
/// | `navigate_to_pose` (action) | navigates to a pose |
/// | `navigate_through_poses` (action) | navigates through poses |
/// | `goal_pose` (subscription) | a pose to navigate to |
/// | `odom` (subscription) | how the robot moves |
/// | `behavior_tree_log` (publisher) | the nodes of the tree whose status has changed |
/// | `default_nav_to_pose_bt_xml`, `default_nav_through_poses_bt_xml` (parameters) | the trees |
/// | `bt_loop_duration` (parameter) | the time between two ticks, in ms; 10 |
/// | `default_server_timeout` (parameter) | how long a server may need to answer, in ms; 20 |
/// | `wait_for_service_timeout` (parameter) | how long a tree waits for its servers when it is made, in ms; 1000 |
///
/// The other parameters are those of Nav2.
#[derive(Debug)]
pub struct BtNavigator(ManagedNode);

impl Component for BtNavigator {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Self::with(options, |_, _| ())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl BtNavigator {
    /// Returns a navigator that knows more nodes of trees, which `add` registers.
    ///
    /// # Errors
    ///
    /// Returns an error if the node can't be opened.
    pub fn with(
        options: &NodeOptions,
        add: impl Fn(&mut Factory<()>, &Arc<World>) + Send + Sync + 'static,
    ) -> Result<Self, ComponentError> {
        let node = options.node("bt_navigator").create()?;
        let make: MakeFactory = Arc::new(move |world| {
            let mut factory = Factory::new();
            register(&mut factory, world);
            add(&mut factory, world);
            factory
        });
        Ok(Self(manage::<Configured>(&node, make)?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// What the node has while it is configured.
struct Configured {
    to_pose: Option<Arc<Navigator<ToPose>>>,
    through_poses: Option<Arc<Navigator<ThroughPoses>>>,
    _odometry: Subscription<OdometryMessage>,
    _goals: Option<Subscription<PoseStamped>>,
    _wake: Arc<WakeUp>,
    /// Ended before what its callbacks use.
    _worker: Worker,
}

/// Lets the trees be ticked at once.
struct WakeUp(Mutex<Option<GuardCondition>>);

impl Wake for WakeUp {
    fn wake(self: Arc<Self>) {
        if let Some(guard) = &*lock(&self.0) {
            guard.trigger();
        }
    }
}

const TO_POSE: &str = "nav2_bt_navigator::NavigateToPoseNavigator";
const THROUGH_POSES: &str = "nav2_bt_navigator::NavigateThroughPosesNavigator";
const NAVIGATORS: [(&str, &str); 2] =
    [("navigate_to_pose", TO_POSE), ("navigate_through_poses", THROUGH_POSES)];

impl Managed for Configured {
    type Owner = MakeFactory;

    fn configure(node: &LifecycleNode, make: &MakeFactory) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let worker = Worker::managed(node, "navigator")?;
        let wake = Arc::new(WakeUp(Mutex::default()));
        let world = Arc::new(World {
            node: Node::clone(node),
            group: worker.group().clone(),
            frames: Arc::new(Frames::new(node, worker.group())?),
            waker: Waker::from(wake.clone()),
            odometry: Odometry::default(),
            settings: Settings::of(&parameters)?,
        });
        let timeout = parameters.seconds("action_server_result_timeout", 900.0)?;
        let busy = Busy::default();
        let (mut to_pose, mut through_poses) = (None, None);
        for name in parameters.texts("navigators", &NAVIGATORS.map(|(name, _)| name))? {
            let kind = plugin_type(&parameters, &name, &NAVIGATORS)?;
            saltus::info!(node.logger(), "Creating navigator id {name} of type {kind}");
            match &*kind.replace('/', "::") {
                TO_POSE => to_pose = Some(Navigator::open(&world, &parameters, make, &busy, timeout)?),
                THROUGH_POSES => {
                    through_poses = Some(Navigator::open(&world, &parameters, make, &busy, timeout)?);
                }
                _ => return Err(format!("Failed to create navigator id {name}: {kind} is unknown").into()),
            }
        }
        let (weak_one, weak_other) =
            (to_pose.as_ref().map(Arc::downgrade), through_poses.as_ref().map(Arc::downgrade));
        let guard = node.guard_condition_in(worker.group(), move || {
            weak_one
                .as_ref()
                .and_then(std::sync::Weak::upgrade)
                .iter()
                .for_each(|navigator| navigator.wake());
            weak_other
                .as_ref()
                .and_then(std::sync::Weak::upgrade)
                .iter()
                .for_each(|navigator| navigator.wake());
        });
        *lock(&wake.0) = Some(guard);
        let measured = world.clone();
        let measure = move |message: OdometryMessage| {
            let stamp = saltus::Time::from(message.header.stamp);
            measured.odometry.add(stamp, from_twist(&message.twist.twist));
        };
        let odom = parameters.text("odom_topic", "odom")?;
        Ok(Self {
            _goals: if to_pose.is_some() { Some(goals(node, &worker)?) } else { None },
            to_pose,
            through_poses,
            _odometry: node.subscription(&odom).callback_group(worker.group()).callback(measure)?,
            _wake: wake,
            _worker: worker,
        })
    }

    fn activate(&mut self, _node: &LifecycleNode, _make: &MakeFactory) -> Result<bool, ComponentError> {
        let is_active = self.to_pose.as_ref().is_none_or(|navigator| navigator.activate())
            && self.through_poses.as_ref().is_none_or(|navigator| navigator.activate());
        Ok(is_active)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, _make: &MakeFactory) {
        self.to_pose.iter().for_each(|navigator| navigator.deactivate());
        self.through_poses.iter().for_each(|navigator| navigator.deactivate());
    }

    fn cleanup(self, _make: &MakeFactory) {
        // The guard and what it wakes have each other.
        let guard = lock(&self._wake.0).take();
        drop(guard);
    }
}

/// Subscribes to poses, which become goals of the node's own action.
fn goals(node: &LifecycleNode, worker: &Worker) -> Result<Subscription<PoseStamped>, ComponentError> {
    let client = ActionClient::<NavigateToPose>::on(node, "navigate_to_pose")
        .callback_group(worker.group())
        .create()?;
    let logger = node.logger();
    let send = move |pose: PoseStamped| {
        let goal = NavigateToPose_Goal { pose, behavior_tree: String::new() };
        // The result is that of the action, which others see.
        if let Err(error) = client.send_goal(&goal).map(drop) {
            saltus::error!(logger, "the goal is not used: {error}");
        }
    };
    Ok(node.subscription("goal_pose").callback_group(worker.group()).callback(send)?)
}
