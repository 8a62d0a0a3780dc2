//! Carries out the instructions of the supervisor.

use super::{Launcher, cause::EndCause};
use crate::{
    screen::Level,
    supervisor::{Id, Instruction, Signal},
};

impl Launcher<'_> {
    /// Carries out the instructions of the supervisor.
    pub(super) fn carry_out_instructions(&mut self) {
        while let Some(instruction) = self.processes.instructions.pop_front() {
            match instruction {
                Instruction::Start(id) => self.start(id),
                Instruction::Send(id, signal) => self.send(id, signal),
                Instruction::ReportRestart { id, at, restarts } => {
                    let delay = at.saturating_sub(self.lifetime.now()).as_secs_f64();
                    self.process_message(Level::Info, id, &format!("restart {restarts} in {delay:.1} s"));
                }
                Instruction::ReportNotReady(id) => {
                    let text = "the process is not ready in time; those after it wait";
                    self.process_message(Level::Error, id, text);
                }
                Instruction::ReportNodeLoss(id) => {
                    let node = self.processes[id].node_name().unwrap_or_default();
                    let text = format!("the node {node} has left the graph, but its process goes on");
                    self.process_message(Level::Error, id, &text);
                }
                Instruction::Abandon { id, because } => self.abandon(id, because),
                Instruction::EndBecauseOf(id) => {
                    self.process_message(Level::Warning, id, "the process is required; everything ends");
                    self.begin_end(EndCause::RequiredProcess);
                }
            }
        }
    }

    /// Reports that a process is never started because of another one.
    fn abandon(&mut self, id: Id, because: Id) {
        let reason = if self.processes.supervisor.has_ended(because) {
            "has ended before it was ready"
        } else {
            "could not load what it waits for"
        };
        let other = &self.processes[because].name;
        let text = format!("the process is not started, because {other} {reason}");
        self.process_message(Level::Error, id, &text);
        self.stop_watching(id);
    }

    /// Stops waiting for a process that has ended or was not started. The components that it would have loaded are lost.
    pub(super) fn stop_watching(&mut self, id: Id) {
        let is_over = self.processes.supervisor.has_ended(id);
        let lost = self.graph.forget(id, is_over);
        self.report_lost_components(id, lost);
    }

    /// Reports that components are not loaded into a process, because it has ended.
    pub(super) fn report_lost_components(&mut self, id: Id, components: Vec<String>) {
        if self.lifetime.is_ending() {
            return;
        }
        let container = self.processes[id].name.clone();
        for component in components {
            self.lifetime.has_failed = true;
            let text = format!("{component} is not loaded, because the process {container} has ended");
            self.display.message(Level::Error, "launch", &text);
            self.supervise(|supervisor, _| supervisor.component_lost(id, &component));
        }
    }

    /// Ends a process. It is not started again.
    pub(super) fn stop(&mut self, id: Id) {
        self.supervise(|supervisor, now| supervisor.stop(id, now));
        if self.processes.supervisor.has_ended(id) {
            self.stop_watching(id);
        }
    }

    fn send(&mut self, id: Id, signal: Signal) {
        let (level, word, number) = match signal {
            Signal::Int => (Level::Info, "SIGINT", rustix::process::Signal::INT),
            Signal::Term => (Level::Error, "SIGTERM", rustix::process::Signal::TERM),
            Signal::Kill => (Level::Error, "SIGKILL", rustix::process::Signal::KILL),
        };
        let record = &self.processes[id];
        if let Some(child) = &record.child {
            child.signal(number);
            // The text is ROS 2's.
            let text = format!("sending signal '{word}' to process[{}]", record.name);
            self.process_message(level, id, &text);
        }
    }
}
