//! The steps of a launch, after everything was evaluated.

use std::{collections::BTreeMap, path::PathBuf};

use saltus_types::ParameterValue;

use crate::{
    action::{Reaction, Trigger},
    origin::Origin,
    scope::Scope,
    text::Object,
};

/// The steps of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The line of the launch file from which it comes.
    pub origin: Origin,
    /// The kind of the step.
    pub kind: StepKind,
}

/// The kind of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// A process is started.
    Process(Box<Process>),
    /// Components are loaded into a container, in order.
    Load(Load),
    /// The timers of an action are canceled.
    CancelTimer(Object),
    /// Actions are performed later.
    Timer {
        /// The action, if the launch file is in Python.
        id: Option<Object>,
        /// The time after which they are performed, in seconds.
        seconds: f64,
        /// Whether the clock of the nodes counts.
        is_ros: bool,
        /// Whether they are not performed if everything ends before.
        cancel_on_shutdown: bool,
        /// The actions.
        actions: Deferred,
    },
    /// A handler of events is registered.
    Handler(Box<Handler>),
    /// A handler of events is removed.
    RemoveHandler(Object),
    /// Processes are ended.
    EndProcess(Target),
    /// Processes get a signal.
    Signal {
        /// The processes.
        target: Target,
        /// The number of the signal.
        signal: i32,
    },
    /// The states of lifecycle nodes are changed, one transition after the other.
    Transitions {
        /// The nodes.
        targets: Vec<Target>,
        /// The ids of the transitions.
        transitions: Vec<u8>,
    },
    /// A line is written to the log.
    Log(String),
    /// Everything ends, for this reason.
    Shutdown(String),
    /// Whether the timers of the launch use the clock of the topic `/clock`.
    UseSimTime(bool),
    /// The steps of a group.
    Group(Vec<Step>),
    /// The steps of an included file.
    Include {
        /// The file.
        file: PathBuf,
        /// The steps.
        steps: Vec<Step>,
    },
}

/// Actions that are performed later.
#[derive(Clone, Debug, PartialEq)]
pub enum Deferred {
    /// The steps are known already.
    Steps(Vec<Step>),
    /// The actions of a launch file in Python are evaluated when they are performed.
    Reaction {
        /// The actions, or the function that returns them.
        reaction: Reaction,
        /// The scope in which they are evaluated.
        scope: Box<Scope>,
    },
}

/// A handler of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The number of the handler in the launch file.
    pub id: Object,
    /// The events that it waits for.
    pub trigger: Trigger,
    /// The processes whose events it waits for; `None` for all processes.
    pub target: Option<Target>,
    /// Whether it is removed after the first time.
    pub once: bool,
    /// The actions that are performed.
    pub actions: Deferred,
}

/// The processes that a step is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The process of an action.
    Action(Object),
    /// The process of the node with this full name.
    Node(String),
    /// The process with this name in logs.
    Name(String),
    /// The process with this number.
    Pid(i32),
    /// Processes whose program ends with this text.
    Program(String),
    /// The processes of actions for which a function returns true.
    Python(Object),
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// The action, if the launch file is in Python.
    pub id: Option<Object>,
    /// Its name in logs, without the number that the launch adds.
    pub label: String,
    /// The command and its arguments, without those that come from `node`.
    pub command: Vec<String>,
    /// The number of words of the command that belong to a `launch-prefix`, such as `gdb -ex run --args`.
    pub prefix: usize,
    /// The node that it runs.
    pub node: Option<Node>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// Environment variables that differ from those of the launch; `None` if the variable does not exist.
    pub environment: BTreeMap<String, Option<String>>,
    /// Whether a shell runs the command.
    pub shell: bool,
    /// Whether the process gets a terminal.
    pub emulate_tty: bool,
    /// The destination of its output.
    pub output: Output,
    /// Whether everything ends when it has ended.
    pub required: bool,
    /// The rules for its restarts.
    pub restart: Restart,
    /// The time from the first signal to `SIGTERM`, in seconds.
    pub sigterm_timeout: f64,
    /// The time from `SIGTERM` to `SIGKILL`, in seconds.
    pub sigkill_timeout: f64,
    /// The condition that makes it ready; `None` if it has no condition of its own.
    pub ready: Option<Ready>,
    /// The labels of processes and the full names of nodes that must be ready before.
    pub after: Vec<String>,
}

impl Process {
    /// Returns the names by which others may wait for it: its label, and the full names of its nodes.
    pub fn names(&self) -> Vec<String> {
        let mut names = vec![self.label.clone()];
        if let Some(node) = &self.node {
            names.extend(node.names.full_name());
            if let NodeKind::Container(components) = &node.kind {
                names.extend(components.iter().filter_map(|component| component.names.full_name()));
            }
        }
        names
    }
}

/// A node that is a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The name, the parameters and the remapping rules.
    pub names: Names,
    /// Further arguments after `--ros-args`.
    pub ros_args: Vec<String>,
    /// The kind of node.
    pub kind: NodeKind,
}

/// The kind of a node that is a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NodeKind {
    /// A node.
    #[default]
    Plain,
    /// A lifecycle node.
    Lifecycle {
        /// Whether it is configured and activated as soon as it is there.
        autostart: bool,
    },
    /// A container, with the components that it loads.
    Container(Vec<Component>),
}

/// The name of a node, its parameters and its remapping rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// The name, if it is not that of the program.
    pub name: Option<String>,
    /// The absolute namespace, if one was given.
    pub namespace: Option<String>,
    /// The parameters, in order. The last value of a parameter counts.
    pub parameters: Vec<Parameters>,
    /// The remapping rules, in order. The first rule that fits counts.
    pub remaps: Vec<(String, String)>,
}

impl Names {
    /// Returns the full name of the node, if the name is known.
    pub fn full_name(&self) -> Option<String> {
        let namespace = self.namespace.as_deref().unwrap_or("/").trim_end_matches('/');
        self.name.as_ref().map(|name| format!("{namespace}/{name}"))
    }
}

/// Parameters of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameters {
    /// A file.
    File(PathBuf),
    /// The content of a file with substitutions.
    Text {
        /// The file.
        path: PathBuf,
        /// The content without substitutions.
        content: String,
    },
    /// Parameters of the launch file.
    Values(Vec<(String, ParameterValue)>),
    /// A parameter of the launch file for all nodes of the process.
    Global((String, ParameterValue)),
}

/// A component.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The line of the launch file.
    pub origin: Origin,
    /// The package.
    pub package: String,
    /// The plugin name.
    pub plugin: String,
    /// The name, the parameters and the remapping rules.
    pub names: Names,
    /// The extra arguments.
    pub extra_arguments: Vec<(String, ParameterValue)>,
    /// Whether it is a lifecycle node that is activated as soon as it is loaded.
    pub autostart: bool,
}

/// Components that are loaded into a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The container.
    pub target: Target,
    /// The components, in order.
    pub components: Vec<Component>,
}

/// The destination of the output of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The terminal.
    Screen,
    /// The log. The error output also goes to the terminal.
    #[default]
    Log,
    /// The terminal and the log.
    Both,
    /// Log files of the process.
    OwnLog,
    /// The terminal, the log, and log files of the process.
    Full,
}

/// The rules for the restarts of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Restart {
    /// The ends after which it is started again.
    pub policy: RestartPolicy,
    /// The delay before the first restart, in seconds.
    pub delay: f64,
    /// The longest delay before a restart, in seconds. Each delay is twice as long as the one before, up to this one.
    pub max_delay: f64,
    /// The number of restarts; `None` if it is not limited.
    pub max: Option<u32>,
}

/// The ends after which a process is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestartPolicy {
    /// None: the process is not started again.
    #[default]
    Never,
    /// Each end with an exit status other than 0.
    OnFailure,
    /// Each end.
    Always,
}

/// The condition that makes a process ready, and its time limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    /// The condition.
    pub condition: ReadyCondition,
    /// The time after which the user is told that the process is not ready, in seconds.
    pub timeout: f64,
}

/// The condition that makes a process ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadyCondition {
    /// A node with this full name is there.
    Node(String),
    /// A publisher of this topic is there.
    Topic(String),
    /// A server of this service is there.
    Service(String),
    /// The lifecycle node of the process is in this state.
    State(String),
}
