//! A machine as a node: it publishes events and states, receives triggers, and handles timeouts.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use saltus_msgs::{
    example_interfaces::msg::String as Text,
    std_srvs::srv::{Trigger, Trigger_Response},
};
use saltus_node::{Clock, Context, Node, NodeError, Publisher, Server, Subscription, Timer};
use saltus_types::{QoS, Time, WeakSelf, lock, try_new_cyclic};

use crate::{
    Definition, Machine, StateId, Step, TriggerError,
    queue::{QueueGuard, QueuedTrigger, TriggerQueue},
};

/// The period of timers that must call back only once.
const ONE_SHOT_PERIOD: Duration = Duration::from_secs(1 << 32);

type OnName = Box<dyn FnMut(&EventData<'_>, &str) + Send>;
type OnRefused = Box<dyn FnMut(&EventData<'_>, &TriggerError) + Send>;

/// A builder for nodes of machines.
#[must_use = "no node is created before `create`"]
pub struct MachineNodeBuilder {
    definition: Definition,
    name: String,
    namespace: String,
    callbacks: Callbacks,
}

/// The callbacks for events, for states and for refused triggers.
#[derive(Default)]
struct Callbacks {
    on_event: Vec<OnName>,
    on_state: Vec<OnName>,
    on_refused: Vec<OnRefused>,
}

impl fmt::Debug for MachineNodeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineNodeBuilder").field("machine", &self.definition.name()).finish_non_exhaustive()
    }
}

impl MachineNodeBuilder {
    /// Sets the name of the node. The default is `node`.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the namespace of the node and its topics. The default is `machine`.
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Adds a callback for events. It gets the name of each trigger that is allowed, before the transition.
    pub fn on_event(mut self, callback: impl FnMut(&EventData<'_>, &str) + Send + 'static) -> Self {
        self.callbacks.on_event.push(Box::new(callback));
        self
    }

    /// Adds a callback for states. It gets the name of the state after each change.
    pub fn on_state(mut self, callback: impl FnMut(&EventData<'_>, &str) + Send + 'static) -> Self {
        self.callbacks.on_state.push(Box::new(callback));
        self
    }

    /// Adds a callback for refused triggers. It gets the reason when a trigger of a message, a timeout or a callback is
    /// refused. The reason is also logged.
    pub fn on_refused(
        mut self,
        callback: impl FnMut(&EventData<'_>, &TriggerError) + Send + 'static,
    ) -> Self {
        self.callbacks.on_refused.push(Box::new(callback));
        self
    }

    /// Creates the node. The machine enters its initial state. If that state has a timeout, the timeout starts now.
    pub fn create(self, context: &Context) -> Result<MachineNode, NodeError> {
        let node = context.node(&self.name).namespace(&self.namespace).create()?;
        let core = try_new_cyclic(|core| MachineCore::open(core, &node, self.definition, self.callbacks))?;
        let (trigger, describe) = (core.subscribe_triggers()?, core.serve_description()?);
        core.enter_initial();
        Ok(MachineNode { core, _kept: Arc::new((trigger, describe)) })
    }
}

/// A machine as a node. Cheap to clone. The node leaves the graph when the last clone is dropped.
///
/// On the topic `event` it publishes the name of each trigger that it processes and does not refuse, and on `state` the
/// state after each change. It receives triggers on `trigger`. All three topics have the type
/// `example_interfaces/msg/String` and are in its namespace, by default `/machine`. The service `describe` of type
/// `std_srvs/srv/Trigger` returns its definition and current state as JSON.
///
/// The timeout of a state counts from when the state was *due*: from the deadline that led to it, not from when the
/// processor handled that deadline. So in a chain of timed states, lateness does not add up.
///
/// ```no_run
/// use saltus::machine::{Definition, MachineNode};
/// let context = saltus::Context::new()?;
/// let blinker = Definition::from_yaml("{states: [{name: lit, timeout: 0.5, on_timeout: toggle}, dark], transitions: [[toggle, lit, dark]]}")?;
/// let machine = MachineNode::builder(blinker).create(&context)?;
/// use saltus::{Executor, SingleThreadedExecutor};
/// SingleThreadedExecutor::new(&context)?.spin_node(machine.node())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MachineNode {
    core: Arc<MachineCore>,
    /// Kept because dropping them ends the callbacks.
    _kept: Arc<(Subscription<Text>, Server<Trigger>)>,
}

impl fmt::Debug for MachineNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineNode").field("state", &self.state()).finish_non_exhaustive()
    }
}

impl MachineNode {
    /// Starts to build a node.
    pub fn builder(definition: Definition) -> MachineNodeBuilder {
        MachineNodeBuilder {
            definition,
            name: "node".into(),
            namespace: "machine".into(),
            callbacks: Callbacks::default(),
        }
    }

    /// Returns the node, for an executor.
    pub fn node(&self) -> &Node {
        &self.core.node
    }

    /// Returns a copy of the machine in its current state.
    pub fn machine(&self) -> Machine {
        lock(&self.core.machine).clone()
    }

    /// Returns the name of the current state.
    pub fn state(&self) -> String {
        lock(&self.core.machine).state().to_owned()
    }

    /// Processes a trigger. If another trigger is being processed, on this thread or another, this one is queued, and
    /// this returns `Ok`. If the queued trigger is refused later, that is logged.
    pub fn trigger(&self, name: &str) -> Result<(), TriggerError> {
        let (trigger, due) = (QueuedTrigger::Named(name.into()), self.core.clock.now());
        let Some(guard) = self.core.queue.guard_or_push(&trigger, due) else { return Ok(()) };
        let outcome = self.core.process_name(name, due);
        self.core.process_queue(guard);
        outcome
    }

    /// Returns when the next timeout is due, by the machine's clock; `None` if no active state has a timeout.
    pub fn deadline(&self) -> Option<Time> {
        let timed: Vec<StateId> = lock(&self.core.deadlines).iter().map(|(state, _)| *state).collect();
        timed.iter().flat_map(|state| self.core.timer(*state)).filter_map(Timer::next_call).min()
    }

    /// Returns the clock of its timeouts.
    pub fn clock(&self) -> &Clock {
        &self.core.clock
    }
}

/// The access that a callback has to its machine.
#[derive(Debug)]
pub struct EventData<'a> {
    core: &'a MachineCore,
    /// When the current trigger was due.
    due: Time,
}

impl EventData<'_> {
    /// Queues a trigger. It is processed after the current trigger. If it is refused then, that is logged.
    pub fn trigger(&self, name: &str) {
        self.core.queue.push(QueuedTrigger::Named(name.into()), self.due);
    }

    /// Returns when the current trigger was due, by the machine's clock.
    pub fn due(&self) -> Time {
        self.due
    }
}

struct MachineCore {
    event: Publisher<Text>,
    state: Publisher<Text>,
    /// The message that is published next. It is reused, so that publishing does not allocate.
    text: Mutex<Text>,
    machine: Mutex<Machine>,
    callbacks: Mutex<Callbacks>,
    queue: TriggerQueue,
    /// The deadline of each active state with a timeout, as it was when the state was entered. The timer has another
    /// deadline if simulated time has begun or gone back since.
    deadlines: Mutex<Vec<(StateId, Time)>>,
    /// A timer for each state with a timeout.
    timers: Vec<(StateId, Timer)>,
    clock: Clock,
    node: Node,
}

impl fmt::Debug for MachineCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("node", &self.node).finish_non_exhaustive()
    }
}

impl MachineCore {
    /// Creates the core of a node, with its publishers and timers.
    fn open(
        core: &WeakSelf<Self>,
        node: &Node,
        definition: Definition,
        callbacks: Callbacks,
    ) -> Result<Self, NodeError> {
        let publisher = |topic: &str| node.publisher::<Text>(topic).qos(QoS::system_default()).create();
        let clock = if node.clock().is_simulated() { node.clock().clone() } else { Clock::steady() };
        Ok(Self {
            event: publisher("event")?,
            state: publisher("state")?,
            text: Mutex::default(),
            timers: open_timers(core, node, &clock, &definition)?,
            machine: Mutex::new(Machine::new(definition)),
            callbacks: Mutex::new(callbacks),
            queue: TriggerQueue::default(),
            deadlines: Mutex::default(),
            clock,
            node: node.clone(),
        })
    }

    /// Creates the subscription that receives triggers.
    fn subscribe_triggers(self: &Arc<Self>) -> Result<Subscription<Text>, NodeError> {
        let weak = Arc::downgrade(self);
        let trigger = self.node.subscription::<Text>("trigger").qos(QoS::system_default());
        trigger.callback(move |message: Text| {
            let Some(core) = weak.upgrade() else { return };
            core.process(QueuedTrigger::Named(message.data), core.clock.now());
        })
    }

    /// Creates the server that returns the machine's description.
    fn serve_description(self: &Arc<Self>) -> Result<Server<Trigger>, NodeError> {
        let weak = Arc::downgrade(self);
        self.node.service::<Trigger>("describe").callback(move |_| {
            let machine = weak.upgrade().map(|core| lock(&core.machine).clone());
            let message = machine.map(|machine| machine.definition().to_json(Some(machine.state())));
            Trigger_Response { success: message.is_some(), message: message.unwrap_or_default() }
        })
    }

    /// Starts the timeouts of the initial state and processes its triggers.
    fn enter_initial(&self) {
        let guard = self.queue.guard();
        let active = lock(&self.machine).active_states();
        self.entered(&active, self.clock.now());
        if let Some(guard) = guard {
            self.process_queue(guard);
        }
    }

    /// The callback of a state's timer: processes the trigger of its timeout. The state may have been left meanwhile.
    /// That is checked when the trigger is processed.
    fn on_timer(&self, state: StateId) {
        let deadline = lock(&self.deadlines).iter().find(|(id, _)| *id == state).map(|(_, at)| *at);
        let due = self.timer(state).find_map(Timer::last_due);
        let (Some(deadline), Some(due)) = (deadline, due) else { return };
        // If the two times differ, the state was left and entered again after the timer was due. With simulated time
        // they may also differ because the time has begun or gone back.
        if deadline == due || self.clock.is_simulated() {
            self.process(QueuedTrigger::Timeout(state, deadline), due);
        }
    }

    fn stop_timer(&self, state: StateId) {
        self.timer(state).for_each(Timer::cancel);
    }

    /// Returns the timer of a state, if the state has a timeout.
    fn timer(&self, state: StateId) -> impl Iterator<Item = &Timer> {
        self.timers.iter().filter(move |(id, _)| *id == state).map(|(_, timer)| timer)
    }

    /// Logs that a trigger was refused, and calls the callbacks. The caller must own the guard of the queue.
    fn report_refused(&self, trigger: &str, due: Time, error: &TriggerError) {
        saltus_node::warn!(self.node.logger(), "trigger '{trigger}' refused: {error}");
        let event_data = EventData { core: self, due };
        lock(&self.callbacks).on_refused.iter_mut().for_each(|callback| callback(&event_data, error));
    }

    /// Processes a trigger after all queued triggers. Reports it if it is refused.
    fn process(&self, trigger: QueuedTrigger, due: Time) {
        if let Some(guard) = self.queue.guard_or_push(&trigger, due) {
            self.process_now(&trigger, due);
            self.process_queue(guard);
        }
    }

    /// Processes queued triggers until the queue is empty. If states trigger each other without end, this returns when
    /// the context shuts down.
    fn process_queue(&self, mut guard: QueueGuard<'_>) {
        while let Some((trigger, due)) = guard.next() {
            if self.node.context().is_shut_down() {
                return guard.clear();
            }
            self.process_now(&trigger, due);
        }
    }

    /// Processes a trigger. Reports it if it is refused. The caller must own the guard of the queue.
    fn process_now(&self, trigger: &QueuedTrigger, due: Time) {
        let timeout;
        let name = match trigger {
            QueuedTrigger::Named(name) => name,
            QueuedTrigger::Timeout(state, deadline) => {
                let is_it = |one: &mut (StateId, Time)| *one == (*state, *deadline);
                if lock(&self.deadlines).extract_if(.., is_it).next().is_none() {
                    return;
                }
                self.stop_timer(*state);
                timeout = lock(&self.machine).definition().state(*state).timeout.clone();
                let Some((_, name)) = &timeout else { return };
                name
            }
        };
        if let Err(error) = self.process_name(name, due) {
            self.report_refused(name, due, &error);
        }
    }

    /// Processes the trigger named `trigger`, unless it is refused. The caller must own the guard of the queue.
    fn process_name(&self, trigger: &str, due: Time) -> Result<(), TriggerError> {
        // The machine is not locked while callbacks run. Only the owner of the guard changes it.
        lock(&self.machine).check_trigger(trigger)?;
        let event_data = EventData { core: self, due };
        self.log("Event", trigger);
        self.publish(&self.event, trigger);
        lock(&self.callbacks).on_event.iter_mut().for_each(|callback| callback(&event_data, trigger));
        let (step, state) = {
            let mut machine = lock(&self.machine);
            (machine.trigger(trigger)?, machine.state().to_owned())
        };
        self.changed(&step, due);
        self.log("State", &state);
        if !step.is_internal {
            self.publish(&self.state, &state);
            lock(&self.callbacks).on_state.iter_mut().for_each(|callback| callback(&event_data, &state));
        }
        Ok(())
    }

    fn log(&self, what: &str, name: &str) {
        saltus_node::info!(self.node.logger(), "{what}: {name}");
    }

    fn publish(&self, topic: &Publisher<Text>, text: &str) {
        if let Err(error) = topic.publish(&self.message(text)) {
            saltus_node::error!(self.node.logger(), "can't publish '{text}': {error}");
        }
    }

    /// Returns the reused message, with `text` as its content.
    fn message(&self, text: &str) -> MutexGuard<'_, Text> {
        let mut message = lock(&self.text);
        message.data.clear();
        message.data.push_str(text);
        message
    }

    /// Stops the timers of the states that were left. Starts the timeouts and queues the triggers of the states that
    /// were entered.
    fn changed(&self, step: &Step, due: Time) {
        for state in &step.left {
            if lock(&self.deadlines).extract_if(.., |(id, _)| id == state).next().is_some() {
                self.stop_timer(*state);
            }
        }
        self.entered(&step.entered, due);
    }

    /// Starts the timeouts of states that were entered, and queues their `on_enter` triggers.
    fn entered(&self, states: &[StateId], due: Time) {
        let definition = lock(&self.machine).definition().clone();
        for id in states {
            let state = definition.state(*id);
            if let Some((after, _)) = &state.timeout {
                let nanos = i64::try_from(after.as_nanos()).unwrap_or(i64::MAX);
                self.start_timer(*id, Time::from_nanos(due.as_nanos().saturating_add(nanos)));
            }
            state.on_enter.iter().for_each(|name| self.queue.push(QueuedTrigger::Named(name.clone()), due));
        }
    }

    fn start_timer(&self, state: StateId, deadline: Time) {
        lock(&self.deadlines).push((state, deadline));
        self.timer(state).for_each(|timer| timer.reset_at(deadline));
    }
}

/// Opens a timer for each state with a timeout. The timers are stopped.
fn open_timers(
    core: &WeakSelf<MachineCore>,
    node: &Node,
    clock: &Clock,
    definition: &Definition,
) -> Result<Vec<(StateId, Timer)>, NodeError> {
    let timed = definition.states().filter(|(_, state)| state.timeout.is_some());
    let open = |(id, _)| {
        let core = core.clone();
        let on_timer = move || core.upgrade().iter().for_each(|core| core.on_timer(id));
        let timer = node.timer(ONE_SHOT_PERIOD).clock(clock).callback(on_timer)?;
        timer.cancel();
        Ok((id, timer))
    };
    timed.map(open).collect()
}
