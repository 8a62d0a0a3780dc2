//! What a launch does, after everything was evaluated.

use std::{collections::BTreeMap, path::PathBuf};

use saltus_types::ParameterValue;

use crate::{
    action::{Reaction, Trigger},
    origin::Origin,
    scope::Scope,
    text::Object,
};

/// What a launch does, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The line of the launch file from which it comes.
    pub origin: Origin,
    /// What happens.
    pub kind: StepKind,
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// A process is started.
    Process(Box<Process>),
    /// Components are loaded into a container, in order.
    Load(Load),
    /// Steps happen later.
    Timer {
        /// The time in seconds.
        seconds: f64,
        /// Whether the clock of the nodes counts.
        is_ros: bool,
        /// Whether the steps do not happen if everything ends before.
        cancel_on_shutdown: bool,
        /// The steps.
        later: Later,
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
    /// Everything ends.
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

/// What happens later.
#[derive(Clone, Debug, PartialEq)]
pub enum Later {
    /// Steps that are known.
    Steps(Vec<Step>),
    /// What an action of a launch file in Python does, when it happens.
    Reaction {
        /// What is done.
        reaction: Reaction,
        /// What it sees.
        scope: Box<Scope>,
    },
}

/// A handler of events.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The handler.
    pub id: Object,
    /// What it waits for.
    pub trigger: Trigger,
    /// For which processes; `None` for all.
    pub target: Option<Target>,
    /// Whether it is removed after the first time.
    pub once: bool,
    /// What it does.
    pub later: Later,
}

/// For which processes something is.
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
    /// How many words of the command are those of a `launch-prefix`, such as `gdb -ex run --args`.
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
    /// Where its output goes.
    pub output: Output,
    /// Whether everything ends when it has ended.
    pub required: bool,
    /// When it is started again.
    pub restart: Restart,
    /// Seconds from the first signal to `SIGTERM`.
    pub sigterm_timeout: f64,
    /// Seconds from `SIGTERM` to `SIGKILL`.
    pub sigkill_timeout: f64,
    /// When it is ready.
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
    /// What it is called.
    pub names: Names,
    /// Further arguments after `--ros-args`.
    pub ros_args: Vec<String>,
    /// What kind of node it is.
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
    /// What the node is called.
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

/// Where the output of a process goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// To the terminal.
    Screen,
    /// To the log; what is written to the error output also goes to the terminal.
    #[default]
    Log,
    /// To both.
    Both,
    /// To log files of the process.
    OwnLog,
    /// To the terminal, to the log and to log files of the process.
    Full,
}

/// When a process is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Restart {
    /// In which cases.
    pub policy: RestartPolicy,
    /// Seconds before the first restart.
    pub delay: f64,
    /// The longest time in seconds before a restart. Each wait is twice as long as the one before, up to this time.
    pub max_delay: f64,
    /// The number of restarts; `None` if it is not limited.
    pub max: Option<u32>,
}

/// In which cases a process is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestartPolicy {
    /// Never.
    #[default]
    Never,
    /// If its exit status was not 0.
    OnFailure,
    /// Whenever it has ended.
    Always,
}

/// When a process is ready.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    /// What must be there.
    pub condition: ReadyCondition,
    /// Seconds after which the process counts as failed.
    pub timeout: f64,
}

/// What must be there before a process is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadyCondition {
    /// A node with this full name.
    Node(String),
    /// A publisher of this topic.
    Topic(String),
    /// A server of this service.
    Service(String),
    /// The lifecycle node of the process is in this state.
    State(String),
}
