//! The entries of a multi-threaded executor that may have something to do.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use crate::entries::{EntryIndex, GroupIndex};

/// An entry, after the turn in which it last ran.
type Place = (u64, EntryIndex);

/// The entries that may have something to do and that one more thread may run. The one that has not run for the longest time comes first.
///
/// **Invariant:** if entries of a group are held back and the group is not busy, another entry of the group is in the heap, and comes before
/// them.
#[derive(Default)]
pub(crate) struct ReadyQueue {
    heap: BinaryHeap<Reverse<Place>>,
    held: BTreeMap<GroupIndex, Held>,
}

/// The entries of a callback group that are held back, because another callback of the group was running.
#[derive(Default)]
struct Held {
    is_busy: bool,
    heap: BinaryHeap<Reverse<Place>>,
}

impl ReadyQueue {
    /// Adds an entry that is not in the queue, and that last ran in the turn `last_turn`.
    pub(crate) fn insert(&mut self, last_turn: u64, index: EntryIndex) {
        self.heap.push(Reverse((last_turn, index)));
    }

    /// Takes the entry that has not run for the longest time, of the groups that are not busy.
    pub(crate) fn take(&mut self) -> Option<EntryIndex> {
        while let Some(Reverse(place)) = self.heap.pop() {
            match self.held.get_mut(&place.1.group()) {
                Some(held) if held.is_busy => held.heap.push(Reverse(place)),
                Some(_) => {
                    self.release(place.1.group());
                    return Some(place.1);
                }
                None => return Some(place.1),
            }
        }
        None
    }

    /// Holds the entries of a group back until [`ReadyQueue::release`].
    pub(crate) fn hold(&mut self, group: GroupIndex) {
        self.held.entry(group).or_default().is_busy = true;
    }

    /// Lets the entries of a group be taken again: the first one now, and the others after it.
    pub(crate) fn release(&mut self, group: GroupIndex) {
        let Some(held) = self.held.get_mut(&group) else { return };
        held.is_busy = false;
        self.heap.extend(held.heap.pop());
        if held.heap.is_empty() {
            self.held.remove(&group);
        }
    }

    /// Replaces all entries. All groups are free.
    pub(crate) fn replace(&mut self, entries: impl Iterator<Item = Place>) {
        self.held.clear();
        let mut places = std::mem::take(&mut self.heap).into_vec();
        places.clear();
        places.extend(entries.map(Reverse));
        self.heap = places.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(queue: &mut ReadyQueue) -> Vec<EntryIndex> {
        std::iter::from_fn(|| queue.take()).collect()
    }

    #[test]
    fn the_entry_that_has_not_run_for_the_longest_time_is_taken_first() {
        let at = EntryIndex::of;
        let mut queue = ReadyQueue::default();
        for (turn, index) in [(5, at(0, 0, 0)), (2, at(0, 0, 1)), (3, at(1, 0, 0)), (2, at(1, 0, 1))] {
            queue.insert(turn, index);
        }
        assert!(taken(&mut queue) == [at(0, 0, 1), at(1, 0, 1), at(1, 0, 0), at(0, 0, 0)]);
    }

    #[test]
    fn entries_of_a_busy_group_stay_in_the_queue() {
        let at = EntryIndex::of;
        let group = at(0, 0, 0).group();
        let mut queue = ReadyQueue::default();
        queue.hold(group);
        [(4, 2), (3, 1), (1, 0)].into_iter().for_each(|(turn, entry)| queue.insert(turn, at(0, 0, entry)));
        queue.insert(2, at(0, 1, 0));
        assert!(taken(&mut queue) == [at(0, 1, 0)]);
        queue.release(group);
        queue.insert(2, at(0, 0, 3));
        assert!(taken(&mut queue) == [0, 3, 1, 2].map(|entry| at(0, 0, entry)));
        queue.replace([(1, at(0, 0, 0))].into_iter());
        assert!(taken(&mut queue) == [at(0, 0, 0)]);
    }
}
