//! What the launcher does in the graph: it waits for nodes, topics, services and states, loads components, and changes the
//! states of lifecycle nodes.

use std::{
    fmt::Display,
    io,
    os::fd::BorrowedFd,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
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
    jobs::{Inbox, Job, JobKind, component_name},
    present::Present,
    supervisor::Id,
};

/// How many passes of the executor follow each other before others come.
const PASSES: u32 = 16;
/// How long it takes until a client is asked again whether it is connected with its server.
const CONNECTING: Duration = Duration::from_millis(2);
/// How long a service may be missing before the user is told.
const MISSING: Duration = Duration::from_secs(5);
/// The shortest time of a timer.
const SHORTEST: Duration = Duration::from_millis(1);

/// The launcher's part of the graph.
pub(crate) struct Graph {
    node: Node,
    executor: SingleThreadedExecutor,
    _changes: GraphCallback,
    inbox: Arc<Mutex<Inbox>>,
    present: Present,
    watched: Vec<Watched>,
    nodes: Vec<NodeWatch>,
    states: Vec<StateWatch>,
    jobs: Vec<Option<Job>>,
    timers: Vec<Timer>,
    /// Whether something is to be done that no descriptor reports.
    is_dirty: bool,
    /// Whether a server is there, but not yet connected with its client. No descriptor reports this.
    is_connecting: bool,
    /// Whether the domain can no longer be used. The processes go on.
    is_lost: bool,
}

/// A condition that a process waits for.
struct Watched {
    id: Id,
    condition: ReadyCondition,
    /// How many must have had the name, so that those of the process before its restart do not count.
    least: u64,
}

/// A node whose presence is wanted.
struct NodeWatch {
    id: Id,
    node: ReadyCondition,
    is_there: bool,
}

/// A lifecycle node whose states are wanted.
struct StateWatch {
    id: Id,
    /// The state that makes the process ready, until it is reached.
    ready: Option<String>,
    service: String,
    client: Client<GetState>,
    is_asked: bool,
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
            present: Present::default(),
            watched: Vec::new(),
            nodes: Vec::new(),
            states: Vec::new(),
            jobs: Vec::new(),
            timers: Vec::new(),
            is_dirty: false,
            is_connecting: false,
            is_lost: false,
        })
    }

    /// Prepares a wait. Returns a descriptor that is readable when something has happened, and how long the wait may take.
    pub(crate) fn arm(&mut self) -> Option<(BorrowedFd<'_>, Option<Duration>)> {
        if self.is_lost {
            return None;
        }
        let limit = self.executor.arm().ok()?;
        let own = match (self.is_dirty, self.is_connecting) {
            (true, _) => Some(Duration::ZERO),
            (false, true) => Some(CONNECTING),
            (false, false) => None,
        };
        let missing = self.jobs.iter().flatten().filter_map(|job| job.waits_since);
        let missing = missing.map(|since| MISSING.saturating_sub(since.elapsed())).min();
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

    /// Reports when a condition holds for the process. `node` is the full name of its node. After a restart, what the
    /// process had before does not count.
    pub(crate) fn watch(
        &mut self,
        id: Id,
        condition: ReadyCondition,
        node: Option<&str>,
        is_restart: bool,
    ) -> io::Result<()> {
        self.is_dirty = true;
        match condition {
            ReadyCondition::State(state) => {
                let node = node.ok_or_else(|| other("`ready` with a state needs a node with a name"))?;
                self.watch_states(id, node, Some(state))
            }
            condition => {
                let least = if is_restart { self.present.count(&condition).ever + 1 } else { 0 };
                self.watched.push(Watched { id, condition, least });
                Ok(())
            }
        }
    }

    /// Reports when the node of a process comes into the graph, and when it leaves it.
    pub(crate) fn watch_node(&mut self, id: Id, name: String) {
        self.is_dirty = true;
        self.nodes.push(NodeWatch { id, node: ReadyCondition::Node(name), is_there: false });
    }

    /// Reports the changes of the state of a lifecycle node.
    pub(crate) fn watch_states(&mut self, id: Id, node: &str, ready: Option<String>) -> io::Result<()> {
        self.is_dirty = true;
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
            is_asked: false,
            _transitions: transitions,
        });
        Ok(())
    }

    /// Forgets what was waited for, because the process has ended. Returns the names of the components that will not be loaded into
    /// it. If it is started again, the loads that have not begun go on to wait for it.
    pub(crate) fn forget(&mut self, id: Id, is_over: bool) -> Vec<String> {
        self.watched.retain(|watched| watched.id != id);
        self.nodes.retain(|watch| watch.id != id);
        self.states.retain(|watch| watch.id != id);
        let mut lost = Vec::new();
        for place in &mut self.jobs {
            let Some(mut job) = place.take_if(|job| job.owner == Some(id)) else { continue };
            // The components of a container belong to its start.
            let is_later = job.id.is_none();
            if is_later && !is_over && job.waits_to_load() {
                job.is_kept = true;
                *place = Some(job);
            } else if is_later || is_over {
                lost.extend(job.components_left());
            }
        }
        lost
    }

    /// Loads components into a container, one after the other. `owner` is the process of the container, if it belongs to the
    /// launch; `id` the process that is ready afterwards.
    pub(crate) fn load(
        &mut self,
        (id, owner): (Option<Id>, Option<Id>),
        container: &str,
        components: &[Component],
    ) -> io::Result<()> {
        self.is_dirty = true;
        // A handler may ask for them at each start of the container.
        let mut jobs = self.jobs.iter_mut().flatten();
        if let Some(job) = jobs.find(|job| job.is_kept && job.is_load_of(owner, container, components)) {
            job.is_kept = false;
            return Ok(());
        }
        let service = format!("{container}/_container/load_node");
        let client = self.node.client::<LoadNode>(&service).create().map_err(other)?;
        let kind =
            JobKind::Load { container: container.into(), left: components.iter().cloned().collect(), client };
        self.jobs.push(Some(Job {
            id,
            owner,
            service,
            is_calling: false,
            has_failed: false,
            waits_since: Some(Instant::now()),
            is_kept: false,
            kind,
        }));
        Ok(())
    }

    /// Changes the state of a lifecycle node, one transition after the other.
    pub(crate) fn change(
        &mut self,
        (id, owner): (Option<Id>, Option<Id>),
        node: &str,
        transitions: &[u8],
    ) -> io::Result<()> {
        self.is_dirty = true;
        let service = format!("{node}/change_state");
        let client = self.node.client::<ChangeState>(&service).create().map_err(other)?;
        let kind = JobKind::Change { node: node.into(), left: transitions.iter().copied().collect(), client };
        self.jobs.push(Some(Job {
            id,
            owner,
            service,
            is_calling: false,
            has_failed: false,
            waits_since: Some(Instant::now()),
            is_kept: false,
            kind,
        }));
        Ok(())
    }

    /// Configures and activates a lifecycle node.
    pub(crate) fn activate(&mut self, processes: (Option<Id>, Option<Id>), node: &str) -> io::Result<()> {
        self.change(processes, node, &[Transition::TRANSITION_CONFIGURE, Transition::TRANSITION_ACTIVATE])
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
            .timer(time.max(SHORTEST))
            .callback(move || lock(&inbox).timers.push(number))
            .map_err(other)?;
        self.timers.push(timer);
        Ok(number)
    }

    /// Does what can be done without waiting. Returns what has happened.
    pub(crate) fn spin(&mut self) -> Vec<GraphEvent> {
        let mut events = Vec::new();
        if self.is_lost {
            return events;
        }
        self.is_dirty = false;
        self.is_connecting = false;
        for _ in 0..PASSES {
            match self.executor.spin_some() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.is_lost = true;
                    self.stop();
                    let text = format!(
                        "the launcher has lost the graph, and waits for nothing in it any more: {error}"
                    );
                    events.push(GraphEvent::Line { is_error: true, text });
                    return events;
                }
            }
        }
        let inbox = std::mem::take(&mut *lock(&self.inbox));
        inbox.changes.iter().for_each(|change| self.present.apply(change));
        for (job, result) in inbox.loaded {
            self.loaded(job, result, &mut events);
        }
        for (job, result) in inbox.changed {
            self.changed(job, result, &mut events);
        }
        for (id, event) in inbox.transitions {
            let health = Health::of_transition(event.start_state.id, event.goal_state.id);
            let (start, goal) = (event.start_state.label, event.goal_state.label);
            self.reached(id, &goal, &mut events);
            let transition = event.transition.label;
            events.push(GraphEvent::Transition { id, health, transition, start, goal });
        }
        for (id, state) in inbox.states {
            self.reached(id, &state, &mut events);
        }
        for number in inbox.timers {
            // It happens only once.
            self.timers[number].cancel();
            events.push(GraphEvent::Timer(number));
        }
        let present = &self.present;
        self.watched.retain(|watched| {
            let count = present.count(&watched.condition);
            let holds = count.now > 0 && count.ever >= watched.least;
            if holds {
                events.push(GraphEvent::Ready(watched.id));
            }
            !holds
        });
        for watch in &mut self.nodes {
            let is_there = present.count(&watch.node).now > 0;
            if std::mem::replace(&mut watch.is_there, is_there) != is_there {
                events.push(GraphEvent::Node { id: watch.id, is_there });
            }
        }
        self.ask_states();
        self.advance(&mut events);
        // A request that could not be made has its answer already.
        self.is_dirty |= !lock(&self.inbox).loaded.is_empty();
        events
    }

    /// A lifecycle node is in a state.
    fn reached(&mut self, id: Id, state: &str, events: &mut Vec<GraphEvent>) {
        for watch in self.states.iter_mut().filter(|watch| watch.id == id) {
            if watch.ready.take_if(|wanted| wanted == state).is_some() {
                events.push(GraphEvent::Ready(id));
            }
        }
    }

    /// Asks lifecycle nodes for their states when they are there. Afterwards they report changes.
    fn ask_states(&mut self) {
        for watch in &mut self.states {
            if watch.ready.is_none() || watch.is_asked || !self.present.has_server(&watch.service) {
                continue;
            }
            if !watch.client.service_is_ready() {
                self.is_connecting = true;
                continue;
            }
            let (inbox, id) = (self.inbox.clone(), watch.id);
            let sent = watch.client.call_then(&GetState_Request::default(), move |answer| {
                if let Ok(answer) = answer {
                    lock(&inbox).states.push((id, answer.current_state.label));
                }
            });
            watch.is_asked = sent.is_ok();
        }
    }

    /// Makes the next call of each job whose service is there.
    fn advance(&mut self, events: &mut Vec<GraphEvent>) {
        for number in 0..self.jobs.len() {
            let Some(job) = &mut self.jobs[number] else { continue };
            if job.is_calling {
                continue;
            }
            if !self.present.has_server(&job.service) {
                if job.waits_since.take_if(|since| since.elapsed() >= MISSING).is_some() {
                    let text = format!("there is no service {} yet; it is awaited", job.service);
                    events.push(GraphEvent::Line { is_error: true, text });
                }
                continue;
            }
            if !job.is_connected() {
                self.is_connecting = true;
                continue;
            }
            match job.call(number, &self.inbox) {
                Ok(true) => (job.is_calling, job.waits_since) = (true, None),
                Ok(false) => {
                    events.extend(job.end());
                    self.jobs[number] = None;
                }
                Err(error) => {
                    let text = format!("can't call {}: {error}", job.service);
                    events.push(GraphEvent::Line { is_error: true, text });
                    job.has_failed = true;
                    events.extend(job.end());
                    self.jobs[number] = None;
                }
            }
        }
    }

    /// A component was loaded, or could not be.
    fn loaded(&mut self, number: usize, result: Result<String, String>, events: &mut Vec<GraphEvent>) {
        let Some(Some(job)) = self.jobs.get_mut(number) else { return };
        job.is_calling = false;
        let owner = job.owner;
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
            && let Err(error) = self.activate((None, owner), &name)
        {
            events.push(GraphEvent::Line { is_error: true, text: format!("can't activate {name}: {error}") });
        }
    }

    /// A lifecycle node has made a transition, or has refused it.
    fn changed(&mut self, number: usize, result: Result<bool, String>, events: &mut Vec<GraphEvent>) {
        let Some(Some(job)) = self.jobs.get_mut(number) else { return };
        job.is_calling = false;
        let JobKind::Change { node, left, .. } = &mut job.kind else { return };
        let transition = left.pop_front();
        if result == Ok(true) {
            return;
        }
        job.has_failed = true;
        left.clear();
        let transition = transition.map_or_else(String::new, transition_name);
        let reason = result.err().map(|error| format!(": {error}")).unwrap_or_default();
        let text = format!("Failed to make transition '{transition}' for LifecycleNode '{node}'{reason}");
        events.push(GraphEvent::Line { is_error: true, text });
    }
}
