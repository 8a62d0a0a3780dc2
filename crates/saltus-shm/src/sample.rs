//! A received message, and what keeps it there.

use std::{
    ops::Deref,
    ptr::NonNull,
    sync::{Arc, atomic::Ordering},
};

use saltus_types::{Gid, Time};

use crate::{
    RequestId,
    chunk::{ChunkHeader, MESSAGE_OFFSET},
    counters::ConnectionCounters,
    link::Link,
    os::{clock::monotonic_nanos, segment::Mapped},
    presence::Presence,
};

/// What keeps a sample's memory there: the publisher's mapping. And what keeps its reader alive for
/// the publisher: this process's own presence in the domain.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) link: Arc<Link>,
    pub(crate) holder: u32,
    pub(crate) presence: Presence,
    /// Where its messages are counted, and where in the segment that is; `None` if there was no memory.
    pub(crate) counters: Option<(Mapped<ConnectionCounters>, u64)>,
}

impl Drop for Source {
    fn drop(&mut self) {
        let shared = &self.presence.shared;
        if shared.usability.may_release()
            && let Some((counters, offset)) = self.counters.take()
        {
            shared.close_connection_counters(counters, offset);
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
    /// When it was taken, in nanoseconds by the system clock.
    taken_at: i64,
}

// SAFETY: points into a mapping that `source` keeps; nobody writes there while the holder bit is set.
unsafe impl Send for Sample {}
// SAFETY: as above.
unsafe impl Sync for Sample {}

impl Sample {
    /// The sample that a descriptor names, or `None` if it names nothing sensible.
    #[inline]
    pub(crate) fn find(source: &Arc<Source>, descriptor: u64) -> Option<Self> {
        let segment = &source.link.segment;
        let chunk = segment.get::<ChunkHeader>(descriptor)?;
        let len = chunk.len.load(Ordering::Relaxed);
        let message = segment.address(descriptor.checked_add(MESSAGE_OFFSET as u64)?, len)?;
        let message = NonNull::slice_from_raw_parts(message, len as usize);
        Some(Self { header: NonNull::from(chunk), message, source: source.clone(), taken_at: 0 })
    }

    /// Notes when it was sent and taken, in monotonic nanoseconds.
    #[inline]
    pub(crate) fn take_at(&mut self, sent_at: i64, now: i64) {
        self.taken_at = now;
        if let Some((counters, _)) = &self.source.counters {
            counters.transport.record(now.saturating_sub(sent_at).max(0) as u64);
        }
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
        let nanos = monotonic_nanos().saturating_sub(self.taken_at);
        if let Some((counters, _)) = &self.source.counters
            && self.source.presence.shared.usability.may_use()
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
        unsafe { self.message.as_ref() }
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        if self.source.presence.shared.usability.may_release() {
            self.header().release(self.source.holder);
        }
    }
}
