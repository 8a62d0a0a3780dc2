//! A received message, and what keeps it there.

use std::{
    mem::MaybeUninit,
    ops::Deref,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use saltus_types::{Gid, Time};

use crate::{
    chunk::{ChunkHeader, MESSAGE_OFFSET},
    counters::ConnectionCounters,
    link::Link,
    memory::{KeepAlive, Memory},
    os::{
        clock::{both_now, monotonic_nanos},
        segment::Mapped,
    },
    sender::RequestId,
};

/// What keeps a sample's memory there: the sender's mapping, and this process's own part in the domain.
#[derive(Debug)]
pub struct Source {
    /// The way to the sender.
    pub link: Arc<Link>,
    /// The bit by which the receiver holds messages.
    pub holder: u32,
    memory: Arc<Memory>,
    /// Held, not used.
    _keep_alive: KeepAlive,
    /// Where its messages are counted, and where in the segment that is; `None` if there was no memory.
    pub counters: Option<(Mapped<ConnectionCounters>, u64)>,
    /// How many of its samples are copies.
    copies: AtomicUsize,
}

impl Source {
    /// One for a queue, with the bit by which its receiver holds messages.
    pub fn new(
        link: Arc<Link>,
        holder: u32,
        memory: Arc<Memory>,
        keep_alive: KeepAlive,
        counters: Option<(Mapped<ConnectionCounters>, u64)>,
    ) -> Self {
        Self { link, holder, memory, _keep_alive: keep_alive, counters, copies: AtomicUsize::new(0) }
    }

    /// How many samples of this source lie in the publisher's memory. The caller holds one reference that is no
    /// sample.
    pub fn borrowed(self: &Arc<Self>) -> usize {
        (Arc::strong_count(self) - 1).saturating_sub(self.copies.load(Ordering::Relaxed))
    }

    /// The message that a descriptor names, or `None` if it names nothing sensible.
    #[inline]
    pub(crate) fn message(&self, descriptor: u64) -> Option<Message<'_>> {
        let segment = &self.link.segment;
        let header = segment.get::<ChunkHeader>(descriptor)?;
        let len = header.len.load(Ordering::Relaxed);
        let start = segment.address(descriptor, len.checked_add(MESSAGE_OFFSET as u64)?)?.cast();
        Some(Message { header, start, len: len as usize })
    }

    /// Gives back a message that was taken from the queue and not read.
    pub fn give_back(&self, descriptor: u64) {
        if self.memory.usability.may_release()
            && let Some(chunk) = self.link.segment.get::<ChunkHeader>(descriptor)
        {
            chunk.release(self.holder);
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if self.memory.usability.may_release()
            && let Some((counters, offset)) = self.counters.take()
        {
            self.memory.close_connection_counters(counters, offset);
        }
    }
}

/// A message in its sender's segment.
pub(crate) struct Message<'a> {
    pub(crate) header: &'a ChunkHeader,
    /// Where the header lies, with the message behind it.
    start: NonNull<ChunkHeader>,
    /// The message's length in bytes.
    len: usize,
}

/// How a message was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// When, in monotonic nanoseconds.
    pub(crate) at: i64,
    /// The receiver's count of the messages that it has taken.
    pub(crate) received: u64,
    /// Whether nothing waited behind it.
    pub(crate) is_last: bool,
}

/// What copies are allocated in: the alignment is that of a chunk.
type Line = MaybeUninit<CacheLine>;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

/// How many lines a copy of a message of `len` bytes takes, with its header.
fn lines(len: usize) -> usize {
    (MESSAGE_OFFSET + len).div_ceil(size_of::<CacheLine>())
}

/// A received message. It is borrowed from its publisher's memory, which does not write there while the sample lives,
/// or is a copy, if the subscription has borrowed as many messages as it may
/// ([`Receiver::set_borrow_limit`](crate::receiver::Receiver::set_borrow_limit)).
///
/// Derefs to the serialized message: the 4-byte encapsulation header and the body, which is aligned
/// to 64 bytes.
#[derive(Debug)]
pub struct Sample {
    /// The message follows it.
    header: NonNull<ChunkHeader>,
    /// The message's length in bytes.
    len: usize,
    source: Arc<Source>,
    taken: Taken,
    /// Whether it lies in memory of this process, which is freed with the sample.
    is_copy: bool,
}

// SAFETY: points into memory of its own, or into a mapping that `source` keeps; nobody writes there while the holder
// bit is set.
unsafe impl Send for Sample {}
// SAFETY: as above.
unsafe impl Sync for Sample {}

impl Sample {
    /// A sample of a message that its receiver has taken from the queue of that source, and holds.
    #[inline]
    pub(crate) fn borrowed(source: &Arc<Source>, message: &Message<'_>, taken: Taken) -> Self {
        if let Some((counters, _)) = &source.counters {
            let transport = taken.at.saturating_sub(message.header.sent_at());
            counters.transport.record(transport.max(0) as u64);
        }
        Self { header: message.start, len: message.len, source: source.clone(), taken, is_copy: false }
    }

    /// The same message in memory of this process; what was borrowed is given back. `None` if there is no memory.
    #[cold]
    pub fn into_copy(self) -> Option<Self> {
        let mut memory = Vec::<Line>::new();
        memory.try_reserve_exact(lines(self.len)).ok()?;
        memory.resize(lines(self.len), MaybeUninit::uninit());
        let start = NonNull::from(Box::leak(memory.into_boxed_slice())).cast::<u8>();
        // SAFETY: the memory has room for the header and the message behind it, and the alignment of a header;
        // nobody else knows it. The message is this sample's until it is dropped.
        unsafe {
            start.cast::<ChunkHeader>().write(self.header().copy());
            start.add(MESSAGE_OFFSET).copy_from_nonoverlapping(self.message().cast(), self.len);
        }
        self.source.copies.fetch_add(1, Ordering::Relaxed);
        let (len, source, taken) = (self.len, self.source.clone(), self.taken);
        Some(Self { header: start.cast(), len, source, taken, is_copy: true })
    }

    fn message(&self) -> NonNull<[u8]> {
        // SAFETY: the message follows the header in the same memory: see [`Source::message`] and `into_copy`.
        let start = unsafe { self.header.cast::<u8>().add(MESSAGE_OFFSET) };
        NonNull::slice_from_raw_parts(start, self.len)
    }

    /// Frees the memory of a copy.
    #[cold]
    fn free(&mut self) {
        let memory = NonNull::slice_from_raw_parts(self.header.cast::<Line>(), lines(self.len));
        // SAFETY: `into_copy` leaked a box of that many lines, and nothing uses them from here on.
        drop(unsafe { Box::from_raw(memory.as_ptr()) });
        self.source.copies.fetch_sub(1, Ordering::Relaxed);
    }

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

    /// When it was taken, by the system clock.
    pub fn received_time(&self) -> Time {
        let (system, now) = both_now();
        Time::from_nanos(system.as_nanos() - now.saturating_sub(self.taken.at))
    }

    /// The receiver's count of the messages that it has taken, from 1.
    pub fn received_sequence(&self) -> u64 {
        self.taken.received
    }

    /// Whether nothing waited behind it when it was taken: what came since has rung. `false` if that is not known.
    pub fn is_last(&self) -> bool {
        self.taken.is_last
    }

    /// When it was sent, in monotonic nanoseconds: what intervals are measured by.
    pub fn sent_at(&self) -> i64 {
        self.header().sent_at()
    }

    /// Of a request: what its response must name.
    pub fn request_id(&self) -> RequestId {
        RequestId { client: self.publisher(), sequence: self.sequence() }
    }

    /// Who sent it.
    pub fn publisher(&self) -> Gid {
        self.header().gid()
    }

    /// Notes that a callback which was called with this as soon as it was taken has returned.
    ///
    /// One thread at a time may do this for the samples of a subscription.
    #[inline]
    pub fn callback_returned(&self) {
        let nanos = monotonic_nanos().saturating_sub(self.taken.at);
        if let Some((counters, _)) = &self.source.counters
            && self.source.memory.usability.may_use()
        {
            counters.callback.record(nanos.max(0) as u64);
        }
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
        unsafe { self.message().as_ref() }
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        if self.is_copy {
            self.free();
        } else if self.source.memory.usability.may_release() {
            self.header().release(self.source.holder);
        }
    }
}
