//! How a message is stamped and queued.

use std::ptr::NonNull;

use rustix::thread::sched_getcpu;
use saltus_types::{LossCause, Time};

use super::{
    Inner, PublishError, RequestId, Sender,
    draft::{SMALL, SmallMessage},
};
use crate::{
    chunk::{ChunkIndex, Seal},
    counters::MISMATCHES,
    os::{
        clock::{both_now, monotonic_now},
        futex,
        mutex::MutexGuard,
    },
    protocol::{holders::Holders, port::announce, ring::Unsent as Why},
    queue::Queue,
};

/// What a message says of its origin, instead of now and the sender's own count: for messages that come from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When it was sent first, by the system clock.
    pub source_time: Time,
    /// Its number at whoever sent it first.
    pub sequence: u64,
}

impl Sender {
    /// Sends a message of `len` bytes that `write` writes: in place, or on the stack if it is small.
    ///
    /// If `write` fails nothing is sent. It runs without any lock of this sender, and may use it. If there is no
    /// memory, a small message was written all the same.
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
        self.send(draft.keep(), len, None).map_err(E::from)
    }

    /// Sends bytes, which are copied once; with a stamp of the caller's, if there is one.
    pub fn send_bytes(&self, bytes: &[u8], stamp: Option<Stamp>) -> Result<(), PublishError> {
        if bytes.len() > SMALL {
            let mut draft = self.draft(bytes.len())?;
            draft.message(bytes.len()).copy_from_slice(bytes);
            return self.send(draft.keep(), bytes.len(), stamp);
        }
        if self.is_usable() { self.send_copy(bytes, stamp) } else { Err(self.unusable()) }
    }

    /// Waits while a receiver that gives no message away has no room, as long as the options say. Whether all have room.
    pub fn has_room_soon(&self) -> bool {
        !self.wait_for_room(self.lock()).queues.iter().any(Queue::is_full)
    }

    /// Waits while a receiver that gives no message away has no room, as long as the options say.
    /// The lock is not held meanwhile, so that the death of that receiver can be dealt with.
    fn wait_for_room<'a>(&'a self, mut inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        let patience = u64::try_from(self.options.patience.as_nanos()).unwrap_or(u64::MAX);
        let deadline = monotonic_now().saturating_add(patience);
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
            // If the queue is gone by now, and its header perhaps another's, it sleeps for nothing.
            futex::wait(header.waiting(), 1, Some(deadline));
            inner = self.lock();
        }
        inner
    }

    /// Sends a copy of a small message.
    fn send_copy(&self, bytes: &[u8], stamp: Option<Stamp>) -> Result<(), PublishError> {
        let mut inner = self.lock();
        let Some(index) = inner.copy(bytes) else {
            drop(inner);
            let mut draft = self.draft(bytes.len())?;
            draft.message(bytes.len()).copy_from_slice(bytes);
            return self.send(draft.keep(), bytes.len(), stamp);
        };
        let seal = self.seal(bytes.len());
        self.send_locked(inner, index, seal, stamp)
    }

    /// Stamps a message and queues it everywhere.
    pub(crate) fn send(
        &self,
        index: ChunkIndex,
        len: usize,
        stamp: Option<Stamp>,
    ) -> Result<(), PublishError> {
        // The lock waits until what was written has reached the cache: the clock is read meanwhile.
        let seal = self.seal(len);
        self.send_locked(self.lock(), index, seal, stamp)
    }

    fn send_locked<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner>,
        index: ChunkIndex,
        mut seal: Seal,
        stamp: Option<Stamp>,
    ) -> Result<(), PublishError> {
        if inner.keeps_all {
            inner = self.wait_for_room(inner);
            if let Some(full) = inner.queues.iter().find(|queue| queue.is_full()) {
                let (subscription, depth) = (full.receiver, u64::from(full.info.depth));
                inner.pool.give_back(index);
                inner.count_unsent(Why::Refused);
                self.counters.note_loss(LossCause::Refused);
                return Err(PublishError::QueueFull { subscription, depth });
            }
        }
        if inner.keeps_all || self.options.before_send.is_some() {
            // It may have waited for room; and whoever watches its times, which has the lock when it looks, may have
            // looked later than the clock was read.
            seal = self.seal(seal.len);
        }
        self.send_now(&mut inner, index, seal, stamp);
        Ok(())
    }

    /// Sends a request to every receiver that has room, and returns its number. Refuses if there is no receiver, or
    /// none has room: then the chunk stays in the caller's hands.
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
        let seal = self.seal(len);
        if inner.queues.iter().all(Queue::has_room) {
            self.send_now(&mut inner, index, seal, stamp);
            return Ok(stamp.map_or(inner.sent, |stamp| stamp.sequence));
        }
        self.send_where_is_room(&mut inner, index, &stamped(seal, stamp), stamp)
    }

    /// Sends a request to the receivers that have room; it is lost to the others.
    #[cold]
    fn send_where_is_room(
        &self,
        inner: &mut Inner,
        index: ChunkIndex,
        seal: &Seal,
        stamp: Option<Stamp>,
    ) -> Result<u64, PublishError> {
        let (free, full): (Vec<usize>, Vec<usize>) =
            (0..inner.queues.len()).partition(|place| inner.queues[*place].has_room());
        if free.is_empty() {
            let full = &inner.queues[full[0]];
            let (subscription, depth) = (full.receiver, u64::from(full.info.depth));
            return Err(PublishError::QueueFull { subscription, depth });
        }
        self.count(inner);
        full.iter().for_each(|place| inner.queues[*place].header.count_unsent(Why::Refused));
        self.counters.note_loss(LossCause::Refused);
        let sequence = stamp.map_or(inner.sent, |stamp| stamp.sequence);
        self.send_to(inner, &free, index, sequence, seal);
        Ok(sequence)
    }

    /// Queues a message at some receivers only.
    fn send_to(&self, inner: &mut Inner, places: &[usize], index: ChunkIndex, sequence: u64, seal: &Seal) {
        let Inner { pool, queues, .. } = inner;
        let mut holders = Holders::default();
        places.iter().for_each(|place| holders.insert(queues[*place].info.holder));
        pool.seal(index, &holders, sequence, seal);
        places.iter().for_each(|place| queues[*place].push(pool, index, seal.sent_at));
        announce();
        places.iter().for_each(|place| queues[*place].wake());
    }

    /// Sends a response to one receiver, with the number of the request. Refuses if that receiver is not
    /// connected: then the chunk stays in the caller's hands.
    pub(crate) fn send_response(
        &self,
        index: ChunkIndex,
        len: usize,
        request: RequestId,
        source_time: Option<Time>,
    ) -> Result<(), PublishError> {
        let mut inner = self.lock();
        // One that has left already may not have been disconnected yet.
        let of_client = |queue: &Queue| queue.receiver == request.client && !queue.has_left();
        let place = inner.queues.iter().position(of_client).ok_or(PublishError::Unmatched)?;
        inner.sent += 1;
        self.counters.set_messages(inner.sent);
        let mut seal = self.seal(len);
        seal.source_time = source_time.unwrap_or(seal.source_time);
        let client = inner.queues[place].link.process;
        inner.pool.address(index, client);
        self.send_to(&mut inner, &[place], index, request.sequence, &seal);
        Ok(())
    }

    fn send_now(&self, inner: &mut Inner, index: ChunkIndex, mut seal: Seal, stamp: Option<Stamp>) {
        self.count(inner);
        // Another thread may have read the clock later and taken the lock sooner.
        let late = (inner.sent_at - seal.sent_at).max(0);
        let sent_at = seal.sent_at + late;
        seal.sent_at = sent_at;
        seal.source_time = Time::from_nanos(seal.source_time.as_nanos() + late);
        if let Some(before_send) = &self.options.before_send {
            // Whoever watches its times may be late, and would take this message for all that was missed before.
            before_send(inner.times(sent_at));
        }
        inner.sent_at = sent_at;
        let (holders, sequence) = (inner.holders, stamp.map_or(inner.sent, |stamp| stamp.sequence));
        inner.pool.seal(index, &holders, sequence, &stamped(seal, stamp));
        self.keep(inner, index);
        let Inner { pool, queues, .. } = inner;
        queues.iter_mut().for_each(|queue| queue.push(pool, index, sent_at));
        announce();
        queues.iter().for_each(Queue::wake);
    }

    /// Counts a message as sent, and as lost for each receiver that can't be connected.
    fn count(&self, inner: &mut Inner) {
        inner.sent += 1;
        self.counters.set_messages(inner.sent);
        for (cause, count) in MISMATCHES.into_iter().zip(inner.mismatched) {
            self.counters.lose(cause, count);
        }
    }

    /// What is stamped on a message that is sent now.
    fn seal(&self, len: usize) -> Seal {
        let (source_time, sent_at) = both_now();
        Seal { len, source_time, sent_at, gid: self.gid, cpu: sched_getcpu() as u32 }
    }

    /// Keeps the message for receivers that connect later, and lets go of the oldest kept.
    fn keep(&self, inner: &mut Inner, index: ChunkIndex) {
        if self.options.kept == 0 {
            return;
        }
        inner.pool.set_retained(index, true);
        inner.kept.push_back(index);
        if inner.kept.len() > self.options.kept
            && let Some(oldest) = inner.kept.pop_front()
        {
            inner.pool.set_retained(oldest, false);
        }
    }
}

fn stamped(seal: Seal, stamp: Option<Stamp>) -> Seal {
    Seal { source_time: stamp.map_or(seal.source_time, |stamp| stamp.source_time), ..seal }
}

impl Inner {
    /// Puts a small message into a chunk, which is in the hands of the caller from now on. `None` if memory must be
    /// asked for.
    fn copy(&mut self, bytes: &[u8]) -> Option<ChunkIndex> {
        let index = self.pool.acquire(bytes.len())?;
        let place = self.pool.message(index).cast::<u8>();
        // SAFETY: the chunk is as long as was asked for and mapped, and its index is in nobody else's hands.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        Some(index)
    }

    /// Counts a message that nobody receives.
    pub(super) fn count_unsent(&mut self, why: Why) {
        self.queues.iter().for_each(|queue| queue.header.count_unsent(why));
    }
}
