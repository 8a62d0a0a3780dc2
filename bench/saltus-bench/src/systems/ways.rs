//! The ways to run the nodes of a system.

use std::{
    collections::HashSet,
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

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

use super::setup::{CHECK, NODES_TIMEOUT, Running, Setup};
use crate::{error::RunError, interrupt, process::saltus_words};

/// The interval at which the graph is read while this process waits for connections. It reads from outside: as a member
/// of the graph, it would share the memory that is measured.
const POLL: Duration = Duration::from_millis(2);
/// The package of the components.
pub(super) const PACKAGE: &str = "saltus-bench-traffic";
/// The plugin name of nodes that do what a system says.
const TRAFFIC: &str = "bench::Traffic";
/// The plugin name of nodes that do nothing.
pub(super) const IDLE: &str = "bench::Idle";

/// A way to run the nodes of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Starts a system, and waits until all of its publishers and subscriptions are connected.
    pub(super) fn start(self, setup: &Setup<'_>) -> Result<Running, RunError> {
        let ends_with_input = matches!(self, Self::Manual | Self::ManualIsolated | Self::ManualProcesses);
        let mut running = Running::new(setup, ends_with_input);
        let result = match self {
            Self::Processes => setup.each(|node| running.spawn(setup.run(node))),
            Self::Standalone => setup.each(|node| running.spawn(setup.standalone(node))),
            Self::ManualProcesses => setup.each(|node| running.spawn(setup.compiled_in(&[node], "shared"))),
            Self::Manual => running.spawn(setup.compiled_in(&setup.nodes(), "shared")),
            Self::ManualIsolated => running.spawn(setup.compiled_in(&setup.nodes(), "isolated")),
            _ => running.spawn(setup.container(self)).and_then(|()| setup.load(&mut running)),
        };
        result
            .and_then(|()| setup.wait_until_connected(&mut running))
            .map_err(|error| running.explain(error))?;
        Ok(running)
    }
}

impl Setup<'_> {
    fn domain(&self) -> Result<DomainId, RunError> {
        let options = ContextOptions::default().domain(0).folder(self.shm);
        options.domain_id().map_err(|error| RunError::Failed("domain".into(), error.to_string()))
    }

    fn saltus(&self, words: &[&str]) -> Result<Command, RunError> {
        let [program, first] = saltus_words()?;
        let mut command = self.command(Path::new(&program), &[]);
        command.arg(first).args(words);
        Ok(command)
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

    fn compiled_in(&self, nodes: &[&str], isolation: &str) -> Result<Command, RunError> {
        let words =
            ["bench", "role", "traffic", self.plugin(), &nodes.join(","), isolation, self.wait, "--ros-args"];
        let mut command = self.command(self.program, &words);
        command.args(self.ros_args());
        Ok(command)
    }

    fn container(&self, way: Way) -> Result<Command, RunError> {
        let words = [&["container"], way.flags(), &["--ros-args", "-r", "__node:=c"]].concat();
        let mut command = self.saltus(&words)?;
        if way == Way::IsolatedOnOneCpu {
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
        let end = Instant::now() + NODES_TIMEOUT;
        while !client.wait_for_service(CHECK) {
            running.check(end)?;
        }
        for name in self.nodes() {
            let response = client.call(&self.request(name), NODES_TIMEOUT).map_err(|error| failed(&error))?;
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
        let (domain, end) = (self.domain()?, Instant::now() + NODES_TIMEOUT);
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
