//! Loans: memory for a message whose large arrays are written in place.

use std::sync::{Arc, Mutex};

use pyo3::{ffi, prelude::*, types::PyDict};
use saltus::{cdr::ENCAPSULATION, generic::GenericPublisher, types::lock};

use crate::{
    errors,
    message::{Encoded, Message, writable},
};

/// The memory of the arrays of a loan. It keeps the publisher alive, because the memory belongs to the publisher.
#[pyclass(frozen, module = "saltus._native")]
struct LoanedMemory {
    loan: Mutex<Option<saltus::topic::Loan>>,
    _publisher: Arc<GenericPublisher>,
}

/// A message under construction in shared memory.
///
/// Each requested array is an attribute: a NumPy array that the program writes in place, as in ``loan.data[:] =
/// pixels``. Before that its content is arbitrary. ``publish()`` sends the message without a copy. After that the
/// arrays can't be accessed. At the end of a ``with`` statement the loan is published, unless there was an exception.
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
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (name, len) in lengths.into_iter().flatten() {
            counts.push((name.extract()?, len.extract()?));
        }
        let encoded = Encoded::with_reserved(message, &counts)?;
        let mut loan = publisher.loan(encoded.len()).map_err(errors::publish)?;
        encoded.write(&mut loan[..encoded.len()]);
        let bytes: *mut [u8] = &raw mut loan[..];
        let memory = LoanedMemory { loan: Mutex::new(Some(loan)), _publisher: publisher };
        let memory = Bound::new(py, memory)?;
        let mut arrays = Vec::new();
        for (name, range) in encoded.reserved() {
            let start = ENCAPSULATION.len() + range.start;
            // SAFETY: the reserved range lies within the loan. `memory` keeps the loan, and keeps its memory mapped
            // after the loan was sent. Until the loan is sent, no other code reads or writes there. Then the array is
            // made read-only.
            let array =
                unsafe { writable(bytes, start, range.len, range.primitive, memory.clone().into_any())? };
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
            let what = format!("a loan has only the arrays that were requested, {own:?}, and no '{name}'");
            return Err(pyo3::exceptions::PyAttributeError::new_err(what));
        };
        if lock(&self.memory.get().loan).is_none() {
            // The memory will soon contain another message.
            return Err(errors::name("LoanInUseError", "the loan was already published"));
        }
        Ok(array.clone_ref(py))
    }

    #[expect(clippy::unused_self, reason = "Python calls it as a method")]
    fn __setattr__(&self, name: &str, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        let what = format!("can't assign an array of a loan: write it in place, as in loan.{name}[:] = ...");
        Err(pyo3::exceptions::PyAttributeError::new_err(what))
    }

    /// Sends the message. Nothing else may refer to its arrays: neither a variable nor a view (``loan.data[10:]``).
    fn publish(&self, py: Python<'_>) -> PyResult<()> {
        let memory = self.memory.bind(py);
        // A message that subscriptions read must not change. Code that still refers to an array, or to a view of one,
        // could write to it.
        let is_shared = |(_, array): &(String, Py<PyAny>)| {
            // SAFETY: the object is alive, and the interpreter's lock is held while its reference count is read.
            unsafe { ffi::Py_REFCNT(array.as_ptr()) > 1 }
        };
        if let Some((name, _)) = self.arrays.iter().find(|array| is_shared(array)) {
            let what = format!(
                "the loan's array '{name}', or a view of it, is still in use: delete all references to it first"
            );
            return Err(errors::name("LoanInUseError", what));
        }
        let Some(loan) = lock(&memory.get().loan).take() else {
            return Err(errors::name("LoanInUseError", "the loan was already published"));
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
