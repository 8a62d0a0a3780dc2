//! The nodes of a system on rclcpp: the programs of `bench/peers/ros2` and the containers of rclcpp_components.

use std::{
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::Pid;
use saltus_bench_traffic::BUNDLED;

use super::{
    middleware::Middleware,
    setup::{CHECK, NODES_TIMEOUT, Running, Setup},
};
use crate::{child::ChildProcess, error::RunError, interrupt, ros2::PACKAGE};

/// The time by which `assemble` gives up before this process, because it knows more about the reason.
const MARGIN: Duration = Duration::from_secs(5);

/// A way to run the nodes of a system on rclcpp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RclcppWay {
    /// A program for each node, with the node compiled in.
    Processes,
    /// `component_container`.
    Container,
    /// The same, with messages that stay within the container.
    ContainerIntraProcess,
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
    /// One program with a thread for each node.
    ManualIsolated,
}

impl RclcppWay {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Container => "component_container",
            Self::ContainerIntraProcess => "component_container, intra-process",
            Self::MultiThreaded => "component_container_mt",
            Self::Isolated => "component_container_isolated",
            Self::Manual => "compiled in, one thread",
            Self::IntraProcess => "compiled in, one thread, intra-process",
            Self::Events => "compiled in, events executor, intra-process",
            Self::ManualIsolated => "compiled in, a thread each",
        }
    }
}

impl Setup<'_> {
    /// Starts the nodes, and waits until the graph is complete.
    pub(super) fn start_on_rclcpp(
        &self,
        middleware: Middleware,
        way: RclcppWay,
    ) -> Result<Running, RunError> {
        let mut running = Running::new(self, false);
        self.spawn_on_rclcpp(middleware, way, &mut running).map_err(|error| running.explain(error))?;
        Ok(running)
    }

    fn spawn_on_rclcpp(
        &self,
        middleware: Middleware,
        way: RclcppWay,
        running: &mut Running,
    ) -> Result<(), RunError> {
        let all = self.nodes().join(",");
        let container =
            |program| self.rclcpp("rclcpp_components", program, middleware, &[], &["-r", "__node:=c"]);
        let parameters = self.rclcpp_parameters()?;
        let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let nodes = |nodes: &str, executor, messages| {
            self.rclcpp(
                PACKAGE,
                "nodes",
                middleware,
                &[self.rclcpp_plugin(), nodes, executor, messages],
                &parameters,
            )
        };
        match way {
            RclcppWay::Processes => self.each(|node| running.spawn(nodes(node, "single", "inter")))?,
            RclcppWay::Container | RclcppWay::ContainerIntraProcess => {
                running.spawn(container("component_container"))?;
            }
            RclcppWay::MultiThreaded => running.spawn(container("component_container_mt"))?,
            RclcppWay::Isolated => running.spawn(container("component_container_isolated"))?,
            RclcppWay::Manual => running.spawn(nodes(&all, "single", "inter"))?,
            RclcppWay::IntraProcess => running.spawn(nodes(&all, "single", "intra"))?,
            RclcppWay::Events => running.spawn(nodes(&all, "events", "intra"))?,
            RclcppWay::ManualIsolated => running.spawn(nodes(&all, "isolated", "inter"))?,
        }
        let container = match way {
            RclcppWay::Container
            | RclcppWay::ContainerIntraProcess
            | RclcppWay::MultiThreaded
            | RclcppWay::Isolated => "/c",
            _ => "",
        };
        let messages = if way == RclcppWay::ContainerIntraProcess { "intra" } else { "inter" };
        let seconds = (NODES_TIMEOUT - MARGIN).as_secs().to_string();
        let words = [container, self.rclcpp_plugin(), &all, messages, &seconds];
        wait_for(self.rclcpp(PACKAGE, "assemble", middleware, &words, &parameters)?, running)
    }

    fn rclcpp_plugin(&self) -> &'static str {
        if self.is_idle() { "saltus_bench::Idle" } else { "saltus_bench::Traffic" }
    }

    /// Returns the command of a program, with words and with arguments of ROS 2.
    fn rclcpp(
        &self,
        package: &str,
        program: &str,
        middleware: Middleware,
        words: &[&str],
        arguments: &[&str],
    ) -> Result<Command, RunError> {
        let failed = |error| RunError::Failed(program.into(), error);
        let path = middleware.find(package, program).map_err(failed)?;
        // What is logged at the start would hide an error.
        let words = [words, &["--ros-args", "--log-level", "warn"], arguments].concat();
        let mut command = self.command(&path, &words);
        command.envs(middleware.environment().map_err(failed)?);
        // Other programs on this machine and in its network are probably in another domain.
        command.env("ROS_DOMAIN_ID", (1 + std::process::id() % 100).to_string());
        Ok(command)
    }

    /// Returns the parameters of the nodes as arguments.
    fn rclcpp_parameters(&self) -> Result<Vec<String>, RunError> {
        if self.is_idle() {
            return Ok(Vec::new());
        }
        let parameter = |name: &str, path: &Path| format!("{name}:={}", path.display());
        let (system, record) = (parameter("system", &self.system_file()?), parameter("record", self.files));
        Ok(["-p", &system, "-p", &record].map(str::to_owned).to_vec())
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
    let end = Instant::now() + NODES_TIMEOUT;
    // In a process group of its own, so that Ctrl-C ends this wait, and not the program.
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| RunError::Start("assemble".into(), error))?;
    let group = Pid::from_child(&child);
    interrupt::begin_group(group);
    let mut child = ChildProcess::new(child);
    let mut wait = || {
        while !child
            .has_ended_before(Instant::now() + CHECK)
            .map_err(|e| RunError::Failed("assemble".into(), e))?
        {
            running.check(end)?;
        }
        Ok(())
    };
    let result = wait();
    drop(child);
    interrupt::end_group(group);
    result
}
