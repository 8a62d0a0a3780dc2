//! Sending: writing the header of a message and queueing it.

use std::ptr::NonNull;

use rustix::thread::sched_getcpu;
use saltus_types::{Gid, LossCause, Time};

use super::{
    PublishError, RequestId, Sender, SenderState,
    draft::{SMALL, SmallMessage},
};
use crate::{
    chunk::{ChunkIndex, Metadata},
    counters::MISMATCHES,
    os::{
        clock::{both_now, monotonic_now},
        futex,
        mutex::MutexGuard,
    },
    protocol::{holders::Holders, port::fence_after_queueing, ring::Unsent},
    queue::Queue,
};

/// The time and the number of a message that was first sent elsewhere. They replace the present time and the sender's
/// own count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When it was first sent, by the system clock.
    pub source_time: Time,
    /// The number that its first sender gave it.
    pub sequence: u64,
    /// The gid of its first sender, if one publisher sends the messages of several. `None` stands for the gid of the publisher.
    /// Requests and responses need that of their endpoint.
    pub gid: Option<Gid>,
}

impl Sender {
    /// Sends a message of `len` bytes. `write` writes it in place, or on the stack if it is small.
    ///
    /// If `write` fails, nothing is sent. It runs without any lock of this sender, and may use the sender. If there is
    /// no memory for a small message, `write` is called all the same.
    pub fn send_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if len <= SMALL {
            if !self.is_usable() {
                return Err(self.unusable().into());
            }
            let mut small = SmallMessage::new();
            let message = small.message(len);
            write(message)?;
            return self.send_copy(message, None).map_err(E::from);
        }
        let mut draft = self.draft(len)?;
        write(draft.message(len))?;
        self.send(draft.into_index(), len, None).map_err(E::from)
    }

    /// Sends bytes, which are copied once. If `stamp` is given, it replaces the present time and the sender's count.
    pub fn send_bytes(&self, bytes: &[u8], stamp: Option<Stamp>) -> Result<(), PublishError> {
        if bytes.len() > SMALL {
            let mut draft = self.draft(bytes.len())?;
            draft.message(bytes.len()).copy_from_slice(bytes);
            return self.send(draft.into_index(), bytes.len(), stamp);
        }
        if self.is_usable() { self.send_copy(bytes, stamp) } else { Err(self.unusable()) }
    }

    /// Waits while a queue that keeps all is full, for at most [`SenderOptions::max_wait`](super::SenderOptions).
    /// Returns whether all of them have room.
    pub fn wait_for_room(&self) -> bool {
        !self.wait_for_room_locked(self.lock()).queues.iter().any(Queue::is_full)
    }

    /// Returns whether all queues that keep all have room.
    pub fn has_room(&self) -> bool {
        let inner = self.lock();
        !inner.keeps_all || !inner.queues.iter().any(Queue::is_full)
    }

    /// Waits as [`Sender::wait_for_room`] does. It releases the lock while it waits, so that the receiver can be
    /// disconnected if it dies.
    fn wait_for_room_locked<'a>(
        &'a self,
        mut inner: MutexGuard<'a, SenderState>,
    ) -> MutexGuard<'a, SenderState> {
        let max_wait = u64::try_from(self.options.max_wait.as_nanos()).unwrap_or(u64::MAX);
        let deadline = monotonic_now().saturating_add(max_wait);
        while let Some(full) = inner.queues.iter().find(|queue| queue.is_full()) {
            full.header.want_room();
            if !full.is_full() {
                continue;
            }
            if monotonic_now() >= deadline {
                break;
            }
            let header = full.header.clone();
            drop(inner);
            // Another queue may use the header by now. Then this thread may sleep although it does not have to.
            futex::wait(header.waiting(), 1, Some(deadline));
            inner = self.lock();
        }
        inner
    }

    /// Sends a small message, which is copied.
    fn send_copy(&self, bytes: &[u8], stamp: Option<Stamp>) -> Result<(), PublishError> {
        let mut inner = self.lock();
        let Some(index) = inner.copy_small(bytes) else {
            drop(inner);
            let mut draft = self.draft(bytes.len())?;
            draft.message(bytes.len()).copy_from_slice(bytes);
            return self.send(draft.into_index(), bytes.len(), stamp);
        };
        let metadata = self.metadata(bytes.len());
        self.send_locked(inner, index, metadata, stamp)
    }

    /// Sends the message in a chunk to all receivers.
    #[inline]
    pub(crate) fn send(
        &self,
        index: ChunkIndex,
        len: usize,
        stamp: Option<Stamp>,
    ) -> Result<(), PublishError> {
        // Taking the lock waits until the CPU has written the message to its cache. So the clock is read before: that
        // costs no time.
        let metadata = self.metadata(len);
        self.send_locked(self.lock(), index, metadata, stamp)
    }

    #[inline]
    fn send_locked<'a>(
        &'a self,
        mut inner: MutexGuard<'a, SenderState>,
        index: ChunkIndex,
        mut metadata: Metadata,
        stamp: Option<Stamp>,
    ) -> Result<(), PublishError> {
        if inner.keeps_all {
            inner = self.wait_for_room_locked(inner);
            if let Some(full) = inner.queues.iter().find(|queue| queue.is_full()) {
                let (subscription, depth) = (full.receiver, u64::from(full.info.depth));
                inner.pool.free_unsent(index);
                inner.count_unsent(Unsent::Refused, 1);
                self.counters.note_loss(LossCause::Refused);
                return Err(PublishError::QueueFull { subscription, depth });
            }
        }
        if inner.keeps_all || self.options.before_send.is_some() {
            // This thread may have waited for room since it read the clock. And the thread that checks deadlines may
            // have locked the sender since then, and have read the clock later.
            metadata = self.metadata(metadata.len);
        }
        self.send_now(&mut inner, index, metadata, stamp);
        Ok(())
    }

    /// Sends a request to every receiver whose queue has room, and returns its number. Returns an error if there is no
    /// receiver, or if all queues are full. The caller keeps the chunk then.
    pub(crate) fn send_request(
        &self,
        index: ChunkIndex,
        len: usize,
        stamp: Option<Stamp>,
    ) -> Result<u64, PublishError> {
        let mut inner = self.lock();
        if inner.queues.is_empty() {
            return Err(PublishError::Unmatched);
        }
        let metadata = self.metadata(len);
        if inner.queues.iter().all(Queue::has_room) {
            self.send_now(&mut inner, index, metadata, stamp);
            return Ok(stamp.map_or(inner.sent, |stamp| stamp.sequence));
        }
        self.send_to_queues_with_room(&mut inner, index, &with_stamp(metadata, stamp), stamp)
    }

    /// Sends a request to the receivers whose queues have room. It counts as lost for the others.
    #[cold]
    fn send_to_queues_with_room(
        &self,
        inner: &mut SenderState,
        index: ChunkIndex,
        metadata: &Metadata,
        stamp: Option<Stamp>,
    ) -> Result<u64, PublishError> {
        let (free, full): (Vec<usize>, Vec<usize>) =
            (0..inner.queues.len()).partition(|receiver| inner.queues[*receiver].has_room());
        if free.is_empty() {
            let full = &inner.queues[full[0]];
            let (subscription, depth) = (full.receiver, u64::from(full.info.depth));
            return Err(PublishError::QueueFull { subscription, depth });
        }
        self.count_sent(inner);
        full.iter().for_each(|receiver| inner.queues[*receiver].header.count_unsent(Unsent::Refused, 1));
        self.counters.note_loss(LossCause::Refused);
        let sequence = stamp.map_or(inner.sent, |stamp| stamp.sequence);
        self.send_to(inner, &free, index, sequence, metadata);
        Ok(sequence)
    }

    /// Queues a message for some receivers only, which are given by the indices of their queues.
    fn send_to(
        &self,
        inner: &mut SenderState,
        receivers: &[usize],
        index: ChunkIndex,
        sequence: u64,
        metadata: &Metadata,
    ) {
        let SenderState { pool, queues, .. } = inner;
        let mut holders = Holders::default();
        receivers.iter().for_each(|receiver| holders.insert(queues[*receiver].info.holder));
        pool.write_header(index, &holders, sequence, metadata);
        receivers.iter().for_each(|receiver| queues[*receiver].push(pool, index, metadata.sent_at));
        fence_after_queueing();
        receivers.iter().for_each(|receiver| queues[*receiver].wake());
    }

    /// Sends a response with the number of its request to the client of the request. Returns an error if that client is
    /// not connected. The caller keeps the chunk then.
    pub(crate) fn send_response(
        &self,
        index: ChunkIndex,
        len: usize,
        request: RequestId,
        source_time: Option<Time>,
    ) -> Result<(), PublishError> {
        let mut inner = self.lock();
        // A client may have detached already, and not be disconnected yet.
        let of_client = |queue: &Queue| queue.receiver == request.client && !queue.is_closed();
        let receiver = inner.queues.iter().position(of_client).ok_or(PublishError::Unmatched)?;
        inner.sent += 1;
        self.counters.set_sent(inner.sent);
        let mut metadata = self.metadata(len);
        metadata.source_time = source_time.unwrap_or(metadata.source_time);
        let client = inner.queues[receiver].link.process;
        inner.pool.set_sent_to(index, client);
        self.send_to(&mut inner, &[receiver], index, request.sequence, &metadata);
        Ok(())
    }

    /// Sends a message to all receivers. A full queue drops its oldest message.
    #[inline]
    fn send_now(
        &self,
        inner: &mut SenderState,
        index: ChunkIndex,
        mut metadata: Metadata,
        stamp: Option<Stamp>,
    ) {
        self.count_sent(inner);
        // Another thread may have read the clock later and taken the lock earlier. The times of messages must not go
        // back.
        let late = (inner.sent_at - metadata.sent_at).max(0);
        let sent_at = metadata.sent_at + late;
        metadata.sent_at = sent_at;
        metadata.source_time = Time::from_nanos(metadata.source_time.as_nanos() + late);
        if let Some(before_send) = &self.options.before_send {
            // The thread that checks deadlines may be late. After this message it could not see any more which
            // deadlines were missed before the message.
            before_send(inner.times(sent_at));
        }
        inner.sent_at = sent_at;
        let (holders, sequence) = (inner.holders, stamp.map_or(inner.sent, |stamp| stamp.sequence));
        inner.pool.write_header(index, &holders, sequence, &with_stamp(metadata, stamp));
        self.keep(inner, index);
        let SenderState { pool, queues, .. } = inner;
        queues.iter_mut().for_each(|queue| queue.push(pool, index, sent_at));
        fence_after_queueing();
        queues.iter().for_each(Queue::wake);
    }

    /// Counts a message as sent, and as lost for each incompatible receiver.
    #[inline]
    fn count_sent(&self, inner: &mut SenderState) {
        inner.sent += 1;
        self.counters.set_sent(inner.sent);
        for (cause, count) in MISMATCHES.into_iter().zip(inner.mismatched) {
            self.counters.lose(cause, count);
        }
    }

    /// Returns the header data of a message of `len` bytes that is sent now.
    #[inline]
    fn metadata(&self, len: usize) -> Metadata {
        let (source_time, sent_at) = both_now();
        Metadata { len, source_time, sent_at, gid: self.gid, cpu: sched_getcpu() as u32 }
    }

    /// Keeps the message for receivers that connect later. If too many messages are kept then, the oldest is no longer
    /// kept.
    fn keep(&self, inner: &mut SenderState, index: ChunkIndex) {
        if self.options.kept == 0 {
            return;
        }
        inner.pool.set_kept(index, true);
        inner.kept.push_back(index);
        if inner.kept.len() > self.options.kept
            && let Some(oldest) = inner.kept.pop_front()
        {
            inner.pool.set_kept(oldest, false);
        }
    }
}

/// Replaces the time and the gid by those of the stamp, if there is one.
fn with_stamp(metadata: Metadata, stamp: Option<Stamp>) -> Metadata {
    let Some(Stamp { source_time, gid, .. }) = stamp else { return metadata };
    Metadata { source_time, gid: gid.unwrap_or(metadata.gid), ..metadata }
}

impl SenderState {
    /// Copies a small message into a free chunk, and returns the chunk. Returns `None` if there is no such chunk, and
    /// memory must be allocated.
    fn copy_small(&mut self, bytes: &[u8]) -> Option<ChunkIndex> {
        let index = self.pool.acquire(bytes.len())?;
        let message = self.pool.message(index).cast::<u8>();
        // SAFETY: the chunk is at least as long as `bytes`, and mapped. No other writer has its index.
        unsafe { message.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        Some(index)
    }

    /// Counts messages that could not be sent, once for each receiver.
    pub(super) fn count_unsent(&mut self, why: Unsent, number: u64) {
        self.queues.iter().for_each(|queue| queue.header.count_unsent(why, number));
    }
}
