//! A queue from a publisher to one subscription, and what a closed publisher leaves behind.

use std::{
    ptr::NonNull,
    sync::{Arc, atomic::AtomicU64},
};

use saltus_types::{Gid, LossCause, Losses};

use crate::{
    MemoryError,
    arena::Block,
    chunk::{ChunkHeader, ChunkIndex, ChunkPool},
    link::Link,
    os::{
        futex,
        segment::{Mapped, Segment},
    },
    protocol::{
        holders::MAX_SUBSCRIPTIONS,
        port::Port,
        ring::{Ring, RingHeader, Unsent},
    },
    registry::{ConnectionInfo, Key, RecordId},
    shared::Shared,
};

/// A queue to one subscription.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) info: ConnectionInfo,
    /// Its entry in the registry, as long as its subscription may still come.
    pub(crate) record: Option<RecordId>,
    pub(crate) link: Arc<Link>,
    pub(crate) port: Mapped<Port>,
    pub(crate) header: Mapped<RingHeader>,
    pub(crate) slots: NonNull<[AtomicU64]>,
    pub(crate) slots_block: Block,
    /// See [`Ring::push`].
    pub(crate) known_head: u64,
    /// Whether its subscription was seen to read from it.
    pub(crate) was_attached: bool,
    /// The number of the first message that went through it, or will.
    pub(crate) first: u64,
    /// By which its subscription is found in its process's registry.
    pub(crate) key: Key,
}

// SAFETY: `slots` points into the segment that `header` keeps mapped, and consists of atomics.
unsafe impl Send for Connection {}

impl Connection {
    pub(crate) fn ring(&self) -> Ring<'_> {
        // SAFETY: the block is not freed before the connection is dissolved, and stays mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    pub(crate) fn wake(&self) {
        self.link.ring_port(&self.port);
    }

    /// Says that its subscription does not hold the message that a descriptor names.
    fn release(&self, descriptor: u64) {
        if let Some(chunk) = self.header.segment().get::<ChunkHeader>(descriptor) {
            chunk.release(self.info.holder);
        }
    }

    /// Puts a message into the queue and releases what gave way.
    pub(crate) fn queue(&mut self, pool: &ChunkPool, index: ChunkIndex, sent_at: i64) {
        let descriptor = pool.chunk(index).descriptor();
        let mut known_head = self.known_head;
        if let Some(evicted) = self.ring().push(descriptor, sent_at, &mut known_head) {
            self.release(evicted);
        }
        self.known_head = known_head;
    }

    /// Releases what the queue still holds, whose reader will not come. How many that was.
    fn drain(&self) -> u64 {
        let mut count = 0;
        while let Some(descriptor) = self.ring().pop() {
            self.release(descriptor);
            count += 1;
        }
        count
    }

    /// Whether its subscription reads from it.
    pub(crate) fn is_attached(&self) -> bool {
        self.header.is_attached(self.info.generation)
    }

    /// Whether its subscription has read from it, and does no more.
    pub(crate) fn has_left(&self) -> bool {
        self.header.is_closed(self.info.generation)
    }

    /// Whether it holds messages for a subscription that has not come yet.
    fn is_awaited(&self) -> bool {
        self.header.is_open(self.info.generation) && self.ring().len() > 0
    }

    /// Whether it has no room and gives no message away.
    pub(crate) fn is_full(&self) -> bool {
        self.info.keep_all && self.ring().is_full()
    }

    /// Whether a message fits without another giving way.
    pub(crate) fn has_room(&self) -> bool {
        !self.ring().is_full()
    }

    /// Wakes who waits for room, which there is no need of any more.
    pub(crate) fn give_up_room(&self) {
        if self.info.keep_all && self.header.made_room() {
            futex::wake_all(self.header.waiting());
        }
    }

    /// Takes it out of the registry. Whether it was there.
    pub(crate) fn withdraw(&mut self, shared: &Shared) -> bool {
        let record = self.record.take();
        record.inspect(|record| shared.remove_record(*record)).is_some()
    }

    /// Whether its subscription will not touch it any more.
    pub(crate) fn is_over(&self) -> bool {
        self.header.withdraw(self.info.generation)
    }

    /// Frees a queue that nobody reads. What was lost in it, the messages that its subscription never
    /// took by that cause.
    pub(crate) fn lay(mut self, shared: &Shared, unread: LossCause) -> Losses {
        self.withdraw(shared);
        let mut losses = losses_of(&self.header);
        losses.add(LossCause::Closed, self.header.unread());
        losses.add(unread, self.drain());
        shared.close_ring(self.header, self.slots_block, self.info.ring);
        losses
    }
}

/// What a queue's publisher could not deliver through it.
pub(crate) fn losses_of(header: &RingHeader) -> Losses {
    let mut losses = Losses::default();
    losses.add(LossCause::QueueOverflow, header.overflowed());
    losses.add(LossCause::OutOfMemory, header.unsent(Unsent::OutOfMemory));
    losses.add(LossCause::Refused, header.unsent(Unsent::Refused));
    losses
}

/// What a closed publisher leaves behind until its subscriptions have read it.
#[derive(Debug, Default)]
pub(crate) struct Grave {
    pub(crate) pool: ChunkPool,
    pub(crate) connections: Vec<Connection>,
}

impl Grave {
    /// Takes the queues that subscriptions have begun to read out of the registry. That tells these subscriptions that
    /// the publisher is gone. Returns whether there were any.
    pub(crate) fn withdraw(&mut self, shared: &Shared) -> bool {
        let come = self.connections.iter_mut().filter(|connection| !connection.is_awaited());
        come.fold(false, |any, connection| any | connection.withdraw(shared))
    }

    /// Frees what nobody uses any more. `true` once nothing is left.
    pub(crate) fn reap(&mut self, shared: &Shared) -> bool {
        let connections = std::mem::take(&mut self.connections);
        for connection in connections {
            if !connection.is_awaited() && connection.is_over() {
                connection.lay(shared, LossCause::Closed);
            } else {
                self.connections.push(connection);
            }
        }
        if !self.connections.is_empty() || self.pool.is_held() {
            return false;
        }
        self.pool.dissolve(&shared.arena);
        true
    }

    /// Gives up what waits for subscriptions that had a key and have gone. Whether there was anything.
    pub(crate) fn leave(&mut self, key: Key, is_gone: impl Fn(&Gid) -> bool, shared: &Shared) -> bool {
        let over = |c: &mut Connection| c.key == key && is_gone(&c.info.subscription) && c.is_over();
        let gone: Vec<_> = self.connections.extract_if(.., over).collect();
        let any = !gone.is_empty();
        for connection in gone {
            connection.lay(shared, LossCause::Closed);
        }
        any
    }

    /// Frees what a dead process used.
    pub(crate) fn release_process(&mut self, process: u64, shared: &Shared) {
        let dead: Vec<_> = self.connections.extract_if(.., |c| c.link.process == process).collect();
        for connection in dead {
            connection.lay(shared, LossCause::ProcessDied);
        }
        self.pool.release_process(process);
    }
}

/// The slots of a queue; `None` if what its publisher says of it is not sensible.
pub(crate) fn slots(segment: &Segment, info: &ConnectionInfo) -> Option<NonNull<[AtomicU64]>> {
    let fine = info.slot_count.is_power_of_two()
        && info.depth >= 1
        && info.depth <= info.slot_count
        && info.holder < MAX_SUBSCRIPTIONS;
    let slots = segment.get_slice::<AtomicU64>(info.slots, info.slot_count as usize)?;
    fine.then(|| NonNull::from(slots))
}

pub(crate) fn not_mapped(len: u64) -> MemoryError {
    MemoryError::System { len, source: std::io::Error::other("outside the segment") }
}
