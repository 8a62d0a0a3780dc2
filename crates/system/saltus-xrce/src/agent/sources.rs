//! Senders of messages that belong to no client.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

use super::counters::SourceCounters;

/// The counts by sender. The number of senders is limited; the oldest one is forgotten.
#[derive(Debug)]
pub(super) struct Sources<A> {
    known: HashMap<A, Source>,
    /// The senders in the order in which they came.
    order: VecDeque<A>,
    /// The counts of all senders, also of those that were forgotten.
    total: SourceCounters,
}

#[derive(Debug, Default)]
struct Source {
    counters: SourceCounters,
    /// When it may again get the answer that it has no session, in monotonic nanoseconds.
    answer_at: u64,
    /// When the host may be told again of messages that can't be read, in monotonic nanoseconds.
    tell_malformed_at: u64,
    /// When the host may be told again of messages without a session, in monotonic nanoseconds.
    tell_unknown_at: u64,
}

/// The number of senders that are known at once.
const LIMIT: usize = 1024;
/// The shortest time between two answers to a sender that has no session, in nanoseconds.
const ANSWER_PERIOD: u64 = 100_000_000;
/// The time between two reports of a sender to the host, in nanoseconds.
const TELL_PERIOD: u64 = 10_000_000_000;

/// Returns whether a time has come, and if so, sets it to `period` later.
fn is_due(at: &mut u64, now: u64, period: u64) -> bool {
    let is_due = now >= *at;
    if is_due {
        *at = now + period;
    }
    is_due
}

impl<A: Clone + Eq + Hash> Sources<A> {
    pub(super) fn new() -> Self {
        Self { known: HashMap::new(), order: VecDeque::new(), total: SourceCounters::default() }
    }

    fn source(&mut self, address: &A) -> &mut Source {
        if !self.known.contains_key(address) {
            if self.order.len() >= LIMIT
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
            self.order.push_back(address.clone());
        }
        self.known.entry(address.clone()).or_default()
    }

    /// Counts a message that can't be read. Returns whether the host should be told.
    pub(super) fn count_malformed(&mut self, address: &A, now: u64) -> bool {
        self.total.malformed += 1;
        let source = self.source(address);
        source.counters.malformed += 1;
        is_due(&mut source.tell_malformed_at, now, TELL_PERIOD)
    }

    /// Counts a message of a session that does not exist. Returns whether the sender should get an answer, and whether
    /// the host should be told.
    pub(super) fn count_unknown_session(&mut self, address: &A, now: u64) -> (bool, bool) {
        self.total.unknown_session += 1;
        let source = self.source(address);
        source.counters.unknown_session += 1;
        (
            is_due(&mut source.answer_at, now, ANSWER_PERIOD),
            is_due(&mut source.tell_unknown_at, now, TELL_PERIOD),
        )
    }

    pub(super) fn total(&self) -> SourceCounters {
        self.total
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&A, SourceCounters)> {
        self.known.iter().map(|(address, source)| (address, source.counters))
    }
}
