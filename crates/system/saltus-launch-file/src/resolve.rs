//! The values of an action: texts, conditions, and its changes of the scope.

use saltus_types::ParameterValue;

use crate::{
    action::{ActionKind, Argument, Condition, Pair, ParameterText, Target, Words},
    origin::{LaunchError, Origin},
    parameters::{typed_list, typed_text},
    plan,
    scope::{Environment, GlobalParameter, NodeDefaults, Scope},
    substitute::Substitute,
    text::Text,
    words::words,
    world::World,
};

type Result<T, E = LaunchError> = std::result::Result<T, E>;

/// Evaluates the parts of one action.
#[derive(Clone, Copy)]
pub(crate) struct ActionContext<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) world: &'a dyn World,
}

impl ActionContext<'_> {
    pub(crate) fn error(self, message: impl std::fmt::Display) -> LaunchError {
        LaunchError::new(self.origin, message)
    }

    pub(crate) fn with<T>(
        self,
        scope: &Scope,
        evaluate: impl FnOnce(Substitute<'_>) -> Result<T, String>,
    ) -> Result<T> {
        evaluate(Substitute { scope, world: self.world }).map_err(|error| self.error(error))
    }

    pub(crate) fn text(self, text: &Text, scope: &Scope) -> Result<String> {
        self.with(scope, |substitute| substitute.text(text))
    }

    pub(crate) fn optional(self, text: Option<&Text>, scope: &Scope) -> Result<Option<String>> {
        text.map(|text| self.text(text, scope)).transpose()
    }

    pub(crate) fn bool(self, text: &Text, scope: &Scope) -> Result<bool> {
        self.with(scope, |substitute| substitute.bool(text))
    }

    pub(crate) fn flag(self, text: Option<&Text>, scope: &Scope) -> Result<bool> {
        text.map_or(Ok(false), |text| self.bool(text, scope))
    }

    pub(crate) fn seconds(self, text: &Text, scope: &Scope) -> Result<f64> {
        self.with(scope, |substitute| substitute.seconds(text))
    }

    pub(crate) fn pair(self, pair: &Pair, scope: &Scope) -> Result<(String, String)> {
        Ok((self.text(&pair.name, scope)?, self.text(&pair.value, scope)?))
    }

    pub(crate) fn pairs(self, pairs: &[Pair], scope: &Scope) -> Result<Vec<(String, String)>> {
        pairs.iter().map(|pair| self.pair(pair, scope)).collect()
    }

    pub(crate) fn words(self, text: Option<&Words>, scope: &Scope) -> Result<Vec<String>> {
        text.map_or(Ok(Vec::new()), |text| self.with(scope, |substitute| words(text, substitute)))
    }

    /// Splits a text without substitutions, such as the value of a variable.
    pub(crate) fn split(self, text: &str, scope: &Scope) -> Result<Vec<String>> {
        self.words(Some(&Words::Line(Text::plain(text))), scope)
    }

    pub(crate) fn target(self, target: &Target, scope: &Scope) -> Result<plan::Target> {
        Ok(match target {
            Target::Action(object) => plan::Target::Action(*object),
            Target::Node(name) => self.node(name, scope)?,
            Target::Name(name) => plan::Target::Name(name.clone()),
            Target::Pid(pid) => plan::Target::Pid(*pid),
            Target::Program(program) => plan::Target::Program(program.clone()),
            Target::Python(object) => plan::Target::Python(*object),
        })
    }

    /// Returns the node with a name. As in ROS 2, a `/` is added if there is none.
    pub(crate) fn node(self, name: &Text, scope: &Scope) -> Result<plan::Target> {
        let name = self.text(name, scope)?;
        Ok(plan::Target::Node(if name.starts_with('/') { name } else { format!("/{name}") }))
    }

    pub(crate) fn holds(self, condition: Option<&Condition>, scope: &Scope) -> Result<bool> {
        match condition {
            None => Ok(true),
            Some(Condition::If(text)) => self.with(scope, |substitute| substitute.condition(text)),
            Some(Condition::Unless(text)) => Ok(!self.with(scope, |substitute| substitute.condition(text))?),
            Some(Condition::Python(object)) => {
                self.world.holds(*object, scope).map_err(|error| self.error(error))
            }
        }
    }

    /// Performs an action that only changes the scope.
    pub(crate) fn change(
        self,
        kind: &ActionKind,
        scope: &mut Scope,
        environment: &Environment,
    ) -> Result<()> {
        match kind {
            ActionKind::Arg(argument) => self.argument(argument, scope)?,
            ActionKind::Let(pair) => {
                let (name, value) = self.pair(pair, scope)?;
                scope.variables.insert(name, value);
            }
            ActionKind::Unset(name) => {
                scope.variables.remove(&self.text(name, scope)?);
            }
            ActionKind::Reset(keep) => {
                let kept = self.pairs(keep, scope)?;
                scope.variables = kept.into_iter().collect();
                scope.node_defaults = NodeDefaults::default();
            }
            ActionKind::SetEnv(pair) => {
                let (name, value) = self.pair(pair, scope)?;
                scope.environment.insert(name, value);
            }
            ActionKind::UnsetEnv(name) => {
                scope.environment.remove(&self.text(name, scope)?);
            }
            ActionKind::AppendEnv(append) => {
                let (name, value) = self.pair(&append.pair, scope)?;
                let separator = self.text(&append.separator, scope)?;
                let joined = match (scope.environment.get(&name), self.bool(&append.prepend, scope)?) {
                    (None, _) => value,
                    (Some(old), true) => format!("{value}{separator}{old}"),
                    (Some(old), false) => format!("{old}{separator}{value}"),
                };
                scope.environment.insert(name, joined);
            }
            ActionKind::ResetEnv => scope.environment.clone_from(environment),
            ActionKind::PushNamespace(namespace) => {
                scope.node_defaults.namespace = scope.namespace_of(Some(&self.text(namespace, scope)?));
            }
            ActionKind::SetParameter(name, value) => {
                let (name, value) = (self.text(name, scope)?, self.parameter(value, scope)?);
                scope.node_defaults.parameters.push(GlobalParameter::Value(name, value));
            }
            ActionKind::SetParametersFromFile(path) => {
                scope.node_defaults.parameters.push(GlobalParameter::File(self.text(path, scope)?));
            }
            ActionKind::SetRemap(pair) => scope.node_defaults.remaps.push(self.pair(pair, scope)?),
            ActionKind::SetLogFolder(folder) => {
                let folder = self.text(folder, scope)?;
                scope.environment.insert("ROS_LOG_DIR".into(), folder);
            }
            ActionKind::Push(stack) => scope.push(*stack),
            ActionKind::Pop(stack) if !scope.pop(*stack) => {
                return Err(self.error("nothing was pushed before"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the value of a parameter.
    pub(crate) fn parameter(self, value: &ParameterText, scope: &Scope) -> Result<ParameterValue> {
        let typed = match value {
            ParameterText::Known(value) => Ok(value.clone()),
            ParameterText::Text(text, kind) => typed_text(&self.text(text, scope)?, *kind),
            ParameterText::List(items, kind) => {
                let items = items.iter().map(|item| self.text(item, scope)).collect::<Result<Vec<_>>>()?;
                typed_list(&items, *kind)
            }
        };
        typed.map_err(|error| self.error(error))
    }

    pub(crate) fn argument(self, argument: &Argument, scope: &mut Scope) -> Result<()> {
        let Argument { name, default, description, choices } = argument;
        self.world.note_variable(name);
        if !scope.variables.contains_key(name) {
            let Some(default) = default else {
                let details = description.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
                return Err(
                    self.error(format!("the argument `{name}`{details} is missing; add {name}:=VALUE"))
                );
            };
            let value = self.text(default, scope)?;
            scope.variables.insert(name.clone(), value);
        }
        let value = &scope.variables[name];
        if choices.is_empty() || choices.contains(value) {
            return Ok(());
        }
        Err(self
            .error(format!("the argument `{name}` must be one of {}, and not `{value}`", choices.join(", "))))
    }
}
