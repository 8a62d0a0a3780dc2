//! Components in the process of their container.

use std::{fmt, sync::Mutex};

use saltus_executor::{ExecutorHandle, Placements, WaitStrategy};
use saltus_msgs::{composition_interfaces::srv::LoadNode_Request, rcl_interfaces::msg};
use saltus_node::{Context, Logger, ParameterValue, parameter_of};
use saltus_types::lock;

use crate::{
    ComponentError, Factory, Isolation, Loader, NodeOptions,
    backend::{Backend, Create, Loaded},
    running::RunningComponent,
};

/// The backend that creates components in this process. It runs their callbacks on the executor of the container, or on
/// threads of their own.
pub struct InProcess {
    loader: Mutex<Box<dyn Loader>>,
    context: Context,
    logger: Logger,
    executor: ExecutorHandle,
    isolation: Isolation,
    placements: Placements,
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").field("isolation", &self.isolation).finish_non_exhaustive()
    }
}

impl InProcess {
    /// Returns a backend that finds components with `loader`. `executor` runs the callbacks of components with
    /// [`Isolation::Shared`].
    pub fn new(
        context: &Context,
        logger: Logger,
        loader: impl Loader + 'static,
        executor: ExecutorHandle,
        isolation: Isolation,
    ) -> Self {
        Self {
            loader: Mutex::new(Box::new(loader)),
            context: context.clone(),
            logger,
            executor,
            isolation,
            placements: Placements::default(),
        }
    }

    /// Sets the placements of the threads of components that have threads of their own, by the full names of their
    /// nodes.
    #[must_use]
    pub fn placements(mut self, placements: Placements) -> Self {
        self.placements = placements;
        self
    }

    fn create(
        &self,
        factory: &Factory,
        options: NodeOptions,
        request: LoadNode_Request,
    ) -> Result<Loaded, ComponentError> {
        let component = factory.create(&node_options(options, request)?)?;
        let name = component.node().name().fully_qualified();
        let placement = self.placements.of(&name);
        let running = RunningComponent::start(
            component,
            self.isolation,
            &self.executor,
            (placement, WaitStrategy::default()),
        )?;
        Ok(Loaded { name, component: Box::new(running) })
    }
}

impl Backend for InProcess {
    fn find(&self, request: &LoadNode_Request) -> Result<Create<'_>, String> {
        let (package, plugin) = (&request.package_name, &request.plugin_name);
        let factory = lock(&self.loader).factory(package, plugin).map_err(|error| error.to_string())?;
        saltus_node::info!(self.logger, "Found class: {plugin}");
        let options = extra_arguments(&self.context, &request.extra_arguments, &self.logger)?;
        Ok(Box::new(move |_, request| {
            saltus_node::info!(self.logger, "Instantiate class: {}", request.plugin_name);
            let created = self.create(&factory, options, request);
            created.map_err(|error| format!("Component constructor threw an exception: {error}"))
        }))
    }
}

/// Adds the name, the remappings and the parameters of a request to the options of a node.
fn node_options(options: NodeOptions, request: LoadNode_Request) -> Result<NodeOptions, ComponentError> {
    let mut arguments = vec!["--ros-args".to_owned()];
    let rules = request.remap_rules.into_iter();
    let name = (!request.node_name.is_empty()).then(|| format!("__node:={}", request.node_name));
    let namespace = (!request.node_namespace.is_empty()).then(|| format!("__ns:={}", request.node_namespace));
    for rule in rules.chain(name).chain(namespace) {
        arguments.extend(["-r".to_owned(), rule]);
    }
    let mut options = options.arguments(arguments)?;
    for parameter in request.parameters {
        let parameter = parameter_of(parameter)?;
        options = options.parameter_override(parameter.name, parameter.value);
    }
    Ok(options)
}

/// Reads the extra arguments. All of them are booleans.
fn extra_arguments(
    context: &Context,
    arguments: &[msg::Parameter],
    logger: &Logger,
) -> Result<NodeOptions, String> {
    let mut options = NodeOptions::new(context);
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
            ("start_parameter_event_publisher", value) => options.start_parameter_event_publisher(value),
            // Messages between components are never copied, and logs are published if those of the container are.
            ("use_intra_process_comms" | "use_clock_thread", _)
            | ("enable_rosout", true)
            | ("enable_topic_statistics" | "enable_logger_service", false) => options,
            ("enable_rosout" | "enable_topic_statistics" | "enable_logger_service", value) => {
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
