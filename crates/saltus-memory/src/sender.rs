//! The sending end: messages, and the queues to the receivers that are connected.

mod draft;
mod queues;
mod sending;

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

pub use queues::QueueSpec;
use saltus_types::{Gid, LossCause, Losses};
pub use sending::Stamp;

use crate::{
    arena::MemoryError,
    chunk::{ChunkIndex, ChunkPool},
    counters::{EndpointCounters, MISMATCHES},
    memory::Memory,
    os::{
        clock::monotonic_nanos,
        mutex::{Mutex, MutexGuard},
        segment::Mapped,
    },
    protocol::holders::Holders,
    queue::{Queue, losses_of},
    retired::{Retired, RetiredQueues},
    usability::Unusable,
};

/// Why a message was not sent.
#[derive(thiserror::Error)]
pub enum PublishError {
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A subscription that keeps all has not made room in time: nothing was sent to anybody.
    #[error("the queue of subscription {subscription} is full with {depth} messages, and it keeps all")]
    QueueFull {
        /// Which one.
        subscription: Gid,
        /// How many messages it holds.
        depth: u64,
    },
    /// Nobody receives: a request has no server, or the client of a response has gone.
    #[error("there is no other end: the server or the client has gone, or was never there")]
    Unmatched,
    /// The handle was inherited over `fork`.
    #[error("this publisher was opened before fork(): open one of your own in the child")]
    Forked,
    /// The context of the handle can't take part in its domain any more.
    #[error("this publisher's context was expelled from its domain: {reason}; open a new context")]
    Expelled {
        /// Why.
        reason: Arc<str>,
    },
}

impl From<Unusable> for PublishError {
    fn from(cause: Unusable) -> Self {
        match cause {
            Unusable::Forked => Self::Forked,
            Unusable::Expelled(reason) => Self::Expelled { reason },
        }
    }
}

saltus_types::debug_as_display!(PublishError);

/// Which request a response belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId {
    /// Who asked.
    pub client: Gid,
    /// The client's count of its requests, from 1.
    pub sequence: u64,
}

/// How a sender behaves.
#[derive(Default)]
pub struct SenderOptions {
    /// How many of the last messages are kept for receivers that connect later.
    pub kept: usize,
    /// How long a message is worth taking, in nanoseconds.
    pub lifespan: Option<i64>,
    /// How long it waits for room in a queue that gives no message away.
    pub patience: Duration,
    /// Whether each message is for one receiver only, as responses are.
    pub is_addressed: bool,
    /// Called before each message is stamped, if there is one. The sender is locked.
    pub before_send: Option<BeforeSend>,
}

/// See [`SenderOptions::before_send`].
pub type BeforeSend = Box<dyn Fn(SenderTimes) + Send + Sync>;

impl fmt::Debug for SenderOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SenderOptions").field("kept", &self.kept).finish_non_exhaustive()
    }
}

/// When a sender was active, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderTimes {
    /// Now.
    pub now: i64,
    /// When it last sent; 0 if it has not.
    pub sent_at: i64,
    /// When it last said that it is alive.
    pub asserted_at: i64,
    /// Whether any receiver reads.
    pub is_matched: bool,
}

/// What a sender has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStatus {
    /// How many messages were sent.
    pub sent: u64,
    /// How many receivers read.
    pub matched: usize,
    /// Messages that were not delivered: one for each receiver that missed one.
    pub losses: Losses,
    /// How many messages outgrew the size they were loaned with, and were copied once.
    pub regrown: u64,
}

/// The sending end.
///
/// **Invariant:** messages reach each receiver in the order in which they were sent. It may be used from any thread; two
/// threads that send at once wait for each other.
#[derive(Debug)]
pub struct Sender {
    gid: Gid,
    pub(crate) memory: Arc<Memory>,
    retired: Arc<RetiredQueues>,
    counters: Mapped<EndpointCounters>,
    options: SenderOptions,
    /// Whether a receiver was connected and not seen to read yet.
    awaits_reader: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub(crate) pool: ChunkPool,
    queues: Vec<Queue>,
    /// The bits of `queues`, as a message is sealed with them.
    holders: Holders,
    /// The last messages, for receivers that connect later.
    kept: VecDeque<ChunkIndex>,
    sent: u64,
    pub(crate) regrown: u64,
    /// Whether a queue is among `queues` for which sending waits.
    keeps_all: bool,
    /// How many receivers can't be connected, by each of [`MISMATCHES`].
    mismatched: [u64; MISMATCHES.len()],
    /// When it last sent, and last said that it is alive, in monotonic nanoseconds.
    sent_at: i64,
    asserted_at: i64,
}

impl Sender {
    /// A sender without receivers, whose messages bear that gid.
    pub fn new(
        gid: Gid,
        memory: Arc<Memory>,
        retired: Arc<RetiredQueues>,
        counters: Mapped<EndpointCounters>,
        options: SenderOptions,
    ) -> Self {
        let pool = ChunkPool::new(options.is_addressed);
        let inner = Mutex::new(Inner { pool, asserted_at: monotonic_nanos(), ..Inner::default() });
        Self { gid, memory, retired, counters, options, awaits_reader: AtomicBool::new(false), inner }
    }

    /// Whether it may be used: see [`crate::usability`].
    #[inline]
    pub fn is_usable(&self) -> bool {
        self.memory.usability.may_use()
    }

    /// Why it may not be used.
    #[cold]
    pub fn unusable(&self) -> PublishError {
        self.memory.usability.why_not().into()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Counts and states.
    pub fn status(&self) -> SenderStatus {
        let inner = self.lock();
        let mut losses = self.counters.losses();
        inner.queues.iter().for_each(|queue| losses.add_all(&losses_of(&queue.header)));
        SenderStatus { sent: inner.sent, matched: inner.matched(), losses, regrown: inner.regrown }
    }

    /// What it counts for others to read.
    pub fn counters(&self) -> &Mapped<EndpointCounters> {
        &self.counters
    }

    /// Whether sending waits now: some receiver gives no message away.
    pub fn may_wait(&self) -> bool {
        self.lock().keeps_all
    }

    /// The number of the oldest message that a receiver who is connected now has received or will receive; `None` if
    /// there is no receiver.
    pub fn oldest_received(&self) -> Option<u64> {
        self.lock().queues.iter().map(|queue| queue.first).min()
    }

    /// Says that the sender is alive.
    pub fn assert_alive(&self) {
        let now = monotonic_nanos();
        let mut inner = self.lock();
        inner.asserted_at = now;
        inner.queues.iter().for_each(|queue| queue.header.assert_alive(now));
    }

    /// When it was active, as seen at `now`; `None` if another thread uses it at this moment.
    pub fn try_times(&self, now: i64) -> Option<SenderTimes> {
        self.inner.try_lock().map(|inner| inner.times(now))
    }

    /// From now on what is sent is lost to so many receivers by each of [`MISMATCHES`].
    pub fn set_mismatched(&self, counts: [u64; MISMATCHES.len()]) {
        self.lock().mismatched = counts;
    }

    /// Closes for good. What receivers have not read yet stays until they have.
    ///
    /// # Panics
    /// If a message is being written or was loaned: its memory would be given to others.
    pub fn close(&self) {
        let Inner { pool, queues, .. } = std::mem::take(&mut *self.lock());
        assert!(!pool.is_lent(), "a sender is not closed while a message is written");
        self.retired.add(Retired { pool, queues }, &self.memory);
    }

    /// Counts a loss that is not one of a queue.
    pub fn lose(&self, cause: LossCause, count: u64) {
        self.counters.lose(cause, count);
    }
}

impl Inner {
    pub(crate) fn times(&self, now: i64) -> SenderTimes {
        let is_matched = self.matched() > 0;
        SenderTimes { now, sent_at: self.sent_at, asserted_at: self.asserted_at, is_matched }
    }

    /// How many receivers read.
    fn matched(&self) -> usize {
        self.queues.iter().filter(|queue| queue.is_attached()).count()
    }
}
