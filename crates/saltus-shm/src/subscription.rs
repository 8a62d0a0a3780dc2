//! The receiving end of a topic.

use std::{
    ops::Deref,
    ptr::NonNull,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use saltus_types::{Gid, History, Time};

use crate::{
    EndpointInfo,
    chunk::{ChunkHeader, MESSAGE_OFFSET},
    link::Link,
    os::segment::Mapped,
    presence::{Presence, WeakPresence},
    protocol::{
        port::Port,
        ring::{Ring, RingHeader},
    },
    publisher::slots,
    registry::{ConnectionInfo, RecordId},
    shared::Shared,
    waiter::Waker,
};

/// What a subscription can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionStatus {
    /// How many messages were taken.
    pub received: u64,
    /// How many publishers are connected.
    pub matched: usize,
    /// How many messages gave way to newer ones before they were taken.
    pub overflowed: u64,
    /// How many descriptors pointed nowhere: a publisher's memory is corrupt.
    pub corrupt: u64,
    /// How many publishers of this topic can't be received for their type or QoS.
    pub incompatible: u64,
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
    pub(crate) incompatible: AtomicU64,
    port: Mapped<Port>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    readers: Vec<Reader>,
    received: u64,
    corrupt: u64,
    overflowed_before: u64,
    /// Those that gave way here, because all publishers together exceeded the depth.
    overflowed_here: u64,
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
}

// SAFETY: `slots` points into the segment that `source` keeps mapped, and consists of atomics.
unsafe impl Send for Reader {}

/// What keeps a sample's memory there: the publisher's mapping. And what keeps its reader alive for
/// the publisher: this process's own presence in the domain.
#[derive(Debug)]
struct Source {
    link: Arc<Link>,
    holder: u32,
    presence: Presence,
}

impl Reader {
    fn ring(&self) -> Ring<'_> {
        // SAFETY: the publisher keeps the slots until this reader detaches, and they stay mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    /// The sample that a descriptor names, or `None` if it names nothing sensible.
    fn sample(&self, descriptor: u64) -> Option<Sample> {
        let segment = &self.source.link.segment;
        let chunk = segment.get::<ChunkHeader>(descriptor)?;
        let len = chunk.len.load(Ordering::Relaxed);
        let message = segment.address(descriptor.checked_add(MESSAGE_OFFSET as u64)?, len)?;
        let message = NonNull::slice_from_raw_parts(message, len as usize);
        Some(Sample { header: NonNull::from(chunk), message, source: self.source.clone() })
    }

    /// When the oldest message was sent. It may be taken back meanwhile: then the answer is of no
    /// use, and no harm, because the first page of a chunk stays. A descriptor that names nothing
    /// is the oldest of all, so that it is taken and counted.
    fn oldest(&self) -> Option<i64> {
        let descriptor = self.ring().peek()?;
        let chunk = self.source.link.segment.get::<ChunkHeader>(descriptor);
        Some(chunk.map_or(i64::MIN, |chunk| chunk.source_time.load(Ordering::Relaxed)))
    }

    /// Drops everything in the queue and leaves it to its publisher.
    fn detach(self) {
        while let Some(descriptor) = self.ring().pop() {
            drop(self.sample(descriptor));
        }
        if self.header.detach(self.info.generation) {
            // It can free the queue now.
            self.source.link.ring_housekeeping();
        }
    }
}

impl Subscription {
    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        &self.core.info
    }

    /// The oldest message that waits, if there is one.
    pub fn take(&self) -> Option<Sample> {
        if !self.core.is_here() {
            return None;
        }
        self.core.lock().take(self.core.info.qos.history)
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.core.is_here() && self.core.lock().readers.iter().any(|reader| reader.ring().len() > 0)
    }

    /// From now on a message rings there, or nowhere.
    ///
    /// What waits already rings at once, so that it is not overlooked.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        if !self.core.is_here() {
            return;
        }
        match waker {
            Some(waker) => {
                self.core.port.aim(waker.doorbell, waker.class);
                waker.ring();
            }
            None => self.core.port.aim_nowhere(),
        }
    }

    /// Counts and states.
    pub fn status(&self) -> SubscriptionStatus {
        if !self.core.is_here() {
            return SubscriptionStatus::default();
        }
        let inner = self.core.lock();
        let present: u64 = inner.readers.iter().map(|reader| reader.header.overflowed()).sum();
        SubscriptionStatus {
            received: inner.received,
            matched: inner.readers.iter().filter(|reader| !reader.ending).count(),
            overflowed: inner.overflowed_before + inner.overflowed_here + present,
            corrupt: inner.corrupt,
            incompatible: self.core.incompatible.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.core.is_here() {
            self.core.shared.remove_subscription(&self.core);
        }
    }
}

impl SubscriptionCore {
    pub(crate) fn new(info: EndpointInfo, record: RecordId, shared: Arc<Shared>, port: Mapped<Port>) -> Self {
        Self { info, record, shared, incompatible: AtomicU64::new(0), port, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is the process that opened it.
    fn is_here(&self) -> bool {
        self.shared.origin.is_here()
    }

    /// Begins to read from a publisher, and tells it so. Does nothing if its offer is stale.
    pub(crate) fn attach(&self, info: &ConnectionInfo, link: &Arc<Link>, presence: &WeakPresence) {
        let mut inner = self.lock();
        if inner.readers.iter().any(|reader| reader.info == *info) {
            return;
        }
        let Some(slots) = slots(&link.segment, info) else { return };
        let Some(header) = Mapped::<RingHeader>::new(&link.segment, info.ring) else { return };
        // See the invariant of `Presence` for why there is one.
        let Some(presence) = presence.upgrade() else { return };
        if header.attach(info.generation) {
            let source = Arc::new(Source { link: link.clone(), holder: info.holder, presence });
            inner.readers.push(Reader { info: info.clone(), source, header, slots, ending: false });
            drop(inner);
            self.ring();
            link.ring_housekeeping();
        }
    }

    /// A publisher has gone. What it sent before is still read.
    pub(crate) fn end(&self, gone: impl Fn(&Gid, u64) -> bool) {
        let mut inner = self.lock();
        for reader in &mut inner.readers {
            reader.ending |= gone(&reader.info.publisher, reader.source.link.process);
        }
        inner.detach_ended();
        drop(inner);
        // Its last ring may have been lost with it.
        self.ring();
    }

    fn ring(&self) {
        self.shared.link.ring_port(&self.port);
    }

    /// Closes for good, and gives the port back.
    pub(crate) fn close(&self) -> Mapped<Port> {
        self.port.aim_nowhere();
        std::mem::take(&mut *self.lock()).readers.into_iter().for_each(Reader::detach);
        self.port.clone()
    }
}

impl Inner {
    fn take(&mut self, history: History) -> Option<Sample> {
        if let (2.., History::KeepLast(_)) = (self.readers.len(), history) {
            self.drop_beyond(history.depth().into());
        }
        loop {
            let reader = self.next_reader()?;
            let Some(descriptor) = self.readers[reader].ring().pop() else {
                self.drop_broken();
                continue;
            };
            match self.readers[reader].sample(descriptor) {
                Some(sample) => {
                    self.received += 1;
                    return Some(sample);
                }
                None => self.corrupt += 1,
            }
        }
    }

    /// The reader whose oldest message was sent first; `None` if nothing waits anywhere.
    fn next_reader(&mut self) -> Option<usize> {
        if let [reader] = &self.readers[..]
            && !reader.ending
        {
            return (reader.ring().len() > 0).then_some(0);
        }
        let first = self.first_sent();
        if first.is_none() {
            self.detach_ended();
        }
        first
    }

    fn first_sent(&self) -> Option<usize> {
        let waiting = (0..).zip(&self.readers).filter_map(|(i, reader)| Some((reader.oldest()?, i)));
        waiting.min().map(|(_, i)| i)
    }

    /// Keeps the newest `depth` messages of all publishers together.
    fn drop_beyond(&mut self, depth: u64) {
        let waiting: u64 = self.readers.iter().map(|reader| reader.ring().len()).sum();
        for _ in depth..waiting {
            let Some(reader) = self.first_sent() else { return };
            if let Some(descriptor) = self.readers[reader].ring().pop() {
                drop(self.readers[reader].sample(descriptor));
                self.overflowed_here += 1;
            }
        }
    }

    /// Leaves the queues whose words make no sense: their publisher's memory is corrupt, and they
    /// would seem to hold something for ever.
    fn drop_broken(&mut self) {
        let before = self.readers.len();
        self.readers.retain(|reader| !reader.ring().is_broken());
        self.corrupt += (before - self.readers.len()) as u64;
    }

    /// Leaves the queues of publishers that have gone, once they are empty.
    fn detach_ended(&mut self) {
        let (ended, readers): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.readers).into_iter().partition(|r| r.ending && r.ring().len() == 0);
        self.readers = readers;
        for reader in ended {
            self.overflowed_before += reader.header.overflowed();
            reader.detach();
        }
    }
}

/// A received message where it lies. While it lives its publisher does not write there.
///
/// Derefs to the serialized message: the 4-byte encapsulation header and the body, which is aligned
/// to 8 bytes. Keeping many costs the publisher memory, and nobody a message.
#[derive(Debug)]
pub struct Sample {
    header: NonNull<ChunkHeader>,
    message: NonNull<[u8]>,
    source: Arc<Source>,
}

// SAFETY: points into a mapping that `source` keeps; nobody writes there while the holder bit is set.
unsafe impl Send for Sample {}
// SAFETY: as above.
unsafe impl Sync for Sample {}

impl Sample {
    fn header(&self) -> &ChunkHeader {
        // SAFETY: see `Send`.
        unsafe { self.header.as_ref() }
    }

    /// The publisher's count of this message, from 1.
    pub fn sequence(&self) -> u64 {
        self.header().sequence.load(Ordering::Relaxed)
    }

    /// When it was sent, by the system clock.
    pub fn source_time(&self) -> Time {
        self.header().source_time()
    }

    /// Who sent it.
    pub fn publisher(&self) -> Gid {
        self.header().gid()
    }

    /// The CPU on which its publisher ran when it sent this.
    pub fn cpu(&self) -> u32 {
        self.header().cpu.load(Ordering::Relaxed)
    }
}

impl Deref for Sample {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: see `Send`; in bounds, because checked when it was made.
        unsafe { self.message.as_ref() }
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        if self.source.presence.shared.origin.is_here() {
            self.header().release(self.source.holder);
        }
    }
}
