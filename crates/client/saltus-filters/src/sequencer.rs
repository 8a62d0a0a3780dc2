//! Messages in the order of their stamps.

use std::time::Duration;

use saltus_types::Time;

use crate::Cache;

/// Returns messages in the order of their stamps, each when it is at least `delay` old.
///
/// **Invariant:** the stamps of the returned messages never go back. A message that comes too late is dropped.
#[derive(Clone, Debug)]
pub struct TimeSequencer<T> {
    delay: Duration,
    waiting: Cache<(Time, T)>,
    /// The stamp of the message that was returned last.
    last: Option<Time>,
    dropped: u64,
}

impl<T> TimeSequencer<T> {
    /// Returns a sequencer in which at most `queue_size` messages wait.
    ///
    /// # Panics
    ///
    /// Panics if `queue_size` is 0.
    pub fn new(delay: Duration, queue_size: usize) -> Self {
        Self { delay, waiting: Cache::new(queue_size), last: None, dropped: 0 }
    }

    /// Adds a message. It is dropped if a message with a later stamp was already returned. If too many messages wait, the
    /// earliest one is dropped.
    pub fn add(&mut self, stamp: Time, message: T) {
        let is_late = self.last.is_some_and(|last| stamp < last);
        if is_late || self.waiting.add(stamp, (stamp, message)).is_some() {
            self.dropped += 1;
        }
    }

    /// Returns the next message if it is due at the time `now`. Call it until it returns `None`.
    pub fn next(&mut self, now: Time) -> Option<T> {
        if self.due()? > now {
            return None;
        }
        let (stamp, message) = self.waiting.pop_oldest()?;
        self.last = Some(stamp);
        Some(message)
    }

    /// Returns the time at which the next message is due.
    pub fn due(&self) -> Option<Time> {
        let delay = i64::try_from(self.delay.as_nanos()).unwrap_or(i64::MAX);
        self.waiting.oldest_time().map(|stamp| Time::from_nanos(stamp.as_nanos().saturating_add(delay)))
    }

    /// Drops all messages that wait. The next message may have any stamp, for example after the clock has gone back.
    pub fn clear(&mut self) {
        while self.waiting.pop_oldest().is_some() {
            self.dropped += 1;
        }
        self.last = None;
    }

    /// Returns the number of messages that were dropped, because they came too late or too many were waiting.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: i64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn messages_are_returned_in_order_when_they_are_old_enough() {
        let mut sequencer = TimeSequencer::new(Duration::from_nanos(10), 10);
        for nanos in [3, 1, 2] {
            sequencer.add(at(nanos), nanos);
        }
        assert_eq!((sequencer.next(at(10)), sequencer.due()), (None, Some(at(11))));
        assert_eq!(
            (sequencer.next(at(12)), sequencer.next(at(12)), sequencer.next(at(12))),
            (Some(1), Some(2), None)
        );
        assert_eq!((sequencer.next(at(13)), sequencer.due()), (Some(3), None));
    }

    #[test]
    fn earlier_stamps_come_again_after_a_clear() {
        let mut sequencer = TimeSequencer::new(Duration::ZERO, 2);
        sequencer.add(at(100), 100);
        assert_eq!(sequencer.next(at(100)), Some(100));
        sequencer.add(at(101), 101);
        sequencer.clear();
        sequencer.add(at(1), 1);
        assert_eq!((sequencer.next(at(1)), sequencer.dropped()), (Some(1), 1));
    }

    #[test]
    fn late_messages_and_those_that_do_not_fit_are_dropped() {
        let mut sequencer = TimeSequencer::new(Duration::ZERO, 2);
        sequencer.add(at(5), 5);
        assert_eq!(sequencer.next(at(5)), Some(5));
        sequencer.add(at(4), 4);
        assert_eq!((sequencer.next(at(9)), sequencer.dropped()), (None, 1));
        for nanos in [7, 6, 8] {
            sequencer.add(at(nanos), nanos);
        }
        assert_eq!(
            (sequencer.next(at(9)), sequencer.next(at(9)), sequencer.dropped()),
            (Some(7), Some(8), 2)
        );
    }
}
