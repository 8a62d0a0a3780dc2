//! A node with the services of a container.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, Weak},
};

use saltus_executor::ExecutorHandle;
use saltus_msgs::{
    composition_interfaces::srv::{
        ListNodes, ListNodes_Response, LoadNode, LoadNode_Request, LoadNode_Response, UnloadNode,
        UnloadNode_Response,
    },
    rcl_interfaces::msg,
};
use saltus_node::{Logger, Node, NodeError, ParameterValue, parameter_of};
use saltus_types::{QoS, lock};

use crate::{Factory, Isolation, Loader, NodeOptions, running::Running};

/// The depth of the queue of requests to load and to unload, as in ROS 2.
const REQUESTS: u16 = 200;

/// Loads and unloads components when other nodes request it.
///
/// It gives its node the services `~/_container/load_node`, `unload_node` and `list_nodes`, with ROS 2's types
/// (`composition_interfaces`), texts and ids: the ids begin with 1 and are never used again. A component is created in the
/// callback of the service. The services end, and all components are dropped, when this is dropped.
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
    /// The servers. They end first, so that nothing is loaded while the components are dropped.
    _services: Box<dyn Any + Send + Sync>,
    core: Arc<Core>,
}

struct Core {
    node: Node,
    executor: ExecutorHandle,
    isolation: Isolation,
    loader: Mutex<Box<dyn Loader>>,
    loaded: Mutex<Loaded>,
}

/// The components that are loaded.
#[derive(Default)]
struct Loaded {
    /// The id of the last component that was created, or that could not be created.
    last: u64,
    all: BTreeMap<u64, (String, Running)>,
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
        let core = Arc::new(Core {
            node: node.clone(),
            executor,
            isolation,
            loader: Mutex::new(Box::new(loader)),
            loaded: Mutex::default(),
        });
        Ok(Self { _services: open(node, &core)?, core })
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
}

impl Drop for ComponentManager {
    fn drop(&mut self) {
        let mut all = std::mem::take(&mut lock(&self.core.loaded).all);
        // All threads end before the first node is dropped, because components may use each other.
        all.values_mut().for_each(|(_, running)| running.stop());
    }
}

/// Opens the services.
fn open(node: &Node, core: &Arc<Core>) -> Result<Box<dyn Any + Send + Sync>, NodeError> {
    let weak: Weak<Core> = Arc::downgrade(core);
    let (loading, unloading, listing) = (weak.clone(), weak.clone(), weak);
    let load = node.service::<LoadNode>("~/_container/load_node").qos(QoS::keep_last(REQUESTS));
    let load = load.callback(move |request| {
        let result = loading.upgrade().map(|core| core.load(request));
        match result.unwrap_or_else(|| Err("the container ends".into())) {
            Ok((unique_id, full_node_name)) => {
                LoadNode_Response { success: true, full_node_name, unique_id, ..Default::default() }
            }
            Err(error_message) => LoadNode_Response { error_message, ..Default::default() },
        }
    })?;
    let unload = node.service::<UnloadNode>("~/_container/unload_node").qos(QoS::keep_last(REQUESTS));
    let unload = unload.callback(move |request| {
        let result = unloading.upgrade().map(|core| core.unload(request.unique_id));
        match result.unwrap_or_else(|| Err("the container ends".into())) {
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

impl Core {
    fn components(&self) -> Vec<(u64, String)> {
        lock(&self.loaded).all.iter().map(|(id, (name, _))| (*id, name.clone())).collect()
    }

    fn load(&self, request: LoadNode_Request) -> Result<(u64, String), String> {
        let logger = self.node.logger();
        let loaded = self.try_load(request, &logger);
        if let Err(text) = &loaded {
            saltus_node::error!(logger, "{text}");
        }
        loaded
    }

    fn try_load(&self, request: LoadNode_Request, logger: &Logger) -> Result<(u64, String), String> {
        let (package, plugin) = (request.package_name.clone(), request.plugin_name.clone());
        let factory = lock(&self.loader).factory(&package, &plugin).map_err(|error| error.to_string())?;
        saltus_node::info!(logger, "Found class: {plugin}");
        let options = self.extra_arguments(&request.extra_arguments, logger)?;
        // The id is used up even if the component can't be created.
        let id = {
            let mut loaded = lock(&self.loaded);
            loaded.last = loaded.last.checked_add(1).ok_or("Maximum number of components reached")?;
            loaded.last
        };
        saltus_node::info!(logger, "Instantiate class: {plugin}");
        let running = self.create(&factory, options, request);
        let (name, running) =
            running.map_err(|e| format!("Component constructor threw an exception: {e}"))?;
        lock(&self.loaded).all.insert(id, (name.clone(), running));
        Ok((id, name))
    }

    /// Reads the extra arguments. All of them are booleans.
    fn extra_arguments(&self, arguments: &[msg::Parameter], logger: &Logger) -> Result<NodeOptions, String> {
        let mut options = NodeOptions::new(self.node.context());
        for argument in arguments {
            let name = &argument.name;
            let parameter = parameter_of(argument.clone()).map_err(|error| error.to_string())?;
            let ParameterValue::Bool(value) = parameter.value else {
                return Err(format!("Extra component argument '{name}' must be a boolean"));
            };
            options = match (name.as_str(), value) {
                ("forward_global_arguments", true) => {
                    saltus_node::warn!(
                        logger,
                        "with forward_global_arguments, the arguments of the container apply to the component"
                    );
                    options.use_global_arguments(true)
                }
                ("forward_global_arguments", false) => options,
                ("start_parameter_services", value) => options.start_parameter_services(value),
                // Messages between components are never copied, and logs are published if those of the container are.
                ("use_intra_process_comms" | "use_clock_thread", _)
                | ("enable_rosout" | "start_parameter_event_publisher", true)
                | ("enable_topic_statistics" | "enable_logger_service", false) => options,
                (
                    "enable_rosout"
                    | "start_parameter_event_publisher"
                    | "enable_topic_statistics"
                    | "enable_logger_service",
                    value,
                ) => {
                    saltus_node::warn!(
                        logger,
                        "the extra component argument '{name}' with {value} has no effect"
                    );
                    options
                }
                _ => return Err(format!("Extra component argument '{name}' is not supported")),
            };
        }
        Ok(options)
    }

    /// Creates a component and runs its callbacks. Returns its full name.
    fn create(
        &self,
        factory: &Factory,
        options: NodeOptions,
        request: LoadNode_Request,
    ) -> Result<(String, Running), Box<dyn std::error::Error + Send + Sync>> {
        let mut arguments = vec!["--ros-args".to_owned()];
        let rules = request.remap_rules.into_iter();
        let name = (!request.node_name.is_empty()).then(|| format!("__node:={}", request.node_name));
        let namespace =
            (!request.node_namespace.is_empty()).then(|| format!("__ns:={}", request.node_namespace));
        for rule in rules.chain(name).chain(namespace) {
            arguments.extend(["-r".to_owned(), rule]);
        }
        let mut options = options.arguments(arguments)?;
        for parameter in request.parameters {
            let parameter = parameter_of(parameter)?;
            options = options.parameter_override(parameter.name, parameter.value);
        }
        let component = factory.create(&options)?;
        let name = component.node().name().fully_qualified();
        Ok((name, Running::start(component, self.isolation, &self.executor)?))
    }

    fn unload(&self, id: u64) -> Result<(), String> {
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
