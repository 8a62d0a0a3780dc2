//! The lifecycle node.

use std::{sync::Arc, time::Duration};

use saltus::{
    Node,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::LifecycleNode,
};
use saltus_nav_server::{Frames, VelocityPublisher};
use saltus_server::{Managed, ManagedNode, Parameters, Worker, manage, plugin_type};

use crate::{
    robot::Robot,
    types::{BehaviorAction, BehaviorConfig, BehaviorTypes},
};
use nav2_costmap_2d::{RemoteCostmap, RemoteTopics};

/// Short motions without a path. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `spin`, `backup`, `drive_on_heading`, `wait`, `assisted_teleop` (actions) | the behaviors |
/// | `cmd_vel` (publisher) | the velocity of the robot |
/// | `cmd_vel_teleop` (subscription) | the velocity that a person wants |
/// | `preempt_teleop` (subscription) | ends the teleoperation |
/// | `behavior_plugins` (parameter) | the names of the behaviors |
/// | `cycle_frequency` (parameter) | the rate at which velocities are chosen, in Hz; 10.0 |
/// | `simulate_ahead_time` (parameter) | the time for which the way ahead must be free, in seconds; 2.0 |
/// | `local_costmap_topic`, `local_footprint_topic` (parameters) | the topics of the costs and of the footprint |
/// | `local_frame`, `robot_base_frame` (parameters) | the frames of the costs and of the robot; `odom`, `base_link` |
///
/// The other parameters are those of Nav2.
#[derive(Debug)]
pub struct BehaviorServer(ManagedNode);

/// The server with its name and parameters of 2022: `recoveries_server` and `recovery_plugins`. It is a lifecycle node.
#[derive(Debug)]
pub struct RecoveryServer(ManagedNode);

impl Component for BehaviorServer {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Self::with(options, BehaviorTypes::standard())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl BehaviorServer {
    /// Returns a server that knows these behaviors.
    ///
    /// # Errors
    ///
    /// Returns an error if the node can't be opened.
    pub fn with(options: &NodeOptions, types: BehaviorTypes) -> Result<Self, ComponentError> {
        let node = options.node("behavior_server").create()?;
        Ok(Self(manage::<Configured>(&node, Owner { types, names: &BEHAVIORS })?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

impl Component for RecoveryServer {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("recoveries_server").create()?;
        Ok(Self(manage::<Configured>(&node, Owner { types: BehaviorTypes::standard(), names: &RECOVERIES })?))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

/// The names that differ between the two servers.
struct Names {
    plugins: &'static str,
    defaults: &'static [(&'static str, &'static str)],
    costs: &'static str,
    footprint: &'static str,
    frame: &'static str,
}

const BEHAVIORS: Names = Names {
    plugins: "behavior_plugins",
    defaults: &[
        ("spin", "nav2_behaviors::Spin"),
        ("backup", "nav2_behaviors::BackUp"),
        ("drive_on_heading", "nav2_behaviors::DriveOnHeading"),
        ("wait", "nav2_behaviors::Wait"),
    ],
    costs: "local_costmap_topic",
    footprint: "local_footprint_topic",
    frame: "local_frame",
};
const RECOVERIES: Names = Names {
    plugins: "recovery_plugins",
    defaults: &[
        ("spin", "nav2_recoveries/Spin"),
        ("backup", "nav2_recoveries/BackUp"),
        ("wait", "nav2_recoveries/Wait"),
    ],
    costs: "costmap_topic",
    footprint: "footprint_topic",
    frame: "global_frame",
};

/// The things that the node owns in all states.
struct Owner {
    types: BehaviorTypes,
    names: &'static Names,
}

/// The things that the node owns while it is configured.
struct Configured {
    behaviors: Vec<Box<dyn BehaviorAction>>,
    /// Dropped last: its callbacks use the rest.
    _worker: Worker,
}

impl Managed for Configured {
    type Owner = Owner;

    fn configure(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let worker = Worker::managed(node, "behavior")?;
        let robot = Arc::new(robot(node, &worker, &parameters, owner.names)?);
        let timeout = parameters.seconds("action_server_result_timeout", 10.0)?;
        Ok(Self { behaviors: behaviors(node, &worker, owner, &robot, timeout)?, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, _owner: &Owner) -> Result<bool, ComponentError> {
        self.behaviors.iter().for_each(|behavior| behavior.activate());
        Ok(true)
    }

    fn deactivate(&mut self, node: &LifecycleNode, _owner: &Owner) {
        self.behaviors.iter().for_each(|behavior| behavior.deactivate(node));
    }
}

fn robot(
    node: &LifecycleNode,
    worker: &Worker,
    parameters: &Parameters,
    names: &Names,
) -> Result<Robot, ComponentError> {
    let frames = Arc::new(Frames::new(node, worker.group())?);
    let base_frame = parameters.text("robot_base_frame", "base_link")?;
    let topics = RemoteTopics {
        costs: &parameters.text(names.costs, "local_costmap/costmap_raw")?,
        footprint: &parameters.text(names.footprint, "local_costmap/published_footprint")?,
        base_frame: &base_frame,
        tolerance: parameters.seconds("transform_tolerance", 0.1)?,
    };
    Ok(Robot {
        node: node.downgrade(),
        logger: node.logger(),
        costmap: RemoteCostmap::new(node, worker.group(), &frames, &topics)?,
        frames,
        local_frame: parameters.text(names.frame, "odom")?,
        output: VelocityPublisher::new(node, "cmd_vel", parameters.get("enable_stamped_cmd_vel", false)?)?,
        cycle: parameters.period("cycle_frequency", 10.0)?,
        parameters: parameters.clone(),
        base_frame,
    })
}

fn behaviors(
    node: &LifecycleNode,
    worker: &Worker,
    owner: &Owner,
    robot: &Arc<Robot>,
    timeout: Duration,
) -> Result<Vec<Box<dyn BehaviorAction>>, ComponentError> {
    let parameters = Parameters::new(node);
    let defaults: Vec<&str> = owner.names.defaults.iter().map(|(name, _)| *name).collect();
    let mut behaviors = Vec::new();
    for name in parameters.texts(owner.names.plugins, &defaults)? {
        let kind = plugin_type(&parameters, &name, owner.names.defaults)?;
        saltus::info!(node.logger(), "Creating behavior plugin {name} of type {kind}");
        let config = BehaviorConfig { node, group: worker.group(), name: &name, robot, timeout };
        behaviors.push(owner.types.open(&kind, &config)?);
    }
    Ok(behaviors)
}
