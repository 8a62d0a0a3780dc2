//! The things that a layer is created with, and a layer that was created.

use std::{
    any::Any,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use saltus::{executor::CallbackGroup, lifecycle::LifecycleNode};
use saltus_costmap::{Costmap as Grid, Layer};
use saltus_nav_server::Frames;
use saltus_server::Parameters;

/// The things that a layer is created with.
#[derive(Debug)]
pub struct LayerContext<'a> {
    /// The node of the costmap.
    pub node: &'a LifecycleNode,
    /// The parameters of the layer.
    pub parameters: Parameters,
    /// The group of the layer's callbacks. They do not run while the costmap is updated.
    pub group: &'a CallbackGroup,
    /// The transforms.
    pub frames: &'a Arc<Frames>,
    /// The frame of the costmap.
    pub global_frame: &'a str,
    /// Whether the costmap moves with the robot.
    pub is_rolling: bool,
    /// Whether cells may be unknown.
    pub track_unknown: bool,
    /// Whether parameters of the layer have changed since it read them.
    pub is_changed: &'a Arc<AtomicBool>,
    /// The grid that the costmap is to have, if a layer has set it.
    pub size: &'a Arc<Mutex<Option<Grid>>>,
}

/// A layer, and the subscriptions that it needs.
pub struct CreatedLayer {
    /// The layer.
    pub layer: Box<dyn Layer>,
    /// Called before each update.
    pub before_update: Option<Box<dyn FnMut() + Send>>,
    /// Its subscriptions.
    pub kept: Vec<Box<dyn Any + Send>>,
}

impl std::fmt::Debug for CreatedLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedLayer").field("kept", &self.kept.len()).finish_non_exhaustive()
    }
}

impl LayerContext<'_> {
    /// Returns the name of a topic of the layer. As in Nav2, one that does not begin with `/` is in the namespace above that of the
    /// costmap: the namespace of the server.
    pub fn topic(&self, name: &str) -> String {
        if name.starts_with('/') {
            return name.to_owned();
        }
        let namespace = self.node.name().namespace();
        let above = namespace.rsplit_once('/').map_or("", |(above, _)| above);
        format!("{above}/{name}")
    }
}

impl CreatedLayer {
    /// Returns a layer that does nothing before updates.
    pub(crate) fn new(layer: impl Layer + 'static, kept: Vec<Box<dyn Any + Send>>) -> Self {
        Self { layer: Box::new(layer), before_update: None, kept }
    }
}
