//! The sending end of a topic.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::AtomicBool},
};

use draft::{SMALL, SmallMessage};
use saltus_types::{Gid, Liveliness, Losses, QoS};

use crate::{
    Channel, EndpointEvent, EndpointInfo, MemoryError,
    chunk::{ChunkIndex, ChunkPool},
    connection::{Connection, Grave, losses_of},
    counters::EndpointCounters,
    events::Events,
    monitor::{DeadlineWatch, Due},
    os::{
        clock::monotonic_nanos,
        mutex::{Mutex, MutexGuard},
        segment::Mapped,
    },
    presence::Presence,
    protocol::holders::Holders,
    registry::{RecordId, nanos},
    shared::Shared,
    usability::Unusable,
    waiter::Waker,
};

mod draft;
mod matching;
mod sending;

/// Why a message was not sent.
#[derive(thiserror::Error)]
pub enum PublishError {
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A subscription that keeps all has not made room for
    /// [`History::MAX_BLOCKING`](saltus_types::History::MAX_BLOCKING): nothing was sent to anybody.
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

/// What a publisher can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublisherStatus {
    /// How many messages were sent.
    pub sent: u64,
    /// How many subscriptions are connected: what is sent from now on reaches them, even if this
    /// process ends at once.
    pub matched: usize,
    /// How many messages were not delivered, as far as this end knows: one for each subscription that
    /// missed one.
    pub losses: Losses,
    /// How many messages outgrew the size they were loaned with, and were copied once.
    pub regrown: u64,
    /// How many subscriptions of this topic could not be connected for their type or QoS.
    pub incompatible: u64,
}

/// The sending end of a topic.
///
/// **Invariant:** messages reach each subscription in the order in which they were sent. May be
/// used from any thread; two threads that publish at once wait for each other. It leaves the graph
/// when it and the last of its loans are dropped.
#[derive(Debug)]
pub struct Publisher(pub(crate) Arc<Handle>);

/// What a publisher and its loans have in common: its place in the graph.
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) core: Arc<PublisherCore>,
    /// This process stays in the domain as long as its handles.
    presence: Presence,
}

impl Handle {
    /// Looks at what other processes say of themselves, which the housekeeping may not have done yet.
    pub(crate) fn catch_up(&self) {
        self.core.shared.sync(&Arc::downgrade(&self.presence));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.core.shared.usability.may_release() {
            self.core.shared.remove_publisher(&self.core);
        }
    }
}

#[derive(Debug)]
pub(crate) struct PublisherCore {
    pub(crate) info: EndpointInfo,
    pub(crate) record: RecordId,
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: Events,
    pub(crate) counters: Mapped<EndpointCounters>,
    /// Whether a subscription was connected and not seen to read yet.
    awaits_reader: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    pub(crate) pool: ChunkPool,
    connections: Vec<Connection>,
    /// The bits of `connections`, as a message is sealed with them.
    holders: Holders,
    /// The last messages, for those who join late; empty unless transient local.
    retained: VecDeque<ChunkIndex>,
    sent: u64,
    pub(crate) regrown: u64,
    /// Whether a subscription is among `connections` for which `publish` waits.
    keeps_all: bool,
    /// Subscriptions that don't suit, and which of [`MISMATCHES`](crate::counters::MISMATCHES) is the cause.
    unsuited: Vec<(Gid, usize)>,
    /// When it last sent, and last said that it is alive, in monotonic nanoseconds.
    sent_at: i64,
    asserted_at: i64,
    /// Whether its lease has run out and was not renewed.
    is_silent: bool,
    deadline: DeadlineWatch,
}

impl Publisher {
    pub(crate) fn new(core: Arc<PublisherCore>, presence: Presence) -> Self {
        Self(Arc::new(Handle { core, presence }))
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        &self.0.core.info
    }

    /// Counts and states.
    pub fn status(&self) -> PublisherStatus {
        let core = &self.0.core;
        if !core.is_usable() {
            return PublisherStatus::default();
        }
        let inner = core.lock();
        let mut losses = core.counters.losses();
        inner.connections.iter().for_each(|connection| losses.add_all(&losses_of(&connection.header)));
        PublisherStatus {
            sent: inner.sent,
            matched: inner.matched(),
            losses,
            regrown: inner.regrown,
            incompatible: core.events.incompatible(),
        }
    }

    /// The next event that was not told yet.
    pub fn take_event(&self) -> Option<EndpointEvent> {
        let core = &self.0.core;
        if !core.is_usable() {
            return None;
        }
        core.notice_matched();
        core.events.take()
    }

    /// From now on an event rings there, or nowhere.
    pub fn set_event_waker(&self, waker: Option<&Waker>) {
        if self.0.core.is_usable() {
            self.0.core.events.set_waker(waker);
        }
    }

    /// Says that this publisher is alive, without publishing: renews the lease of manual liveliness.
    pub fn assert_liveliness(&self) {
        if self.0.core.is_usable() {
            self.0.core.assert_liveliness();
        }
    }

    /// Sends a message of `len` bytes, encapsulation header included, that `write` writes: in place, or on the stack if
    /// it is small.
    ///
    /// If `write` fails nothing is sent. It runs without any lock of this publisher, and may use it. If there is no
    /// memory, a small message was written all the same.
    pub fn publish_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let core = &self.0.core;
        if len <= SMALL {
            if !core.is_usable() {
                return Err(core.unusable().into());
            }
            let mut small = SmallMessage::new();
            let message = small.message(len);
            write(message)?;
            return core.send_copy(message).map_err(E::from);
        }
        let mut draft = core.draft(len)?;
        write(draft.message(len))?;
        core.send(draft.keep(), len).map_err(E::from)
    }

    /// Whether sending waits for room now where there is none: some subscription keeps all.
    pub fn may_wait(&self) -> bool {
        self.0.core.lock().keeps_all
    }

    /// The number of the oldest request that a server who is there now has received or will receive; `None`
    /// if there is no server.
    pub fn oldest_served(&self) -> Option<u64> {
        let core = &self.0.core;
        let inner = core.is_usable().then(|| core.lock())?;
        inner.connections.iter().map(|connection| connection.first).min()
    }

    /// Sends a serialized message, which is copied once.
    pub fn publish_bytes(&self, bytes: &[u8]) -> Result<(), PublishError> {
        if bytes.len() > SMALL {
            return self.publish_with(bytes.len(), |message| {
                message.copy_from_slice(bytes);
                Ok(())
            });
        }
        let core = &self.0.core;
        if core.is_usable() { core.send_copy(bytes) } else { Err(core.unusable()) }
    }
}

impl PublisherCore {
    pub(crate) fn new(
        info: EndpointInfo,
        record: RecordId,
        shared: Arc<Shared>,
        counters: Mapped<EndpointCounters>,
    ) -> Self {
        let deadline = DeadlineWatch::new(info.qos.deadline);
        let asserted_at = monotonic_nanos();
        let pool = ChunkPool::new(info.channel() == Channel::Response);
        let inner = Mutex::new(Inner { pool, deadline, asserted_at, ..Inner::default() });
        let awaits_reader = AtomicBool::new(false);
        Self { info, record, shared, events: Events::default(), counters, awaits_reader, inner }
    }

    /// Whether it may be used: see [`crate::usability`].
    pub(crate) fn is_usable(&self) -> bool {
        self.shared.usability.may_use()
    }

    /// Why it may not be used.
    pub(crate) fn unusable(&self) -> PublishError {
        self.shared.usability.why_not().into()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Says that the publisher is alive, by its own doing or because its process is.
    pub(crate) fn assert_liveliness(&self) {
        let now = monotonic_nanos();
        let mut inner = self.lock();
        inner.asserted_at = now;
        inner.is_silent = false;
        inner.connections.iter().for_each(|connection| connection.header.assert_alive(now));
    }

    /// Looks whether a deadline was missed or the lease has run out, and says when to look again.
    pub(crate) fn monitor(&self, now: i64) -> Due {
        if self.info.qos.deadline.is_none() && self.info.qos.lease.is_none() {
            return Due::NEVER;
        }
        // Who has it is publishing right now, and what was missed is counted by that.
        let Some(mut inner) = self.inner.try_lock() else { return Due::at(now) };
        let (due, assert) = self.check_times(&mut inner, now);
        drop(inner);
        if assert {
            self.assert_liveliness();
        }
        due
    }

    /// Tells of a deadline or a lease that has passed. When to look again, and whether the process must
    /// renew the lease.
    fn check_times(&self, inner: &mut Inner, now: i64) -> (Due, bool) {
        let (missed, due) = inner.check_deadline(now);
        let (lost, lease_due, assert) = inner.check_lease(&self.info.qos, now);
        if missed > 0 {
            self.events.deadline_missed(missed);
        }
        if lost {
            self.events.liveliness_lost();
        }
        (due.or(lease_due), assert)
    }

    /// Closes for good; what subscriptions have not read yet stays until they have.
    pub(crate) fn close(&self) {
        let Inner { pool, connections, .. } = std::mem::take(&mut *self.lock());
        self.shared.bury(Grave { pool, connections });
    }
}

impl Inner {
    /// How long a message is worth taking, in nanoseconds.
    fn lifespan(&self, qos: &QoS) -> i64 {
        match nanos(qos.lifespan) {
            0 => i64::MAX,
            lifespan => lifespan as i64,
        }
    }

    /// How many periods went by without a message since this was last asked; the first begins when
    /// the first subscription is connected.
    fn check_deadline(&mut self, now: i64) -> (u64, Due) {
        let matched = self.matched() > 0;
        self.deadline.check(self.sent_at, matched, now)
    }

    /// Whether the lease of manual liveliness has run out just now, when to look again, and whether the
    /// process must renew it, as automatic liveliness has it.
    fn check_lease(&mut self, qos: &QoS, now: i64) -> (bool, Due, bool) {
        let lease = nanos(qos.lease) as i64;
        if lease == 0 {
            return (false, Due::NEVER, false);
        }
        if qos.liveliness == Liveliness::Automatic {
            // Three times a lease, so that one late look is no lapse.
            return (false, Due::at(now.saturating_add(lease / 3)), true);
        }
        let until = self.sent_at.max(self.asserted_at).saturating_add(lease);
        let was_silent = std::mem::replace(&mut self.is_silent, now >= until);
        let due = if self.is_silent { now.saturating_add(lease) } else { until };
        (self.is_silent && !was_silent, Due::at(due), false)
    }
}

#[cfg(test)]
mod tests;
