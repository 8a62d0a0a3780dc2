//! The current state of a machine, and the effect of a trigger on it.

use crate::{Definition, StateId, Transition, definition::Destination};

/// Why a trigger was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TriggerError {
    /// The machine has no transition with this trigger.
    #[error("unknown trigger `{0}`: the machine has no transition with it")]
    Unknown(String),
    /// The trigger causes no transition in the current state.
    #[error("trigger `{trigger}` is not allowed in state `{state}`")]
    NotAllowed {
        /// The trigger.
        trigger: String,
        /// The name of the current state.
        state: String,
    },
}

/// The effect of a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The states that were left, from the innermost outwards.
    pub left: Vec<StateId>,
    /// The states that were entered, from the outermost inwards.
    pub entered: Vec<StateId>,
    /// Whether the transition was internal, so that no state was left.
    pub is_internal: bool,
}

/// A machine and its current state.
///
/// **Invariant:** the current state has no initial nested state.
#[derive(Clone, Debug)]
pub struct Machine {
    definition: Definition,
    current: StateId,
}

impl Machine {
    /// Creates a machine in its initial state.
    pub fn new(definition: Definition) -> Self {
        let initial = definition.initial();
        Self::in_state(definition, initial)
    }

    /// Creates a machine in the state `state`. If that has an initial nested state, the machine is in the nested state,
    /// and so on inwards.
    pub fn in_state(definition: Definition, state: StateId) -> Self {
        let current = definition.innermost(state);
        Self { definition, current }
    }

    /// Returns the definition of the machine.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the name of the current state.
    pub fn state(&self) -> &str {
        &self.definition.state(self.current).name
    }

    /// Returns the current state.
    pub fn current(&self) -> StateId {
        self.current
    }

    /// Returns the current state and its ancestors, from the outermost inwards.
    pub fn active_states(&self) -> Vec<StateId> {
        let mut path: Vec<StateId> = self.definition.path(self.current).collect();
        path.reverse();
        path
    }

    /// Processes a trigger. If several transitions of the trigger are possible, the one that starts in the innermost
    /// state is executed. If several start in that state, the first of them is executed.
    pub fn trigger(&mut self, name: &str) -> Result<Step, TriggerError> {
        let (source, transition) = self.look_up(name)?;
        Ok(match transition.dest {
            Destination::Internal => Step { left: Vec::new(), entered: Vec::new(), is_internal: true },
            Destination::Source => self.enter(source),
            Destination::State(dest) => self.enter(dest),
        })
    }

    /// Checks whether a trigger is allowed in the current state. Does not process it.
    pub fn check_trigger(&self, trigger: &str) -> Result<(), TriggerError> {
        self.look_up(trigger).map(|_| ())
    }

    /// Returns the triggers that are allowed in the current state, each once.
    pub fn allowed_triggers(&self) -> Vec<&str> {
        let mut allowed = Vec::new();
        for transition in self.definition.transitions() {
            let name = transition.trigger.as_str();
            if !allowed.contains(&name) && self.check_trigger(name).is_ok() {
                allowed.push(name);
            }
        }
        allowed
    }

    fn look_up(&self, trigger: &str) -> Result<(StateId, &Transition), TriggerError> {
        self.find(trigger).ok_or_else(|| match self.definition.has_trigger(trigger) {
            true => TriggerError::NotAllowed { trigger: trigger.into(), state: self.state().to_owned() },
            false => TriggerError::Unknown(trigger.into()),
        })
    }

    /// Returns the transition that a trigger causes in the current state, and the state in which it starts.
    fn find(&self, trigger: &str) -> Option<(StateId, &Transition)> {
        let starts_in = |state: StateId| {
            let is_outermost = self.definition.state(state).parent.is_none();
            let from_any = |one: &Transition| is_outermost || one.dest == Destination::Source;
            let starts_here =
                |one: &Transition| one.source.map_or_else(|| from_any(one), |source| source == state);
            let mut all = self.definition.transitions().iter();
            all.find(|one| one.trigger == trigger && starts_here(one))
        };
        self.definition.path(self.current).find_map(|state| Some((state, starts_in(state)?)))
    }

    /// Enters the state `dest`. First leaves the active states that are not ancestors of `dest`; this includes `dest`
    /// if it is active. Then enters the ancestors that are not active, `dest`, and its initial nested states.
    fn enter(&mut self, dest: StateId) -> Step {
        let definition = &self.definition;
        let ancestors: Vec<StateId> = definition.path(dest).skip(1).collect();
        let left: Vec<StateId> =
            definition.path(self.current).take_while(|state| !ancestors.contains(state)).collect();
        let remaining: Vec<StateId> = definition.path(self.current).skip(left.len()).collect();
        let innermost = definition.innermost(dest);
        let mut entered: Vec<StateId> =
            definition.path(innermost).take_while(|state| !remaining.contains(state)).collect();
        entered.reverse();
        self.current = innermost;
        Step { left, entered, is_internal: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(machine: &Machine, states: &[StateId]) -> Vec<String> {
        states.iter().map(|id| machine.definition().state(*id).name.clone()).collect()
    }

    fn robot() -> Machine {
        let definition = Definition::builder("robot")
            .state("idle")
            .state("busy")
            .nested_state("busy", "slow")
            .nested_state("busy", "fast")
            .initial_nested_state("busy", "slow")
            .transition("go", "idle", "busy")
            .transition("hurry", "busy_slow", "busy_fast")
            .transition("stop", "busy", "idle")
            .transition("stop", "busy_fast", "busy_slow")
            .transition("again", "*", "=")
            .internal_transition("look", "*")
            .build();
        Machine::new(definition.unwrap())
    }

    #[test]
    fn nested_states_are_entered_and_left_with_their_parents() {
        let mut machine = robot();
        let step = machine.trigger("go").unwrap();
        assert_eq!(names(&machine, &step.entered), ["busy", "busy_slow"]);
        let step = machine.trigger("hurry").unwrap();
        assert_eq!(names(&machine, &step.left), ["busy_slow"]);
        assert_eq!(names(&machine, &step.entered), ["busy_fast"]);
        // The transition of the nested state comes before that of its parent.
        machine.trigger("stop").unwrap();
        assert_eq!(machine.state(), "busy_slow");
        let step = machine.trigger("stop").unwrap();
        assert_eq!(
            (machine.state(), names(&machine, &step.left)),
            ("idle", vec!["busy_slow".into(), "busy".into()])
        );
    }

    #[test]
    fn a_transition_to_the_same_state_leaves_it_and_an_internal_one_does_not() {
        let mut machine = robot();
        let step = machine.trigger("again").unwrap();
        assert_eq!((step.left.len(), step.entered.len(), step.is_internal), (1, 1, false));
        let step = machine.trigger("look").unwrap();
        assert_eq!((step.left.len(), step.entered.len(), step.is_internal), (0, 0, true));
    }

    #[test]
    fn a_trigger_that_is_refused_reports_why_and_changes_nothing() {
        let mut machine = robot();
        let expected = TriggerError::NotAllowed { trigger: "hurry".into(), state: "idle".into() };
        assert_eq!(machine.trigger("hurry"), Err(expected));
        assert_eq!(machine.trigger("fly"), Err(TriggerError::Unknown("fly".into())));
        assert_eq!(machine.state(), "idle");
    }
}
