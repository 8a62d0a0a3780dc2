//! Triggers that wait for their turn: one is pulled at a time.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use saltus_types::Time;

/// A panic in a callback leaves nothing half done that a lock guards.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Triggers that wait, each with when it was due.
///
/// **Invariant:** at most one [`Turn`] is out; whoever gives it back looks for what came meanwhile.
#[derive(Default)]
pub(crate) struct Pulled(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    triggers: VecDeque<(String, Time)>,
    is_busy: bool,
}

/// The right to pull a trigger; given back when dropped, also by a panic.
pub(crate) struct Turn<'a>(&'a Pulled);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.0).is_busy = false;
    }
}

impl Pulled {
    /// Lets a trigger wait.
    pub(crate) fn push(&self, trigger: &str, due: Time) {
        lock(&self.0).triggers.push_back((trigger.to_owned(), due));
    }

    /// The turn; if another has it, the trigger waits, and that one will pull it.
    pub(crate) fn turn_or_push(&self, trigger: &str, due: Time) -> Option<Turn<'_>> {
        let mut waiting = lock(&self.0);
        if waiting.is_busy {
            waiting.triggers.push_back((trigger.to_owned(), due));
            return None;
        }
        waiting.is_busy = true;
        Some(Turn(self))
    }

    /// The trigger that waits longest, and the turn for it; `None` if none waits, or another has the turn.
    pub(crate) fn next(&self) -> Option<(Turn<'_>, String, Time)> {
        let mut waiting = lock(&self.0);
        if waiting.is_busy {
            return None;
        }
        let (trigger, due) = waiting.triggers.pop_front()?;
        waiting.is_busy = true;
        Some((Turn(self), trigger, due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_nanos(0);

    #[test]
    fn one_has_the_turn_and_the_others_wait_in_order() {
        let pulled = Pulled::default();
        let turn = pulled.turn_or_push("first", NOW).unwrap();
        assert!(pulled.turn_or_push("second", NOW).is_none());
        pulled.push("third", NOW);
        assert!(pulled.next().is_none());
        drop(turn);
        let names: Vec<String> = std::iter::from_fn(|| pulled.next().map(|(_, name, _)| name)).collect();
        assert_eq!(names, ["second", "third"]);
    }

    #[test]
    fn a_panic_gives_the_turn_back() {
        let pulled = Pulled::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = pulled.turn_or_push("first", NOW);
            panic!("in a callback");
        }));
        assert!(outcome.is_err() && pulled.turn_or_push("second", NOW).is_some());
    }
}
