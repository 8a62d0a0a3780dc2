//! Samples: messages that were received, and what keeps their memory valid.

use std::{
    mem::MaybeUninit,
    ops::Deref,
    ptr::NonNull,
    sync::{
        Arc, Weak,
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

/// The source of samples: a queue of a sender. It keeps the memory of its samples valid, because it keeps the sender's
/// segment mapped and this process in the domain.
#[derive(Debug)]
pub(crate) struct Source {
    /// The link to the sender's process.
    pub link: Arc<Link>,
    /// The receiver's holder bit.
    pub holder: u32,
    memory: Arc<Memory>,
    /// Never read. It keeps this process in the domain.
    _keep_alive: KeepAlive,
    /// The counters of the connection, and their offset in the receiver's segment; `None` if there was no memory for
    /// them.
    pub counters: Option<(Mapped<ConnectionCounters>, u64)>,
    /// The number of its samples that are copies.
    copies: AtomicUsize,
}

impl Source {
    /// Creates a source for a queue.
    pub(crate) fn new(
        link: Arc<Link>,
        holder: u32,
        memory: Arc<Memory>,
        keep_alive: KeepAlive,
        counters: Option<(Mapped<ConnectionCounters>, u64)>,
    ) -> Self {
        Self { link, holder, memory, _keep_alive: keep_alive, counters, copies: AtomicUsize::new(0) }
    }

    /// Returns how many samples of this source are borrowed from the publisher's memory. Each sample has a reference to
    /// the source, and the caller must have exactly one other.
    #[inline]
    pub(crate) fn borrowed(self: &Arc<Self>) -> usize {
        (Arc::strong_count(self) - 1).saturating_sub(self.copies.load(Ordering::Relaxed))
    }

    /// Returns the message of a descriptor, or `None` if the descriptor is not valid.
    #[inline]
    pub(crate) fn message(&self, descriptor: u64) -> Option<Message<'_>> {
        let segment = &self.link.segment;
        let header = segment.get::<ChunkHeader>(descriptor)?;
        let len = header.len.load(Ordering::Relaxed);
        let start = segment.address(descriptor, len.checked_add(MESSAGE_OFFSET as u64)?)?.cast();
        Some(Message { header, start, len: len as usize })
    }

    /// Counts the time in a callback that began at a time in monotonic nanoseconds, and has returned now.
    #[inline]
    fn callback_returned(&self, begin: i64) {
        let nanos = monotonic_nanos().saturating_sub(begin);
        if let Some((counters, _)) = &self.counters
            && self.memory.usability.may_use()
        {
            counters.callback.record(nanos.max(0) as u64);
        }
    }

    /// Releases a message that was taken from the queue and not read.
    pub(crate) fn release(&self, descriptor: u64) {
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
    /// The address of the header. The message follows the header.
    start: NonNull<ChunkHeader>,
    /// The length of the message in bytes.
    len: usize,
}

/// When and in which order a message was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// When the message was taken, in monotonic nanoseconds.
    pub(crate) at: i64,
    /// The number of messages that the receiver has taken, including this one.
    pub(crate) received: u64,
    /// Whether no other message waited after that; `false` if that is not known.
    pub(crate) is_last: bool,
}

/// The unit in which copies are allocated. It has the alignment of a chunk.
type Line = MaybeUninit<CacheLine>;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

/// Returns how many cache lines a copy of a message of `len` bytes needs, with its header.
fn lines(len: usize) -> usize {
    (MESSAGE_OFFSET + len).div_ceil(size_of::<CacheLine>())
}

/// A message that was received. Normally it is borrowed from the publisher's memory, and the publisher does not write
/// there while the sample exists. It is a copy if the borrow limit of the subscription was reached
/// ([`Receiver::set_borrow_limit`](crate::receiver::Receiver::set_borrow_limit)).
///
/// Dereferences to the serialized message: the 4-byte encapsulation header, and the body, which is aligned to 64 bytes.
#[derive(Debug)]
pub struct Sample {
    /// The header. The message follows it.
    header: NonNull<ChunkHeader>,
    /// The length of the message in bytes.
    len: usize,
    source: Arc<Source>,
    taken: Taken,
    /// Whether the sample is a copy. Its memory belongs to this process, and is freed with the sample.
    is_copy: bool,
}

// SAFETY: the pointer is to the sample's own memory, or into a mapping that `source` keeps. The publisher does not
// write there while the holder bit is set.
unsafe impl Send for Sample {}
// SAFETY: as above.
unsafe impl Sync for Sample {}

impl Sample {
    /// Creates a sample of a message that the receiver has taken from the source's queue. The receiver holds the
    /// message.
    #[inline]
    pub(crate) fn borrowed(source: &Arc<Source>, message: &Message<'_>, taken: Taken) -> Self {
        if let Some((counters, _)) = &source.counters {
            let transport = taken.at.saturating_sub(message.header.sent_at());
            counters.transport.record(transport.max(0) as u64);
        }
        Self { header: message.start, len: message.len, source: source.clone(), taken, is_copy: false }
    }

    /// Copies the message into memory of this process, and releases the borrowed one. Returns `None` if there is no
    /// memory.
    #[cold]
    pub fn into_copy(self) -> Option<Self> {
        let mut memory = Vec::<Line>::new();
        memory.try_reserve_exact(lines(self.len)).ok()?;
        memory.resize(lines(self.len), MaybeUninit::uninit());
        let start = NonNull::from(Box::leak(memory.into_boxed_slice())).cast::<u8>();
        // SAFETY: the memory has room for the header and the message after it, and the alignment of a header. Only this
        // function has its address. This sample holds the message until it is dropped.
        unsafe {
            start.cast::<ChunkHeader>().write(self.header().copy_metadata());
            start.add(MESSAGE_OFFSET).copy_from_nonoverlapping(self.message().cast(), self.len);
        }
        self.source.copies.fetch_add(1, Ordering::Relaxed);
        let (len, source, taken) = (self.len, self.source.clone(), self.taken);
        Some(Self { header: start.cast(), len, source, taken, is_copy: true })
    }

    fn message(&self) -> NonNull<[u8]> {
        // SAFETY: the message follows the header in the same memory; see `Source::message` and `into_copy`.
        let start = unsafe { self.header.cast::<u8>().add(MESSAGE_OFFSET) };
        NonNull::slice_from_raw_parts(start, self.len)
    }

    /// Frees the memory of a copy.
    #[cold]
    fn free(&mut self) {
        let memory = NonNull::slice_from_raw_parts(self.header.cast::<Line>(), lines(self.len));
        // SAFETY: `into_copy` leaked a box of that many cache lines, and they are not used from here on.
        drop(unsafe { Box::from_raw(memory.as_ptr()) });
        self.source.copies.fetch_sub(1, Ordering::Relaxed);
    }

    fn header(&self) -> &ChunkHeader {
        // SAFETY: see `Send`.
        unsafe { self.header.as_ref() }
    }

    /// Returns the sequence number that the publisher gave the message. The first number is 1.
    pub fn sequence(&self) -> u64 {
        self.header().sequence.load(Ordering::Relaxed)
    }

    /// Returns when the message was sent, by the system clock.
    pub fn source_time(&self) -> Time {
        self.header().source_time()
    }

    /// Returns when the message was taken, by the system clock.
    pub fn received_time(&self) -> Time {
        let (system, now) = both_now();
        Time::from_nanos(system.as_nanos() - now.saturating_sub(self.taken.at))
    }

    /// Returns the number of this message among those that the receiver has taken. The first number is 1.
    pub fn received_sequence(&self) -> u64 {
        self.taken.received
    }

    /// Whether no other message waited when this one was taken. Messages that came later have rung the doorbell.
    /// Returns `false` if that is not known.
    pub fn is_last(&self) -> bool {
        self.taken.is_last
    }

    /// Returns when the message was sent, in monotonic nanoseconds. Intervals are measured with this.
    #[inline]
    pub fn sent_at(&self) -> i64 {
        self.header().sent_at()
    }

    /// Returns the id of a request, which its response must have.
    pub fn request_id(&self) -> RequestId {
        RequestId { client: self.publisher(), sequence: self.sequence() }
    }

    /// Returns the gid of the publisher that sent the message.
    pub fn publisher(&self) -> Gid {
        self.header().gid()
    }

    /// Counts the time in a callback: the time from when this message was taken until now, when the callback has
    /// returned.
    ///
    /// Only one thread at a time may call this for the samples of a subscription.
    #[inline]
    pub fn callback_returned(&self) {
        self.source.callback_returned(self.taken.at);
    }

    /// Returns a timer that counts the time in a callback, also if the message is dropped before the callback returns.
    pub fn callback_timer(&self) -> CallbackTimer {
        CallbackTimer { source: Arc::downgrade(&self.source), begin: self.taken.at }
    }

    /// Returns the CPU on which the publisher ran when it sent the message.
    #[inline]
    pub fn cpu(&self) -> u32 {
        self.header().cpu.load(Ordering::Relaxed)
    }
}

/// Counts the time in the callback of a message, but does not keep the message.
#[derive(Clone, Debug)]
pub struct CallbackTimer {
    /// A strong reference would count as a borrowed message.
    source: Weak<Source>,
    /// When the message was taken, in monotonic nanoseconds.
    begin: i64,
}

impl CallbackTimer {
    /// Counts the time from when the message was taken until now. Does nothing if the publisher has gone.
    ///
    /// Only one thread at a time may call this for the samples of a subscription.
    pub fn callback_returned(&self) {
        if let Some(source) = self.source.upgrade() {
            source.callback_returned(self.begin);
        }
    }
}

impl Deref for Sample {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: see `Send`. The bounds were checked when the sample was made.
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
