//! What this process's segment is given out in: blocks, shared objects, pipes.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::{
    MemoryError,
    arena::Block,
    counters::{ConnectionCounters, EndpointCounters},
    os::{bell::Bell, segment::Mapped},
    protocol::{doorbell::Doorbell, port::Port, ring::RingHeader},
    shared::{Shared, lock_of},
    slab::Slab,
};

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
        lock_of(&self.arena).allocate(len)
    }

    pub(crate) fn free(&self, block: Block) {
        lock_of(&self.arena).free(block);
    }

    pub(crate) fn open_port(&self) -> Result<(Mapped<Port>, u64), MemoryError> {
        lock_of(&self.slabs).ports.take(&self.segment, &self.arena)
    }

    pub(crate) fn close_port(&self, port: Mapped<Port>, offset: u64) {
        lock_of(&self.slabs).ports.give_back(port, offset);
    }

    pub(crate) fn open_doorbell(&self) -> Result<(Mapped<Doorbell>, u64), MemoryError> {
        lock_of(&self.slabs).doorbells.take(&self.segment, &self.arena)
    }

    pub(crate) fn close_doorbell(&self, doorbell: Mapped<Doorbell>, offset: u64) {
        lock_of(&self.slabs).doorbells.give_back(doorbell, offset);
    }

    pub(crate) fn open_endpoint_counters(&self) -> Result<(Mapped<EndpointCounters>, u64), MemoryError> {
        let mut slabs = lock_of(&self.slabs);
        let rested = |(since, ..): &mut (Instant, Mapped<EndpointCounters>, u64)| since.elapsed() >= REST;
        while let Some((_, counters, offset)) = slabs.resting.pop_front_if(rested) {
            slabs.endpoint_counters.give_back(counters, offset);
        }
        slabs.endpoint_counters.take(&self.segment, &self.arena)
    }

    pub(crate) fn close_endpoint_counters(&self, counters: Mapped<EndpointCounters>, offset: u64) {
        lock_of(&self.slabs).resting.push_back((Instant::now(), counters, offset));
    }

    pub(crate) fn open_connection_counters(&self) -> Result<(Mapped<ConnectionCounters>, u64), MemoryError> {
        let opened = lock_of(&self.slabs).connection_counters.take(&self.segment, &self.arena)?;
        opened.0.clear();
        Ok(opened)
    }

    pub(crate) fn close_connection_counters(&self, counters: Mapped<ConnectionCounters>, offset: u64) {
        lock_of(&self.slabs).connection_counters.give_back(counters, offset);
    }

    /// An empty queue that is offered under a new generation.
    pub(crate) fn open_ring(&self) -> Result<(Mapped<RingHeader>, u64, u64), MemoryError> {
        let (header, offset) = lock_of(&self.slabs).rings.take(&self.segment, &self.arena)?;
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        header.open(generation);
        Ok((header, offset, generation))
    }

    pub(crate) fn close_ring(&self, header: Mapped<RingHeader>, slots: Block, offset: u64) {
        self.free(slots);
        lock_of(&self.slabs).rings.give_back(header, offset);
    }

    /// A pipe of this process and its number.
    pub(crate) fn open_bell(&self) -> io::Result<(Arc<Bell>, u32)> {
        let number = self.next_bell.fetch_add(1, Ordering::Relaxed);
        let bell = Arc::new(Bell::create(self.domain.id().bell_path(self.link.process, number))?);
        self.link.own_bell(number, &bell);
        Ok((bell, number))
    }
}
