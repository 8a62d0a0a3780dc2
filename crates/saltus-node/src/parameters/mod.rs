//! A node's parameters: declaring, setting, telling of it, and answering for them to others.
//!
//! The rules are `saltus-param`'s. What is added here: callbacks before and after a set, an event for each
//! change, and six services, which are opened when somebody asks for the first time.

mod builder;
mod client;
mod events;
mod messages;
mod services;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread::ThreadId,
};

use saltus_param::{
    Changes, Declaration, Listed, Parameter, ParameterDescriptor, ParameterError, ParameterStore,
    ParameterType, ParameterValue, ParameterVariant,
};

pub use builder::ParameterBuilder;
pub use client::{ParameterClient, RemoteParameterError};
pub(crate) use events::ParameterEvents;
pub(crate) use services::{OpenedServers, ParameterServices};
pub use services::{observe_graph, show_offered};

use crate::{Node, node::ClockSource};

/// The parameter that makes a node's clock show simulated time.
pub(crate) const USE_SIM_TIME: &str = "use_sim_time";

type PreSet = Arc<Mutex<dyn FnMut(&mut Vec<Parameter>) + Send>>;
type OnSet = Arc<Mutex<dyn FnMut(&[Parameter]) -> Result<(), String> + Send>>;
type PostSet = Arc<Mutex<dyn FnMut(&[Parameter]) + Send>>;

/// Who is asked or told, in the order in which they were added.
#[derive(Default)]
struct Callbacks {
    pre_set: Vec<(u64, PreSet)>,
    on_set: Vec<(u64, OnSet)>,
    post_set: Vec<(u64, PostSet)>,
}

/// What a node knows of its parameters.
pub(crate) struct Parameters {
    store: Mutex<ParameterStore>,
    /// Held while parameters are decided on: one set or declaration at a time.
    deciding: Mutex<()>,
    /// The thread that decides.
    decider: Mutex<Option<ThreadId>>,
    callbacks: Arc<Mutex<Callbacks>>,
    next_callback: AtomicU64,
    told: Mutex<Told>,
}

/// What those who were to be told of sets have not been told yet.
#[derive(Default)]
struct Told {
    waiting: VecDeque<Vec<Parameter>>,
    /// Whether a thread is telling them: others leave theirs to it.
    is_telling: bool,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The right to decide on parameters.
struct Decision<'a> {
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
    fn decide(&self) -> Result<Decision<'_>, ParameterError> {
        let this = std::thread::current().id();
        if *lock(&self.decider) == Some(this) {
            return Err(ParameterError::InCallback);
        }
        let turn = lock(&self.deciding);
        *lock(&self.decider) = Some(this);
        Ok(Decision { parameters: self, _turn: turn })
    }

    /// Asks everybody who was to be asked, the last first; the first refusal counts.
    fn ask(&self, parameters: &[Parameter]) -> Result<(), ParameterError> {
        let asked = lock(&self.callbacks).on_set.clone();
        let mut asked = asked.iter().rev();
        asked.try_for_each(|(_, callback)| lock(callback)(parameters).map_err(ParameterError::Rejected))
    }

    /// Notes what was set, within the decision: it is told of in this order.
    fn note(&self, parameters: Vec<Parameter>) {
        lock(&self.told).waiting.push_back(parameters);
    }

    /// Tells of what was noted. A callback may set parameters itself, which is then told of after it has
    /// returned, and another thread leaves what it has set to the one that tells already.
    fn tell(&self) {
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
    id: u64,
    callbacks: Weak<Mutex<Callbacks>>,
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

impl Node {
    /// Declares a parameter with a default value, and returns the value that it has: the user's, if one was
    /// given by `-p`, `--params-file` or the node's options.
    ///
    /// ```no_run
    /// let context = saltus_node::Context::from_args()?;
    /// let node = context.node("driver").create()?;
    /// let rate: f64 = node.declare_parameter("rate", 10.0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn declare_parameter<T: ParameterVariant>(
        &self,
        name: &str,
        default: T,
    ) -> Result<T, ParameterError> {
        self.parameter(name).declare(default)
    }

    /// A parameter with more to be said of it than its default value.
    pub fn parameter(&self, name: &str) -> ParameterBuilder {
        ParameterBuilder::new(self, name)
    }

    pub(crate) fn declare_value(
        &self,
        name: &str,
        declaration: Declaration,
    ) -> Result<ParameterValue, ParameterError> {
        let parameters = self.parameters();
        let decision = parameters.decide()?;
        let (value, descriptor) = lock(&parameters.store).check_declaration(name, declaration)?;
        let declared = [Parameter::new(name, value.clone())];
        let mut applied = Applied::default();
        if value != ParameterValue::NotSet {
            parameters.ask(&declared)?;
            applied = self.apply(&declared)?;
            parameters.note(declared.to_vec());
        }
        let changes = lock(&parameters.store).declare(value.clone(), descriptor);
        self.tell_changes(changes);
        drop(decision);
        self.finish(applied);
        parameters.tell();
        Ok(value)
    }

    /// Takes a parameter away.
    pub fn undeclare_parameter(&self, name: &str) -> Result<(), ParameterError> {
        let _decision = self.parameters().decide()?;
        let changes = lock(&self.parameters().store).undeclare(name)?;
        self.tell_changes(changes);
        Ok(())
    }

    /// Whether a parameter is declared.
    pub fn has_parameter(&self, name: &str) -> bool {
        lock(&self.parameters().store).contains(name)
    }

    /// A parameter's value as a Rust type.
    ///
    /// # Errors
    /// If it is not declared, has no value yet, or is of another type.
    pub fn get_parameter<T: ParameterVariant>(&self, name: &str) -> Result<T, ParameterError> {
        typed(name, self.parameter_value(name)?)
    }

    /// A parameter's value as a Rust type, or another if it has none of that type.
    pub fn get_parameter_or<T: ParameterVariant>(&self, name: &str, otherwise: T) -> T {
        self.get_parameter(name).unwrap_or(otherwise)
    }

    /// A parameter's value.
    pub fn parameter_value(&self, name: &str) -> Result<ParameterValue, ParameterError> {
        lock(&self.parameters().store).get(name)
    }

    /// A parameter's type; none for one that was declared by its type and has no value yet.
    pub(crate) fn parameter_type(&self, name: &str) -> Result<ParameterType, ParameterError> {
        match self.parameter_value(name) {
            Err(ParameterError::NotInitialized(_)) => Ok(ParameterType::NotSet),
            value => Ok(ParameterType::of(&value?)),
        }
    }

    /// What is said of a parameter.
    pub fn describe_parameter(&self, name: &str) -> Result<ParameterDescriptor, ParameterError> {
        lock(&self.parameters().store).describe(name)
    }

    /// The names of parameters; see [`ParameterStore::list`].
    pub fn list_parameters(&self, prefixes: &[String], depth: u64) -> Listed {
        lock(&self.parameters().store).list(prefixes, depth)
    }

    /// Sets a parameter.
    pub fn set_parameter<T: ParameterVariant>(&self, name: &str, value: T) -> Result<(), ParameterError> {
        self.set_parameters_atomically(vec![Parameter::new(name, value.into_value())])
    }

    /// Sets parameters one by one; each that can't be is passed over.
    pub fn set_parameters(&self, parameters: Vec<Parameter>) -> Vec<Result<(), ParameterError>> {
        parameters.into_iter().map(|one| self.set_parameters_atomically(vec![one])).collect()
    }

    /// Sets all of these parameters, or none.
    ///
    /// First those who were to be asked before may change the list; then each is checked against its
    /// descriptor; then those who were to be asked may refuse. Then all are set, an event is published, and
    /// those who were to be told are told.
    pub fn set_parameters_atomically(&self, mut list: Vec<Parameter>) -> Result<(), ParameterError> {
        let parameters = self.parameters();
        let decision = parameters.decide()?;
        let asked = lock(&parameters.callbacks).pre_set.clone();
        let had_any = !list.is_empty();
        asked.iter().rev().for_each(|(_, callback)| lock(callback)(&mut list));
        if had_any && list.is_empty() {
            return Err(ParameterError::Empty);
        }
        {
            let store = lock(&parameters.store);
            list.iter().try_for_each(|one| store.check_set(one))?;
        }
        parameters.ask(&list)?;
        let applied = self.apply(&list)?;
        let changes = lock(&parameters.store).set(&list);
        parameters.note(list);
        self.tell_changes(changes);
        drop(decision);
        self.finish(applied);
        parameters.tell();
        Ok(())
    }

    /// Calls back before parameters are set, with a list that the callback may change. The last that was
    /// added comes first.
    #[must_use = "dropping it ends the calls"]
    pub fn on_pre_set_parameters(
        &self,
        callback: impl FnMut(&mut Vec<Parameter>) + Send + 'static,
    ) -> ParameterCallback {
        self.add_callback(|callbacks, id| callbacks.pre_set.push((id, Arc::new(Mutex::new(callback)))))
    }

    /// Calls back with parameters that are about to be set or declared; the callback may refuse, and says
    /// why. It may not set parameters itself. The last that was added is asked first.
    #[must_use = "dropping it ends the calls"]
    pub fn on_set_parameters(
        &self,
        callback: impl FnMut(&[Parameter]) -> Result<(), String> + Send + 'static,
    ) -> ParameterCallback {
        self.add_callback(|callbacks, id| callbacks.on_set.push((id, Arc::new(Mutex::new(callback)))))
    }

    /// Calls back with parameters that were set or declared, in the order in which that happened; the last that
    /// was added comes first. The callback may set parameters itself: they are told of after it has returned.
    #[must_use = "dropping it ends the calls"]
    pub fn on_post_set_parameters(
        &self,
        callback: impl FnMut(&[Parameter]) + Send + 'static,
    ) -> ParameterCallback {
        self.add_callback(|callbacks, id| callbacks.post_set.push((id, Arc::new(Mutex::new(callback)))))
    }

    fn add_callback(&self, add: impl FnOnce(&mut Callbacks, u64)) -> ParameterCallback {
        let parameters = self.parameters();
        let id = parameters.next_callback.fetch_add(1, Ordering::Relaxed);
        add(&mut lock(&parameters.callbacks), id);
        ParameterCallback { id, callbacks: Arc::downgrade(&parameters.callbacks) }
    }

    /// Gets ready for what parameters of the node itself stand for, as far as that can fail.
    fn apply(&self, parameters: &[Parameter]) -> Result<Applied, ParameterError> {
        let Some(parameter) = parameters.iter().rfind(|one| one.name == USE_SIM_TIME) else {
            return Ok(Applied::default());
        };
        let simulate = parameter.value == ParameterValue::Bool(true);
        let prepared = self.prepare_clock(simulate);
        let clock = prepared.map_err(|error| ParameterError::Rejected(error.to_string()))?;
        Ok(Applied { clock })
    }

    /// Does it. No decision may be held: the clock tells of its jump, and who hears of that may set parameters.
    fn finish(&self, applied: Applied) {
        if let Some(clock) = applied.clock {
            self.follow_clock(clock);
        }
    }

    fn tell_changes(&self, changes: Changes) {
        if changes != Changes::default() && self.has_parameter_services() {
            self.context().parameter_events().publish(self, changes);
        }
    }
}

/// What parameters of the node itself stand for, ready to be done.
#[derive(Default)]
struct Applied {
    clock: Option<ClockSource>,
}

/// A value as a Rust type.
fn typed<T: ParameterVariant>(name: &str, value: ParameterValue) -> Result<T, ParameterError> {
    let found = ParameterType::of(&value);
    T::from_value(value).ok_or_else(|| ParameterError::Type {
        name: name.into(),
        expected: found,
        found: T::TYPE,
    })
}
