//! The builder for nodes.

use saltus_host::NodeSpec;
use saltus_param::{ParameterStore, ParameterValue};

use crate::{
    Context, Node, NodeError, RosArgs,
    node::NodeParts,
    parameters::{services, state::USE_SIM_TIME},
};

impl Context {
    /// Returns a builder for a node of that name. By default the node is in the root namespace.
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
}

/// How a node handles its parameters.
#[derive(Clone, Copy, Debug)]
struct ParameterOptions {
    services: bool,
    allow_undeclared: bool,
    declare_overrides: bool,
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
                allow_undeclared: false,
                declare_overrides: false,
            },
        }
    }

    /// Sets arguments for this node alone. They take precedence over those of the whole program.
    pub fn args(mut self, args: RosArgs) -> Self {
        self.args = args;
        self
    }

    /// Sets whether the arguments of the whole program apply to it (default: yes).
    pub fn use_global_arguments(mut self, global: bool) -> Self {
        self.global = global;
        self
    }

    /// Sets a value for a parameter. It replaces the default and the value that the user gives, as in rclcpp.
    pub fn parameter_override(mut self, name: impl Into<String>, value: ParameterValue) -> Self {
        self.overrides.push((name.into(), value));
        self
    }

    /// Sets whether other nodes may read and set its parameters, and are notified of changes (default: yes).
    pub fn start_parameter_services(mut self, start: bool) -> Self {
        self.parameters.services = start;
        self
    }

    /// Sets whether parameters may be set that are not declared (default: no).
    pub fn allow_undeclared_parameters(mut self, allow: bool) -> Self {
        self.parameters.allow_undeclared = allow;
        self
    }

    /// Sets whether each parameter for which the user gives a value is declared automatically, with a type
    /// that may change (default: no).
    pub fn automatically_declare_parameters_from_overrides(mut self, declare: bool) -> Self {
        self.parameters.declare_overrides = declare;
        self
    }

    /// Sets its namespace, with or without a leading `/`.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = namespace;
        self
    }

    /// Creates the node and adds it to the graph, under the name that the remapping rules give it.
    pub fn create(self) -> Result<Node, NodeError> {
        let global = if self.global { self.context.args().clone() } else { RosArgs::default() };
        let remaps = global.remaps.after(&self.args.remaps);
        let name = remaps.node_name(self.namespace, self.name)?;
        let mut overrides: Vec<(String, ParameterValue)> = Vec::new();
        let of_user = global.parameters_of(&name).into_iter().chain(self.args.parameters_of(&name));
        for (parameter, value) in of_user.chain(self.overrides) {
            overrides.retain(|(other, _)| *other != parameter);
            overrides.push((parameter, value));
        }
        let has_parameters = self.parameters.services;
        let entry = self.context.participant.node(&NodeSpec::new(&name))?;
        let store = ParameterStore::new(overrides.iter().cloned(), self.parameters.allow_undeclared);
        let node =
            Node::new(self.context, NodeParts { name, remaps, overrides, store, entry, has_parameters });
        open_parameters(&node, self.parameters)?;
        Ok(node)
    }
}

/// Declares the parameters that every node has, and starts to serve the node's parameters.
fn open_parameters(node: &Node, options: ParameterOptions) -> Result<(), NodeError> {
    let context = node.context();
    if options.services {
        context.parameter_events().begin(&context.participant)?;
    }
    node.declare_parameter(USE_SIM_TIME, false)?;
    if options.declare_overrides {
        for (name, value) in node.parameter_overrides().iter().filter(|(name, _)| !node.has_parameter(name)) {
            node.parameter(name).dynamic_typing().declare_value(value.clone())?;
        }
    }
    if options.services {
        node.keep(services::offer(node)?);
    }
    Ok(())
}
