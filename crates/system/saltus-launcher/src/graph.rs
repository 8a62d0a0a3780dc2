//! The part of the launcher in the graph: it waits for nodes, topics, services and states, loads components, and changes
//! the states of lifecycle nodes.

use std::{
    fmt::Display,
    io,
    os::fd::BorrowedFd,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_launch_file::{
    plan::{Component, ReadyCondition},
    transition_name,
};
use saltus_msgs::{
    composition_interfaces::srv::LoadNode,
    lifecycle_msgs::{
        msg::{Transition, TransitionEvent},
        srv::{ChangeState, GetState, GetState_Request},
    },
};
use saltus_node::{Client, ContextOptions, GraphCallback, Node, Subscription, Timer};
use saltus_types::lock;

use crate::{
    graph_event::{GraphEvent, Health},
    graph_names::GraphNames,
    jobs::{Inbox, Job, JobKind, JobOwner, JobState, component_name},
    supervisor::Id,
};

/// The maximum number of passes of the executor in one spin.
const MAX_PASSES: u32 = 16;
/// The interval at which to check whether a client is connected with its server.
const CONNECT_INTERVAL: Duration = Duration::from_millis(2);
/// The time after which the user is told that a service is missing.
const MISSING_TIMEOUT: Duration = Duration::from_secs(5);
/// The shortest period of a timer.
const MIN_PERIOD: Duration = Duration::from_millis(1);

/// The launcher's part of the graph.
pub(crate) struct Graph {
    node: Node,
    executor: SingleThreadedExecutor,
    _changes: GraphCallback,
    inbox: Arc<Mutex<Inbox>>,
    names: GraphNames,
    watched: Vec<ReadyWatch>,
    nodes: Vec<NodeWatch>,
    states: Vec<StateWatch>,
    jobs: Vec<Option<Job>>,
    timers: Vec<Timer>,
    next_spin: NextSpin,
    /// Whether the domain can't be used any more. The processes go on.
    is_lost: bool,
}

/// The time of the next spin, if no descriptor reports anything before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NextSpin {
    /// A descriptor reports everything that is to be done.
    WhenReported,
    /// A server is there, but not yet connected with its client. No descriptor reports this.
    Soon,
    /// Something is to be done that no descriptor reports.
    Now,
}

/// A condition that a process waits for.
struct ReadyWatch {
    id: Id,
    condition: ReadyCondition,
    /// The number of entities that must have had the name, so that those of the process before its restart do not count.
    min_total: u64,
}

/// A node whose presence is reported.
struct NodeWatch {
    id: Id,
    node: ReadyCondition,
    is_there: bool,
}

/// A lifecycle node whose states are reported.
struct StateWatch {
    id: Id,
    /// The label of the state that makes the process ready, until it is reached.
    ready: Option<String>,
    service: String,
    client: Client<GetState>,
    is_requested: bool,
    _transitions: Subscription<TransitionEvent>,
}

fn other(error: impl Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl Graph {
    /// Joins the domain.
    pub(crate) fn join() -> io::Result<Self> {
        let context = ContextOptions::default().handle_signals(false).create().map_err(other)?;
        let name = format!("_saltus_launch_{}", std::process::id());
        let node = context.node(&name).start_parameter_services(false).create().map_err(other)?;
        let inbox: Arc<Mutex<Inbox>> = Arc::default();
        let for_changes = inbox.clone();
        let changes =
            node.watch_graph(move |change| lock(&for_changes).changes.push(change)).map_err(other)?;
        let executor = SingleThreadedExecutor::new(&context).map_err(other)?;
        executor.add_node(&node);
        Ok(Self {
            node,
            executor,
            _changes: changes,
            inbox,
            names: GraphNames::default(),
            watched: Vec::new(),
            nodes: Vec::new(),
            states: Vec::new(),
            jobs: Vec::new(),
            timers: Vec::new(),
            next_spin: NextSpin::WhenReported,
            is_lost: false,
        })
    }

    /// Prepares a wait. Returns a descriptor that is readable when something has happened, and the longest time of the wait.
    pub(crate) fn arm(&mut self) -> Option<(BorrowedFd<'_>, Option<Duration>)> {
        if self.is_lost {
            return None;
        }
        let limit = self.executor.arm().ok()?;
        let own = match self.next_spin {
            NextSpin::Now => Some(Duration::ZERO),
            NextSpin::Soon => Some(CONNECT_INTERVAL),
            NextSpin::WhenReported => None,
        };
        let missing = self.jobs.iter().flatten().filter_map(Job::missing_since);
        let missing = missing.map(|since| MISSING_TIMEOUT.saturating_sub(since.elapsed())).min();
        let limit = own.into_iter().chain(limit).chain(missing).min();
        Some((self.executor.fd().ok()?, limit))
    }

    /// Whether a job has not ended.
    pub(crate) fn is_busy(&self) -> bool {
        self.jobs.iter().any(Option::is_some)
    }

    /// Ends all jobs.
    pub(crate) fn stop(&mut self) {
        // The numbers of jobs stay, because answers may still come.
        self.jobs.iter_mut().for_each(|job| *job = None);
        self.watched.clear();
    }

    /// Reports when a condition holds for a process. `node` is the full name of its node. After a restart, the names of the run
    /// before do not count.
    pub(crate) fn watch(
        &mut self,
        id: Id,
        condition: ReadyCondition,
        node: Option<&str>,
        is_restart: bool,
    ) -> io::Result<()> {
        self.next_spin = NextSpin::Now;
        match condition {
            ReadyCondition::State(state) => {
                let node = node.ok_or_else(|| other("`ready` with a state needs a node with a name"))?;
                self.watch_states(id, node, Some(state))
            }
            condition => {
                let min_total = if is_restart { self.names.count(&condition).total + 1 } else { 0 };
                self.watched.push(ReadyWatch { id, condition, min_total });
                Ok(())
            }
        }
    }

    /// Reports when the node of a process comes into the graph, and when it leaves it.
    pub(crate) fn watch_node(&mut self, id: Id, name: String) {
        self.next_spin = NextSpin::Now;
        self.nodes.push(NodeWatch { id, node: ReadyCondition::Node(name), is_there: false });
    }

    /// Reports the changes of the state of a lifecycle node.
    pub(crate) fn watch_states(&mut self, id: Id, node: &str, ready: Option<String>) -> io::Result<()> {
        self.next_spin = NextSpin::Now;
        if let Some(watch) = self.states.iter_mut().find(|watch| watch.id == id) {
            watch.ready = watch.ready.take().or(ready);
            return Ok(());
        }
        let inbox = self.inbox.clone();
        let transitions = self
            .node
            .subscription::<TransitionEvent>(&format!("{node}/transition_event"))
            .callback(move |event| lock(&inbox).transitions.push((id, event)))
            .map_err(other)?;
        let service = format!("{node}/get_state");
        let client = self.node.client::<GetState>(&service).create().map_err(other)?;
        self.states.push(StateWatch {
            id,
            ready,
            service,
            client,
            is_requested: false,
            _transitions: transitions,
        });
        Ok(())
    }

    /// Stops watching a process that has ended. Returns the names of the components that will not be loaded into it. If it is
    /// started again, the jobs that have not begun to load go on to wait for it.
    pub(crate) fn forget(&mut self, id: Id, is_over: bool) -> Vec<String> {
        self.watched.retain(|watched| watched.id != id);
        self.nodes.retain(|watch| watch.id != id);
        self.states.retain(|watch| watch.id != id);
        let mut lost = Vec::new();
        for slot in &mut self.jobs {
            let Some(mut job) = slot.take_if(|job| job.owner.process() == Some(id)) else { continue };
            // The components of a container belong to its start.
            let is_part_of_start = job.owner == JobOwner::Start(id);
            if !is_part_of_start && !is_over && job.keep() {
                *slot = Some(job);
            } else if !is_part_of_start || is_over {
                lost.extend(job.components_left());
            }
        }
        lost
    }

    /// Loads components into a container, one after the other.
    pub(crate) fn load(
        &mut self,
        owner: JobOwner,
        container: &str,
        components: &[Component],
    ) -> io::Result<()> {
        self.next_spin = NextSpin::Now;
        // A handler may request them at each start of the container.
        let mut jobs = self.jobs.iter_mut().flatten();
        if jobs.any(|job| job.resume_load(owner, container, components)) {
            return Ok(());
        }
        let service = format!("{container}/_container/load_node");
        let client = self.node.client::<LoadNode>(&service).create().map_err(other)?;
        let kind =
            JobKind::Load { container: container.into(), left: components.iter().cloned().collect(), client };
        self.jobs.push(Some(Job::new(owner, service, kind)));
        Ok(())
    }

    /// Changes the state of a lifecycle node, one transition after the other.
    pub(crate) fn change(&mut self, owner: JobOwner, node: &str, transitions: &[u8]) -> io::Result<()> {
        self.next_spin = NextSpin::Now;
        let service = format!("{node}/change_state");
        let client = self.node.client::<ChangeState>(&service).create().map_err(other)?;
        let kind = JobKind::Change { node: node.into(), left: transitions.iter().copied().collect(), client };
        self.jobs.push(Some(Job::new(owner, service, kind)));
        Ok(())
    }

    /// Configures and activates a lifecycle node.
    pub(crate) fn activate(&mut self, owner: JobOwner, node: &str) -> io::Result<()> {
        self.change(owner, node, &[Transition::TRANSITION_CONFIGURE, Transition::TRANSITION_ACTIVATE])
    }

    /// Sets whether timers use the clock of the topic `/clock`.
    pub(crate) fn use_sim_time(&self, value: bool) -> io::Result<()> {
        self.node.set_parameter("use_sim_time", value).map_err(other)
    }

    /// Starts a timer on the clock of nodes. Returns its number, with which its end is reported.
    pub(crate) fn start_timer(&mut self, time: Duration) -> io::Result<usize> {
        let (inbox, number) = (self.inbox.clone(), self.timers.len());
        let timer = self
            .node
            .timer(time.max(MIN_PERIOD))
            .callback(move || lock(&inbox).timers.push(number))
            .map_err(other)?;
        self.timers.push(timer);
        Ok(number)
    }

    /// Does all work that needs no waiting. Returns the events.
    pub(crate) fn spin(&mut self) -> Vec<GraphEvent> {
        let mut events = Vec::new();
        if self.is_lost {
            return events;
        }
        self.next_spin = NextSpin::WhenReported;
        if let Err(error) = self.run_callbacks() {
            self.is_lost = true;
            self.stop();
            let text =
                format!("the launcher has lost the graph, and waits for nothing in it any more: {error}");
            events.push(GraphEvent::Line { is_error: true, text });
            return events;
        }
        let inbox = std::mem::take(&mut *lock(&self.inbox));
        self.read_results(inbox, &mut events);
        self.check_names(&mut events);
        self.request_states();
        self.advance(&mut events);
        // A request that could not be made has its answer already.
        if !lock(&self.inbox).loaded.is_empty() {
            self.next_spin = NextSpin::Now;
        }
        events
    }

    /// Runs the callbacks that are due, but not without end. They leave their results in the inbox.
    fn run_callbacks(&mut self) -> io::Result<()> {
        for _ in 0..MAX_PASSES {
            if !self.executor.spin_some().map_err(other)? {
                break;
            }
        }
        Ok(())
    }

    /// Reacts to the results of callbacks.
    fn read_results(&mut self, inbox: Inbox, events: &mut Vec<GraphEvent>) {
        inbox.changes.iter().for_each(|change| self.names.apply(change));
        for (job, result) in inbox.loaded {
            self.component_loaded(job, result, events);
        }
        for (job, result) in inbox.changed {
            self.transition_made(job, result, events);
        }
        for (id, event) in inbox.transitions {
            let health = Health::of_transition(event.start_state.id, event.goal_state.id);
            let (start, goal) = (event.start_state.label, event.goal_state.label);
            self.state_reached(id, &goal, events);
            let transition = event.transition.label;
            events.push(GraphEvent::Transition { id, health, transition, start, goal });
        }
        for (id, state) in inbox.states {
            self.state_reached(id, &state, events);
        }
        for number in inbox.timers {
            // It would be called again after each period.
            self.timers[number].cancel();
            events.push(GraphEvent::Timer(number));
        }
    }

    /// Reports the conditions that hold now, and the nodes that have come or left.
    fn check_names(&mut self, events: &mut Vec<GraphEvent>) {
        let names = &self.names;
        self.watched.retain(|watched| {
            let count = names.count(&watched.condition);
            let holds = count.current > 0 && count.total >= watched.min_total;
            if holds {
                events.push(GraphEvent::Ready(watched.id));
            }
            !holds
        });
        for watch in &mut self.nodes {
            let is_there = names.count(&watch.node).current > 0;
            if std::mem::replace(&mut watch.is_there, is_there) != is_there {
                events.push(GraphEvent::Node { id: watch.id, is_there });
            }
        }
    }

    /// Notes that a lifecycle node is in a state.
    fn state_reached(&mut self, id: Id, state: &str, events: &mut Vec<GraphEvent>) {
        for watch in self.states.iter_mut().filter(|watch| watch.id == id) {
            if watch.ready.take_if(|wanted| wanted == state).is_some() {
                events.push(GraphEvent::Ready(id));
            }
        }
    }

    /// Requests the states of lifecycle nodes when they are there. Afterwards they report changes.
    fn request_states(&mut self) {
        for watch in &mut self.states {
            if watch.ready.is_none() || watch.is_requested || !self.names.has_server(&watch.service) {
                continue;
            }
            if !watch.client.service_is_ready() {
                self.next_spin = self.next_spin.max(NextSpin::Soon);
                continue;
            }
            let (inbox, id) = (self.inbox.clone(), watch.id);
            let sent = watch.client.call_then(&GetState_Request::default(), move |answer| {
                if let Ok(answer) = answer {
                    lock(&inbox).states.push((id, answer.current_state.label));
                }
            });
            watch.is_requested = sent.is_ok();
        }
    }

    /// Makes the next call of each job whose service is there.
    fn advance(&mut self, events: &mut Vec<GraphEvent>) {
        for number in 0..self.jobs.len() {
            let Some(job) = &mut self.jobs[number] else { continue };
            if job.state == JobState::Calling {
                continue;
            }
            if !self.names.has_server(&job.service) {
                if job.missing_since().is_some_and(|since| since.elapsed() >= MISSING_TIMEOUT) {
                    job.set_missing_reported();
                    let text = format!("there is no service {} yet; it is awaited", job.service);
                    events.push(GraphEvent::Line { is_error: true, text });
                }
                continue;
            }
            if !job.is_connected() {
                self.next_spin = self.next_spin.max(NextSpin::Soon);
                continue;
            }
            match job.call(number, &self.inbox) {
                Ok(true) => job.state = JobState::Calling,
                Ok(false) => {
                    events.extend(job.end_event(false));
                    self.jobs[number] = None;
                }
                Err(error) => {
                    let text = format!("can't call {}: {error}", job.service);
                    events.push(GraphEvent::Line { is_error: true, text });
                    events.extend(job.end_event(true));
                    self.jobs[number] = None;
                }
            }
        }
    }

    /// Notes that a component was loaded, or could not be loaded.
    fn component_loaded(
        &mut self,
        number: usize,
        result: Result<String, String>,
        events: &mut Vec<GraphEvent>,
    ) {
        let Some(Some(job)) = self.jobs.get_mut(number) else { return };
        job.set_answered();
        let owner = job.owner.process();
        let JobKind::Load { container, left, .. } = &mut job.kind else { return };
        let Some(component) = left.pop_front() else { return };
        if let Some(name) = component.names.full_name().or_else(|| result.clone().ok()) {
            events.push(GraphEvent::Loaded { owner, name, is_there: result.is_ok() });
        }
        let (is_error, text) = match &result {
            Ok(name) => (false, format!("Loaded node '{name}' in container '{container}'")),
            Err(error) => {
                let name = component_name(&component);
                let plugin = &component.plugin;
                (
                    true,
                    format!(
                        "Failed to load node '{name}' of type '{plugin}' in container '{container}': {error}"
                    ),
                )
            }
        };
        events.push(GraphEvent::Line { is_error, text });
        if let Ok(name) = result
            && component.autostart
            && let Err(error) = self.activate(JobOwner::of(owner), &name)
        {
            events.push(GraphEvent::Line { is_error: true, text: format!("can't activate {name}: {error}") });
        }
    }

    /// Notes that a lifecycle node has made a transition, or has refused it.
    fn transition_made(&mut self, number: usize, result: Result<bool, String>, events: &mut Vec<GraphEvent>) {
        let Some(Some(job)) = self.jobs.get_mut(number) else { return };
        job.set_answered();
        let JobKind::Change { node, left, .. } = &mut job.kind else { return };
        let transition = left.pop_front();
        if result == Ok(true) {
            return;
        }
        let transition = transition.map_or_else(String::new, transition_name);
        let reason = result.err().map(|error| format!(": {error}")).unwrap_or_default();
        // The text is ROS 2's.
        let text = format!("Failed to make transition '{transition}' for LifecycleNode '{node}'{reason}");
        events.push(GraphEvent::Line { is_error: true, text });
        events.extend(job.end_event(true));
        self.jobs[number] = None;
    }
}
