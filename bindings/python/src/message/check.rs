//! Checks of the values that fields are set to. The errors are those of ROS 2.
//!
//! Source: the setters of the classes that `rosidl_generator_py` generates. This module makes the same checks.

use std::sync::Arc;

use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{
    intern,
    prelude::*,
    sync::PyOnceLock,
    types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PySequence, PyString},
};
use saltus_dynamic::{Element, Primitive, Shape, Type};

use super::{array, object::Message, support::Support};
use crate::errors;

/// Returns the value that a field gets when it is set to `value`: the value itself, or an array that is created from
/// it.
///
/// # Errors
/// Returns a `FieldError` if the value does not fit. As in ROS 2, it is an `AssertionError`.
pub(crate) fn checked<'py>(
    support: &Arc<Support>,
    index: usize,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let field = &support.fields()[index];
    let check = Check { name: &field.name, ty: &field.ty, nested: support.nested[index].as_deref() };
    match field.ty.shape {
        Shape::Scalar => check.scalar(value),
        _ => check.many(value),
    }
}

struct Check<'a> {
    name: &'a str,
    ty: &'a Type,
    nested: Option<&'a Support>,
}

impl Check<'_> {
    fn scalar<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (name, py) = (self.name, value.py());
        let refuse = |what: String| Err(errors::field(format!("The '{name}' field must be {what}")));
        if self.is_one(value)? {
            return Ok(value.clone());
        }
        match &self.ty.element {
            Element::Primitive(Primitive::Bool) => refuse("of type 'bool'".into()),
            Element::Primitive(Primitive::Byte) => refuse("of type 'bytes' or 'ByteString'".into()),
            Element::Primitive(Primitive::Float32 | Primitive::Float64) => match value.cast::<PyFloat>() {
                Ok(_) => refuse(range(self.primitive())),
                Err(_) => refuse("of type 'float'".into()),
            },
            Element::Primitive(primitive) => match value.cast::<PyInt>() {
                Ok(_) => refuse(range(*primitive)),
                Err(_) => refuse("of type 'int'".into()),
            },
            Element::String(Some(bound)) | Element::WString(Some(bound)) => match value.cast::<PyString>() {
                Ok(_) => refuse(format!("string value not longer than {bound}")),
                Err(_) => refuse("of type 'str'".into()),
            },
            Element::String(None) | Element::WString(None) => refuse("of type 'str'".into()),
            Element::Message(_) => refuse(format!("a sub message of type '{}'", self.class_name(py)?)),
        }
    }

    fn primitive(&self) -> Primitive {
        match self.ty.element {
            Element::Primitive(primitive) => primitive,
            _ => Primitive::Byte,
        }
    }

    fn class_name(&self, py: Python<'_>) -> PyResult<String> {
        self.nested.map_or(Ok(String::new()), |nested| nested.class(py)?.name().map(|name| name.to_string()))
    }

    /// Returns whether a value may be an element of the field.
    fn is_one(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(match &self.ty.element {
            Element::Primitive(primitive) => is_number(*primitive, value)?,
            Element::String(bound) => match value.cast::<PyString>() {
                Ok(text) => {
                    bound.is_none_or(|bound| text.to_cow().is_ok_and(|text| text.len() <= bound as usize))
                }
                Err(_) => false,
            },
            Element::WString(bound) => match value.cast::<PyString>() {
                Ok(text) => bound.is_none_or(|bound| {
                    text.to_cow().is_ok_and(|text| text.encode_utf16().count() <= bound as usize)
                }),
                Err(_) => false,
            },
            Element::Message(_) => match (value.cast::<Message>(), self.nested) {
                (Ok(message), Some(nested)) => std::ptr::eq(&**message.borrow().support(), nested),
                _ => false,
            },
        })
    }

    fn many<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // Lists are handled first, because the check for a NumPy array imports NumPy.
        if !value.is_exact_instance_of::<PyList>()
            && let Ok(numbers) = value.cast::<PyUntypedArray>()
        {
            return self.numpy(numbers);
        }
        let Element::Primitive(primitive) = self.ty.element else { return self.list(value) };
        match array::type_code(primitive) {
            Some(code) if array::is_array(value)? => self.python_array(code, value),
            Some(code) => self.convert(primitive, code, value),
            None => self.list(value),
        }
    }

    fn numpy<'py>(&self, numbers: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
        let (name, py) = (self.name, numbers.py());
        let Element::Primitive(primitive) = self.ty.element else { return self.list(numbers.as_any()) };
        let wanted = array::dtype_of(py, primitive);
        if !numbers.dtype().is_equiv_to(&wanted) {
            let text = wanted.str()?;
            return Err(errors::field(format!(
                "The '{name}' numpy.ndarray() must have the dtype of 'numpy.{text}'"
            )));
        }
        if numbers.ndim() != 1 {
            return Err(errors::field(format!(
                "The '{name}' numpy.ndarray() must have one dimension, not {}: use .reshape(-1)",
                numbers.ndim()
            )));
        }
        match self.ty.shape {
            Shape::Array(count) if numbers.len() != count as usize => {
                Err(errors::field(format!("The '{name}' numpy.ndarray() must have a size of {count}")))
            }
            Shape::Bounded(bound) if numbers.len() > bound as usize => {
                Err(errors::field(format!("The '{name}' numpy.ndarray() must have a size <= {bound}")))
            }
            _ => Ok(numbers.as_any().clone()),
        }
    }

    fn python_array<'py>(&self, code: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let name = self.name;
        if value.getattr(intern!(value.py(), "typecode"))?.extract::<String>()? != code {
            return Err(errors::field(format!(
                "The '{name}' array.array() must have the type code of '{code}'"
            )));
        }
        match self.ty.shape {
            Shape::Array(_) => self.convert(self.primitive(), code, value),
            Shape::Bounded(bound) if value.len()? > bound as usize => {
                Err(errors::field(format!("The '{name}' array.array() must have a size <= {bound}")))
            }
            _ => Ok(value.clone()),
        }
    }

    /// Creates an array from a sequence of numbers.
    fn convert<'py>(
        &self,
        primitive: Primitive,
        code: &str,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, view) = (value.py(), array::view_of(value, code)?);
        let fits = self.has_size(value)? && (view.is_some() || self.is_sequence_of_ones(value)?);
        match (self.ty.shape, view) {
            _ if !fits => Err(self.refuse_many(py)?),
            (Shape::Array(_), view) => {
                let numbers = view.unwrap_or_else(|| value.clone());
                array::numpy_function(py, "array")?.call1((numbers, array::dtype_of(py, primitive)))
            }
            (_, Some(view)) => array::array_of_view(code, &view),
            (_, None) => array::new_array(py, code, value),
        }
    }

    fn list<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.has_size(value)? && self.is_sequence_of_ones(value)? {
            return Ok(value.clone());
        }
        Err(self.refuse_many(value.py())?)
    }

    fn has_size(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        if !is_collection(value)? {
            return Ok(false);
        }
        let len = value.len()?;
        Ok(match self.ty.shape {
            Shape::Array(count) => len == count as usize,
            Shape::Bounded(bound) => len <= bound as usize,
            _ => true,
        })
    }

    fn is_sequence_of_ones(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        for one in value.try_iter()? {
            if !self.is_one(&one?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn refuse_many(&self, py: Python<'_>) -> PyResult<PyErr> {
        let size = match self.ty.shape {
            Shape::Array(count) => format!(" with length {count}"),
            Shape::Bounded(bound) => format!(" with length <= {bound}"),
            _ => String::new(),
        };
        let of = match &self.ty.element {
            Element::Primitive(Primitive::Bool) => "'bool'".into(),
            Element::Primitive(Primitive::Byte) => "'bytes'".into(),
            Element::Primitive(primitive @ (Primitive::Float32 | Primitive::Float64)) => {
                format!("'float' and each {}", range(*primitive).trim_start_matches("a "))
            }
            Element::Primitive(primitive) => {
                format!("'int' and each {}", range(*primitive).trim_start_matches("an "))
            }
            Element::String(_) | Element::WString(_) => "'str'".into(),
            Element::Message(_) => format!("'{}'", self.class_name(py)?),
        };
        let name = self.name;
        let (value, kind) = ("a set or sequence", "each value of type");
        Ok(errors::field(format!("The '{name}' field must be {value}{size} and {kind} {of}")))
    }
}

/// Returns whether ROS 2 accepts a value as a collection: a sequence or a set, but not text.
fn is_collection(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static SET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if value.is_exact_instance_of::<PyList>() {
        return Ok(true);
    }
    if value.is_instance_of::<PyString>() {
        return Ok(false);
    }
    let py = value.py();
    let set =
        SET.get_or_try_init(py, || Ok::<_, PyErr>(py.import("collections.abc")?.getattr("Set")?.unbind()))?;
    Ok(value.cast::<PySequence>().is_ok() || array::is_array(value)? || value.is_instance(set.bind(py))?)
}

fn is_number(primitive: Primitive, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(match primitive {
        Primitive::Bool => value.is_instance_of::<PyBool>(),
        Primitive::Byte => value.cast::<PyBytes>().is_ok_and(|byte| byte.as_bytes().len() == 1),
        Primitive::Float32 => value.cast::<PyFloat>().is_ok_and(|number| {
            let number = number.extract::<f64>().unwrap_or(f64::NAN);
            !number.is_finite() || number.abs() <= f64::from(f32::MAX)
        }),
        Primitive::Float64 => value.is_instance_of::<PyFloat>(),
        integer => {
            let (least, most) = limits(integer);
            value
                .cast::<PyInt>()
                .is_ok_and(|number| number.extract::<i128>().is_ok_and(|n| least <= n && n <= most))
        }
    })
}

fn limits(integer: Primitive) -> (i128, i128) {
    match integer {
        Primitive::Int8 => (i8::MIN.into(), i8::MAX.into()),
        Primitive::Int16 => (i16::MIN.into(), i16::MAX.into()),
        Primitive::Int32 => (i32::MIN.into(), i32::MAX.into()),
        Primitive::Int64 => (i64::MIN.into(), i64::MAX.into()),
        Primitive::Uint16 => (0, u16::MAX.into()),
        Primitive::Uint32 => (0, u32::MAX.into()),
        Primitive::Uint64 => (0, u64::MAX.into()),
        _ => (0, u8::MAX.into()),
    }
}

/// Returns the range of a number, as text.
fn range(primitive: Primitive) -> String {
    match primitive {
        Primitive::Float32 => "a float in [-3.402823466e+38, 3.402823466e+38]".into(),
        Primitive::Float64 => "a double in [-1.7976931348623157e+308, 1.7976931348623157e+308]".into(),
        integer => {
            let (least, most) = limits(integer);
            let sign = if least == 0 { "unsigned integer" } else { "integer" };
            format!("an {sign} in [{least}, {most}]")
        }
    }
}
