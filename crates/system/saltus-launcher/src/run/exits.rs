//! Reads the output of processes, and reports their ends.

use rustix::process::{Pid, WaitStatus};
use saltus_launch_file::plan::Output;

use super::{
    Launcher,
    event::{LaunchEvent, OutputStream},
};
use crate::{
    screen::{Level, Line},
    supervisor::{Exit, Id, State},
};

impl Launcher<'_> {
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
