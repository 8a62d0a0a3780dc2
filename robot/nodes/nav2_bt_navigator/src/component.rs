//! The lifecycle node.

use std::{
    sync::{Arc, Mutex},
    task::{Wake, Waker},
};

use saltus::{
    ActionClient, Node, Subscription,
    component::{Component, ComponentError, NodeOptions},
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
use saltus_server::{CycleServer, Managed, ManagedNode, Parameters, Worker, manage, plugin_type};

use crate::{
    goals::{ThroughPoses, ToPose},
    navigator::{Busy, MakeFactory, Navigator},
    nodes::register,
    odometry::Odometry,
    world::{Settings, World},
};

/// Navigates to poses with a behavior tree. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `navigate_to_pose` (action) | navigates to a pose |
/// | `navigate_through_poses` (action) | navigates through poses |
/// | `goal_pose` (subscription) | a pose to navigate to |
/// | `odom` (subscription) | the velocity of the robot |
/// | `behavior_tree_log` (publisher) | the nodes of the tree whose status has changed |
/// | `default_nav_to_pose_bt_xml`, `default_nav_through_poses_bt_xml` (parameters) | the trees |
/// | `bt_loop_duration` (parameter) | the time between two ticks, in ms; 10 |
/// | `default_server_timeout` (parameter) | the longest time for a server to answer, in ms; 20 |
/// | `wait_for_service_timeout` (parameter) | the longest time for which a new tree waits for its servers, in ms; 1000 |
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
    /// Returns a navigator with more nodes of trees, which `add` registers.
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

/// The things that the node owns while it is configured.
struct Configured {
    to_pose: Option<CycleServer<Navigator<ToPose>>>,
    through_poses: Option<CycleServer<Navigator<ThroughPoses>>>,
    _odometry: Subscription<OdometryMessage>,
    _goals: Option<Subscription<PoseStamped>>,
    /// Dropped last: its callbacks use the rest.
    _worker: Worker,
}

/// Wakes all navigators, which share the nodes' waker.
#[derive(Default)]
struct Navigators(Mutex<Vec<Waker>>);

impl Wake for Navigators {
    fn wake(self: Arc<Self>) {
        lock(&self.0).iter().for_each(Waker::wake_by_ref);
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
        let navigators = Arc::<Navigators>::default();
        let world = Arc::new(World {
            node: Node::clone(node),
            group: worker.group().clone(),
            frames: Arc::new(Frames::new(node, worker.group())?),
            waker: Waker::from(navigators.clone()),
            odometry: Odometry::default(),
            settings: Settings::read(&parameters)?,
        });
        let busy = Busy::default();
        let (mut to_pose, mut through_poses) = (None, None);
        for name in parameters.texts("navigators", &NAVIGATORS.map(|(name, _)| name))? {
            let kind = plugin_type(&parameters, &name, &NAVIGATORS)?;
            saltus::info!(node.logger(), "Creating navigator id {name} of type {kind}");
            match &*kind.replace('/', "::") {
                TO_POSE => to_pose = Some(Navigator::open(node, &world, &parameters, make, &busy)?),
                THROUGH_POSES => {
                    through_poses = Some(Navigator::open(node, &world, &parameters, make, &busy)?);
                }
                _ => return Err(format!("Failed to create navigator id {name}: {kind} is unknown").into()),
            }
        }
        let wakers =
            to_pose.iter().map(CycleServer::waker).chain(through_poses.iter().map(CycleServer::waker));
        *lock(&navigators.0) = wakers.cloned().collect();
        let odom = parameters.text("odom_topic", "odom")?;
        let measure = move |message: OdometryMessage| {
            let stamp = saltus::Time::from(message.header.stamp);
            world.odometry.add(stamp, from_twist(&message.twist.twist));
        };
        Ok(Self {
            _goals: if to_pose.is_some() { Some(goals(node, &worker)?) } else { None },
            to_pose,
            through_poses,
            _odometry: node.subscription(&odom).callback_group(worker.group()).callback(measure)?,
            _worker: worker,
        })
    }

    fn activate(&mut self, _node: &LifecycleNode, _make: &MakeFactory) -> Result<bool, ComponentError> {
        let is_active = self.to_pose.as_ref().is_none_or(CycleServer::activate)
            && self.through_poses.as_ref().is_none_or(CycleServer::activate);
        Ok(is_active)
    }

    fn deactivate(&mut self, node: &LifecycleNode, _make: &MakeFactory) {
        self.to_pose.iter().for_each(|navigator| navigator.deactivate(node));
        self.through_poses.iter().for_each(|navigator| navigator.deactivate(node));
    }
}

/// Subscribes to poses, and sends them as goals to the node's own action.
fn goals(node: &LifecycleNode, worker: &Worker) -> Result<Subscription<PoseStamped>, ComponentError> {
    let client = ActionClient::<NavigateToPose>::on(node, "navigate_to_pose")
        .callback_group(worker.group())
        .create()?;
    let logger = node.logger();
    let send = move |pose: PoseStamped| {
        let goal = NavigateToPose_Goal { pose, behavior_tree: String::new() };
        // The result of the action is not needed here.
        if let Err(error) = client.send_goal(&goal).map(drop) {
            saltus::error!(logger, "the goal is not used: {error}");
        }
    };
    Ok(node.subscription("goal_pose").callback_group(worker.group()).callback(send)?)
}
