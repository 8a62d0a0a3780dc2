//! Components, and the containers that load and unload them.

use std::{
    collections::BTreeMap,
    ffi::{c_char, c_void},
    sync::Arc,
};

use saltus::{
    component::{
        ComponentError, ComponentManager, Factory, Isolation, LoadError, Loader, NodeOptions as Settings,
    },
    msgs::composition_interfaces::srv::LoadNode_Request,
};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction},
    context::Context,
    executor::Executor,
    node::{Node, NodeOptions},
    pointers::{self, Options},
    status::{
        Failure, SALTUS_ERROR, SALTUS_INVALID_SERVICE_NAME, Status, create, destroy, given, node_failure,
        place, result_of, run, value,
    },
    sync::{Mutex, lock},
};

/// The settings that a user has chosen for a component: its name, its namespace, its remappings and its parameters.
#[derive(Debug)]
pub struct ComponentOptions(Settings);

/// A component that a function has created. Later versions may have more fields at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// The size of this struct. The container sets it.
    pub struct_size: usize,
    /// The node of the component. It belongs to the component, which destroys it.
    pub node: *const Node,
    /// The argument of destroy.
    pub object: *mut c_void,
    /// Destroys the component, on any thread. No executor has its node any more, but a callback that has begun before may still run.
    /// So destroy what has callbacks first: that waits for them.
    pub destroy: DropFunction,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only pointers and a function that may be NULL.
unsafe impl Options for Component {
    const NAME: &str = "saltus_component_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            node: std::ptr::null(),
            object: std::ptr::null_mut(),
            destroy: None,
        }
    }
}

/// Creates a component, with a node of saltus_component_node_create(), and writes it to `component`. The options are valid during
/// the call. Returns SALTUS_OK. Otherwise saltus_error_message() is what the container says to the user: that of the function
/// that has failed, or of saltus_set_error_message(); then nothing may be left of the component.
pub type ComponentFunction = Option<
    extern "C" fn(
        context: *mut c_void,
        options: *const ComponentOptions,
        component: *mut Component,
    ) -> Status,
>;

type Function = Closure<extern "C" fn(*mut c_void, *const ComponentOptions, *mut Component) -> Status>;

/// Creates a component. Returns its node, and its object, which is dropped with the component.
fn create_component(
    function: &Function,
    settings: &Settings,
) -> Result<(saltus::Node, CallbackContext), ComponentError> {
    let options = ComponentOptions(settings.clone());
    let mut created = Component::defaults();
    result_of(|| (function.call)(function.context.pointer(), &raw const options, &raw mut created))?;
    let object = CallbackContext::new(created.object, created.destroy);
    let node = pointers::array(created.node, 1, "node of the component")?;
    Ok((node[0].inner.clone(), object))
}

/// The components of a container, by package and plugin name.
#[derive(Clone, Debug, Default)]
struct Components(Arc<Mutex<BTreeMap<String, BTreeMap<String, Factory>>>>);

impl Loader for Components {
    fn factory(&mut self, package: &str, plugin: &str) -> Result<Factory, LoadError> {
        let all = lock(&self.0);
        let plugins = all.get(package).ok_or(LoadError::UnknownPackage)?;
        plugins.get(plugin).cloned().ok_or(LoadError::UnknownPlugin)
    }
}

/// A container: loads and unloads components when other nodes request it.
#[derive(Debug)]
pub struct Container {
    /// A function that uses it keeps it, because a component may destroy its container while it is created.
    manager: Arc<ComponentManager>,
    components: Components,
}

impl Drop for Container {
    fn drop(&mut self) {
        self.manager.close();
    }
}

/// The options of a container.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ContainerOptions {
    /// The size of this struct. saltus_container_options_init() sets it.
    pub struct_size: usize,
    /// 0: the executor that is given runs the components. Otherwise each component has an executor of its own, with this number of
    /// threads; a callback of it that returns SALTUS_STOP ends that executor.
    pub own_threads: usize,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers.
unsafe impl Options for ContainerOptions {
    const NAME: &str = "saltus_container_options_t";

    fn defaults() -> Self {
        Self { struct_size: size_of::<Self>(), own_threads: 0 }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_container_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_options_init(options: *mut ContainerOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// Gives a node the services of a container: ~/_container/load_node, unload_node and list_nodes. Add the node to the executor.
/// `options` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_create(
    node: Option<&Node>,
    executor: Option<&Executor>,
    options: *const ContainerOptions,
    container: Option<&mut *mut Container>,
) -> Status {
    create(container, || {
        let (node, executor) = (given(node, "node")?, given(executor, "executor")?);
        let handle = executor.handle_for(&node.inner)?.clone();
        let isolation = match pointers::options(options)?.own_threads {
            0 => Isolation::Shared,
            1 => Isolation::Thread,
            more => Isolation::Threads(more),
        };
        let components = Components::default();
        let manager = ComponentManager::new(&node.inner, handle, components.clone(), isolation)
            .map_err(node_failure(SALTUS_INVALID_SERVICE_NAME))?;
        Ok(Container { manager: Arc::new(manager), components })
    })
}

/// Ends the services of a container, and destroys its components. A load or an unload on another thread has ended when this
/// function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_destroy(container: Option<Box<Container>>) {
    destroy(container);
}

/// Adds a component to those that a container can load, such as "demo::Counter" of the package "demo". One of the same name is
/// replaced. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_add(
    container: Option<&Container>,
    package: *const c_char,
    plugin: *const c_char,
    call: ComponentFunction,
    context: *mut c_void,
    drop: DropFunction,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let function: Function = Closure::given(call, context, "components")?;
        let container = given(container, "container")?;
        let package = pointers::text(package, "name of a package")?.to_owned();
        let plugin = pointers::text(plugin, "name of a component")?.to_owned();
        let factory = Factory::from_fn(move |options| create_component(&function, options));
        // The one that is replaced is dropped without the lock.
        let replaced = lock(&container.components.0).entry(package).or_default().insert(plugin, factory);
        std::mem::drop(replaced);
        Ok(())
    })
}

/// Loads a component that was added, without settings of a user, as the service does. Writes its id to `id`. Returns SALTUS_ERROR if
/// it can't be loaded; saltus_error_message() has ROS 2's text then.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_load(
    container: Option<&Container>,
    package: *const c_char,
    plugin: *const c_char,
    id: Option<&mut u64>,
) -> Status {
    run(|| {
        let (manager, place) = (given(container, "container")?.manager.clone(), place(id, "id")?);
        let request = LoadNode_Request {
            package_name: pointers::text(package, "name of a package")?.to_owned(),
            plugin_name: pointers::text(plugin, "name of a component")?.to_owned(),
            ..Default::default()
        };
        let loaded = manager.load(request);
        *place = loaded.map_err(|text| Failure::new(SALTUS_ERROR, text))?.0;
        Ok(())
    })
}

/// Unloads a component, which is given by its id: removes its node from the executor, and destroys it.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_unload(container: Option<&Container>, id: u64) -> Status {
    run(|| {
        let manager = given(container, "container")?.manager.clone();
        manager.unload(id).map_err(|text| Failure::new(SALTUS_ERROR, text))
    })
}

/// Returns how many components a container has loaded.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_container_count(container: Option<&Container>) -> usize {
    value(0, || container.map_or(0, |container| container.manager.components().len()))
}

/// Creates the settings of a component that is the whole program: the arguments of the context apply to its node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_component_options_create(
    context: Option<&Context>,
    options: Option<&mut *mut ComponentOptions>,
) -> Status {
    create(options, || {
        let context = &given(context, "context")?.inner;
        Ok(ComponentOptions(Settings::new(context).use_global_arguments(true)))
    })
}

/// Destroys settings of saltus_component_options_create().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_component_options_destroy(options: Option<Box<ComponentOptions>>) {
    destroy(options);
}

/// Creates the node of a component. The user's settings take precedence over the name and the namespace in `node_options`, which
/// must not have arguments or overrides. Its fields use_global_arguments, start_parameter_services and
/// start_parameter_event_publisher have no effect, because the user chooses these.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_component_node_create(
    options: Option<&ComponentOptions>,
    node_options: *const NodeOptions,
    node: Option<&mut *mut Node>,
) -> Status {
    create(node, || {
        let options = given(options, "options of a component")?;
        let node_options = pointers::options(node_options)?;
        if node_options.argument_count != 0 || node_options.override_count != 0 {
            return Err(Failure::argument("the user gives the arguments and overrides of a component"));
        }
        let name = pointers::text(node_options.name, "name of a node")?;
        Node::build(options.0.node(name), name, &node_options)
    })
}
