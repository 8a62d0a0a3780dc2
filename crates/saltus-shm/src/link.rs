//! The way to another process: its segment, and how to wake its threads.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use crate::{
    domain::DomainId,
    os::{
        bell::{Bell, BellRope},
        fork::Origin,
        futex,
        segment::{Mapped, Segment, Shared},
    },
    protocol::{
        doorbell::{Doorbell, Wake},
        port::Port,
    },
};

/// The number of the bell by which a process's housekeeping is woken.
pub(crate) const HOUSEKEEPING_BELL: u32 = 0;
/// How many bells of one process are kept open. It has one for its housekeeping, and one for each
/// executor with file descriptors.
const MOST_ROPES: usize = 16;
/// Marks a segment of this version's layout.
const MAGIC: u64 = 0x5341_4c54_5553_5303;

/// The first page of a segment.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct SegmentHeader {
    /// Written last: until then the segment is being made.
    magic: AtomicU64,
    pub(crate) pid_namespace: AtomicU64,
    pub(crate) pid: AtomicU32,
    /// Counts changes of the registry.
    pub(crate) changes: AtomicU64,
    /// Wakes the housekeeping thread.
    pub(crate) housekeeping: Doorbell,
}

// SAFETY: consists of atomics and a `Shared` type; any bits are valid.
unsafe impl Shared for SegmentHeader {}

impl SegmentHeader {
    /// Fills in a header; from now on others use the segment.
    pub(crate) fn publish(&self, pid: u32, pid_namespace: u64) {
        self.pid.store(pid, Ordering::Relaxed);
        self.pid_namespace.store(pid_namespace, Ordering::Relaxed);
        self.housekeeping.set_pipe(HOUSEKEEPING_BELL);
        self.magic.store(MAGIC, Ordering::Release);
    }

    pub(crate) fn is_published(&self) -> bool {
        self.magic.load(Ordering::Acquire) == MAGIC
    }
}

/// A process of the domain, this one included.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) process: u64,
    pub(crate) segment: Arc<Segment>,
    pub(crate) header: Mapped<SegmentHeader>,
    domain: DomainId,
    /// The process that made this.
    pub(crate) origin: Origin,
    bells: Mutex<Bells>,
}

/// The ways to wake who sleeps at a pipe.
#[derive(Debug, Default)]
struct Bells {
    /// Those of this process's own: rung even if their names are gone.
    own: HashMap<u32, Weak<Bell>>,
    ropes: HashMap<u32, BellRope>,
}

impl Link {
    /// `None` if the segment is not one, or not yet.
    pub(crate) fn new(process: u64, segment: Arc<Segment>, domain: DomainId) -> Option<Self> {
        let header = Mapped::<SegmentHeader>::new(&segment, 0)?;
        let origin = Origin::here();
        header.is_published().then(|| Self {
            process,
            segment,
            header,
            domain,
            origin,
            bells: Mutex::default(),
        })
    }

    /// Wakes whoever waits for this port.
    pub(crate) fn ring_port(&self, port: &Port) {
        if let Some((offset, class)) = port.target()
            && let Some(doorbell) = self.segment.get::<Doorbell>(offset)
        {
            self.ring(doorbell, class);
        }
    }

    /// Wakes the process's housekeeping.
    pub(crate) fn ring_housekeeping(&self) {
        self.ring(&self.header.housekeeping, 0);
    }

    /// Rings a doorbell of this process.
    pub(crate) fn ring(&self, doorbell: &Doorbell, class: u32) {
        match doorbell.ring(class) {
            Wake::Awake => {}
            Wake::Futex => futex::wake(doorbell.word()),
            Wake::Pipe => self.ring_bell(doorbell.pipe()),
        }
    }

    fn bells(&self) -> MutexGuard<'_, Bells> {
        self.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a bell of this process's own.
    pub(crate) fn own_bell(&self, number: u32, bell: &Arc<Bell>) {
        let mut bells = self.bells();
        bells.own.retain(|_, bell| bell.strong_count() > 0);
        bells.own.insert(number, Arc::downgrade(bell));
    }

    fn ring_bell(&self, bell: u32) {
        let mut bells = self.bells();
        if let Some(own) = bells.own.get(&bell).and_then(Weak::upgrade) {
            return own.ring();
        }
        let ropes = &mut bells.ropes;
        if let Some(rope) = ropes.get(&bell) {
            return rope.ring();
        }
        let path = self.domain.bell_path(self.process, bell);
        let opened = BellRope::open(&path).or_else(|error| {
            // Owners come and go; this process may have no descriptor left but those of the past.
            ropes.clear();
            if error.kind() == std::io::ErrorKind::NotFound { Err(error) } else { BellRope::open(&path) }
        });
        if ropes.len() >= MOST_ROPES {
            ropes.clear();
        }
        // If it is not there its owner is gone and needs no waking. If this process has no descriptor
        // left even so, the owner sleeps until the next ring from elsewhere: see docs/containers.md.
        if let Ok(rope) = opened {
            rope.ring();
            ropes.insert(bell, rope);
        }
    }
}
