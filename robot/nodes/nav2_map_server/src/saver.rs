//! The lifecycle node `map_saver`: it saves maps that others publish.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::Duration,
};

use saltus::{
    Executor, Node, QoS, Server, SingleThreadedExecutor,
    component::{Component, ComponentError, NodeOptions},
    executor::{CallbackGroupKind, SpinError},
    lifecycle::LifecycleNode,
    log::Logger,
    msgs::{
        nav_msgs::msg::OccupancyGrid as GridMessage,
        nav2_msgs::srv::{SaveMap, SaveMap_Request, SaveMap_Response},
    },
    node::{NodeError, OpenError},
    param::ParameterError,
    service::{Request, Responder},
    time::system_now,
    types::lock,
};
use saltus_map::{Format, Mode, Thresholds};
use saltus_server::{Managed, ManagedNode, manage};

use crate::{SaveOptions, from_message, save};

const TIMEOUT: &str = "save_map_timeout";
const FREE: &str = "free_thresh_default";
const OCCUPIED: &str = "occupied_thresh_default";
const TRANSIENT_LOCAL: &str = "map_subscribe_transient_local";

/// Saves the map of a topic on request. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `save_map_timeout` (parameter) | the longest time for which a request waits for a map, in seconds; 2 |
/// | `free_thresh_default`, `occupied_thresh_default` (parameters) | the thresholds of requests that have none; 0.25 and 0.65 |
/// | `map_subscribe_transient_local` (parameter) | whether a map that was published before the request is taken; true |
/// | `bond_heartbeat_period` (parameter) | the period of the heartbeats to the lifecycle manager, in seconds; 0.1, or 0 for none |
/// | `~/save_map` (service `nav2_msgs/srv/SaveMap`) | waits for a map and saves it |
#[derive(Debug)]
pub struct MapSaver(ManagedNode);

impl Component for MapSaver {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("map_saver").create()?;
        SaverSettings::declare(&node)?;
        let (requests, waiting) = mpsc::sync_channel(MOST_WAITING);
        // The thread waits for maps, so that the node does not. It ends with the node.
        thread::Builder::new().name("save_map".into()).spawn({
            let node = node.clone();
            move || save_in_turn(&node, &waiting)
        })?;
        Ok(Self(manage::<Service>(&node, requests)?))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl MapSaver {
    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The service while the node is configured. After it was closed, waiting requests are dropped.
struct Service {
    _server: Server<SaveMap>,
    is_open: Arc<AtomicBool>,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.is_open.store(false, Ordering::Release);
    }
}

/// A request that waits for its turn, and its responder.
struct Waiting {
    request: Request<SaveMap>,
    responder: Responder<SaveMap>,
    settings: SaverSettings,
    is_open: Arc<AtomicBool>,
}

/// The values of the parameters of a node that saves maps.
#[derive(Clone, Copy, Debug)]
pub struct SaverSettings {
    /// The longest time to wait for a map.
    pub timeout: Duration,
    /// The thresholds that are used if no others are given.
    pub thresholds: Thresholds,
    /// Whether a map that was published before the request is taken.
    pub late: bool,
}

impl SaverSettings {
    /// Declares the parameters, and returns their values.
    ///
    /// # Errors
    ///
    /// Returns an error if a value is wrong.
    pub fn declare(node: &Node) -> Result<Self, ParameterError> {
        node.parameter(TIMEOUT).floating_point_range(0.0, 3600.0, 0.0).declare(2.0)?;
        let Thresholds { occupied, free } = Thresholds::default();
        node.parameter(FREE).floating_point_range(0.0, 1.0, 0.0).declare(free)?;
        node.parameter(OCCUPIED).floating_point_range(0.0, 1.0, 0.0).declare(occupied)?;
        node.declare_parameter(TRANSIENT_LOCAL, true)?;
        Self::read(node)
    }

    /// Returns the values of parameters that were declared.
    fn read(node: &Node) -> Result<Self, ParameterError> {
        let number = |name| node.get_parameter::<f64>(name);
        Ok(Self {
            timeout: Duration::from_secs_f64(number(TIMEOUT)?),
            thresholds: Thresholds { occupied: number(OCCUPIED)?, free: number(FREE)? },
            late: node.get_parameter(TRANSIENT_LOCAL)?,
        })
    }
}

/// Returns the name of the files of a map that the user has not named.
pub fn default_name() -> PathBuf {
    format!("map_{}", system_now().as_nanos() / 1_000_000_000).into()
}

impl Managed for Service {
    /// The queue of the requests.
    type Owner = SyncSender<Waiting>;

    fn configure(node: &LifecycleNode, requests: &Self::Owner) -> Result<Self, ComponentError> {
        let settings = SaverSettings::read(node)?;
        let (requests, logger) = (requests.clone(), node.logger());
        let is_open = Arc::new(AtomicBool::new(true));
        let server = node.service::<SaveMap>("~/save_map").deferred({
            let is_open = is_open.clone();
            move |request, responder| {
                let waiting = Waiting { request, responder, settings, is_open: is_open.clone() };
                enqueue(&requests, waiting, &logger);
            }
        })?;
        Ok(Self { _server: server, is_open })
    }
}

/// The largest number of requests that wait while a map is being saved.
const MOST_WAITING: usize = 16;

/// Queues a request, or refuses it if too many wait.
fn enqueue(requests: &SyncSender<Waiting>, request: Waiting, logger: &Logger) {
    let (what, Waiting { responder, .. }) = match requests.try_send(request) {
        Ok(()) => return,
        Err(TrySendError::Full(request)) => ("too many requests are waiting", request),
        Err(TrySendError::Disconnected(request)) => ("its thread has ended", request),
    };
    saltus::error!(logger, "Failed to save the map: {what}");
    respond(responder, false, logger);
}

/// Fulfils requests one after the other, because two could write the same files.
fn save_in_turn(node: &Node, requests: &Receiver<Waiting>) {
    for Waiting { request, responder, settings, is_open } in requests {
        if !is_open.load(Ordering::Acquire) {
            continue;
        }
        let request = request.value().map_err(ComponentError::from);
        let result = request.and_then(|request| answer(node, &request, settings, &is_open));
        let logger = node.logger();
        match &result {
            Ok(path) => saltus::info!(logger, "Map saved successfully: {}", path.display()),
            Err(error) => saltus::error!(logger, "Failed to save the map: {error}"),
        }
        respond(responder, result.is_ok(), &logger);
    }
}

fn respond(responder: Responder<SaveMap>, result: bool, logger: &Logger) {
    if let Err(error) = responder.send(&SaveMap_Response { result }) {
        saltus::warn!(logger, "can't tell whether the map was saved: {error}");
    }
}

/// Fulfils a request. Returns the path of the YAML file.
fn answer(
    node: &Node,
    request: &SaveMap_Request,
    settings: SaverSettings,
    is_open: &AtomicBool,
) -> Result<PathBuf, ComponentError> {
    let logger = node.logger();
    let topic = if request.map_topic.is_empty() { "map" } else { &request.map_topic };
    let options = options(request, settings.thresholds, &logger)?;
    saltus::info!(logger, "Saving map from '{topic}' topic to '{}' file", options.name.display());
    let map = receive(node, topic, settings.late, settings.timeout)?;
    if !is_open.load(Ordering::Acquire) {
        return Err("the node was cleaned up".into());
    }
    Ok(save(&from_message(map)?, &options)?)
}

/// Returns the options of a request. As in ROS 2, options that the request leaves out have defaults.
fn options(
    request: &SaveMap_Request,
    defaults: Thresholds,
    logger: &Logger,
) -> Result<SaveOptions, ComponentError> {
    let of = |value: f32, default| {
        if value == 0.0 { default } else { value.to_string().parse().unwrap_or(f64::NAN) }
    };
    let mode = Mode::ALL
        .into_iter()
        .find(|mode| mode.name().eq_ignore_ascii_case(&request.map_mode))
        .unwrap_or_else(|| {
            saltus::warn!(
                logger,
                "Map mode parameter not recognized: '{}', using default value (trinary)",
                request.map_mode
            );
            Mode::Trinary
        });
    let wanted = request.image_format.to_lowercase();
    let format = match &*wanted {
        "" if mode == Mode::Scale => Format::Png,
        "" => Format::Pgm,
        name => {
            let known = Format::ALL.into_iter().find(|format| format.extension() == name);
            known.ok_or_else(|| format!("the format of an image must be bmp, pgm or png, found `{name}`"))?
        }
    };
    let name = match &*request.map_url {
        "" => default_name(),
        url => url.into(),
    };
    let thresholds = Thresholds {
        occupied: of(request.occupied_thresh, defaults.occupied),
        free: of(request.free_thresh, defaults.free),
    };
    saltus_map::check_options(mode, format, thresholds)?;
    Ok(SaveOptions { name, format, mode, thresholds })
}

/// The reason why no map was received.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// The subscription can't be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The executor can't be created.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The executor has failed.
    #[error(transparent)]
    Spin(#[from] SpinError),
    /// The context was shut down before a map was published.
    #[error("interrupted before a map was published on `{0}`")]
    Interrupted(String),
    /// No map was published in time.
    #[error("no map was published on `{0}` in {1:?}")]
    Timeout(String, Duration),
}

/// Waits for the map of a topic on the thread of the caller. If `late` is true, a map that was published before is taken.
///
/// # Errors
///
/// Returns an error if no map is published in time, or if the topic can't be subscribed to.
pub fn receive(node: &Node, topic: &str, late: bool, timeout: Duration) -> Result<GridMessage, WaitError> {
    let group = node.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
    let qos = if late { QoS::keep_last(1).transient_local() } else { QoS::keep_last(10) };
    let received = Arc::new(Mutex::new(None));
    let mut executor = SingleThreadedExecutor::new(node.context())?;
    executor.add_callback_group(&group);
    let (slot, handle) = (received.clone(), executor.handle());
    let _subscription = node.subscription(topic).qos(qos).callback_group(&group).callback(move |map| {
        *lock(&slot) = Some(map);
        handle.cancel();
    })?;
    executor.spin_until_future_complete(std::future::pending::<()>(), Some(timeout))?;
    let map = lock(&received).take();
    map.ok_or_else(|| match node.context().is_shut_down() {
        true => WaitError::Interrupted(topic.into()),
        false => WaitError::Timeout(topic.into(), timeout),
    })
}
