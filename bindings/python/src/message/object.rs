//! What all messages have in common: their fields, as far as they were made.

use std::sync::Arc;

use pyo3::prelude::*;

use super::{received::Received, source::Source, support::Support};

/// A message. Its classes are made from definitions; this is what they have in common.
///
/// Fields that were not set are made when they are asked for: of a received message from its bytes, of a new
/// one as its definition says.
#[pyclass(subclass, weakref, module = "saltus._native")]
pub(crate) struct Message {
    pub(super) support: Arc<Support>,
    pub(super) values: Box<[Option<Py<PyAny>>]>,
    pub(super) source: Option<Source>,
    /// Whether it may differ from its source: a field was set, or one that can be changed was handed out.
    pub(super) is_touched: bool,
}

impl Message {
    pub(crate) fn support(&self) -> &Arc<Support> {
        &self.support
    }

    /// What a field holds already.
    pub(crate) fn value<'py>(&self, py: Python<'py>, field: usize) -> Option<Bound<'py, PyAny>> {
        self.values[field].as_ref().map(|value| value.bind(py).clone())
    }

    /// The serialized message that it still is, if it was received whole and nothing of it can have changed.
    pub(crate) fn pristine(&self) -> Option<Arc<Received>> {
        self.source.as_ref().filter(|_| !self.is_touched)?.whole()
    }

    /// A message that was received.
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
