//! The receiving end of a topic.

use std::{
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use saltus_types::{Gid, History, LossCause, Losses};

use crate::{
    Channel, EndpointEvent, EndpointInfo, GraphEvent, Sample,
    chunk::ChunkHeader,
    connection::{losses_of, slots},
    counters::{EndpointCounters, MISMATCHES},
    events::Events,
    link::Link,
    monitor::{DeadlineWatch, Due},
    os::{
        clock::monotonic_nanos,
        futex,
        mutex::{Mutex, MutexGuard},
        segment::Mapped,
    },
    presence::{Presence, WeakPresence},
    protocol::{
        port::Port,
        ring::{Ring, RingHeader},
    },
    registry::{ConnectionInfo, RecordId},
    sample::Source,
    shared::Shared,
    waiter::Waker,
};

/// How soon a publisher that is silent beyond its lease is looked at again, in nanoseconds.
const SILENT_LOOK: i64 = 10_000_000;

/// What a subscription can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionStatus {
    /// How many messages were taken.
    pub received: u64,
    /// How many publishers are connected.
    pub matched: usize,
    /// How many messages were not delivered, as far as this end knows.
    pub losses: Losses,
    /// How many publishers of this topic can't be received for their type or QoS.
    pub incompatible: u64,
    /// How many messages were copied when they were taken, because as many were borrowed as may be.
    pub copied: u64,
}

/// The receiving end of a topic.
///
/// **Invariant:** holds at most the depth of its QoS, over all publishers; older messages give way
/// and are counted. May be used from any thread.
#[derive(Debug)]
pub struct Subscription {
    pub(crate) core: Arc<SubscriptionCore>,
    /// Held, not used: this process stays in the domain as long as its handles.
    pub(crate) _presence: Presence,
}

#[derive(Debug)]
pub(crate) struct SubscriptionCore {
    pub(crate) info: EndpointInfo,
    pub(crate) record: RecordId,
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: Events,
    pub(crate) counters: Mapped<EndpointCounters>,
    port: Mapped<Port>,
    /// How many messages of all publishers together are kept; all that fit each queue, if there is no bound.
    together: Option<u64>,
    /// Whether it has a deadline, or a publisher with a lease.
    is_timed: AtomicBool,
    /// See [`Subscription::set_borrow_limit`].
    borrow_limit: AtomicUsize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    readers: Vec<Reader>,
    received: u64,
    deadline: DeadlineWatch,
    /// Publishers that don't suit.
    unsuited: Vec<Unsuited>,
    /// How many losses were known when a message was last taken.
    seen_losses: u64,
}

/// A publisher that does not suit: what it sends is lost.
#[derive(Debug)]
struct Unsuited {
    publisher: Gid,
    /// Which of [`MISMATCHES`] is the cause.
    mismatch: usize,
    /// What it counts; gone with its process.
    counters: Option<Mapped<EndpointCounters>>,
    /// How much it had sent when it was found.
    base: u64,
}

impl Unsuited {
    /// How much it has sent since it was found.
    fn lost(&self) -> u64 {
        let own = self.counters.as_ref().filter(|counters| counters.is_of(self.publisher));
        own.map_or(0, |counters| counters.messages().saturating_sub(self.base))
    }
}

/// The reading end of a queue.
#[derive(Debug)]
struct Reader {
    info: ConnectionInfo,
    source: Arc<Source>,
    header: Mapped<RingHeader>,
    slots: NonNull<[AtomicU64]>,
    /// The publisher has gone: what is left is read, then it is detached.
    ending: bool,
    /// Whether it has shown itself within its lease.
    is_alive: bool,
}

// SAFETY: `slots` points into the segment that `source` keeps mapped, and consists of atomics.
unsafe impl Send for Reader {}

impl Reader {
    fn ring(&self) -> Ring<'_> {
        // SAFETY: the publisher keeps the slots until this reader detaches, and they stay mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    /// Takes the oldest descriptor.
    fn pop(&self) -> Option<u64> {
        let descriptor = self.ring().pop()?;
        if self.info.keep_all && self.header.made_room() {
            futex::wake_all(self.header.waiting());
        }
        Some(descriptor)
    }

    /// Whether a message that was sent then is too old now.
    fn is_expired(&self, sent_at: i64, now: i64) -> bool {
        self.info.lifespan > 0 && now.saturating_sub(sent_at) > self.info.lifespan as i64
    }

    /// Looks whether the publisher has shown itself within its lease, and says when to look again.
    fn check_lease(&mut self, now: i64) -> Due {
        // Another process says it: half of all time is as good as any.
        let lease = self.info.lease.min(i64::MAX as u64 / 2) as i64;
        if lease == 0 || self.ending {
            return Due::NEVER;
        }
        let until = self.header.alive_at().saturating_add(lease);
        self.is_alive = now < until;
        // Who is silent may speak at any time.
        Due::at(if self.is_alive { until } else { now.saturating_add(lease.min(SILENT_LOOK)) })
    }

    /// When the oldest message was sent. It may be taken back meanwhile: then the answer is of no
    /// use, and no harm, because the first page of a chunk stays. A descriptor that names nothing
    /// is the oldest of all, so that it is taken and counted.
    fn oldest(&self) -> Option<i64> {
        let descriptor = self.ring().peek()?;
        let chunk = self.source.link.segment.get::<ChunkHeader>(descriptor);
        Some(chunk.map_or(i64::MIN, ChunkHeader::sent_at))
    }

    /// Drops everything in the queue and leaves it to its publisher.
    ///
    /// Returns what was lost in it, as far as its publisher knows.
    fn detach(self) -> Losses {
        let losses = losses_of(&self.header);
        self.header.set_reader_counters(0);
        let mut unread = 0;
        while let Some(descriptor) = self.pop() {
            self.source.give_back(descriptor);
            unread += 1;
        }
        self.header.leave_unread(unread);
        if self.header.detach(self.info.generation) {
            // It can free the queue now.
            self.source.link.ring_housekeeping();
        }
        losses
    }
}

impl Subscription {
    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        &self.core.info
    }

    /// The oldest message that waits, if there is one.
    pub fn take(&self) -> Option<Sample> {
        if !self.core.is_usable() {
            return None;
        }
        self.core.take()
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.core.is_usable() && self.core.lock().readers.iter().any(|reader| reader.ring().len() > 0)
    }

    /// From now on a message rings there, or nowhere.
    ///
    /// What waits already rings at once, so that it is not overlooked. A waker of another context's waiter
    /// is taken for nobody.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        if !self.core.is_usable() {
            return;
        }
        match waker {
            // The port names a place in this context's memory, which another context's waker has not.
            Some(waker) if waker.process() != self.core.shared.link.process => self.core.port.aim_nowhere(),
            Some(waker) => {
                self.core.port.aim(waker.doorbell, waker.class);
                waker.ring();
            }
            None => self.core.port.aim_nowhere(),
        }
    }

    /// Counts and states.
    pub fn status(&self) -> SubscriptionStatus {
        if !self.core.is_usable() {
            return SubscriptionStatus::default();
        }
        let inner = self.core.lock();
        SubscriptionStatus {
            received: inner.received,
            matched: inner.matched(),
            losses: self.core.losses(&inner),
            incompatible: self.core.events.incompatible(),
            copied: self.core.counters.copied(),
        }
    }

    /// How many messages may be borrowed from publishers at a time: those that were taken and not dropped. Beyond
    /// that, messages are copied when they are taken, and counted in [`SubscriptionStatus::copied`]. So a publisher
    /// needs memory for as many messages as its subscriptions may have waiting and borrowed, whatever they keep.
    ///
    /// The limit is [`Subscription::BORROW_LIMIT`] unless it is set. With 0 every message is copied.
    pub fn set_borrow_limit(&self, limit: usize) {
        self.core.borrow_limit.store(limit, Ordering::Relaxed);
    }

    /// How many messages may be borrowed unless something else is set.
    pub const BORROW_LIMIT: usize = 16;

    /// The next event that was not told yet.
    pub fn take_event(&self) -> Option<EndpointEvent> {
        self.core.is_usable().then(|| self.core.events.take()).flatten()
    }

    /// Counts a message that was taken and is not what its type says.
    pub fn count_unreadable(&self) {
        if self.core.is_usable() {
            self.core.count_unreadable();
        }
    }

    /// From now on an event rings there, or nowhere.
    pub fn set_event_waker(&self, waker: Option<&Waker>) {
        if self.core.is_usable() {
            self.core.events.set_waker(waker);
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.core.shared.usability.may_release() {
            self.core.shared.remove_subscription(&self.core);
        }
    }
}

impl SubscriptionCore {
    pub(crate) fn new(
        info: EndpointInfo,
        record: RecordId,
        shared: Arc<Shared>,
        counters: Mapped<EndpointCounters>,
        port: Mapped<Port>,
    ) -> Self {
        let deadline = DeadlineWatch::new(info.qos.deadline);
        let is_timed = AtomicBool::new(deadline.is_on());
        let inner = Mutex::new(Inner { deadline, ..Inner::default() });
        let together = match info.qos.history {
            // Each client has its own window of requests, and each server of responses.
            _ if info.channel() != Channel::Topic => None,
            History::KeepLast(_) => Some(info.qos.history.depth().into()),
            History::KeepAll => None,
        };
        let borrow_limit = AtomicUsize::new(Subscription::BORROW_LIMIT);
        let events = Events::default();
        Self { info, record, shared, events, counters, port, together, is_timed, borrow_limit, inner }
    }

    fn take(&self) -> Option<Sample> {
        let mut inner = self.lock();
        let mut taken = inner.take(self.together, &self.counters);
        if taken.is_some() {
            self.counters.set_messages(inner.received);
            if inner.borrowed() > self.borrow_limit.load(Ordering::Relaxed) {
                taken = taken.and_then(|sample| self.copy(sample));
            }
        }
        if inner.has_lost(&self.counters) {
            let lost = self.losses(&inner);
            drop(inner);
            self.events.lost(delivery_losses(&lost));
        }
        taken
    }

    /// A sample that borrows nothing.
    #[cold]
    fn copy(&self, sample: Sample) -> Option<Sample> {
        let copy = sample.into_copy();
        match copy {
            Some(_) => self.counters.count_copy(),
            None => self.counters.lose(LossCause::OutOfMemory, 1),
        }
        copy
    }

    /// Everything that was lost so far.
    fn losses(&self, inner: &Inner) -> Losses {
        let mut losses = self.counters.losses();
        inner.readers.iter().for_each(|reader| losses.add_all(&losses_of(&reader.header)));
        inner.unsuited.iter().for_each(|other| losses.add(MISMATCHES[other.mismatch], other.lost()));
        losses
    }

    fn count_unreadable(&self) {
        self.counters.lose(LossCause::Deserialization, 1);
        let lost = self.losses(&self.lock());
        self.events.lost(delivery_losses(&lost));
    }

    /// Looks whether a deadline was missed or a publisher has fallen silent, and says when to look again.
    pub(crate) fn monitor(&self, now: i64) -> Due {
        if !self.is_timed.load(Ordering::Acquire) {
            return Due::NEVER;
        }
        // Who has it is taking messages right now.
        let Some(mut inner) = self.inner.try_lock() else { return Due::at(now) };
        let last = inner.readers.iter().map(|reader| reader.header.pushed_at()).max().unwrap_or(0);
        let begins = inner.matched() > 0;
        let (missed, mut due) = inner.deadline.check(last, begins, now);
        for reader in &mut inner.readers {
            due = due.or(reader.check_lease(now));
        }
        drop(inner);
        if missed > 0 {
            self.events.deadline_missed(missed);
        }
        self.notice_publishers(0);
        due
    }

    /// Tells how many publishers are connected, of which so many are new, and how many of them are alive, if
    /// that has changed.
    fn notice_publishers(&self, new: u64) {
        let inner = self.lock();
        let (matched, alive) = (inner.matched(), inner.alive());
        drop(inner);
        self.events.matched(new, matched);
        self.events.liveliness(alive, matched - alive);
    }

    /// Notes a publisher that does not suit: what it sends from now on is lost.
    pub(crate) fn count_unsuited(
        &self,
        publisher: Gid,
        cause: LossCause,
        counters: Option<Mapped<EndpointCounters>>,
    ) {
        let Some(mismatch) = MISMATCHES.iter().position(|other| *other == cause) else { return };
        let mut inner = self.lock();
        if inner.unsuited.iter().all(|other| other.publisher != publisher) {
            let base = counters.as_ref().map_or(0, |counters| counters.messages());
            inner.unsuited.push(Unsuited { publisher, mismatch, counters, base });
            inner.publish_mismatch_bases(&self.counters);
        }
    }

    /// Forgets unsuitable publishers that have gone, but not what they have sent.
    pub(crate) fn forget_unsuited(&self, gone: impl Fn(&Gid) -> bool) {
        let mut inner = self.lock();
        for other in inner.unsuited.extract_if(.., |other| gone(&other.publisher)) {
            self.counters.lose(MISMATCHES[other.mismatch], other.lost());
        }
        inner.publish_mismatch_bases(&self.counters);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Whether it may be used: see [`crate::usability`].
    fn is_usable(&self) -> bool {
        self.shared.usability.may_use()
    }

    /// Begins to read from a publisher, and tells it so. Does nothing if its offer is stale.
    pub(crate) fn attach(&self, info: &ConnectionInfo, link: &Arc<Link>, presence: &WeakPresence) {
        // The lock of the state is held, so nobody else attaches meanwhile.
        if self.lock().readers.iter().any(|reader| reader.info == *info) {
            return;
        }
        let mapped = (slots(&link.segment, info), Mapped::<RingHeader>::new(&link.segment, info.ring));
        let (Some(slots), Some(header)) = mapped else {
            let reason = "the publisher's queue can't be mapped".into();
            let subscription = self.info.clone();
            return self.shared.tell_later(GraphEvent::NotConnected { subscription, reason });
        };
        // See the invariant of `Presence` for why there is one.
        let Some(presence) = presence.upgrade() else { return };
        // Without memory to count in it is connected all the same: it only has no latencies to show.
        let counters = self.shared.open_connection_counters().ok();
        let counters_offset = counters.as_ref().map_or(0, |(_, offset)| *offset);
        let source = Arc::new(Source::new(link.clone(), info.holder, presence, counters));
        if header.attach(info.generation) {
            header.set_reader_counters(counters_offset);
            let has_lease = info.lease > 0;
            let info = info.clone();
            let reader = Reader { info, source, header, slots, ending: false, is_alive: true };
            self.lock().readers.push(reader);
            self.notice_publishers(1);
            self.ring();
            link.ring_housekeeping();
            if has_lease || self.info.qos.deadline.is_some() {
                self.is_timed.store(true, Ordering::Release);
                self.shared.watch_times();
            }
        }
    }

    /// A publisher has gone. What it sent before is still read.
    pub(crate) fn end(&self, gone: impl Fn(&Gid, u64) -> bool) {
        let mut inner = self.lock();
        for reader in &mut inner.readers {
            reader.ending |= gone(&reader.info.publisher, reader.source.link.process);
        }
        inner.detach_ended(&self.counters);
        drop(inner);
        self.notice_publishers(0);
        // Its last ring may have been lost with it.
        self.ring();
    }

    fn ring(&self) {
        self.shared.link.ring_port(&self.port);
    }

    /// Closes for good, and gives the port back.
    pub(crate) fn close(&self) -> Mapped<Port> {
        self.port.aim_nowhere();
        for reader in std::mem::take(&mut *self.lock()).readers {
            reader.detach();
        }
        self.port.clone()
    }
}

impl Inner {
    /// The oldest message.
    fn take(&mut self, together: Option<u64>, counters: &EndpointCounters) -> Option<Sample> {
        if let (2.., Some(depth)) = (self.readers.len(), together) {
            self.drop_beyond(depth, counters);
        }
        loop {
            let reader = self.next_reader(counters)?;
            let reader = &self.readers[reader];
            let Some(descriptor) = reader.pop() else {
                self.drop_broken(counters);
                continue;
            };
            let Some(mut sample) = Sample::find(&reader.source, descriptor) else {
                counters.lose(LossCause::Corrupt, 1);
                continue;
            };
            let (sent_at, now) = (sample.sent_at(), monotonic_nanos());
            if reader.is_expired(sent_at, now) {
                counters.lose(LossCause::LifespanExpired, 1);
                continue;
            }
            sample.take_at(sent_at, now);
            if reader.ending && reader.ring().len() == 0 {
                // A user who asks `has_message` first does not take again.
                self.detach_ended(counters);
            }
            self.received += 1;
            return Some(sample);
        }
    }

    /// How many messages are borrowed from publishers.
    fn borrowed(&self) -> usize {
        self.readers.iter().map(|reader| reader.source.borrowed()).sum()
    }

    /// Whether something was lost since this was last asked.
    #[inline]
    fn has_lost(&mut self, counters: &EndpointCounters) -> bool {
        let known = |reader: &Reader| reader.header.total_lost();
        let lost = self.readers.iter().map(known).fold(counters.total_losses(), u64::saturating_add);
        std::mem::replace(&mut self.seen_losses, lost) != lost
    }

    /// How many publishers are connected and have not gone.
    fn matched(&self) -> usize {
        self.readers.iter().filter(|reader| !reader.ending).count()
    }

    /// How many of them have shown themselves within their lease.
    fn alive(&self) -> usize {
        self.readers.iter().filter(|reader| !reader.ending && reader.is_alive).count()
    }

    /// For tools: what unsuitable publishers had sent when they were found.
    fn publish_mismatch_bases(&self, counters: &EndpointCounters) {
        for mismatch in 0..MISMATCHES.len() {
            let bases =
                self.unsuited.iter().filter(|other| other.mismatch == mismatch).map(|other| other.base);
            counters.set_mismatch_base(mismatch, bases.fold(0, u64::saturating_add));
        }
    }

    /// The reader whose oldest message was sent first; `None` if nothing waits anywhere.
    fn next_reader(&mut self, counters: &EndpointCounters) -> Option<usize> {
        if let [reader] = &self.readers[..]
            && !reader.ending
        {
            return (reader.ring().len() > 0).then_some(0);
        }
        let first = self.first_sent();
        if first.is_none() {
            self.detach_ended(counters);
        }
        first
    }

    fn first_sent(&self) -> Option<usize> {
        let waiting = (0..).zip(&self.readers).filter_map(|(i, reader)| Some((reader.oldest()?, i)));
        waiting.min().map(|(_, i)| i)
    }

    /// Keeps the newest `depth` messages of all publishers together.
    fn drop_beyond(&mut self, depth: u64, counters: &EndpointCounters) {
        let waiting = self.readers.iter().map(|reader| reader.ring().len()).fold(0, u64::saturating_add);
        for _ in depth..waiting {
            let Some(reader) = self.first_sent() else { return };
            if let Some(descriptor) = self.readers[reader].pop() {
                self.readers[reader].source.give_back(descriptor);
                counters.lose(LossCause::QueueOverflow, 1);
            }
        }
    }

    /// Leaves the queues whose words make no sense: their publisher's memory is corrupt, and they
    /// would seem to hold something for ever.
    fn drop_broken(&mut self, counters: &EndpointCounters) {
        let before = self.readers.len();
        self.readers.retain(|reader| !reader.ring().is_broken());
        counters.lose(LossCause::Corrupt, (before - self.readers.len()) as u64);
    }

    /// Leaves the queues of publishers that have gone, once they are empty.
    fn detach_ended(&mut self, counters: &EndpointCounters) {
        let (ended, readers): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.readers).into_iter().partition(|r| r.ending && r.ring().len() == 0);
        self.readers = readers;
        for reader in ended {
            counters.lose_all(&reader.detach());
        }
    }
}

/// The losses that are told as events of a lost message: those of messages on their way. Endpoints
/// that don't suit have events of their own.
fn delivery_losses(losses: &Losses) -> u64 {
    let on_their_way = losses.iter().filter(|(cause, _)| !MISMATCHES.contains(cause));
    on_their_way.fold(0, |sum, (_, count)| sum.saturating_add(count))
}
