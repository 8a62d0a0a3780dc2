//! The builder for nodes.

use std::collections::BTreeMap;

use saltus_host::NodeSpec;
use saltus_param::{ParameterStore, ParameterValue};

use crate::{
    Context, Node, NodeError, RosArgs,
    node::{NodeParts, OwnOverride},
    parameters::{services, state::USE_SIM_TIME},
};

impl Context {
    /// Returns a builder for a node with that name. By default, the node is in the root namespace.
    pub fn node<'a>(&'a self, name: &'a str) -> NodeBuilder<'a> {
        NodeBuilder::new(self, name)
    }
}

/// A builder for nodes.
#[derive(Debug)]
pub struct NodeBuilder<'a> {
    context: &'a Context,
    name: &'a str,
    namespace: &'a str,
    args: RosArgs,
    global: bool,
    overrides: Vec<(String, ParameterValue)>,
    parameters: ParameterOptions,
    clock_thread: bool,
}

/// The settings for the parameters of a node.
#[derive(Clone, Copy, Debug)]
struct ParameterOptions {
    services: bool,
    /// `None`: as `services`.
    events: Option<bool>,
    allow_undeclared: bool,
    declare_overrides: bool,
}

impl ParameterOptions {
    fn has_events(self) -> bool {
        self.events.unwrap_or(self.services)
    }
}

impl<'a> NodeBuilder<'a> {
    fn new(context: &'a Context, name: &'a str) -> Self {
        Self {
            context,
            name,
            namespace: "/",
            args: RosArgs::default(),
            global: true,
            overrides: Vec::new(),
            parameters: ParameterOptions {
                services: true,
                events: None,
                allow_undeclared: false,
                declare_overrides: false,
            },
            clock_thread: false,
        }
    }

    /// Sets the arguments for this node. They take precedence over the arguments of the program.
    pub fn args(mut self, args: RosArgs) -> Self {
        self.args = args;
        self
    }

    /// Sets whether the arguments of the program apply to this node (default: yes).
    pub fn use_global_arguments(mut self, global: bool) -> Self {
        self.global = global;
        self
    }

    /// Sets the value of a parameter. It overrides the default and the value that the user gives, as in rclcpp.
    pub fn parameter_override(mut self, name: impl Into<String>, value: ParameterValue) -> Self {
        self.overrides.push((name.into(), value));
        self
    }

    /// Sets whether other nodes can read and set the parameters of this node (default: yes).
    pub fn start_parameter_services(mut self, start: bool) -> Self {
        self.parameters.services = start;
        self
    }

    /// Sets whether changes of parameters are published on `/parameter_events` (default: if the node has parameter services).
    pub fn start_parameter_event_publisher(mut self, start: bool) -> Self {
        self.parameters.events = Some(start);
        self
    }

    /// Sets whether undeclared parameters may be set (default: no).
    pub fn allow_undeclared_parameters(mut self, allow: bool) -> Self {
        self.parameters.allow_undeclared = allow;
        self
    }

    /// Sets whether a parameter is declared automatically if the user gives a value for it (default: no). The type of
    /// such a parameter may change.
    pub fn automatically_declare_parameters_from_overrides(mut self, declare: bool) -> Self {
        self.parameters.declare_overrides = declare;
        self
    }

    /// Sets whether a thread receives simulated time (default: no, the executor that spins the node receives it). With it, the
    /// clock goes on while a callback waits for a time, and if nobody spins the node. The thread calls the callbacks for jumps
    /// of the clock.
    pub fn clock_thread(mut self, thread: bool) -> Self {
        self.clock_thread = thread;
        self
    }

    /// Sets the namespace of the node. The leading `/` may be left out.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = namespace;
        self
    }

    /// Creates the node and adds it to the graph. The remapping rules may change its name.
    pub fn create(self) -> Result<Node, NodeError> {
        let global = if self.global { self.context.args().clone() } else { RosArgs::default() };
        let remaps = global.remaps.after(&self.args.remaps);
        let name = remaps.node_name(self.namespace, self.name)?;
        let mut overrides: Vec<(String, ParameterValue)> = Vec::new();
        let mut locations = BTreeMap::new();
        let own = global.parameters_of(&name).filter(|one| !one.node.is_wildcard());
        let own = own.map(|one| OwnOverride { name: one.name.clone(), location: one.location.clone() });
        let of_program = self.overrides.iter();
        let of_program = of_program.map(|(name, _)| OwnOverride { name: name.clone(), location: None });
        let own_overrides = own.chain(of_program).collect();
        let of_user = global.parameters_of(&name).chain(self.args.parameters_of(&name));
        let of_user = of_user.map(|one| (one.name.clone(), one.value.clone(), one.location.clone()));
        let of_program = self.overrides.into_iter().map(|(parameter, value)| (parameter, value, None));
        for (parameter, value, location) in of_user.chain(of_program) {
            overrides.retain(|(other, _)| *other != parameter);
            locations.insert(parameter.clone(), location);
            overrides.push((parameter, value));
        }
        let locations =
            locations.into_iter().filter_map(|(parameter, location)| Some((parameter, location?)));
        let has_parameter_events = self.parameters.has_events();
        let entry = self.context.participant.node(&NodeSpec::new(&name))?;
        let store = ParameterStore::new(overrides.iter().cloned(), self.parameters.allow_undeclared)
            .with_locations(locations);
        let node = Node::new(
            self.context,
            NodeParts {
                name,
                remaps,
                overrides,
                own_overrides,
                store,
                entry,
                has_parameter_events,
                has_clock_thread: self.clock_thread,
            },
        );
        open_parameters(&node, self.parameters)?;
        Ok(node)
    }
}

/// Declares the parameters that every node has. Starts the parameter services.
fn open_parameters(node: &Node, options: ParameterOptions) -> Result<(), NodeError> {
    let context = node.context();
    if options.has_events() {
        context.parameter_events().begin(&context.participant)?;
    }
    node.declare_parameter(USE_SIM_TIME, false)?;
    if options.declare_overrides {
        for (name, value) in node.parameter_overrides().iter().filter(|(name, _)| !node.has_parameter(name)) {
            node.parameter(name).dynamic_typing().declare_value(value.clone())?;
        }
    }
    if options.services {
        node.keep_parameter_services(services::offer(node)?);
    }
    Ok(())
}
