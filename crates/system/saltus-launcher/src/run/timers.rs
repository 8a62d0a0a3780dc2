//! The timers of a launch.

use std::collections::{BTreeMap, BTreeSet};

use saltus_launch_file::{Object, plan::Deferred};

use crate::supervisor::Time;

/// The timers that have not ended.
#[derive(Default)]
pub(super) struct Timers {
    /// The timers on the clock of the launch, with the times at which they end.
    steady: Vec<(Time, Timer)>,
    /// The timers on the clock of nodes, by their numbers in the graph.
    ros: BTreeMap<usize, Timer>,
    /// The actions whose timers are canceled.
    canceled: BTreeSet<Object>,
}

/// The content of a timer.
pub(super) struct Timer {
    /// The action, if the launch file is in Python.
    pub(super) id: Option<Object>,
    /// The actions that are performed when the time has passed.
    pub(super) actions: Deferred,
    /// Whether the timer is canceled when everything ends.
    pub(super) is_canceled_at_end: bool,
}

impl Timers {
    /// Adds a timer on the clock of the launch.
    pub(super) fn add(&mut self, at: Time, timer: Timer) {
        self.steady.push((at, timer));
    }

    /// Adds a timer on the clock of nodes, with its number in the graph.
    pub(super) fn add_ros(&mut self, number: usize, timer: Timer) {
        self.ros.insert(number, timer);
    }

    /// Returns the time at which the next timer on the clock of the launch ends.
    pub(super) fn next_deadline(&self) -> Option<Time> {
        self.steady.iter().map(|(at, _)| *at).min()
    }

    /// Removes the timers on the clock of the launch whose time has passed. Returns their actions.
    pub(super) fn take_due(&mut self, now: Time) -> Vec<Deferred> {
        let due = self.steady.extract_if(.., |(at, _)| *at <= now);
        due.map(|(_, timer)| timer.actions).collect()
    }

    /// Removes a timer on the clock of nodes. Returns its actions; `None` if the timer was canceled.
    pub(super) fn take_ros(&mut self, number: usize) -> Option<Deferred> {
        self.ros.remove(&number).map(|timer| timer.actions)
    }

    /// Cancels the timers of an action. Timers that it starts later are canceled, too.
    pub(super) fn cancel(&mut self, id: Object) {
        self.canceled.insert(id);
        self.steady.retain(|(_, timer)| timer.id != Some(id));
        self.ros.retain(|_, timer| timer.id != Some(id));
    }

    /// Whether the timer was canceled before it began.
    pub(super) fn is_canceled(&self, timer: &Timer) -> bool {
        timer.id.is_some_and(|id| self.canceled.contains(&id))
    }

    /// Removes the timers that are canceled when everything ends.
    pub(super) fn cancel_for_end(&mut self) {
        self.steady.retain(|(_, timer)| !timer.is_canceled_at_end);
        self.ros.retain(|_, timer| !timer.is_canceled_at_end);
    }

    /// Removes all timers on the clock of the launch.
    pub(super) fn cancel_steady(&mut self) {
        self.steady.clear();
    }

    /// Whether there is a timer on the clock of the launch.
    pub(super) fn has_steady(&self) -> bool {
        !self.steady.is_empty()
    }

    /// Whether there is a timer on the clock of nodes.
    pub(super) fn has_ros(&self) -> bool {
        !self.ros.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn timer(is_canceled_at_end: bool) -> Timer {
        Timer { id: None, actions: Deferred::Steps(Vec::new()), is_canceled_at_end }
    }

    #[test]
    fn timers_end_when_their_time_has_passed() {
        let mut timers = Timers::default();
        timers.add(2 * SECOND, timer(true));
        timers.add(SECOND, timer(true));
        timers.add_ros(0, timer(true));
        assert_eq!(timers.next_deadline(), Some(SECOND));
        assert_eq!(timers.take_due(SECOND).len(), 1);
        assert_eq!(timers.next_deadline(), Some(2 * SECOND));
        assert!(timers.take_ros(0).is_some() && timers.take_ros(0).is_none());
    }

    #[test]
    fn the_end_cancels_all_timers_but_those_that_go_on() {
        let mut timers = Timers::default();
        timers.add(SECOND, timer(true));
        timers.add(2 * SECOND, timer(false));
        timers.add_ros(0, timer(true));
        timers.add_ros(1, timer(false));
        timers.cancel_for_end();
        assert_eq!(timers.next_deadline(), Some(2 * SECOND));
        assert!(timers.take_ros(0).is_none() && timers.has_ros());
        timers.cancel_steady();
        assert!(!timers.has_steady());
    }

    #[test]
    fn a_timer_is_canceled_before_and_after_its_start() {
        let mut timers = Timers::default();
        timers.add(SECOND, Timer { id: Some(1), ..timer(true) });
        timers.add_ros(0, Timer { id: Some(1), ..timer(true) });
        timers.cancel(1);
        assert!(!timers.has_steady() && !timers.has_ros());
        assert!(
            timers.is_canceled(&Timer { id: Some(1), ..timer(true) }) && !timers.is_canceled(&timer(true))
        );
    }
}
