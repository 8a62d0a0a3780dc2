//! The base class of all message classes, and the descriptors of their fields, as Python sees them.

use std::sync::Arc;

use pyo3::{
    exceptions::{PyAttributeError, PyTypeError},
    intern,
    prelude::*,
    types::{PyDict, PyString, PyTuple, PyType},
};

use super::{
    check::checked,
    object::Message,
    support::{Support, TypeSupport},
    write::Encoded,
};
use crate::errors;

impl Message {
    fn set_field(this: &Bound<'_, Self>, field: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let support = this.borrow().support.clone();
        let value = checked(&support, field, value)?;
        let before = {
            let mut message = this.borrow_mut();
            message.is_touched = true;
            message.values[field].replace(value.unbind())
        };
        // The old value is dropped after the borrow has ended, because dropping it may run any code.
        drop(before);
        Ok(())
    }

    fn set_all(this: &Bound<'_, Self>, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let support = this.borrow().support.clone();
        for (name, value) in values {
            let name = name.cast_into::<PyString>()?;
            let name = name.to_cow()?;
            let Some(field) = support.schema.position(&name) else {
                return Err(errors::field(format!("Invalid arguments passed to constructor: {name}")));
            };
            Self::set_field(this, field, &value)?;
        }
        Ok(())
    }
}

#[pymethods]
impl Message {
    #[new]
    #[classmethod]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(
        class: &Bound<'_, PyType>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let support = class.getattr(intern!(class.py(), "_TYPE_SUPPORT"))?;
        let support = support.cast::<TypeSupport>()?.get().0.clone();
        let values = std::iter::repeat_with(|| None).take(support.fields().len()).collect();
        Ok(Self { support, values, source: None, is_touched: false })
    }

    #[pyo3(signature = (**fields))]
    fn __init__(this: &Bound<'_, Self>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        fields.map_or(Ok(()), |fields| Self::set_all(this, fields))
    }

    /// Returns the names of the fields with their types, such as `sequence<double>` and `std_msgs/Header`.
    #[classmethod]
    fn get_fields_and_field_types<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
        class
            .getattr(intern!(class.py(), "_fields_and_field_types"))?
            .call_method0(intern!(class.py(), "copy"))
    }

    fn __eq__(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let support = this.borrow().support.clone();
        if !Arc::ptr_eq(&support, other.borrow().support()) {
            return Ok(false);
        }
        for field in 0..support.fields().len() {
            if !same(&Self::field(this, field)?, &Self::field(other, field)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let support = this.borrow().support.clone();
        let mut fields = Vec::new();
        for (index, field) in support.fields().iter().enumerate() {
            fields.push(format!("{}={}", field.name, shown(&Self::field(this, index)?, &field.ty)?));
        }
        Ok(format!("{}({})", support.id.name.replace('/', "."), fields.join(", ")))
    }

    /// Returns a copy that refers to the same field values.
    fn __copy__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let copy = this.get_type().call0()?;
        let count = this.borrow().support.fields().len();
        for field in 0..count {
            let value = Self::field(this, field)?;
            copy.cast::<Self>()?.borrow_mut().values[field] = Some(value.unbind());
        }
        Ok(copy)
    }

    /// Returns the class and the serialized message. `pickle` and `copy.deepcopy` use them.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let py = this.py();
        let make = py.import("saltus._native")?.getattr("deserialize")?;
        Ok((make, (this.get_type(), Encoded::of(this)?.to_vec())))
    }
}

/// The function that creates a message, and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyType>, Vec<u8>));

/// Returns whether two values of a field are equal. Arrays are equal if all of their elements are.
fn same(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    use numpy::PyUntypedArray;
    if one.cast::<PyUntypedArray>().is_ok() || other.cast::<PyUntypedArray>().is_ok() {
        return super::array::numpy_function(one.py(), "array_equal")?.call1((one, other))?.is_truthy();
    }
    one.eq(other)
}

/// Returns a value as text, in the form of the ROS 2 classes: sequences of numbers are shown as lists.
fn shown(value: &Bound<'_, PyAny>, ty: &saltus_dynamic::Type) -> PyResult<String> {
    use saltus_dynamic::{Element, Shape};
    let is_sequence = matches!(ty.shape, Shape::Bounded(_) | Shape::Unbounded);
    let is_list = matches!(ty.element, Element::Primitive(_)) && is_sequence;
    let value = match value.getattr_opt(intern!(value.py(), "tolist"))? {
        Some(tolist) if is_list => tolist.call0()?,
        _ => value.clone(),
    };
    Ok(value.repr()?.to_string())
}

/// A field of a message class.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Field {
    support: Arc<Support>,
    index: usize,
}

#[pymethods]
impl Field {
    #[new]
    fn new(support: &Bound<'_, TypeSupport>, index: usize) -> PyResult<Self> {
        let support = support.get().0.clone();
        match support.fields().get(index) {
            Some(_) => Ok(Self { support, index }),
            None => Err(PyTypeError::new_err("there is no such field")),
        }
    }

    fn __get__<'py>(
        this: &Bound<'py, Self>,
        instance: &Bound<'py, PyAny>,
        _owner: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if instance.is_none() {
            return Ok(this.clone().into_any());
        }
        let field = this.get();
        Message::field(field.message(instance)?, field.index)
    }

    fn __set__(&self, instance: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Message::set_field(self.message(instance)?, self.index, value)
    }

    fn __delete__(&self, _instance: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyAttributeError::new_err("a field of a message can't be deleted"))
    }

    fn __repr__(&self) -> String {
        let field = &self.support.fields()[self.index];
        format!("<field '{}' of {}>", field.name, self.support.id.name)
    }
}

impl Field {
    /// Returns the instance as a message, if this is a field of its class.
    fn message<'a, 'py>(&self, instance: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, Message>> {
        let message = instance.cast::<Message>()?;
        if Arc::ptr_eq(message.borrow().support(), &self.support) {
            Ok(message)
        } else {
            Err(PyTypeError::new_err("this is a field of another class"))
        }
    }
}
