//! What this process's segment is given out in: blocks, shared objects, pipes.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Weak, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::{
    MemoryError,
    arena::Block,
    counters::{ConnectionCounters, EndpointCounters},
    os::{segment::Mapped, wake_pipe::WakePipe},
    protocol::{doorbell::Doorbell, port::Port, ring::RingHeader},
    shared::Shared,
    slab::Slab,
};

/// Where a thread of this context waits.
#[derive(Debug)]
pub(crate) struct WaitingPlace {
    doorbell: Mapped<Doorbell>,
    offset: u64,
    /// Its pipe, if it has one.
    pipe: Weak<WakePipe>,
}

/// Shared objects that are reused only as what they are.
#[derive(Debug, Default)]
pub(crate) struct Slabs {
    pub(crate) ports: Slab<Port>,
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

impl Shared {
    pub(crate) fn allocate(&self, len: u64) -> Result<Block, MemoryError> {
        self.arena.allocate(len)
    }

    pub(crate) fn free(&self, block: Block) {
        self.arena.free(block);
    }

    pub(crate) fn open_port(&self) -> Result<(Mapped<Port>, u64), MemoryError> {
        self.slabs.lock().ports.take(&self.segment, &self.arena)
    }

    pub(crate) fn close_port(&self, port: Mapped<Port>, offset: u64) {
        self.slabs.lock().ports.give_back(port, offset);
    }

    pub(crate) fn open_doorbell(&self) -> Result<(Mapped<Doorbell>, u64), MemoryError> {
        let (doorbell, offset) = self.slabs.lock().doorbells.take(&self.segment, &self.arena)?;
        let place = WaitingPlace { doorbell: doorbell.clone(), offset, pipe: Weak::new() };
        self.waiting_places.lock().push(place);
        Ok((doorbell, offset))
    }

    pub(crate) fn close_doorbell(&self, doorbell: Mapped<Doorbell>, offset: u64) {
        self.waiting_places.lock().retain(|place| place.offset != offset);
        self.slabs.lock().doorbells.give_back(doorbell, offset);
    }

    pub(crate) fn open_endpoint_counters(&self) -> Result<(Mapped<EndpointCounters>, u64), MemoryError> {
        let mut slabs = self.slabs.lock();
        let rested = |(since, ..): &mut (Instant, Mapped<EndpointCounters>, u64)| since.elapsed() >= REST;
        while let Some((_, counters, offset)) = slabs.resting.pop_front_if(rested) {
            slabs.endpoint_counters.give_back(counters, offset);
        }
        slabs.endpoint_counters.take(&self.segment, &self.arena)
    }

    pub(crate) fn close_endpoint_counters(&self, counters: Mapped<EndpointCounters>, offset: u64) {
        self.slabs.lock().resting.push_back((Instant::now(), counters, offset));
    }

    pub(crate) fn open_connection_counters(&self) -> Result<(Mapped<ConnectionCounters>, u64), MemoryError> {
        let opened = self.slabs.lock().connection_counters.take(&self.segment, &self.arena)?;
        opened.0.clear();
        Ok(opened)
    }

    pub(crate) fn close_connection_counters(&self, counters: Mapped<ConnectionCounters>, offset: u64) {
        self.slabs.lock().connection_counters.give_back(counters, offset);
    }

    /// An empty queue that is offered under a new generation.
    pub(crate) fn open_ring(&self) -> Result<(Mapped<RingHeader>, u64, u64), MemoryError> {
        let (header, offset) = self.slabs.lock().rings.take(&self.segment, &self.arena)?;
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        header.open(generation);
        Ok((header, offset, generation))
    }

    pub(crate) fn close_ring(&self, header: Mapped<RingHeader>, slots: Block, offset: u64) {
        self.free(slots);
        self.slabs.lock().rings.give_back(header, offset);
    }

    /// A pipe for the thread that waits at the doorbell at `offset`, and its number.
    ///
    /// A process that may not make files in its folder any more gets a pipe without a name. Peers can't open
    /// it, so its housekeeping rings it for them: see [`Shared::relay_rings`].
    pub(crate) fn open_pipe(&self, offset: u64) -> io::Result<(Arc<WakePipe>, u32)> {
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
    pub(crate) fn relay_rings(&self) {
        let places = self.waiting_places.lock();
        let rung = places.iter().filter(|place| place.doorbell.needs_pipe());
        rung.filter_map(|place| place.pipe.upgrade()).for_each(|pipe| pipe.ring());
    }

    /// Wakes every thread that waits in this context.
    pub(crate) fn wake_all(&self) {
        self.waiting_places.lock().iter().for_each(|place| self.link.ring(&place.doorbell, 0));
    }
}
