//! The way to another process: its segment, and how to wake its threads.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use crate::{
    domain::DomainId,
    os::{
        bell::BellRope,
        futex,
        segment::{Mapped, Segment, Shared},
    },
    protocol::doorbell::{Doorbell, Wake},
};

/// The number of the bell by which a process's housekeeping is woken.
pub(crate) const HOUSEKEEPING_BELL: u32 = 0;
const MAGIC: u64 = 0x5341_4c54_5553_5345;

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

/// Where a subscription is to be rung: the offset of a doorbell, which is a multiple of 64, with
/// the class in the low bits; 0 for nowhere.
///
/// Ports, like doorbells and queue headers, are never reused for anything else, so that a process
/// that rings one of the past does no harm.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Port(AtomicU64);

// SAFETY: an atomic; any bits are valid.
unsafe impl Shared for Port {}

impl Port {
    pub(crate) fn aim(&self, doorbell: u64, class: u32) {
        self.0.store(doorbell | u64::from(class), Ordering::Release);
    }

    pub(crate) fn aim_nowhere(&self) {
        self.0.store(0, Ordering::Release);
    }

    fn target(&self) -> Option<(u64, u32)> {
        let target = self.0.load(Ordering::Acquire);
        (target != 0).then_some((target & !63, (target & 63) as u32))
    }
}

/// A process of the domain, this one included.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) process: u64,
    pub(crate) segment: Arc<Segment>,
    pub(crate) header: Mapped<SegmentHeader>,
    domain: DomainId,
    ropes: Mutex<HashMap<u32, BellRope>>,
}

impl Link {
    /// `None` if the segment is not one, or not yet.
    pub(crate) fn new(process: u64, segment: Arc<Segment>, domain: DomainId) -> Option<Self> {
        let header = Mapped::<SegmentHeader>::new(&segment, 0)?;
        header.is_published().then(|| Self { process, segment, header, domain, ropes: Mutex::default() })
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

    fn ring_bell(&self, bell: u32) {
        let mut ropes = self.ropes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rope) = ropes.get(&bell) {
            return rope.ring();
        }
        // If it can't be opened its owner is gone and needs no waking.
        if let Ok(rope) = BellRope::open(&self.domain.bell_path(self.process, bell)) {
            rope.ring();
            ropes.insert(bell, rope);
        }
    }
}
