//! The memory of this process in a domain, and the objects in it: blocks, ports, doorbells, counters, queues, records.

use std::{
    any::Any,
    collections::VecDeque,
    io,
    sync::{
        Arc, Weak,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    arena::{Arena, Block, MemoryError},
    counters::{ConnectionCounters, DeviceCounters, EndpointCounters},
    header::HOUSEKEEPING_PIPE,
    link::Link,
    membership::Membership,
    os::{
        mutex::Mutex,
        segment::{Mapped, Segment},
        wake_pipe::WakePipe,
    },
    protocol::{doorbell::Doorbell, port::Port, ring::RingHeader},
    records::RecordStore,
    slab::Slab,
    usability::Usability,
};

/// Keeps this process in its domain. Senders, receivers, samples and waiters may be used only while one exists.
pub type KeepAlive = Arc<dyn Any + Send + Sync>;

/// The memory of this process in a domain.
#[derive(Debug)]
pub struct Memory {
    /// This process as a member of the domain.
    pub membership: Arc<Membership>,
    /// The segment of this process.
    pub segment: Arc<Segment>,
    /// The link of this process to itself.
    pub link: Arc<Link>,
    /// The allocator of blocks in the segment.
    pub arena: Arena,
    /// Whether handles of this context may be used.
    pub usability: Usability,
    /// The records of this process, which other processes read.
    pub records: Mutex<RecordStore>,
    slabs: Mutex<Slabs>,
    /// The doorbells of the threads of this context that may wait.
    doorbells: Mutex<Vec<OpenDoorbell>>,
    next_generation: AtomicU64,
    next_pipe: AtomicU32,
}

/// A doorbell at which a thread of this context waits.
#[derive(Debug)]
struct OpenDoorbell {
    doorbell: Mapped<Doorbell>,
    offset: u64,
    /// The pipe of the doorbell, if it has one.
    pipe: Weak<WakePipe>,
}

/// Shared objects that are not in use. Their memory is reused only for objects of the same type.
#[derive(Debug, Default)]
struct Slabs {
    ports: Slab<Port>,
    doorbells: Slab<Doorbell>,
    rings: Slab<RingHeader>,
    endpoint_counters: Slab<EndpointCounters>,
    /// The counters of endpoints that were closed recently, each with the time of closing and the offset. Other
    /// processes may still read them.
    closed_counters: VecDeque<(Instant, Mapped<EndpointCounters>, u64)>,
    connection_counters: Slab<ConnectionCounters>,
    device_counters: Slab<DeviceCounters>,
}

/// The time for which the counters of a closed endpoint are not reused. By then every process that knows the endpoint has seen
/// that it is closed, and has read its last counts.
const REUSE_DELAY: Duration = Duration::from_secs(1);

impl Memory {
    /// Creates the memory of a member that has just joined. `pipe` is the pipe of its housekeeping thread.
    ///
    /// # Errors
    /// Returns an error if the segment can't be mapped.
    pub fn new(membership: Arc<Membership>, pipe: &Arc<WakePipe>) -> io::Result<Self> {
        let segment = membership.segment().clone();
        let link = Arc::new(Link::own(&membership)?);
        link.add_own_pipe(HOUSEKEEPING_PIPE, pipe);
        Ok(Self {
            arena: Arena::new(segment.clone()),
            records: Mutex::new(RecordStore::new(segment.clone())),
            usability: Usability::of_this_process(),
            slabs: Mutex::default(),
            doorbells: Mutex::default(),
            next_generation: AtomicU64::new(1),
            next_pipe: AtomicU32::new(HOUSEKEEPING_PIPE + 1),
            membership,
            segment,
            link,
        })
    }

    /// Allocates a block of at least `len` bytes.
    pub(crate) fn allocate(&self, len: u64) -> Result<Block, MemoryError> {
        self.arena.allocate(len)
    }

    /// Frees a block.
    pub(crate) fn free(&self, block: Block) {
        self.arena.free(block);
    }

    /// Allocates a port, which names the doorbell that the messages for a subscription ring. Returns the port and its
    /// offset.
    pub fn open_port(&self) -> Result<(Mapped<Port>, u64), MemoryError> {
        self.slabs.lock().ports.take(&self.segment, &self.arena)
    }

    /// Frees a port.
    pub fn close_port(&self, port: Mapped<Port>, offset: u64) {
        self.slabs.lock().ports.free(port, offset);
    }

    /// Allocates a doorbell for a thread that waits. Returns the doorbell and its offset.
    pub(crate) fn open_doorbell(&self) -> Result<(Mapped<Doorbell>, u64), MemoryError> {
        let (doorbell, offset) = self.slabs.lock().doorbells.take(&self.segment, &self.arena)?;
        let open = OpenDoorbell { doorbell: doorbell.clone(), offset, pipe: Weak::new() };
        self.doorbells.lock().push(open);
        Ok((doorbell, offset))
    }

    /// Frees a doorbell.
    pub(crate) fn close_doorbell(&self, doorbell: Mapped<Doorbell>, offset: u64) {
        self.doorbells.lock().retain(|open| open.offset != offset);
        self.slabs.lock().doorbells.free(doorbell, offset);
    }

    /// Allocates counters for an endpoint. Returns the counters and their offset. They may still contain the counts of
    /// an earlier endpoint; [`EndpointCounters::open`] clears them.
    pub fn open_endpoint_counters(&self) -> Result<(Mapped<EndpointCounters>, u64), MemoryError> {
        let mut slabs = self.slabs.lock();
        let is_reusable =
            |(since, ..): &mut (Instant, Mapped<EndpointCounters>, u64)| since.elapsed() >= REUSE_DELAY;
        while let Some((_, counters, offset)) = slabs.closed_counters.pop_front_if(is_reusable) {
            slabs.endpoint_counters.free(counters, offset);
        }
        slabs.endpoint_counters.take(&self.segment, &self.arena)
    }

    /// Frees the counters of an endpoint. They are reused only after `REUSE_DELAY`.
    pub fn close_endpoint_counters(&self, counters: Mapped<EndpointCounters>, offset: u64) {
        self.slabs.lock().closed_counters.push_back((Instant::now(), counters, offset));
    }

    /// Allocates counters for a connection. Returns the counters, which are all zero, and their offset.
    pub(crate) fn open_connection_counters(&self) -> Result<(Mapped<ConnectionCounters>, u64), MemoryError> {
        let opened = self.slabs.lock().connection_counters.take(&self.segment, &self.arena)?;
        opened.0.clear();
        Ok(opened)
    }

    /// Frees the counters of a connection.
    pub(crate) fn close_connection_counters(&self, counters: Mapped<ConnectionCounters>, offset: u64) {
        self.slabs.lock().connection_counters.free(counters, offset);
    }

    /// Allocates counters for a device. Returns the counters and their offset.
    pub fn open_device_counters(&self) -> Result<(Mapped<DeviceCounters>, u64), MemoryError> {
        self.slabs.lock().device_counters.take(&self.segment, &self.arena)
    }

    /// Frees the counters of a device.
    pub fn close_device_counters(&self, counters: Mapped<DeviceCounters>, offset: u64) {
        self.slabs.lock().device_counters.free(counters, offset);
    }

    /// Allocates the header of a queue and offers it under a new generation. Returns the header, its offset and the
    /// generation.
    pub(crate) fn open_ring(&self) -> Result<(Mapped<RingHeader>, u64, u64), MemoryError> {
        let (header, offset) = self.slabs.lock().rings.take(&self.segment, &self.arena)?;
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        header.open(generation);
        Ok((header, offset, generation))
    }

    /// Frees a queue that neither side uses any more.
    pub(crate) fn close_ring(&self, header: Mapped<RingHeader>, slots: Block, offset: u64) {
        self.free(slots);
        self.slabs.lock().rings.free(header, offset);
    }

    /// Creates a pipe for the thread that waits at the doorbell at `offset`. Returns the pipe and its number.
    ///
    /// If this process may not create files in its folder any more, the pipe has no name. Peers can't open such a pipe.
    /// So the housekeeping thread of this process rings it for them: see [`Self::relay_rings`].
    pub(crate) fn open_pipe(&self, offset: u64) -> io::Result<(Arc<WakePipe>, u32)> {
        let number = self.next_pipe.fetch_add(1, Ordering::Relaxed);
        let name = self.membership.domain().pipe_name(self.link.process, number);
        let named = WakePipe::create(self.membership.files().folder(), name);
        let pipe = Arc::new(named.or_else(|_| WakePipe::without_name())?);
        self.link.add_own_pipe(number, &pipe);
        let mut doorbells = self.doorbells.lock();
        doorbells
            .iter_mut()
            .filter(|open| open.offset == offset)
            .for_each(|open| open.pipe = Arc::downgrade(&pipe));
        Ok((pipe, number))
    }

    /// Rings the pipe of each doorbell that was rung by a process that could not open the pipe.
    pub fn relay_rings(&self) {
        let doorbells = self.doorbells.lock();
        let rung = doorbells.iter().filter(|open| open.doorbell.needs_pipe());
        rung.filter_map(|open| open.pipe.upgrade()).for_each(|pipe| pipe.ring());
    }

    /// Wakes every thread that waits in this context.
    pub fn wake_all(&self) {
        self.doorbells.lock().iter().for_each(|open| self.link.ring(&open.doorbell, 0));
    }
}
