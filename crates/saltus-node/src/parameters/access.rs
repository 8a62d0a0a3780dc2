//! Declaring, reading and setting the parameters of a node.

use std::sync::{Arc, Mutex, atomic::Ordering};

use saltus_param::{
    Changes, Declaration, Listed, Parameter, ParameterDescriptor, ParameterError, ParameterType,
    ParameterValue, ParameterVariant,
};
use saltus_types::lock;

use super::state::{Callbacks, ParameterCallback, USE_SIM_TIME};
use crate::{Node, NodeError, node::ClockSource};

impl Node {
    /// Whether the node's clock shows simulated time, from `/clock`, instead of the time of day.
    ///
    /// Simulated time is 0 until the first message. It goes on while an executor spins the node. The same is
    /// done by setting the node's parameter `use_sim_time`.
    pub fn use_sim_time(&self, simulate: bool) -> Result<(), NodeError> {
        Ok(self.set_parameter(USE_SIM_TIME, simulate)?)
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
            let (stamp, logger) = (self.clock().now(), self.logger());
            self.context().parameter_events().publish(self.name(), stamp, changes, &logger);
        }
    }
}

/// What parameters of the node itself stand for, ready to be done.
#[derive(Default)]
struct Applied {
    clock: Option<ClockSource>,
}

/// A value as a Rust type.
pub(super) fn typed<T: ParameterVariant>(name: &str, value: ParameterValue) -> Result<T, ParameterError> {
    let found = ParameterType::of(&value);
    T::from_value(value).ok_or_else(|| ParameterError::Type {
        name: name.into(),
        expected: found,
        found: T::TYPE,
    })
}
