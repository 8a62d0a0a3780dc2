//! The memory of this process in a domain, and what is given out of it: blocks, shared objects, records, pipes.

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
    counters::{ConnectionCounters, EndpointCounters},
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

/// What keeps this process in its domain: senders, receivers, samples and waiters are used only while one is held.
pub type KeepAlive = Arc<dyn Any + Send + Sync>;

/// The memory of this process in a domain.
#[derive(Debug)]
pub struct Memory {
    /// This process as a member of the domain.
    pub membership: Arc<Membership>,
    /// The file in shared memory.
    pub segment: Arc<Segment>,
    /// The way to this process's own threads.
    pub link: Arc<Link>,
    /// The part of the segment that is given out in blocks.
    pub arena: Arena,
    /// Whether handles of this process may be used.
    pub usability: Usability,
    /// What this process tells others.
    pub records: Mutex<RecordStore>,
    slabs: Mutex<Slabs>,
    /// Where threads of this process wait.
    waiting_places: Mutex<Vec<WaitingPlace>>,
    next_generation: AtomicU64,
    next_pipe: AtomicU32,
}

/// Where a thread of this context waits.
#[derive(Debug)]
struct WaitingPlace {
    doorbell: Mapped<Doorbell>,
    offset: u64,
    /// Its pipe, if it has one.
    pipe: Weak<WakePipe>,
}

/// Shared objects that are reused only as what they are.
#[derive(Debug, Default)]
struct Slabs {
    ports: Slab<Port>,
    doorbells: Slab<Doorbell>,
    rings: Slab<RingHeader>,
    endpoint_counters: Slab<EndpointCounters>,
    /// Counts of endpoints that closed lately, which others may still want to read.
    resting: VecDeque<(Instant, Mapped<EndpointCounters>, u64)>,
    connection_counters: Slab<ConnectionCounters>,
}

/// How long the counts of a closed endpoint stay as they are: whoever knew of it has seen by then that it is
/// gone, and taken its last figures.
const REST: Duration = Duration::from_secs(1);

impl Memory {
    /// The memory of a member that has just joined, with the pipe of its housekeeping.
    ///
    /// # Errors
    /// If its segment can't be mapped.
    pub fn new(membership: Arc<Membership>, pipe: &Arc<WakePipe>) -> io::Result<Self> {
        let segment = membership.segment().clone();
        let link = Arc::new(Link::own(&membership)?);
        link.add_own_pipe(HOUSEKEEPING_PIPE, pipe);
        Ok(Self {
            arena: Arena::new(segment.clone()),
            records: Mutex::new(RecordStore::new(segment.clone())),
            usability: Usability::of_this_process(),
            slabs: Mutex::default(),
            waiting_places: Mutex::default(),
            next_generation: AtomicU64::new(1),
            next_pipe: AtomicU32::new(HOUSEKEEPING_PIPE + 1),
            membership,
            segment,
            link,
        })
    }

    /// A block of at least `len` bytes.
    pub fn allocate(&self, len: u64) -> Result<Block, MemoryError> {
        self.arena.allocate(len)
    }

    /// Takes a block back.
    pub fn free(&self, block: Block) {
        self.arena.free(block);
    }

    /// A port, and where it lies.
    pub fn open_port(&self) -> Result<(Mapped<Port>, u64), MemoryError> {
        self.slabs.lock().ports.take(&self.segment, &self.arena)
    }

    /// Takes a port back.
    pub fn close_port(&self, port: Mapped<Port>, offset: u64) {
        self.slabs.lock().ports.give_back(port, offset);
    }

    /// A doorbell for a thread that waits, and where it lies.
    pub fn open_doorbell(&self) -> Result<(Mapped<Doorbell>, u64), MemoryError> {
        let (doorbell, offset) = self.slabs.lock().doorbells.take(&self.segment, &self.arena)?;
        let place = WaitingPlace { doorbell: doorbell.clone(), offset, pipe: Weak::new() };
        self.waiting_places.lock().push(place);
        Ok((doorbell, offset))
    }

    /// Takes a doorbell back.
    pub fn close_doorbell(&self, doorbell: Mapped<Doorbell>, offset: u64) {
        self.waiting_places.lock().retain(|place| place.offset != offset);
        self.slabs.lock().doorbells.give_back(doorbell, offset);
    }

    /// Counts for an endpoint, and where they lie. They are those of an earlier one until they are opened.
    pub fn open_endpoint_counters(&self) -> Result<(Mapped<EndpointCounters>, u64), MemoryError> {
        let mut slabs = self.slabs.lock();
        let rested = |(since, ..): &mut (Instant, Mapped<EndpointCounters>, u64)| since.elapsed() >= REST;
        while let Some((_, counters, offset)) = slabs.resting.pop_front_if(rested) {
            slabs.endpoint_counters.give_back(counters, offset);
        }
        slabs.endpoint_counters.take(&self.segment, &self.arena)
    }

    /// Takes the counts of an endpoint back. They stay as they are for a while.
    pub fn close_endpoint_counters(&self, counters: Mapped<EndpointCounters>, offset: u64) {
        self.slabs.lock().resting.push_back((Instant::now(), counters, offset));
    }

    /// Counts for a connection, all zero, and where they lie.
    pub fn open_connection_counters(&self) -> Result<(Mapped<ConnectionCounters>, u64), MemoryError> {
        let opened = self.slabs.lock().connection_counters.take(&self.segment, &self.arena)?;
        opened.0.clear();
        Ok(opened)
    }

    /// Takes the counts of a connection back.
    pub fn close_connection_counters(&self, counters: Mapped<ConnectionCounters>, offset: u64) {
        self.slabs.lock().connection_counters.give_back(counters, offset);
    }

    /// An empty queue that is offered under a new generation.
    pub(crate) fn open_ring(&self) -> Result<(Mapped<RingHeader>, u64, u64), MemoryError> {
        let (header, offset) = self.slabs.lock().rings.take(&self.segment, &self.arena)?;
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        header.open(generation);
        Ok((header, offset, generation))
    }

    /// Takes a queue back that nobody uses.
    pub(crate) fn close_ring(&self, header: Mapped<RingHeader>, slots: Block, offset: u64) {
        self.free(slots);
        self.slabs.lock().rings.give_back(header, offset);
    }

    /// A pipe for the thread that waits at the doorbell at `offset`, and its number.
    ///
    /// A process that may not make files in its folder any more gets a pipe without a name. Peers can't open
    /// it, so its housekeeping rings it for them: see [`Self::relay_rings`].
    pub fn open_pipe(&self, offset: u64) -> io::Result<(Arc<WakePipe>, u32)> {
        let number = self.next_pipe.fetch_add(1, Ordering::Relaxed);
        let name = self.membership.domain().pipe_name(self.link.process, number);
        let named = WakePipe::create(self.membership.place().folder(), name);
        let pipe = Arc::new(named.or_else(|_| WakePipe::without_name())?);
        self.link.add_own_pipe(number, &pipe);
        let mut places = self.waiting_places.lock();
        places
            .iter_mut()
            .filter(|place| place.offset == offset)
            .for_each(|place| place.pipe = Arc::downgrade(&pipe));
        Ok((pipe, number))
    }

    /// Rings the pipes of threads whose doorbells were rung by a process that could not open the pipe.
    pub fn relay_rings(&self) {
        let places = self.waiting_places.lock();
        let rung = places.iter().filter(|place| place.doorbell.needs_pipe());
        rung.filter_map(|place| place.pipe.upgrade()).for_each(|pipe| pipe.ring());
    }

    /// Wakes every thread that waits in this context.
    pub fn wake_all(&self) {
        self.waiting_places.lock().iter().for_each(|place| self.link.ring(&place.doorbell, 0));
    }
}
