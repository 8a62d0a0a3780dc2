//! How what has something to do is told to Python: native callbacks run nothing, they mark.
//!
//! An executor in Python waits in [`crate::wait::WaitSet`], which runs a native executor for one pass. What
//! that would call back marks its Python object as ready instead, and keeps what came for it. Python then
//! decides which callback runs, when, and on which thread.

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
use saltus::{Arrival, Executed, Sample, Waitable, Waker, types::lock};

thread_local! {
    /// What was marked on this thread, while it is in a native executor's pass.
    static MARKED: RefCell<Option<Vec<Arc<Target>>>> = const { RefCell::new(None) };
}

/// Does something that may mark, and returns what was marked. A callback of the native part (of parameters, of clocks)
/// may spin another executor within: what was marked for this one stays.
pub(crate) fn collecting<T>(work: impl FnOnce() -> T) -> (T, Vec<Arc<Target>>) {
    let before = MARKED.replace(Some(Vec::new()));
    let outcome = work();
    (outcome, MARKED.replace(before).unwrap_or_default())
}

/// What the native work of a thread that may call Python back is to raise.
enum Raised {
    /// Nothing so far.
    Nothing,
    /// Such as `KeyboardInterrupt`.
    Error(PyErr),
}

thread_local! {
    /// What Python is to be told once native work is done; `None` where it has not called any.
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// Does native work that may call Python back, without the interpreter's lock, and raises what is to end it.
pub(crate) fn work_natively<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let before = RAISED.replace(Some(Raised::Nothing));
    let outcome = py.detach(work);
    match RAISED.replace(before) {
        Some(Raised::Error(error)) => Err(error),
        _ => Ok(outcome),
    }
}

/// Calls Python within native work. What it marks may be of any executor, and is so by its own next pass. An exception
/// that is no `Exception` is raised where [`work_natively`] ends; others, and all on a thread that is not Python's, are
/// told as exceptions that nobody can be given.
pub(crate) fn call_python<T>(
    callback: &Py<PyAny>,
    work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<T> {
    let before = MARKED.replace(None);
    let outcome = Python::attach(|py| {
        let ending = StayAtTheEnd;
        let outcome = work(callback.bind(py)).inspect_err(|error| {
            if error.is_instance_of::<PyException>(py) || !keep(py, error) {
                error.clone_ref(py).write_unraisable(py, Some(callback.bind(py)));
            }
        });
        std::mem::forget(ending);
        outcome
    });
    MARKED.set(before);
    outcome
}

/// Before 3.14 CPython ends a thread that computes when the interpreter ends, by unwinding its stack. What lies on that
/// here would give back an interpreter that is gone, which aborts the process; as from 3.14 on, the thread stays.
struct StayAtTheEnd;

impl Drop for StayAtTheEnd {
    fn drop(&mut self) {
        // It is forgotten unless the stack is unwound.
        while !std::thread::panicking() {
            std::thread::park();
        }
    }
}

/// Whether there is somebody to raise it to.
fn keep(py: Python<'_>, error: &PyErr) -> bool {
    RAISED.with_borrow_mut(|raised| {
        if let Some(raised) = raised {
            *raised = Raised::Error(error.clone_ref(py));
        }
        raised.is_some()
    })
}

/// The Python object that is marked. It is not kept alive.
#[derive(Default)]
pub(crate) struct Target(Slot);

struct Slot(PyOnceLock<Py<PyWeakrefReference>>);

impl Default for Slot {
    fn default() -> Self {
        Self(PyOnceLock::new())
    }
}

impl Target {
    /// Says which object it is, once.
    pub(crate) fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let weak = PyWeakrefReference::new(object)?.unbind();
        // A second time nothing changes: it is the same object.
        let _ = self.0.0.set(object.py(), weak);
        Ok(())
    }

    /// The object, if it is still there.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.0.get(py)?.bind(py).upgrade()
    }
}

/// What came and was not taken, and who is told.
///
/// **Invariant:** whenever something waits in it, its object is marked, or will be in the next pass of the
/// executor that has its node.
pub(crate) struct Inbox<T> {
    pub(crate) target: Arc<Target>,
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
    /// Adds something, on whatever thread.
    pub(crate) fn push(&self, item: T) {
        let mut state = lock(&self.state);
        state.items.push_back(item);
        self.mark(&mut state);
    }

    /// Adds something unless something waits already.
    pub(crate) fn push_if_empty(&self, item: T) {
        let mut state = lock(&self.state);
        if state.items.is_empty() {
            state.items.push_back(item);
            self.mark(&mut state);
        }
    }

    /// Takes the oldest. If more waits, the object is marked again.
    pub(crate) fn take(&self) -> Option<T> {
        let mut state = lock(&self.state);
        let item = state.items.pop_front();
        if !state.items.is_empty() {
            state.mark_later();
        }
        item
    }

    /// Has the object marked: now, if this thread is in a pass, else in the next one.
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
        // Marks of an executor that has it no more are lost with that.
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

/// Where messages come from.
pub(crate) trait Messages: Send + Sync {
    fn take(&self) -> Option<Sample>;
    fn set_waker(&self, waker: Option<&Waker>);
}

/// One message that was taken, and where the next comes from: it is left there until this one was taken too, so
/// that the depth of a subscription holds.
pub(crate) struct Mailbox<M> {
    pub(crate) messages: M,
    pub(crate) target: Arc<Target>,
    slot: Mutex<MailSlot>,
}

#[derive(Default)]
struct MailSlot {
    sample: Option<Sample>,
    /// Whether another message may wait behind the one in the slot.
    has_more: bool,
    is_unmarked: bool,
    waker: Option<Waker>,
}

impl<M: Messages> Mailbox<M> {
    pub(crate) fn new(messages: M) -> Self {
        Self { messages, target: Arc::default(), slot: Mutex::default() }
    }

    /// The oldest message.
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

impl<M: Messages> Waitable for Mailbox<M> {
    fn set_waker(&self, waker: Option<&Waker>) {
        {
            let mut slot = lock(&self.slot);
            slot.waker = waker.cloned();
            slot.is_unmarked = slot.sample.is_some();
            if slot.is_unmarked
                && let Some(waker) = waker
            {
                waker.ring();
            }
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

/// Has an executor that spins the node run this, for as long as it is kept.
pub(crate) fn enlist<W: Waitable + 'static>(node: &saltus::Node, waitable: &Arc<W>) {
    let waitable: Arc<dyn Waitable> = waitable.clone();
    node.default_callback_group().add(Arc::downgrade(&waitable));
}
