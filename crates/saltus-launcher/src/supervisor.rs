//! When processes are started, started again and ended. No process and no clock: the caller tells what has happened, and
//! does what is returned.

use std::{collections::BTreeMap, time::Duration};

use saltus_launch::plan::{Restart, RestartPolicy};

/// A time since the launch began.
pub(crate) type Time = Duration;

/// The number of a process of a launch, in the order of the plan.
pub(crate) type Id = usize;

/// The shortest wait before a program is started again that could not be started.
const MISSING_DELAY: Duration = Duration::from_millis(100);

/// How long a process may go on after its node has left the graph. It may be about to end.
const LEAVING: Duration = Duration::from_secs(5);

/// What the supervisor must know of a process.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) restart: Restart,
    pub(crate) required: bool,
    /// The names by which others may wait for it.
    pub(crate) names: Vec<String>,
    /// The names of those that must have been ready before.
    pub(crate) after: Vec<String>,
    /// How long it may take until the process is ready; `None` if it is ready as soon as it runs.
    pub(crate) ready_within: Option<Duration>,
    pub(crate) sigterm_timeout: Duration,
    pub(crate) sigkill_timeout: Duration,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    /// It waits for others.
    Waiting,
    /// It was started. It counts as failed if it is not ready by the time.
    Starting { until: Option<Time> },
    /// It runs, and is ready.
    Ready { since: Time },
    /// It is started again at the time.
    Backoff { until: Time },
    /// It was asked to end with this signal. The next signal comes at the time.
    Ending { signal: Signal, next: Option<Time> },
    /// It has ended for good.
    Ended,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Starting { .. } => "starting",
            Self::Ready { .. } => "ready",
            Self::Backoff { .. } => "restarts",
            Self::Ending { .. } => "ending",
            Self::Ended => "ended",
        }
    }
}

/// The signals that end a process, in the order in which they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signal {
    Int,
    Term,
    Kill,
}

/// How a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
    /// It could not be started.
    NotStarted,
}

impl Exit {
    pub(crate) fn is_failure(self) -> bool {
        self != Self::Code(0)
    }

    /// The number that ROS 2 gives: the exit code, or the negative number of the signal.
    pub(crate) fn return_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => -signal,
            Self::NotStarted => 127,
        }
    }

    /// The exit code that a shell gives.
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::NotStarted => 127,
        }
    }
}

/// What the caller must do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    Start(Id),
    Send(Id, Signal),
    /// Tell the user that the process is started again at the time.
    Restarting {
        id: Id,
        at: Time,
        restarts: u32,
    },
    /// Tell the user that the process was not ready in time.
    NotReady(Id),
    /// Tell the user that the node of the process is no longer in the graph.
    NodeLeft(Id),
    /// Tell the user that everything ends because of this process.
    Required(Id),
    /// Tell the user that the process is never started, because this one has ended without being ready.
    Abandoned {
        id: Id,
        because: Id,
    },
}

struct Process {
    rules: Rules,
    state: State,
    restarts: u32,
    /// Whether it has been ready once.
    was_ready: bool,
    /// The next wait before a restart.
    delay: Duration,
    /// Whether it was stopped by the user. Then it is not started again.
    is_stopped: bool,
    /// Whether it is to be started again as soon as it has ended, because the user wants it.
    is_restarting: bool,
    /// Whether it is to be started again after a wait, because it was unhealthy.
    is_failing: bool,
    /// When its node counts as lost, which has left the graph.
    lost_at: Option<Time>,
    /// Whether it runs without its node.
    has_lost_node: bool,
    /// Whether its lifecycle node had an error.
    has_error: bool,
}

/// When processes are started, started again and ended.
#[derive(Default)]
pub(crate) struct Supervisor {
    processes: BTreeMap<Id, Process>,
    /// Processes in the order in which they were started, to be ended in the reverse order.
    started: Vec<Id>,
    is_ending: bool,
    first_failure: Option<Exit>,
}

impl Supervisor {
    /// Adds a process. It is started as soon as those before it are ready.
    pub(crate) fn add(&mut self, id: Id, rules: Rules, now: Time) -> Vec<Order> {
        let delay = duration(rules.restart.delay);
        let process = Process {
            rules,
            state: State::Waiting,
            restarts: 0,
            was_ready: false,
            delay,
            is_stopped: false,
            is_restarting: false,
            is_failing: false,
            lost_at: None,
            has_lost_node: false,
            has_error: false,
        };
        self.processes.insert(id, process);
        self.start_waiting(now)
    }

    pub(crate) fn state(&self, id: Id) -> Option<State> {
        self.processes.get(&id).map(|process| process.state)
    }

    /// Returns the state of a process as one word.
    pub(crate) fn word(&self, id: Id) -> &'static str {
        let Some(process) = self.processes.get(&id) else { return "" };
        let runs = matches!(process.state, State::Starting { .. } | State::Ready { .. });
        if runs && (process.has_lost_node || process.has_error) { "unhealthy" } else { process.state.word() }
    }

    pub(crate) fn restarts(&self, id: Id) -> u32 {
        self.processes.get(&id).map_or(0, |process| process.restarts)
    }

    /// Whether all processes have ended for good.
    pub(crate) fn is_over(&self) -> bool {
        self.processes.values().all(|process| process.state == State::Ended)
    }

    /// Whether all processes are ready; not if there is none.
    pub(crate) fn are_all_ready(&self) -> bool {
        !self.processes.is_empty()
            && self.processes.values().all(|process| matches!(process.state, State::Ready { .. }))
    }

    /// The exit of the first process that has failed.
    pub(crate) fn first_failure(&self) -> Option<Exit> {
        self.first_failure
    }

    /// The process is there and ready.
    pub(crate) fn ready(&mut self, id: Id, now: Time) -> Vec<Order> {
        match self.processes.get_mut(&id) {
            Some(process) if matches!(process.state, State::Starting { .. }) => {
                process.state = State::Ready { since: now };
                process.was_ready = true;
                self.start_waiting(now)
            }
            _ => Vec::new(),
        }
    }

    /// The node of a process has left the graph, or has come back.
    pub(crate) fn node_changed(&mut self, id: Id, is_there: bool, now: Time) {
        if let Some(process) = self.processes.get_mut(&id) {
            process.lost_at = (!is_there).then(|| now + LEAVING);
            process.has_lost_node &= !is_there;
        }
    }

    /// The lifecycle node of a process had an error. The process is started again if its rules say so.
    pub(crate) fn unhealthy(&mut self, id: Id, now: Time) -> Vec<Order> {
        let is_ending = self.is_ending;
        match self.processes.get_mut(&id) {
            Some(process) if matches!(process.state, State::Starting { .. } | State::Ready { .. }) => {
                process.has_error = true;
                process.end_unhealthy(id, now, is_ending).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The lifecycle node of a process does its work again.
    pub(crate) fn healthy(&mut self, id: Id) {
        if let Some(process) = self.processes.get_mut(&id) {
            process.has_error = false;
        }
    }

    /// The process has ended.
    pub(crate) fn exited(&mut self, id: Id, exit: Exit, now: Time) -> Vec<Order> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        let was_asked = matches!(process.state, State::Ending { .. });
        (process.lost_at, process.has_lost_node, process.has_error) = (None, false, false);
        if exit.is_failure() && !was_asked && self.first_failure.is_none() {
            self.first_failure = Some(exit);
        }
        if std::mem::take(&mut process.is_restarting) && !self.is_ending {
            process.restarts += 1;
            process.state = process.starting(now);
            return vec![Order::Start(id)];
        }
        if std::mem::take(&mut process.is_failing) && !self.is_ending && !process.is_stopped {
            return vec![process.back_off(id, exit, now)];
        }
        if !was_asked && !self.is_ending && !process.is_stopped && process.wants_restart(exit.is_failure()) {
            return vec![process.back_off(id, exit, now)];
        }
        process.state = State::Ended;
        self.started.retain(|other| *other != id);
        if process.rules.required && !self.is_ending {
            let mut orders = vec![Order::Required(id)];
            orders.extend(self.end(now));
            return orders;
        }
        let mut orders = self.abandon(id);
        orders.extend(self.end_next(now));
        orders
    }

    /// Gives up the processes that wait for one that has ended without being ready.
    fn abandon(&mut self, id: Id) -> Vec<Order> {
        let Some(ended) = self.processes.get(&id).filter(|process| !process.was_ready && !self.is_ending)
        else {
            return Vec::new();
        };
        let names = ended.rules.names.clone();
        // Another process may have the same name.
        let is_lost = |name: &String, own: Id| {
            let mut others = self.processes.iter().filter(|(other, _)| **other != own);
            names.contains(name)
                && !others.any(|(_, one)| {
                    (one.was_ready || one.state != State::Ended) && one.rules.names.contains(name)
                })
        };
        let waits = |own: Id, process: &Process| {
            process.state == State::Waiting && process.rules.after.iter().any(|name| is_lost(name, own))
        };
        let waiting: Vec<Id> =
            self.processes.iter().filter(|(id, one)| waits(**id, one)).map(|(id, _)| *id).collect();
        let mut orders = Vec::new();
        for other in waiting {
            if let Some(process) = self.processes.get_mut(&other) {
                process.state = State::Ended;
            }
            orders.push(Order::Abandoned { id: other, because: id });
            orders.extend(self.abandon(other));
        }
        orders
    }

    /// Ends everything: the process that was started last gets the first signal. A process gets it when those that wait for
    /// it have ended.
    pub(crate) fn end(&mut self, now: Time) -> Vec<Order> {
        self.is_ending = true;
        for process in self.processes.values_mut() {
            if matches!(process.state, State::Waiting | State::Backoff { .. }) {
                process.state = State::Ended;
            }
        }
        self.end_next(now)
    }

    /// Sends the next signal to all processes that have got one, and the first one to the others.
    pub(crate) fn hurry(&mut self, now: Time) -> Vec<Order> {
        let mut orders = self.end(now);
        for (id, process) in &mut self.processes {
            match process.state {
                State::Ending { signal, .. } if signal < Signal::Kill => {
                    orders.extend(process.signal_after(*id, signal, now));
                }
                State::Starting { .. } | State::Ready { .. } => {
                    orders.push(process.signal(*id, Signal::Int, now));
                }
                _ => {}
            }
        }
        orders
    }

    /// Ends one process, because the user wants it. It is not started again.
    pub(crate) fn stop(&mut self, id: Id, now: Time) -> Vec<Order> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        process.is_stopped = true;
        (process.is_restarting, process.is_failing) = (false, false);
        match process.state {
            State::Starting { .. } | State::Ready { .. } => vec![process.signal(id, Signal::Int, now)],
            State::Waiting | State::Backoff { .. } => {
                process.state = State::Ended;
                self.abandon(id)
            }
            State::Ending { .. } | State::Ended => Vec::new(),
        }
    }

    /// Ends one process and starts it again, because the user wants it.
    pub(crate) fn restart(&mut self, id: Id, now: Time) -> Vec<Order> {
        let Some(process) = self.processes.get_mut(&id).filter(|_| !self.is_ending) else {
            return Vec::new();
        };
        process.is_stopped = false;
        match process.state {
            State::Starting { .. } | State::Ready { .. } => {
                process.is_restarting = true;
                vec![process.signal(id, Signal::Int, now)]
            }
            State::Backoff { .. } | State::Ended => {
                process.state = process.starting(now);
                self.started.retain(|other| *other != id);
                self.started.push(id);
                vec![Order::Start(id)]
            }
            State::Ending { .. } => {
                process.is_restarting = true;
                Vec::new()
            }
            State::Waiting => Vec::new(),
        }
    }

    /// When [`tick`](Self::tick) must be called next.
    pub(crate) fn next(&self) -> Option<Time> {
        self.processes.values().filter_map(Process::deadline).min()
    }

    /// Does what is due.
    pub(crate) fn tick(&mut self, now: Time) -> Vec<Order> {
        let mut orders = Vec::new();
        for (id, process) in &mut self.processes {
            if process.deadline().is_none_or(|deadline| now < deadline) {
                continue;
            }
            match process.state {
                State::Backoff { .. } => {
                    process.state = process.starting(now);
                    self.started.retain(|other| other != id);
                    self.started.push(*id);
                    orders.push(Order::Start(*id));
                }
                State::Starting { .. } => {
                    orders.push(Order::NotReady(*id));
                    // It may still become ready.
                    process.state = State::Starting { until: None };
                }
                State::Ending { signal, .. } => orders.extend(process.signal_after(*id, signal, now)),
                State::Ready { .. } => {
                    (process.lost_at, process.has_lost_node) = (None, true);
                    orders.push(Order::NodeLeft(*id));
                    orders.extend(process.end_unhealthy(*id, now, self.is_ending));
                }
                _ => {}
            }
        }
        orders
    }

    /// Starts the processes whose predecessors are ready.
    fn start_waiting(&mut self, now: Time) -> Vec<Order> {
        if self.is_ending {
            return Vec::new();
        }
        let is_ready = |name: &String| {
            self.processes.values().any(|process| process.was_ready && process.rules.names.contains(name))
        };
        let waiting = self.processes.iter().filter(|(_, process)| process.state == State::Waiting);
        let ids: Vec<Id> = waiting
            .filter(|(_, process)| process.rules.after.iter().all(is_ready))
            .map(|(id, _)| *id)
            .collect();
        for id in &ids {
            if let Some(process) = self.processes.get_mut(id) {
                process.state = process.starting(now);
                self.started.push(*id);
            }
        }
        ids.into_iter().map(Order::Start).collect()
    }

    /// While everything ends, sends the first signal to the processes for which no other one must end before.
    fn end_next(&mut self, now: Time) -> Vec<Order> {
        if !self.is_ending {
            return Vec::new();
        }
        let waits = |id: Id, names: &[String]| {
            let others = self
                .processes
                .iter()
                .filter(|(other, process)| **other != id && process.state != State::Ended);
            others.flat_map(|(_, process)| &process.rules.after).any(|name| names.contains(name))
        };
        let is_needed =
            |id: &Id| self.processes.get(id).is_some_and(|process| waits(*id, &process.rules.names));
        let ids: Vec<Id> = self.started.iter().rev().filter(|id| !is_needed(id)).copied().collect();
        let mut orders = Vec::new();
        for id in &ids {
            if let Some(process) = self.processes.get_mut(id)
                && matches!(process.state, State::Starting { .. } | State::Ready { .. })
            {
                orders.push(process.signal(*id, Signal::Int, now));
            }
        }
        orders
    }
}

impl Process {
    fn starting(&self, now: Time) -> State {
        State::Starting { until: self.rules.ready_within.map(|within| now + within) }
    }

    fn wants_restart(&self, is_failure: bool) -> bool {
        let wants = match self.rules.restart.policy {
            RestartPolicy::Never => false,
            RestartPolicy::OnFailure => is_failure,
            RestartPolicy::Always => true,
        };
        wants && self.rules.restart.max.is_none_or(|max| self.restarts < max)
    }

    /// Ends a process that no longer does its work, if it is to be started again.
    fn end_unhealthy(&mut self, id: Id, now: Time, is_ending: bool) -> Option<Order> {
        self.is_failing = !is_ending && self.wants_restart(true);
        self.reset_delay(now);
        self.is_failing.then(|| self.signal(id, Signal::Int, now))
    }

    /// After the process has run for the longest wait, the next one is as long as the first one again.
    fn reset_delay(&mut self, now: Time) {
        if let State::Ready { since } = self.state
            && now.saturating_sub(since) > duration(self.rules.restart.max_delay)
        {
            self.delay = duration(self.rules.restart.delay);
        }
    }

    /// Waits before the next start.
    fn back_off(&mut self, id: Id, exit: Exit, now: Time) -> Order {
        let (first, longest) = (duration(self.rules.restart.delay), duration(self.rules.restart.max_delay));
        self.reset_delay(now);
        // A program that is missing is not there a moment later, either.
        let shortest = if exit == Exit::NotStarted { MISSING_DELAY } else { Duration::ZERO };
        let until = now + self.delay.max(shortest);
        self.delay = (self.delay * 2).min(longest).max(first);
        self.restarts += 1;
        self.state = State::Backoff { until };
        Order::Restarting { id, at: until, restarts: self.restarts }
    }

    fn signal(&mut self, id: Id, signal: Signal, now: Time) -> Order {
        let next = match signal {
            Signal::Int => Some(now + self.rules.sigterm_timeout),
            Signal::Term => Some(now + self.rules.sigkill_timeout),
            Signal::Kill => None,
        };
        self.state = State::Ending { signal, next };
        Order::Send(id, signal)
    }

    fn signal_after(&mut self, id: Id, signal: Signal, now: Time) -> Option<Order> {
        match signal {
            Signal::Int => Some(self.signal(id, Signal::Term, now)),
            Signal::Term => Some(self.signal(id, Signal::Kill, now)),
            Signal::Kill => None,
        }
    }

    fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Starting { until } => until,
            State::Backoff { until } => Some(until),
            State::Ending { next, .. } => next,
            State::Ready { .. } => self.lost_at,
            State::Waiting | State::Ended => None,
        }
    }
}

pub(crate) fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4)
}

#[cfg(test)]
mod tests;
