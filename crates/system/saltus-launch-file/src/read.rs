//! Reads the elements of a launch file as actions.

use crate::{
    action::{
        Action, ActionKind, AppendEnv, Argument, ComponentAction, Condition, Group, Include, LoadAction,
        Names, NodeAction, NodeKind, Pair, ParameterText, ProcessAction, Program, Ready, Restart, Target,
        Timer, Words,
    },
    element::{Element, Reader},
    origin::LaunchError,
    parameters,
    text::Text,
};

type Result<T, E = LaunchError> = std::result::Result<T, E>;

/// Reads the actions of a file.
pub(crate) fn file(root: &Element) -> Result<Vec<Action>> {
    root.children.iter().map(action).collect()
}

/// The delay before the first restart if `restart` names none, in seconds.
const BACKOFF: &str = "0.5";
/// The longest delay before a restart if `restart` names none, in seconds.
const MAX_BACKOFF: &str = "30";

/// The tags of all actions, for errors and documents.
pub(crate) const TAGS: [&str; 26] = [
    "append_env",
    "arg",
    "executable",
    "group",
    "include",
    "let",
    "lifecycle_node",
    "load_composable_node",
    "log",
    "node",
    "node_container",
    "push_ros_namespace",
    "reset",
    "reset_env",
    "ros_timer",
    "set_env",
    "set_parameter",
    "set_parameters_from_file",
    "set_remap",
    "set_ros_log_dir",
    "set_use_sim_time",
    "shutdown",
    "timer",
    "unset",
    "unset_env",
    "push-ros-namespace",
];

fn action(element: &Element) -> Result<Action> {
    let reader = Reader::new(element);
    let condition = condition(&reader)?;
    let kind = kind(&reader, &element.tag)?;
    reader.end()?;
    Ok(Action { origin: reader.origin(), condition, kind })
}

fn condition(reader: &Reader<'_>) -> Result<Option<Condition>> {
    match (reader.text("if")?, reader.text("unless")?) {
        (Some(_), Some(_)) => Err(reader.error("`if` and `unless` can't be used together")),
        (Some(text), None) => Ok(Some(Condition::If(text))),
        (None, unless) => Ok(unless.map(Condition::Unless)),
    }
}

fn kind(reader: &Reader<'_>, tag: &str) -> Result<ActionKind> {
    Ok(match tag {
        "arg" => ActionKind::Arg(argument(reader)?),
        "let" => ActionKind::Let(pair(reader)?),
        "unset" => ActionKind::Unset(reader.required("name")?),
        "reset" => ActionKind::Reset(pairs(reader, "keep")?),
        "set_env" => ActionKind::SetEnv(pair(reader)?),
        "unset_env" => ActionKind::UnsetEnv(reader.required("name")?),
        "append_env" => ActionKind::AppendEnv(append_env(reader)?),
        "reset_env" => ActionKind::ResetEnv,
        "log" => ActionKind::Log(reader.required("message")?),
        "shutdown" => ActionKind::Shutdown(reader.text("reason")?.unwrap_or(Text::plain("reason not given"))),
        "timer" => ActionKind::Timer(timer(reader, false)?),
        "ros_timer" => ActionKind::Timer(timer(reader, true)?),
        "group" => ActionKind::Group(group(reader)?),
        "include" => {
            ActionKind::Include(Include { file: reader.required("file")?, arguments: pairs(reader, "arg")? })
        }
        "executable" => ActionKind::Process(Box::new(executable(reader)?)),
        "node" => ActionKind::Process(Box::new(node(reader, NodeKind::Plain)?)),
        "lifecycle_node" => {
            let autostart = reader.text("autostart")?.unwrap_or(Text::plain("false"));
            ActionKind::Process(Box::new(node(reader, NodeKind::Lifecycle { autostart })?))
        }
        "node_container" => {
            ActionKind::Process(Box::new(node(reader, NodeKind::Container(components(reader)?))?))
        }
        "load_composable_node" => ActionKind::Load(load(reader)?),
        "push_ros_namespace" | "push-ros-namespace" => {
            ActionKind::PushNamespace(reader.required("namespace")?)
        }
        "set_parameter" => {
            let value = reader.required("value")?;
            ActionKind::SetParameter(reader.required("name")?, ParameterText::Text(value, None))
        }
        "set_parameters_from_file" => ActionKind::SetParametersFromFile(reader.required("filename")?),
        "set_remap" => ActionKind::SetRemap(remap(reader)?),
        "set_ros_log_dir" => ActionKind::SetLogFolder(reader.required("new_log_dir")?),
        "set_use_sim_time" => ActionKind::SetUseSimTime(reader.required("value")?),
        _ => {
            return Err(reader.error(format!("there is no such action; the actions are {}", TAGS.join(", "))));
        }
    })
}

fn argument(reader: &Reader<'_>) -> Result<Argument> {
    let name = reader.plain("name")?.ok_or_else(|| reader.error("the attribute `name` is missing"))?;
    let choice = |element: &Element| {
        let choice = Reader::new(element);
        choice.plain("value")?.ok_or_else(|| choice.error("the attribute `value` is missing"))
    };
    Ok(Argument {
        name,
        default: reader.text("default")?,
        description: reader.plain("description")?,
        choices: reader.nested("choice").map(choice).collect::<Result<_>>()?,
    })
}

fn pair(reader: &Reader<'_>) -> Result<Pair> {
    Ok(Pair { name: reader.required("name")?, value: reader.required("value")? })
}

fn remap(reader: &Reader<'_>) -> Result<Pair> {
    Ok(Pair { name: reader.required("from")?, value: reader.required("to")? })
}

/// Reads nested elements with a name and a value.
fn pairs(reader: &Reader<'_>, tag: &'static str) -> Result<Vec<Pair>> {
    each(reader, tag, pair)
}

fn each<T>(
    reader: &Reader<'_>,
    tag: &'static str,
    read: impl Fn(&Reader<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let one = |element: &Element| {
        let nested = Reader::new(element);
        let value = read(&nested)?;
        nested.end()?;
        Ok(value)
    };
    reader.nested(tag).map(one).collect()
}

fn append_env(reader: &Reader<'_>) -> Result<AppendEnv> {
    Ok(AppendEnv {
        pair: pair(reader)?,
        prepend: reader.text("prepend")?.unwrap_or(Text::plain("false")),
        separator: reader.text("separator")?.unwrap_or(Text::plain(":")),
    })
}

fn timer(reader: &Reader<'_>, is_ros: bool) -> Result<Timer> {
    Ok(Timer {
        id: None,
        period: reader.required("period")?,
        is_ros,
        cancel_on_shutdown: reader.text("cancel_on_shutdown")?.unwrap_or(Text::plain("true")),
        children: reader.actions(&[]).map(action).collect::<Result<_>>()?,
    })
}

fn group(reader: &Reader<'_>) -> Result<Group> {
    Ok(Group {
        scoped: reader.text("scoped")?.unwrap_or(Text::plain("true")),
        forwarding: reader.text("forwarding")?.unwrap_or(Text::plain("true")),
        keep: pairs(reader, "keep")?,
        children: reader.actions(&["keep"]).map(action).collect::<Result<_>>()?,
    })
}

fn executable(reader: &Reader<'_>) -> Result<ProcessAction> {
    let command = reader.required("cmd")?;
    let mut process = process(reader)?;
    process.label = reader.text("name")?;
    process.program = Program::Command(Words::Line(command));
    Ok(process)
}

fn node(reader: &Reader<'_>, kind: NodeKind) -> Result<ProcessAction> {
    let mut process = process(reader)?;
    process.label = reader.text("exec_name")?;
    process.program = Program::Node(Box::new(NodeAction {
        package: reader.text("pkg")?,
        exec: reader.required("exec")?,
        names: names(reader)?,
        args: reader.text("args")?.map(Words::Line),
        ros_args: reader.text("ros_args")?.map(Words::Line),
        kind,
    }));
    Ok(process)
}

/// Reads the attributes that all processes have.
fn process(reader: &Reader<'_>) -> Result<ProcessAction> {
    let required = match reader.plain("on_exit")?.as_deref() {
        None => false,
        Some("shutdown") => true,
        Some(other) => return Err(reader.error(format!("`on_exit` must be `shutdown`, found `{other}`"))),
    };
    Ok(ProcessAction {
        cwd: reader.text("cwd")?,
        prefix: reader.text("launch-prefix")?,
        output: reader.text("output")?,
        env: pairs(reader, "env")?,
        shell: reader.text("shell")?,
        emulate_tty: reader.text("emulate_tty")?,
        required,
        restart: restart(reader)?,
        sigterm_timeout: reader.text("sigterm_timeout")?,
        sigkill_timeout: reader.text("sigkill_timeout")?,
        ready: at_most_one(reader, "ready", ready)?,
        after: after(reader)?,
        ..ProcessAction::default()
    })
}

fn at_most_one<T>(
    reader: &Reader<'_>,
    tag: &'static str,
    read: impl Fn(&Reader<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if reader.attribute(tag).is_some() {
        return Err(reader.error(format!("`{tag}` must have attributes of its own, such as `{tag}: {{…}}`")));
    }
    let mut all = each(reader, tag, read)?;
    if all.len() > 1 {
        return Err(reader.error(format!("there can be only one `{tag}`")));
    }
    Ok(all.pop())
}

/// Reads `restart`, or ROS 2's attributes that begin with `respawn`.
fn restart(reader: &Reader<'_>) -> Result<Restart> {
    let read = |nested: &Reader<'_>| {
        Ok(Restart {
            policy: Some(nested.required("policy")?),
            delay: Some(nested.text("backoff")?.unwrap_or(Text::plain(BACKOFF))),
            max_delay: Some(nested.text("max_backoff")?.unwrap_or(Text::plain(MAX_BACKOFF))),
            max: nested.text("max")?,
        })
    };
    let respawn = Restart {
        policy: reader.text("respawn")?,
        delay: reader.text("respawn_delay")?,
        max_delay: None,
        max: reader.text("respawn_max_retries")?,
    };
    match (at_most_one(reader, "restart", read)?, respawn != Restart::default()) {
        (Some(_), true) => Err(reader.error("`restart` and `respawn` can't be used together")),
        (Some(restart), false) => Ok(restart),
        (None, _) => Ok(respawn),
    }
}

fn ready(reader: &Reader<'_>) -> Result<Ready> {
    let ready = Ready {
        node: reader.text("node")?,
        topic: reader.text("topic")?,
        service: reader.text("service")?,
        state: reader.text("state")?,
        timeout: reader.text("timeout")?,
    };
    let given = [&ready.node, &ready.topic, &ready.service, &ready.state].into_iter().flatten().count();
    if given == 1 {
        return Ok(ready);
    }
    Err(reader.error("exactly one of `node`, `topic`, `service` and `state` is needed"))
}

/// Reads the attribute `after`: a list, or a text with commas.
fn after(reader: &Reader<'_>) -> Result<Vec<Text>> {
    let Some(attribute) = reader.attribute("after") else { return Ok(Vec::new()) };
    let node = attribute.node();
    let words: Vec<&str> = match node.as_sequence() {
        Some(items) => items.iter().filter_map(saltus_yaml::Node::as_text).collect(),
        None => node.as_text().into_iter().flat_map(|text| text.split(',')).map(str::trim).collect(),
    };
    words
        .into_iter()
        .map(|word| Text::parse(word).map_err(|error| reader.error(format!("`after`: {error}"))))
        .collect()
}

fn names(reader: &Reader<'_>) -> Result<Names> {
    Ok(Names {
        name: reader.text("name")?,
        namespace: reader.text("namespace")?,
        parameters: reader.nested("param").map(parameters::source).collect::<Result<_>>()?,
        remaps: each(reader, "remap", remap)?,
    })
}

fn components(reader: &Reader<'_>) -> Result<Vec<ComponentAction>> {
    let component = |nested: &Reader<'_>| {
        Ok(ComponentAction {
            origin: nested.origin(),
            condition: condition(nested)?,
            package: nested.required("pkg")?,
            plugin: nested.required("plugin")?,
            names: names(nested)?,
            extra_arguments: each(nested, "extra_arg", extra_argument)?,
            autostart: nested.text("autostart")?,
        })
    };
    each(reader, "composable_node", component)
}

fn extra_argument(reader: &Reader<'_>) -> Result<(Text, ParameterText)> {
    let Pair { name, value } = pair(reader)?;
    Ok((name, ParameterText::Text(value, None)))
}

fn load(reader: &Reader<'_>) -> Result<LoadAction> {
    let components = components(reader)?;
    if components.is_empty() {
        return Err(reader.error("there must be a `composable_node`"));
    }
    Ok(LoadAction { target: Target::Node(reader.required("target")?), components })
}
