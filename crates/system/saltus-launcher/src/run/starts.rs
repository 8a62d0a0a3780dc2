//! Starts processes, and waits until they are ready.

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    os::fd::AsRawFd,
    path::PathBuf,
};

use rustix::fs::{MemfdFlags, memfd_create};
use saltus_executor::Placements;
use saltus_launch_file::{
    plan::{NodeKind, Parameters, Process, ReadyCondition},
    ros_arguments,
};
use saltus_node::Placement;

use super::{Launcher, event::LaunchEvent};
use crate::{
    child::Child,
    jobs::JobOwner,
    screen::Level,
    supervisor::{Exit, Id},
};

impl Launcher<'_> {
    pub(super) fn start(&mut self, id: Id) {
        let process = self.processes[id].process.clone();
        let arguments = self.arguments(id);
        if let (true, Ok(arguments)) = (self.processes.settings.with_commands, &arguments) {
            let words: Vec<&str> = process.command.iter().chain(arguments).map(String::as_str).collect();
            self.process_message(Level::Info, id, &format!("command: {}", words.join(" ")));
        }
        let started = arguments.and_then(|arguments| {
            let placement = placement(&process, self.processes[id].node_name().as_deref())?;
            Child::start(&process, &arguments, placement, self.processes.settings.file_limit)
        });
        match started {
            Ok(child) => self.started(id, child),
            Err(error) => {
                let command = process.command.join(" ");
                self.process_message(Level::Error, id, &format!("can't start '{command}': {error}"));
                self.supervise(|supervisor, now| supervisor.exited(id, Exit::NotStarted, now));
                self.stop_watching(id);
            }
        }
    }

    fn started(&mut self, id: Id, child: Child) {
        let pid = child.pid.as_raw_nonzero();
        self.processes[id].child = Some(child);
        self.process_message(Level::Info, id, &format!("process started with pid [{pid}]"));
        self.wait_until_ready(id);
        self.handlers.add_event(LaunchEvent::ProcessStarted(self.processes.details(id, pid.get())));
    }

    /// Returns the arguments of a process that runs a node. Its parameters are written to files in the log folder.
    fn arguments(&mut self, id: Id) -> io::Result<Vec<String>> {
        let record = &self.processes[id];
        let Some(node) = &record.process.node else { return Ok(Vec::new()) };
        let mut node = node.clone();
        let is_missing = |parameters: &Parameters| match parameters {
            Parameters::File(path) if !path.is_file() => Some(path.clone()),
            _ => None,
        };
        let missing: Vec<PathBuf> = node.names.parameters.iter().filter_map(is_missing).collect();
        node.names.parameters.retain(|parameters| is_missing(parameters).is_none());
        let (folder, name) = (self.processes.settings.folder.clone(), record.name.replace(['/', '\0'], "_"));
        for path in missing {
            // The text is ROS 2's.
            let text = format!("Parameter file path is not a file: {}", path.display());
            self.display.message(Level::Warning, &name, &text);
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
            self.display.message(Level::Warning, &name, &text);
        }
        self.processes[id].parameters = in_memory;
        arguments
    }

    /// Waits for the condition that makes a process ready. A process without a condition is ready now.
    fn wait_until_ready(&mut self, id: Id) {
        if let Err(error) = self.watch(id) {
            self.process_message(Level::Error, id, &format!("can't watch the process: {error}"));
            // Those after it must not wait for ever.
            self.process_ready(id);
        }
    }

    /// Watches the graph for the node of a process and for the condition that makes the process ready.
    fn watch(&mut self, id: Id) -> io::Result<()> {
        let process = self.processes[id].process.clone();
        let name = self.processes[id].node_name();
        let kind = process.node.as_ref().map(|node| &node.kind);
        if let Some(name) = &name {
            self.graph.watch_node(id, name.clone());
        }
        let mut is_watched = false;
        let is_restart = self.processes.supervisor.restarts(id) > 0;
        if let Some(ready) = &process.ready {
            is_watched = true;
            self.graph.watch(id, ready.condition.clone(), name.as_deref(), is_restart)?;
        }
        match (kind, &name) {
            (Some(NodeKind::Container(components)), Some(name)) if !components.is_empty() => {
                is_watched = true;
                self.graph.load(JobOwner::Start(id), name, components)?;
            }
            (Some(NodeKind::Lifecycle { autostart }), Some(name)) => {
                self.graph.watch_states(id, name, None)?;
                if *autostart {
                    is_watched = true;
                    self.graph.activate(JobOwner::Start(id), name)?;
                }
            }
            _ => {}
        }
        match name {
            _ if is_watched => {}
            Some(name) => self.graph.watch(id, ReadyCondition::Node(name), None, is_restart)?,
            None => self.process_ready(id),
        }
        Ok(())
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
