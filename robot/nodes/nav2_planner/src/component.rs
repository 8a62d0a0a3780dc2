//! The lifecycle node.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, Weak},
    time::Duration,
};

use saltus::{
    Node, QoS, Server,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::{CallbackReturn, LifecycleNode, LifecyclePublisher},
    msgs::{
        nav_msgs::msg::Path,
        nav2_msgs::{
            action::{
                ComputePathThroughPoses, ComputePathThroughPoses_Result, ComputePathToPose,
                ComputePathToPose_Result,
            },
            srv::{IsPathValid, IsPathValid_Response},
        },
    },
    types::lock,
};
use saltus_server::{Ended, Managed, ManagedNode, Parameters, Plugins, Tasks, Worker, manage};

use crate::{
    navfn::NavFnPlanner,
    planner::Planner,
    planning::{Planning, Wanted},
};
use nav2_costmap_2d::{CostmapNode, LayerTypes};

/// Plans paths. It is a lifecycle node, and has a costmap, `global_costmap/global_costmap`, with another node.
///
/// | name | what it is |
/// |---|---|
/// | `compute_path_to_pose` (action) | plans a path to a pose |
/// | `compute_path_through_poses` (action) | plans a path through poses |
/// | `plan` (publisher) | the last path |
/// | `is_path_valid` (service) | whether the rest of a path is free |
/// | `planner_plugins` (parameter) | the names of the planners; `GridBased` |
/// | `expected_planner_frequency` (parameter) | a warning is logged if planning takes longer than its inverse; 1.0 Hz |
/// | `costmap_update_timeout` (parameter) | how long planning waits for the costmap; 1.0 s |
/// | `action_server_result_timeout` (parameter) | how long results are kept; 10.0 s |
#[derive(Debug)]
pub struct PlannerServer(ManagedNode);

/// Returns the planners of Nav2 that there are.
pub fn standard_planners() -> Plugins<Box<dyn Planner>> {
    let mut plugins = Plugins::default();
    plugins.add("nav2_navfn_planner::NavfnPlanner", NavFnPlanner::make);
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
        let costmap = CostmapNode::of_server(&node, "global_costmap", layers)?;
        Ok(Self(manage::<Configured>(&node, Owner { planners, costmap })?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// What the node has always.
struct Owner {
    planners: Plugins<Box<dyn Planner>>,
    costmap: CostmapNode,
}

/// What the node has while it is configured.
struct Configured {
    shared: Arc<Shared>,
    _valid: Server<IsPathValid>,
    /// Ended before what its callbacks use.
    _worker: Worker,
}

struct Shared {
    planning: Mutex<Planning>,
    plans: LifecyclePublisher<Path>,
    /// Set once, after what its callbacks use.
    actions: OnceLock<(Tasks<ComputePathToPose>, Tasks<ComputePathThroughPoses>)>,
}

const PLANNERS: [(&str, &str); 1] = [("GridBased", "nav2_navfn_planner::NavfnPlanner")];

impl Managed for Configured {
    type Owner = Owner;

    fn configure(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        owner.costmap.configured(node, || Self::make(node, owner))
    }

    fn activate(&mut self, _node: &LifecycleNode, owner: &Owner) -> Result<bool, ComponentError> {
        if owner.costmap.lifecycle().activate()? != CallbackReturn::Success {
            return Ok(false);
        }
        if let Some((pose, poses)) = self.shared.actions.get() {
            pose.activate();
            poses.activate();
        }
        Ok(true)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, owner: &Owner) {
        if let Some((pose, poses)) = self.shared.actions.get() {
            pose.deactivate();
            poses.deactivate();
        }
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
        let parameters = Parameters::new(node);
        let frequency: f64 = parameters.get("expected_planner_frequency", 1.0)?;
        let planning = Planning {
            planners: planners(node, &owner.planners)?,
            costmap: owner.costmap.costmap().ok_or("the costmap is not configured")?,
            logger: node.logger(),
            timeout: parameters.seconds("costmap_update_timeout", 1.0)?,
            expected: (frequency > 0.0).then(|| Duration::from_secs_f64(1.0 / frequency.max(1e-3))),
        };
        let shared = Arc::new(Shared {
            planning: Mutex::new(planning),
            plans: node.lifecycle_publisher("plan", QoS::keep_last(1))?,
            actions: OnceLock::new(),
        });
        let timeout = parameters.seconds("action_server_result_timeout", 10.0)?;
        let worker = Worker::managed(node, "planner")?;
        let _ = shared.actions.set(actions(node, &worker, timeout, &shared)?);
        let weak = Arc::downgrade(&shared);
        let check = move |request: saltus::msgs::nav2_msgs::srv::IsPathValid_Request| {
            let is_valid =
                weak.upgrade().is_some_and(|shared| lock(&shared.planning).is_valid(&request.path));
            IsPathValid_Response { is_valid, ..IsPathValid_Response::default() }
        };
        let valid =
            node.service::<IsPathValid>("is_path_valid").callback_group(worker.group()).callback(check)?;
        Ok(Self { shared, _valid: valid, _worker: worker })
    }
}

fn planners(
    node: &LifecycleNode,
    plugins: &Plugins<Box<dyn Planner>>,
) -> Result<BTreeMap<String, Box<dyn Planner>>, ComponentError> {
    let parameters = Parameters::new(node);
    let logger = node.logger();
    let say = |name: &str, kind: &str| {
        saltus::info!(logger, "Created global planner plugin {name} of type {kind}");
    };
    let made = plugins.make_all(&parameters, "planner_plugins", &PLANNERS, say)?;
    let planners: BTreeMap<_, _> = made.into_iter().map(|named| (named.name, named.plugin)).collect();
    let names: Vec<&str> = planners.keys().map(String::as_str).collect();
    saltus::info!(logger, "Planner Server has {} planners available.", names.join(" "));
    Ok(planners)
}

type Actions = (Tasks<ComputePathToPose>, Tasks<ComputePathThroughPoses>);

fn actions(
    node: &LifecycleNode,
    worker: &Worker,
    timeout: Duration,
    shared: &Arc<Shared>,
) -> Result<Actions, ComponentError> {
    let with = |weak: Weak<Shared>, work: fn(&Shared, &Actions)| {
        move || {
            if let Some(shared) = weak.upgrade()
                && let Some(actions) = shared.actions.get()
            {
                work(&shared, actions);
            }
        }
    };
    let (pose, poses) = (
        with(Arc::downgrade(shared), |shared, (pose, _)| shared.plan_to_pose(pose)),
        with(Arc::downgrade(shared), |shared, (_, poses)| shared.plan_through_poses(poses)),
    );
    Ok((
        Tasks::open(node, worker.group(), "compute_path_to_pose", timeout, pose)?,
        Tasks::open(node, worker.group(), "compute_path_through_poses", timeout, poses)?,
    ))
}

impl Shared {
    fn plan_to_pose(&self, tasks: &Tasks<ComputePathToPose>) {
        while let Some(handle) = tasks.take() {
            let Ok(goal) = handle.goal_value() else {
                tasks.end(Ended::Aborted, ComputePathToPose_Result::default());
                continue;
            };
            let start = goal.use_start.then_some(&goal.start);
            let goals = std::slice::from_ref(&goal.goal);
            let is_wanted = || tasks.is_wanted();
            let wanted = Wanted { start, goals, planner: &goal.planner_id, is_wanted: &is_wanted };
            let planned = lock(&self.planning).plan(&wanted);
            let (how, result) = match planned {
                _ if tasks.is_canceled() => (Ended::Canceled, ComputePathToPose_Result::default()),
                Ok((path, planning_time)) => {
                    // Nobody may be there to see it.
                    let _ = self.plans.publish(&path);
                    let result = ComputePathToPose_Result { path, planning_time, ..Default::default() };
                    (Ended::Succeeded, result)
                }
                Err(error) => {
                    let error_code = error.code(200);
                    let error_msg = error.to_string();
                    (Ended::Aborted, ComputePathToPose_Result { error_code, error_msg, ..Default::default() })
                }
            };
            tasks.end(how, result);
        }
    }

    fn plan_through_poses(&self, tasks: &Tasks<ComputePathThroughPoses>) {
        while let Some(handle) = tasks.take() {
            let Ok(goal) = handle.goal_value() else {
                tasks.end(Ended::Aborted, ComputePathThroughPoses_Result::default());
                continue;
            };
            let start = goal.use_start.then_some(&goal.start);
            let is_wanted = || tasks.is_wanted();
            let planner = &goal.planner_id;
            let wanted = Wanted { start, goals: &goal.goals, planner, is_wanted: &is_wanted };
            let planned = lock(&self.planning).plan(&wanted);
            let (how, result) = match planned {
                _ if tasks.is_canceled() => (Ended::Canceled, ComputePathThroughPoses_Result::default()),
                Ok((path, planning_time)) => {
                    let _ = self.plans.publish(&path);
                    let result = ComputePathThroughPoses_Result { path, planning_time, ..Default::default() };
                    (Ended::Succeeded, result)
                }
                Err(error) => {
                    let (error_code, error_msg) = (error.code(300), error.to_string());
                    (
                        Ended::Aborted,
                        ComputePathThroughPoses_Result { error_code, error_msg, ..Default::default() },
                    )
                }
            };
            tasks.end(how, result);
        }
    }
}
