//! Conversion of parameters between Python and Rust.

use std::sync::Mutex;

use pyo3::{
    IntoPyObjectExt,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString},
};
use saltus::{
    Node,
    param::{Parameter, ParameterCallback, ParameterDescriptor, ParameterType, ParameterValue},
    types::lock,
};

use crate::{
    errors,
    ready::{call_python, work_natively},
};

/// Converts a value to Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &ParameterValue) -> PyResult<Bound<'py, PyAny>> {
    match value {
        ParameterValue::NotSet => Ok(py.None().into_bound(py)),
        ParameterValue::Bool(value) => value.into_bound_py_any(py),
        ParameterValue::Integer(value) => value.into_bound_py_any(py),
        ParameterValue::Double(value) => value.into_bound_py_any(py),
        ParameterValue::String(value) => value.into_bound_py_any(py),
        ParameterValue::ByteArray(values) => {
            Ok(PyList::new(py, values.iter().map(|byte| PyBytes::new(py, &[*byte])))?.into_any())
        }
        ParameterValue::BoolArray(values) => Ok(PyList::new(py, values)?.into_any()),
        ParameterValue::IntegerArray(values) => Ok(PyList::new(py, values)?.into_any()),
        ParameterValue::DoubleArray(values) => Ok(PyList::new(py, values)?.into_any()),
        ParameterValue::StringArray(values) => Ok(PyList::new(py, values)?.into_any()),
    }
}

/// Converts a value from Python. `ty` is the number of its type. Without `ty`, the type is derived from the value.
pub(crate) fn from_python(value: &Bound<'_, PyAny>, ty: Option<u8>) -> PyResult<ParameterValue> {
    let ty = match ty {
        Some(ty) => ParameterType::from_number(ty).unwrap_or_default(),
        None => type_of(value)?,
    };
    let bytes = |one: Bound<'_, PyAny>| match one.cast::<PyBytes>() {
        Ok(byte) => {
            let first = byte.as_bytes().first().copied();
            first.ok_or_else(|| PyValueError::new_err("expected a byte, found empty bytes"))
        }
        Err(_) => one.extract::<u8>(),
    };
    Ok(match ty {
        ParameterType::NotSet => ParameterValue::NotSet,
        ParameterType::Bool => ParameterValue::Bool(value.extract()?),
        ParameterType::Integer => ParameterValue::Integer(value.extract()?),
        ParameterType::Double => ParameterValue::Double(value.extract()?),
        ParameterType::String => ParameterValue::String(value.extract()?),
        ParameterType::ByteArray => {
            ParameterValue::ByteArray(value.try_iter()?.map(|one| bytes(one?)).collect::<PyResult<_>>()?)
        }
        ParameterType::BoolArray => ParameterValue::BoolArray(all(value)?),
        ParameterType::IntegerArray => ParameterValue::IntegerArray(all(value)?),
        ParameterType::DoubleArray => ParameterValue::DoubleArray(all(value)?),
        ParameterType::StringArray => ParameterValue::StringArray(all(value)?),
    })
}

fn all<T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>>(value: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    value.try_iter()?.map(|one| one?.extract::<T>()).collect()
}

/// Returns the type that a Python value has as a parameter.
fn type_of(value: &Bound<'_, PyAny>) -> PyResult<ParameterType> {
    let scalar = |value: &Bound<'_, PyAny>| {
        Some(match value {
            value if value.is_none() => ParameterType::NotSet,
            value if value.is_instance_of::<PyBool>() => ParameterType::Bool,
            value if value.is_instance_of::<PyInt>() => ParameterType::Integer,
            value if value.is_instance_of::<PyFloat>() => ParameterType::Double,
            value if value.is_instance_of::<PyString>() => ParameterType::String,
            _ => return None,
        })
    };
    if let Some(ty) = scalar(value) {
        return Ok(ty);
    }
    let unknown = || {
        PyTypeError::new_err(format!(
            "The given value is neither bool, int, float, str, nor a list of one of these or of bytes: {value}"
        ))
    };
    // Values of these types can be iterated, but they are not lists.
    let is_no_list = value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>()
        || value.is_instance_of::<PyBytes>();
    if is_no_list {
        return Err(unknown());
    }
    let mut all: Option<ParameterType> = None;
    for one in value.try_iter().map_err(|_| unknown())? {
        let one = one?;
        let ty = match scalar(&one) {
            Some(ParameterType::Bool) => ParameterType::BoolArray,
            Some(ParameterType::Integer) => ParameterType::IntegerArray,
            Some(ParameterType::Double) => ParameterType::DoubleArray,
            Some(ParameterType::String) => ParameterType::StringArray,
            _ if one.is_instance_of::<PyBytes>() => ParameterType::ByteArray,
            _ => return Err(unknown()),
        };
        if *all.get_or_insert(ty) != ty {
            return Err(unknown());
        }
    }
    // As in ROS 2, an empty list is a list of bytes.
    Ok(all.unwrap_or(ParameterType::ByteArray))
}

/// Returns the number of the type that a Python value has as a parameter.
#[pyfunction]
pub(crate) fn parameter_type(value: &Bound<'_, PyAny>) -> PyResult<u8> {
    Ok(type_of(value)? as u8)
}

/// Returns the type and the value of a parameter that is given as a YAML text.
#[pyfunction]
pub(crate) fn parameter_from_text<'py>(py: Python<'py>, text: &str) -> PyResult<(u8, Bound<'py, PyAny>)> {
    let arguments = ["--ros-args".to_owned(), "-p".to_owned(), format!("it:={text}")];
    let args = saltus::context::RosArgs::parse(arguments).map_err(|error| errors::context(error.into()))?;
    let value = args.parameters.into_iter().next().map(|one| one.value).unwrap_or_default();
    Ok((value.type_id(), to_python(py, &value)?))
}

type Range<T, S> = Option<(T, T, S)>;

/// The description of a parameter: name, type, description, constraints, whether it is read-only, whether its type is
/// dynamic, and its ranges.
pub(crate) type Described = (String, u8, String, String, bool, bool, Range<f64, f64>, Range<i64, u64>);

pub(crate) fn described(descriptor: &ParameterDescriptor) -> Described {
    let ParameterDescriptor {
        name, ty, description, additional_constraints, read_only, dynamic_typing, ..
    } = descriptor.clone();
    let floats = descriptor.floating_point_range.map(|range| (range.from_value, range.to_value, range.step));
    let integers = descriptor.integer_range.map(|range| (range.from_value, range.to_value, range.step));
    (name, ty as u8, description, additional_constraints, read_only, dynamic_typing, floats, integers)
}

/// The declaration of a parameter.
#[derive(FromPyObject)]
pub(crate) struct Declaration<'py> {
    name: String,
    value: Bound<'py, PyAny>,
    #[pyo3(attribute("type"))]
    ty: u8,
    description: String,
    additional_constraints: String,
    read_only: bool,
    dynamic_typing: bool,
    float_range: Range<f64, f64>,
    integer_range: Range<i64, u64>,
    ignore_override: bool,
}

pub(crate) fn declare<'py>(
    py: Python<'py>,
    node: &Node,
    declaration: Declaration<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let default = from_python(&declaration.value, None)?;
    let mut builder = node
        .parameter(&declaration.name)
        .description(declaration.description)
        .additional_constraints(declaration.additional_constraints);
    if declaration.read_only {
        builder = builder.read_only();
    }
    if declaration.ignore_override {
        builder = builder.ignore_override();
    }
    if let Some((from_value, to_value, step)) = declaration.float_range {
        builder = builder.floating_point_range(from_value, to_value, step);
    }
    if let Some((from_value, to_value, step)) = declaration.integer_range {
        builder = builder.integer_range(from_value, to_value, step);
    }
    if declaration.dynamic_typing {
        builder = builder.dynamic_typing();
    }
    let ty = ParameterType::from_number(declaration.ty).unwrap_or_default();
    let value = work_natively(py, || match default {
        ParameterValue::NotSet if ty != ParameterType::NotSet => builder.declare_type(ty),
        default => builder.declare_value(default),
    })?;
    to_python(py, &value.map_err(|error| errors::parameter(&error))?)
}

/// Keeps a callback for changes of parameters registered, until it is closed or dropped.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Handle(Mutex<Option<ParameterCallback>>);

#[pymethods]
impl Handle {
    /// Removes the callback.
    fn close(&self, py: Python<'_>) {
        let handle = lock(&self.0).take();
        py.detach(|| drop(handle));
    }
}

type Listed<'py> = Vec<(String, u8, Bound<'py, PyAny>)>;

fn listed<'py>(py: Python<'py>, parameters: &[Parameter]) -> PyResult<Listed<'py>> {
    let of = |one: &Parameter| Ok((one.name.clone(), one.value.type_id(), to_python(py, &one.value)?));
    parameters.iter().map(of).collect()
}

/// Registers a callback for changes of parameters. It is called with a list of (name, type, value).
pub(crate) fn on_parameters(node: &Node, kind: &str, callback: Py<PyAny>) -> PyResult<Handle> {
    let handle = match kind {
        "pre_set" => node.on_pre_set_parameters(move |list| {
            if let Ok(changed) = call_python(&callback, |callback| changed(callback, list)) {
                *list = changed;
            }
        }),
        "on_set" => node.on_set_parameters(move |list| {
            let reason = call_python(&callback, |callback| {
                callback.call1((listed(callback.py(), list)?,))?.extract::<Option<String>>()
            });
            match reason {
                Ok(None) => Ok(()),
                Ok(Some(reason)) => Err(reason),
                Err(error) => Err(error.to_string()),
            }
        }),
        "post_set" => node.on_post_set_parameters(move |list| {
            // `call_python` has reported the exception already.
            let _ =
                call_python(&callback, |callback| callback.call1((listed(callback.py(), list)?,)).map(drop));
        }),
        other => {
            let what = format!("expected 'pre_set', 'on_set' or 'post_set', found '{other}'");
            return Err(PyValueError::new_err(what));
        }
    };
    Ok(Handle(Mutex::new(Some(handle))))
}

fn changed(callback: &Bound<'_, PyAny>, list: &[Parameter]) -> PyResult<Vec<Parameter>> {
    let changed: Listed<'_> = callback.call1((listed(callback.py(), list)?,))?.extract()?;
    let of = |(name, ty, value): (String, u8, Bound<'_, PyAny>)| {
        Ok(Parameter::new(name, from_python(&value, Some(ty))?))
    };
    changed.into_iter().map(of).collect()
}
