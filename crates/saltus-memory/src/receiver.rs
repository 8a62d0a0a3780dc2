//! The receiving end: the queues of all senders that are connected.

mod reader;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use saltus_types::{LossCause, Losses};

use crate::{
    arena::MemoryError,
    counters::{EndpointCounters, MISMATCHES},
    link::Link,
    memory::{KeepAlive, Memory},
    os::{
        clock::monotonic_nanos,
        mutex::{Mutex, MutexGuard},
        segment::Mapped,
    },
    protocol::{port::Port, ring::RingHeader},
    queue::{QueueInfo, losses_of, not_mapped, slots},
    sample::{Sample, Source, Taken},
    waiter::Waker,
};

use reader::Reader;
pub use reader::SourceTimes;

/// How many messages may be borrowed from senders unless something else is set.
pub const BORROW_LIMIT: usize = 16;

/// What a receiver has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStatus {
    /// How many messages were taken.
    pub received: u64,
    /// How many senders are connected.
    pub matched: usize,
    /// Messages that were not delivered, as far as this end knows.
    pub losses: Losses,
    /// How many messages were copied when they were taken, because as many were borrowed as may be.
    pub copied: u64,
}

/// The receiving end.
///
/// **Invariant:** holds at most the bound that it was made with, over all senders; older messages give way and are
/// counted. It may be used from any thread.
#[derive(Debug)]
pub struct Receiver {
    memory: Arc<Memory>,
    counters: Mapped<EndpointCounters>,
    port: Mapped<Port>,
    /// How many messages of all senders together are kept; all that fit each queue, if there is no bound.
    bound: Option<u64>,
    borrow_limit: AtomicUsize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    readers: Vec<Reader>,
    received: u64,
    /// Senders that can't be connected.
    mismatched: Vec<Mismatched>,
    /// How many losses were known when a message was last taken.
    seen_losses: u64,
}

/// A sender that can't be connected: what it sends is lost.
#[derive(Debug)]
struct Mismatched {
    /// Its number in its process.
    sender: u64,
    process: u64,
    /// Which of [`MISMATCHES`] is the cause.
    cause: usize,
    /// What it counts; gone with its process.
    counters: Option<Mapped<EndpointCounters>>,
    /// How much it had sent when it was found.
    base: u64,
}

impl Mismatched {
    /// How much it has sent since it was found.
    fn lost(&self) -> u64 {
        let own = self.counters.as_ref().filter(|counters| counters.is_of(self.sender));
        own.map_or(0, |counters| counters.messages().saturating_sub(self.base))
    }
}

impl Receiver {
    /// A receiver without senders. `bound` is how many messages of all senders together are kept; all that fit each
    /// queue, if there is none.
    pub fn new(
        memory: Arc<Memory>,
        counters: Mapped<EndpointCounters>,
        port: Mapped<Port>,
        bound: Option<u64>,
    ) -> Self {
        let borrow_limit = AtomicUsize::new(BORROW_LIMIT);
        Self { memory, counters, port, bound, borrow_limit, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Whether it may be used: see [`crate::usability`].
    #[inline]
    pub fn is_usable(&self) -> bool {
        self.memory.usability.may_use()
    }

    /// What it counts for others to read.
    pub fn counters(&self) -> &Mapped<EndpointCounters> {
        &self.counters
    }

    /// The oldest message, if there is one. `tell` is called with everything that was lost so far, if that has changed
    /// since a message was last taken.
    #[inline]
    pub fn take(&self, tell: impl FnOnce(&Losses)) -> Option<Sample> {
        let mut inner = self.lock();
        let may_borrow = inner.borrowed() < self.borrow_limit.load(Ordering::Relaxed);
        let taken =
            if may_borrow { inner.take(self.bound, &self.counters) } else { self.take_copy(&mut inner) };
        if inner.readers.iter().any(Reader::has_ended) {
            // A user who asks `has_message` first does not take again.
            inner.detach_ended(&self.counters);
        }
        if inner.has_lost(&self.counters) {
            let lost = self.losses(&inner);
            drop(inner);
            tell(&lost);
        }
        taken
    }

    /// The oldest message, as a sample that borrows nothing.
    #[cold]
    fn take_copy(&self, inner: &mut Inner) -> Option<Sample> {
        let copy = inner.take(self.bound, &self.counters)?.into_copy();
        match copy {
            Some(_) => self.counters.count_copy(),
            None => self.counters.lose(LossCause::OutOfMemory, 1),
        }
        copy
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.lock().readers.iter().any(|reader| reader.ring().len() > 0)
    }

    /// From now on a message rings there, or nowhere.
    ///
    /// What waits already rings at once, so that it is not overlooked. A waker of another context's waiter
    /// is taken for nobody.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        match waker {
            // The port names a place in this context's memory, which another context's waker has not.
            Some(waker) if waker.process() != self.memory.link.process => self.port.clear_target(),
            Some(waker) => {
                self.port.set_target(waker.doorbell, waker.class);
                waker.ring();
            }
            None => self.port.clear_target(),
        }
    }

    /// How many messages may be borrowed from senders at a time: those that were taken and not dropped. Beyond that,
    /// messages are copied when they are taken. With 0 every message is copied.
    pub fn set_borrow_limit(&self, limit: usize) {
        self.borrow_limit.store(limit, Ordering::Relaxed);
    }

    /// Counts and states.
    pub fn status(&self) -> ReceiverStatus {
        let inner = self.lock();
        ReceiverStatus {
            received: inner.received,
            matched: inner.matched(),
            losses: self.losses(&inner),
            copied: self.counters.copied(),
        }
    }

    /// Everything that was lost so far.
    fn losses(&self, inner: &Inner) -> Losses {
        let mut losses = self.counters.losses();
        inner.readers.iter().for_each(|reader| losses.add_all(&losses_of(&reader.header)));
        inner.mismatched.iter().for_each(|other| losses.add(MISMATCHES[other.cause], other.lost()));
        losses
    }

    /// Counts a message that was taken and is not what it should be. Returns everything that was lost so far.
    pub fn count_unreadable(&self) -> Losses {
        self.counters.lose(LossCause::Deserialization, 1);
        self.losses(&self.lock())
    }

    /// Tells of each connected sender when it was active.
    pub fn for_each_source(&self, tell: impl FnMut(SourceTimes)) {
        self.lock().readers.iter().map(Reader::times).for_each(tell);
    }

    /// As [`Receiver::for_each_source`]; `false`, and nothing is told, if another thread uses the receiver now.
    pub fn try_for_each_source(&self, tell: impl FnMut(SourceTimes)) -> bool {
        let Some(inner) = self.inner.try_lock() else { return false };
        inner.readers.iter().map(Reader::times).for_each(tell);
        true
    }

    /// Notes a sender, by its number in its process, that can't be connected by one of [`MISMATCHES`]: what it sends
    /// from now on is lost. `counters` is where it counts in its process's segment.
    pub fn add_mismatched(&self, sender: u64, link: &Link, cause: LossCause, counters: u64) {
        let Some(cause) = MISMATCHES.iter().position(|other| *other == cause) else { return };
        let counters = Mapped::<EndpointCounters>::new(&link.segment, counters);
        let mut inner = self.lock();
        let base = counters.as_ref().map_or(0, |counters| counters.messages());
        inner.mismatched.push(Mismatched { sender, process: link.process, cause, counters, base });
        inner.publish_mismatch_bases(&self.counters);
    }

    /// Forgets a sender of a process that could not be connected, but not what it has sent.
    pub fn remove_mismatched(&self, sender: u64, process: u64) {
        let mut inner = self.lock();
        let is_it = |other: &mut Mismatched| (other.sender, other.process) == (sender, process);
        for other in inner.mismatched.extract_if(.., is_it) {
            self.counters.lose(MISMATCHES[other.cause], other.lost());
        }
        inner.publish_mismatch_bases(&self.counters);
    }

    /// Begins to read from a sender, and tells it so. `false` if it does already, or the queue is another's by now.
    ///
    /// One thread at a time attaches. `keep_alive` is held by every sample of the queue.
    ///
    /// # Errors
    /// If the queue can't be mapped.
    pub fn attach(
        &self,
        sender: u64,
        info: &QueueInfo,
        link: &Arc<Link>,
        keep_alive: KeepAlive,
    ) -> Result<bool, MemoryError> {
        let is_it = |reader: &Reader| {
            (reader.sender, reader.source.link.process) == (sender, link.process) && reader.info == *info
        };
        if self.lock().readers.iter().any(is_it) {
            return Ok(false);
        }
        let mapped = (slots(&link.segment, info), Mapped::<RingHeader>::new(&link.segment, info.ring));
        let (Some(slots), Some(header)) = mapped else { return Err(not_mapped(64)) };
        // Without memory to count in it is connected all the same: it only has no latencies to show.
        let counters = self.memory.open_connection_counters().ok();
        let counters_offset = counters.as_ref().map_or(0, |(_, offset)| *offset);
        let source = Source::new(link.clone(), info.holder, self.memory.clone(), keep_alive, counters);
        if !header.attach(info.generation) {
            return Ok(false);
        }
        header.set_reader_counters(counters_offset);
        let reader =
            Reader { sender, info: *info, source: Arc::new(source), header, slots, is_ending: false };
        let mut inner = self.lock();
        // Most have one, which needs no room for more.
        let room = usize::from(inner.readers.is_empty());
        inner.readers.reserve_exact(room);
        inner.readers.push(reader);
        drop(inner);
        link.ring_housekeeping();
        Ok(true)
    }

    /// Senders have gone. What they sent before is still read. `gone` is told the number of a sender, and its
    /// process.
    pub fn end(&self, gone: impl Fn(u64, u64) -> bool) {
        let mut inner = self.lock();
        for reader in &mut inner.readers {
            reader.is_ending |= gone(reader.sender, reader.source.link.process);
        }
        inner.detach_ended(&self.counters);
    }

    /// Wakes whoever waits for messages.
    pub fn ring(&self) {
        self.memory.link.ring_port(&self.port);
    }

    /// Closes for good, and gives the port back.
    pub fn close(&self) -> Mapped<Port> {
        self.port.clear_target();
        for reader in std::mem::take(&mut *self.lock()).readers {
            reader.detach();
        }
        self.port.clone()
    }
}

impl Inner {
    /// The oldest message.
    #[inline]
    fn take(&mut self, bound: Option<u64>, counters: &EndpointCounters) -> Option<Sample> {
        if let (2.., Some(depth)) = (self.readers.len(), bound) {
            self.drop_beyond(depth, counters);
        }
        loop {
            let reader = self.next_reader(counters)?;
            let reader = &self.readers[reader];
            let Some(descriptor) = reader.pop() else {
                self.drop_broken(counters);
                continue;
            };
            let Some(message) = reader.source.message(descriptor) else {
                counters.lose(LossCause::Corrupt, 1);
                continue;
            };
            let at = monotonic_nanos();
            if reader.is_expired(message.header.sent_at(), at) {
                reader.source.give_back(descriptor);
                counters.lose(LossCause::LifespanExpired, 1);
                continue;
            }
            self.received += 1;
            counters.set_messages(self.received);
            // Other queues are not looked at: that would cost as much as the next look.
            let is_last = self.readers.len() == 1 && reader.ring().len() == 0;
            let taken = Taken { at, received: self.received, is_last };
            return Some(Sample::borrowed(&reader.source, &message, taken));
        }
    }

    /// How many messages are borrowed from senders.
    fn borrowed(&self) -> usize {
        self.readers.iter().map(|reader| reader.source.borrowed()).sum()
    }

    /// Whether something was lost since this was last asked.
    #[inline]
    fn has_lost(&mut self, counters: &EndpointCounters) -> bool {
        let known = self.readers.iter().map(|reader| reader.header.total_lost());
        let lost = known.fold(counters.total_losses(), u64::saturating_add);
        std::mem::replace(&mut self.seen_losses, lost) != lost
    }

    /// How many senders are connected and have not gone.
    fn matched(&self) -> usize {
        self.readers.iter().filter(|reader| !reader.is_ending).count()
    }

    /// For tools: what senders that can't be connected had sent when they were found.
    fn publish_mismatch_bases(&self, counters: &EndpointCounters) {
        for cause in 0..MISMATCHES.len() {
            let bases = self.mismatched.iter().filter(|other| other.cause == cause).map(|other| other.base);
            counters.set_mismatch_base(cause, bases.fold(0, u64::saturating_add));
        }
    }

    /// The reader whose oldest message was sent first; `None` if nothing waits anywhere.
    fn next_reader(&mut self, counters: &EndpointCounters) -> Option<usize> {
        if let [reader] = &self.readers[..]
            && !reader.is_ending
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

    /// Keeps the newest `depth` messages of all senders together.
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

    /// Leaves the queues whose words make no sense: their sender's memory is corrupt, and they
    /// would seem to hold something for ever.
    fn drop_broken(&mut self, counters: &EndpointCounters) {
        let before = self.readers.len();
        self.readers.retain(|reader| !reader.ring().is_broken());
        counters.lose(LossCause::Corrupt, (before - self.readers.len()) as u64);
    }

    /// Leaves the queues of senders that have gone, once they are empty.
    #[cold]
    fn detach_ended(&mut self, counters: &EndpointCounters) {
        for reader in self.readers.extract_if(.., |reader| reader.has_ended()) {
            counters.lose_all(&reader.detach());
        }
    }
}
