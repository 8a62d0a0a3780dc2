//! Nodes.

use std::{sync::Mutex, time::Duration};

use pyo3::prelude::*;
use saltus::{
    advanced::EventEncoder,
    generic::{GenericServiceType, TypeId},
    log::Severity,
    param::ParameterValue,
    types::lock,
};

use crate::{
    context::Context,
    errors,
    message::{Arrays, TypeSupport},
    parameters,
    qos::{Profile, from_profile},
    ready::work_natively,
    service::{Client, Server, event_encoder},
    timer::{Clock, Guard, Timer},
    topic::{Publisher, Subscription},
};

/// A node.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Node(Mutex<Option<saltus::Node>>);

impl Node {
    pub(crate) fn open(&self) -> PyResult<saltus::Node> {
        lock(&self.0).clone().ok_or_else(|| errors::name("InvalidHandle", "the node was destroyed"))
    }
}

#[pymethods]
impl Node {
    #[new]
    #[pyo3(signature = (context, name, namespace, arguments, use_global_arguments, overrides, services, allow_undeclared, declare_overrides, events))]
    #[expect(clippy::too_many_arguments, reason = "has the arguments of ROS 2's node")]
    fn new(
        context: &Context,
        name: &str,
        namespace: &str,
        arguments: Option<Vec<String>>,
        use_global_arguments: bool,
        overrides: Vec<(String, Bound<'_, PyAny>)>,
        services: bool,
        allow_undeclared: bool,
        declare_overrides: bool,
        events: Option<bool>,
    ) -> PyResult<Self> {
        saltus::types::validate_node_name(name).map_err(|e| errors::name("InvalidNodeNameException", e))?;
        let context = context.open()?;
        let arguments = saltus::context::RosArgs::parse(arguments.unwrap_or_default());
        let mut builder = context
            .node(name)
            .namespace(namespace)
            .args(arguments.map_err(|error| errors::context(error.into()))?)
            .use_global_arguments(use_global_arguments)
            .start_parameter_services(services)
            .allow_undeclared_parameters(allow_undeclared)
            .automatically_declare_parameters_from_overrides(declare_overrides);
        if let Some(events) = events {
            builder = builder.start_parameter_event_publisher(events);
        }
        for (name, value) in overrides {
            builder = builder.parameter_override(name, parameters::from_python(&value, None)?);
        }
        let node = builder.create().map_err(|error| errors::node("InvalidNamespaceException", error))?;
        Ok(Self(Mutex::new(Some(node))))
    }

    /// Leaves the graph as soon as everything that was created from the node is dropped too.
    fn close(&self) {
        let node = lock(&self.0).take();
        drop(node);
    }

    #[getter]
    fn is_open(&self) -> bool {
        lock(&self.0).is_some()
    }

    /// Returns the name and namespace of the node, and the name of its logger.
    fn names(&self) -> PyResult<(String, String, String)> {
        let node = self.open()?;
        Ok((node.name().base().into(), node.name().namespace().into(), node.logger().name().into()))
    }

    fn resolve_topic_name(&self, name: &str) -> PyResult<String> {
        let resolved = self.open()?.resolve_topic_name(name);
        Ok(resolved.map_err(|error| errors::name("InvalidTopicNameException", error))?.as_str().into())
    }

    fn resolve_service_name(&self, name: &str) -> PyResult<String> {
        let resolved = self.open()?.resolve_service_name(name);
        Ok(resolved.map_err(|error| errors::name("InvalidServiceNameException", error))?.as_str().into())
    }

    fn publisher(
        &self,
        py: Python<'_>,
        support: &TypeSupport,
        topic: &str,
        qos: Profile,
    ) -> PyResult<Publisher> {
        let (node, qos) = (self.open()?, from_profile(qos)?);
        let ty = &support.0.id;
        let publisher = py.detach(|| node.generic_publisher(topic, ty, qos));
        let publisher = publisher.map_err(|error| errors::node("InvalidTopicNameException", error))?;
        Ok(Publisher::new(publisher, support.0.clone()))
    }

    /// `copies`: whether received arrays of numbers are copied, and not passed as views of shared memory.
    /// `borrow_limit`: how many messages may be kept before further messages are copied.
    #[pyo3(signature = (support, topic, qos, copies, borrow_limit=None))]
    fn subscription(
        &self,
        py: Python<'_>,
        support: &TypeSupport,
        topic: &str,
        qos: Profile,
        copies: bool,
        borrow_limit: Option<usize>,
    ) -> PyResult<Subscription> {
        let (node, qos) = (self.open()?, from_profile(qos)?);
        let ty = &support.0.id;
        let subscription = py.detach(|| node.generic_subscription(topic, ty, qos));
        let subscription = subscription.map_err(|error| errors::node("InvalidTopicNameException", error))?;
        borrow_limit.inspect(|messages| subscription.set_borrow_limit(*messages));
        Ok(Subscription::new(&node, subscription, support.0.clone(), arrays(copies)))
    }

    /// `service` contains the types of the service, its request, its response and its event.
    fn server(
        &self,
        py: Python<'_>,
        service: ServiceTypes<'_>,
        name: &str,
        qos: Profile,
        copies: bool,
    ) -> PyResult<Server> {
        let ty = service.generic(qos)?;
        let (node, parts) = (self.open()?, (service.1.0.clone(), service.2.0.clone()));
        py.detach(|| Server::open(&node, name, ty, parts, arrays(copies)))
    }

    fn client(
        &self,
        py: Python<'_>,
        service: ServiceTypes<'_>,
        name: &str,
        qos: Profile,
        copies: bool,
    ) -> PyResult<Client> {
        let ty = service.generic(qos)?;
        let (node, parts) = (self.open()?, (service.1.0.clone(), service.2.0.clone()));
        py.detach(|| Client::open(&node, name, ty, parts, arrays(copies)))
    }

    /// `period` is in nanoseconds.
    fn timer(&self, period: u64, clock: &Clock) -> PyResult<Timer> {
        Timer::open(&self.open()?, Duration::from_nanos(period), &clock.0)
    }

    fn guard(&self) -> PyResult<Guard> {
        Ok(Guard::open(&self.open()?))
    }

    fn clock(&self) -> PyResult<Clock> {
        Ok(Clock(self.open()?.clock().clone()))
    }

    /// Logs a message with the node's logger, or with a logger below it.
    fn log(
        &self,
        name: &str,
        severity: u8,
        message: String,
        location: (String, String, u32),
    ) -> PyResult<()> {
        let logger = self.open()?.logger();
        let below = name.strip_prefix(logger.name()).and_then(|rest| rest.strip_prefix('.'));
        let logger = below.map_or(logger.clone(), |name| logger.child(name));
        logger.log_from(severity_of(severity), location, message);
        Ok(())
    }

    /// Declares a parameter and returns its value; see [`parameters::Declaration`].
    fn declare_parameter<'py>(
        &self,
        py: Python<'py>,
        declaration: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let node = self.open()?;
        let declaration: parameters::Declaration<'_> = declaration.extract()?;
        parameters::declare(py, &node, declaration)
    }

    fn undeclare_parameter(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let node = self.open()?;
        py.detach(|| node.undeclare_parameter(name)).map_err(|error| errors::parameter(&error))
    }

    fn has_parameter(&self, name: &str) -> PyResult<bool> {
        Ok(self.open()?.has_parameter(name))
    }

    /// Returns the type and value of a parameter.
    fn get_parameter<'py>(&self, py: Python<'py>, name: &str) -> PyResult<(u8, Bound<'py, PyAny>)> {
        let value = self.open()?.parameter_value(name).map_err(|error| errors::parameter(&error))?;
        Ok((value.type_id(), parameters::to_python(py, &value)?))
    }

    /// Sets all of these parameters (name, type, value), or none. Returns the error if they were not set.
    fn set_parameters<'py>(
        &self,
        py: Python<'py>,
        parameters: Vec<(String, u8, Bound<'py, PyAny>)>,
    ) -> PyResult<Option<PyErr>> {
        let node = self.open()?;
        let of = |(name, ty, value): (String, u8, Bound<'py, PyAny>)| {
            Ok(saltus::param::Parameter::new(name, parameters::from_python(&value, Some(ty))?))
        };
        let list = parameters.into_iter().map(of).collect::<PyResult<Vec<_>>>()?;
        let outcome = work_natively(py, || node.set_parameters_atomically(list))?;
        Ok(outcome.err().map(|error| errors::parameter(&error)))
    }

    /// Returns the description of a parameter. Its parts are in the order of `rcl_interfaces/msg/ParameterDescriptor`.
    fn describe_parameter(&self, name: &str) -> PyResult<parameters::Described> {
        let described = self.open()?.describe_parameter(name).map_err(|error| errors::parameter(&error))?;
        Ok(parameters::described(&described))
    }

    /// Returns the names of parameters, and the prefixes of their names.
    fn list_parameters(&self, prefixes: Vec<String>, depth: u64) -> PyResult<(Vec<String>, Vec<String>)> {
        let listed = self.open()?.list_parameters(&prefixes, depth);
        Ok((listed.names, listed.prefixes))
    }

    /// Returns the values that the user gave from outside the program, as (name, type, value).
    fn parameter_overrides<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, u8, Bound<'py, PyAny>)>> {
        let node = self.open()?;
        let of = |(name, value): &(String, ParameterValue)| {
            Ok((name.clone(), value.type_id(), parameters::to_python(py, value)?))
        };
        node.parameter_overrides().iter().map(of).collect()
    }

    /// Registers a callback for changes of parameters. `kind` is `"pre_set"`, `"on_set"` or `"post_set"`.
    fn on_parameters(&self, kind: &str, callback: Py<PyAny>) -> PyResult<parameters::Handle> {
        parameters::on_parameters(&self.open()?, kind, callback)
    }
}

fn arrays(copies: bool) -> Arrays {
    if copies { Arrays::Copied } else { Arrays::Borrowed }
}

/// The types of a service, its request, its response and its event.
pub(crate) type ServiceTypes<'a> =
    (PyRef<'a, TypeSupport>, PyRef<'a, TypeSupport>, PyRef<'a, TypeSupport>, PyRef<'a, TypeSupport>);

trait Generic {
    fn generic(&self, qos: Profile) -> PyResult<GenericServiceType>;
}

impl Generic for ServiceTypes<'_> {
    fn generic(&self, qos: Profile) -> PyResult<GenericServiceType> {
        let (service, request, response, event) = self;
        let encoder: EventEncoder = event_encoder(&event.0, &request.0, &response.0);
        let event: TypeId = event.0.id.clone();
        Ok(GenericServiceType::from(&service.0.id).qos(from_profile(qos)?).events(event, encoder))
    }
}

pub(crate) fn severity_of(number: u8) -> Severity {
    match number {
        0 => Severity::Unset,
        1..=10 => Severity::Debug,
        11..=20 => Severity::Info,
        21..=30 => Severity::Warn,
        31..=40 => Severity::Error,
        _ => Severity::Fatal,
    }
}

/// Logs a message with a logger that belongs to no node.
#[pyfunction]
pub(crate) fn log(name: &str, severity: u8, message: String, location: (String, String, u32)) {
    saltus::log::Logger::new(name).log_from(severity_of(severity), location, message);
}

/// Sets the level of a logger.
#[pyfunction]
pub(crate) fn set_logger_level(name: &str, severity: u8) {
    saltus::log::set_logger_level(name, severity_of(severity));
}

/// Returns the level that a logger has of its own, or 0.
#[pyfunction]
pub(crate) fn own_logger_level(name: &str) -> u8 {
    saltus::log::own_logger_level(name) as u8
}

/// Returns the level of a logger: its own level, or that of its nearest ancestor.
#[pyfunction]
pub(crate) fn logger_level(name: &str) -> u8 {
    saltus::log::logger_level(name) as u8
}
