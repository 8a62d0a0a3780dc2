//! The times at which processes are started, started again and ended. It uses no process and no clock: the caller reports
//! events, and carries out the instructions that are returned.

use std::collections::BTreeMap;

mod names;
mod process;
mod restarts;
mod rules;
mod state;

use names::Names;
pub(crate) use process::Instruction;
use process::Process;
pub(crate) use rules::{Exit, Id, Rules, Time, duration};
use state::{AfterExit, Phase, Run};
pub(crate) use state::{Signal, State};

/// Decides when processes are started, started again and ended.
#[derive(Default)]
pub(crate) struct Supervisor {
    processes: BTreeMap<Id, Process>,
    /// Processes in the order in which they were started, to be ended in the reverse order.
    started: Vec<Id>,
    names: Names,
    is_ending: bool,
    first_failure: Option<Exit>,
}

impl Supervisor {
    /// Adds a process. It is started as soon as the processes that it waits for are ready.
    pub(crate) fn add(&mut self, id: Id, rules: Rules, now: Time) -> Vec<Instruction> {
        self.processes.insert(id, Process::new(rules));
        let instructions = self.abandon_if_dependency_lost(id);
        if instructions.is_empty() { self.start_waiting(now) } else { instructions }
    }

    pub(crate) fn state(&self, id: Id) -> Option<State> {
        self.processes.get(&id).map(|process| process.state)
    }

    /// Whether a process has ended for good.
    pub(crate) fn has_ended(&self, id: Id) -> bool {
        self.state(id) == Some(State::Ended)
    }

    /// Returns the name of the state of a process in the live table.
    pub(crate) fn state_name(&self, id: Id) -> &'static str {
        self.state(id).map_or("", State::name)
    }

    pub(crate) fn restarts(&self, id: Id) -> u32 {
        self.processes.get(&id).map_or(0, |process| process.restarts.count())
    }

    /// Whether all processes have ended for good.
    pub(crate) fn is_over(&self) -> bool {
        self.processes.values().all(|process| process.state == State::Ended)
    }

    /// Whether all processes are ready; not if there is none.
    pub(crate) fn are_all_ready(&self) -> bool {
        !self.processes.is_empty() && self.processes.values().all(|process| process.state.is_ready())
    }

    /// Returns the exit of the first process that has failed.
    pub(crate) fn first_failure(&self) -> Option<Exit> {
        self.first_failure
    }

    /// Notes that a process is ready. Starts the processes that wait for it.
    pub(crate) fn ready(&mut self, id: Id, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        if !process.become_ready(now) {
            return Vec::new();
        }
        process.rules.names.iter().for_each(|name| self.names.add_ready(name, Some(id)));
        self.start_waiting(now)
    }

    /// Notes that a component was loaded into a container that ran already. Starts the processes that wait for it.
    pub(crate) fn component_loaded(&mut self, name: &str, now: Time) -> Vec<Instruction> {
        self.names.add_ready(name, None);
        self.start_waiting(now)
    }

    /// Notes that a component of a container could not be loaded. The processes that wait for it are not started.
    pub(crate) fn component_lost(&mut self, id: Id, name: &str) -> Vec<Instruction> {
        if let Some(process) = self.processes.get_mut(&id) {
            process.rules.names.retain(|own| own != name);
        }
        self.names.remove_ready(name, id);
        self.abandon_waiting(id, &[name.to_owned()])
    }

    /// Notes that the node of a process has left the graph, or has come back.
    pub(crate) fn node_changed(&mut self, id: Id, is_present: bool, now: Time) {
        if let Some(process) = self.processes.get_mut(&id) {
            process.set_node_presence(is_present, now);
        }
    }

    /// Notes that the lifecycle node of a process had an error. The process is started again if its rules say so.
    pub(crate) fn unhealthy(&mut self, id: Id, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        if !process.set_error(true) || self.is_ending {
            return Vec::new();
        }
        process.end_unhealthy(id, now).into_iter().collect()
    }

    /// Notes that the lifecycle node of a process works again.
    pub(crate) fn healthy(&mut self, id: Id) {
        if let Some(process) = self.processes.get_mut(&id) {
            process.set_error(false);
        }
    }

    /// Notes that a process has ended, or could not be started.
    pub(crate) fn exited(&mut self, id: Id, exit: Exit, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        let was_asked = matches!(process.state, State::Ending { .. });
        if exit.is_failure() && !was_asked && self.first_failure.is_none() {
            self.first_failure = Some(exit);
        }
        match process.after_exit(exit) {
            AfterExit::Restart if !self.is_ending => vec![process.restart(id, now)],
            AfterExit::BackOff if !self.is_ending => vec![process.back_off(id, exit, now)],
            _ => self.exited_for_good(id, now),
        }
    }

    fn exited_for_good(&mut self, id: Id, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        process.state = State::Ended;
        self.started.retain(|other| *other != id);
        if process.rules.required && !self.is_ending {
            let mut instructions = vec![Instruction::EndBecauseOf(id)];
            instructions.extend(self.end(now));
            return instructions;
        }
        let mut instructions = self.abandon_dependents(id);
        instructions.extend(self.end_next(now));
        instructions
    }

    /// Abandons the processes that wait for one that has ended without being ready.
    fn abandon_dependents(&mut self, id: Id) -> Vec<Instruction> {
        let Some(ended) = self.processes.get(&id).filter(|_| !self.is_ending) else { return Vec::new() };
        let is_lost = |name: &&String| !self.names.is_ready_by(name, id);
        let names: Vec<String> = ended.rules.names.iter().filter(is_lost).cloned().collect();
        self.abandon_waiting(id, &names)
    }

    /// Abandons the processes that wait for one of these names, which will not be ready because of a process.
    fn abandon_waiting(&mut self, because: Id, names: &[String]) -> Vec<Instruction> {
        names.iter().for_each(|name| self.names.add_lost(name, because));
        let ids: Vec<Id> = self.processes.keys().copied().collect();
        ids.into_iter().flat_map(|other| self.abandon_if_dependency_lost(other)).collect()
    }

    /// Abandons a process if it waits for a name that will not be ready.
    fn abandon_if_dependency_lost(&mut self, id: Id) -> Vec<Instruction> {
        let Some(because) = self.lost_dependency(id) else { return Vec::new() };
        if let Some(process) = self.processes.get_mut(&id) {
            process.state = State::Ended;
        }
        let mut instructions = vec![Instruction::Abandon { id, because }];
        instructions.extend(self.abandon_dependents(id));
        instructions
    }

    /// Returns the process because of which a process that waits can't be started.
    fn lost_dependency(&self, id: Id) -> Option<Id> {
        let process = self.processes.get(&id).filter(|process| process.state == State::Waiting)?;
        // Another process may have the same name, and may become ready.
        let may_be_ready = |name: &String| {
            let mut others = self.processes.iter().filter(|(other, _)| **other != id);
            self.names.is_ready(name)
                || others.any(|(_, one)| one.state != State::Ended && one.rules.names.contains(name))
        };
        let lost = process.rules.after.iter().filter(|name| !may_be_ready(name));
        lost.filter_map(|name| self.names.lost_because_of(name)).next()
    }

    /// Ends everything: the process that was started last gets the first signal. A process gets it when those that wait for
    /// it have ended.
    pub(crate) fn end(&mut self, now: Time) -> Vec<Instruction> {
        self.is_ending = true;
        for process in self.processes.values_mut() {
            if matches!(process.state, State::Waiting | State::Backoff { .. }) {
                process.state = State::Ended;
            }
        }
        self.end_next(now)
    }

    /// Ends everything at once: sends the next signal to all processes that have got one, and the first one to the others.
    pub(crate) fn end_at_once(&mut self, now: Time) -> Vec<Instruction> {
        let mut instructions = self.end(now);
        for (id, process) in &mut self.processes {
            match process.state {
                State::Ending { .. } => instructions.extend(process.send_next(*id, now)),
                State::Running(_) => {
                    instructions.push(process.send(*id, Signal::Int, AfterExit::Stay, now));
                }
                State::Waiting | State::Backoff { .. } | State::Ended => {}
            }
        }
        instructions
    }

    /// Ends one process, because the user wants it. It is not started again.
    pub(crate) fn stop(&mut self, id: Id, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        match process.state {
            State::Running(_) => vec![process.send(id, Signal::Int, AfterExit::Stay, now)],
            State::Ending { .. } => {
                process.set_after_exit(AfterExit::Stay);
                Vec::new()
            }
            State::Waiting | State::Backoff { .. } => {
                process.state = State::Ended;
                self.abandon_dependents(id)
            }
            State::Ended => Vec::new(),
        }
    }

    /// Ends one process and starts it again, because the user wants it.
    pub(crate) fn restart(&mut self, id: Id, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id).filter(|_| !self.is_ending) else {
            return Vec::new();
        };
        match process.state {
            State::Running(_) => vec![process.send(id, Signal::Int, AfterExit::Restart, now)],
            State::Ending { .. } => {
                process.set_after_exit(AfterExit::Restart);
                Vec::new()
            }
            State::Backoff { .. } | State::Ended => vec![self.start(id, now)],
            State::Waiting => Vec::new(),
        }
    }

    /// Starts a process, which becomes the one that was started last.
    fn start(&mut self, id: Id, now: Time) -> Instruction {
        if let Some(process) = self.processes.get_mut(&id) {
            process.start(now);
        }
        self.started.retain(|other| *other != id);
        self.started.push(id);
        Instruction::Start(id)
    }

    /// Returns the time at which [`tick`](Self::tick) must be called next.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.processes.values().filter_map(|process| process.state.deadline()).min()
    }

    /// Makes the changes whose time has come.
    pub(crate) fn tick(&mut self, now: Time) -> Vec<Instruction> {
        let is_due = |process: &Process| process.state.deadline().is_some_and(|deadline| deadline <= now);
        let due: Vec<Id> =
            self.processes.iter().filter(|(_, process)| is_due(process)).map(|(id, _)| *id).collect();
        due.into_iter().flat_map(|id| self.deadline_passed(id, now)).collect()
    }

    fn deadline_passed(&mut self, id: Id, now: Time) -> Vec<Instruction> {
        let Some(process) = self.processes.get_mut(&id) else { return Vec::new() };
        match process.state {
            State::Backoff { .. } => vec![self.start(id, now)],
            State::Running(Run { phase: Phase::Starting { .. }, .. }) => {
                process.forget_deadline();
                vec![Instruction::ReportNotReady(id)]
            }
            State::Running(Run { phase: Phase::Ready { .. }, .. }) => {
                process.confirm_node_loss();
                let mut instructions = vec![Instruction::ReportNodeLoss(id)];
                if !self.is_ending {
                    instructions.extend(process.end_unhealthy(id, now));
                }
                instructions
            }
            State::Ending { .. } => process.send_next(id, now).into_iter().collect(),
            State::Waiting | State::Ended => Vec::new(),
        }
    }

    /// Starts the processes whose predecessors are ready.
    fn start_waiting(&mut self, now: Time) -> Vec<Instruction> {
        if self.is_ending {
            return Vec::new();
        }
        let can_start = |process: &Process| {
            process.state == State::Waiting
                && process.rules.after.iter().all(|name| self.names.is_ready(name))
        };
        let ids: Vec<Id> =
            self.processes.iter().filter(|(_, process)| can_start(process)).map(|(id, _)| *id).collect();
        ids.into_iter().map(|id| self.start(id, now)).collect()
    }

    /// While everything ends, sends the first signal to the processes that no other process needs.
    fn end_next(&mut self, now: Time) -> Vec<Instruction> {
        if !self.is_ending {
            return Vec::new();
        }
        let state = |id: Id| self.processes.get(&id).map(|process| process.state);
        let is_running = |id: &&Id| state(**id).is_some_and(State::is_running);
        let last_first = || self.started.iter().rev().filter(is_running).copied();
        let mut ids: Vec<Id> = last_first().filter(|id| !self.is_needed(*id)).collect();
        let is_one_ending =
            self.processes.values().any(|process| matches!(process.state, State::Ending { .. }));
        if ids.is_empty() && !is_one_ending {
            // Processes with the same name seem to wait for each other.
            ids.extend(last_first().next());
        }
        let send = |id| {
            let process = self.processes.get_mut(&id)?;
            Some(process.send(id, Signal::Int, AfterExit::Stay, now))
        };
        ids.into_iter().filter_map(send).collect()
    }

    /// Whether a process that has not ended waited for this one before it was started.
    fn is_needed(&self, id: Id) -> bool {
        let Some(process) = self.processes.get(&id) else { return false };
        let mut others =
            self.processes.iter().filter(|(other, one)| **other != id && one.state != State::Ended);
        others.any(|(_, one)| one.rules.after.iter().any(|name| process.rules.names.contains(name)))
    }
}

#[cfg(test)]
mod tests;
