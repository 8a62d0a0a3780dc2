//! Declaring, reading and setting the parameters of a node.

use std::sync::{Arc, Mutex, atomic::Ordering};

use saltus_param::{
    Changes, Declaration, Parameter, ParameterDescriptor, ParameterError, ParameterList, ParameterType,
    ParameterValue, ParameterVariant,
};
use saltus_types::lock;

use super::state::{Callbacks, ParameterCallback, USE_SIM_TIME};
use crate::{Node, NodeError, node::ClockSource};

impl Node {
    /// Sets whether the node's clock shows simulated time, which is received on `/clock`, instead of the time of day.
    ///
    /// Simulated time is 0 until the first message. It advances while an executor spins the node. This has the same
    /// effect as setting the parameter `use_sim_time` of the node.
    pub fn use_sim_time(&self, simulate: bool) -> Result<(), NodeError> {
        Ok(self.set_parameter(USE_SIM_TIME, simulate)?)
    }

    pub(crate) fn declare_value(
        &self,
        name: &str,
        declaration: Declaration,
    ) -> Result<ParameterValue, ParameterError> {
        let parameters = self.parameters();
        let change = parameters.begin_change()?;
        let (value, descriptor) = lock(&parameters.store).check_declaration(name, declaration)?;
        let declared = [Parameter::new(name, value.clone())];
        let mut prepared = Prepared::default();
        if value != ParameterValue::NotSet {
            parameters.run_on_set(&declared)?;
            prepared = self.prepare(&declared)?;
            parameters.queue_post_set(declared.to_vec());
        }
        let changes = lock(&parameters.store).declare(value.clone(), descriptor);
        self.publish_changes(changes);
        drop(change);
        self.apply(prepared);
        parameters.run_post_set();
        Ok(value)
    }

    /// Undeclares a parameter.
    pub fn undeclare_parameter(&self, name: &str) -> Result<(), ParameterError> {
        let _change = self.parameters().begin_change()?;
        let changes = lock(&self.parameters().store).undeclare(name)?;
        self.publish_changes(changes);
        Ok(())
    }

    /// Whether a parameter is declared.
    pub fn has_parameter(&self, name: &str) -> bool {
        lock(&self.parameters().store).contains(name)
    }

    /// Returns the value of a parameter as a Rust type.
    ///
    /// # Errors
    /// Returns an error if the parameter is not declared, has no value yet, or is of another type.
    pub fn get_parameter<T: ParameterVariant>(&self, name: &str) -> Result<T, ParameterError> {
        typed(name, self.parameter_value(name)?)
    }

    /// Returns the value of a parameter as a Rust type, or `otherwise` if it has no value of that type.
    pub fn get_parameter_or<T: ParameterVariant>(&self, name: &str, otherwise: T) -> T {
        self.get_parameter(name).unwrap_or(otherwise)
    }

    /// Returns the value of a parameter.
    pub fn parameter_value(&self, name: &str) -> Result<ParameterValue, ParameterError> {
        lock(&self.parameters().store).get(name)
    }

    /// Returns the type of a parameter. Returns [`ParameterType::NotSet`] if the parameter was declared with only a
    /// type and has no value yet.
    pub(crate) fn parameter_type(&self, name: &str) -> Result<ParameterType, ParameterError> {
        match self.parameter_value(name) {
            Err(ParameterError::NotInitialized(_)) => Ok(ParameterType::NotSet),
            value => Ok(ParameterType::of(&value?)),
        }
    }

    /// Returns the descriptor of a parameter.
    pub fn describe_parameter(&self, name: &str) -> Result<ParameterDescriptor, ParameterError> {
        lock(&self.parameters().store).describe(name)
    }

    /// Returns the names of parameters. See [`saltus_param::ParameterStore::list`].
    pub fn list_parameters(&self, prefixes: &[String], depth: u64) -> ParameterList {
        lock(&self.parameters().store).list(prefixes, depth)
    }

    /// Sets a parameter.
    pub fn set_parameter<T: ParameterVariant>(&self, name: &str, value: T) -> Result<(), ParameterError> {
        self.set_parameters_atomically(vec![Parameter::new(name, value.into_value())])
    }

    /// Sets parameters one by one. Returns a result for each. A parameter that can't be set is skipped.
    pub fn set_parameters(&self, parameters: Vec<Parameter>) -> Vec<Result<(), ParameterError>> {
        parameters.into_iter().map(|one| self.set_parameters_atomically(vec![one])).collect()
    }

    /// Sets all parameters of a list, or none.
    ///
    /// 1. The callbacks of [`Node::on_pre_set_parameters`] may change the list.
    /// 2. Each parameter is checked against its descriptor.
    /// 3. The callbacks of [`Node::on_set_parameters`] may reject the list.
    /// 4. All parameters are set, and an event is published.
    /// 5. The callbacks of [`Node::on_post_set_parameters`] are called.
    pub fn set_parameters_atomically(&self, mut list: Vec<Parameter>) -> Result<(), ParameterError> {
        let parameters = self.parameters();
        let change = parameters.begin_change()?;
        let callbacks = lock(&parameters.callbacks).pre_set.clone();
        let had_any = !list.is_empty();
        callbacks.iter().rev().for_each(|(_, callback)| lock(callback)(&mut list));
        if had_any && list.is_empty() {
            return Err(ParameterError::Empty);
        }
        {
            let store = lock(&parameters.store);
            list.iter().try_for_each(|one| store.check_set(one))?;
        }
        parameters.run_on_set(&list)?;
        let prepared = self.prepare(&list)?;
        let changes = lock(&parameters.store).set(&list);
        parameters.queue_post_set(list);
        self.publish_changes(changes);
        drop(change);
        self.apply(prepared);
        parameters.run_post_set();
        Ok(())
    }

    /// Registers a callback that is called before parameters are set. The callback may change the list of parameters.
    /// The callback that was registered last is called first.
    #[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
    pub fn on_pre_set_parameters(
        &self,
        callback: impl FnMut(&mut Vec<Parameter>) + Send + 'static,
    ) -> ParameterCallback {
        self.add_callback(|callbacks, id| callbacks.pre_set.push((id, Arc::new(Mutex::new(callback)))))
    }

    /// Registers a callback that checks parameters before they are set or declared. The callback may reject them by
    /// returning a reason. It must not set parameters itself. The callback that was registered last is called first.
    #[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
    pub fn on_set_parameters(
        &self,
        callback: impl FnMut(&[Parameter]) -> Result<(), String> + Send + 'static,
    ) -> ParameterCallback {
        self.add_callback(|callbacks, id| callbacks.on_set.push((id, Arc::new(Mutex::new(callback)))))
    }

    /// Registers a callback that is called after parameters were set or declared, in the order of these changes. The
    /// callback that was registered last is called first. The callback may set parameters itself. The callbacks are
    /// called for these parameters after it has returned.
    #[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
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

    /// Prepares the effects of the parameters that every node has: does everything that can fail.
    fn prepare(&self, parameters: &[Parameter]) -> Result<Prepared, ParameterError> {
        let Some(parameter) = parameters.iter().rfind(|one| one.name == USE_SIM_TIME) else {
            return Ok(Prepared::default());
        };
        let simulate = parameter.value == ParameterValue::Bool(true);
        let clock = self.prepare_clock(simulate);
        let clock = clock.map_err(|error| ParameterError::Rejected(error.to_string()))?;
        Ok(Prepared { clock })
    }

    /// Applies prepared effects. The caller must not hold a `ParameterChange`, because the clock calls jump callbacks,
    /// and these may set parameters.
    fn apply(&self, prepared: Prepared) {
        if let Some(clock) = prepared.clock {
            self.follow_clock(clock);
        }
    }

    fn publish_changes(&self, changes: Changes) {
        if changes != Changes::default() && self.has_parameter_events() {
            let (stamp, logger) = (self.clock().now(), self.logger());
            self.context().parameter_events().publish(self.name(), stamp, changes, &logger);
        }
    }
}

/// Prepared effects of the parameters that every node has.
#[derive(Default)]
struct Prepared {
    clock: Option<ClockSource>,
}

/// Converts a value to a Rust type.
pub(super) fn typed<T: ParameterVariant>(name: &str, value: ParameterValue) -> Result<T, ParameterError> {
    let found = ParameterType::of(&value);
    T::from_value(value).ok_or_else(|| ParameterError::Type {
        name: name.into(),
        expected: found,
        found: T::TYPE,
    })
}
