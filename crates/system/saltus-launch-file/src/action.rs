//! The actions of a launch file, before they are evaluated.

use serde::Deserialize;

use crate::{
    origin::Origin,
    text::{Object, Text},
};

/// An action of a launch file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Action {
    /// The line of the launch file.
    pub(crate) origin: Origin,
    /// The action has no effect if the condition is false.
    #[serde(default)]
    pub(crate) condition: Option<Condition>,
    /// The kind of the action, with its attributes.
    pub(crate) kind: ActionKind,
}

/// The condition of an action.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Condition {
    /// The text must be `true` or `1`.
    If(Text),
    /// The text must be `false` or `0`.
    Unless(Text),
    /// This condition of a launch file in Python must hold.
    Python(Object),
}

/// The kind of an action.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionKind {
    /// Declares an argument.
    Arg(Argument),
    /// Sets a variable.
    Let(Pair),
    /// Removes a variable.
    Unset(Text),
    /// Removes all variables but these.
    Reset(Vec<Pair>),
    /// Sets an environment variable.
    SetEnv(Pair),
    /// Removes an environment variable.
    UnsetEnv(Text),
    /// Appends to an environment variable.
    AppendEnv(AppendEnv),
    /// Restores the environment that the launch began with.
    ResetEnv,
    /// Writes a line to the log.
    Log(Text),
    /// Ends everything.
    Shutdown(Text),
    /// Runs actions later.
    Timer(Timer),
    /// Cancels the timers of an action.
    CancelTimer(Object),
    /// Runs actions, in a scope of their own if it is scoped.
    Group(Group),
    /// Runs the actions of another file.
    Include(Include),
    /// Starts a process.
    Process(Box<ProcessAction>),
    /// Loads components into a container.
    Load(LoadAction),
    /// Adds to the namespace of all nodes that follow.
    PushNamespace(Text),
    /// Sets a parameter of all nodes that follow.
    SetParameter(Text, ParameterText),
    /// Gives a file of parameters to all nodes that follow.
    SetParametersFromFile(Text),
    /// Gives a remapping rule to all nodes that follow.
    SetRemap(Pair),
    /// Sets the folder of logs of all processes that follow.
    SetLogFolder(Text),
    /// Sets whether timers use the clock of the topic `/clock`.
    SetUseSimTime(Text),
    /// Saves a part of the scope until [`ActionKind::Pop`].
    Push(Stack),
    /// Restores the part of the scope that was saved last.
    Pop(Stack),
    /// Calls a function, which returns actions.
    Opaque(Object),
    /// Registers a handler of events.
    Handler(HandlerAction),
    /// Removes a handler of events.
    RemoveHandler(Object),
    /// Ends processes.
    EndProcess(Target),
    /// Sends a signal to processes.
    SignalProcess(SignalAction),
    /// Changes the state of a lifecycle node.
    ChangeState(ChangeStateAction),
    /// Changes the states of lifecycle nodes, one transition after the other.
    Transitions(TransitionsAction),
}

/// The part of the scope that [`ActionKind::Push`] saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stack {
    /// The variables.
    Variables,
    /// The environment.
    Environment,
}

/// The processes that an action is for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// The process of an action.
    Action(Object),
    /// The process of the node with this name.
    Node(Text),
    /// The process with this name in logs.
    Name(String),
    /// The process with this number.
    Pid(i32),
    /// Processes whose program ends with this text.
    Program(String),
    /// The processes of actions for which a function returns true.
    Python(Object),
}

/// See [`ActionKind::SignalProcess`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct SignalAction {
    /// The processes.
    pub(crate) target: Target,
    /// The number of the signal.
    pub(crate) signal: i32,
}

/// See [`ActionKind::ChangeState`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ChangeStateAction {
    /// The nodes.
    pub(crate) target: Target,
    /// The id of the transition.
    pub(crate) transition: u8,
}

/// See [`ActionKind::Transitions`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct TransitionsAction {
    /// The names of the nodes.
    pub(crate) nodes: Vec<Text>,
    /// The ids of the transitions, in order.
    pub(crate) transitions: Vec<u8>,
}

/// See [`ActionKind::Handler`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct HandlerAction {
    /// The handler itself.
    pub(crate) id: Object,
    /// The events that it waits for.
    pub(crate) trigger: Trigger,
    /// The processes whose events it waits for; `None` for all processes.
    pub(crate) target: Option<Target>,
    /// Whether it is removed after the first time.
    pub(crate) once: bool,
    /// The reaction to an event.
    pub(crate) reaction: Reaction,
}

/// The events that a handler waits for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// All events. The handler itself chooses among them.
    Any,
    /// A process was started.
    ProcessStarted,
    /// A process has ended.
    ProcessExited,
    /// A process has written something.
    ProcessOutput,
    /// A lifecycle node has another state.
    StateChanged {
        /// The label of the transition, or any.
        transition: Option<String>,
        /// The label of the state before it, or any.
        start: Option<String>,
        /// The label of the state after it, or any.
        goal: Option<String>,
    },
    /// An action has ended.
    Completed,
    /// Everything ends.
    Shutdown,
    /// The program that has started the launch has added work.
    WorkAdded,
}

/// The reaction of a handler to an event.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// These actions are performed.
    Actions(Vec<Action>),
    /// This function is called, and the actions that it returns are performed.
    Python(Object),
}

/// A name and a value, or the two sides of a remapping rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Pair {
    /// The name, or the name that is remapped.
    pub(crate) name: Text,
    /// The value, or the new name.
    pub(crate) value: Text,
}

/// An argument of a launch file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Argument {
    /// The name.
    pub(crate) name: String,
    /// The value if none is given. An argument without a default value is required.
    pub(crate) default: Option<Text>,
    /// The description for the user.
    pub(crate) description: Option<String>,
    /// The allowed values; empty if all are allowed.
    pub(crate) choices: Vec<String>,
}

/// See [`ActionKind::AppendEnv`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct AppendEnv {
    /// The variable, and the value that is added.
    pub(crate) pair: Pair,
    /// Whether the value becomes the first part instead of the last one.
    pub(crate) prepend: Text,
    /// The text between the parts.
    pub(crate) separator: Text,
}

/// See [`ActionKind::Timer`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Timer {
    /// The action itself, if the launch file is in Python.
    #[serde(default)]
    pub(crate) id: Option<Object>,
    /// The time after which the actions run, in seconds.
    pub(crate) period: Text,
    /// Whether the clock of the nodes counts, which may be simulated.
    pub(crate) is_ros: bool,
    /// Whether the actions do not run if everything ends before.
    pub(crate) cancel_on_shutdown: Text,
    /// The actions.
    pub(crate) children: Vec<Action>,
}

/// See [`ActionKind::Group`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Group {
    /// Whether variables and the environment are as before after the group.
    pub(crate) scoped: Text,
    /// Whether the variables from outside are visible.
    pub(crate) forwarding: Text,
    /// Variables that are set in the group.
    pub(crate) keep: Vec<Pair>,
    /// The actions.
    pub(crate) children: Vec<Action>,
}

/// See [`ActionKind::Include`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Include {
    /// The path of the file.
    pub(crate) file: Text,
    /// The arguments.
    pub(crate) arguments: Vec<Pair>,
}

/// See [`ActionKind::Process`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ProcessAction {
    /// The action itself, if the launch file is in Python.
    pub(crate) id: Option<Object>,
    /// The program.
    pub(crate) program: Program,
    /// The name of the process in logs.
    pub(crate) label: Option<Text>,
    /// The working directory.
    pub(crate) cwd: Option<Text>,
    /// The words before the command, such as those of a debugger.
    pub(crate) prefix: Option<Text>,
    /// The destination of the output: `screen`, `log`, `both`, `own_log` or `full`.
    pub(crate) output: Option<Text>,
    /// Environment variables that are added.
    pub(crate) env: Vec<Pair>,
    /// All environment variables, if those of the launch are not wanted.
    pub(crate) whole_env: Option<Vec<Pair>>,
    /// Whether a shell runs the command.
    pub(crate) shell: Option<Text>,
    /// Whether the process gets a terminal.
    pub(crate) emulate_tty: Option<Text>,
    /// Whether everything ends when the process has ended.
    pub(crate) required: bool,
    /// The rules for restarts.
    pub(crate) restart: Restart,
    /// The time from the first signal to `SIGTERM`, in seconds.
    pub(crate) sigterm_timeout: Option<Text>,
    /// The time from `SIGTERM` to `SIGKILL`, in seconds.
    pub(crate) sigkill_timeout: Option<Text>,
    /// The condition that makes the process ready.
    pub(crate) ready: Option<Ready>,
    /// The names of the processes and nodes that must be ready before.
    pub(crate) after: Vec<Text>,
}

/// The program of a process.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Program {
    /// A command.
    Command(Words),
    /// A node.
    Node(Box<NodeAction>),
}

impl Default for Program {
    fn default() -> Self {
        Self::Command(Words::Line(Text::default()))
    }
}

/// The words of a command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Words {
    /// They are on one line, which is split as a shell does.
    Line(Text),
    /// Each word is a text.
    Words(Vec<Text>),
}

/// A node that is a process.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct NodeAction {
    /// The package of the program; `None` if `exec` is a command.
    pub(crate) package: Option<Text>,
    /// The program.
    pub(crate) exec: Text,
    /// The name, the parameters and the remapping rules.
    pub(crate) names: Names,
    /// The arguments of the program.
    pub(crate) args: Option<Words>,
    /// Further arguments after `--ros-args`.
    pub(crate) ros_args: Option<Words>,
    /// The kind of node.
    pub(crate) kind: NodeKind,
}

/// The kind of a node that is a process.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeKind {
    /// A node.
    #[default]
    Plain,
    /// A lifecycle node, which may be configured and activated as soon as it is there.
    Lifecycle {
        /// Whether it is activated.
        autostart: Text,
    },
    /// A container, with the components that it loads.
    Container(Vec<ComponentAction>),
}

/// The name of a node, its parameters and its remapping rules.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Names {
    /// The name.
    pub(crate) name: Option<Text>,
    /// The namespace.
    pub(crate) namespace: Option<Text>,
    /// The parameters, in order. The last value of a parameter counts.
    pub(crate) parameters: Vec<ParameterSource>,
    /// The remapping rules, in order. The first rule that fits counts.
    pub(crate) remaps: Vec<Pair>,
}

/// A component that is loaded into a container.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct ComponentAction {
    /// The line of the launch file.
    pub(crate) origin: Origin,
    /// Whether it is loaded.
    #[serde(default)]
    pub(crate) condition: Option<Condition>,
    /// The package.
    pub(crate) package: Text,
    /// The plugin name.
    pub(crate) plugin: Text,
    /// The name, the parameters and the remapping rules.
    pub(crate) names: Names,
    /// The extra arguments.
    pub(crate) extra_arguments: Vec<(Text, ParameterText)>,
    /// Whether it is a lifecycle node that is activated as soon as it is loaded.
    #[serde(default)]
    pub(crate) autostart: Option<Text>,
}

/// See [`ActionKind::Load`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct LoadAction {
    /// The container.
    pub(crate) target: Target,
    /// The components, in order.
    pub(crate) components: Vec<ComponentAction>,
}

/// A source of parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ParameterSource {
    /// A file.
    File {
        /// The path.
        path: Text,
        /// Whether the file may contain substitutions.
        allow_substs: Text,
    },
    /// Parameters in the launch file. A nested name has dots.
    Values(Vec<(Text, ParameterText)>),
}

/// The value of a parameter, before it is evaluated.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ParameterText {
    /// A value without substitutions, in a launch file in YAML or XML.
    #[serde(skip)]
    Known(saltus_types::ParameterValue),
    /// A text. Its type is the given one, or the type that it has in YAML.
    Text(Text, Option<ValueType>),
    /// A list of texts.
    List(Vec<Text>, Option<ValueType>),
}

/// The type of a parameter, as launch files name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueType {
    /// `bool`
    Bool,
    /// `int`
    Integer,
    /// `float`
    Float,
    /// `str`
    String,
    /// `list_of_bool`
    Bools,
    /// `list_of_int`
    Integers,
    /// `list_of_float`
    Floats,
    /// `list_of_str`
    Strings,
}

/// The rules for the restarts of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Restart {
    /// `never`, `on-failure` or `always`, or a bool as in ROS 2.
    pub(crate) policy: Option<Text>,
    /// The delay before the first restart, in seconds.
    pub(crate) delay: Option<Text>,
    /// The longest delay before a restart, in seconds. Without it, all delays are as long as the first one.
    pub(crate) max_delay: Option<Text>,
    /// The number of restarts; negative if it is not limited.
    pub(crate) max: Option<Text>,
}

/// The condition that makes a process ready.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Ready {
    /// A node that must be there.
    pub(crate) node: Option<Text>,
    /// A topic that must have a publisher.
    pub(crate) topic: Option<Text>,
    /// A service that must have a server.
    pub(crate) service: Option<Text>,
    /// A state that the lifecycle node must have.
    pub(crate) state: Option<Text>,
    /// The time after which the user is told that the process is not ready, in seconds.
    pub(crate) timeout: Option<Text>,
}
