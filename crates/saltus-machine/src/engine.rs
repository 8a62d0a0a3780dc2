//! The state that a machine is in, and what a trigger does to it.

use crate::{Definition, StateId, Transition, definition::Destination};

/// Why a trigger does nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TriggerError {
    /// Nothing listens to it.
    #[error("there is no trigger `{0}`")]
    Unknown(String),
    /// It leads nowhere from here.
    #[error("trigger `{trigger}` can't be pulled in state `{state}`")]
    NotAllowed {
        /// The trigger.
        trigger: String,
        /// The state that the machine is in.
        state: String,
    },
}

/// What a trigger did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The states that were left, from within.
    pub left: Vec<StateId>,
    /// The states that were entered, from without.
    pub entered: Vec<StateId>,
    /// Whether no state was left, because it was an internal transition.
    pub is_internal: bool,
}

/// A machine in a state.
///
/// **Invariant:** the state that it is in has no initial state within.
#[derive(Clone, Debug)]
pub struct Machine {
    definition: Definition,
    current: StateId,
}

impl Machine {
    /// A machine in its initial state.
    pub fn new(definition: Definition) -> Self {
        let initial = definition.initial();
        Self::at(definition, initial)
    }

    /// A machine that is in a state already: in it, or in the innermost initial one within.
    pub fn at(definition: Definition, state: StateId) -> Self {
        let current = definition.innermost(state);
        Self { definition, current }
    }

    /// What it is made of.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The name of the state that it is in.
    pub fn state(&self) -> &str {
        &self.definition.state(self.current).name
    }

    /// The state that it is in.
    pub fn current(&self) -> StateId {
        self.current
    }

    /// The states that it is in, from without.
    pub fn active(&self) -> Vec<StateId> {
        let mut path: Vec<StateId> = self.definition.path(self.current).collect();
        path.reverse();
        path
    }

    /// Pulls a trigger. Of the transitions that it may set off that is done which starts in the innermost state, and
    /// of those the first.
    pub fn trigger(&mut self, name: &str) -> Result<Step, TriggerError> {
        let (source, transition) = self.look_up(name)?;
        Ok(match transition.dest {
            Destination::Nowhere => Step { left: Vec::new(), entered: Vec::new(), is_internal: true },
            Destination::Same => self.go(source),
            Destination::To(dest) => self.go(dest),
        })
    }

    /// Whether a trigger would do something now; if not, why.
    pub fn may(&self, trigger: &str) -> Result<(), TriggerError> {
        self.look_up(trigger).map(|_| ())
    }

    /// The triggers that would do something now, each once.
    pub fn allowed(&self) -> Vec<&str> {
        let mut allowed = Vec::new();
        for transition in self.definition.transitions() {
            let name = transition.trigger.as_str();
            if !allowed.contains(&name) && self.may(name).is_ok() {
                allowed.push(name);
            }
        }
        allowed
    }

    fn look_up(&self, trigger: &str) -> Result<(StateId, &Transition), TriggerError> {
        self.find(trigger).ok_or_else(|| match self.definition.knows(trigger) {
            true => TriggerError::NotAllowed { trigger: trigger.into(), state: self.state().to_owned() },
            false => TriggerError::Unknown(trigger.into()),
        })
    }

    /// The transition that a trigger sets off here, and the state in which it starts.
    fn find(&self, trigger: &str) -> Option<(StateId, &Transition)> {
        let starts_in = |state: StateId| {
            let is_outermost = self.definition.state(state).parent.is_none();
            let from_any = |one: &Transition| is_outermost || one.dest == Destination::Same;
            let starts_here =
                |one: &Transition| one.source.map_or_else(|| from_any(one), |source| source == state);
            let mut all = self.definition.transitions().iter();
            all.find(|one| one.trigger == trigger && starts_here(one))
        };
        self.definition.path(self.current).find_map(|state| Some((state, starts_in(state)?)))
    }

    /// Leaves what does not hold `dest`, and enters what does and was not left. `dest` itself is left first if the
    /// machine is in it.
    fn go(&mut self, dest: StateId) -> Step {
        let definition = &self.definition;
        let holders: Vec<StateId> = definition.path(dest).skip(1).collect();
        let left: Vec<StateId> =
            definition.path(self.current).take_while(|state| !holders.contains(state)).collect();
        let stays: Vec<StateId> = definition.path(self.current).skip(left.len()).collect();
        let innermost = definition.innermost(dest);
        let mut entered: Vec<StateId> =
            definition.path(innermost).take_while(|state| !stays.contains(state)).collect();
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
            .state_within("busy", "slow")
            .state_within("busy", "fast")
            .initial_within("busy", "slow")
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
    fn states_within_others_are_entered_and_left_with_them() {
        let mut machine = robot();
        let step = machine.trigger("go").unwrap();
        assert_eq!(names(&machine, &step.entered), ["busy", "busy_slow"]);
        let step = machine.trigger("hurry").unwrap();
        assert_eq!(names(&machine, &step.left), ["busy_slow"]);
        assert_eq!(names(&machine, &step.entered), ["busy_fast"]);
        // That of the inner state comes before that of the outer.
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
    fn what_can_not_be_says_why_and_changes_nothing() {
        let mut machine = robot();
        let not_here = TriggerError::NotAllowed { trigger: "hurry".into(), state: "idle".into() };
        assert_eq!(machine.trigger("hurry"), Err(not_here));
        assert_eq!(machine.trigger("fly"), Err(TriggerError::Unknown("fly".into())));
        assert_eq!(machine.state(), "idle");
    }
}
