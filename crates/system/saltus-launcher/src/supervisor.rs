//! When processes are started, started again and ended. No process and no clock: the caller tells what has happened, and
//! does what is returned.

use std::collections::{BTreeMap, BTreeSet};

mod process;

pub(crate) use process::{Exit, Id, Order, Rules, Signal, State, Time, duration};
use process::{LEAVING, Process};

/// When processes are started, started again and ended.
#[derive(Default)]
pub(crate) struct Supervisor {
    processes: BTreeMap<Id, Process>,
    /// Processes in the order in which they were started, to be ended in the reverse order.
    started: Vec<Id>,
    /// Names that are ready and belong to no process: those of components that were loaded later.
    provided: BTreeSet<String>,
    /// Names that will not be ready, and the processes that are the reason.
    lost: BTreeMap<String, Id>,
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
        let orders = self.give_up_if_lost(id);
        if orders.is_empty() { self.start_waiting(now) } else { orders }
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

    /// A component is there that was loaded into a container that runs.
    pub(crate) fn provide(&mut self, name: &str, now: Time) -> Vec<Order> {
        self.provided.insert(name.to_owned());
        self.start_waiting(now)
    }

    /// A component of a container could not be loaded. The processes that wait for it are not started.
    pub(crate) fn lose(&mut self, id: Id, name: &str) -> Vec<Order> {
        if let Some(process) = self.processes.get_mut(&id) {
            process.rules.names.retain(|own| own != name);
        }
        self.give_up(id, &[name.to_owned()])
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
        self.give_up(id, &names)
    }

    /// Gives up the processes that wait for one of these names, which will not be ready because of a process.
    fn give_up(&mut self, id: Id, names: &[String]) -> Vec<Order> {
        self.lost.extend(names.iter().map(|name| (name.clone(), id)));
        let ids: Vec<Id> = self.processes.keys().copied().collect();
        ids.into_iter().flat_map(|other| self.give_up_if_lost(other)).collect()
    }

    /// Gives up a process if it waits for a name that will not be ready.
    fn give_up_if_lost(&mut self, id: Id) -> Vec<Order> {
        let Some(process) = self.processes.get(&id).filter(|process| process.state == State::Waiting) else {
            return Vec::new();
        };
        // Another process may have the same name.
        let has_other = |name: &String| {
            let mut others = self.processes.iter().filter(|(other, _)| **other != id);
            let comes = |one: &Process| one.was_ready || one.state != State::Ended;
            self.provided.contains(name)
                || others.any(|(_, one)| comes(one) && one.rules.names.contains(name))
        };
        let lost = process.rules.after.iter().filter(|name| !has_other(name));
        let Some(because) = lost.filter_map(|name| self.lost.get(name)).next().copied() else {
            return Vec::new();
        };
        if let Some(process) = self.processes.get_mut(&id) {
            process.state = State::Ended;
        }
        let mut orders = vec![Order::Abandoned { id, because }];
        orders.extend(self.abandon(id));
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
            self.provided.contains(name)
                || self
                    .processes
                    .values()
                    .any(|process| process.was_ready && process.rules.names.contains(name))
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
        let runs = |id: &&Id| {
            let state = self.processes.get(id).map(|process| process.state);
            matches!(state, Some(State::Starting { .. } | State::Ready { .. }))
        };
        let last_first = || self.started.iter().rev().filter(runs).copied();
        let mut ids: Vec<Id> = last_first().filter(|id| !is_needed(id)).collect();
        let is_one_ending =
            self.processes.values().any(|process| matches!(process.state, State::Ending { .. }));
        if ids.is_empty() && !is_one_ending {
            // Processes with the same name seem to wait for each other.
            ids.extend(last_first().next());
        }
        let signal = |id| self.processes.get_mut(&id).map(|process| process.signal(id, Signal::Int, now));
        ids.into_iter().filter_map(signal).collect()
    }
}

#[cfg(test)]
mod tests;
