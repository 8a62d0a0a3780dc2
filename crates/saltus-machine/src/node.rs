//! A machine as a node: it tells what happens, takes triggers, and keeps to its times.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock},
    time::Duration,
};

use saltus_msgs::{
    example_interfaces::msg::String as Text,
    std_srvs::srv::{Trigger, Trigger_Response},
};
use saltus_node::{Clock, Context, Node, NodeError, Publisher, Server, Subscription, Timer};
use saltus_types::{QoS, Time, lock};

use crate::{
    Definition, Machine, StateId, Step, TriggerError,
    pulled::{Pull, Pulled, Turn},
};

/// The period of timers that are meant to be called once.
const FOR_EVER: Duration = Duration::from_secs(1 << 32);

type Heard = Box<dyn FnMut(&Pulling<'_>, &str) + Send>;
type HeardRefusal = Box<dyn FnMut(&Pulling<'_>, &TriggerError) + Send>;

/// How a machine's node is to be.
#[must_use = "there is no node before `create`"]
pub struct MachineNodeBuilder {
    definition: Definition,
    name: String,
    namespace: String,
    heard: Listeners,
}

/// Who hears of triggers, who of states, and who of triggers that are refused.
#[derive(Default)]
struct Listeners {
    on_event: Vec<Heard>,
    on_state: Vec<Heard>,
    on_refused: Vec<HeardRefusal>,
}

impl fmt::Debug for MachineNodeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineNodeBuilder").field("machine", &self.definition.name()).finish_non_exhaustive()
    }
}

impl MachineNodeBuilder {
    /// Its name, instead of `node`.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// Its namespace, instead of `machine`: in it are its topics.
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Calls back with each trigger that does something, before it does.
    pub fn on_event(mut self, callback: impl FnMut(&Pulling<'_>, &str) + Send + 'static) -> Self {
        self.heard.on_event.push(Box::new(callback));
        self
    }

    /// Calls back with the state after each change.
    pub fn on_state(mut self, callback: impl FnMut(&Pulling<'_>, &str) + Send + 'static) -> Self {
        self.heard.on_state.push(Box::new(callback));
        self
    }

    /// Calls back with why a trigger is refused that a message, a time-out or a callback pulled; that is logged too.
    pub fn on_refused(mut self, callback: impl FnMut(&Pulling<'_>, &TriggerError) + Send + 'static) -> Self {
        self.heard.on_refused.push(Box::new(callback));
        self
    }

    /// Enters it into the graph. The machine is in its initial state; if that has a time, it begins now.
    pub fn create(self, context: &Context) -> Result<MachineNode, NodeError> {
        let node = context.node(&self.name).namespace(&self.namespace).create()?;
        let core = Arc::new(Core::new(&node, self.definition, self.heard)?);
        core.open_timers()?;
        let (trigger, describe) = (core.take_triggers()?, core.describe_on_request()?);
        core.begin();
        Ok(MachineNode { core, _kept: Arc::new((trigger, describe)) })
    }
}

/// A machine as a node. Cheap to clone; it leaves the graph with its last clone.
///
/// It publishes `event`, the name of each trigger that does something, and `state`, the state after each change, and
/// takes triggers on `trigger`, all `example_interfaces/msg/String` in its namespace, `/machine`. The service
/// `describe`, a `std_srvs/srv/Trigger`, answers with its definition and state as JSON.
///
/// A state's time counts from when the state was *due*: from the deadline that led into it, not from when the
/// processor came to it. So a chain of timed states keeps to its grid.
///
/// ```no_run
/// use saltus_machine::{Definition, MachineNode};
/// let context = saltus_node::Context::new()?;
/// let blinker = Definition::from_yaml("{states: [{name: lit, timeout: 0.5, on_timeout: toggle}, dark], transitions: [[toggle, lit, dark]]}")?;
/// let machine = MachineNode::builder(blinker).create(&context)?;
/// use saltus_executor::{Executor, SingleThreadedExecutor};
/// SingleThreadedExecutor::new(&context)?.spin_node(machine.node())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MachineNode {
    core: Arc<Core>,
    /// Held, not used: dropping them ends the calls.
    _kept: Arc<(Subscription<Text>, Server<Trigger>)>,
}

impl fmt::Debug for MachineNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineNode").field("state", &self.state()).finish_non_exhaustive()
    }
}

impl MachineNode {
    /// Begins one.
    pub fn builder(definition: Definition) -> MachineNodeBuilder {
        MachineNodeBuilder {
            definition,
            name: "node".into(),
            namespace: "machine".into(),
            heard: Listeners::default(),
        }
    }

    /// The node, for an executor.
    pub fn node(&self) -> &Node {
        &self.core.node
    }

    /// The machine as it is now.
    pub fn machine(&self) -> Machine {
        lock(&self.core.machine).clone()
    }

    /// The name of the state that it is in.
    pub fn state(&self) -> String {
        lock(&self.core.machine).state().to_owned()
    }

    /// Pulls a trigger. If another is being pulled just now, on this thread or on another, this one is pulled after it;
    /// if it then leads nowhere, that is logged.
    pub fn trigger(&self, name: &str) -> Result<(), TriggerError> {
        let (pull, due) = (Pull::Trigger(name.into()), self.core.clock.now());
        let Some(turn) = self.core.pulled.turn_or_push(&pull, due) else { return Ok(()) };
        let outcome = self.core.step(name, due);
        self.core.work_off(turn);
        outcome
    }

    /// When the time of a state that it is in is over, by the machine's clock; the soonest.
    pub fn deadline(&self) -> Option<Time> {
        let timed: Vec<StateId> = lock(&self.core.deadlines).iter().map(|(state, _)| *state).collect();
        timed.iter().flat_map(|state| self.core.timer(*state)).filter_map(Timer::next_call).min()
    }

    /// The clock of its deadlines.
    pub fn clock(&self) -> &Clock {
        &self.core.clock
    }
}

/// What a callback of a machine may do with it.
#[derive(Debug)]
pub struct Pulling<'a> {
    core: &'a Core,
    /// When what the callback is about was due.
    due: Time,
}

impl Pulling<'_> {
    /// Pulls a trigger, after what happens now; if it then leads nowhere, that is logged.
    pub fn trigger(&self, name: &str) {
        self.core.pulled.push(Pull::Trigger(name.into()), self.due);
    }

    /// When what happens now was due, by the machine's clock.
    pub fn due(&self) -> Time {
        self.due
    }
}

struct Core {
    event: Publisher<Text>,
    state: Publisher<Text>,
    /// What is told next, kept so that telling it allocates nothing.
    text: Mutex<Text>,
    machine: Mutex<Machine>,
    heard: Mutex<Listeners>,
    pulled: Pulled,
    /// When the time of each timed state that it is in was to be over, by the clock as it was then.
    deadlines: Mutex<Vec<(StateId, Time)>>,
    timers: OnceLock<Vec<(StateId, Timer)>>,
    clock: Clock,
    node: Node,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("node", &self.node).finish_non_exhaustive()
    }
}

impl Core {
    /// It has no timers yet.
    fn new(node: &Node, definition: Definition, heard: Listeners) -> Result<Self, NodeError> {
        let publisher = |topic: &str| node.publisher::<Text>(topic).qos(QoS::system_default()).create();
        let clock = if node.clock().is_simulated() { node.clock().clone() } else { Clock::steady() };
        Ok(Self {
            event: publisher("event")?,
            state: publisher("state")?,
            text: Mutex::default(),
            machine: Mutex::new(Machine::new(definition)),
            heard: Mutex::new(heard),
            pulled: Pulled::default(),
            deadlines: Mutex::default(),
            timers: OnceLock::new(),
            clock,
            node: node.clone(),
        })
    }

    /// Opens a timer for each timed state.
    fn open_timers(self: &Arc<Self>) -> Result<(), NodeError> {
        let definition = lock(&self.machine).definition().clone();
        let mut timers = Vec::new();
        for (id, _) in definition.states().filter(|(_, state)| state.timeout.is_some()) {
            let weak = Arc::downgrade(self);
            let due = move || weak.upgrade().into_iter().for_each(|core| core.time_is_up(id));
            let timer = self.node.timer(FOR_EVER).clock(&self.clock).callback(due)?;
            timer.cancel();
            timers.push((id, timer));
        }
        let _ = self.timers.set(timers);
        Ok(())
    }

    fn take_triggers(self: &Arc<Self>) -> Result<Subscription<Text>, NodeError> {
        let weak = Arc::downgrade(self);
        let trigger = self.node.subscription::<Text>("trigger").qos(QoS::system_default());
        trigger.callback(move |message: Text| {
            let Some(core) = weak.upgrade() else { return };
            core.pull(Pull::Trigger(message.data), core.clock.now());
        })
    }

    fn describe_on_request(self: &Arc<Self>) -> Result<Server<Trigger>, NodeError> {
        let weak = Arc::downgrade(self);
        self.node.service::<Trigger>("describe").callback(move |_| {
            let machine = weak.upgrade().map(|core| lock(&core.machine).clone());
            let message = machine.map(|machine| machine.definition().to_json(Some(machine.state())));
            Trigger_Response { success: message.is_some(), message: message.unwrap_or_default() }
        })
    }

    fn begin(&self) {
        let turn = self.pulled.turn();
        let active = lock(&self.machine).active();
        self.entered(&active, self.clock.now());
        if let Some(turn) = turn {
            self.work_off(turn);
        }
    }

    /// A timed state has not been left in time, as it seems: who has the turn may leave it now.
    fn time_is_up(&self, state: StateId) {
        let deadline = lock(&self.deadlines).iter().find(|(id, _)| *id == state).map(|(_, at)| *at);
        let due = self.timer(state).find_map(Timer::last_due);
        let (Some(deadline), Some(due)) = (deadline, due) else { return };
        // Else the state was left and entered again since the timer was due. Simulated time may have gone back.
        if deadline == due || self.clock.is_simulated() {
            self.pull(Pull::TimeOut(state, deadline), due);
        }
    }

    fn stop(&self, state: StateId) {
        self.timer(state).for_each(Timer::cancel);
    }

    fn timer(&self, state: StateId) -> impl Iterator<Item = &Timer> {
        let timers = self.timers.get().into_iter().flatten();
        timers.filter(move |(id, _)| *id == state).map(|(_, timer)| timer)
    }

    /// Whoever calls this has the turn.
    fn refused(&self, trigger: &str, due: Time, error: &TriggerError) {
        saltus_node::warn!(self.node.logger(), "trigger '{trigger}' refused: {error}");
        let pulling = Pulling { core: self, due };
        lock(&self.heard).on_refused.iter_mut().for_each(|heard| heard(&pulling, error));
    }

    /// Pulls something that was due at a time, after all that waits; if it leads nowhere, that is told.
    fn pull(&self, pull: Pull, due: Time) {
        if let Some(turn) = self.pulled.turn_or_push(&pull, due) {
            self.pull_now(&pull, due);
            self.work_off(turn);
        }
    }

    /// Pulls what waits, until nothing does. A machine whose states pull each other without end ends with its context.
    fn work_off(&self, mut turn: Turn<'_>) {
        while let Some((pull, due)) = turn.next() {
            if self.node.context().is_shut_down() {
                return turn.abandon();
            }
            self.pull_now(&pull, due);
        }
    }

    fn pull_now(&self, pull: &Pull, due: Time) {
        let timed_out;
        let trigger = match pull {
            Pull::Trigger(name) => name,
            Pull::TimeOut(state, deadline) => {
                let is_it = |one: &mut (StateId, Time)| *one == (*state, *deadline);
                if lock(&self.deadlines).extract_if(.., is_it).next().is_none() {
                    return;
                }
                self.stop(*state);
                timed_out = lock(&self.machine).definition().state(*state).timeout.clone();
                let Some((_, trigger)) = &timed_out else { return };
                trigger
            }
        };
        if let Err(error) = self.step(trigger, due) {
            self.refused(trigger, due, &error);
        }
    }

    fn step(&self, trigger: &str, due: Time) -> Result<(), TriggerError> {
        // The machine is not locked while callbacks run: whoever has the turn alone changes it.
        lock(&self.machine).may(trigger)?;
        let pulling = Pulling { core: self, due };
        self.log("Event", trigger);
        self.publish(&self.event, trigger);
        lock(&self.heard).on_event.iter_mut().for_each(|heard| heard(&pulling, trigger));
        let (step, state) = {
            let mut machine = lock(&self.machine);
            (machine.trigger(trigger)?, machine.state().to_owned())
        };
        self.changed(&step, due);
        self.log("State", &state);
        if !step.is_internal {
            self.publish(&self.state, &state);
            lock(&self.heard).on_state.iter_mut().for_each(|heard| heard(&pulling, &state));
        }
        Ok(())
    }

    fn log(&self, what: &str, name: &str) {
        saltus_node::info!(self.node.logger(), "{what}: {name}");
    }

    fn publish(&self, topic: &Publisher<Text>, text: &str) {
        if let Err(error) = topic.publish(&self.message(text)) {
            saltus_node::error!(self.node.logger(), "can't tell of '{text}': {error}");
        }
    }

    fn message(&self, text: &str) -> MutexGuard<'_, Text> {
        let mut message = lock(&self.text);
        message.data.clear();
        message.data.push_str(text);
        message
    }

    /// Ends the times of states that were left, and begins those of states that were entered.
    fn changed(&self, step: &Step, due: Time) {
        for state in &step.left {
            if lock(&self.deadlines).extract_if(.., |(id, _)| id == state).next().is_some() {
                self.stop(*state);
            }
        }
        self.entered(&step.entered, due);
    }

    fn entered(&self, states: &[StateId], due: Time) {
        let definition = lock(&self.machine).definition().clone();
        for id in states {
            let state = definition.state(*id);
            if let Some((after, _)) = &state.timeout {
                let nanos = i64::try_from(after.as_nanos()).unwrap_or(i64::MAX);
                self.start(*id, Time::from_nanos(due.as_nanos().saturating_add(nanos)));
            }
            state.on_enter.iter().for_each(|name| self.pulled.push(Pull::Trigger(name.clone()), due));
        }
    }

    fn start(&self, state: StateId, deadline: Time) {
        lock(&self.deadlines).push((state, deadline));
        self.timer(state).for_each(|timer| timer.reset_at(deadline));
    }
}
