//! Sets of messages with equal stamps.

use std::collections::BTreeMap;

use saltus_types::Time;

/// Returns sets of messages that have the same stamp, one of each input.
///
/// **Invariant:** at most `queue_size` stamps wait for more messages. When a set is complete, the messages with earlier
/// stamps are dropped. If messages come late, a set may have an earlier stamp than the one before it.
#[derive(Clone, Debug)]
pub struct ExactTime<T> {
    inputs: usize,
    queue_size: usize,
    /// The messages of each stamp, by input.
    sets: BTreeMap<Time, Vec<Option<T>>>,
    dropped: u64,
}

impl<T> ExactTime<T> {
    /// Returns a filter for a number of inputs, in which at most `queue_size` stamps wait.
    ///
    /// # Panics
    ///
    /// Panics if there is no input, or if `queue_size` is 0.
    pub fn new(inputs: usize, queue_size: usize) -> Self {
        assert!(inputs > 0 && queue_size > 0, "expected at least one input and a queue for one message");
        Self { inputs, queue_size, sets: BTreeMap::new(), dropped: 0 }
    }

    /// Adds a message. Returns the set that it completes. A second message of an input with the same stamp replaces the
    /// first.
    ///
    /// # Panics
    ///
    /// Panics if there is no such input.
    pub fn add(&mut self, input: usize, stamp: Time, message: T) -> Option<Vec<T>> {
        let inputs = self.inputs;
        let set = self.sets.entry(stamp).or_insert_with(|| (0..inputs).map(|_| None).collect());
        if set[input].replace(message).is_some() {
            self.dropped += 1;
        }
        if set.iter().all(Option::is_some) {
            let later = self.sets.split_off(&stamp);
            let older = std::mem::replace(&mut self.sets, later);
            self.drop_all(older.into_values());
            return self.sets.remove(&stamp).map(|set| set.into_iter().flatten().collect());
        }
        while self.sets.len() > self.queue_size {
            let oldest = self.sets.pop_first().map(|(_, set)| set);
            self.drop_all(oldest.into_iter());
        }
        None
    }

    /// Drops all messages that wait. After the clock has gone back, this makes room for the new ones.
    pub fn clear(&mut self) {
        let sets = std::mem::take(&mut self.sets);
        self.drop_all(sets.into_values());
    }

    fn drop_all(&mut self, sets: impl Iterator<Item = Vec<Option<T>>>) {
        self.dropped += sets.map(|set| set.iter().flatten().count() as u64).sum::<u64>();
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of messages that were dropped, because they are in no set.
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
    fn a_set_is_returned_when_it_is_complete() {
        let mut filter = ExactTime::new(3, 10);
        assert_eq!(filter.add(2, at(1), 'c'), None);
        assert_eq!(filter.add(0, at(1), 'a'), None);
        assert_eq!(filter.add(0, at(2), 'x'), None);
        assert_eq!(filter.add(1, at(1), 'b'), Some(vec!['a', 'b', 'c']));
        assert_eq!(filter.dropped(), 0);
    }

    #[test]
    fn messages_before_a_set_are_dropped() {
        let mut filter = ExactTime::new(2, 10);
        filter.add(0, at(1), 'a');
        filter.add(1, at(2), 'b');
        filter.add(0, at(3), 'c');
        assert_eq!(filter.add(1, at(3), 'd'), Some(vec!['c', 'd']));
        assert_eq!(filter.dropped(), 2);
    }

    #[test]
    fn the_oldest_stamp_is_dropped_if_the_queue_is_full() {
        let mut filter = ExactTime::new(2, 2);
        for nanos in 1..=3 {
            filter.add(0, at(nanos), nanos);
        }
        assert_eq!(filter.add(1, at(1), -1), None);
        assert_eq!(filter.add(1, at(3), -3), Some(vec![3, -3]));
        assert_eq!(filter.dropped(), 3);
    }

    #[test]
    fn earlier_stamps_make_sets_again_after_a_clear() {
        let mut filter = ExactTime::new(2, 1);
        filter.add(0, at(100), 'a');
        filter.clear();
        filter.add(0, at(1), 'b');
        assert_eq!((filter.add(1, at(1), 'c'), filter.dropped()), (Some(vec!['b', 'c']), 1));
    }

    #[test]
    fn a_second_message_with_the_same_stamp_replaces_the_first() {
        let mut filter = ExactTime::new(2, 2);
        filter.add(0, at(1), 'a');
        filter.add(0, at(1), 'b');
        assert_eq!(filter.add(1, at(1), 'c'), Some(vec!['b', 'c']));
        assert_eq!(filter.dropped(), 1);
    }
}
