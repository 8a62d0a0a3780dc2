//! A plan as a tree, as `--dry-run` prints it.

use std::{collections::BTreeMap, fmt, path::Path};

use saltus_msgs::lifecycle_msgs::msg::Transition;

use crate::{
    action::Trigger,
    arguments::parameter_text,
    origin::Origin,
    plan::{
        Component, Deferred, Names, NodeKind, Output, Parameters, Plan, Process, Ready, ReadyCondition,
        Restart, RestartPolicy, Step, StepKind, Target,
    },
    text::Object,
};

/// An entry of a tree: a step of a plan, its details, and the entries within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The kind of the step.
    pub(crate) kind: EntryKind,
    /// The title, such as `process talker`.
    pub(crate) title: String,
    /// The line of the launch file.
    pub(crate) origin: Origin,
    /// Names and values, such as the parameters of a node.
    pub(crate) details: Vec<(&'static str, String)>,
    /// The entries within it, in order.
    pub(crate) children: Vec<Entry>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A process or a node.
    Process,
    /// A container of components.
    Container,
    /// A component.
    Component,
    /// Another step.
    Step,
}

/// Returns a plan as a tree.
pub fn entries(plan: &Plan) -> Vec<Entry> {
    let mut labels = Labels::default();
    labels.collect(&plan.steps);
    labels.steps(&plan.steps)
}

/// Prints a tree of a launch file.
pub struct Tree<'a> {
    /// The launch file.
    pub file: &'a Path,
    /// Its steps.
    pub entries: &'a [Entry],
}

impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.file.display())?;
        print(f, self.entries, "")
    }
}

fn print(f: &mut fmt::Formatter<'_>, entries: &[Entry], indent: &str) -> fmt::Result {
    for (index, entry) in entries.iter().enumerate() {
        let (branch, rest) =
            if index + 1 == entries.len() { ("└── ", "    ") } else { ("├── ", "│   ") };
        let file = entry.origin.file.file_name().unwrap_or_default().display().to_string();
        writeln!(f, "{indent}{branch}{}  ({file}:{})", entry.title, entry.origin.line)?;
        let inner = format!("{indent}{rest}");
        let line = if entry.children.is_empty() { "    " } else { "│   " };
        for (name, value) in &entry.details {
            writeln!(f, "{inner}{line}{name}: {value}")?;
        }
        print(f, &entry.children, &inner)?;
    }
    Ok(())
}

/// The labels of processes, by the objects of their actions in Python.
#[derive(Default)]
struct Labels<'a>(BTreeMap<Object, &'a str>);

impl<'a> Labels<'a> {
    fn collect(&mut self, steps: &'a [Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Process(process) => self.0.extend(process.id.map(|id| (id, &*process.label))),
                StepKind::Group(steps) | StepKind::Include { steps, .. } => self.collect(steps),
                StepKind::Timer { actions: Deferred::Steps(steps), .. } => self.collect(steps),
                StepKind::Handler(handler) => {
                    if let Deferred::Steps(steps) = &handler.actions {
                        self.collect(steps);
                    }
                }
                _ => {}
            }
        }
    }

    fn steps(&self, steps: &[Step]) -> Vec<Entry> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&self, step: &Step) -> Entry {
        let (title, details, children) = match &step.kind {
            StepKind::Process(process) => return process_entry(process, &step.origin),
            StepKind::Load(load) => {
                (format!("load into {}", self.target(&load.target)), Vec::new(), components(&load.components))
            }
            StepKind::CancelTimer(_) => ("a timer is canceled".into(), Vec::new(), Vec::new()),
            StepKind::Timer { seconds, is_ros, actions, .. } => {
                let clock = if *is_ros { " of the ROS clock" } else { "" };
                (format!("after {seconds} s{clock}"), deferred_details(actions), self.deferred(actions))
            }
            StepKind::Handler(handler) => {
                let target = handler.target.as_ref();
                let of = target.map(|target| format!(" of {}", self.target(target))).unwrap_or_default();
                let actions = &handler.actions;
                (
                    format!("{}{of}", trigger(&handler.trigger)),
                    deferred_details(actions),
                    self.deferred(actions),
                )
            }
            StepKind::RemoveHandler(_) => ("a handler is removed".into(), Vec::new(), Vec::new()),
            StepKind::EndProcess(target) => (format!("end {}", self.target(target)), Vec::new(), Vec::new()),
            StepKind::Signal { target, signal } => {
                (format!("signal {signal} to {}", self.target(target)), Vec::new(), Vec::new())
            }
            StepKind::Transitions { targets, transitions } => {
                let targets = targets.iter().map(|target| self.target(target)).collect::<Vec<_>>().join(", ");
                let names = transitions.iter().map(|id| transition_name(*id)).collect::<Vec<_>>().join(", ");
                (format!("{names} {targets}"), Vec::new(), Vec::new())
            }
            StepKind::Log(message) => (format!("log {message:?}"), Vec::new(), Vec::new()),
            StepKind::Shutdown(reason) => (format!("shutdown: {reason}"), Vec::new(), Vec::new()),
            StepKind::UseSimTime(value) => {
                (format!("use_sim_time of the timers: {value}"), Vec::new(), Vec::new())
            }
            StepKind::Group(inner) => ("group".into(), Vec::new(), self.steps(inner)),
            StepKind::Include { file, steps: inner } => {
                (format!("include {}", file.display()), Vec::new(), self.steps(inner))
            }
        };
        Entry { kind: EntryKind::Step, title, origin: step.origin.clone(), details, children }
    }

    /// Returns the steps that are performed later, if they are known.
    fn deferred(&self, actions: &Deferred) -> Vec<Entry> {
        match actions {
            Deferred::Steps(known) => self.steps(known),
            Deferred::Reaction { .. } => Vec::new(),
        }
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Action(object) => match self.0.get(object) {
                Some(label) => format!("process {label}"),
                None => "an action that is not in the plan".into(),
            },
            Target::Node(name) | Target::Name(name) => name.clone(),
            Target::Pid(pid) => format!("process {pid}"),
            Target::Program(program) => format!("processes of {program}"),
            Target::Python(_) => "the processes that a function chooses".into(),
        }
    }
}

fn deferred_details(actions: &Deferred) -> Vec<(&'static str, String)> {
    match actions {
        Deferred::Steps(_) => Vec::new(),
        Deferred::Reaction { .. } => vec![("actions", "known only when it happens".into())],
    }
}

/// Returns the name of a transition of a lifecycle node.
pub fn transition_name(id: u8) -> String {
    let name = match id {
        Transition::TRANSITION_CONFIGURE => "configure",
        Transition::TRANSITION_CLEANUP => "cleanup",
        Transition::TRANSITION_ACTIVATE => "activate",
        Transition::TRANSITION_DEACTIVATE => "deactivate",
        Transition::TRANSITION_CREATE => "create",
        Transition::TRANSITION_DESTROY => "destroy",
        Transition::TRANSITION_UNCONFIGURED_SHUTDOWN
        | Transition::TRANSITION_INACTIVE_SHUTDOWN
        | Transition::TRANSITION_ACTIVE_SHUTDOWN => "shutdown",
        other => return format!("transition {other}"),
    };
    name.into()
}

fn trigger(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Any => "for any event".into(),
        Trigger::ProcessStarted => "at the start".into(),
        Trigger::ProcessExited => "at the end".into(),
        Trigger::ProcessOutput => "for the output".into(),
        Trigger::Completed => "after the action".into(),
        Trigger::Shutdown => "at the shutdown".into(),
        Trigger::WorkAdded => "for the work of the program".into(),
        Trigger::StateChanged { goal, .. } => format!("in state {}", goal.as_deref().unwrap_or("any")),
    }
}

fn process_entry(process: &Process, origin: &Origin) -> Entry {
    let mut details = vec![("command", command(process))];
    let mut children = Vec::new();
    let (mut kind, mut word) = (EntryKind::Process, "process");
    if let Some(node) = &process.node {
        (kind, word, children) = match &node.kind {
            NodeKind::Plain => (EntryKind::Process, "node", Vec::new()),
            NodeKind::Lifecycle { .. } => (EntryKind::Process, "lifecycle node", Vec::new()),
            NodeKind::Container(loaded) => (EntryKind::Container, "container", components(loaded)),
        };
        if node.kind == (NodeKind::Lifecycle { autostart: true }) {
            details.push(("autostart", "true".into()));
        }
        if !node.ros_args.is_empty() {
            details.push(("ros arguments", node.ros_args.join(" ")));
        }
        details.extend(names(&node.names));
    }
    details.extend(process_details(process));
    Entry { kind, title: format!("{word} {}", process.label), origin: origin.clone(), details, children }
}

/// Returns a command with the quotes that a shell needs.
fn command(process: &Process) -> String {
    let words = process.command.iter().map(String::as_str);
    let plain = || process.command.join(" ");
    if process.shell { plain() } else { shlex::try_join(words).unwrap_or_else(|_| plain()) }
}

fn process_details(process: &Process) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    let mut add = |name, value: String| details.push((name, value));
    if let Some(cwd) = &process.cwd {
        add("folder", cwd.display().to_string());
    }
    for (name, value) in &process.environment {
        match value {
            Some(value) => add("environment", format!("{name}={value}")),
            None => add("environment", format!("{name} is removed")),
        }
    }
    if process.shell {
        add("shell", "true".into());
    }
    if process.emulate_tty {
        add("terminal", "true".into());
    }
    if process.output != Output::default() {
        add("output", output(process.output).into());
    }
    if process.required {
        add("at the end", "shutdown".into());
    }
    if process.restart.policy != RestartPolicy::Never {
        add("restart", restart(&process.restart));
    }
    if let Some(condition) = &process.ready {
        add("ready", ready(condition));
    }
    if !process.after.is_empty() {
        add("after", process.after.join(", "));
    }
    details
}

fn names(names: &Names) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    match (names.full_name(), &names.namespace) {
        (Some(name), _) => details.push(("name", name)),
        (None, Some(namespace)) => details.push(("namespace", namespace.clone())),
        (None, None) => {}
    }
    for parameters in &names.parameters {
        match parameters {
            Parameters::File(path) | Parameters::Text { path, .. } => {
                details.push(("parameters", path.display().to_string()));
            }
            Parameters::Values(values) => details.extend(values.iter().map(parameter)),
            Parameters::Global(value) => details.push(parameter(value)),
        }
    }
    details.extend(names.remaps.iter().map(|(from, to)| ("remapping", format!("{from} -> {to}"))));
    details
}

fn components(components: &[Component]) -> Vec<Entry> {
    let entry = |component: &Component| {
        let mut details = names(&component.names);
        let argument =
            |(name, value): &(String, _)| ("argument", format!("{name}: {}", parameter_text(value)));
        details.extend(component.extra_arguments.iter().map(argument));
        if component.autostart {
            details.push(("autostart", "true".into()));
        }
        Entry {
            kind: EntryKind::Component,
            title: format!("component {} {}", component.package, component.plugin),
            origin: component.origin.clone(),
            details,
            children: Vec::new(),
        }
    };
    components.iter().map(entry).collect()
}

fn output(output: Output) -> &'static str {
    match output {
        Output::Screen => "screen",
        Output::Log => "log",
        Output::Both => "both",
        Output::OwnLog => "own_log",
        Output::Full => "full",
    }
}

fn restart(restart: &Restart) -> String {
    let when = match restart.policy {
        RestartPolicy::Never => "never",
        RestartPolicy::OnFailure => "on failure",
        RestartPolicy::Always => "always",
    };
    let Restart { delay, max_delay, max, .. } = restart;
    let wait = if max_delay > delay { format!("{delay} s to {max_delay} s") } else { format!("{delay} s") };
    let limit = max.map(|max| format!(", at most {max} times")).unwrap_or_default();
    format!("{when}, after {wait}{limit}")
}

fn ready(ready: &Ready) -> String {
    let condition = match &ready.condition {
        ReadyCondition::Node(name) => format!("node {name}"),
        ReadyCondition::Topic(name) => format!("topic {name}"),
        ReadyCondition::Service(name) => format!("service {name}"),
        ReadyCondition::State(name) => format!("state {name}"),
    };
    format!("{condition} within {} s", ready.timeout)
}

/// Returns the line of a parameter.
fn parameter((name, value): &(String, saltus_types::ParameterValue)) -> (&'static str, String) {
    ("parameter", format!("{name}: {}", parameter_text(value)))
}
