//! Nodes.

use std::ffi::c_char;

use saltus::{
    context::RosArgs,
    executor::{CallbackGroup, CallbackGroupKind},
    node::NodeBuilder,
    types::{validate_namespace, validate_node_name},
};

use crate::{
    context::Context,
    group::{Group, SALTUS_GROUP_MUTUALLY_EXCLUSIVE, SALTUS_GROUP_REENTRANT},
    parameter_value::{self, Parameter},
    pointers::{self, Options},
    status::{
        Failure, SALTUS_INVALID_NAMESPACE, SALTUS_INVALID_NODE_NAME, SALTUS_INVALID_SERVICE_NAME,
        SALTUS_INVALID_TOPIC_NAME, Status, create, destroy, given, node_failure,
    },
    text::{self, Text},
};

/// A node.
#[derive(Debug)]
pub struct Node {
    pub(crate) inner: saltus::Node,
    name: Text,
    namespace: Text,
    full_name: Text,
    logger_name: Text,
}

impl Node {
    /// Creates a node. Applies the options that a component may also choose; the caller has applied the others.
    pub(crate) fn build(
        builder: NodeBuilder<'_>,
        name: &str,
        options: &NodeOptions,
    ) -> Result<Self, Failure> {
        let name_space = pointers::optional_text(options.name_space, "namespace")?.unwrap_or("");
        validate_node_name(name).map_err(|error| Failure::new(SALTUS_INVALID_NODE_NAME, error))?;
        let full = if name_space.starts_with('/') { name_space.to_owned() } else { format!("/{name_space}") };
        validate_namespace(&full).map_err(|error| Failure::new(SALTUS_INVALID_NAMESPACE, error))?;
        let inner = builder
            .namespace(name_space)
            .allow_undeclared_parameters(options.allow_undeclared_parameters != 0)
            .automatically_declare_parameters_from_overrides(options.declare_overrides != 0)
            .clock_thread(options.clock_thread != 0)
            .create()
            .map_err(node_failure(SALTUS_INVALID_NODE_NAME))?;
        Ok(Self {
            name: Text::new(inner.name().base()),
            namespace: Text::new(inner.name().namespace()),
            full_name: Text::new(&inner.name().fully_qualified()),
            logger_name: Text::new(inner.logger().name()),
            inner,
        })
    }

    /// Returns the callback group of an option, or the default group of the node.
    pub(crate) fn group(&self, group: Option<&Group>) -> CallbackGroup {
        group.map_or(self.inner.default_callback_group(), |group| &group.0).clone()
    }
}

/// The options of a node.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NodeOptions {
    /// The size of this struct. saltus_node_options_init() sets it.
    pub struct_size: usize,
    /// The name of the node.
    pub name: *const c_char,
    /// The namespace of the node. NULL is the root.
    pub name_space: *const c_char,
    /// The number of arguments that are only for this node.
    pub argument_count: usize,
    /// The arguments that are only for this node, with --ros-args. They come before those of the context.
    pub arguments: *const *const c_char,
    /// The number of values in overrides.
    pub override_count: usize,
    /// The values that parameters get instead of their defaults. They come before those of arguments.
    pub overrides: *const Parameter,
    /// 1: the arguments of the context are for this node too.
    pub use_global_arguments: u8,
    /// 1: the node has the services for its parameters.
    pub start_parameter_services: u8,
    /// 1: parameters may be set without being declared.
    pub allow_undeclared_parameters: u8,
    /// 1: each parameter with an override is declared.
    pub declare_overrides: u8,
    /// 1: a thread receives simulated time, so that the clock goes on if nobody spins the node.
    pub clock_thread: u8,
    /// 1: changes of parameters are published on /parameter_events, also without the services.
    pub start_parameter_event_publisher: u8,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for NodeOptions {
    const NAME: &str = "saltus_node_options_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            name: std::ptr::null(),
            name_space: std::ptr::null(),
            argument_count: 0,
            arguments: std::ptr::null(),
            override_count: 0,
            overrides: std::ptr::null(),
            use_global_arguments: 1,
            start_parameter_services: 1,
            allow_undeclared_parameters: 0,
            declare_overrides: 0,
            clock_thread: 0,
            start_parameter_event_publisher: 1,
        }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_node_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_options_init(options: *mut NodeOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// Creates a node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_create(
    context: Option<&Context>,
    options: *const NodeOptions,
    node: Option<&mut *mut Node>,
) -> Status {
    create(node, || {
        let context = given(context, "context")?;
        let options = pointers::options(options)?;
        let name = pointers::text(options.name, "name of a node")?;
        let arguments = pointers::texts(options.arguments, options.argument_count, "argument")?;
        let args = RosArgs::parse(arguments).map_err(saltus::context::ContextError::from)?;
        let mut builder = context
            .inner
            .node(name)
            .args(args)
            .use_global_arguments(options.use_global_arguments != 0)
            .start_parameter_services(options.start_parameter_services != 0)
            .start_parameter_event_publisher(options.start_parameter_event_publisher != 0);
        for one in parameter_value::read_all(options.overrides, options.override_count)? {
            builder = builder.parameter_override(one.name, one.value);
        }
        Node::build(builder, name, &options)
    })
}

/// Leaves the graph as soon as everything that was made from the node is destroyed too.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_destroy(node: Option<Box<Node>>) {
    destroy(node);
}

/// Returns the name of a node. It is valid as long as the node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_name(node: Option<&Node>) -> *const c_char {
    node.map_or(c"".as_ptr(), |node| node.name.pointer())
}

/// Returns the namespace of a node. It is valid as long as the node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_namespace(node: Option<&Node>) -> *const c_char {
    node.map_or(c"".as_ptr(), |node| node.namespace.pointer())
}

/// Returns the namespace and the name of a node. The text is valid as long as the node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_full_name(node: Option<&Node>) -> *const c_char {
    node.map_or(c"".as_ptr(), |node| node.full_name.pointer())
}

/// Returns the name of the logger of a node. It is valid as long as the node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_logger_name(node: Option<&Node>) -> *const c_char {
    node.map_or(c"".as_ptr(), |node| node.logger_name.pointer())
}

/// Returns the full name of a topic that the node calls `name`: expanded, and remapped.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_resolve_topic(
    node: Option<&Node>,
    name: *const c_char,
    resolved: Option<&mut *mut Text>,
) -> Status {
    text::write(resolved, || {
        let (node, name) = (given(node, "node")?, pointers::text(name, "name of a topic")?);
        let resolved = node.inner.resolve_topic_name(name);
        Ok(resolved.map_err(|error| Failure::new(SALTUS_INVALID_TOPIC_NAME, error))?.as_str().to_owned())
    })
}

/// Returns the full name of a service that the node calls `name`: expanded, and remapped.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_resolve_service(
    node: Option<&Node>,
    name: *const c_char,
    resolved: Option<&mut *mut Text>,
) -> Status {
    text::write(resolved, || {
        let (node, name) = (given(node, "node")?, pointers::text(name, "name of a service")?);
        let resolved = node.inner.resolve_service_name(name);
        Ok(resolved.map_err(|error| Failure::new(SALTUS_INVALID_SERVICE_NAME, error))?.as_str().to_owned())
    })
}

/// Creates a callback group. If `follows_node` is true, each executor of the node runs it too; otherwise it is added to an
/// executor by itself. The group exists as long as this handle, or a callback in it.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_group_create(
    node: Option<&Node>,
    kind: u8,
    follows_node: bool,
    group: Option<&mut *mut Group>,
) -> Status {
    create(group, || {
        let node = &given(node, "node")?.inner;
        let kind = match kind {
            SALTUS_GROUP_MUTUALLY_EXCLUSIVE => CallbackGroupKind::MutuallyExclusive,
            SALTUS_GROUP_REENTRANT => CallbackGroupKind::Reentrant,
            other => return Err(Failure::argument(format!("no callback group has the kind {other}"))),
        };
        let group = if follows_node { node.callback_group(kind) } else { node.manual_callback_group(kind) };
        Ok(Group(group))
    })
}

/// Returns a handle of the default callback group of a node, which is mutually exclusive.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_default_group(node: Option<&Node>, group: Option<&mut *mut Group>) -> Status {
    create(group, || Ok(Group(given(node, "node")?.inner.default_callback_group().clone())))
}
