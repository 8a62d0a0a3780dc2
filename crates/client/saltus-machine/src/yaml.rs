//! Definitions as text, in the form of Python's `transitions`:
//!
//! ```yaml
//! name: door
//! initial: closed
//! states:
//!   - closed
//!   - {name: open, timeout: 5.0, on_timeout: close}
//!   - {name: moving, initial: slow, children: [slow, fast], on_enter: [hurry]}
//! transitions:
//!   - {trigger: open, source: closed, dest: open}
//!   - [close, [open, moving], closed]
//! ```

use std::time::Duration;

use saltus_yaml::{Node, YamlError, parse};
use serde_json::{Value, json};

use crate::{
    Definition, DefinitionBuilder, Destination, StateId,
    definition::{ANY, SAME, SEPARATOR},
};

/// The deepest nesting of states that is read. No real machine needs more, but untrusted text may try to exhaust the
/// stack.
const MAX_NESTING: usize = 16;

impl Definition {
    /// Reads a definition from YAML.
    ///
    /// # Errors
    /// Returns an error if the text is not YAML or not a valid machine. The error gives the line and column.
    pub fn from_yaml(text: &str) -> Result<Self, YamlError> {
        let document = parse(text)?;
        let pairs = document.as_mapping();
        let pairs = pairs.ok_or_else(|| {
            document.error(format!("expected a mapping with `states`, found {}", document.kind()))
        })?;
        check_keys(pairs, &["name", "initial", "state", "states", "transitions", "queued"])?;
        if let Some(queued) = document.get("queued").filter(|queued| queued.as_bool() != Some(true)) {
            return Err(queued.error("expected `true`: triggers are always queued"));
        }
        let name = document.get("name").map(|node| text_of(node)).transpose()?.unwrap_or("machine");
        let mut builder = Self::builder(name);
        let states = document.get("states").ok_or_else(|| document.error("expected `states`"))?;
        for state in list_of(states)? {
            builder = read_state(builder, state, None, 0)?;
        }
        for transition in document.get("transitions").map(list_of).transpose()?.unwrap_or_default() {
            builder = read_transition(builder, transition)?;
        }
        if let Some(initial) = document.get("initial") {
            builder = builder.initial(text_of(initial)?);
        }
        builder.build().map_err(|error| document.error(error.to_string()))
    }
}

impl Definition {
    /// Returns the definition as JSON, which [`Definition::from_yaml`] can read. If `state` is given, the JSON also has
    /// it as the current state, and so describes a running machine.
    pub fn to_json(&self, state: Option<&str>) -> String {
        let outermost = self.states().filter(|(_, state)| state.parent.is_none());
        let transitions = self.transitions().iter().map(|transition| {
            let source = transition.source.map_or(ANY, |source| &self.state(source).name);
            let dest = match transition.dest {
                Destination::Internal => None,
                Destination::Source => Some(SAME),
                Destination::State(dest) => Some(self.state(dest).name.as_str()),
            };
            json!([transition.trigger, source, dest])
        });
        let mut document = json!({
            "name": self.name(),
            "initial": self.state(self.initial()).name,
            "states": outermost.map(|(id, _)| self.state_to_json(id)).collect::<Vec<_>>(),
            "transitions": transitions.collect::<Vec<_>>(),
        });
        if let Some(state) = state {
            document["state"] = state.into();
        }
        document.to_string()
    }

    fn state_to_json(&self, id: StateId) -> Value {
        let state = self.state(id);
        let own_name = |id: StateId| {
            let parent = self.state(id).parent;
            let prefix = parent.map_or(0, |parent| self.state(parent).name.len() + SEPARATOR.len_utf8());
            self.state(id).name[prefix..].to_owned()
        };
        let mut pairs = json!({"name": own_name(id)});
        if let Some((after, trigger)) = &state.timeout {
            pairs["timeout"] = after.as_secs_f64().into();
            pairs["on_timeout"] = trigger.as_str().into();
        }
        if !state.on_enter.is_empty() {
            pairs["on_enter"] = state.on_enter.clone().into();
        }
        if let Some(initial) = state.initial {
            pairs["initial"] = own_name(initial).into();
        }
        let children: Vec<Value> = self
            .states()
            .filter(|(_, other)| other.parent == Some(id))
            .map(|(child, _)| self.state_to_json(child))
            .collect();
        if !children.is_empty() {
            pairs["children"] = children.into();
        }
        pairs
    }
}

/// Reads the current state from the description of a machine; see [`Definition::to_json`]. Returns `None` if the
/// description has no state.
///
/// # Errors
/// Returns an error if the text is not YAML, or if the state is not a name.
pub fn state_of_description(text: &str) -> Result<Option<String>, YamlError> {
    let document = parse(text)?;
    document.get("state").map(|node| text_of(node).map(str::to_owned)).transpose()
}

/// Reads a name.
fn text_of(node: &Node) -> Result<&str, YamlError> {
    let text = node.as_text().filter(|text| !text.is_empty() && !node.is_null());
    text.ok_or_else(|| node.error(format!("expected a name, found {}", node.kind())))
}

fn list_of(node: &Node) -> Result<&[Node], YamlError> {
    node.as_sequence().ok_or_else(|| node.error(format!("expected a list, found {}", node.kind())))
}

/// Reads one name or a list of names.
fn texts_of(node: &Node) -> Result<Vec<&str>, YamlError> {
    match node.as_sequence() {
        Some(items) => items.iter().map(text_of).collect(),
        None => Ok(vec![text_of(node)?]),
    }
}

/// Returns an error for the first key that is not one of `keys`.
fn check_keys(pairs: &[(String, Node)], keys: &[&str]) -> Result<(), YamlError> {
    match pairs.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
        Some((key, node)) => Err(node.error(format!("expected one of {}, found `{key}`", keys.join(", ")))),
        None => Ok(()),
    }
}

/// Adds a state and its nested states. `parent` is the full name of the state in which it is nested.
fn read_state(
    builder: DefinitionBuilder,
    node: &Node,
    parent: Option<&str>,
    depth: usize,
) -> Result<DefinitionBuilder, YamlError> {
    if depth > MAX_NESTING {
        return Err(node.error(format!("states are nested more than {MAX_NESTING} levels deep")));
    }
    let Some(pairs) = node.as_mapping() else {
        return Ok(add_state(builder, text_of(node)?, parent).0);
    };
    check_keys(pairs, &["name", "timeout", "on_timeout", "on_enter", "initial", "children", "states"])?;
    let name = node.get("name").ok_or_else(|| node.error("expected `name`"))?;
    let (mut builder, full_name) = add_state(builder, text_of(name)?, parent);
    if let Some(timeout) = node.get("timeout") {
        let on_timeout = node.get("on_timeout");
        let on_timeout = on_timeout.ok_or_else(|| timeout.error("`timeout` needs `on_timeout`"))?;
        builder = builder.timeout(seconds_of(timeout)?, text_of(on_timeout)?);
    } else if let Some(on_timeout) = node.get("on_timeout") {
        return Err(on_timeout.error("`on_timeout` needs `timeout`"));
    }
    for trigger in node.get("on_enter").map(texts_of).transpose()?.unwrap_or_default() {
        builder = builder.on_enter(trigger);
    }
    if let (Some(_), Some(states)) = (node.get("children"), node.get("states")) {
        return Err(states.error("`states` means the same as `children`: expected only one of them"));
    }
    let children = node.get("children").or_else(|| node.get("states"));
    for child in children.map(list_of).transpose()?.unwrap_or_default() {
        builder = read_state(builder, child, Some(&full_name), depth + 1)?;
    }
    match node.get("initial") {
        Some(initial) => Ok(builder.initial_nested_state(&full_name, text_of(initial)?)),
        None => Ok(builder),
    }
}

/// Adds a state. Returns the builder and the full name of the state.
fn add_state(builder: DefinitionBuilder, name: &str, parent: Option<&str>) -> (DefinitionBuilder, String) {
    match parent {
        Some(parent) => (builder.nested_state(parent, name), format!("{parent}{SEPARATOR}{name}")),
        None => (builder.state(name), name.to_owned()),
    }
}

fn seconds_of(node: &Node) -> Result<Duration, YamlError> {
    let seconds = node.as_float().or_else(|| node.as_integer().map(|whole| whole as f64));
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| node.error(format!("expected a number of seconds, found {}", node.kind())))
}

/// Reads a transition: `[trigger, source, dest]`, or a mapping with these keys. `dest` can't be left out. It is null
/// for an internal transition.
fn read_transition(mut builder: DefinitionBuilder, node: &Node) -> Result<DefinitionBuilder, YamlError> {
    let by_index = |index: usize| node.as_sequence().and_then(|items| items.get(index));
    if let Some(pairs) = node.as_mapping() {
        check_keys(pairs, &["trigger", "source", "dest"])?;
    }
    let part = |key: &str, index: usize| node.get(key).or_else(|| by_index(index));
    let missing = || node.error("expected [trigger, source, dest]");
    if node.as_sequence().is_some_and(|items| items.len() != 3) {
        return Err(missing());
    }
    let trigger = text_of(part("trigger", 0).ok_or_else(missing)?)?;
    let dest = part("dest", 2).ok_or_else(missing)?;
    let dest = Some(dest).filter(|dest| !dest.is_null()).map(text_of).transpose()?;
    for source in texts_of(part("source", 1).ok_or_else(missing)?)? {
        builder = match dest {
            Some(dest) => builder.transition(trigger, source, dest),
            None => builder.internal_transition(trigger, source),
        };
    }
    Ok(builder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    const DOOR: &str = "
name: door
initial: closed
states:
  - closed
  - {name: open, timeout: 5.0, on_timeout: close}
  - {name: moving, initial: slow, children: [slow, fast], on_enter: hurry}
transitions:
  - {trigger: open, source: closed, dest: open}
  - [close, [open, moving], closed]
  - [move, '*', moving]
  - [hurry, moving_slow, moving_fast]
  - [look, open, null]
";

    #[test]
    fn a_definition_in_the_form_of_transitions_is_read() {
        let door = Definition::from_yaml(DOOR).unwrap();
        assert_eq!((door.name(), door.states().count(), door.transitions().len()), ("door", 5, 6));
        let open = door.state(door.find("open").unwrap());
        assert_eq!(open.timeout, Some((Duration::from_secs(5), "close".into())));
        let mut machine = Machine::new(door);
        machine.trigger("open").unwrap();
        assert!(machine.trigger("look").unwrap().is_internal);
        machine.trigger("move").unwrap();
        assert_eq!(machine.state(), "moving_slow");
    }

    #[test]
    fn a_definition_that_is_written_reads_back_as_the_same() {
        let door = Definition::from_yaml(DOOR).unwrap();
        let text = door.to_json(Some("open"));
        assert_eq!(Definition::from_yaml(&text).unwrap(), door);
        assert_eq!(state_of_description(&text).unwrap().as_deref(), Some("open"));
        assert_eq!(state_of_description(&door.to_json(None)).unwrap(), None);
    }

    #[test]
    fn an_invalid_definition_is_reported_with_place_and_reason() {
        for (text, expected) in [
            ("[a, b]", "line 1, column 1: expected a mapping with `states`, found a list"),
            ("states: [a, a]", "two states have the name `a`"),
            ("states: []", "a machine needs at least one state"),
            ("states: [a]\ninitial: b", "`initial` names a state `b`, which does not exist"),
            (
                "states: [a]\ntransitions: [[go, a, b]]",
                "transition `go` names a state `b`, which does not exist",
            ),
            ("states: [a]\ntransitions: [[go]]", "line 2, column 15: expected [trigger, source, dest]"),
            ("states: [a]\ntransitions: [[go, a]]", "expected [trigger, source, dest]"),
            ("states: [a]\ntransitions: [[go, a, a, is_safe]]", "expected [trigger, source, dest]"),
            ("states: [a]\ntransitions: [{trigger: go, source: a}]", "expected [trigger, source, dest]"),
            ("states: [{name: a, on_timeout: t}]", "`on_timeout` needs `timeout`"),
            ("states: [{name: a, on_enter: null}]", "expected a name, found `null`"),
            ("states: [{name: a, children: [b], states: [c]}]", "expected only one of them"),
            (
                "states: [{name: a, initial: b}, a_b]",
                "`initial` of state `a` names `a_b`, which is not directly nested in it",
            ),
            ("states: [{name: a, children: [b]}, pick_up]", "state `pick_up`: if states are nested"),
            ("states: [{name: a, timeout: 1}]", "`timeout` needs `on_timeout`"),
            ("states: [{name: a, timeout: 0, on_timeout: t}]", "state `a` has a timeout of 0"),
            ("states: [{name: a, timeout: -1, on_timeout: t}]", "expected a number of seconds, found `-1`"),
            ("states: [a]\nqueued: false", "triggers are always queued"),
            ("states: [{name: a, colour: red}]", "found `colour`"),
            ("states: a", "expected a list, found `a`"),
            ("initial: a", "expected `states`"),
        ] {
            let error = Definition::from_yaml(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn states_that_are_nested_too_deep_are_an_error() {
        let deep =
            format!("states: [{}a{}]", "{name: a, initial: a, children: [".repeat(30), "]}".repeat(30));
        let error = Definition::from_yaml(&deep).unwrap_err().to_string();
        assert!(error.contains("deep"), "{error}");
    }
}
