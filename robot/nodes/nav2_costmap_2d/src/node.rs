//! The lifecycle node of a costmap.

use std::{
    any::Any,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{
    Node, Subscription, Timer,
    component::ComponentError,
    context::RosArgs,
    lifecycle::{CallbackReturn, LifecycleNode},
    msgs::geometry_msgs::msg::Polygon,
    param::ParameterCallback,
    types::lock,
};
use saltus_costmap::{Footprint, LayeredCostmap};
use saltus_nav_server::Frames;
use saltus_server::{Managed, ManagedNode, Parameters, Worker, manage, on_panic};

use crate::{
    context::LayerContext,
    costmap::{Costmap, CostmapState},
    plugins::LayerTypes,
    publish::Publisher,
    services::services,
    settings::Settings,
    updater::Updater,
};

/// The lifecycle node of a costmap. Its callbacks run on a thread of its own.
///
/// | name | description |
/// |---|---|
/// | `costmap` (publisher) | all costs as an occupancy grid, transient-local; `costmap_updates` has those that changed |
/// | `costmap_raw` (publisher) | all costs as they are, transient-local; `costmap_raw_updates` has those that changed |
/// | `published_footprint` (publisher) | the area that the robot covers on the ground |
/// | `footprint` (subscription) | another footprint |
/// | `get_costmap`, `get_cost_NAME` (services) | all costs, or one |
/// | `clear_entirely_NAME`, `clear_except_NAME`, `clear_around_NAME`, `clear_around_pose_NAME` (services) | forget obstacles |
///
/// The parameters are those of Nav2.
#[derive(Debug)]
pub struct CostmapNode {
    lifecycle: ManagedNode,
    state: Arc<CostmapNodeState>,
}

/// The things that the node owns in all states. The callbacks of its lifecycle use them, too.
struct CostmapNodeState {
    name: String,
    types: LayerTypes,
    worker: Worker,
    is_managed: bool,
    /// The costmap, while the node is configured.
    costmap: Mutex<Option<Costmap>>,
}

impl std::fmt::Debug for CostmapNodeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CostmapNodeState").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The things that the node owns while it is configured.
struct Running {
    updater: Arc<Updater>,
    timeout: Duration,
    period: Option<Duration>,
    timer: Option<Timer>,
    _kept: Vec<Box<dyn Any + Send>>,
    _footprint: Subscription<Polygon>,
    _parameters: [ParameterCallback; 2],
}

impl CostmapNode {
    /// Gives a node the lifecycle of a costmap. If it `is_managed`, it has a bond with its lifecycle manager.
    ///
    /// # Errors
    ///
    /// Returns an error if the services of the lifecycle can't be opened, or if the thread can't be started.
    pub fn new(node: &Node, types: LayerTypes, is_managed: bool) -> Result<Self, ComponentError> {
        let name = node.name().base().to_owned();
        let worker = Worker::start(node, &name)?;
        let state = Arc::new(CostmapNodeState { name, types, worker, is_managed, costmap: Mutex::default() });
        let lifecycle = manage::<Running>(node, state.clone())?;
        if is_managed {
            state.worker.on_panic(on_panic(&lifecycle));
        }
        Ok(Self { lifecycle, state })
    }

    /// Returns a costmap for a server. Its node has the name of the costmap, in the namespace `NAMESPACE_OF_THE_SERVER/NAME`, and is
    /// run by the thread of the costmap. The server configures and activates it.
    ///
    /// # Errors
    ///
    /// See [`new`](Self::new).
    pub fn for_server(server: &Node, name: &str, types: LayerTypes) -> Result<Self, ComponentError> {
        let namespace = format!("{}/{name}", server.name().namespace().trim_end_matches('/'));
        let simulated = saltus::param::ParameterValue::Bool(server.get_parameter_or("use_sim_time", false));
        let context = server.context().clone();
        // The arguments of the program may have a name for the node of a container.
        let words = ["--ros-args", "-r", &format!("__node:={name}"), "-r", &format!("__ns:={namespace}")];
        let own = RosArgs::parse(words)?;
        let node = context.node(name).args(own).parameter_override("use_sim_time", simulated);
        let costmap = Self::new(&node.create()?, types, false)?;
        costmap.state.worker.add_node(&costmap.lifecycle);
        Ok(costmap)
    }

    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.lifecycle
    }

    /// Configures the costmap, and then calls `make`, which configures the server. If that fails, the costmap is cleaned up. If a callback of
    /// the costmap panics, the server is deactivated.
    ///
    /// # Errors
    ///
    /// Returns an error if the costmap can't be configured, or that of `make`.
    pub fn configured<T>(
        &self,
        server: &LifecycleNode,
        make: impl FnOnce() -> Result<T, ComponentError>,
    ) -> Result<T, ComponentError> {
        self.state.worker.on_panic(on_panic(server));
        if self.lifecycle.configure()? != CallbackReturn::Success {
            return Err("the costmap can't be configured".into());
        }
        make().inspect_err(|_| {
            // The first error is returned.
            let _ = self.lifecycle.cleanup();
        })
    }

    /// Returns the thread of the costmap.
    pub fn worker(&self) -> &Worker {
        &self.state.worker
    }

    /// Returns the costmap, if the node is configured.
    pub fn costmap(&self) -> Option<Costmap> {
        lock(&self.state.costmap).clone()
    }
}

impl Managed for Running {
    type Owner = Arc<CostmapNodeState>;

    fn has_bond(state: &Arc<CostmapNodeState>) -> bool {
        state.is_managed
    }

    fn configure(node: &LifecycleNode, state: &Arc<CostmapNodeState>) -> Result<Self, ComponentError> {
        if state.worker.has_ended() {
            return Err("the thread of the costmap has ended after a panic; load the node again".into());
        }
        let running = Self::new(node, state)?;
        *lock(&state.costmap) = Some(running.updater.costmap.clone());
        Ok(running)
    }

    fn activate(
        &mut self,
        node: &LifecycleNode,
        state: &Arc<CostmapNodeState>,
    ) -> Result<bool, ComponentError> {
        self.updater.restart();
        // The thread of the costmap can't wait for transforms that it receives itself.
        if !state.worker.is_current_thread() && !self.updater.wait_for_robot(node, self.timeout) {
            return Ok(false);
        }
        self.updater.update();
        self.start(node, state.worker.group())?;
        Ok(true)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, _state: &Arc<CostmapNodeState>) {
        self.timer = None;
    }

    fn cleanup(self, state: &Arc<CostmapNodeState>) {
        // Dropped without the lock.
        let costmap = lock(&state.costmap).take();
        drop(costmap);
    }
}

impl Running {
    fn new(node: &LifecycleNode, state: &CostmapNodeState) -> Result<Self, ComponentError> {
        let parameters = Parameters::new(node);
        let settings = Settings::read(&parameters)?;
        let group = state.worker.group();
        let frames = Arc::new(Frames::new(node, group)?);
        let size = Arc::default();
        let (mut layers, mut before, mut kept, mut flags) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (name, kind) in &settings.layers {
            saltus::info!(node.logger(), "Using plugin \"{name}\"");
            let is_changed = Arc::new(AtomicBool::new(false));
            let context = LayerContext {
                node,
                parameters: Parameters::for_plugin(node, name),
                group,
                frames: &frames,
                global_frame: &settings.global_frame,
                is_rolling: settings.is_rolling,
                track_unknown: settings.track_unknown,
                is_changed: &is_changed,
                size: &size,
            };
            let created =
                state.types.create(kind, &context).map_err(|error| format!("layer {name}: {error}"))?;
            layers.push(created.layer);
            before.extend(created.before_update);
            kept.extend(created.kept);
            flags.push((format!("{name}."), is_changed));
            saltus::info!(node.logger(), "Initialized plugin \"{name}\"");
        }
        let layered =
            LayeredCostmap::new(settings.grid(), settings.is_rolling, settings.footprint.clone(), layers);
        let costmap = CostmapState {
            node: node.downgrade(),
            name: state.name.clone(),
            clock: node.clock().clone(),
            frames,
            global_frame: settings.global_frame.clone(),
            base_frame: settings.base_frame.clone(),
            layered: Mutex::new(layered),
            updates: Mutex::new(0),
            updated: Condvar::new(),
        };
        let costmap = Costmap(Arc::new(costmap));
        let publisher = Publisher::new(node, group, settings.publish_period, settings.always_sends_all)?;
        let updater = Arc::new(Updater::new(costmap.clone(), publisher, before, size));
        kept.extend(services(node, group, &updater)?);
        Ok(Self {
            _footprint: footprint(node, state, &costmap, settings.padding)?,
            _parameters: changes(node, &costmap, flags),
            updater,
            timeout: settings.transform_timeout,
            period: settings.update_period,
            timer: None,
            _kept: kept,
        })
    }

    /// Starts the updates.
    fn start(
        &mut self,
        node: &LifecycleNode,
        group: &saltus::executor::CallbackGroup,
    ) -> Result<(), ComponentError> {
        let Some(period) = self.period else { return Ok(()) };
        let updater = self.updater.clone();
        let update = move || {
            updater.update();
        };
        self.timer = Some(node.timer(period).callback_group(group).callback(update)?);
        Ok(())
    }
}

/// Subscribes to other footprints.
fn footprint(
    node: &LifecycleNode,
    state: &CostmapNodeState,
    costmap: &Costmap,
    padding: f64,
) -> Result<Subscription<Polygon>, ComponentError> {
    let (costmap, logger) = (costmap.clone(), node.logger());
    let change = move |polygon: Polygon| {
        let corners = polygon.points.iter().map(|point| [f64::from(point.x), f64::from(point.y)]).collect();
        match Footprint::polygon(corners) {
            Some(footprint) => costmap.lock().set_footprint(footprint.padded(padding)),
            None => {
                saltus::error!(logger, "a footprint of fewer than three points, or not finite, is not used");
            }
        }
    };
    Ok(node.subscription("footprint").callback_group(state.worker.group()).callback(change)?)
}

/// Parameters of layers and of the footprint have an effect at once. A value that can't be used is rejected.
fn changes(
    node: &LifecycleNode,
    costmap: &Costmap,
    flags: Vec<(String, Arc<AtomicBool>)>,
) -> [ParameterCallback; 2] {
    let weak = node.downgrade();
    let check = node.on_set_parameters(move |proposed| {
        let Some(node) = weak.upgrade() else { return Ok(()) };
        let settings = Settings::read(&Parameters::new(&node).proposing(proposed));
        settings.map(drop).map_err(|error| error.to_string())
    });
    let (weak, costmap) = (node.downgrade(), costmap.clone());
    let apply = node.on_post_set_parameters(move |changed| {
        for parameter in changed {
            for (prefix, flag) in &flags {
                if parameter.name.starts_with(prefix) {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        }
        let is_footprint = |name: &str| matches!(name, "footprint" | "footprint_padding" | "robot_radius");
        if !changed.iter().any(|parameter| is_footprint(&parameter.name)) {
            return;
        }
        let Some(node) = weak.upgrade() else { return };
        match Settings::read(&Parameters::new(&node)) {
            Ok(settings) => costmap.lock().set_footprint(settings.footprint),
            Err(error) => saltus::warn!(node.logger(), "the footprint is not used: {error}"),
        }
    });
    [check, apply]
}
