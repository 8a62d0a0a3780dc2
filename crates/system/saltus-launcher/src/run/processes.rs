//! Starts processes, and reports what has become of them.

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    os::fd::AsRawFd,
    path::PathBuf,
    rc::Rc,
};

use rustix::{
    fs::{MemfdFlags, memfd_create},
    process::{Pid, WaitStatus},
};
use saltus_executor::Placements;
use saltus_launch_file::{
    Trigger,
    plan::{Handler, NodeKind, Output, Parameters, Process, ReadyCondition},
    ros_arguments,
};
use saltus_node::Placement;
use serde_json::json;

use super::{Launcher, Running};
use crate::{
    child::Child,
    screen::{Level, Line},
    supervisor::{Exit, Id, Instruction, Signal, State},
};

impl Launcher<'_> {
    /// Does what the supervisor wants.
    pub(super) fn perform(&mut self) {
        while let Some(instruction) = self.instructions.pop_front() {
            match instruction {
                Instruction::Start(id) => self.start(id),
                Instruction::Send(id, signal) => self.send(id, signal),
                Instruction::ReportRestart { id, at, restarts } => {
                    let wait = at.saturating_sub(self.now()).as_secs_f64();
                    let name = self.processes[id].name.clone();
                    self.message(Level::Info, &name, &format!("restart {restarts} in {wait:.1} s"));
                }
                Instruction::ReportNotReady(id) => {
                    let name = self.processes[id].name.clone();
                    self.message(
                        Level::Error,
                        &name,
                        "the process is not ready in time; those after it wait",
                    );
                }
                Instruction::ReportNodeLoss(id) => {
                    let (name, node) =
                        (self.processes[id].name.clone(), self.node_name(id).unwrap_or_default());
                    let text = format!("the node {node} has left the graph, but its process goes on");
                    self.message(Level::Error, &name, &text);
                }
                Instruction::Abandon { id, because } => {
                    let (name, other) =
                        (self.processes[id].name.clone(), self.processes[because].name.clone());
                    let text = if self.supervisor.has_ended(because) {
                        "has ended before it was ready"
                    } else {
                        "could not load what it waits for"
                    };
                    let text = format!("the process is not started, because {other} {text}");
                    self.message(Level::Error, &name, &text);
                    self.forget(id);
                }
                Instruction::EndBecauseOf(id) => {
                    let name = self.processes[id].name.clone();
                    self.message(Level::Warning, &name, "the process is required; everything ends");
                    self.begin_to_end("a required process has ended");
                }
            }
        }
    }

    pub(super) fn start(&mut self, id: Id) {
        let (process, name) = (self.processes[id].process.clone(), self.processes[id].name.clone());
        let arguments = self.arguments(id);
        if let (true, Ok(arguments)) = (self.with_commands, &arguments) {
            let words: Vec<&str> = process.command.iter().chain(arguments).map(String::as_str).collect();
            self.message(Level::Info, &name, &format!("command: {}", words.join(" ")));
        }
        let started = arguments.and_then(|arguments| {
            let placement = placement(&process, self.node_name(id).as_deref())?;
            Child::start(&process, &arguments, placement, self.files)
        });
        match started {
            Ok(child) => {
                let pid = child.pid.as_raw_nonzero();
                self.processes[id].child = Some(child);
                self.message(Level::Info, &name, &format!("process started with pid [{pid}]"));
                self.wait_until_ready(id);
                let event = self.process_event("process_started", id, pid.get());
                self.events.push_back(("process_started", Some(id), event));
            }
            Err(error) => {
                let command = process.command.join(" ");
                self.message(Level::Error, &name, &format!("can't start '{command}': {error}"));
                let instructions = self.supervisor.exited(id, Exit::NotStarted, self.now());
                self.instructions.extend(instructions);
                self.forget(id);
            }
        }
    }

    /// Stops waiting for a process that has ended or was not started. The components that it would have loaded are lost.
    pub(super) fn forget(&mut self, id: Id) {
        let is_over = self.supervisor.has_ended(id);
        let lost = self.graph.forget(id, is_over);
        self.lose(id, lost);
    }

    /// Components are not loaded into a process, because it has ended.
    pub(super) fn lose(&mut self, id: Id, components: Vec<String>) {
        if self.is_ending {
            return;
        }
        let container = self.processes[id].name.clone();
        for component in components {
            self.has_failed = true;
            let text = format!("{component} is not loaded, because the process {container} has ended");
            self.message(Level::Error, "launch", &text);
            let instructions = self.supervisor.component_lost(id, &component);
            self.instructions.extend(instructions);
        }
    }

    /// Ends a process. It is not started again.
    pub(super) fn stop(&mut self, id: Id) {
        let instructions = self.supervisor.stop(id, self.now());
        self.instructions.extend(instructions);
        if self.supervisor.has_ended(id) {
            self.forget(id);
        }
    }

    /// Returns the arguments of a process that runs a node. Its parameters are written to files in the log folder.
    pub(super) fn arguments(&mut self, id: Id) -> io::Result<Vec<String>> {
        let running = &self.processes[id];
        let Some(node) = &running.process.node else { return Ok(Vec::new()) };
        let mut node = node.clone();
        let is_missing = |parameters: &Parameters| match parameters {
            Parameters::File(path) if !path.is_file() => Some(path.clone()),
            _ => None,
        };
        let missing: Vec<PathBuf> = node.names.parameters.iter().filter_map(is_missing).collect();
        node.names.parameters.retain(|parameters| is_missing(parameters).is_none());
        let (folder, name) = (self.folder.clone(), running.name.replace(['/', '\0'], "_"));
        for path in missing {
            let text = format!("Parameter file path is not a file: {}", path.display());
            self.message(Level::Warning, &name, &text);
        }
        let (mut count, mut in_memory, mut failure) = (0, Vec::new(), None);
        let arguments = ros_arguments(&node, &mut |content| {
            count += 1;
            let path = folder.join(format!("{name}.{count}.yaml"));
            let Err(error) = fs::write(&path, content) else { return Ok(path) };
            // A full disk must not prevent the restart of a node.
            failure = Some(error);
            let file = in_memory_file(content)?;
            let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
            in_memory.push(file);
            Ok(path.into())
        });
        if let Some(error) = failure {
            let text =
                format!("the parameters are only in memory, because their file can't be written: {error}");
            self.message(Level::Warning, &name, &text);
        }
        self.processes[id].parameters = in_memory;
        arguments
    }

    /// Waits for what makes a process ready. A process without a condition is ready now.
    pub(super) fn wait_until_ready(&mut self, id: Id) {
        if let Err(error) = self.begin_to_wait(id) {
            let name = self.processes[id].name.clone();
            self.message(Level::Error, &name, &format!("can't watch the process: {error}"));
            // Those after it must not wait for ever.
            self.is_ready(id);
        }
    }

    pub(super) fn begin_to_wait(&mut self, id: Id) -> io::Result<()> {
        let process = self.processes[id].process.clone();
        let name = self.node_name(id);
        let kind = process.node.as_ref().map(|node| &node.kind);
        if let Some(name) = &name {
            self.graph.watch_node(id, name.clone());
        }
        let mut is_awaited = false;
        let is_restart = self.supervisor.restarts(id) > 0;
        if let Some(ready) = &process.ready {
            is_awaited = true;
            self.graph.watch(id, ready.condition.clone(), name.as_deref(), is_restart)?;
        }
        match (kind, &name) {
            (Some(NodeKind::Container(components)), Some(name)) if !components.is_empty() => {
                is_awaited = true;
                self.graph.load((Some(id), Some(id)), name, components)?;
            }
            (Some(NodeKind::Lifecycle { autostart }), Some(name)) => {
                self.graph.watch_states(id, name, None)?;
                if *autostart {
                    is_awaited = true;
                    self.graph.activate((Some(id), Some(id)), name)?;
                }
            }
            _ => {}
        }
        match name {
            _ if is_awaited => {}
            Some(name) => self.graph.watch(id, ReadyCondition::Node(name), None, is_restart)?,
            None => self.is_ready(id),
        }
        Ok(())
    }

    pub(super) fn send(&mut self, id: Id, signal: Signal) {
        let (word, signal) = match signal {
            Signal::Int => ("SIGINT", rustix::process::Signal::INT),
            Signal::Term => ("SIGTERM", rustix::process::Signal::TERM),
            Signal::Kill => ("SIGKILL", rustix::process::Signal::KILL),
        };
        let running = &self.processes[id];
        let name = running.name.clone();
        if let Some(child) = &running.child {
            child.signal(signal);
            let level = if word == "SIGINT" { Level::Info } else { Level::Error };
            self.message(level, &name, &format!("sending signal '{word}' to process[{name}]"));
        }
    }

    pub(super) fn show(&mut self, id: Id, lines: Vec<String>, is_error: bool) {
        let wants_output =
            |handler: &Rc<Handler>| matches!(handler.trigger, Trigger::ProcessOutput | Trigger::Any);
        if !lines.is_empty() && self.handlers.iter().any(wants_output) {
            let pid = self.processes[id].pid().unwrap_or_default();
            let mut event = self.process_event("process_output", id, pid);
            event["text"] = json!(lines.join("\n") + "\n");
            event["fd"] = json!(if is_error { 2 } else { 1 });
            self.events.push_back(("process_output", Some(id), event));
        }
        let running = &self.processes[id];
        let is_shown = match running.process.output {
            Output::OwnLog => false,
            Output::Log => is_error,
            _ => true,
        };
        for line in lines {
            if is_shown {
                let name = self.processes[id].name.clone();
                self.show_line(&Line::Output { id, name, text: line.clone() });
            }
            let running = &mut self.processes[id];
            running.last_line.clone_from(&line);
            if let Some(log) = &mut running.log
                && let Err(error) = log.line(&line)
            {
                self.log_has_failed(&error);
            }
        }
    }

    pub(super) fn exited(&mut self, pid: Pid, status: WaitStatus) {
        let is_it = |running: &Running| running.child.as_ref().is_some_and(|child| child.pid == pid);
        let Some(id) = self.processes.iter().position(is_it) else { return };
        if let Some(mut child) = self.processes[id].child.take() {
            self.show(id, child.out.end(), false);
            self.show(id, child.err.end(), true);
        }
        let exit = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, signal) => Exit::Signal(signal.unwrap_or_default()),
        };
        self.report(id, pid, exit);
        // Before the handlers, so that what they do does not hide how the process has ended.
        let instructions = self.supervisor.exited(id, exit, self.now());
        self.instructions.extend(instructions);
        self.forget(id);
        let mut event = self.process_event("process_exited", id, pid.as_raw_nonzero().get());
        event["returncode"] = json!(exit.return_code());
        self.events.push_back(("process_exited", Some(id), event));
        self.perform();
    }

    pub(super) fn report(&mut self, id: Id, pid: Pid, exit: Exit) {
        let was_asked = matches!(self.supervisor.state(id), Some(State::Ending { .. }));
        let running = &self.processes[id];
        let (name, pid) = (running.name.clone(), pid.as_raw_nonzero());
        let command = running.process.command.join(" ");
        match exit {
            Exit::Code(0) => {
                self.message(Level::Info, &name, &format!("process has finished cleanly [pid {pid}]"));
            }
            Exit::Signal(2) if was_asked => {
                self.message(Level::Info, &name, &format!("process has finished cleanly [pid {pid}]"));
            }
            Exit::Code(code) => {
                let text = format!("process has died [pid {pid}, exit code {code}, cmd '{command}'].");
                self.message(Level::Error, &name, &text);
            }
            Exit::Signal(signal) => {
                let text = format!("process has died [pid {pid}, exit code -{signal}, cmd '{command}'].");
                self.message(Level::Error, &name, &text);
            }
            Exit::NotStarted => {}
        }
    }
}

fn in_memory_file(content: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create("parameters", MemfdFlags::CLOEXEC)?);
    file.write_all(content.as_bytes())?;
    Ok(file)
}

/// Returns the placement of a process: that with the full name of its node, or with its label. Containers place their threads
/// themselves.
fn placement(process: &Process, node: Option<&str>) -> io::Result<Placement> {
    let kind = process.node.as_ref().map(|node| &node.kind);
    let file = match process.environment.get(Placements::VARIABLE) {
        Some(value) => value.as_ref().map(PathBuf::from),
        None => env::var_os(Placements::VARIABLE).map(PathBuf::from),
    };
    let Some(file) = file.filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(Placement::default());
    };
    if matches!(kind, Some(NodeKind::Container(_))) {
        return Ok(Placement::default());
    }
    let all = Placements::read(&file).map_err(io::Error::other)?;
    let name = node.unwrap_or(&process.label);
    let Some(placement) = all.named(name) else { return Ok(Placement::default()) };
    // Another program does not inherit locked memory.
    let placement = Placement { memory_lock: false, ..placement.clone() };
    placement.check().map_err(|error| io::Error::other(format!("{name} in {}: {error}", file.display())))?;
    Ok(placement)
}
