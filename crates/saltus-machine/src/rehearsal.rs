//! What happens when a time is up, done a moment before and told to nobody.

use std::sync::Arc;

use saltus_msgs::example_interfaces::msg::String as Text;
use saltus_node::{Node, NodeError, Subscription, Timer};
use saltus_types::{QoS, Time};

use crate::{
    Definition, StateId,
    node::{Core, Listeners, Role},
};

/// Hidden, as names that begin with `_` are: what is sent there is said to nobody.
const TOPIC: &str = "_rehearsal";
/// How long before a time is up, in nanoseconds.
const LEAD: i64 = 50_000;

/// A machine beside another, which does what that one is about to do.
///
/// After a sleep the first run of any code takes ten times as long: what is not in a cache comes from memory, and so does
/// where it lies. What has run a moment ago is near. So it is the same code that runs here, timers, messages and
/// executor and all; only the machine, the topic and the times are others. Nobody hears of it: nothing is logged, no
/// callback is called, and triggers that pull each other without end are left after a few.
pub(crate) struct Rehearsal {
    core: Arc<Core>,
    /// Held, not used: dropping it ends the calls.
    _heard: Subscription<Text>,
}

impl Rehearsal {
    /// One for the machine of a node, in that node.
    pub(crate) fn new(node: &Node, definition: Definition) -> Result<Self, NodeError> {
        let core = Arc::new(Core::new(node, definition, Listeners::default(), [TOPIC; 2], Role::Rehearsal)?);
        core.open_timers(perform)?;
        let heard = node.subscription::<Text>(TOPIC).qos(QoS::system_default()).callback(|_: Text| {})?;
        Ok(Self { core, _heard: heard })
    }

    /// Will do what the time-out of a state does, a moment before its deadline.
    pub(crate) fn start(&self, state: StateId, deadline: Time) {
        self.core.start_at(state, Time::from_nanos(deadline.as_nanos().saturating_sub(LEAD)));
    }

    /// Will not.
    pub(crate) fn stop(&self, state: StateId) {
        self.core.stop(state);
    }
}

fn perform(core: &Core, state: StateId) {
    let due = core.timer(state).find_map(Timer::last_due);
    // Else the sleep ended late, and what it was for would be later still.
    if due.is_some_and(|due| core.clock.now().as_nanos() < due.as_nanos().saturating_add(LEAD / 2)) {
        core.time_is_up(state);
    }
    // It has begun the time of the state that it went to, as the other will.
    core.stop_all();
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use saltus_executor::SingleThreadedExecutor;
    use saltus_node::{ContextOptions, monotonic_now};

    use super::*;

    const ENDLESS: &str = "{states: [{name: a, timeout: 1, on_timeout: go}, {name: b, on_enter: go}, {name: c, on_enter: back}],
        transitions: [[go, a, b], [go, b, c], [back, c, b]]}";

    #[test]
    fn a_rehearsal_of_states_that_pull_each_other_without_end_ends() {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let node = context.node("node").create().unwrap();
        let definition = Definition::from_yaml(ENDLESS).unwrap();
        let (timed, _) = definition.states().next().unwrap();
        let rehearsal = Rehearsal::new(&node, definition).unwrap();
        let heard = node.subscription::<Text>(TOPIC).create().unwrap();
        let mut executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(&node);
        let (done, is_done) = mpsc::channel::<()>();
        let (ends, ended) = (context.clone(), context.clone());
        std::thread::scope(|scope| {
            // Else the test would not end either.
            scope.spawn(move || {
                is_done.recv_timeout(Duration::from_secs(20)).is_err().then(|| ends.shut_down())
            });
            // One that comes late is left out: so again, until one was in time.
            while !heard.has_message() && !ended.is_shut_down() {
                let soon = i64::try_from(monotonic_now()).unwrap() + LEAD + 1_000_000;
                rehearsal.start(timed, Time::from_nanos(soon));
                executor.spin_once(Some(Duration::from_millis(100))).unwrap();
            }
            done.send(()).unwrap();
        });
        assert!(!context.is_shut_down());
        assert_eq!(
            rehearsal.core.timer(timed).filter_map(Timer::next_call).count(),
            0,
            "it goes on by itself"
        );
    }
}
