//! The ways to run the nodes of a system.

use std::{
    collections::HashSet,
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use bench_traffic::System;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use saltus::{
    advanced::Gid,
    cdr::Message,
    context::{ContextOptions, DomainId},
    graph::Report,
    msgs::{
        composition_interfaces::srv::{LoadNode, LoadNode_Request},
        saltus_bench_msgs::msg::Payload,
    },
    param::{Parameter, ParameterValue, parameter_message},
};

use crate::{child::wait_until_ended, error::RunError, interrupt};

/// How long the nodes may take to find each other, and to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the processes may take to end after an error. Then they are killed.
const GRACE: Duration = Duration::from_secs(5);
/// How often a wait checks whether Ctrl-C was pressed.
const CHECK: Duration = Duration::from_millis(100);
/// How often the graph is read from outside while it grows. This process is no member of the graph, because it would share
/// the memory that is measured.
const POLL: Duration = Duration::from_millis(2);
/// The package of the components.
const PACKAGE: &str = "bench-traffic";
/// The plugin name of nodes that do what a system says.
const TRAFFIC: &str = "bench::Traffic";
/// The plugin name of nodes that do nothing.
pub(super) const IDLE: &str = "bench::Idle";

/// A way to run the nodes of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// `saltus run`, once for each node.
    Processes,
    /// `saltus component standalone`, once for each node.
    Standalone,
    /// `saltus container`.
    Container,
    /// `saltus container --mt`.
    MultiThreaded,
    /// `saltus container --isolated`.
    Isolated,
    /// `saltus container --isolated`, with a file of placements that puts all threads on one CPU.
    IsolatedOnOneCpu,
    /// `saltus container --crash-isolated`.
    CrashIsolated,
    /// One program with all nodes on one thread.
    Manual,
    /// One program with a thread for each node.
    ManualIsolated,
    /// A program for each node, with the node compiled in.
    ManualProcesses,
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Standalone => "standalone",
            Self::Container => "container",
            Self::MultiThreaded => "container --mt",
            Self::Isolated => "container --isolated",
            Self::IsolatedOnOneCpu => "container --isolated, on one CPU",
            Self::CrashIsolated => "container --crash-isolated",
            Self::Manual => "compiled in, one thread",
            Self::ManualIsolated => "compiled in, a thread each",
            Self::ManualProcesses => "compiled in, a process each",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::MultiThreaded => &["--mt"],
            Self::Isolated | Self::IsolatedOnOneCpu => &["--isolated"],
            Self::CrashIsolated => &["--crash-isolated"],
            _ => &[],
        }
    }
}

/// How a system runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup<'a> {
    pub(super) way: Way,
    pub(super) wait: &'a str,
    pub(super) in_place: bool,
    /// The name of the system or the path of its file.
    pub(super) name: &'a str,
    pub(super) system: &'a System,
    /// The prefix in which the component is installed.
    pub(super) prefix: &'a Path,
    /// A copy of this program for nodes that are compiled in. Its memory is not shared with this process.
    pub(super) program: &'a Path,
    /// A folder for the graph.
    pub(super) shm: &'a Path,
    /// A folder for files.
    pub(super) files: &'a Path,
}

/// The processes of a running system. They end when this value is dropped.
pub(super) struct Running {
    roots: Vec<Child>,
    log: PathBuf,
    /// Whether the processes end with their standard input. Others end with the signal of Ctrl-C.
    ends_with_input: bool,
}

impl Setup<'_> {
    /// Starts the system, and waits until all of its publishers and subscriptions are connected.
    pub(super) fn start(&self) -> Result<Running, RunError> {
        let ends_with_input = matches!(self.way, Way::Manual | Way::ManualIsolated | Way::ManualProcesses);
        let mut running = Running { roots: Vec::new(), log: self.files.join("log"), ends_with_input };
        let result = match self.way {
            Way::Processes => self.each(|node| running.spawn(self.run(node))),
            Way::Standalone => self.each(|node| running.spawn(self.standalone(node))),
            Way::ManualProcesses => self.each(|node| running.spawn(self.compiled_in(&[node]))),
            Way::Manual | Way::ManualIsolated => running.spawn(self.compiled_in(&self.nodes())),
            _ => running.spawn(self.container()).and_then(|()| self.load(&mut running)),
        };
        result
            .and_then(|()| self.wait_until_connected(&mut running))
            .map_err(|error| running.explain(error))?;
        Ok(running)
    }

    fn nodes(&self) -> Vec<&str> {
        self.system.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    fn each(&self, start: impl FnMut(&str) -> Result<(), RunError>) -> Result<(), RunError> {
        self.nodes().into_iter().try_for_each(start)
    }

    fn domain(&self) -> Result<DomainId, RunError> {
        let options = ContextOptions::default().domain(0).folder(self.shm);
        options.domain_id().map_err(|error| RunError::Failed("domain".into(), error.to_string()))
    }

    fn saltus(&self, words: &[&str]) -> Result<Command, RunError> {
        let program = std::env::current_exe().map_err(|e| RunError::Start("saltus".into(), e))?;
        Ok(self.command(&program, words))
    }

    fn command(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).env("SALTUS_SHM_DIR", self.shm).env("ROS_DOMAIN_ID", "0");
        command.env("SALTUS_PREFIX_PATH", self.prefix).env_remove("SALTUS_PLACEMENT");
        command
    }

    /// Whether the nodes do nothing.
    fn is_idle(&self) -> bool {
        self.system.nodes.iter().all(|node| node.inputs().next().is_none() && node.outputs().next().is_none())
    }

    fn plugin(&self) -> &'static str {
        if self.is_idle() { IDLE } else { TRAFFIC }
    }

    /// Returns the parameters of the nodes.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        if self.is_idle() {
            return Vec::new();
        }
        let record = self.files.display().to_string();
        vec![("system", self.name.to_owned()), ("record", record), ("in_place", self.in_place.to_string())]
    }

    fn ros_args(&self) -> Vec<String> {
        let parameters = self.parameters().into_iter();
        parameters.flat_map(|(name, value)| ["-p".to_owned(), format!("{name}:={value}")]).collect()
    }

    fn run(&self, node: &str) -> Result<Command, RunError> {
        let name = format!("__node:={node}");
        let mut command = self.saltus(&["run", PACKAGE, self.plugin(), "--ros-args", "-r", &name])?;
        command.args(self.ros_args());
        Ok(command)
    }

    fn standalone(&self, node: &str) -> Result<Command, RunError> {
        let mut command = self.saltus(&["component", "standalone", PACKAGE, self.plugin(), "-n", node])?;
        command.args(self.ros_args());
        Ok(command)
    }

    fn compiled_in(&self, nodes: &[&str]) -> Result<Command, RunError> {
        let isolation = if self.way == Way::ManualIsolated { "isolated" } else { "shared" };
        let words =
            ["bench", "role", "traffic", self.plugin(), &nodes.join(","), isolation, self.wait, "--ros-args"];
        let mut command = self.command(self.program, &words);
        command.args(self.ros_args());
        Ok(command)
    }

    fn container(&self) -> Result<Command, RunError> {
        let words = [&["container"], self.way.flags(), &["--ros-args", "-r", "__node:=c"]].concat();
        let mut command = self.saltus(&words)?;
        if self.way == Way::IsolatedOnOneCpu {
            let placements = self.files.join("placements.yaml");
            let last = thread::available_parallelism().map_or(0, |cpus| cpus.get() - 1);
            fs::write(&placements, format!("'*': {{cpus: [{last}]}}\n"))
                .map_err(|error| RunError::Start(placements.display().to_string(), error))?;
            command.env("SALTUS_PLACEMENT", placements);
        }
        Ok(command)
    }

    /// Loads all nodes into the container.
    fn load(&self, running: &mut Running) -> Result<(), RunError> {
        let failed = |error: &dyn std::fmt::Display| RunError::Failed("container".into(), error.to_string());
        let options = ContextOptions::default().domain(0).folder(self.shm).handle_signals(false);
        let context = options.create().map_err(|error| failed(&error))?;
        let node = context.node("loader").create().map_err(|error| failed(&error))?;
        let client =
            node.client::<LoadNode>("/c/_container/load_node").create().map_err(|error| failed(&error))?;
        let end = Instant::now() + PATIENCE;
        while !client.wait_for_service(CHECK) {
            running.check(end)?;
        }
        for name in self.nodes() {
            let response = client.call(&self.request(name), PATIENCE).map_err(|error| failed(&error))?;
            if !response.success {
                return Err(failed(&response.error_message));
            }
            interrupt::check()?;
        }
        Ok(())
    }

    fn request(&self, node: &str) -> LoadNode_Request {
        let parameter = |(name, value): (&str, String)| {
            // As in `ros_args`: a word is a bool or a text.
            let value = match value.parse() {
                Ok(value) => ParameterValue::Bool(value),
                Err(_) => ParameterValue::String(value),
            };
            parameter_message(Parameter { name: name.into(), value })
        };
        LoadNode_Request {
            package_name: PACKAGE.into(),
            plugin_name: self.plugin().into(),
            node_name: node.into(),
            parameters: self.parameters().into_iter().map(parameter).collect(),
            ..Default::default()
        }
    }

    /// Returns how many publishers and subscriptions of the system are connected.
    fn connections(&self, report: &Report) -> usize {
        let endpoints = report.graph.endpoints.iter().filter(|end| end.type_name == Payload::TYPE_NAME);
        let gids: HashSet<Gid> = endpoints.map(|end| end.gid).collect();
        report.connections.iter().filter(|connection| gids.contains(&connection.subscription)).count()
    }

    fn wait_until_connected(&self, running: &mut Running) -> Result<(), RunError> {
        let (domain, end) = (self.domain()?, Instant::now() + PATIENCE);
        loop {
            let report =
                Report::observe(domain.clone()).map_err(|e| RunError::Start("the graph".into(), e))?;
            let is_there = |node: &&str| report.graph.nodes.iter().any(|other| other.name == **node);
            let is_complete = self.nodes().iter().all(is_there);
            if is_complete && self.connections(&report) >= self.system.connections() {
                return Ok(());
            }
            running.check(end)?;
            thread::sleep(POLL);
        }
    }
}

impl Running {
    fn spawn(&mut self, command: Result<Command, RunError>) -> Result<(), RunError> {
        let failed = |error| RunError::Start("saltus".into(), error);
        let log = File::options().create(true).append(true).open(&self.log).map_err(failed)?;
        let mut command = command?;
        // In process groups of their own, so that Ctrl-C does not reach them. This process ends them.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        let root = command.spawn().map_err(failed)?;
        interrupt::begin_group(Pid::from_child(&root));
        self.roots.push(root);
        Ok(())
    }

    /// Returns an error if a process has ended, if the time is over, or if Ctrl-C was pressed.
    fn check(&mut self, end: Instant) -> Result<(), RunError> {
        interrupt::check()?;
        for root in &mut self.roots {
            if let Ok(Some(status)) = root.try_wait() {
                return Err(RunError::Failed("a process of the system".into(), status.to_string()));
            }
        }
        if Instant::now() < end {
            return Ok(());
        }
        Err(RunError::Failed("the system".into(), format!("is not complete after {} s", PATIENCE.as_secs())))
    }

    /// Adds the last line of the log to an error.
    fn explain(&self, error: RunError) -> RunError {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        match (error, log.lines().last()) {
            (RunError::Failed(what, how), Some(line)) => RunError::Failed(what, format!("{how}: {line}")),
            (error, _) => error,
        }
    }

    pub(super) fn roots(&self) -> impl Iterator<Item = u32> {
        self.roots.iter().map(Child::id)
    }

    /// Ends all processes, so that the nodes write what they have received.
    pub(super) fn end(mut self) -> Result<(), RunError> {
        self.interrupt();
        let end = Instant::now() + PATIENCE;
        let failed = |how: &str| RunError::Failed("a process of the system".into(), how.into());
        let mut result = Ok(());
        for root in &mut self.roots {
            let status = loop {
                interrupt::check()?;
                match root.try_wait().map_err(|e| RunError::Start("saltus".into(), e))? {
                    Some(status) => break status,
                    None if Instant::now() > end => return Err(failed("does not end")),
                    None => wait_until_ended(root, Instant::now() + CHECK).map_err(|e| failed(&e))?,
                }
            };
            if !status.success() {
                result = Err(failed(&status.to_string()));
            }
        }
        result.map_err(|error| self.explain(error))
    }

    fn interrupt(&mut self) {
        for root in &mut self.roots {
            // Both at once would be a second Ctrl-C, which ends a program before it cleans up.
            if self.ends_with_input {
                drop(root.stdin.take());
            } else {
                let _ = kill_process(Pid::from_child(root), Signal::INT);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.interrupt();
        for root in &mut self.roots {
            // If the wait fails, the process is killed at once.
            let _ = wait_until_ended(root, Instant::now() + GRACE);
            // An error means that all processes of the group have ended.
            let _ = kill_process_group(Pid::from_child(root), Signal::KILL);
            interrupt::end_group(Pid::from_child(root));
            let _ = root.wait();
        }
    }
}
