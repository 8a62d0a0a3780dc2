//! Carries out the instructions of the supervisor, and reports the output and the ends of processes.

use rustix::process::{Pid, WaitStatus};
use saltus_launch_file::plan::Output;

use super::{
    Launcher,
    cause::EndCause,
    event::{LaunchEvent, OutputStream},
};
use crate::{
    screen::{Level, Line},
    supervisor::{Exit, Id, Instruction, Signal, State},
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

    /// Reads the output of all processes, as long as there is room for lines.
    pub(super) fn read_output(&mut self) {
        for id in self.processes.next_read_order() {
            if !self.display.wants_lines() {
                break;
            }
            let Some(child) = &mut self.processes[id].child else { continue };
            let (lines, errors) = (child.out.available(), child.err.available());
            self.show_output(id, OutputStream::Standard, lines);
            self.show_output(id, OutputStream::Error, errors);
        }
    }

    fn show_output(&mut self, id: Id, stream: OutputStream, lines: Vec<String>) {
        if !lines.is_empty() && self.handlers.want_output() {
            let pid = self.processes[id].pid().unwrap_or_default();
            let details = self.processes.details(id, pid);
            self.handlers.add_event(LaunchEvent::ProcessOutput(details, stream, lines.clone()));
        }
        let is_shown = match self.processes[id].process.output {
            Output::OwnLog => false,
            Output::Log => stream == OutputStream::Error,
            Output::Screen | Output::Both | Output::Full => true,
        };
        for line in lines {
            let record = &mut self.processes[id];
            if is_shown {
                self.display.line(&Line::Output { id, name: record.name.clone(), text: line.clone() });
            }
            if let Some(log) = &mut record.log {
                self.display.report_log_loss(log.line(&line));
            }
            record.last_line = line;
        }
    }

    /// Reports that a child process has ended. It may be that of Python, which is no process of the launch.
    pub(super) fn exited(&mut self, pid: Pid, status: WaitStatus) {
        let Some(id) = self.processes.find(pid) else { return };
        let number = pid.as_raw_nonzero().get();
        if let Some(mut child) = self.processes[id].child.take() {
            self.show_output(id, OutputStream::Standard, child.out.end());
            self.show_output(id, OutputStream::Error, child.err.end());
        }
        let exit = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, signal) => Exit::Signal(signal.unwrap_or_default()),
        };
        self.report_exit(id, number, exit);
        // Before the handlers, because a handler may restart the process or end everything.
        self.supervise(|supervisor, now| supervisor.exited(id, exit, now));
        self.stop_watching(id);
        self.handlers.add_event(LaunchEvent::ProcessExited(self.processes.details(id, number), exit));
        self.carry_out_instructions();
    }

    fn report_exit(&mut self, id: Id, pid: i32, exit: Exit) {
        let was_asked = matches!(self.processes.supervisor.state(id), Some(State::Ending { .. }));
        let command = self.processes[id].process.command.join(" ");
        // The texts are ROS 2's.
        let died = |code: i32| format!("process has died [pid {pid}, exit code {code}, cmd '{command}'].");
        let (level, text) = match exit {
            Exit::Code(0) => (Level::Info, format!("process has finished cleanly [pid {pid}]")),
            Exit::Signal(2) if was_asked => {
                (Level::Info, format!("process has finished cleanly [pid {pid}]"))
            }
            Exit::Code(code) => (Level::Error, died(code)),
            Exit::Signal(signal) => (Level::Error, died(-signal)),
            Exit::NotStarted => return,
        };
        self.process_message(level, id, &text);
    }
}
