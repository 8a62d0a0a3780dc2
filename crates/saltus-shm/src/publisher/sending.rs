//! How a message is stamped and queued.

use std::ptr::NonNull;

use rustix::thread::sched_getcpu;
use saltus_types::{Durability, History, Time};

use super::{Inner, PublishError, PublisherCore, RequestId};
use crate::{
    chunk::{ChunkIndex, Seal},
    connection::Connection,
    counters::MISMATCHES,
    os::{
        clock::{both_now, monotonic_now},
        futex,
        mutex::MutexGuard,
    },
    protocol::{holders::Holders, port::announce, ring::Unsent as Why},
    registry::nanos,
};

impl PublisherCore {
    /// Waits while a subscription that keeps all has no room, at most for [`History::MAX_BLOCKING`].
    /// The lock is not held meanwhile, so that the death of that subscription can be dealt with.
    fn wait_for_room<'a>(&'a self, mut inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        let deadline = monotonic_now() + nanos(Some(History::MAX_BLOCKING));
        while let Some(full) = inner.connections.iter().find(|connection| connection.is_full()) {
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
    pub(super) fn send_copy(&self, bytes: &[u8]) -> Result<(), PublishError> {
        let mut inner = self.lock();
        let Some(index) = inner.copy(bytes) else {
            drop(inner);
            let mut draft = self.draft(bytes.len())?;
            draft.message(bytes.len()).copy_from_slice(bytes);
            return self.send(draft.keep(), bytes.len());
        };
        let seal = self.seal(bytes.len());
        self.send_locked(inner, index, seal)
    }

    /// Stamps a message and queues it everywhere.
    pub(crate) fn send(&self, index: ChunkIndex, len: usize) -> Result<(), PublishError> {
        // The lock waits until what was written has reached the cache: the clock is read meanwhile.
        let seal = self.seal(len);
        self.send_locked(self.lock(), index, seal)
    }

    fn send_locked<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner>,
        index: ChunkIndex,
        mut seal: Seal,
    ) -> Result<(), PublishError> {
        if inner.keeps_all {
            inner = self.wait_for_room(inner);
            if let Some(full) = inner.connections.iter().find(|connection| connection.is_full()) {
                let (subscription, depth) = (full.info.subscription, u64::from(full.info.depth));
                inner.pool.give_back(index);
                inner.count_unsent(Why::Refused);
                return Err(PublishError::QueueFull { subscription, depth });
            }
        }
        if inner.keeps_all || self.is_timed(&inner) {
            // It may have waited for room; and housekeeping, which has the lock when it looks at times, may have
            // looked later than the clock was read.
            seal = self.seal(seal.len);
        }
        self.send_now(&mut inner, index, seal);
        Ok(())
    }

    /// Whether a deadline or a lease is watched.
    fn is_timed(&self, inner: &Inner) -> bool {
        inner.deadline.is_on() || self.info.qos.lease.is_some()
    }

    /// Sends a request to every server that has room, and returns its number. Refuses if there is no server, or
    /// none has room: then the chunk stays in the caller's hands.
    pub(crate) fn send_request(&self, index: ChunkIndex, len: usize) -> Result<u64, PublishError> {
        let mut inner = self.lock();
        if inner.connections.is_empty() {
            return Err(PublishError::Unmatched);
        }
        let seal = self.seal(len);
        if inner.connections.iter().all(Connection::has_room) {
            self.send_now(&mut inner, index, seal);
            return Ok(inner.sent);
        }
        self.send_where_is_room(&mut inner, index, &seal)
    }

    /// Sends a request to the servers that have room; it is lost to the others.
    #[cold]
    fn send_where_is_room(
        &self,
        inner: &mut Inner,
        index: ChunkIndex,
        seal: &Seal,
    ) -> Result<u64, PublishError> {
        let (free, full): (Vec<usize>, Vec<usize>) =
            (0..inner.connections.len()).partition(|place| inner.connections[*place].has_room());
        if free.is_empty() {
            let full = &inner.connections[full[0]].info;
            let (subscription, depth) = (full.subscription, u64::from(full.depth));
            return Err(PublishError::QueueFull { subscription, depth });
        }
        self.count(inner);
        full.iter().for_each(|place| inner.connections[*place].header.count_unsent(Why::Refused));
        self.send_to(inner, &free, index, inner.sent, seal);
        Ok(inner.sent)
    }

    /// Queues a message at some connections only.
    fn send_to(&self, inner: &mut Inner, places: &[usize], index: ChunkIndex, sequence: u64, seal: &Seal) {
        let Inner { pool, connections, .. } = inner;
        let mut holders = Holders::default();
        places.iter().for_each(|place| holders.insert(connections[*place].info.holder));
        pool.seal(index, &holders, sequence, seal);
        places.iter().for_each(|place| connections[*place].queue(pool, index, seal.sent_at));
        announce();
        places.iter().for_each(|place| connections[*place].wake());
    }

    /// Sends a response to one client, with the number of the request. Refuses if the client is not
    /// connected: then the chunk stays in the caller's hands.
    pub(crate) fn send_response(
        &self,
        index: ChunkIndex,
        len: usize,
        request: RequestId,
    ) -> Result<(), PublishError> {
        let mut inner = self.lock();
        // One that has left already may not have been disconnected yet.
        let of_client = |connection: &Connection| {
            connection.info.subscription == request.client && !connection.has_left()
        };
        let place = inner.connections.iter().position(of_client).ok_or(PublishError::Unmatched)?;
        inner.sent += 1;
        self.counters.set_messages(inner.sent);
        let seal = self.seal(len);
        let client = inner.connections[place].link.process;
        inner.pool.address(index, client);
        self.send_to(&mut inner, &[place], index, request.sequence, &seal);
        Ok(())
    }

    fn send_now(&self, inner: &mut Inner, index: ChunkIndex, mut seal: Seal) {
        self.count(inner);
        // Another thread may have read the clock later and taken the lock sooner.
        let late = (inner.sent_at - seal.sent_at).max(0);
        let sent_at = seal.sent_at + late;
        seal.sent_at = sent_at;
        seal.source_time = Time::from_nanos(seal.source_time.as_nanos() + late);
        if self.is_timed(inner) {
            // The housekeeping may be late, and would take this message for all that was missed before.
            self.check_times(inner, sent_at);
        }
        inner.sent_at = sent_at;
        inner.is_silent = false;
        let (holders, sequence) = (inner.holders, inner.sent);
        inner.pool.seal(index, &holders, sequence, &seal);
        self.retain(inner, index);
        let Inner { pool, connections, .. } = inner;
        connections.iter_mut().for_each(|connection| connection.queue(pool, index, sent_at));
        announce();
        connections.iter().for_each(Connection::wake);
    }

    /// Counts a message as sent, and as lost for each subscription whose type or QoS does not suit.
    fn count(&self, inner: &mut Inner) {
        inner.sent += 1;
        self.counters.set_messages(inner.sent);
        inner.unsuited.iter().for_each(|(_, mismatch)| self.counters.lose(MISMATCHES[*mismatch], 1));
    }

    /// What is stamped on a message that is sent now.
    fn seal(&self, len: usize) -> Seal {
        let (source_time, sent_at) = both_now();
        Seal { len, source_time, sent_at, gid: self.info.gid, cpu: sched_getcpu() as u32 }
    }

    /// Keeps the message for late joiners, and lets go of the oldest kept.
    fn retain(&self, inner: &mut Inner, index: ChunkIndex) {
        if self.info.qos.durability != Durability::TransientLocal {
            return;
        }
        inner.pool.set_retained(index, true);
        inner.retained.push_back(index);
        if inner.retained.len() > usize::from(self.info.qos.history.depth())
            && let Some(oldest) = inner.retained.pop_front()
        {
            inner.pool.set_retained(oldest, false);
        }
    }
}

impl Inner {
    /// Puts a small message into a chunk, which is in the hands of the caller from now on. `None` if memory must be
    /// asked for.
    pub(super) fn copy(&mut self, bytes: &[u8]) -> Option<ChunkIndex> {
        let index = self.pool.acquire(bytes.len())?;
        let place = self.pool.message(index).cast::<u8>();
        // SAFETY: the chunk is as long as was asked for and mapped, and its index is in nobody else's hands.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        Some(index)
    }

    /// Counts a message that nobody receives.
    pub(super) fn count_unsent(&mut self, why: Why) {
        self.connections.iter().for_each(|connection| connection.header.count_unsent(why));
    }
}
