//! Performs the steps of a plan.

use std::{rc::Rc, time::Duration};

use saltus_launch_file::plan::{Load, Process, Step, StepKind, Target};

use super::{Launcher, cause::EndCause, processes::ProcessRecord, timers::Timer};
use crate::{
    jobs::{JobOwner, component_name},
    log_file::LogFile,
    screen::Level,
    supervisor::{Id, Rules, duration},
};

impl Launcher<'_> {
    /// Performs steps, in order.
    pub(super) fn perform_steps(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step.kind {
                StepKind::Process(process) => self.add(*process),
                StepKind::Load(load) => self.load(&load),
                StepKind::Timer { id, seconds, is_ros, cancel_on_shutdown, actions } => {
                    let timer = Timer { id, actions, is_canceled_at_end: cancel_on_shutdown };
                    self.start_timer(duration(seconds), is_ros, timer);
                }
                StepKind::CancelTimer(id) => self.timers.cancel(id),
                StepKind::Log(text) => self.display.message(Level::Info, "launch.user", &text),
                StepKind::Shutdown(reason) => self.end(EndCause::LaunchFile(reason)),
                StepKind::UseSimTime(value) => {
                    if let Err(error) = self.graph.use_sim_time(value) {
                        self.display.message(
                            Level::Error,
                            "launch",
                            &format!("can't set use_sim_time: {error}"),
                        );
                    }
                }
                StepKind::Group(steps) | StepKind::Include { steps, .. } => self.perform_steps(steps),
                StepKind::Handler(handler) => self.handlers.register(*handler),
                StepKind::RemoveHandler(id) => self.handlers.remove(id),
                StepKind::EndProcess(target) => {
                    self.targets(&target).into_iter().for_each(|id| self.stop(id));
                }
                StepKind::Signal { target, signal } => self.signal(&target, signal),
                StepKind::Transitions { targets, transitions } => self.transitions(&targets, &transitions),
            }
        }
        self.carry_out_instructions();
    }

    fn start_timer(&mut self, time: Duration, is_ros: bool, timer: Timer) {
        if self.timers.is_canceled(&timer) || self.lifetime.is_ending() && timer.is_canceled_at_end {
            return;
        }
        if !is_ros {
            return self.timers.add(self.lifetime.now() + time, timer);
        }
        match self.graph.start_timer(time) {
            Ok(number) => self.timers.add_ros(number, timer),
            Err(error) => {
                self.display.message(Level::Error, "launch", &format!("can't start a timer: {error}"));
            }
        }
    }

    /// Returns the processes of a target.
    pub(super) fn targets(&self, target: &Target) -> Vec<Id> {
        let is_target = |record: &ProcessRecord| {
            let process = &record.process;
            match target {
                Target::Action(object) => process.id == Some(*object),
                Target::Node(name) => record.node_name().as_ref() == Some(name),
                Target::Name(name) => record.name == *name,
                Target::Pid(pid) => record.pid() == Some(*pid),
                Target::Program(program) => {
                    process.command.first().is_some_and(|first| first.ends_with(program))
                }
                Target::Python(object) => {
                    process.id.is_some_and(|action| self.evaluator.chooses(*object, action))
                }
            }
        };
        self.processes.iter().filter(|(_, record)| is_target(record)).map(|(id, _)| id).collect()
    }

    /// Returns the full names of the nodes of a target, each with its process if it belongs to this launch.
    fn nodes(&self, target: &Target) -> Vec<(Option<Id>, String)> {
        let mut own = self.targets(target);
        // Processes that have ended count only if there are no others: a handler may have started another one.
        if own.iter().any(|id| !self.processes.supervisor.has_ended(*id)) {
            own.retain(|id| !self.processes.supervisor.has_ended(*id));
        }
        match target {
            Target::Node(name) => vec![(own.first().copied(), name.clone())],
            _ => own.into_iter().filter_map(|id| Some((Some(id), self.processes[id].node_name()?))).collect(),
        }
    }

    pub(super) fn signal(&mut self, target: &Target, signal: i32) {
        let Some(signal) = rustix::process::Signal::from_named_raw(signal) else {
            return self.display.message(Level::Error, "launch", &format!("there is no signal {signal}"));
        };
        for id in self.targets(target) {
            if let Some(child) = &self.processes[id].child {
                child.signal(signal);
            }
        }
    }

    /// Changes the states of lifecycle nodes.
    pub(super) fn transitions(&mut self, targets: &[Target], transitions: &[u8]) {
        for target in targets {
            for (owner, node) in self.nodes(target) {
                if let Err(error) = self.graph.change(JobOwner::of(owner), &node, transitions) {
                    self.display.message(
                        Level::Error,
                        "launch",
                        &format!("can't change the state of {node}: {error}"),
                    );
                }
            }
        }
    }

    pub(super) fn add(&mut self, process: Process) {
        if self.lifetime.is_ending() {
            let text = "the process is not started, because everything ends";
            return self.display.message(Level::Warning, &process.label, text);
        }
        let id = self.processes.len();
        let name = format!("{}-{}", process.label, id + 1);
        let node = process.node.as_ref().and_then(|node| node.names.full_name());
        let has_node =
            |node: &String| self.processes.iter().any(|(_, other)| other.node_name().as_ref() == Some(node));
        if let Some(node) = node.filter(has_node) {
            let text = format!("another process of this launch has the node {node}, too");
            self.display.message(Level::Warning, &name, &text);
        }
        let log = LogFile::open(&self.processes.settings.folder, &name);
        if let Err(error) = &log {
            self.display.message(Level::Error, &name, &format!("can't open a log file: {error}"));
        }
        let rules = rules(&process);
        self.processes.push(ProcessRecord {
            process: Rc::new(process),
            name,
            child: None,
            log: log.ok(),
            last_line: String::new(),
            parameters: Vec::new(),
        });
        self.supervise(|supervisor, now| supervisor.add(id, rules, now));
        self.carry_out_instructions();
    }

    pub(super) fn load(&mut self, load: &Load) {
        if self.lifetime.is_ending() {
            return self.display.message(
                Level::Warning,
                "launch",
                "components are not loaded, because everything ends",
            );
        }
        for (owner, container) in self.nodes(&load.target) {
            if let Some(id) = owner.filter(|id| self.processes.supervisor.has_ended(*id)) {
                self.report_lost_components(id, load.components.iter().map(component_name).collect());
                continue;
            }
            if let Err(error) = self.graph.load(JobOwner::of(owner), &container, &load.components) {
                self.display.message(
                    Level::Error,
                    "launch",
                    &format!("can't load into {container}: {error}"),
                );
            }
        }
    }
}

fn rules(process: &Process) -> Rules {
    Rules {
        restart: process.restart,
        required: process.required,
        names: process.names(),
        after: process.after.clone(),
        ready_timeout: process.ready.as_ref().map(|ready| duration(ready.timeout)),
        sigterm_timeout: duration(process.sigterm_timeout),
        sigkill_timeout: duration(process.sigkill_timeout),
    }
}
