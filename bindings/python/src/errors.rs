//! Converts errors of Rust into the Python exceptions of `saltus.exceptions`.

use std::fmt::Display;

use pyo3::{prelude::*, sync::PyOnceLock, types::PyType};
use saltus::{
    context::ContextError,
    executor::SpinError,
    node::{NodeError, OpenError},
    param::ParameterError,
    service::{CallError, RespondError},
    topic::PublishError,
};
use saltus_catalog::CatalogError;

/// Creates an exception of a class of `saltus.exceptions`.
pub(crate) fn exception(class: &'static str, message: impl Display) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let message = message.to_string();
    Python::attach(|py| {
        let module =
            MODULE.get_or_try_init(py, || PyModule::import(py, "saltus.exceptions").map(Bound::unbind));
        let class = module.and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
        match class {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
        }
    })
}

pub(crate) fn field(message: impl Display) -> PyErr {
    exception("FieldError", message)
}

pub(crate) fn interface(error: CatalogError) -> PyErr {
    exception("InterfaceError", error)
}

/// Creates the exception for bytes that are not a message of their type.
pub(crate) fn serialization(error: impl Display) -> PyErr {
    exception("SerializationError", error)
}

pub(crate) fn context(error: ContextError) -> PyErr {
    let class = if matches!(error, ContextError::Args(_)) { "InvalidRosArgsError" } else { "ContextError" };
    exception(class, error)
}

pub(crate) fn open(error: OpenError) -> PyErr {
    let class = match error {
        OpenError::Forked => "ForkedError",
        OpenError::Expelled { .. } => "ExpelledError",
        OpenError::Memory(_) => "OutOfMemoryError",
    };
    exception(class, error)
}

pub(crate) fn name(class: &'static str, error: impl Display) -> PyErr {
    exception(class, error)
}

/// Creates the exception for an entity that can't be created. `bad_name` is the class for an invalid name.
pub(crate) fn node(bad_name: &'static str, error: NodeError) -> PyErr {
    match error {
        NodeError::Name(error) => exception(bad_name, error),
        NodeError::Open(error) => open(error),
        NodeError::Parameter(error) => parameter(&error),
        NodeError::Period => exception("InvalidPeriodError", error),
        NodeError::Thread(_) => exception("SaltusError", error),
    }
}

pub(crate) fn parameter(error: &ParameterError) -> PyErr {
    exception(parameter_class(error), error)
}

fn parameter_class(error: &ParameterError) -> &'static str {
    match error {
        ParameterError::Given { error, .. } => parameter_class(error),
        ParameterError::NotDeclared(_) => "ParameterNotDeclaredException",
        ParameterError::AlreadyDeclared(_) => "ParameterAlreadyDeclaredException",
        ParameterError::NotInitialized(_) => "ParameterUninitializedException",
        ParameterError::Type { .. } => "InvalidParameterTypeException",
        ParameterError::ReadOnly(_) => "ParameterImmutableException",
        ParameterError::Name(_) => "InvalidParameterException",
        _ => "InvalidParameterValueException",
    }
}

pub(crate) fn publish(error: PublishError) -> PyErr {
    let class = match error {
        PublishError::Memory(_) => "OutOfMemoryError",
        PublishError::QueueFull { .. } => "QueueFullError",
        PublishError::Unmatched => "PublishError",
        PublishError::Forked => "ForkedError",
        PublishError::Expelled { .. } => "ExpelledError",
    };
    exception(class, error)
}

pub(crate) fn call(error: CallError) -> PyErr {
    let class = match error {
        CallError::NoServer { .. } => "NoServerError",
        CallError::ServerGone { .. } => "ServerGoneError",
        CallError::NotAnswered { .. } => "NotAnsweredError",
        CallError::Timeout { .. } => "CallTimeoutError",
        _ => "CallError",
    };
    exception(class, error)
}

pub(crate) fn respond(error: RespondError) -> PyErr {
    match error {
        RespondError::ClientGone => exception("ClientGoneError", error),
        RespondError::Value(error) => serialization(error),
        RespondError::Send(error) => publish(error),
    }
}

pub(crate) fn spin(error: SpinError) -> PyErr {
    match error {
        SpinError::Open(error) => open(error),
        SpinError::Placement(error) => exception("PlacementError", error),
        error => exception("SaltusError", error),
    }
}
