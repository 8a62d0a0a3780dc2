//! The base of all messages: it contains the fields that were created so far.

use std::sync::Arc;

use pyo3::prelude::*;

use super::{received::Received, source::Source, support::Support};

/// A message: the base of the classes that are created from definitions.
///
/// A field that was not set is created when it is first read. In a received message it is decoded from the bytes. In a
/// new message it gets the default of its definition.
#[pyclass(subclass, weakref, module = "saltus._native")]
pub(crate) struct Message {
    pub(super) support: Arc<Support>,
    pub(super) values: Box<[Option<Py<PyAny>>]>,
    pub(super) source: Option<Source>,
    /// Whether the message may differ from its source: a field was set, or a mutable value of a field was returned.
    pub(super) is_touched: bool,
}

impl Message {
    pub(crate) fn support(&self) -> &Arc<Support> {
        &self.support
    }

    /// Returns the value of a field, if it was created already.
    pub(crate) fn value<'py>(&self, py: Python<'py>, field: usize) -> Option<Bound<'py, PyAny>> {
        self.values[field].as_ref().map(|value| value.bind(py).clone())
    }

    /// Returns the serialized message, if the message was received as a whole and can't have changed since.
    pub(crate) fn pristine(&self) -> Option<Arc<Received>> {
        self.source.as_ref().filter(|_| !self.is_touched)?.whole()
    }

    /// Creates a message from its source.
    pub(crate) fn received<'py>(
        py: Python<'py>,
        support: &Support,
        source: Source,
    ) -> PyResult<Bound<'py, PyAny>> {
        let message = support.class(py)?.call0()?;
        message.cast::<Self>()?.borrow_mut().source = Some(source);
        Ok(message)
    }
}
