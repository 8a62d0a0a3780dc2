//! What waits for its turn: one trigger is pulled at a time.

use std::{collections::VecDeque, sync::Mutex};

use saltus_types::{Time, lock};

use crate::StateId;

/// Something to be pulled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pull {
    /// A trigger.
    Trigger(String),
    /// What a state's time-out pulls, if the state has not been left since it got this deadline.
    TimeOut(StateId, Time),
}

/// What waits, each with when it was due.
///
/// **Invariant:** at most one [`Turn`] is out; whoever has it pulls all that waits before it gives it back.
#[derive(Default)]
pub(crate) struct Pulled(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    pulls: VecDeque<(Pull, Time)>,
    is_busy: bool,
}

/// The right to pull, until nothing waits any more; given back by a panic too.
pub(crate) struct Turn<'a> {
    pulled: &'a Pulled,
    is_over: bool,
}

impl Turn<'_> {
    /// What waits longest; the turn is over when nothing does.
    pub(crate) fn next(&mut self) -> Option<(Pull, Time)> {
        let mut waiting = lock(&self.pulled.0);
        let next = waiting.pulls.pop_front();
        // Under the lock: what comes from now on takes the turn itself.
        waiting.is_busy = next.is_some();
        self.is_over = next.is_none();
        next
    }

    /// Forgets all that waits.
    pub(crate) fn abandon(self) {
        lock(&self.pulled.0).pulls.clear();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            lock(&self.pulled.0).is_busy = false;
        }
    }
}

impl Pulled {
    /// Lets something wait, for who has the turn.
    pub(crate) fn push(&self, pull: Pull, due: Time) {
        lock(&self.0).pulls.push_back((pull, due));
    }

    /// The turn; if another has it, `pull` waits, and that one will pull it.
    pub(crate) fn turn_or_push(&self, pull: &Pull, due: Time) -> Option<Turn<'_>> {
        let mut waiting = lock(&self.0);
        let turn = self.turn_of(&mut waiting);
        if turn.is_none() {
            waiting.pulls.push_back((pull.clone(), due));
        }
        turn
    }

    /// The turn, unless another has it.
    pub(crate) fn turn(&self) -> Option<Turn<'_>> {
        self.turn_of(&mut lock(&self.0))
    }

    fn turn_of(&self, waiting: &mut Waiting) -> Option<Turn<'_>> {
        let is_free = !std::mem::replace(&mut waiting.is_busy, true);
        is_free.then(|| Turn { pulled: self, is_over: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_nanos(0);

    fn named(name: &str) -> Pull {
        Pull::Trigger(name.into())
    }

    #[test]
    fn one_has_the_turn_until_nothing_waits_and_the_others_wait_in_order() {
        let pulled = Pulled::default();
        let mut turn = pulled.turn_or_push(&named("first"), NOW).unwrap();
        assert!(pulled.turn_or_push(&named("second"), NOW).is_none());
        pulled.push(named("third"), NOW);
        assert_eq!(turn.next(), Some((named("second"), NOW)));
        // It has not ended: nobody gets before what waits.
        assert!(pulled.turn_or_push(&named("fourth"), NOW).is_none());
        assert_eq!(turn.next(), Some((named("third"), NOW)));
        assert_eq!(turn.next(), Some((named("fourth"), NOW)));
        assert_eq!(turn.next(), None);
        let other = pulled.turn_or_push(&named("fifth"), NOW);
        drop(turn);
        assert!(other.is_some() && pulled.turn_or_push(&named("sixth"), NOW).is_none());
    }

    #[test]
    fn a_panic_gives_the_turn_back() {
        let pulled = Pulled::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = pulled.turn_or_push(&named("first"), NOW);
            panic!("in a callback");
        }));
        assert!(outcome.is_err() && pulled.turn_or_push(&named("second"), NOW).is_some());
    }
}
