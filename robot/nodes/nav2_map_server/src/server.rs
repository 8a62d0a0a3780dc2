//! The lifecycle node `map_server`: it loads and publishes a map.

use std::{
    io,
    path::Path,
    sync::{Arc, Mutex},
};

use saltus::{
    Node, QoS, Server,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::{LifecycleNode, LifecyclePublisher, State, WeakLifecycleNode},
    msgs::{
        nav_msgs::{
            msg::OccupancyGrid as GridMessage,
            srv::{GetMap, GetMap_Response},
        },
        nav2_msgs::srv::{LoadMap, LoadMap_Response},
    },
    types::lock,
};

use saltus_server::{Managed, ManagedNode, manage};

use crate::{LoadError, load, message::to_message, unknown_keys};

const FILE: &str = "yaml_filename";
const TOPIC: &str = "topic_name";
const FRAME: &str = "frame_id";

/// Publishes a map, and loads another one on request. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `yaml_filename` (parameter) | the map that is loaded when the node is configured; none if it is empty |
/// | `topic_name` (parameter) | the topic of the map; `map` |
/// | `frame_id` (parameter) | the frame of the map; `map` |
/// | `bond_heartbeat_period` (parameter) | the period of the heartbeats to the lifecycle manager, in seconds; 0.1, or 0 for none |
/// | `map` (publisher) | the map, reliable, transient-local, depth 1 |
/// | `~/map` (service `nav_msgs/srv/GetMap`) | returns the map |
/// | `~/load_map` (service `nav2_msgs/srv/LoadMap`) | loads and publishes another map |
#[derive(Debug)]
pub struct MapServer(ManagedNode);

impl Component for MapServer {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("map_server").create()?;
        node.declare_parameter(FILE, String::new())?;
        node.declare_parameter(TOPIC, "map".to_owned())?;
        node.declare_parameter(FRAME, "map".to_owned())?;
        Ok(Self(manage::<Configured>(&node, ())?))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl MapServer {
    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    serving: Arc<Serving>,
    _servers: (Server<GetMap>, Server<LoadMap>),
}

/// The map, and its publisher.
struct Serving {
    node: WeakLifecycleNode,
    publisher: LifecyclePublisher<GridMessage>,
    frame: String,
    map: Mutex<Option<GridMessage>>,
}

impl Managed for Configured {
    type Owner = ();

    fn configure(node: &LifecycleNode, _owner: &()) -> Result<Self, ComponentError> {
        let text = |name| node.get_parameter::<String>(name);
        let (file, topic, frame) = (text(FILE)?, text(TOPIC)?, text(FRAME)?);
        let serving = Arc::new(Serving {
            node: node.downgrade(),
            publisher: node.lifecycle_publisher(&topic, QoS::keep_last(1).transient_local())?,
            frame,
            map: Mutex::default(),
        });
        if file.is_empty() {
            saltus::info!(
                node.logger(),
                "the parameter `{FILE}` is empty; set a map with the service ~/load_map"
            );
        } else {
            serving.load(node, &file)?;
        }
        let get_map = node.service::<GetMap>("~/map").callback({
            let serving = serving.clone();
            move |_| GetMap_Response { map: serving.map() }
        })?;
        let load_map = node.service::<LoadMap>("~/load_map").callback({
            let serving = serving.clone();
            move |request| serving.replace(&request.map_url)
        })?;
        Ok(Self { serving, _servers: (get_map, load_map) })
    }

    fn activate(&mut self, _node: &LifecycleNode, _owner: &()) -> Result<bool, ComponentError> {
        self.serving.publish()?;
        Ok(true)
    }
}

impl Serving {
    /// Returns the node if it is active.
    fn active(&self, request: &str) -> Option<LifecycleNode> {
        let node = self.node.upgrade()?;
        if node.state() == State::Active {
            return Some(node);
        }
        saltus::warn!(node.logger(), "Received {request} request but not in ACTIVE state, ignoring!");
        None
    }

    /// Returns the map, or an empty one if the node is not active.
    fn map(&self) -> GridMessage {
        let map = self.active("GetMap").and_then(|_| lock(&self.map).clone());
        map.unwrap_or_default()
    }

    fn load(&self, node: &LifecycleNode, file: &str) -> Result<(), LoadError> {
        let grid = load(Path::new(file))?;
        for text in unknown_keys(Path::new(file)) {
            saltus::warn!(node.logger(), "{file}: {text}");
        }
        saltus::info!(
            node.logger(),
            "Read map {file}: {} X {} map @ {} m/cell",
            grid.width,
            grid.height,
            grid.resolution
        );
        *lock(&self.map) = Some(to_message(grid, &self.frame, node.clock().now()));
        Ok(())
    }

    fn publish(&self) -> Result<(), ComponentError> {
        if let Some(map) = &*lock(&self.map) {
            self.publisher.publish(map)?;
        }
        Ok(())
    }

    /// Loads another map and publishes it. If it can't be loaded, the map stays as it is.
    fn replace(&self, file: &str) -> LoadMap_Response {
        let failed = |result| LoadMap_Response { map: GridMessage::default(), result };
        let Some(node) = self.active("LoadMap") else {
            return failed(LoadMap_Response::RESULT_UNDEFINED_FAILURE);
        };
        if let Err(error) = self.load(&node, file) {
            saltus::error!(node.logger(), "can't load the map: {error}");
            return failed(match error {
                LoadError::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound => {
                    LoadMap_Response::RESULT_MAP_DOES_NOT_EXIST
                }
                LoadError::Unreadable { .. } | LoadError::Metadata { .. } => {
                    LoadMap_Response::RESULT_INVALID_MAP_METADATA
                }
                LoadError::Image { .. } => LoadMap_Response::RESULT_INVALID_MAP_DATA,
            });
        }
        if let Err(error) = self.publish() {
            saltus::error!(node.logger(), "can't publish the map: {error}");
            return failed(LoadMap_Response::RESULT_UNDEFINED_FAILURE);
        }
        LoadMap_Response { map: self.map(), result: LoadMap_Response::RESULT_SUCCESS }
    }
}
