//! Messages: their types, their values, and their serialized bytes.

mod array;
mod check;
mod class;
mod object;
mod read;
mod received;
mod source;
mod support;
mod write;

use std::sync::Arc;

use pyo3::{
    intern,
    prelude::*,
    types::{PyBytes, PyType},
};

pub(crate) use array::writable;
pub(crate) use class::Field;
pub(crate) use object::Message;
pub(crate) use received::{Arrays, Memory, Received};
pub(crate) use source::Source;
pub(crate) use support::{Interfaces, Support, TypeSupport};
pub(crate) use write::Encoded;

use crate::errors;

/// Returns the type of a message class.
pub(crate) fn support_of(class: &Bound<'_, PyAny>) -> PyResult<Arc<Support>> {
    let support = class.getattr(intern!(class.py(), "_TYPE_SUPPORT"))?;
    Ok(support.cast::<TypeSupport>()?.get().0.clone())
}

/// Returns the serialized message, encapsulation header included.
#[pyfunction]
pub(crate) fn serialize<'py>(message: &Bound<'py, Message>) -> PyResult<Bound<'py, PyBytes>> {
    let encoded = Encoded::of(message)?;
    PyBytes::new_with(message.py(), encoded.len(), |buffer| {
        encoded.write(buffer);
        Ok(())
    })
}

/// Returns the message of a class from its serialized bytes.
#[pyfunction]
pub(crate) fn deserialize<'py>(class: &Bound<'py, PyType>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let support = support_of(class.as_any())?;
    let bytes = Arc::new(Received::copy_of(bytes));
    let source = Source::new(&support, bytes, Arrays::Copied).map_err(errors::serialization)?;
    Message::received(class.py(), &support, source)
}
