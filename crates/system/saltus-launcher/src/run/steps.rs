//! Performs the steps of a plan, and calls the handlers of events.

use std::{rc::Rc, time::Duration};

use saltus_launch_file::{
    Trigger,
    plan::{Later, Load, Process, Step, StepKind, Target},
};
use serde_json::{Value as Json, json};

use super::{Launcher, Running};
use crate::{
    jobs::component_name,
    log_file::LogFile,
    screen::Level,
    supervisor::{Id, Rules, duration},
};

impl Launcher<'_> {
    /// Performs steps, in order.
    pub(super) fn steps(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step.kind {
                StepKind::Process(process) => self.add(*process),
                StepKind::Load(load) => self.load(&load),
                StepKind::Timer { seconds, is_ros, cancel_on_shutdown, later } => {
                    self.start_timer(duration(seconds), is_ros, cancel_on_shutdown, later);
                }
                StepKind::Log(text) => self.message(Level::Info, "launch.user", &text),
                StepKind::Shutdown(reason) => self.end(&format!("shutdown requested: {reason}"), &reason),
                StepKind::UseSimTime(value) => {
                    if let Err(error) = self.graph.use_sim_time(value) {
                        self.message(Level::Error, "launch", &format!("can't set use_sim_time: {error}"));
                    }
                }
                StepKind::Group(steps) | StepKind::Include { steps, .. } => self.steps(steps),
                StepKind::Handler(handler) => self.handlers.insert(0, Rc::new(*handler)),
                StepKind::RemoveHandler(id) => self.handlers.retain(|handler| handler.id != id),
                StepKind::EndProcess(target) => {
                    self.targets(&target).into_iter().for_each(|id| self.stop(id));
                }
                StepKind::Signal { target, signal } => self.signal(&target, signal),
                StepKind::Transitions { targets, transitions } => self.transitions(&targets, &transitions),
            }
        }
        self.perform();
    }

    fn start_timer(&mut self, time: Duration, is_ros: bool, is_canceled: bool, later: Later) {
        if self.is_ending && is_canceled {
            return;
        }
        if !is_ros {
            return self.timers.push((self.now() + time, is_canceled, later));
        }
        match self.graph.start_timer(time) {
            Ok(number) => drop(self.ros_timers.insert(number, (is_canceled, later))),
            Err(error) => self.message(Level::Error, "launch", &format!("can't start a timer: {error}")),
        }
    }

    /// Returns the processes that something is for.
    pub(super) fn targets(&self, target: &Target) -> Vec<Id> {
        let is_it = |running: &Running| {
            let process = &running.process;
            match target {
                Target::Action(object) => process.id == Some(*object),
                Target::Node(name) => {
                    process.node.as_ref().and_then(|node| node.names.full_name()).as_ref() == Some(name)
                }
                Target::Name(name) => running.name == *name,
                Target::Pid(pid) => {
                    running.child.as_ref().is_some_and(|child| child.pid.as_raw_nonzero().get() == *pid)
                }
                Target::Program(program) => {
                    process.command.first().is_some_and(|first| first.ends_with(program))
                }
                Target::Python(object) => {
                    process.id.is_some_and(|action| self.evaluator.chooses(*object, action))
                }
            }
        };
        (0..self.processes.len()).filter(|id| is_it(&self.processes[*id])).collect()
    }

    /// Returns the full names of the nodes that something is for, and their processes if they belong to this launch.
    fn nodes(&self, target: &Target) -> Vec<(Option<Id>, String)> {
        let mut own = self.targets(target);
        // Processes that have ended count only if there are no others: a handler may have started another one.
        if own.iter().any(|id| !self.supervisor.has_ended(*id)) {
            own.retain(|id| !self.supervisor.has_ended(*id));
        }
        match target {
            Target::Node(name) => vec![(own.first().copied(), name.clone())],
            _ => own.into_iter().filter_map(|id| Some((Some(id), self.node_name(id)?))).collect(),
        }
    }

    pub(super) fn signal(&mut self, target: &Target, signal: i32) {
        let Some(signal) = rustix::process::Signal::from_named_raw(signal) else {
            return self.message(Level::Error, "launch", &format!("there is no signal {signal}"));
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
                if let Err(error) = self.graph.change((None, owner), &node, transitions) {
                    self.message(
                        Level::Error,
                        "launch",
                        &format!("can't change the state of {node}: {error}"),
                    );
                }
            }
        }
    }

    /// Performs what happens now. An error ends the launch, as in ROS 2.
    pub(super) fn perform_later(&mut self, later: &Later, event: Option<Json>) {
        match self.evaluator.now(later, event) {
            Ok(steps) => self.steps(steps),
            Err(error) => {
                self.has_failed = true;
                self.message(Level::Error, "launch", &error.to_string());
                // A signal may have ended the action. Then it ends everything. An error is found again by the next read.
                let _ = self.read_signals();
                self.end("an action has failed", "an action has failed");
            }
        }
    }

    /// Calls the handlers of all events, one after the other. They come after all steps that were there before, so a handler
    /// may be registered after its process. Returns whether there were events.
    pub(super) fn handle_events(&mut self) -> bool {
        let are_there = !self.events.is_empty();
        while let Some((kind, id, event)) = self.events.pop_front() {
            self.handle(kind, id, &event);
        }
        are_there
    }

    /// Calls the handlers of an event, the newest first.
    fn handle(&mut self, kind: &str, id: Option<Id>, event: &Json) {
        for handler in self.handlers.clone() {
            let is_for = match (&handler.target, id) {
                (None, _) => true,
                (Some(target), Some(id)) => self.targets(target).contains(&id),
                (Some(_), None) => false,
            };
            if !is_for || !is_trigger(&handler.trigger, kind, event) {
                continue;
            }
            if handler.once {
                self.handlers.retain(|other| other.id != handler.id);
            }
            self.perform_later(&handler.later, Some(event.clone()));
        }
    }

    /// Returns what an event says of a process.
    pub(super) fn process_event(&self, kind: &str, id: Id, pid: i32) -> Json {
        let running = &self.processes[id];
        json!({
            "kind": kind,
            "action": running.process.id,
            "name": running.name,
            "cmd": running.process.command,
            "cwd": running.process.cwd,
            "env": null,
            "pid": pid,
            "node": self.node_name(id),
        })
    }

    pub(super) fn node_name(&self, id: Id) -> Option<String> {
        self.processes[id].process.node.as_ref().and_then(|node| node.names.full_name())
    }

    pub(super) fn add(&mut self, process: Process) {
        if self.is_ending {
            let text = "the process is not started, because everything ends";
            return self.message(Level::Warning, &process.label, text);
        }
        let id = self.processes.len();
        let name = format!("{}-{}", process.label, id + 1);
        let node = process.node.as_ref().and_then(|node| node.names.full_name());
        if let Some(node) =
            node.filter(|node| (0..id).any(|other| self.node_name(other).as_ref() == Some(node)))
        {
            self.message(
                Level::Warning,
                &name,
                &format!("another process of this launch has the node {node}, too"),
            );
        }
        let log = LogFile::open(&self.folder, &name);
        if let Err(error) = &log {
            self.message(Level::Error, &name, &format!("can't open a log file: {error}"));
        }
        let rules = rules(&process);
        self.processes.push(Running {
            process: Rc::new(process),
            name,
            child: None,
            log: log.ok(),
            last_line: String::new(),
            parameters: Vec::new(),
        });
        let instructions = self.supervisor.add(id, rules, self.now());
        self.instructions.extend(instructions);
        self.perform();
    }

    pub(super) fn load(&mut self, load: &Load) {
        if self.is_ending {
            return self.message(
                Level::Warning,
                "launch",
                "components are not loaded, because everything ends",
            );
        }
        for (owner, container) in self.nodes(&load.target) {
            if let Some(id) = owner.filter(|id| self.supervisor.has_ended(*id)) {
                self.lose(id, load.components.iter().map(component_name).collect());
                continue;
            }
            if let Err(error) = self.graph.load((None, owner), &container, &load.components) {
                self.message(Level::Error, "launch", &format!("can't load into {container}: {error}"));
            }
        }
    }
}

/// Whether a handler waits for an event.
fn is_trigger(trigger: &Trigger, kind: &str, event: &Json) -> bool {
    let fits =
        |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| event[name] == **wanted);
    match trigger {
        Trigger::Any => true,
        Trigger::ProcessStarted => kind == "process_started",
        Trigger::ProcessExited => kind == "process_exited",
        Trigger::ProcessOutput => kind == "process_output",
        Trigger::Completed => kind == "process_exited",
        Trigger::Shutdown => kind == "shutdown",
        Trigger::StateChanged { transition, start, goal } => {
            let fits_all =
                fits(transition, "transition") && fits(start, "start_state") && fits(goal, "goal_state");
            kind == "state_changed" && fits_all
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
