//! The last messages, by time.

use std::collections::VecDeque;

use saltus_types::Time;

/// Keeps the last messages in the order of their stamps, and finds them by time.
///
/// **Invariant:** it holds at most `size` messages.
#[derive(Clone, Debug)]
pub struct Cache<T> {
    size: usize,
    messages: VecDeque<(Time, T)>,
}

impl<T> Cache<T> {
    /// Returns a cache for `size` messages.
    ///
    /// # Panics
    ///
    /// Panics if `size` is 0.
    pub fn new(size: usize) -> Self {
        assert!(size > 0, "expected a cache for at least one message");
        Self { size, messages: VecDeque::new() }
    }

    /// Adds a message. If the cache is full, removes the message with the earliest stamp, and returns it.
    pub fn add(&mut self, stamp: Time, message: T) -> Option<T> {
        // Messages with the same stamp stay in the order in which they came.
        let index = self.messages.partition_point(|(other, _)| *other <= stamp);
        self.messages.insert(index, (stamp, message));
        let is_full = self.messages.len() > self.size;
        is_full.then(|| self.messages.pop_front()).flatten().map(|(_, message)| message)
    }

    /// Removes the message with the earliest stamp.
    pub fn pop_oldest(&mut self) -> Option<T> {
        self.messages.pop_front().map(|(_, message)| message)
    }

    /// Returns the messages with stamps from `from` to `to`, both included.
    pub fn interval(&self, from: Time, to: Time) -> impl Iterator<Item = &T> {
        let first = self.messages.partition_point(|(stamp, _)| *stamp < from);
        let end = self.messages.partition_point(|(stamp, _)| *stamp <= to).max(first);
        self.messages.range(first..end).map(|(_, message)| message)
    }

    /// Returns the messages of an interval, the last one at or before it, and the first one at or after it.
    pub fn surrounding_interval(&self, from: Time, to: Time) -> impl Iterator<Item = &T> {
        let first = self.messages.partition_point(|(stamp, _)| *stamp <= from).saturating_sub(1);
        let end = (self.messages.partition_point(|(stamp, _)| *stamp < to) + 1).min(self.messages.len());
        self.messages.range(first..end.max(first)).map(|(_, message)| message)
    }

    /// Returns the last message with a stamp before `time`.
    pub fn before(&self, time: Time) -> Option<&T> {
        let end = self.messages.partition_point(|(stamp, _)| *stamp < time);
        end.checked_sub(1).map(|last| &self.messages[last].1)
    }

    /// Returns the first message with a stamp after `time`.
    pub fn after(&self, time: Time) -> Option<&T> {
        let first = self.messages.partition_point(|(stamp, _)| *stamp <= time);
        self.messages.get(first).map(|(_, message)| message)
    }

    /// Returns the earliest stamp.
    pub fn oldest_time(&self) -> Option<Time> {
        self.messages.front().map(|(stamp, _)| *stamp)
    }

    /// Returns the latest stamp.
    pub fn latest_time(&self) -> Option<Time> {
        self.messages.back().map(|(stamp, _)| *stamp)
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: i64) -> Time {
        Time::from_nanos(nanos)
    }

    fn filled() -> Cache<i64> {
        let mut cache = Cache::new(5);
        for nanos in [50, 20, 10, 40, 30, 60] {
            cache.add(at(nanos), nanos);
        }
        cache
    }

    #[test]
    fn messages_are_sorted_and_the_earliest_is_removed() {
        let cache = filled();
        assert_eq!(cache.interval(at(0), at(100)).copied().collect::<Vec<_>>(), [20, 30, 40, 50, 60]);
        assert_eq!((cache.oldest_time(), cache.latest_time(), cache.len()), (Some(at(20)), Some(at(60)), 5));
    }

    #[test]
    fn intervals_include_their_ends() {
        let cache = filled();
        let interval = |from, to| cache.interval(at(from), at(to)).copied().collect::<Vec<_>>();
        assert_eq!(interval(30, 50), [30, 40, 50]);
        assert_eq!(interval(31, 49), [40]);
        assert_eq!(interval(41, 49), [0; 0]);
        assert_eq!(interval(50, 30), [0; 0]);
    }

    #[test]
    fn surrounding_intervals_include_the_messages_next_to_them() {
        let cache = filled();
        let interval = |from, to| cache.surrounding_interval(at(from), at(to)).copied().collect::<Vec<_>>();
        assert_eq!(interval(31, 49), [30, 40, 50]);
        assert_eq!(interval(30, 50), [30, 40, 50]);
        assert_eq!(interval(0, 5), [20]);
        assert_eq!(interval(70, 80), [60]);
        assert_eq!(Cache::<i64>::new(1).surrounding_interval(at(0), at(1)).count(), 0);
    }

    #[test]
    fn a_message_is_found_before_and_after_a_time() {
        let cache = filled();
        assert_eq!((cache.before(at(30)), cache.after(at(30))), (Some(&20), Some(&40)));
        assert_eq!((cache.before(at(20)), cache.after(at(60))), (None, None));
    }
}
