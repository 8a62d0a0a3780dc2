//! Definitions of machines: states and transitions.

use std::{collections::HashMap, sync::Arc, time::Duration};

/// The separator between the name of a state and the name of a state nested in it.
pub(crate) const SEPARATOR: char = '_';
/// The source of a transition that starts in every outermost state.
pub(crate) const ANY: &str = "*";
/// The destination of a transition that returns to the state in which it starts.
pub(crate) const SAME: &str = "=";

/// Why a definition is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// There are no states.
    #[error("a machine needs at least one state")]
    NoStates,
    /// Two states have the same name.
    #[error("two states have the name `{0}`: names must be unique")]
    DuplicateState(String),
    /// A name refers to a state that does not exist.
    #[error("{what} names a state `{name}`, which does not exist")]
    UnknownState {
        /// The part of the definition that refers to the state.
        what: String,
        /// The name of the missing state.
        name: String,
    },
    /// The initial state of a state is not nested in it.
    #[error("`initial` of state `{parent}` names `{name}`, which is not directly nested in it")]
    InitialNotNested {
        /// The name of the parent state.
        parent: String,
        /// The full name of the initial state.
        name: String,
    },
    /// A nested state was added before its parent.
    #[error("state `{0}` was added before the state that it is nested in: add that one first")]
    BeforeParent(String),
    /// A name could be mistaken for the full name of a nested state.
    #[error("state `{0}`: if states are nested, no name can contain `_`, because it separates nested names")]
    AmbiguousName(String),
    /// A timeout is 0.
    #[error("state `{0}` has a timeout of 0: it must be longer")]
    ZeroTimeout(String),
}

/// The id of a state in a definition.
///
/// **Invariant:** it is used only with the definition that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub(crate) usize);

/// A state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its full name. For a nested state this is the full name of its parent, `_` and its own name.
    pub name: String,
    /// The state in which it is nested, if any.
    pub parent: Option<StateId>,
    /// Its initial nested state, which is entered after it, if any.
    pub initial: Option<StateId>,
    /// Its timeout: a time and a trigger. The trigger is processed after this time, unless the state is left earlier.
    pub timeout: Option<(Duration, String)>,
    /// The triggers that are processed after the state is entered.
    pub on_enter: Vec<String>,
}

/// A transition from one state to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The trigger that causes it.
    pub trigger: String,
    /// The state in which it starts. `None` means every outermost state, so the transition is possible in every state.
    /// If the destination is [`Destination::Source`], `None` means every state, including nested states.
    pub source: Option<StateId>,
    /// The destination.
    pub dest: Destination,
}

/// The destination of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// No state: the transition is internal, and no state is left.
    Internal,
    /// The state in which the transition starts. It is left and entered again.
    Source,
    /// This state.
    State(StateId),
}

/// The states and transitions of a machine. Cheap to clone.
///
/// **Invariant:** every state that is referred to exists. A nested state comes after its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition(Arc<DefinitionData>);

#[derive(Debug, PartialEq)]
struct DefinitionData {
    name: String,
    states: Vec<State>,
    transitions: Vec<Transition>,
    initial: StateId,
}

impl Definition {
    /// Starts to build a definition.
    ///
    /// ```
    /// use std::time::Duration;
    /// let blinker = saltus::machine::Definition::builder("blinker")
    ///     .state("off")
    ///     .timed_state("on", Duration::from_millis(500), "toggle")
    ///     .transition("toggle", "off", "on")
    ///     .transition("toggle", "on", "off")
    ///     .build()?;
    /// assert_eq!(blinker.state(blinker.initial()).name, "off");
    /// # Ok::<(), saltus::machine::DefinitionError>(())
    /// ```
    pub fn builder(name: &str) -> DefinitionBuilder {
        DefinitionBuilder { name: name.into(), ..DefinitionBuilder::default() }
    }

    /// Returns the name of the machine.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns all states. A nested state comes after its parent.
    pub fn states(&self) -> impl Iterator<Item = (StateId, &State)> {
        self.0.states.iter().enumerate().map(|(index, state)| (StateId(index), state))
    }

    /// Returns a state.
    pub fn state(&self, id: StateId) -> &State {
        &self.0.states[id.0]
    }

    /// Returns the state with this full name.
    pub fn find(&self, name: &str) -> Option<StateId> {
        self.states().find(|(_, state)| state.name == name).map(|(id, _)| id)
    }

    /// Returns all transitions, in the order in which they are checked.
    pub fn transitions(&self) -> &[Transition] {
        &self.0.transitions
    }

    /// Returns the initial state of a machine.
    pub fn initial(&self) -> StateId {
        self.0.initial
    }

    /// Whether any transition has this trigger.
    pub fn has_trigger(&self, trigger: &str) -> bool {
        self.0.transitions.iter().any(|transition| transition.trigger == trigger)
    }

    /// Returns a state and its ancestors, from the state outwards.
    pub fn path(&self, id: StateId) -> impl Iterator<Item = StateId> {
        std::iter::successors(Some(id), |id| self.state(*id).parent)
    }

    /// Follows the initial nested states of a state inwards. Returns the last of them, or the state if it has none.
    pub(crate) fn innermost(&self, id: StateId) -> StateId {
        std::iter::successors(Some(id), |id| self.state(*id).initial).last().unwrap_or(id)
    }
}

/// A builder for definitions. [`DefinitionBuilder::build`] resolves the names of states.
#[derive(Clone, Debug, Default)]
#[must_use = "no definition is made before `build`"]
pub struct DefinitionBuilder {
    name: String,
    states: Vec<Draft>,
    transitions: Vec<(String, String, Option<String>)>,
    initial: Option<String>,
    /// The error of the first call that named a state before it was added.
    unknown: Option<DefinitionError>,
}

/// A state whose names are not resolved yet.
#[derive(Clone, Debug)]
struct Draft {
    name: String,
    parent: Option<String>,
    initial: Option<String>,
    timeout: Option<(Duration, String)>,
    on_enter: Vec<String>,
}

impl DefinitionBuilder {
    /// Adds a state.
    pub fn state(self, name: &str) -> Self {
        self.draft(name, None)
    }

    /// Adds a state with a timeout: `trigger` is processed after the time `after`, unless the state is left earlier.
    pub fn timed_state(self, name: &str, after: Duration, trigger: &str) -> Self {
        self.state(name).timeout(after, trigger)
    }

    /// Adds a state that is nested in the state `parent`, which was added before. Its full name is `parent_name`. If a
    /// machine has nested states, no name that is given to a state may contain `_`.
    pub fn nested_state(self, parent: &str, name: &str) -> Self {
        self.draft(&format!("{parent}{SEPARATOR}{name}"), Some(parent))
    }

    fn draft(mut self, name: &str, parent: Option<&str>) -> Self {
        self.states.push(Draft {
            name: name.into(),
            parent: parent.map(Into::into),
            initial: None,
            timeout: None,
            on_enter: Vec::new(),
        });
        self
    }

    /// Changes the state that was added last.
    fn with_last(mut self, change: impl FnOnce(&mut Draft)) -> Self {
        if let Some(state) = self.states.last_mut() {
            change(state);
        }
        self
    }

    /// Sets the timeout of the state that was added last, as in [`DefinitionBuilder::timed_state`].
    pub fn timeout(self, after: Duration, trigger: &str) -> Self {
        self.with_last(|state| state.timeout = Some((after, trigger.into())))
    }

    /// Adds a trigger that is processed after the state that was added last is entered.
    pub fn on_enter(self, trigger: &str) -> Self {
        self.with_last(|state| state.on_enter.push(trigger.into()))
    }

    /// Sets the initial nested state of the state `parent`, which was added before. `name` is the nested state's own
    /// name, without that of its parent.
    pub fn initial_nested_state(mut self, parent: &str, name: &str) -> Self {
        let full_name = format!("{parent}{SEPARATOR}{name}");
        match self.states.iter_mut().find(|state| state.name == parent) {
            Some(state) => state.initial = Some(full_name),
            None => {
                let (what, name) = (format!("the initial nested state `{name}`"), parent.into());
                self.unknown.get_or_insert(DefinitionError::UnknownState { what, name });
            }
        }
        self
    }

    /// Adds a transition. The destination `=` means the state in which the transition starts. The source `*` means
    /// every outermost state. With the destination `=`, it means every state.
    pub fn transition(mut self, trigger: &str, source: &str, dest: &str) -> Self {
        self.transitions.push((trigger.into(), source.into(), Some(dest.into())));
        self
    }

    /// Adds an internal transition, which leaves no state.
    pub fn internal_transition(mut self, trigger: &str, source: &str) -> Self {
        self.transitions.push((trigger.into(), source.into(), None));
        self
    }

    /// Sets the initial state of a machine. The default is the state that was added first.
    pub fn initial(mut self, name: &str) -> Self {
        self.initial = Some(name.into());
        self
    }

    /// Resolves all names and creates the definition.
    ///
    /// # Errors
    /// Returns an error if there are no states, two states have the same name, a name refers to a state that does not
    /// exist or is not nested where it must be, a nested state was added before its parent, a name contains `_` although
    /// states are nested, or a timeout is 0.
    pub fn build(self) -> Result<Definition, DefinitionError> {
        if let Some(unknown) = self.unknown {
            return Err(unknown);
        }
        let names = Names::new(&self.states)?;
        self.states.iter().find_map(|draft| draft.ambiguous_name(&self.states)).map_or(Ok(()), Err)?;
        let first = self.states.first().ok_or(DefinitionError::NoStates)?;
        let initial = names.find(|| "`initial`".into(), self.initial.as_deref().unwrap_or(&first.name))?;
        let states =
            self.states.iter().map(|draft| draft.look_up(&names, &self.states)).collect::<Result<_, _>>()?;
        let mut transitions = Vec::with_capacity(self.transitions.len());
        for (trigger, source, dest) in &self.transitions {
            let find = |name: &str| names.find(|| format!("transition `{trigger}`"), name);
            let source = if source == ANY { None } else { Some(find(source)?) };
            let dest = match dest.as_deref() {
                None => Destination::Internal,
                Some(SAME) => Destination::Source,
                Some(name) => Destination::State(find(name)?),
            };
            transitions.push(Transition { trigger: trigger.clone(), source, dest });
        }
        Ok(Definition(Arc::new(DefinitionData { name: self.name, states, transitions, initial })))
    }
}

/// The id of each state, by its full name.
struct Names<'a>(HashMap<&'a str, StateId>);

impl<'a> Names<'a> {
    fn new(states: &'a [Draft]) -> Result<Self, DefinitionError> {
        let mut names = HashMap::with_capacity(states.len());
        for (index, state) in states.iter().enumerate() {
            if names.insert(state.name.as_str(), StateId(index)).is_some() {
                return Err(DefinitionError::DuplicateState(state.name.clone()));
            }
        }
        Ok(Self(names))
    }

    fn find(&self, what: impl FnOnce() -> String, name: &str) -> Result<StateId, DefinitionError> {
        let found = self.0.get(name).copied();
        found.ok_or_else(|| DefinitionError::UnknownState { what: what(), name: name.into() })
    }
}

impl Draft {
    /// Returns an error if the machine has nested states and the state's own name contains the separator.
    fn ambiguous_name(&self, all: &[Self]) -> Option<DefinitionError> {
        let prefix = self.parent.as_ref().map_or(0, |parent| parent.len() + SEPARATOR.len_utf8());
        let is_nested = all.iter().any(|state| state.parent.is_some());
        let is_ambiguous = is_nested && self.name[prefix..].contains(SEPARATOR);
        is_ambiguous.then(|| DefinitionError::AmbiguousName(self.name.clone()))
    }

    fn look_up(&self, names: &Names<'_>, all: &[Self]) -> Result<State, DefinitionError> {
        if self.timeout.as_ref().is_some_and(|(after, _)| after.is_zero()) {
            return Err(DefinitionError::ZeroTimeout(self.name.clone()));
        }
        let find = |name: &String| names.find(|| format!("state `{}`", self.name), name);
        let parent = self.parent.as_ref().map(find).transpose()?;
        if parent > names.0.get(self.name.as_str()).copied() {
            return Err(DefinitionError::BeforeParent(self.name.clone()));
        }
        if let Some(initial) = self.initial.as_ref()
            && names.0.get(initial.as_str()).is_some_and(|id| all[id.0].parent.as_ref() != Some(&self.name))
        {
            return Err(DefinitionError::InitialNotNested {
                parent: self.name.clone(),
                name: initial.clone(),
            });
        }
        Ok(State {
            name: self.name.clone(),
            parent,
            initial: self.initial.as_ref().map(find).transpose()?,
            timeout: self.timeout.clone(),
            on_enter: self.on_enter.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_state_that_is_added_before_its_parent_is_an_error() {
        let error =
            Definition::builder("robot").nested_state("busy", "fast").state("busy").build().unwrap_err();
        assert_eq!(error, DefinitionError::BeforeParent("busy_fast".into()));
    }
}
