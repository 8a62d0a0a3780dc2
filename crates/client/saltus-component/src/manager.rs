//! A node with the services of a container.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, Weak},
};

use saltus_executor::ExecutorHandle;
use saltus_msgs::composition_interfaces::srv::{
    ListNodes, ListNodes_Response, LoadNode, LoadNode_Request, LoadNode_Response, UnloadNode,
    UnloadNode_Response,
};
use saltus_node::{Node, NodeError};
use saltus_types::{QoS, lock};

use crate::{
    InProcess, Isolation, Loader,
    backend::{Backend, Loaded},
    work::Work,
};

/// The depth of the queue of requests to load and to unload, as in ROS 2.
const REQUESTS: u16 = 200;

/// Loads and unloads components when other nodes request it.
///
/// The manager gives its node the services `~/_container/load_node`, `unload_node` and `list_nodes`, with ROS 2's types
/// (`composition_interfaces`), texts and ids: the ids begin with 1 and are never used again. A component is created in the
/// callback of the service. The services end, and all components are dropped, when the manager is closed or dropped.
///
/// ```no_run
/// use saltus::{Executor, SingleThreadedExecutor, component::{ComponentManager, Isolation, Registry}};
/// let context = saltus::Context::from_args()?;
/// let node = context.node("ComponentManager").create()?;
/// let mut executor = SingleThreadedExecutor::new(&context)?;
/// let registry = Registry::default(); // .with::<Talker>("demo", "demo::Talker")
/// let _manager = ComponentManager::new(&node, executor.handle(), registry, Isolation::Shared)?;
/// executor.spin_node(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ComponentManager {
    /// The servers, until the manager is closed.
    services: Mutex<Option<Box<dyn Any + Send>>>,
    core: Arc<ManagerCore>,
}

/// The state of a manager, which its services share.
struct ManagerCore {
    node: Node,
    backend: Box<dyn Backend>,
    loaded: Mutex<Components>,
    /// The loads and unloads that run.
    work: Work,
}

/// The components that are loaded.
#[derive(Default)]
struct Components {
    /// The id of the last component that was created, or that could not be created.
    last: u64,
    all: BTreeMap<u64, Loaded>,
}

impl fmt::Debug for ComponentManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentManager").field("components", &self.components()).finish_non_exhaustive()
    }
}

impl ComponentManager {
    /// Gives a node the services of a container. `executor` must spin the node. With [`Isolation::Shared`] it also runs
    /// the components.
    ///
    /// # Errors
    ///
    /// Returns an error if a service can't be opened.
    pub fn new(
        node: &Node,
        executor: ExecutorHandle,
        loader: impl Loader + 'static,
        isolation: Isolation,
    ) -> Result<Self, NodeError> {
        let backend = InProcess::new(node.context(), node.logger(), loader, executor, isolation);
        Self::with_backend(node, backend)
    }

    /// Gives a node the services of a container whose components run where `backend` runs them.
    ///
    /// # Errors
    ///
    /// Returns an error if a service can't be opened.
    pub fn with_backend(node: &Node, backend: impl Backend + 'static) -> Result<Self, NodeError> {
        let backend: Box<dyn Backend> = Box::new(backend);
        let core = Arc::new(ManagerCore {
            node: node.clone(),
            backend,
            loaded: Mutex::default(),
            work: Work::default(),
        });
        Ok(Self { services: Mutex::new(Some(open(node, &core)?)), core })
    }

    /// Returns the ids and the full names of the components that are loaded.
    pub fn components(&self) -> Vec<(u64, String)> {
        self.core.components()
    }

    /// Loads a component, as the service does. Returns its id and its full name, or the text of the error.
    ///
    /// # Errors
    ///
    /// Returns ROS 2's text if there is no such component, if an argument is wrong, or if the component can't be created.
    pub fn load(&self, request: LoadNode_Request) -> Result<(u64, String), String> {
        self.core.load(request)
    }

    /// Unloads a component: stops its callbacks and drops it.
    ///
    /// # Errors
    ///
    /// Returns ROS 2's text if no component has this id.
    pub fn unload(&self, id: u64) -> Result<(), String> {
        self.core.unload(id)
    }

    /// Ends the services, and drops all components. A load or an unload on another thread has ended when this function returns, and
    /// none begins any more.
    pub fn close(&self) {
        drop(lock(&self.services).take());
        self.core.work.close();
        let mut all = std::mem::take(&mut lock(&self.core.loaded).all);
        // All threads end before the first node is dropped, because components may use each other.
        all.values_mut().for_each(|loaded| loaded.component.stop());
    }
}

impl Drop for ComponentManager {
    fn drop(&mut self) {
        self.close();
    }
}

/// The text for a request that comes while the container ends.
const ENDS: &str = "the container ends";

/// Opens the services.
fn open(node: &Node, core: &Arc<ManagerCore>) -> Result<Box<dyn Any + Send>, NodeError> {
    let weak: Weak<ManagerCore> = Arc::downgrade(core);
    let (loading, unloading, listing) = (weak.clone(), weak.clone(), weak);
    let load = node.service::<LoadNode>("~/_container/load_node").qos(QoS::keep_last(REQUESTS));
    let load = load.callback(move |request| {
        let result = loading.upgrade().map(|core| core.load(request));
        match result.unwrap_or_else(|| Err(ENDS.into())) {
            Ok((unique_id, full_node_name)) => {
                LoadNode_Response { success: true, full_node_name, unique_id, ..Default::default() }
            }
            Err(error_message) => LoadNode_Response { error_message, ..Default::default() },
        }
    })?;
    let unload = node.service::<UnloadNode>("~/_container/unload_node").qos(QoS::keep_last(REQUESTS));
    let unload = unload.callback(move |request| {
        let result = unloading.upgrade().map(|core| core.unload(request.unique_id));
        match result.unwrap_or_else(|| Err(ENDS.into())) {
            Ok(()) => UnloadNode_Response { success: true, error_message: String::new() },
            Err(error_message) => UnloadNode_Response { success: false, error_message },
        }
    })?;
    let list = node.service::<ListNodes>("~/_container/list_nodes").callback(move |_| {
        let (unique_ids, full_node_names) =
            listing.upgrade().iter().flat_map(|core| core.components()).unzip();
        ListNodes_Response { full_node_names, unique_ids }
    })?;
    Ok(Box::new((load, unload, list)))
}

impl ManagerCore {
    fn components(&self) -> Vec<(u64, String)> {
        lock(&self.loaded).all.iter().map(|(id, loaded)| (*id, loaded.name.clone())).collect()
    }

    fn load(&self, request: LoadNode_Request) -> Result<(u64, String), String> {
        let loaded = self.try_load(request);
        if let Err(text) = &loaded {
            saltus_node::error!(self.node.logger(), "{text}");
        }
        loaded
    }

    fn try_load(&self, request: LoadNode_Request) -> Result<(u64, String), String> {
        let _working = self.work.begin().ok_or(ENDS)?;
        let create = self.backend.find(&request)?;
        // The id is used up even if the component can't be created.
        let id = {
            let mut loaded = lock(&self.loaded);
            loaded.last = loaded.last.checked_add(1).ok_or("Maximum number of components reached")?;
            loaded.last
        };
        let loaded = create(id, request)?;
        let name = loaded.name.clone();
        // A component that has closed its own container while it was created is dropped.
        if self.work.is_closed() {
            return Err(ENDS.into());
        }
        lock(&self.loaded).all.insert(id, loaded);
        Ok((id, name))
    }

    fn unload(&self, id: u64) -> Result<(), String> {
        let _working = self.work.begin().ok_or(ENDS)?;
        let unloaded = lock(&self.loaded).all.remove(&id);
        match unloaded {
            // The component is dropped here, without a lock: it may load or unload others meanwhile.
            Some(unloaded) => drop(unloaded),
            None => {
                let text = format!("No node found with unique_id: {id}");
                saltus_node::warn!(self.node.logger(), "{text}");
                return Err(text);
            }
        }
        Ok(())
    }
}
