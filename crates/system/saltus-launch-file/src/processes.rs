//! The processes, nodes and components of a plan.

use std::path::{Path, PathBuf};

use crate::{
    action::{
        ComponentAction, Names, NodeAction, NodeKind, ParameterSource, ParameterText, ProcessAction, Program,
        Ready, Restart,
    },
    origin::LaunchError,
    plan,
    resolve::ActionContext,
    scope::{Environment, GlobalParameter, Scope, difference},
    text::Text,
};

type Result<T, E = LaunchError> = std::result::Result<T, E>;

/// The time from one signal to the next one if a process does not end, in seconds.
const SIGNAL_TIMEOUT: f64 = 5.0;
/// The delay before a process is started again if the launch file names none, in seconds.
const RESTART_DELAY: f64 = 0.0;
/// The states of lifecycle nodes in which a process may be ready.
const STATES: [&str; 4] = ["unconfigured", "inactive", "active", "finalized"];
/// The time after which the user is told that a process is not ready, if the launch file names none, in seconds.
const READY_TIMEOUT: f64 = 30.0;

impl ActionContext<'_> {
    pub(crate) fn process(
        self,
        action: &ProcessAction,
        scope: &Scope,
        initial: &Environment,
    ) -> Result<plan::Process> {
        let variable = |name: &str| scope.variables.get(name);
        let seconds = |text: Option<&Text>, name: &str| match (text, variable(name)) {
            (Some(text), _) => self.seconds(text, scope),
            (None, Some(value)) => self.seconds(&Text::plain(value), scope),
            (None, None) => Ok(SIGNAL_TIMEOUT),
        };
        let (mut command, node) = self.program(&action.program, scope)?;
        // The first word of a node may be `saltus`, so the name of its program counts.
        let base = match &action.program {
            Program::Node(node) if node.package.is_some() => self.text(&node.exec, scope)?,
            _ => command.first().cloned().unwrap_or_default(),
        };
        let base = Path::new(&base).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words = match &action.prefix {
            // As in ROS 2, the results of substitutions are split, too.
            Some(prefix) => self.split(&self.text(prefix, scope)?, scope)?,
            None => self.common_prefix(&base, scope)?,
        };
        let prefix = words.len();
        command.splice(0..0, words);
        let mut environment = match &action.whole_env {
            Some(whole) => self.pairs(whole, scope)?.into_iter().collect(),
            None => scope.environment.clone(),
        };
        environment.extend(self.pairs(&action.env, scope)?);
        let ready = action.ready.as_ref().map(|ready| self.ready(ready, node.as_ref(), scope)).transpose()?;
        Ok(plan::Process {
            id: action.id,
            label: self.optional(action.label.as_ref(), scope)?.unwrap_or(base),
            command,
            prefix,
            node,
            cwd: self.optional(action.cwd.as_ref(), scope)?.map(PathBuf::from),
            environment: difference(initial, &environment),
            shell: self.flag(action.shell.as_ref(), scope)?,
            emulate_tty: match variable("emulate_tty") {
                Some(value) => self.bool(&Text::plain(value), scope)?,
                None => self.flag(action.emulate_tty.as_ref(), scope)?,
            },
            output: self.output(action.output.as_ref(), scope)?,
            required: action.required,
            restart: self.restart(&action.restart, scope)?,
            sigterm_timeout: seconds(action.sigterm_timeout.as_ref(), "sigterm_timeout")?,
            sigkill_timeout: seconds(action.sigkill_timeout.as_ref(), "sigkill_timeout")?,
            ready,
            after: action.after.iter().map(|text| self.text(text, scope)).collect::<Result<_>>()?,
        })
    }

    /// Returns the words of the variable `launch-prefix`, if the program fits the variable `launch-prefix-filter`.
    fn common_prefix(self, program: &str, scope: &Scope) -> Result<Vec<String>> {
        let Some(prefix) = scope.variables.get("launch-prefix") else { return Ok(Vec::new()) };
        if let Some(filter) = scope.variables.get("launch-prefix-filter") {
            let pattern = regex_lite::Regex::new(&format!("^(?:{filter})"))
                .map_err(|error| self.error(format!("`launch-prefix-filter`: {error}")))?;
            if !pattern.is_match(program) {
                return Ok(Vec::new());
            }
        }
        self.split(prefix, scope)
    }

    fn output(self, output: Option<&Text>, scope: &Scope) -> Result<plan::Output> {
        let name = match scope.environment.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT") {
            Some(name) => Some(name.clone()),
            None => self.optional(output, scope)?,
        };
        Ok(match name.as_deref() {
            None | Some("log") => plan::Output::Log,
            Some("screen") => plan::Output::Screen,
            Some("both") => plan::Output::Both,
            Some("own_log") => plan::Output::OwnLog,
            Some("full") => plan::Output::Full,
            Some(other) => {
                let text = format!("`output` must be screen, log, both, own_log or full, and not `{other}`");
                return Err(self.error(text));
            }
        })
    }

    fn restart(self, restart: &Restart, scope: &Scope) -> Result<plan::Restart> {
        let policy = self.optional(restart.policy.as_ref(), scope)?;
        // A variable of a launch file in Python may be `True`.
        let policy = match policy.map(|text| text.trim().to_lowercase()).as_deref() {
            None | Some("never" | "false" | "0" | "no" | "off") => plan::RestartPolicy::Never,
            Some("on-failure") => plan::RestartPolicy::OnFailure,
            Some("always" | "true" | "1" | "yes" | "on") => plan::RestartPolicy::Always,
            Some(other) => {
                return Err(
                    self.error(format!("a restart must be never, on-failure or always, and not `{other}`"))
                );
            }
        };
        let seconds = |text: Option<&Text>| text.map(|text| self.seconds(text, scope)).transpose();
        let delay = seconds(restart.delay.as_ref())?.unwrap_or(RESTART_DELAY);
        let max = match self.optional(restart.max.as_ref(), scope)? {
            None => None,
            Some(text) => {
                let number: i64 = text
                    .trim()
                    .parse()
                    .map_err(|_| self.error(format!("expected a number of restarts, found `{text}`")))?;
                // As in ROS 2, a negative number means that there is no limit.
                u32::try_from(number).ok()
            }
        };
        Ok(plan::Restart {
            policy,
            delay,
            max_delay: seconds(restart.max_delay.as_ref())?.unwrap_or(delay),
            max,
        })
    }

    /// Returns the condition that makes a process ready. Relative names belong to the namespace of its node.
    fn ready(self, ready: &Ready, node: Option<&plan::Node>, scope: &Scope) -> Result<plan::Ready> {
        let namespace = node.and_then(|node| node.names.namespace.as_deref()).unwrap_or_default();
        let has_name = node.is_some_and(|node| node.names.full_name().is_some());
        let evaluate = |text: Option<&Text>| self.optional(text, scope);
        let full_name = |name: String| match name.starts_with('/') {
            true => name,
            false => format!("{}/{name}", namespace.trim_end_matches('/')),
        };
        let condition = if let Some(node) = evaluate(ready.node.as_ref())? {
            plan::ReadyCondition::Node(full_name(node))
        } else if let Some(topic) = evaluate(ready.topic.as_ref())? {
            plan::ReadyCondition::Topic(full_name(topic))
        } else if let Some(service) = evaluate(ready.service.as_ref())? {
            plan::ReadyCondition::Service(full_name(service))
        } else {
            let state = evaluate(ready.state.as_ref())?.unwrap_or_default();
            if !STATES.contains(&&*state) {
                let known = STATES.join(", ");
                return Err(
                    self.error(format!("`ready`: there is no state `{state}`; the states are {known}"))
                );
            }
            if !has_name {
                return Err(self.error("`ready` with a `state` needs a node with a `name`"));
            }
            plan::ReadyCondition::State(state)
        };
        let timeout = ready.timeout.as_ref().map_or(Ok(READY_TIMEOUT), |text| self.seconds(text, scope))?;
        Ok(plan::Ready { condition, timeout })
    }

    fn program(self, program: &Program, scope: &Scope) -> Result<(Vec<String>, Option<plan::Node>)> {
        match program {
            Program::Command(command) => {
                let words = self.words(Some(command), scope)?;
                if words.is_empty() { Err(self.error("the command has no words")) } else { Ok((words, None)) }
            }
            Program::Node(node) => {
                let mut command = self.node_command(node, scope)?;
                let kind = match &node.kind {
                    NodeKind::Plain => plan::NodeKind::Plain,
                    NodeKind::Lifecycle { autostart } => {
                        plan::NodeKind::Lifecycle { autostart: self.bool(autostart, scope)? }
                    }
                    NodeKind::Container(components) => {
                        plan::NodeKind::Container(self.components(components, scope)?)
                    }
                };
                let arguments = self.words(node.args.as_ref(), scope)?;
                let is_decided = command
                    .iter()
                    .chain(&arguments)
                    .any(|word| word == "--crash-isolated" || word == "--cpp");
                if command.starts_with(&CONTAINER.map(str::to_owned)) && !is_decided && self.has_cpp(&kind) {
                    command.push("--cpp".to_owned());
                }
                command.extend(arguments);
                let ros_args = self.words(node.ros_args.as_ref(), scope)?;
                Ok((command, Some(plan::Node { names: self.names(&node.names, scope)?, ros_args, kind })))
            }
        }
    }

    /// Whether a container has components in C++.
    fn has_cpp(self, kind: &plan::NodeKind) -> bool {
        let plan::NodeKind::Container(components) = kind else { return false };
        components.iter().any(|one| self.world.is_in_cpp(&one.package, &one.plugin))
    }

    /// Returns the command of a node: a program of its package, a component that runs alone, or a container of Saltus.
    fn node_command(self, node: &NodeAction, scope: &Scope) -> Result<Vec<String>> {
        let exec = self.text(&node.exec, scope)?;
        let Some(package) = self.optional(node.package.as_ref(), scope)? else {
            return self.split(&exec, scope);
        };
        if let Some(flags) = container_flags(&package, &exec) {
            return Ok([&CONTAINER[..], flags].concat().into_iter().map(str::to_owned).collect());
        }
        match self.with(scope, |substitute| substitute.program(&package, &exec)) {
            Ok(path) => Ok(vec![path.display().to_string()]),
            Err(_) if self.world.has_component(&package, &exec) => {
                Ok(["saltus", "run", &package, &exec].map(str::to_owned).to_vec())
            }
            Err(error) => Err(error),
        }
    }

    fn names(self, names: &Names, scope: &Scope) -> Result<plan::Names> {
        let namespace = self.optional(names.namespace.as_ref(), scope)?;
        let mut parameters = Vec::new();
        for global in &scope.node_defaults.parameters {
            parameters.push(match global {
                GlobalParameter::Value(name, value) => {
                    plan::Parameters::Global((name.clone(), value.clone()))
                }
                GlobalParameter::File(path) => plan::Parameters::File(path.into()),
            });
        }
        for source in &names.parameters {
            parameters.push(self.parameters(source, scope)?);
        }
        Ok(plan::Names {
            name: self.optional(names.name.as_ref(), scope)?,
            namespace: scope.namespace_of(namespace.as_deref()),
            parameters,
            remaps: scope
                .node_defaults
                .remaps
                .iter()
                .cloned()
                .chain(self.pairs(&names.remaps, scope)?)
                .collect(),
        })
    }

    fn parameters(self, source: &ParameterSource, scope: &Scope) -> Result<plan::Parameters> {
        match source {
            ParameterSource::File { path, allow_substs } => {
                let path = PathBuf::from(self.text(path, scope)?);
                if !self.bool(allow_substs, scope)? {
                    return Ok(plan::Parameters::File(path));
                }
                let text = self
                    .world
                    .read(&path)
                    .map_err(|error| self.error(format!("can't read {}: {error}", path.display())))?;
                let failed =
                    |error: &dyn std::fmt::Display| self.error(format!("{}: {error}", path.display()));
                let parsed = Text::parse(&text).map_err(|error| failed(&error))?;
                let content = self.text(&parsed, scope).map_err(|error| failed(&error.message()))?;
                saltus_yaml::parse(&content).map_err(|error| failed(&error))?;
                Ok(plan::Parameters::Text { path, content })
            }
            ParameterSource::Values(values) => {
                let value = |(name, value): &(Text, ParameterText)| {
                    Ok((self.text(name, scope)?, self.parameter(value, scope)?))
                };
                Ok(plan::Parameters::Values(values.iter().map(value).collect::<Result<_>>()?))
            }
        }
    }

    pub(crate) fn components(
        self,
        components: &[ComponentAction],
        scope: &Scope,
    ) -> Result<Vec<plan::Component>> {
        let mut loaded = Vec::new();
        for component in components {
            let context = ActionContext { origin: &component.origin, ..self };
            if context.holds(component.condition.as_ref(), scope)? {
                loaded.push(context.component(component, scope)?);
            }
        }
        Ok(loaded)
    }

    fn component(self, component: &ComponentAction, scope: &Scope) -> Result<plan::Component> {
        let argument = |(name, value): &(Text, ParameterText)| {
            Ok((self.text(name, scope)?, self.parameter(value, scope)?))
        };
        Ok(plan::Component {
            origin: component.origin.clone(),
            package: self.text(&component.package, scope)?,
            plugin: self.text(&component.plugin, scope)?,
            names: self.names(&component.names, scope)?,
            extra_arguments: component.extra_arguments.iter().map(argument).collect::<Result<_>>()?,
            autostart: self.flag(component.autostart.as_ref(), scope)?,
        })
    }
}

/// The words of a container of Saltus.
const CONTAINER: [&str; 2] = ["saltus", "container"];

/// Returns the flags of `saltus container`, if the program is a container of ROS 2 or of Saltus.
fn container_flags(package: &str, program: &str) -> Option<&'static [&'static str]> {
    Some(match (package, program) {
        ("rclcpp_components", "component_container") | ("saltus", "container") => &[],
        ("rclcpp_components", "component_container_mt") => &["--mt"],
        ("rclcpp_components", "component_container_isolated" | "component_container_isolated2") => {
            &["--isolated"]
        }
        ("rclcpp_components", "component_container_crash_isolated") => &["--crash-isolated"],
        _ => return None,
    })
}
