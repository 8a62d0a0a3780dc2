//! The timers of an executor, by their deadlines.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use crate::{
    entries::{Entries, EntryIndex},
    listed::{Entry, NOT_QUEUED},
};

/// The timers that have a deadline, the earliest first.
///
/// **Invariant:** after [`TimerQueue::update`], each timer that can run and has a deadline is queued for a time that is not after its deadline,
/// except those that [`TimerQueue::take`] has taken. A deadline becomes earlier only with a ring of the timer's class. (If the
/// time of day is set forward, timers that use it are called when they would have been called without that.)
pub(crate) struct TimerQueue {
    /// The listing of the entries that the indices belong to; `None` if all timers must be queued again.
    listing: Option<u64>,
    /// The times and the timers. A time that differs from [`Entry::queued`] is out of date.
    heap: BinaryHeap<Reverse<(u64, EntryIndex)>>,
    /// The timers that are queued again; kept for its memory.
    listed: Vec<EntryIndex>,
    /// The timers that are due; kept for its memory.
    due: VecDeque<EntryIndex>,
}

impl TimerQueue {
    pub(crate) fn new() -> Self {
        Self { listing: None, heap: BinaryHeap::new(), listed: Vec::new(), due: VecDeque::new() }
    }

    /// Makes the next update queue all timers again.
    pub(crate) fn invalidate(&mut self) {
        self.listing = None;
    }

    /// Queues the timers of the classes that were rung. If the entries were listed again, queues all timers.
    pub(crate) fn update(&mut self, entries: &mut Entries, rung: u32) {
        // Times that are out of date must not fill the memory.
        let is_full = self.heap.len() > 2 * entries.timer_count() + 64;
        let is_whole = is_full || self.listing != Some(entries.listing());
        entries.list_timers(if is_whole { u32::MAX } else { rung }, &mut self.listed);
        if is_whole {
            self.heap.clear();
            self.listing = Some(entries.listing());
        }
        for index in &self.listed {
            let entry = entries.at(*index).1;
            if is_whole {
                entry.queued = NOT_QUEUED;
            }
            queue(&mut self.heap, entry, *index);
        }
    }

    /// Queues a timer that has run, or could not run.
    pub(crate) fn queue(&mut self, entries: &mut Entries, index: EntryIndex) {
        queue(&mut self.heap, entries.at(index).1, index);
    }

    /// Returns the time at which a timer may be due, in monotonic nanoseconds.
    pub(crate) fn next(&mut self, entries: &Entries) -> Option<u64> {
        while let Some(Reverse((time, index))) = self.heap.peek().copied() {
            if entries.entry(index).queued == time {
                return Some(time);
            }
            self.heap.pop();
        }
        None
    }

    /// Takes a timer that is due at `now`.
    pub(crate) fn take(&mut self, entries: &mut Entries, now: u64) -> Option<EntryIndex> {
        while let Some(time) = self.next(entries)
            && time <= now
        {
            let Reverse((_, index)) = self.heap.pop()?;
            let entry = entries.at(index).1;
            entry.queued = NOT_QUEUED;
            if entry.deadline().is_some_and(|deadline| deadline <= now) {
                return Some(index);
            }
            queue(&mut self.heap, entry, index);
        }
        None
    }

    /// Takes the timers that are due at `now` and have not run in this turn. First queues the timers of the classes that were rung.
    pub(crate) fn take_due(&mut self, entries: &mut Entries, rung: u32, now: u64, turn: u64) -> DueTimers {
        self.update(entries, rung);
        let (mut due, mut others) = (std::mem::take(&mut self.due), Vec::new());
        due.clear();
        while let Some(index) = self.take(entries, now) {
            let entry = entries.at(index).1;
            // A timer that was created in this turn runs in the next one.
            if entry.last_turn == turn {
                others.push(index);
            } else {
                entry.due_in = turn;
                due.push_back(index);
            }
        }
        others.into_iter().for_each(|index| self.queue(entries, index));
        due.make_contiguous().sort_unstable();
        DueTimers { turn, listing: entries.listing(), place: Place::Indices(due) }
    }

    /// Keeps the memory of timers that were due.
    pub(crate) fn reuse(&mut self, due: DueTimers) {
        if let Place::Indices(indices) = due.place {
            self.due = indices;
        }
    }
}

/// The timers that are due in a turn and have not run yet, in the order in which they were created.
///
/// **Invariant:** these are the entries whose [`Entry::due_in`] is the turn. The indices are valid for one listing of the
/// entries.
pub(crate) struct DueTimers {
    turn: u64,
    listing: u64,
    place: Place,
}

/// Where the timers are.
enum Place {
    /// At these indices.
    Indices(VecDeque<EntryIndex>),
    /// At or after this index.
    From(EntryIndex),
}

impl DueTimers {
    /// Returns the first timer. If everything was listed again, searches the entries for it: a search for each callback
    /// that adds or removes a node is cheaper than new indices of all timers.
    pub(crate) fn first(&mut self, entries: &Entries) -> Option<EntryIndex> {
        if entries.listing() != self.listing {
            self.listing = entries.listing();
            self.place = Place::From(EntryIndex::default());
        }
        let is_due = |entry: &Entry| entry.due_in == self.turn;
        match &mut self.place {
            Place::Indices(indices) => {
                while indices.front().is_some_and(|index| !is_due(entries.entry(*index))) {
                    indices.pop_front();
                }
                indices.front().copied()
            }
            Place::From(from) => {
                *from = entries.index_from(*from, &mut { is_due })?;
                Some(*from)
            }
        }
    }
}

/// Queues a timer for its deadline, unless it is queued for an earlier time or waits for its group.
fn queue(heap: &mut BinaryHeap<Reverse<(u64, EntryIndex)>>, entry: &mut Entry, index: EntryIndex) {
    let deadline = if entry.maybe_ready { None } else { entry.deadline() };
    if let Some(deadline) = deadline.filter(|deadline| *deadline < entry.queued) {
        entry.queued = deadline;
        heap.push(Reverse((deadline, index)));
    }
}
