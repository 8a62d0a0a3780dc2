//! Receivers: each reads the queues of all connected senders.

mod reader;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use saltus_types::{LossCause, Losses, NetworkLoss};

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

/// The number of messages that may be borrowed from senders at a time, unless another limit is set.
pub const BORROW_LIMIT: usize = 16;

/// The counts of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStatus {
    /// The number of messages that were taken.
    pub received: u64,
    /// The number of connected senders.
    pub matched: usize,
    /// The number of messages that were not delivered, as far as this end knows.
    pub losses: Losses,
    /// The number of messages that were copied when they were taken, because the borrow limit was reached.
    pub copied: u64,
}

/// The receiving end of a subscription.
///
/// **Invariant:** if it has a bound, its queues hold at most that many messages, over all senders, when a message is
/// taken. Older messages are dropped and counted. It may be used from any thread.
#[derive(Debug)]
pub struct Receiver {
    memory: Arc<Memory>,
    counters: Mapped<EndpointCounters>,
    port: Mapped<Port>,
    /// The number of messages of all senders together that are kept. If there is no bound, each queue keeps as many as it can
    /// hold.
    bound: Option<u64>,
    borrow_limit: AtomicUsize,
    inner: Mutex<ReceiverState>,
}

#[derive(Debug, Default)]
struct ReceiverState {
    readers: Vec<Reader>,
    received: u64,
    /// The incompatible senders.
    mismatched: Vec<Mismatched>,
    /// The number of known losses when losses were last reported.
    reported_losses: u64,
}

/// An incompatible sender. The messages that it sends are lost.
#[derive(Debug)]
struct Mismatched {
    /// The serial number of the sender in its process.
    sender: u64,
    process: u64,
    /// The index of the cause in [`MISMATCHES`].
    cause: usize,
    /// The counters of the sender; `None` if they can't be mapped.
    counters: Option<Mapped<EndpointCounters>>,
    /// The number of messages that it had sent when it was found.
    base: u64,
}

impl Mismatched {
    /// Returns how many messages the sender has sent since it was found.
    fn lost(&self) -> u64 {
        let own = self.counters.as_ref().filter(|counters| counters.is_of(self.sender));
        own.map_or(0, |counters| counters.messages().saturating_sub(self.base))
    }
}

impl Receiver {
    /// Creates a receiver without senders. `bound` is how many messages of all senders together are kept. If it is
    /// `None`, each queue keeps as many as it can hold.
    pub fn new(
        memory: Arc<Memory>,
        counters: Mapped<EndpointCounters>,
        port: Mapped<Port>,
        bound: Option<u64>,
    ) -> Self {
        let borrow_limit = AtomicUsize::new(BORROW_LIMIT);
        Self { memory, counters, port, bound, borrow_limit, inner: Mutex::default() }
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, ReceiverState> {
        self.inner.lock()
    }

    /// Whether the receiver may be used; see [`crate::usability`].
    #[inline]
    pub fn is_usable(&self) -> bool {
        self.memory.usability.may_use()
    }

    /// Returns the counters, which other processes can read.
    pub fn counters(&self) -> &Mapped<EndpointCounters> {
        &self.counters
    }

    /// Takes the oldest message, if there is one. Calls `report` with all losses so far, if they have changed since the
    /// last call of this method.
    #[inline]
    pub fn take(&self, report: impl FnOnce(&Losses)) -> Option<Sample> {
        let mut inner = self.lock();
        let may_borrow = inner.borrowed() < self.borrow_limit.load(Ordering::Relaxed);
        let taken =
            if may_borrow { inner.take(self.bound, &self.counters) } else { self.take_copy(&mut inner) };
        if inner.readers.iter().any(Reader::has_ended) {
            // The receiver detaches here, because a user who calls `has_message` first does not call `take` again.
            inner.detach_ended(&self.counters);
        }
        if inner.has_lost(&self.counters) {
            let lost = self.losses(&inner);
            drop(inner);
            report(&lost);
        }
        taken
    }

    /// Takes the oldest message as a copy, so that it borrows nothing.
    #[cold]
    fn take_copy(&self, inner: &mut ReceiverState) -> Option<Sample> {
        let copy = inner.take(self.bound, &self.counters)?.into_copy();
        match copy {
            Some(_) => self.counters.count_copy(),
            None => self.counters.lose(LossCause::OutOfMemory, 1),
        }
        copy
    }

    /// Whether there is a message to take.
    pub fn has_message(&self) -> bool {
        self.lock().readers.iter().any(|reader| reader.ring().len() > 0)
    }

    /// Sets the waker that each message rings, or removes it if `None`.
    ///
    /// Rings the new waker at once, so that messages that are there already are not missed. A waker of another
    /// context's waiter is treated as `None`.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        match waker {
            // The port holds an offset in this context's segment. The doorbell of another context's waiter is not in
            // it.
            Some(waker) if waker.process() != self.memory.link.process => self.port.clear_target(),
            Some(waker) => {
                self.port.set_target(waker.doorbell, waker.class);
                waker.ring();
            }
            None => self.port.clear_target(),
        }
    }

    /// Sets how many messages may be borrowed from senders at a time: messages that were taken and not dropped. Beyond
    /// that, messages are copied when they are taken. With 0 every message is copied.
    pub fn set_borrow_limit(&self, limit: usize) {
        self.borrow_limit.store(limit, Ordering::Relaxed);
    }

    /// Returns the counts of the receiver.
    pub fn status(&self) -> ReceiverStatus {
        let inner = self.lock();
        ReceiverStatus {
            received: inner.received,
            matched: inner.matched(),
            losses: self.losses(&inner),
            copied: self.counters.copied(),
        }
    }

    /// Returns all losses so far.
    fn losses(&self, inner: &ReceiverState) -> Losses {
        let mut losses = self.counters.losses();
        inner.readers.iter().for_each(|reader| losses.add_all(&losses_of(&reader.header)));
        inner.mismatched.iter().for_each(|other| losses.add(MISMATCHES[other.cause], other.lost()));
        losses
    }

    /// Counts messages that were taken and not passed on to another host. Returns all losses so far.
    pub fn count_not_passed(&self, loss: NetworkLoss, number: u64) -> Losses {
        self.counters.lose(loss.into(), number);
        self.losses(&self.inner.lock())
    }

    /// Counts messages that the program has lost for a cause. Returns all losses so far.
    pub fn count_lost(&self, cause: LossCause, count: u64) -> Losses {
        self.counters.lose(cause, count);
        self.losses(&self.lock())
    }

    /// Calls `report` for each connected sender with the times at which it was active.
    pub fn for_each_source(&self, report: impl FnMut(SourceTimes)) {
        self.lock().readers.iter().map(Reader::times).for_each(report);
    }

    /// Does the same as [`Receiver::for_each_source`], unless another thread uses the receiver now. Then it calls
    /// nothing and returns `false`.
    pub fn try_for_each_source(&self, report: impl FnMut(SourceTimes)) -> bool {
        let Some(inner) = self.inner.try_lock() else { return false };
        inner.readers.iter().map(Reader::times).for_each(report);
        true
    }

    /// Adds an incompatible sender: the messages that it sends from now on are lost. `sender` is its serial number in
    /// its process, `cause` is one of [`MISMATCHES`], and `counters` is the offset of its counters in the segment of
    /// its process.
    pub fn add_mismatched(&self, sender: u64, link: &Link, cause: LossCause, counters: u64) {
        let Some(cause) = MISMATCHES.iter().position(|other| *other == cause) else { return };
        let counters = Mapped::<EndpointCounters>::new(&link.segment, counters);
        let mut inner = self.lock();
        let base = counters.as_ref().map_or(0, |counters| counters.messages());
        inner.mismatched.push(Mismatched { sender, process: link.process, cause, counters, base });
        inner.publish_mismatch_bases(&self.counters);
    }

    /// Removes an incompatible sender of a process. What it has sent still counts as lost.
    pub fn remove_mismatched(&self, sender: u64, process: u64) {
        let mut inner = self.lock();
        let is_it = |other: &mut Mismatched| (other.sender, other.process) == (sender, process);
        for other in inner.mismatched.extract_if(.., is_it) {
            self.counters.lose(MISMATCHES[other.cause], other.lost());
        }
        inner.publish_mismatch_bases(&self.counters);
    }

    /// Attaches to the queue of a sender, and wakes the sender's housekeeping thread. Returns `false` if the receiver
    /// is attached to the queue already, or if the queue is no longer offered.
    ///
    /// Only one thread at a time may attach. Every sample of the queue keeps `keep_alive`.
    ///
    /// # Errors
    /// Returns an error if the queue can't be mapped.
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
        // If there is no memory for counters, the receiver is attached all the same. Then its latencies are not
        // counted.
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
        // Most receivers have one reader. An exact reservation does not waste memory for more.
        let room = usize::from(inner.readers.is_empty());
        inner.readers.reserve_exact(room);
        inner.readers.push(reader);
        drop(inner);
        link.ring_housekeeping();
        Ok(true)
    }

    /// Ends the connections to senders that have gone. The messages that they sent before are still read. `gone` is
    /// called with the serial number of a sender and its process, and returns whether that sender has gone.
    pub fn end(&self, gone: impl Fn(u64, u64) -> bool) {
        let mut inner = self.lock();
        for reader in &mut inner.readers {
            reader.is_ending |= gone(reader.sender, reader.source.link.process);
        }
        inner.detach_ended(&self.counters);
    }

    /// Rings the waker, as a message does.
    pub fn ring(&self) {
        self.memory.link.ring_port(&self.port);
    }

    /// Closes the receiver: detaches from all queues, and returns the port, which the caller frees.
    pub fn close(&self) -> Mapped<Port> {
        self.port.clear_target();
        for reader in std::mem::take(&mut *self.lock()).readers {
            reader.detach();
        }
        self.port.clone()
    }
}

impl ReceiverState {
    /// Takes the oldest message. Messages that are lost are counted.
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
                reader.source.release(descriptor);
                counters.lose(LossCause::LifespanExpired, 1);
                continue;
            }
            self.received += 1;
            counters.set_taken(self.received, at as u64);
            // With several queues this is not checked. That would cost as much as the next call of this method.
            let is_last = self.readers.len() == 1 && reader.ring().len() == 0;
            let taken = Taken { at, received: self.received, is_last };
            return Some(Sample::borrowed(&reader.source, &message, taken));
        }
    }

    /// Returns how many messages are borrowed from senders.
    #[inline]
    fn borrowed(&self) -> usize {
        self.readers.iter().map(|reader| reader.source.borrowed()).sum()
    }

    /// Whether messages were lost since the last call of this method.
    #[inline]
    fn has_lost(&mut self, counters: &EndpointCounters) -> bool {
        let known = self.readers.iter().map(|reader| reader.header.total_lost());
        let lost = known.fold(counters.total_losses(), u64::saturating_add);
        std::mem::replace(&mut self.reported_losses, lost) != lost
    }

    /// Returns how many senders are connected and have not gone.
    fn matched(&self) -> usize {
        self.readers.iter().filter(|reader| !reader.is_ending).count()
    }

    /// Writes into the counters how many messages incompatible senders had sent when they were found. Tools read this.
    fn publish_mismatch_bases(&self, counters: &EndpointCounters) {
        for cause in 0..MISMATCHES.len() {
            let bases = self.mismatched.iter().filter(|other| other.cause == cause).map(|other| other.base);
            counters.set_mismatch_base(cause, bases.fold(0, u64::saturating_add));
        }
    }

    /// Returns the index of the reader whose oldest message was sent first, or `None` if all queues are empty. Then it
    /// also detaches from the queues of senders that have gone.
    #[inline]
    fn next_reader(&mut self, counters: &EndpointCounters) -> Option<usize> {
        if let [reader] = &self.readers[..]
            && !reader.is_ending
        {
            return (reader.ring().len() > 0).then_some(0);
        }
        let first = self.oldest_reader();
        if first.is_none() {
            self.detach_ended(counters);
        }
        first
    }

    /// Returns the index of the reader whose oldest message was sent first, or `None` if all queues are empty.
    fn oldest_reader(&self) -> Option<usize> {
        let waiting = (0..).zip(&self.readers).filter_map(|(i, reader)| Some((reader.oldest()?, i)));
        waiting.min().map(|(_, i)| i)
    }

    /// Drops the oldest messages, so that at most `depth` messages of all senders together remain.
    fn drop_beyond(&mut self, depth: u64, counters: &EndpointCounters) {
        let waiting = self.readers.iter().map(|reader| reader.ring().len()).fold(0, u64::saturating_add);
        for _ in depth..waiting {
            let Some(reader) = self.oldest_reader() else { return };
            if let Some(descriptor) = self.readers[reader].pop() {
                self.readers[reader].source.release(descriptor);
                counters.lose(LossCause::QueueOverflow, 1);
            }
        }
    }

    /// Removes the readers of queues whose words contradict each other, because the memory of their sender is corrupt.
    /// Such a queue would seem to hold a message for ever.
    fn drop_broken(&mut self, counters: &EndpointCounters) {
        let before = self.readers.len();
        self.readers.retain(|reader| !reader.ring().is_broken());
        counters.lose(LossCause::Corrupt, (before - self.readers.len()) as u64);
    }

    /// Detaches from the empty queues of senders that have gone.
    #[cold]
    fn detach_ended(&mut self, counters: &EndpointCounters) {
        for reader in self.readers.extract_if(.., |reader| reader.has_ended()) {
            counters.lose_all(&reader.detach());
        }
    }
}
