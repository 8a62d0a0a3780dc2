//! What a machine is made of.

use std::{collections::HashMap, sync::Arc, time::Duration};

/// Between the names of a state and of one within it.
pub(crate) const SEPARATOR: char = '_';
/// As a source: every outermost state. As a destination of a transition `=` stands for the state that it comes from.
pub(crate) const ANY: &str = "*";
pub(crate) const SAME: &str = "=";

/// Why a definition makes no machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// There are no states.
    #[error("a machine needs at least one state")]
    NoStates,
    /// Two states have one name.
    #[error("there are two states `{0}`")]
    Twice(String),
    /// A state is named that there is not.
    #[error("{what} names a state `{name}`, which is not there")]
    Unknown {
        /// What names it.
        what: String,
        /// The name.
        name: String,
    },
    /// A state is entered with one that is not within it.
    #[error("`initial` of state `{outer}` names `{name}`, which is not directly within it")]
    NotWithin {
        /// The outer state.
        outer: String,
        /// The full name of the other.
        name: String,
    },
    /// A name reads as that of a state within another.
    #[error("state `{0}`: where states are within others, `_` stands between their names, and in none")]
    Separator(String),
    /// A time-out is 0.
    #[error("state `{0}` has a timeout of 0")]
    NoTime(String),
}

/// A state of a definition.
///
/// **Invariant:** used with the definition that it comes from only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateId(pub(crate) usize);

/// A state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name; of one within another both, with `_` between them.
    pub name: String,
    /// The state that it is within.
    pub parent: Option<StateId>,
    /// Of one with others within, which of them is entered with it.
    pub initial: Option<StateId>,
    /// After which time which trigger is pulled, unless it is left before.
    pub timeout: Option<(Duration, String)>,
    /// Triggers that are pulled once it was entered.
    pub on_enter: Vec<String>,
}

/// What leads from one state to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// What sets it off.
    pub trigger: String,
    /// Where it starts; `None` for every outermost state, and so wherever the machine is. If it leads back to the
    /// same state: for every state, those within others too.
    pub source: Option<StateId>,
    /// Where it leads.
    pub dest: Destination,
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Nowhere: it is internal, and no state is left.
    Nowhere,
    /// Out of the state that it starts in, and back into it.
    Same,
    /// To another state.
    To(StateId),
}

/// A machine's states and transitions. Cheap to clone.
///
/// **Invariant:** every state that is named is there, and stands behind the one that it is within.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition(Arc<Inner>);

#[derive(Debug, PartialEq)]
struct Inner {
    name: String,
    states: Vec<State>,
    transitions: Vec<Transition>,
    initial: StateId,
}

impl Definition {
    /// Begins one.
    ///
    /// ```
    /// use std::time::Duration;
    /// let blinker = saltus_machine::Definition::builder("blinker")
    ///     .state("off")
    ///     .timed_state("on", Duration::from_millis(500), "toggle")
    ///     .transition("toggle", "off", "on")
    ///     .transition("toggle", "on", "off")
    ///     .build()?;
    /// assert_eq!(blinker.state(blinker.initial()).name, "off");
    /// # Ok::<(), saltus_machine::DefinitionError>(())
    /// ```
    pub fn builder(name: &str) -> DefinitionBuilder {
        DefinitionBuilder { name: name.into(), ..DefinitionBuilder::default() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Every state, those within others after those.
    pub fn states(&self) -> impl Iterator<Item = (StateId, &State)> {
        self.0.states.iter().enumerate().map(|(place, state)| (StateId(place), state))
    }

    /// A state.
    pub fn state(&self, id: StateId) -> &State {
        &self.0.states[id.0]
    }

    /// The state of that name.
    pub fn find(&self, name: &str) -> Option<StateId> {
        self.states().find(|(_, state)| state.name == name).map(|(id, _)| id)
    }

    /// Every transition, in the order in which they are looked at.
    pub fn transitions(&self) -> &[Transition] {
        &self.0.transitions
    }

    /// The state that a machine begins in.
    pub fn initial(&self) -> StateId {
        self.0.initial
    }

    /// Whether anything listens to that trigger.
    pub fn knows(&self, trigger: &str) -> bool {
        self.0.transitions.iter().any(|transition| transition.trigger == trigger)
    }

    /// A state, the one that it is within, and so on outwards.
    pub fn path(&self, id: StateId) -> impl Iterator<Item = StateId> {
        std::iter::successors(Some(id), |id| self.state(*id).parent)
    }

    /// The state that is entered in the end when this one is: it, or the innermost initial one within.
    pub(crate) fn innermost(&self, id: StateId) -> StateId {
        std::iter::successors(Some(id), |id| self.state(*id).initial).last().unwrap_or(id)
    }
}

/// A definition that is being put together: names are looked up at its end.
#[derive(Clone, Debug, Default)]
#[must_use = "it is no definition before `build`"]
pub struct DefinitionBuilder {
    name: String,
    states: Vec<Draft>,
    transitions: Vec<(String, String, Option<String>)>,
    initial: Option<String>,
    /// Something that was named before it was there.
    unknown: Option<DefinitionError>,
}

/// A state as it was named.
#[derive(Clone, Debug)]
struct Draft {
    name: String,
    parent: Option<String>,
    initial: Option<String>,
    timeout: Option<(Duration, String)>,
    on_enter: Vec<String>,
}

impl DefinitionBuilder {
    /// A state.
    pub fn state(self, name: &str) -> Self {
        self.draft(name, None)
    }

    /// A state that pulls a trigger after a time, unless it is left before.
    pub fn timed_state(self, name: &str, after: Duration, trigger: &str) -> Self {
        self.state(name).timeout(after, trigger)
    }

    /// A state within another, which is named before; its full name is `outer_name`. Then no name may have a `_`.
    pub fn state_within(self, outer: &str, name: &str) -> Self {
        self.draft(&format!("{outer}{SEPARATOR}{name}"), Some(outer))
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

    fn last(mut self, change: impl FnOnce(&mut Draft)) -> Self {
        if let Some(state) = self.states.last_mut() {
            change(state);
        }
        self
    }

    /// The state that was named last pulls a trigger after a time.
    pub fn timeout(self, after: Duration, trigger: &str) -> Self {
        self.last(|state| state.timeout = Some((after, trigger.into())))
    }

    /// The state that was named last pulls a trigger once it was entered.
    pub fn on_enter(self, trigger: &str) -> Self {
        self.last(|state| state.on_enter.push(trigger.into()))
    }

    /// Of a state with others within, which of them is entered with it, by its short name.
    pub fn initial_within(mut self, outer: &str, name: &str) -> Self {
        let full = format!("{outer}{SEPARATOR}{name}");
        match self.states.iter_mut().find(|state| state.name == outer) {
            Some(state) => state.initial = Some(full),
            None => {
                let (what, name) = (format!("`initial` `{name}`"), outer.into());
                self.unknown.get_or_insert(DefinitionError::Unknown { what, name });
            }
        }
        self
    }

    /// A transition; the source `*` means every outermost state, and with the destination `=` every state; the
    /// destination `=` the state that it starts in.
    pub fn transition(mut self, trigger: &str, source: &str, dest: &str) -> Self {
        self.transitions.push((trigger.into(), source.into(), Some(dest.into())));
        self
    }

    /// A transition that leaves no state.
    pub fn internal_transition(mut self, trigger: &str, source: &str) -> Self {
        self.transitions.push((trigger.into(), source.into(), None));
        self
    }

    /// The state that a machine begins in, instead of the one that was named first.
    pub fn initial(mut self, name: &str) -> Self {
        self.initial = Some(name.into());
        self
    }

    /// Looks all names up.
    ///
    /// # Errors
    /// If there are no states, or two of one name, or one is named that is not there or not where it is to be, or has a
    /// time of 0.
    pub fn build(self) -> Result<Definition, DefinitionError> {
        if let Some(unknown) = self.unknown {
            return Err(unknown);
        }
        let names = Names::new(&self.states)?;
        self.states.iter().find_map(|draft| draft.ambiguous(&self.states)).map_or(Ok(()), Err)?;
        let first = self.states.first().ok_or(DefinitionError::NoStates)?;
        let initial = names.find(|| "`initial`".into(), self.initial.as_deref().unwrap_or(&first.name))?;
        let states =
            self.states.iter().map(|draft| draft.look_up(&names, &self.states)).collect::<Result<_, _>>()?;
        let mut transitions = Vec::with_capacity(self.transitions.len());
        for (trigger, source, dest) in &self.transitions {
            let find = |name: &str| names.find(|| format!("transition `{trigger}`"), name);
            let source = if source == ANY { None } else { Some(find(source)?) };
            let dest = match dest.as_deref() {
                None => Destination::Nowhere,
                Some(SAME) => Destination::Same,
                Some(name) => Destination::To(find(name)?),
            };
            transitions.push(Transition { trigger: trigger.clone(), source, dest });
        }
        Ok(Definition(Arc::new(Inner { name: self.name, states, transitions, initial })))
    }
}

/// Where each state stands.
struct Names<'a>(HashMap<&'a str, StateId>);

impl<'a> Names<'a> {
    fn new(states: &'a [Draft]) -> Result<Self, DefinitionError> {
        let mut names = HashMap::with_capacity(states.len());
        for (place, state) in states.iter().enumerate() {
            if names.insert(state.name.as_str(), StateId(place)).is_some() {
                return Err(DefinitionError::Twice(state.name.clone()));
            }
        }
        Ok(Self(names))
    }

    fn find(&self, what: impl FnOnce() -> String, name: &str) -> Result<StateId, DefinitionError> {
        let found = self.0.get(name).copied();
        found.ok_or_else(|| DefinitionError::Unknown { what: what(), name: name.into() })
    }
}

impl Draft {
    /// Why its name may not be where some states are within others.
    fn ambiguous(&self, all: &[Self]) -> Option<DefinitionError> {
        let outer = self.parent.as_ref().map_or(0, |outer| outer.len() + SEPARATOR.len_utf8());
        let is_nested = all.iter().any(|state| state.parent.is_some());
        let is_ambiguous = is_nested && self.name[outer..].contains(SEPARATOR);
        is_ambiguous.then(|| DefinitionError::Separator(self.name.clone()))
    }

    fn look_up(&self, names: &Names<'_>, all: &[Self]) -> Result<State, DefinitionError> {
        if self.timeout.as_ref().is_some_and(|(after, _)| after.is_zero()) {
            return Err(DefinitionError::NoTime(self.name.clone()));
        }
        let find = |name: &String| names.find(|| format!("state `{}`", self.name), name);
        if let Some(initial) = self.initial.as_ref()
            && names.0.get(initial.as_str()).is_some_and(|id| all[id.0].parent.as_ref() != Some(&self.name))
        {
            return Err(DefinitionError::NotWithin { outer: self.name.clone(), name: initial.clone() });
        }
        Ok(State {
            name: self.name.clone(),
            parent: self.parent.as_ref().map(find).transpose()?,
            initial: self.initial.as_ref().map(find).transpose()?,
            timeout: self.timeout.clone(),
            on_enter: self.on_enter.clone(),
        })
    }
}
