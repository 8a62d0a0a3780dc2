//! The nodes of a system on rclcpp: the programs of `bench/peers/ros2` and the containers of ROS 2.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use bench_traffic::BUNDLED;

use super::setup::{CHECK, PATIENCE, Running, Setup};
use crate::{
    child::ChildProcess,
    error::RunError,
    ros2::{PACKAGE, Rmw, find},
};

/// A way to run the nodes of a system on rclcpp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RclcppWay {
    /// A program for each node, with the node compiled in.
    Processes,
    /// `component_container`.
    Container,
    /// `component_container_mt`.
    MultiThreaded,
    /// `component_container_isolated`.
    Isolated,
    /// One program with all nodes on one thread.
    Manual,
    /// The same, with messages that stay within the process.
    IntraProcess,
    /// The same, with the events executor.
    Events,
}

impl RclcppWay {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Container => "component_container",
            Self::MultiThreaded => "component_container_mt",
            Self::Isolated => "component_container_isolated",
            Self::Manual => "compiled in, one thread",
            Self::IntraProcess => "compiled in, one thread, intra-process",
            Self::Events => "compiled in, events executor, intra-process",
        }
    }
}

impl Setup<'_> {
    /// Starts the nodes, and waits until the graph is complete.
    pub(super) fn start_on_rclcpp(&self, rmw: Rmw, way: RclcppWay) -> Result<Running, RunError> {
        let mut running = Running::new(self, false);
        self.spawn_on_rclcpp(rmw, way, &mut running).map_err(|error| running.explain(error))?;
        Ok(running)
    }

    fn spawn_on_rclcpp(&self, rmw: Rmw, way: RclcppWay, running: &mut Running) -> Result<(), RunError> {
        let arguments = self.rclcpp_arguments()?;
        let all = self.nodes().join(",");
        let container =
            |program| self.rclcpp("rclcpp_components", program, rmw, &["--ros-args", "-r", "__node:=c"]);
        let nodes = |nodes: &str, executor, messages| {
            let mut command =
                self.rclcpp(PACKAGE, "nodes", rmw, &[self.rclcpp_plugin(), nodes, executor, messages])?;
            command.args(&arguments);
            Ok(command)
        };
        match way {
            RclcppWay::Processes => self.each(|node| running.spawn(nodes(node, "single", "inter")))?,
            RclcppWay::Container => running.spawn(container("component_container"))?,
            RclcppWay::MultiThreaded => running.spawn(container("component_container_mt"))?,
            RclcppWay::Isolated => running.spawn(container("component_container_isolated"))?,
            RclcppWay::Manual => running.spawn(nodes(&all, "single", "inter"))?,
            RclcppWay::IntraProcess => running.spawn(nodes(&all, "single", "intra"))?,
            RclcppWay::Events => running.spawn(nodes(&all, "events", "intra"))?,
        }
        let is_container =
            matches!(way, RclcppWay::Container | RclcppWay::MultiThreaded | RclcppWay::Isolated);
        let container = if is_container { "/c" } else { "" };
        let seconds = PATIENCE.as_secs().to_string();
        let mut assemble =
            self.rclcpp(PACKAGE, "assemble", rmw, &[container, self.rclcpp_plugin(), &all, &seconds])?;
        assemble.args(&arguments);
        wait_for(assemble, running)
    }

    fn rclcpp_plugin(&self) -> &'static str {
        if self.is_idle() { "saltus_bench::Idle" } else { "saltus_bench::Traffic" }
    }

    fn rclcpp(&self, package: &str, program: &str, rmw: Rmw, words: &[&str]) -> Result<Command, RunError> {
        let path = find(package, program, rmw).map_err(|error| RunError::Failed(program.into(), error))?;
        let mut command = self.command(&path, words);
        command.envs(rmw.environment(Path::new("bench/peers")));
        Ok(command)
    }

    /// Returns the parameters of the nodes as arguments.
    fn rclcpp_arguments(&self) -> Result<Vec<String>, RunError> {
        if self.is_idle() {
            return Ok(Vec::new());
        }
        let parameter = |name: &str, path: &Path| format!("{name}:={}", path.display());
        let (system, record) = (parameter("system", &self.system_file()?), parameter("record", self.files));
        Ok(["--ros-args", "-p", &system, "-p", &record].map(str::to_owned).to_vec())
    }

    /// Returns the file of the system. rclcpp's programs have no bundled systems.
    fn system_file(&self) -> Result<PathBuf, RunError> {
        let Some((_, text)) = BUNDLED.iter().find(|(name, _)| *name == self.name) else {
            return Ok(self.name.into());
        };
        let path = self.files.join("system.yaml");
        fs::write(&path, text).map_err(|error| RunError::Start(path.display().to_string(), error))?;
        Ok(path)
    }
}

/// Runs a program until it ends, while the system runs.
fn wait_for(mut command: Command, running: &mut Running) -> Result<(), RunError> {
    let end = Instant::now() + PATIENCE;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| RunError::Start("assemble".into(), error))?;
    let mut child = ChildProcess::new(child);
    let failed = |error| RunError::Failed("assemble".into(), error);
    while !child.has_ended_before(Instant::now() + CHECK).map_err(failed)? {
        running.check(end)?;
    }
    Ok(())
}
