//! Senders: each has the memory of its messages, and a queue to each connected receiver.

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
use saltus_types::{Gid, Losses, NetworkLoss};
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
    protocol::{holders::Holders, ring::Unsent},
    queue::{Queue, losses_of},
    retired::{Retired, RetiredQueues},
    usability::Unusable,
};

/// Why a message was not sent.
#[derive(thiserror::Error)]
pub enum PublishError {
    /// There is no memory for the message.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The queue of a subscription that keeps all was full for too long, or the queues of all servers were full.
    /// Nothing was sent to any subscription.
    #[error(
        "can't send: the queue of subscription {subscription} is full ({depth} messages), and none of them may be \
         dropped; the subscription must take its messages faster"
    )]
    QueueFull {
        /// The subscription.
        subscription: Gid,
        /// The number of messages that its queue holds.
        depth: u64,
    },
    /// No receiver is connected: there is no server for a request, or the client of a response has gone.
    #[error("can't send: no server is connected, or the client of the request has gone")]
    Unmatched,
    /// The handle was inherited over `fork`.
    #[error("this publisher was opened before fork(): open another one in the child")]
    Forked,
    /// The context of the handle was expelled from its domain.
    #[error("this publisher's context was expelled from its domain: {reason}; open a new context")]
    Expelled {
        /// The reason.
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

/// The request that a response belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId {
    /// The client that sent the request.
    pub client: Gid,
    /// The client's count of its requests, from 1.
    pub sequence: u64,
}

/// The options of a sender.
#[derive(Default)]
pub struct SenderOptions {
    /// The number of the newest messages that are kept for receivers that connect later.
    pub kept: usize,
    /// The lifespan of messages in nanoseconds. Older messages are not taken.
    pub lifespan: Option<i64>,
    /// The longest time for which the sender waits for room in a queue that keeps all.
    pub max_wait: Duration,
    /// Whether each message is sent to one receiver only, as responses are.
    pub is_unicast: bool,
    /// A function that is called before each message is sent. The sender is locked during the call.
    pub before_send: Option<BeforeSend>,
}

/// See [`SenderOptions::before_send`].
pub(crate) type BeforeSend = Box<dyn Fn(SenderTimes) + Send + Sync>;

impl fmt::Debug for SenderOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SenderOptions").field("kept", &self.kept).finish_non_exhaustive()
    }
}

/// When a sender was active, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderTimes {
    /// The present time.
    pub now: i64,
    /// When it last sent a message; 0 if it has not sent any.
    pub sent_at: i64,
    /// When it last asserted that it is alive.
    pub asserted_at: i64,
    /// Whether any receiver is attached.
    pub is_matched: bool,
}

/// The counts of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStatus {
    /// The number of messages that were sent.
    pub sent: u64,
    /// The number of attached receivers.
    pub matched: usize,
    /// Messages that were not delivered. A message counts once for each receiver that did not get it.
    pub losses: Losses,
    /// The number of times that a loan had to grow. Each time costs one copy.
    pub regrown: u64,
}

/// The sending end of a publisher.
///
/// **Invariant:** messages reach each receiver in the order in which they were sent. It may be used from any thread;
/// two threads that send at the same time wait for each other.
#[derive(Debug)]
pub struct Sender {
    gid: Gid,
    pub(crate) memory: Arc<Memory>,
    retired: Arc<RetiredQueues>,
    counters: Mapped<EndpointCounters>,
    options: SenderOptions,
    /// Whether some connected receiver has not been seen to be attached yet.
    has_unattached: AtomicBool,
    inner: Mutex<SenderState>,
}

#[derive(Debug, Default)]
pub(crate) struct SenderState {
    pub(crate) pool: ChunkPool,
    queues: Vec<Queue>,
    /// The holder bits of `queues`. They are set in each message.
    holders: Holders,
    /// The newest messages, the oldest of them first. They are kept for receivers that connect later.
    kept: VecDeque<ChunkIndex>,
    sent: u64,
    pub(crate) regrown: u64,
    /// Whether any of `queues` keeps all. Sending waits for room in these.
    keeps_all: bool,
    /// The number of incompatible receivers, by each cause of [`MISMATCHES`].
    mismatched: [u64; MISMATCHES.len()],
    /// When it last sent a message, in monotonic nanoseconds.
    sent_at: i64,
    /// When it last asserted that it is alive, in monotonic nanoseconds.
    asserted_at: i64,
}

impl Sender {
    /// Creates a sender without receivers. `gid` is written into its messages.
    pub fn new(
        gid: Gid,
        memory: Arc<Memory>,
        retired: Arc<RetiredQueues>,
        counters: Mapped<EndpointCounters>,
        options: SenderOptions,
    ) -> Self {
        let pool = ChunkPool::new(options.is_unicast);
        let inner =
            Mutex::new(SenderState { pool, asserted_at: monotonic_nanos(), ..SenderState::default() });
        Self { gid, memory, retired, counters, options, has_unattached: AtomicBool::new(false), inner }
    }

    /// Whether the sender may be used; see [`crate::usability`].
    #[inline]
    pub fn is_usable(&self) -> bool {
        self.memory.usability.may_use()
    }

    /// Returns the reason why the sender may not be used.
    #[cold]
    pub(crate) fn unusable(&self) -> PublishError {
        self.memory.usability.error().into()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, SenderState> {
        self.inner.lock()
    }

    /// Returns the counts of the sender.
    pub fn status(&self) -> SenderStatus {
        let inner = self.lock();
        let mut losses = self.counters.losses();
        inner.queues.iter().for_each(|queue| losses.add_all(&losses_of(&queue.header)));
        SenderStatus { sent: inner.sent, matched: inner.matched(), losses, regrown: inner.regrown }
    }

    /// Returns the counters, which other processes can read.
    pub fn counters(&self) -> &Mapped<EndpointCounters> {
        &self.counters
    }

    /// Whether sending may wait for room: whether any queue keeps all.
    pub fn may_wait(&self) -> bool {
        self.lock().keeps_all
    }

    /// Returns the number of the oldest message that a connected receiver has received or will receive. Returns `None`
    /// if no receiver is connected.
    pub fn oldest_received(&self) -> Option<u64> {
        self.lock().queues.iter().map(|queue| queue.first_sequence).min()
    }

    /// Asserts that the sender is alive.
    pub fn assert_alive(&self) {
        let now = monotonic_nanos();
        let mut inner = self.lock();
        inner.asserted_at = now;
        inner.queues.iter().for_each(|queue| queue.header.assert_alive(now));
    }

    /// Returns when the sender was active. Returns `None` if another thread uses the sender now.
    pub fn try_times(&self, now: i64) -> Option<SenderTimes> {
        self.inner.try_lock().map(|inner| inner.times(now))
    }

    /// Sets how many receivers are incompatible, by each cause of [`MISMATCHES`]. Each message that is sent from now on
    /// counts as lost for these receivers.
    pub fn set_mismatched(&self, counts: [u64; MISMATCHES.len()]) {
        self.lock().mismatched = counts;
    }

    /// Counts messages that never came here from their original publisher, once for each receiver.
    pub fn count_missing(&self, loss: NetworkLoss, number: u64) {
        let why = match loss {
            NetworkLoss::Congestion => Unsent::Congestion,
            NetworkLoss::RateLimit => Unsent::RateLimit,
            NetworkLoss::LinkLost => Unsent::LinkLost,
        };
        self.lock().count_unsent(why, number);
        self.counters.note_loss(loss.into());
    }

    /// Returns whether there are receivers, also those that have not attached to their queue yet.
    pub fn has_receivers(&self) -> bool {
        !self.lock().queues.is_empty()
    }

    /// Closes the sender. Messages that receivers have not read yet stay until the receivers have read them.
    ///
    /// # Panics
    /// Panics if a message is being written, or a loan exists. Otherwise other senders would get its memory.
    pub fn close(&self) {
        let SenderState { pool, queues, .. } = std::mem::take(&mut *self.lock());
        assert!(!pool.is_being_written(), "a sender must not be closed while a message is being written");
        self.retired.add(Retired { pool, queues }, &self.memory);
    }
}

impl SenderState {
    /// Returns when the sender was active.
    pub(crate) fn times(&self, now: i64) -> SenderTimes {
        let is_matched = self.matched() > 0;
        SenderTimes { now, sent_at: self.sent_at, asserted_at: self.asserted_at, is_matched }
    }

    /// Returns how many receivers are attached.
    fn matched(&self) -> usize {
        self.queues.iter().filter(|queue| queue.is_attached()).count()
    }
}
