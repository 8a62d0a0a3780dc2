//! What a node knows of its parameters, and who is asked and told of them.

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

/// Who is asked or told, in the order in which they were added.
#[derive(Default)]
pub(super) struct Callbacks {
    pub(super) pre_set: Vec<(u64, PreSet)>,
    pub(super) on_set: Vec<(u64, OnSet)>,
    pub(super) post_set: Vec<(u64, PostSet)>,
}

/// What a node knows of its parameters.
pub(crate) struct Parameters {
    pub(super) store: Mutex<ParameterStore>,
    /// Held while parameters are decided on: one set or declaration at a time.
    deciding: Mutex<()>,
    /// The thread that decides.
    decider: Mutex<Option<ThreadId>>,
    pub(super) callbacks: Arc<Mutex<Callbacks>>,
    pub(super) next_callback: AtomicU64,
    told: Mutex<Told>,
}

/// What those who were to be told of sets have not been told yet.
#[derive(Default)]
struct Told {
    waiting: VecDeque<Vec<Parameter>>,
    /// Whether a thread is telling them: others leave theirs to it.
    is_telling: bool,
}

/// The right to decide on parameters.
pub(super) struct Decision<'a> {
    parameters: &'a Parameters,
    _turn: MutexGuard<'a, ()>,
}

impl Drop for Decision<'_> {
    fn drop(&mut self) {
        *lock(&self.parameters.decider) = None;
    }
}

impl Parameters {
    pub(crate) fn new(store: ParameterStore) -> Self {
        Self {
            store: Mutex::new(store),
            deciding: Mutex::default(),
            decider: Mutex::default(),
            callbacks: Arc::default(),
            next_callback: AtomicU64::new(0),
            told: Mutex::default(),
        }
    }

    /// The right to decide, once others have decided; not within a decision of this thread.
    pub(super) fn decide(&self) -> Result<Decision<'_>, ParameterError> {
        let this = std::thread::current().id();
        if *lock(&self.decider) == Some(this) {
            return Err(ParameterError::InCallback);
        }
        let turn = lock(&self.deciding);
        *lock(&self.decider) = Some(this);
        Ok(Decision { parameters: self, _turn: turn })
    }

    /// Asks everybody who was to be asked, the last first; the first refusal counts.
    pub(super) fn ask(&self, parameters: &[Parameter]) -> Result<(), ParameterError> {
        let asked = lock(&self.callbacks).on_set.clone();
        let mut asked = asked.iter().rev();
        asked.try_for_each(|(_, callback)| lock(callback)(parameters).map_err(ParameterError::Rejected))
    }

    /// Notes what was set, within the decision: it is told of in this order.
    pub(super) fn note(&self, parameters: Vec<Parameter>) {
        lock(&self.told).waiting.push_back(parameters);
    }

    /// Tells of what was noted. A callback may set parameters itself, which is then told of after it has
    /// returned, and another thread leaves what it has set to the one that tells already.
    pub(super) fn tell(&self) {
        let mut told = lock(&self.told);
        if std::mem::replace(&mut told.is_telling, true) {
            return;
        }
        let telling = Telling(self);
        while let Some(parameters) = told.waiting.pop_front() {
            drop(told);
            let callbacks = lock(&self.callbacks).post_set.clone();
            callbacks.iter().rev().for_each(|(_, callback)| lock(callback)(&parameters));
            told = lock(&self.told);
        }
        // Within the lock, so that nothing is noted that nobody tells.
        told.is_telling = false;
        std::mem::forget(telling);
    }
}

/// Ends the telling should a callback panic.
struct Telling<'a>(&'a Parameters);

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        lock(&self.0.told).is_telling = false;
    }
}

/// Keeps a callback on parameters; dropping it ends its calls.
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
            // What a callback owns may be another of these handles.
            drop(callbacks);
            drop(removed);
        }
    }
}
