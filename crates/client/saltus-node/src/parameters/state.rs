//! The parameters of a node, and the callbacks that are called when they are set.

use saltus_types::lock;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, Weak, atomic::AtomicU64},
    thread::ThreadId,
};

use saltus_param::{Parameter, ParameterError, ParameterStore};

/// The parameter that makes a node's clock show simulated time.
pub(crate) const USE_SIM_TIME: &str = "use_sim_time";

pub(super) type PreSet = Arc<Mutex<dyn FnMut(&mut Vec<Parameter>) + Send>>;
pub(super) type OnSet = Arc<Mutex<dyn FnMut(&[Parameter]) -> Result<(), String> + Send>>;
pub(super) type PostSet = Arc<Mutex<dyn FnMut(&[Parameter]) + Send>>;

/// The callbacks with their ids, in the order in which they were registered.
#[derive(Default)]
pub(super) struct Callbacks {
    pub(super) pre_set: Vec<(u64, PreSet)>,
    pub(super) on_set: Vec<(u64, OnSet)>,
    pub(super) post_set: Vec<(u64, PostSet)>,
}

/// The parameters of a node.
pub(crate) struct Parameters {
    pub(super) store: Mutex<ParameterStore>,
    /// Locked while parameters are set, declared or undeclared, so that there is one change at a time.
    changing: Mutex<()>,
    /// The thread that has locked `changing`.
    changing_thread: Mutex<Option<ThreadId>>,
    pub(super) callbacks: Arc<Mutex<Callbacks>>,
    pub(super) next_callback: AtomicU64,
    post_set: Mutex<PostSetQueue>,
}

/// The parameters that were set, and for which the post-set callbacks were not called yet.
#[derive(Default)]
struct PostSetQueue {
    waiting: VecDeque<Vec<Parameter>>,
    /// Whether a thread is calling the callbacks. That thread also calls them for parameters that other threads have
    /// set.
    is_running: bool,
}

/// The permission to change parameters. It ends when this is dropped.
pub(super) struct ParameterChange<'a> {
    parameters: &'a Parameters,
    _guard: MutexGuard<'a, ()>,
}

impl Drop for ParameterChange<'_> {
    fn drop(&mut self) {
        *lock(&self.parameters.changing_thread) = None;
    }
}

impl Parameters {
    pub(crate) fn new(store: ParameterStore) -> Self {
        Self {
            store: Mutex::new(store),
            changing: Mutex::default(),
            changing_thread: Mutex::default(),
            callbacks: Arc::default(),
            next_callback: AtomicU64::new(0),
            post_set: Mutex::default(),
        }
    }

    /// Waits until no other thread changes parameters. Returns the permission to change them, or an error if this
    /// thread has the permission already.
    pub(super) fn begin_change(&self) -> Result<ParameterChange<'_>, ParameterError> {
        let this = std::thread::current().id();
        if *lock(&self.changing_thread) == Some(this) {
            return Err(ParameterError::InCallback);
        }
        let guard = lock(&self.changing);
        *lock(&self.changing_thread) = Some(this);
        Ok(ParameterChange { parameters: self, _guard: guard })
    }

    /// Calls the set callbacks, starting with the last one. Returns the error of the first callback that rejects.
    pub(super) fn run_on_set(&self, parameters: &[Parameter]) -> Result<(), ParameterError> {
        let callbacks = lock(&self.callbacks).on_set.clone();
        let mut callbacks = callbacks.iter().rev();
        callbacks.try_for_each(|(_, callback)| lock(callback)(parameters).map_err(ParameterError::Rejected))
    }

    /// Queues parameters that were set for the post-set callbacks. The caller must hold a `ParameterChange`, so that
    /// the queue has the order of the changes.
    pub(super) fn queue_post_set(&self, parameters: Vec<Parameter>) {
        lock(&self.post_set).waiting.push_back(parameters);
    }

    /// Calls the post-set callbacks for the queued parameters. A callback may set parameters itself. The callbacks are
    /// called for these parameters after it has returned. If another thread is calling the callbacks already, that
    /// thread also calls them for the parameters that this thread has set.
    pub(super) fn run_post_set(&self) {
        let mut queue = lock(&self.post_set);
        if std::mem::replace(&mut queue.is_running, true) {
            return;
        }
        let run = PostSetRun(self);
        while let Some(parameters) = queue.waiting.pop_front() {
            drop(queue);
            let callbacks = lock(&self.callbacks).post_set.clone();
            callbacks.iter().rev().for_each(|(_, callback)| lock(callback)(&parameters));
            queue = lock(&self.post_set);
        }
        // This is set under the lock. Otherwise another thread could queue parameters for this thread, which has
        // stopped.
        queue.is_running = false;
        std::mem::forget(run);
    }
}

/// A guard that resets `is_running` if a post-set callback panics.
struct PostSetRun<'a>(&'a Parameters);

impl Drop for PostSetRun<'_> {
    fn drop(&mut self) {
        lock(&self.0.post_set).is_running = false;
    }
}

/// A registered parameter callback. Dropping the handle ends the calls.
#[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
pub struct ParameterCallback {
    pub(super) id: u64,
    pub(super) callbacks: Weak<Mutex<Callbacks>>,
}

impl std::fmt::Debug for ParameterCallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParameterCallback").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Drop for ParameterCallback {
    fn drop(&mut self) {
        if let Some(callbacks) = self.callbacks.upgrade() {
            let mut callbacks = lock(&callbacks);
            let Callbacks { pre_set, on_set, post_set } = &mut *callbacks;
            let removed = (
                pre_set.extract_if(.., |(id, _)| *id == self.id).next(),
                on_set.extract_if(.., |(id, _)| *id == self.id).next(),
                post_set.extract_if(.., |(id, _)| *id == self.id).next(),
            );
            // A callback may own another of these handles, so it is dropped without the lock.
            drop(callbacks);
            drop(removed);
        }
    }
}
