//! Loans: memory for a message whose large arrays are written in place.

use std::sync::{Arc, Mutex};

use pyo3::{ffi, prelude::*, types::PyDict};
use saltus::{GenericPublisher, cdr::ENCAPSULATION, types::lock};

use crate::{
    errors,
    message::{Encoded, Message, writable},
};

/// What an array of a loan lies in. It keeps the publisher, whose memory it is.
#[pyclass(frozen, module = "saltus._native")]
struct LoanedMemory {
    loan: Mutex<Option<saltus::Loan>>,
    _publisher: Arc<GenericPublisher>,
}

/// A message under construction in shared memory.
///
/// Each array that was asked for is an attribute, a NumPy array to be written in place: ``loan.data[:] = pixels``.
/// Its content is arbitrary until then. ``publish()`` sends the message without a copy, after which there are no
/// arrays any more; used as a context manager it does so at the end, unless there was an exception.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Loan {
    memory: Py<LoanedMemory>,
    arrays: Vec<(String, Py<PyAny>)>,
    len: usize,
}

impl Loan {
    pub(crate) fn new(
        publisher: Arc<GenericPublisher>,
        message: &Bound<'_, Message>,
        lengths: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = message.py();
        let mut rooms: Vec<(String, usize)> = Vec::new();
        for (name, len) in lengths.into_iter().flatten() {
            rooms.push((name.extract()?, len.extract()?));
        }
        let encoded = Encoded::with_room(message, &rooms)?;
        let mut loan = publisher.loan(encoded.len()).map_err(errors::publish)?;
        encoded.write(&mut loan[..encoded.len()]);
        let bytes: *mut [u8] = &raw mut loan[..];
        let memory = LoanedMemory { loan: Mutex::new(Some(loan)), _publisher: publisher };
        let memory = Bound::new(py, memory)?;
        let mut arrays = Vec::new();
        for (name, room) in encoded.rooms() {
            let start = ENCAPSULATION.len() + room.start;
            // SAFETY: the room lies within the loan, which `memory` keeps, or the memory that it was, mapped; until
            // it is sent nobody else reads or writes there, and then the array is made read-only.
            let array =
                unsafe { writable(bytes, start, room.len, room.primitive, memory.clone().into_any())? };
            arrays.push((name.clone(), array.unbind()));
        }
        Ok(Self { memory: memory.unbind(), arrays, len: encoded.len() })
    }
}

#[pymethods]
impl Loan {
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let Some((_, array)) = self.arrays.iter().find(|(own, _)| own == name) else {
            let own: Vec<&str> = self.arrays.iter().map(|(name, _)| name.as_str()).collect();
            let what = format!("a loan has the arrays that were asked for, {own:?}, and no '{name}'");
            return Err(pyo3::exceptions::PyAttributeError::new_err(what));
        };
        if lock(&self.memory.get().loan).is_none() {
            // Its memory is another message's soon.
            return Err(errors::name("LoanInUseError", "the loan was published before"));
        }
        Ok(array.clone_ref(py))
    }

    #[expect(clippy::unused_self, reason = "a method of Python's")]
    fn __setattr__(&self, name: &str, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        let what = format!("a loan's arrays are written in place: loan.{name}[:] = ...");
        Err(pyo3::exceptions::PyAttributeError::new_err(what))
    }

    /// Sends the message. Nothing else may refer to its arrays: a variable, or a view (``loan.data[10:]``).
    fn publish(&self, py: Python<'_>) -> PyResult<()> {
        let memory = self.memory.bind(py);
        // Whoever else has an array, or a view of one, could write into what others read.
        let is_shared = |(_, array): &(String, Py<PyAny>)| {
            // SAFETY: reads a count of a live object, with the interpreter's lock.
            unsafe { ffi::Py_REFCNT(array.as_ptr()) > 1 }
        };
        if let Some((name, _)) = self.arrays.iter().find(|array| is_shared(array)) {
            let what = format!(
                "the loan's array '{name}', or a view of it, is still in use: delete what refers to it before publishing"
            );
            return Err(errors::name("LoanInUseError", what));
        }
        let Some(loan) = lock(&memory.get().loan).take() else {
            return Err(errors::name("LoanInUseError", "the loan was published before"));
        };
        for (_, array) in &self.arrays {
            array.bind(py).getattr("flags")?.setattr("writeable", false)?;
        }
        let len = self.len;
        py.detach(|| loan.publish(len)).map_err(errors::publish)
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (kind, _error, _traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let is_open = lock(&self.memory.bind(py).get().loan).is_some();
        if kind.is_none() && is_open { self.publish(py) } else { Ok(()) }
    }
}
