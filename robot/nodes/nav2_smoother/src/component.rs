//! The lifecycle node.

use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

use saltus::{
    Node, QoS,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::{LifecycleNode, LifecyclePublisher},
    log::Logger,
    msgs::{
        nav_msgs::msg::Path,
        nav2_msgs::action::{SmoothPath, SmoothPath_Goal, SmoothPath_Result},
    },
    types::lock,
};
use saltus_motion::Pose;
use saltus_nav_server::{Frames, PluginList, from_duration, from_path, to_duration, to_path};
use saltus_server::{
    GoalOutcome, GoalServer, Goals, Managed, ManagedNode, Named, Parameters, Plugins, Worker, find_plugin,
    manage,
};

use crate::smoother::{Smoother, simple};
use nav2_costmap_2d::{RemoteCostmap, RemoteTopics};

/// Makes paths smooth. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `smooth_path` (action) | makes a path smooth |
/// | `plan_smoothed` (publisher) | the last path |
/// | `smoother_plugins` (parameter) | the names of the smoothers; `simple_smoother` |
/// | `costmap_topic`, `footprint_topic` (parameters) | the topics of the costs and of the footprint |
/// | `robot_base_frame` (parameter) | the frame of the robot; `base_link` |
/// | `action_server_result_timeout` (parameter) | the time for which results are kept; 10.0 s |
#[derive(Debug)]
pub struct SmootherServer(ManagedNode);

/// Returns the smoothers of Nav2.
pub fn standard_smoothers() -> Plugins<Box<dyn Smoother>> {
    let mut plugins = Plugins::default();
    plugins.add("nav2_smoother::SimpleSmoother", simple);
    plugins
}

impl Component for SmootherServer {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        Self::with(options, standard_smoothers())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl SmootherServer {
    /// Returns a server that knows these smoothers.
    ///
    /// # Errors
    ///
    /// Returns an error if the node can't be opened.
    pub fn with(
        options: &NodeOptions,
        smoothers: Plugins<Box<dyn Smoother>>,
    ) -> Result<Self, ComponentError> {
        let node = options.node("smoother_server").create()?;
        Ok(Self(manage::<Configured>(&node, smoothers)?))
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    server: GoalServer<SmoothPath>,
    /// Dropped last: its callbacks use the rest.
    _worker: Worker,
}

/// The work of the server.
struct Smoothing {
    logger: Logger,
    smoothers: Mutex<Vec<Named<Box<dyn Smoother>>>>,
    costmap: RemoteCostmap,
    plans: LifecyclePublisher<Path>,
}

/// The reason why there is no smooth path: the code in results, and a text.
type Failure = (u16, String);

const SMOOTHERS: PluginList<'_> = PluginList {
    parameter: "smoother_plugins",
    defaults: &[("simple_smoother", "nav2_smoother::SimpleSmoother")],
    kind: "smoother :",
    owner: ("Smoother Server", "smoothers"),
};

impl Managed for Configured {
    type Owner = Plugins<Box<dyn Smoother>>;

    fn configure(node: &LifecycleNode, plugins: &Self::Owner) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let worker = Worker::managed(node, "smoother")?;
        let group = worker.group();
        let frames = Arc::new(Frames::new(node, group)?);
        let topics = RemoteTopics {
            costs: &parameters.text("costmap_topic", "global_costmap/costmap_raw")?,
            footprint: &parameters.text("footprint_topic", "global_costmap/published_footprint")?,
            base_frame: &parameters.text("robot_base_frame", "base_link")?,
            tolerance: parameters.seconds("transform_tolerance", 0.1)?,
        };
        let smoothing = Smoothing {
            logger: node.logger(),
            smoothers: Mutex::new(SMOOTHERS.create(&parameters, plugins)?),
            costmap: RemoteCostmap::new(node, group, &frames, &topics)?,
            plans: node.lifecycle_publisher("plan_smoothed", QoS::keep_last(1))?,
        };
        let timeout = parameters.seconds("action_server_result_timeout", 10.0)?;
        let serve = move |goals: &Goals<_>| smoothing.serve(goals);
        Ok(Self { server: GoalServer::open(node, group, "smooth_path", timeout, serve)?, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, _plugins: &Self::Owner) -> Result<bool, ComponentError> {
        self.server.activate();
        Ok(true)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, _plugins: &Self::Owner) {
        self.server.deactivate();
    }
}

impl Smoothing {
    /// Smooths the paths of all pending goals.
    fn serve(&self, goals: &Goals<SmoothPath>) {
        goals.serve(|handle| {
            saltus::info!(self.logger, "Received a path to smooth.");
            let smoothed = match handle.goal_value() {
                Ok(goal) => self.smooth(&goal),
                Err(error) => Err((SmoothPath_Result::UNKNOWN, error.to_string())),
            };
            match smoothed {
                Ok(result) => {
                    // There may be no subscriber.
                    let _ = self.plans.publish(&result.path);
                    (GoalOutcome::Succeeded, result)
                }
                Err((error_code, error_msg)) => {
                    saltus::error!(self.logger, "{error_msg}");
                    let result = SmoothPath_Result { error_code, error_msg, ..Default::default() };
                    (GoalOutcome::Aborted, result)
                }
            }
        });
    }

    fn smooth(&self, goal: &SmoothPath_Goal) -> Result<SmoothPath_Result, Failure> {
        let mut path = from_path(&goal.path).filter(|path| !path.is_empty()).ok_or_else(|| {
            (SmoothPath_Result::INVALID_PATH, "Requested path to smooth is invalid".to_owned())
        })?;
        let map = self.costmap.map();
        let map = map.ok_or_else(|| (SmoothPath_Result::UNKNOWN, "Costmap is not available".to_owned()))?;
        let begin = Instant::now();
        let allowed = from_duration(&goal.max_smoothing_duration);
        let was_completed = {
            let mut smoothers = lock(&self.smoothers);
            let smoother = self.smoother(&mut smoothers, &goal.smoother_id)?;
            smoother
                .smooth(&map, &mut path, allowed)
                .map_err(|error| (SmoothPath_Result::TIMEOUT, error.to_string()))?
        };
        if goal.check_for_collisions {
            self.check(&path)?;
        }
        Ok(SmoothPath_Result {
            path: to_path(&goal.path.header, &path),
            smoothing_duration: to_duration(begin.elapsed()),
            was_completed,
            ..Default::default()
        })
    }

    fn smoother<'a>(
        &self,
        smoothers: &'a mut [Named<Box<dyn Smoother>>],
        name: &str,
    ) -> Result<&'a mut dyn Smoother, Failure> {
        let Some(index) = find_plugin(smoothers, name) else {
            let names: Vec<&str> = smoothers.iter().map(|named| named.name.as_str()).collect();
            saltus::error!(
                self.logger,
                "SmoothPath called with smoother name {name}, which does not exist. Available smoothers are: {}.",
                names.join(" ")
            );
            return Err((SmoothPath_Result::INVALID_SMOOTHER, format!("Invalid Smoother: {name}")));
        };
        Ok(&mut *smoothers[index].plugin)
    }

    /// Checks that the robot touches nothing on a path.
    fn check(&self, path: &[Pose]) -> Result<(), Failure> {
        match path.iter().find(|pose| !self.costmap.is_free(pose)) {
            None => Ok(()),
            Some(Pose { x, y, yaw }) => Err((
                SmoothPath_Result::SMOOTHED_PATH_IN_COLLISION,
                format!("Smoothed Path collided at X: {x:.6} Y: {y:.6} Theta: {yaw:.6}"),
            )),
        }
    }
}
