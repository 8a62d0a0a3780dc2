//! The settings that a component gets for its node.

use saltus_node::{ArgsError, Context, NodeBuilder, ParameterValue, RosArgs};

/// The settings with which a component creates its node: its name, namespace, remappings and parameters, as the user has
/// chosen them.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    context: Context,
    args: RosArgs,
    parameters: Vec<(String, ParameterValue)>,
    use_global_arguments: bool,
    start_parameter_services: bool,
    start_parameter_event_publisher: Option<bool>,
}

impl NodeOptions {
    /// Returns settings that change nothing. The arguments of the program do not apply to the node.
    pub fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            args: RosArgs::default(),
            parameters: Vec::new(),
            use_global_arguments: false,
            start_parameter_services: true,
            start_parameter_event_publisher: None,
        }
    }

    /// Sets the arguments for the node, such as `["--ros-args", "-r", "__node:=left"]`.
    ///
    /// # Errors
    ///
    /// Returns an error if an argument is invalid.
    pub fn arguments<S: Into<String>>(
        mut self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Self, ArgsError> {
        self.args = RosArgs::parse(arguments)?;
        Ok(self)
    }

    /// Sets the value of a parameter. It overrides the default of the component.
    #[must_use]
    pub fn parameter_override(mut self, name: impl Into<String>, value: ParameterValue) -> Self {
        self.parameters.push((name.into(), value));
        self
    }

    /// Sets whether the arguments of the program apply to the node (default: no).
    #[must_use]
    pub fn use_global_arguments(mut self, global: bool) -> Self {
        self.use_global_arguments = global;
        self
    }

    /// Sets whether other nodes can read and set the parameters of the node (default: yes).
    #[must_use]
    pub fn start_parameter_services(mut self, start: bool) -> Self {
        self.start_parameter_services = start;
        self
    }

    /// Sets whether changes of parameters are published on `/parameter_events` (default: if the node has parameter services).
    #[must_use]
    pub fn start_parameter_event_publisher(mut self, start: bool) -> Self {
        self.start_parameter_event_publisher = Some(start);
        self
    }

    /// Returns the context of the node.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns a builder for the node. `name` is its name if the user has chosen no other one.
    pub fn node<'a>(&'a self, name: &'a str) -> NodeBuilder<'a> {
        let builder = self.context.node(name).args(self.args.clone());
        let builder = builder
            .use_global_arguments(self.use_global_arguments)
            .start_parameter_services(self.start_parameter_services);
        let builder = match self.start_parameter_event_publisher {
            Some(start) => builder.start_parameter_event_publisher(start),
            None => builder,
        };
        let overrides = self.parameters.iter().cloned();
        overrides.fold(builder, |builder, (name, value)| builder.parameter_override(name, value))
    }
}
