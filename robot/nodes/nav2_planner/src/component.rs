//! The lifecycle node.

use std::sync::{Arc, Mutex};

use saltus::{
    Node, QoS, Server,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::LifecycleNode,
    msgs::nav2_msgs::{
        action::{ComputePathThroughPoses, ComputePathToPose},
        srv::{IsPathValid, IsPathValid_Request, IsPathValid_Response},
    },
    types::lock,
};
use saltus_nav_server::PluginList;
use saltus_server::{GoalServer, Managed, ManagedNode, Parameters, Plugins, Worker, manage};

use crate::{actions::Plans, navfn::NavFnPlanner, planner::Planner, planning::Planning};
use nav2_costmap_2d::{CostmapNode, CostmapOwner, LayerTypes, WithCostmap};

/// Plans paths. It is a lifecycle node, and has a costmap, `global_costmap/global_costmap`, with another node.
///
/// | name | description |
/// |---|---|
/// | `compute_path_to_pose` (action) | plans a path to a pose |
/// | `compute_path_through_poses` (action) | plans a path through poses |
/// | `plan` (publisher) | the last path |
/// | `is_path_valid` (service) | whether the rest of a path is free |
/// | `planner_plugins` (parameter) | the names of the planners; `GridBased` |
/// | `expected_planner_frequency` (parameter) | a warning is logged if planning takes longer than its inverse; 1.0 Hz |
/// | `costmap_update_timeout` (parameter) | the longest time for which planning waits for the costmap; 1.0 s |
/// | `action_server_result_timeout` (parameter) | the time for which results are kept; 10.0 s |
#[derive(Debug)]
pub struct PlannerServer(ManagedNode);

/// Returns the planners of Nav2.
pub fn standard_planners() -> Plugins<Box<dyn Planner>> {
    let mut plugins = Plugins::default();
    plugins.add("nav2_navfn_planner::NavfnPlanner", NavFnPlanner::create);
    plugins
}

impl Component for PlannerServer {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Self::with(options, standard_planners(), LayerTypes::standard())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl PlannerServer {
    /// Returns a server that knows these planners and layers of costmaps.
    ///
    /// # Errors
    ///
    /// Returns an error if a node can't be opened.
    pub fn with(
        options: &NodeOptions,
        planners: Plugins<Box<dyn Planner>>,
        layers: LayerTypes,
    ) -> Result<Self, ComponentError> {
        let node = options.node("planner_server").create()?;
        let costmap = CostmapNode::for_server(&node, "global_costmap", layers)?;
        Ok(Self(manage::<WithCostmap<Configured>>(&node, Owner { planners, costmap })?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns in all states.
struct Owner {
    planners: Plugins<Box<dyn Planner>>,
    costmap: CostmapNode,
}

impl CostmapOwner for Owner {
    fn costmap(&self) -> &CostmapNode {
        &self.costmap
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    to_pose: GoalServer<ComputePathToPose>,
    through_poses: GoalServer<ComputePathThroughPoses>,
    _valid: Server<IsPathValid>,
    /// Dropped last: its callbacks use the rest.
    _worker: Worker,
}

const PLANNERS: PluginList<'_> = PluginList {
    parameter: "planner_plugins",
    defaults: &[("GridBased", "nav2_navfn_planner::NavfnPlanner")],
    kind: "global planner plugin",
    owner: ("Planner Server", "planners"),
};

impl Managed for Configured {
    type Owner = Owner;

    fn configure(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let planning = planning(node, &parameters, owner)?;
        let output = node.lifecycle_publisher("plan", QoS::keep_last(1))?;
        let plans = Arc::new(Plans { planning: Mutex::new(planning), output });
        let timeout = parameters.seconds("action_server_result_timeout", 10.0)?;
        let worker = Worker::managed(node, "planner")?;
        let group = worker.group();
        let (pose, poses, checked) = (plans.clone(), plans.clone(), plans);
        let check = move |request: IsPathValid_Request| {
            let is_valid = lock(&checked.planning).is_valid(&request.path);
            IsPathValid_Response { is_valid, ..IsPathValid_Response::default() }
        };
        Ok(Self {
            to_pose: GoalServer::open(node, group, "compute_path_to_pose", timeout, move |goals| {
                pose.serve(goals);
            })?,
            through_poses: GoalServer::open(
                node,
                group,
                "compute_path_through_poses",
                timeout,
                move |goals| poses.serve(goals),
            )?,
            _valid: node.service::<IsPathValid>("is_path_valid").callback_group(group).callback(check)?,
            _worker: worker,
        })
    }

    fn activate(&mut self, _node: &LifecycleNode, _owner: &Owner) -> Result<bool, ComponentError> {
        self.to_pose.activate();
        self.through_poses.activate();
        Ok(true)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, _owner: &Owner) {
        self.to_pose.deactivate();
        self.through_poses.deactivate();
    }
}

fn planning(
    node: &LifecycleNode,
    parameters: &Parameters,
    owner: &Owner,
) -> Result<Planning, ComponentError> {
    Ok(Planning {
        planners: PLANNERS.create(parameters, &owner.planners)?,
        costmap: owner.costmap.costmap().ok_or("the costmap is not configured")?,
        logger: node.logger(),
        timeout: parameters.seconds("costmap_update_timeout", 1.0)?,
        expected: parameters.optional_period("expected_planner_frequency", 1.0)?,
    })
}
