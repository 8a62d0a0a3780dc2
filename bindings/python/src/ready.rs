//! Marks the Python objects that are ready. Native callbacks do not run callbacks of the program: they mark Python
//! objects.
//!
//! An executor in Python waits in [`crate::wait::WaitSet`], which runs a native executor for one pass. A native
//! callback in that pass marks a Python object as ready, and stores the data that arrived for it. Python then decides
//! which callback runs, when, and on which thread.

use std::{
    cell::RefCell,
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use pyo3::{
    exceptions::PyException,
    prelude::*,
    sync::PyOnceLock,
    types::{PyWeakrefMethods, PyWeakrefReference},
};
use saltus::{
    advanced::{Arrival, Executed, Waitable, Waker},
    topic::Sample,
    types::lock,
};

thread_local! {
    /// The objects that were marked on this thread in the current pass of a native executor; `None` outside a pass.
    static MARKED: RefCell<Option<Vec<Arc<Target>>>> = const { RefCell::new(None) };
}

/// Runs `work`, which may mark objects. Returns the marked objects. A native callback for parameters or clocks may spin
/// another executor within `work`. The marks of the outer executor are kept.
pub(crate) fn collecting<T>(work: impl FnOnce() -> T) -> (T, Vec<Arc<Target>>) {
    let before = MARKED.replace(Some(Vec::new()));
    let outcome = work();
    (outcome, MARKED.replace(before).unwrap_or_default())
}

/// The exception that native work raises when it ends, because Python code that it called has raised one.
enum Raised {
    /// No exception so far.
    Nothing,
    /// An exception such as `KeyboardInterrupt`.
    Error(PyErr),
}

thread_local! {
    /// The exception that the native work on this thread raises when it ends; `None` outside such work.
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// Runs native work that may call Python, without the interpreter's lock. Then raises the stored exception, if there is
/// one.
pub(crate) fn work_natively<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let before = RAISED.replace(Some(Raised::Nothing));
    let outcome = py.detach(work);
    match RAISED.replace(before) {
        Some(Raised::Error(error)) => Err(error),
        _ => Ok(outcome),
    }
}

/// Calls Python from native work. The Python code may mark objects of any executor. Each object is marked in the next
/// pass of its own executor. An exception that is not an `Exception`, such as `KeyboardInterrupt`, is raised when
/// [`work_natively`] ends. Other exceptions, and all exceptions outside [`work_natively`], are reported as unraisable.
pub(crate) fn call_python<T>(
    callback: &Py<PyAny>,
    work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<T> {
    let before = MARKED.replace(None);
    let outcome = Python::attach(|py| {
        let guard = ParkOnUnwind;
        let outcome = work(callback.bind(py)).inspect_err(|error| {
            if error.is_instance_of::<PyException>(py) || !store_raised(py, error) {
                error.clone_ref(py).write_unraisable(py, Some(callback.bind(py)));
            }
        });
        std::mem::forget(guard);
        outcome
    });
    MARKED.set(before);
    outcome
}

/// Parks the thread if its stack is unwound because the interpreter shuts down.
///
/// When the interpreter shuts down, CPython before 3.14 unwinds the stack of a thread that then requests the
/// interpreter's lock. Values on the stack here would use an interpreter that no longer exists, which aborts the
/// process. With this guard the thread hangs, as it does from CPython 3.14 on.
struct ParkOnUnwind;

impl Drop for ParkOnUnwind {
    fn drop(&mut self) {
        // Otherwise the guard is forgotten, so this is not called.
        while !std::thread::panicking() {
            std::thread::park();
        }
    }
}

/// Stores an exception, which [`work_natively`] raises later. Returns whether this thread is in such work.
fn store_raised(py: Python<'_>, error: &PyErr) -> bool {
    RAISED.with_borrow_mut(|raised| {
        if let Some(raised) = raised {
            *raised = Raised::Error(error.clone_ref(py));
        }
        raised.is_some()
    })
}

/// A weak reference to the Python object that is to be marked.
#[derive(Default)]
pub(crate) struct Target(Slot);

struct Slot(PyOnceLock<Py<PyWeakrefReference>>);

impl Default for Slot {
    fn default() -> Self {
        Self(PyOnceLock::new())
    }
}

impl Target {
    /// Sets the object. A second call has no effect.
    fn set_object(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let weak = PyWeakrefReference::new(object)?.unbind();
        // An error means that the object is set already. Every call passes the same object.
        let _ = self.0.0.set(object.py(), weak);
        Ok(())
    }

    /// Returns the object, if it still exists.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.0.get(py)?.bind(py).upgrade()
    }
}

/// A queue of items that were not taken yet, and the object that is marked when there are items.
///
/// **Invariant:** while an item is in the queue, the object is marked, or will be marked in the next pass of the
/// executor of its node.
pub(crate) struct Inbox<T> {
    target: Arc<Target>,
    state: Mutex<State<T>>,
}

struct State<T> {
    items: VecDeque<T>,
    /// Whether the object must be marked in the next pass.
    is_unmarked: bool,
    waker: Option<Waker>,
}

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        let state = State { items: VecDeque::new(), is_unmarked: false, waker: None };
        Self { target: Arc::default(), state: Mutex::new(state) }
    }
}

impl<T> Inbox<T> {
    /// Sets the object that is marked. Items may have come before: a pass on another thread has then marked nothing, so the object is
    /// marked again.
    pub(crate) fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.target.set_object(object)?;
        let mut state = lock(&self.state);
        if !state.items.is_empty() {
            state.mark_later();
        }
        Ok(())
    }

    /// Adds an item. May be called on any thread.
    pub(crate) fn push(&self, item: T) {
        let mut state = lock(&self.state);
        state.items.push_back(item);
        self.mark(&mut state);
    }

    /// Adds an item if the queue is empty.
    pub(crate) fn push_if_empty(&self, item: T) {
        let mut state = lock(&self.state);
        if state.items.is_empty() {
            state.items.push_back(item);
            self.mark(&mut state);
        }
    }

    /// Takes the oldest item. If there are more items, the object is marked again.
    pub(crate) fn take(&self) -> Option<T> {
        let mut state = lock(&self.state);
        let item = state.items.pop_front();
        if !state.items.is_empty() {
            state.mark_later();
        }
        item
    }

    /// Marks the object: now if this thread is in a pass, and otherwise in the next pass.
    fn mark(&self, state: &mut State<T>) {
        let is_marked = MARKED.with_borrow_mut(|marked| match marked {
            Some(marked) => {
                marked.push(self.target.clone());
                true
            }
            None => false,
        });
        if !is_marked {
            state.mark_later();
        }
    }
}

impl<T> State<T> {
    fn mark_later(&mut self) {
        self.is_unmarked = true;
        if let Some(waker) = &self.waker {
            waker.ring();
        }
    }
}

impl<T: Send> Waitable for Inbox<T> {
    fn set_waker(&self, waker: Option<&Waker>) {
        let mut state = lock(&self.state);
        state.waker = waker.cloned();
        // The marks that an earlier executor has collected are lost, so the object is marked again.
        if !state.items.is_empty() {
            state.mark_later();
        }
    }

    fn execute(&self) -> Executed {
        let mut state = lock(&self.state);
        if std::mem::take(&mut state.is_unmarked) && !state.items.is_empty() {
            self.mark(&mut state);
            return Executed::Ran(None);
        }
        Executed::Nothing
    }
}

/// A source of messages.
pub(crate) trait Messages: Send + Sync {
    fn take(&self) -> Option<Sample>;
    fn set_waker(&self, waker: Option<&Waker>);
}

/// The oldest message, and the source of further messages. The next message stays in the source until this one is
/// taken, so that the queue never holds more messages than its depth.
pub(crate) struct Mailbox<M> {
    pub(crate) messages: M,
    target: Arc<Target>,
    slot: Mutex<MailSlot>,
}

#[derive(Default)]
struct MailSlot {
    sample: Option<Sample>,
    /// Whether the source may have another message.
    has_more: bool,
    is_unmarked: bool,
    waker: Option<Waker>,
}

impl MailSlot {
    /// Marks the object in the next pass if there is a message.
    fn mark_later(&mut self) {
        self.is_unmarked = self.sample.is_some();
        if self.is_unmarked
            && let Some(waker) = &self.waker
        {
            waker.ring();
        }
    }
}

impl<M: Messages> Mailbox<M> {
    pub(crate) fn new(messages: M) -> Self {
        Self { messages, target: Arc::default(), slot: Mutex::default() }
    }

    /// Sets the object that is marked. A message may have come before; see [`Inbox::set_target`].
    pub(crate) fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.target.set_object(object)?;
        lock(&self.slot).mark_later();
        Ok(())
    }

    /// Takes the oldest message.
    pub(crate) fn take(&self) -> Option<Sample> {
        let mut slot = lock(&self.slot);
        let sample = slot.sample.take();
        if std::mem::take(&mut slot.has_more)
            && let Some(waker) = &slot.waker
        {
            waker.ring();
        }
        sample
    }
}

impl<M: Messages> Mailbox<M> {
    /// Takes the oldest message, even if the executor has not marked it yet.
    pub(crate) fn take_unmarked(&self) -> Option<Sample> {
        // The lock is held meanwhile, so that no other thread takes a later message first.
        let mut slot = lock(&self.slot);
        slot.sample.take().or_else(|| self.messages.take())
    }
}

impl<M: Messages> Waitable for Mailbox<M> {
    fn set_waker(&self, waker: Option<&Waker>) {
        {
            let mut slot = lock(&self.slot);
            slot.waker = waker.cloned();
            slot.mark_later();
        }
        self.messages.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let mut slot = lock(&self.slot);
        let mut arrival = None;
        if slot.sample.is_none() {
            let Some(sample) = self.messages.take() else { return Executed::Nothing };
            arrival = Some(Arrival::from(&sample));
            slot.sample = Some(sample);
        } else if !std::mem::take(&mut slot.is_unmarked) {
            slot.has_more = true;
            return Executed::Nothing;
        }
        MARKED.with_borrow_mut(|marked| {
            if let Some(marked) = marked {
                marked.push(self.target.clone());
            }
        });
        Executed::Ran(arrival)
    }
}

/// Makes the executor that spins the node run this waitable, for as long as the waitable exists.
pub(crate) fn register<W: Waitable + 'static>(node: &saltus::Node, waitable: &Arc<W>) {
    let waitable: Arc<dyn Waitable> = waitable.clone();
    node.default_callback_group().add(Arc::downgrade(&waitable));
}
