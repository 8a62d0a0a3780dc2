//! The sending end of a topic.

use std::{
    collections::VecDeque,
    ops::{Deref, DerefMut},
    ptr::NonNull,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::thread::sched_getcpu;
use saltus_types::{Durability, Gid, History, QoS, Reliability};

use crate::{
    EndpointInfo, MemoryError,
    arena::Block,
    chunk::{ChunkHeader, ChunkIndex, ChunkPool, Holders, MAX_SUBSCRIPTIONS, Seal},
    link::Link,
    os::{
        clock::system_now,
        segment::{Mapped, Segment},
    },
    presence::Presence,
    protocol::{
        port::{Port, announce},
        ring::{Ring, RingHeader},
    },
    registry::{ConnectionInfo, RecordId},
    shared::Shared,
};

/// Why a message was not sent.
#[derive(thiserror::Error)]
pub enum PublishError {
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A subscription that keeps all has not made room: nothing was sent to anybody.
    #[error("the queue of subscription {subscription} is full with {depth} messages, and it keeps all")]
    QueueFull {
        /// Which one.
        subscription: Gid,
        /// How many messages it holds.
        depth: u64,
    },
    /// The handle was inherited over `fork`.
    #[error("this publisher was opened before fork(): open one of your own in the child")]
    Forked,
}

saltus_types::debug_as_display!(PublishError);

/// What a publisher can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublisherStatus {
    /// How many messages were sent.
    pub sent: u64,
    /// How many subscriptions are connected: what is sent from now on reaches them, even if this
    /// process ends at once.
    pub matched: usize,
    /// How many messages gave way to newer ones in full queues, over all subscriptions so far.
    pub overflowed: u64,
    /// How many messages were refused because a subscription that keeps all had no room.
    pub refused: u64,
    /// How many messages outgrew the size they were loaned with, and were copied once.
    pub regrown: u64,
    /// How many subscriptions of this topic could not be connected for their type or QoS.
    pub incompatible: u64,
}

/// The sending end of a topic.
///
/// **Invariant:** messages reach each subscription in the order in which they were sent. May be
/// used from any thread; two threads that publish at once wait for each other. It leaves the graph
/// when it and the last of its loans are dropped.
#[derive(Debug)]
pub struct Publisher(Arc<Handle>);

/// What a publisher and its loans have in common: its place in the graph.
#[derive(Debug)]
struct Handle {
    core: Arc<PublisherCore>,
    /// Held, not used: this process stays in the domain as long as its handles.
    _presence: Presence,
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.core.is_here() {
            self.core.shared.remove_publisher(&self.core);
        }
    }
}

#[derive(Debug)]
pub(crate) struct PublisherCore {
    pub(crate) info: EndpointInfo,
    pub(crate) record: RecordId,
    pub(crate) shared: Arc<Shared>,
    pub(crate) incompatible: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    pool: ChunkPool,
    connections: Vec<Connection>,
    /// The bits of `connections`, as a message is sealed with them.
    holders: Holders,
    /// The process that a holder bit was last given to, to clear it if the process dies.
    holder_process: Vec<u64>,
    /// The last messages, for those who join late; empty unless transient local.
    retained: VecDeque<ChunkIndex>,
    sent: u64,
    refused: u64,
    overflowed_before: u64,
    regrown: u64,
}

/// A queue to one subscription.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) info: ConnectionInfo,
    /// Its entry in the registry, as long as its subscription may still come.
    record: Option<RecordId>,
    link: Arc<Link>,
    port: Mapped<Port>,
    header: Mapped<RingHeader>,
    slots: NonNull<[AtomicU64]>,
    slots_block: Block,
    keep_all: bool,
    /// See [`Ring::push`].
    known_head: u64,
}

// SAFETY: `slots` points into the segment that `header` keeps mapped, and consists of atomics.
unsafe impl Send for Connection {}

impl Connection {
    fn ring(&self) -> Ring<'_> {
        // SAFETY: the block is not freed before the connection is dissolved, and stays mapped.
        let slots = unsafe { self.slots.as_ref() };
        Ring { header: &self.header, slots, depth: u64::from(self.info.depth) }
    }

    fn wake(&self) {
        self.link.ring_port(&self.port);
    }

    /// Says that its subscription does not hold the message that a descriptor names.
    fn release(&self, descriptor: u64) {
        if let Some(chunk) = self.header.segment().get::<ChunkHeader>(descriptor) {
            chunk.release(self.info.holder);
        }
    }

    /// Puts a message into the queue and releases what gave way.
    fn queue(&mut self, pool: &ChunkPool, index: ChunkIndex) {
        let descriptor = pool.chunk(index).descriptor();
        let mut known_head = self.known_head;
        if let Some(evicted) = self.ring().push(descriptor, &mut known_head) {
            self.release(evicted);
        }
        self.known_head = known_head;
    }

    /// Releases what the queue still holds, whose reader will not come.
    fn drain(&self) {
        while let Some(descriptor) = self.ring().pop() {
            self.release(descriptor);
        }
    }

    /// Whether its subscription reads from it.
    fn is_attached(&self) -> bool {
        self.header.is_attached(self.info.generation)
    }

    /// Whether it holds messages for a subscription that has not come yet.
    fn is_awaited(&self) -> bool {
        self.header.is_open(self.info.generation) && self.ring().len() > 0
    }

    /// Takes it out of the registry.
    fn withdraw(&mut self, shared: &Shared) {
        if let Some(record) = self.record.take() {
            shared.remove_record(record);
        }
    }

    /// Whether its subscription will not touch it any more.
    fn is_over(&self) -> bool {
        self.header.withdraw(self.info.generation)
    }
}

impl Publisher {
    pub(crate) fn new(core: Arc<PublisherCore>, presence: Presence) -> Self {
        Self(Arc::new(Handle { core, _presence: presence }))
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        &self.0.core.info
    }

    /// Counts and states.
    pub fn status(&self) -> PublisherStatus {
        let core = &self.0.core;
        if !core.is_here() {
            return PublisherStatus::default();
        }
        let inner = core.lock();
        let present: u64 = inner.connections.iter().map(|connection| connection.header.overflowed()).sum();
        PublisherStatus {
            sent: inner.sent,
            matched: inner.connections.iter().filter(|connection| connection.is_attached()).count(),
            overflowed: inner.overflowed_before + present,
            refused: inner.refused,
            regrown: inner.regrown,
            incompatible: core.incompatible.load(Ordering::Relaxed),
        }
    }

    /// Sends a message of `len` bytes, encapsulation header included, that `write` writes in place.
    ///
    /// If `write` fails nothing is sent. It must not publish on this same publisher.
    pub fn publish_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let core = &self.0.core;
        if !core.is_here() {
            return Err(PublishError::Forked.into());
        }
        let mut inner = core.lock();
        let index = core.acquire(&mut inner, len).map_err(PublishError::from)?;
        let unsent = Unsent { inner: &mut inner, index };
        // SAFETY: the chunk is long enough, and its index is in nobody else's hands.
        let message =
            unsafe { std::slice::from_raw_parts_mut(unsent.inner.pool.chunk(index).message().as_ptr(), len) };
        write(message)?;
        unsent.keep();
        core.send(&mut inner, index, len).map_err(E::from)
    }

    /// Sends a serialized message, which is copied once.
    pub fn publish_bytes(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.publish_with(bytes.len(), |message| {
            message.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// A place for a message of `len` bytes, to be written at leisure and sent without a copy.
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        let core = &self.0.core;
        if !core.is_here() {
            return Err(PublishError::Forked);
        }
        let mut inner = core.lock();
        let index = core.acquire(&mut inner, len)?;
        let chunk = inner.pool.chunk(index);
        let message = NonNull::slice_from_raw_parts(chunk.message(), chunk.capacity());
        Ok(Loan { publisher: self.0.clone(), index: Some(index), message })
    }
}

/// A chunk that goes back unused, should its writer fail or panic.
struct Unsent<'a> {
    inner: &'a mut Inner,
    index: ChunkIndex,
}

impl Unsent<'_> {
    /// It is to be sent.
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unsent<'_> {
    fn drop(&mut self) {
        self.inner.pool.give_back(self.index);
    }
}

/// Memory for a message that has not been sent. Dropped, it goes back unused.
///
/// **Invariant:** it is at least as long as was asked for, and starts 4 bytes before a multiple of
/// 64, so that the body behind the encapsulation header is aligned for anything.
#[derive(Debug)]
pub struct Loan {
    publisher: Arc<Handle>,
    /// Always there but while it is being sent.
    index: Option<ChunkIndex>,
    message: NonNull<[u8]>,
}

// SAFETY: the memory is this loan's alone until it is sent; the rest is `Send` and `Sync`.
unsafe impl Send for Loan {}
// SAFETY: shared access to a loan only reads its memory.
unsafe impl Sync for Loan {}

impl Loan {
    /// Sends the first `len` bytes.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn publish(mut self, len: usize) -> Result<(), PublishError> {
        assert!(len <= self.message.len(), "a loan of {} bytes can't send {len}", self.message.len());
        let publisher = self.publisher.clone();
        let core = &publisher.core;
        if !core.is_here() {
            return Err(PublishError::Forked);
        }
        match self.index.take() {
            Some(index) => core.send(&mut core.lock(), index, len),
            None => Ok(()),
        }
    }

    /// Makes it at least `len` bytes long, keeping the first `used`: one copy, which is counted.
    ///
    /// # Panics
    /// If `used` exceeds the loan's length.
    pub fn grow(&mut self, used: usize, len: usize) -> Result<(), PublishError> {
        assert!(used <= self.message.len(), "a loan of {} bytes has no {used} in use", self.message.len());
        let core = &self.publisher.core;
        if !core.is_here() {
            return Err(PublishError::Forked);
        }
        let mut inner = core.lock();
        let index = core.acquire(&mut inner, len.max(self.message.len() * 2))?;
        let chunk = inner.pool.chunk(index);
        let message = NonNull::slice_from_raw_parts(chunk.message(), chunk.capacity());
        // SAFETY: both are chunks of this publisher in this loan's hands; the old one is at least
        // `used` long, and the new one is longer than the old.
        unsafe {
            std::ptr::copy_nonoverlapping(self.message.cast::<u8>().as_ptr(), message.cast().as_ptr(), used);
        }
        if let Some(small) = self.index.replace(index) {
            inner.pool.give_back(small);
        }
        inner.regrown += 1;
        self.message = message;
        Ok(())
    }
}

impl Deref for Loan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the chunk is in this loan's hands, and its publisher, which owns the memory, is open
        // as long as the loan lives.
        unsafe { self.message.as_ref() }
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` is the only way to it.
        unsafe { self.message.as_mut() }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(index) = self.index.take()
            && self.publisher.core.is_here()
        {
            self.publisher.core.lock().pool.give_back(index);
        }
    }
}

impl PublisherCore {
    pub(crate) fn new(info: EndpointInfo, record: RecordId, shared: Arc<Shared>) -> Self {
        Self { info, record, shared, incompatible: AtomicU64::new(0), inner: Mutex::default() }
    }

    /// Whether this is the process that opened it.
    fn is_here(&self) -> bool {
        self.shared.origin.is_here()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acquire(&self, inner: &mut Inner, len: usize) -> Result<ChunkIndex, MemoryError> {
        inner.pool.acquire(len, &self.shared.segment, &self.shared.arena)
    }

    /// Stamps a message and queues it everywhere.
    fn send(&self, inner: &mut Inner, index: ChunkIndex, len: usize) -> Result<(), PublishError> {
        if let Some(full) = inner.connections.iter().find(|c| c.keep_all && c.ring().is_full()) {
            let (subscription, depth) = (full.info.subscription, u64::from(full.info.depth));
            inner.pool.give_back(index);
            inner.refused += 1;
            return Err(PublishError::QueueFull { subscription, depth });
        }
        inner.sent += 1;
        let seal = Seal {
            len,
            sequence: inner.sent,
            source_time: system_now(),
            gid: self.info.gid,
            cpu: sched_getcpu() as u32,
        };
        let holders = inner.holders;
        inner.pool.seal(index, &holders, &seal);
        self.retain(inner, index);
        let Inner { pool, connections, .. } = inner;
        connections.iter_mut().for_each(|connection| connection.queue(pool, index));
        announce();
        connections.iter().for_each(Connection::wake);
        Ok(())
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

    /// Connects a subscription, giving it what is kept if it asks for that. `None` if it is already.
    pub(crate) fn connect(
        &self,
        subscription: &EndpointInfo,
        link: &Arc<Link>,
    ) -> Result<Option<ConnectionInfo>, MemoryError> {
        let mut inner = self.lock();
        if inner.connections.iter().any(|c| c.info.subscription == subscription.gid) {
            return Ok(None);
        }
        let holder = inner.vacant_holder()?;
        let mut connection = self.open_queue(subscription, link, holder)?;
        let info = connection.info.clone();
        inner.admit(holder, link.process);
        if subscription.qos.durability == Durability::TransientLocal {
            // As many as it asks for: what it has no room for is no loss.
            let surplus = inner.retained.len().saturating_sub(subscription.qos.history.depth().into());
            for index in inner.retained.iter().skip(surplus).copied().collect::<Vec<_>>() {
                inner.pool.hold(index, holder);
                connection.queue(&inner.pool, index);
            }
        }
        inner.connections.push(connection);
        Ok(Some(info))
    }

    fn open_queue(
        &self,
        subscription: &EndpointInfo,
        link: &Arc<Link>,
        holder: u32,
    ) -> Result<Connection, MemoryError> {
        let depth = u32::from(subscription.qos.history.depth());
        let slot_count = depth.next_power_of_two();
        let slots_block = self.shared.allocate(u64::from(slot_count) * 8)?;
        let opened = self.shared.open_ring().and_then(|(header, ring, generation)| {
            let info = ConnectionInfo {
                publisher: self.info.gid,
                subscription: subscription.gid,
                ring,
                generation,
                slots: slots_block.offset,
                slot_count,
                depth,
                holder,
            };
            let slots = slots(&self.shared.segment, &info).ok_or_else(|| not_mapped(slots_block.len))?;
            // SAFETY: the block is this queue's alone, and mapped; nobody knows of it yet.
            Ring { header: &header, slots: unsafe { slots.as_ref() }, depth: depth.into() }.clear();
            let port = Mapped::new(&link.segment, subscription.port).ok_or_else(|| not_mapped(64))?;
            let record = self.shared.add_connection(&info)?;
            let reliable = |qos: &QoS| qos.reliability == Reliability::Reliable;
            let keep_all = subscription.qos.history == History::KeepAll
                && reliable(&subscription.qos)
                && reliable(&self.info.qos);
            Ok(Connection {
                info,
                record: Some(record),
                link: link.clone(),
                port,
                header,
                slots,
                slots_block,
                keep_all,
                known_head: 0,
            })
        });
        opened.inspect_err(|_| self.shared.free(slots_block))
    }

    /// Disconnects subscriptions that have gone, or whose process has died. Whether there were any.
    pub(crate) fn disconnect(&self, gone: impl Fn(&Connection) -> bool, dead: bool) -> bool {
        let mut inner = self.lock();
        let (gone, stay): (Vec<_>, Vec<_>) =
            std::mem::take(&mut inner.connections).into_iter().partition(gone);
        inner.connections = stay;
        let any = !gone.is_empty();
        for mut connection in gone {
            inner.holders.remove(connection.info.holder);
            inner.overflowed_before += connection.header.overflowed();
            connection.withdraw(&self.shared);
            self.end(connection, dead);
        }
        any
    }

    fn end(&self, connection: Connection, dead: bool) {
        if dead || connection.is_over() {
            lay(connection, &self.shared);
        } else {
            // Its owner is alive and about to detach.
            self.shared.bury(Grave { connections: vec![connection], ..Grave::default() });
        }
    }

    /// Clears what a dead process held.
    pub(crate) fn release_process(&self, process: u64) {
        self.disconnect(|connection| connection.link.process == process, true);
        let mut inner = self.lock();
        let holders: Vec<u32> = (0..)
            .zip(&inner.holder_process)
            .filter(|(_, owner)| **owner == process)
            .map(|(h, _)| h)
            .collect();
        holders.iter().for_each(|holder| inner.pool.release_all(*holder));
        for holder in holders {
            inner.holder_process[holder as usize] = 0;
        }
    }

    /// Closes for good; what subscriptions have not read yet stays until they have.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        let Inner { pool, connections, holder_process, .. } = std::mem::take(&mut *inner);
        self.shared.bury(Grave { pool, connections, holder_process });
    }
}

impl Inner {
    /// A holder bit that no connection has and no message bears.
    fn vacant_holder(&self) -> Result<u32, MemoryError> {
        (0..MAX_SUBSCRIPTIONS)
            .find(|holder| !self.holders.contains(*holder) && !self.pool.is_held_by(*holder))
            .ok_or_else(|| MemoryError::System {
                len: 0,
                source: std::io::Error::other(format!(
                    "a publisher serves at most {MAX_SUBSCRIPTIONS} subscriptions"
                )),
            })
    }

    fn admit(&mut self, holder: u32, process: u64) {
        self.pool.admit(holder);
        self.holders.insert(holder);
        let place = holder as usize;
        if self.holder_process.len() <= place {
            self.holder_process.resize(place + 1, 0);
        }
        self.holder_process[place] = process;
    }
}

/// What a closed publisher leaves behind until its subscriptions have read it.
#[derive(Debug, Default)]
pub(crate) struct Grave {
    pool: ChunkPool,
    connections: Vec<Connection>,
    /// See [`Inner`].
    holder_process: Vec<u64>,
}

impl Grave {
    /// Frees what nobody uses any more. `true` once nothing is left.
    pub(crate) fn reap(&mut self, shared: &Shared) -> bool {
        let connections = std::mem::take(&mut self.connections);
        for mut connection in connections {
            if connection.is_awaited() {
                self.connections.push(connection);
                continue;
            }
            connection.withdraw(shared);
            if connection.is_over() {
                lay(connection, shared);
            } else {
                self.connections.push(connection);
            }
        }
        if !self.connections.is_empty() || self.pool.is_held() {
            return false;
        }
        self.pool.dissolve(&mut shared.arena.lock().unwrap_or_else(PoisonError::into_inner));
        true
    }

    /// Gives up what waits for a subscription that has gone. Whether there was anything.
    pub(crate) fn leave(&mut self, subscription: Gid, shared: &Shared) -> bool {
        let over = |c: &mut Connection| c.info.subscription == subscription && c.is_over();
        let gone: Vec<_> = self.connections.extract_if(.., over).collect();
        let any = !gone.is_empty();
        gone.into_iter().for_each(|connection| lay(connection, shared));
        any
    }

    /// Frees what a dead process used.
    pub(crate) fn release_process(&mut self, process: u64, shared: &Shared) {
        let dead: Vec<_> = self.connections.extract_if(.., |c| c.link.process == process).collect();
        dead.into_iter().for_each(|connection| lay(connection, shared));
        (0..)
            .zip(&self.holder_process)
            .filter(|(_, owner)| **owner == process)
            .for_each(|(holder, _)| self.pool.release_all(holder));
    }
}

/// Frees a queue that nobody reads.
fn lay(mut connection: Connection, shared: &Shared) {
    connection.withdraw(shared);
    connection.drain();
    shared.close_ring(connection.header, connection.slots_block, connection.info.ring);
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

fn not_mapped(len: u64) -> MemoryError {
    MemoryError::System { len, source: std::io::Error::other("outside the segment") }
}
