//! The scope of an action: variables, the environment, and the defaults of nodes.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use saltus_types::ParameterValue;

use crate::action::Stack;

/// The environment variables of a process.
pub type Environment = BTreeMap<String, String>;

/// The values that an action uses. A scoped group has a copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// The values of variables.
    pub variables: BTreeMap<String, String>,
    /// The environment of processes.
    pub environment: Environment,
    /// The event that is handled.
    pub event: Option<serde_json::Value>,
    /// The variables that [`ActionKind::Push`](crate::action::ActionKind::Push) has saved.
    pub(crate) pushed_variables: Vec<(BTreeMap<String, String>, NodeDefaults)>,
    /// The environments that it has saved.
    pub(crate) pushed_environments: Vec<Environment>,
    pub(crate) node_defaults: NodeDefaults,
    /// The launch file.
    pub file: Option<Arc<Path>>,
}

/// The defaults of all nodes that follow. In ROS 2, they are kept in variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NodeDefaults {
    /// The namespace that was pushed.
    pub(crate) namespace: Option<String>,
    pub(crate) parameters: Vec<GlobalParameter>,
    pub(crate) remaps: Vec<(String, String)>,
}

/// The changes of variables: the new values, and `None` for variables that were removed.
pub(crate) type Difference = BTreeMap<String, Option<String>>;

/// Returns the changes from some variables to others.
pub(crate) fn difference(from: &BTreeMap<String, String>, to: &BTreeMap<String, String>) -> Difference {
    let changed = to.iter().filter(|(name, value)| from.get(*name) != Some(value));
    let removed = from.keys().filter(|name| !to.contains_key(*name));
    let changed = changed.map(|(name, value)| (name.clone(), Some(value.clone())));
    changed.chain(removed.map(|name| (name.clone(), None))).collect()
}

/// The changes that handlers and timers have made. A handler sees the scope in which it was registered, and these changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    variables: Difference,
    environment: Difference,
    parameters: Vec<GlobalParameter>,
    remaps: Vec<(String, String)>,
}

impl Changes {
    /// Adds the changes of a scope.
    pub(crate) fn add(&mut self, before: &Scope, after: &Scope) {
        self.variables.extend(difference(&before.variables, &after.variables));
        self.environment.extend(difference(&before.environment, &after.environment));
        let (before, after) = (&before.node_defaults, &after.node_defaults);
        let added = after.parameters.strip_prefix(&before.parameters[..]);
        self.parameters.extend(added.into_iter().flatten().cloned());
        let added = after.remaps.strip_prefix(&before.remaps[..]);
        self.remaps.extend(added.into_iter().flatten().cloned());
    }

    /// Applies the changes to a scope.
    pub(crate) fn apply(&self, scope: &mut Scope) {
        scope.node_defaults.parameters.extend_from_slice(&self.parameters);
        scope.node_defaults.remaps.extend_from_slice(&self.remaps);
        for (changes, values) in
            [(&self.variables, &mut scope.variables), (&self.environment, &mut scope.environment)]
        {
            for (name, value) in changes {
                match value {
                    Some(value) => drop(values.insert(name.clone(), value.clone())),
                    None => drop(values.remove(name)),
                }
            }
        }
    }
}

/// A parameter or a file of parameters for all nodes that follow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GlobalParameter {
    Value(String, ParameterValue),
    File(String),
}

impl Scope {
    /// Saves the variables or the environment.
    pub(crate) fn push(&mut self, stack: Stack) {
        match stack {
            Stack::Variables => {
                self.pushed_variables.push((self.variables.clone(), self.node_defaults.clone()));
            }
            Stack::Environment => self.pushed_environments.push(self.environment.clone()),
        }
    }

    /// Restores the variables or the environment that were saved last. Returns false if none were saved.
    pub(crate) fn pop(&mut self, stack: Stack) -> bool {
        match stack {
            Stack::Variables => {
                let pushed = self.pushed_variables.pop();
                pushed.map(|pushed| (self.variables, self.node_defaults) = pushed).is_some()
            }
            Stack::Environment => {
                self.pushed_environments.pop().map(|environment| self.environment = environment).is_some()
            }
        }
    }

    /// Whether the launch file is in Python.
    pub(crate) fn is_python(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.extension().is_some_and(|extension| extension == "py"))
    }

    /// Returns the absolute namespace of a node. Returns `None` if no namespace was given.
    pub(crate) fn namespace_of(&self, own: Option<&str>) -> Option<String> {
        let joined = match (self.node_defaults.namespace.as_deref(), own) {
            (None, None) => return None,
            (Some(base), None) => base.to_owned(),
            (None, Some(own)) => own.to_owned(),
            (Some(_), Some(own)) if own.starts_with('/') => own.to_owned(),
            (Some(base), Some(own)) => format!("{}/{own}", base.trim_end_matches('/')),
        };
        Some(format!("/{}", joined.trim_matches('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_joined_as_in_ros_2() {
        let joined = |pushed: &[&str], own: Option<&str>| {
            let mut scope = Scope::default();
            for namespace in pushed {
                scope.node_defaults.namespace = scope.namespace_of(Some(namespace));
            }
            scope.namespace_of(own)
        };
        for (pushed, own, want) in [
            (&["relative_ns"][..], Some("node_ns"), Some("/relative_ns/node_ns")),
            (&["relative_ns"], Some("/node_ns"), Some("/node_ns")),
            (&["relative_ns"], Some("/"), Some("/")),
            (&["relative_ns"], Some(""), Some("/relative_ns")),
            (
                &["relative_ns", "another_relative_ns"],
                Some("node_ns"),
                Some("/relative_ns/another_relative_ns/node_ns"),
            ),
            (&["relative_ns", "/absolute_ns"], Some("node_ns"), Some("/absolute_ns/node_ns")),
            (&[], Some("node_ns"), Some("/node_ns")),
            (&[], None, None),
            (&[""], None, Some("/")),
            (&[], Some(""), Some("/")),
        ] {
            assert_eq!(joined(pushed, own).as_deref(), want, "{pushed:?} {own:?}");
        }
    }
}
