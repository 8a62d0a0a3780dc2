//! The timers of a launch.

use std::collections::BTreeMap;

use saltus_launch_file::plan::Deferred;

use crate::supervisor::Time;

/// The timers that have not ended.
#[derive(Default)]
pub(super) struct Timers {
    /// The timers on the clock of the launch, with the times at which they end.
    steady: Vec<(Time, Timer)>,
    /// The timers on the clock of nodes, by their numbers in the graph.
    ros: BTreeMap<usize, Timer>,
}

/// The content of a timer.
pub(super) struct Timer {
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
        Timer { actions: Deferred::Steps(Vec::new()), is_canceled_at_end }
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
}
