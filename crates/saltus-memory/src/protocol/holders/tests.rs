//! Every interleaving of writing, queueing, reading, releasing and dying, by loom. The message is a cell, so that a write
//! while somebody reads is found whatever its value.

use loom::{
    cell::UnsafeCell,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use super::{HolderBits, Holders, WORDS};
use crate::protocol::ring::{Ring, RingHeader};

/// A chunk with a message.
struct Chunk {
    first: AtomicU64,
    more: [AtomicU64; WORDS - 1],
    message: UnsafeCell<u64>,
}

impl Chunk {
    fn new() -> Self {
        let more = std::array::from_fn(|_| AtomicU64::new(0));
        Self { first: AtomicU64::new(0), more, message: UnsafeCell::new(0) }
    }

    fn bits(&self) -> HolderBits<'_> {
        HolderBits { first: &self.first, more: &self.more }
    }

    /// As a publisher does: nobody may hold it.
    fn write(&self, message: u64) {
        // SAFETY: loom reports a write while another thread reads or writes.
        self.message.with_mut(|place| unsafe { *place = message });
    }

    fn read(&self) -> u64 {
        // SAFETY: as above.
        self.message.with(|place| unsafe { *place })
    }
}

/// A publisher's memory: two chunks, and a queue to each of two subscriptions.
struct Memory {
    chunks: [Chunk; 2],
    queues: [(RingHeader, [AtomicU64; 2]); 2],
}

impl Memory {
    fn new() -> Arc<Self> {
        let queue = || (RingHeader::new(), [AtomicU64::new(0), AtomicU64::new(0)]);
        Arc::new(Self { chunks: [Chunk::new(), Chunk::new()], queues: [queue(), queue()] })
    }

    fn queue(&self, holder: u32, depth: u64) -> Ring<'_> {
        let (header, slots) = &self.queues[holder as usize];
        Ring { header, slots, depth }
    }

    /// Publishes a message into a chunk that nobody holds; `false` if there is none. A descriptor is the chunk's number
    /// and one.
    fn publish(&self, message: u64, holders: &[u32], depth: u64) -> bool {
        let Some(number) = self.chunks.iter().position(|chunk| !chunk.bits().are_held(1)) else {
            return false;
        };
        let chunk = &self.chunks[number];
        chunk.write(message);
        let mut set = Holders::default();
        holders.iter().for_each(|holder| set.insert(*holder));
        chunk.bits().set(&set, 1);
        for holder in holders {
            // The head that was known last is looked up again each time, which is what a full queue costs.
            let evicted = self.queue(*holder, depth).push(number as u64 + 1, 0, &mut 0);
            if let Some(evicted) = evicted {
                self.chunks[evicted as usize - 1].bits().release(*holder);
            }
        }
        true
    }

    /// Takes a message, reads it twice, and lets go of it.
    fn take(&self, holder: u32, depth: u64) -> Option<u64> {
        let number = self.queue(holder, depth).pop()? as usize - 1;
        let chunk = &self.chunks[number];
        let message = chunk.read();
        assert_eq!(chunk.read(), message, "it changed while it was held");
        chunk.bits().release(holder);
        Some(message)
    }
}

/// A chunk is written over only when its reader has let go, or never had it.
#[test]
fn a_message_is_not_written_over_while_it_is_read() {
    loom::model(|| {
        let memory = Memory::new();
        let reader = memory.clone();
        let subscription = thread::spawn(move || {
            let taken: Vec<u64> = (0..2).filter_map(|_| reader.take(0, 1)).collect();
            assert!(taken.is_sorted());
        });
        // With a depth of one the second takes the first back, unless it was taken.
        for message in 1..=3 {
            // Without a free chunk it is not published.
            let _ = memory.publish(message, &[0], 1);
        }
        subscription.join().unwrap();
    });
}

/// Both readers must let go.
#[test]
fn a_message_of_two_subscriptions_waits_for_both() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(1, &[0, 1], 2));
        let subscriptions = [0, 1].map(|holder| {
            let reader = memory.clone();
            thread::spawn(move || assert_eq!(reader.take(holder, 2), Some(1)))
        });
        // It goes into the other chunk, or into the first if both have let go of that.
        assert!(memory.publish(2, &[], 2));
        assert!(memory.publish(3, &[], 2));
        for subscription in subscriptions {
            subscription.join().unwrap();
        }
        assert!(memory.chunks.iter().all(|chunk| !chunk.bits().are_held(1)));
    });
}

/// A message that is kept is given to a late joiner while the first subscription lets go of it.
#[test]
fn a_late_joiner_holds_what_another_lets_go_of() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(7, &[0], 1));
        let reader = memory.clone();
        let first = thread::spawn(move || assert_eq!(reader.take(0, 1), Some(7)));
        // The publisher keeps the message, so it is not written over, whoever holds it.
        memory.chunks[0].bits().add(1);
        assert_eq!(memory.queue(1, 1).push(1, 0, &mut 0), None);
        let reader = memory.clone();
        let late = thread::spawn(move || assert_eq!(reader.take(1, 1), Some(7)));
        first.join().unwrap();
        late.join().unwrap();
        // Now it is kept no more.
        assert!(!memory.chunks[0].bits().are_held(1));
        memory.chunks[0].write(8);
    });
}

/// What a dead process held is freed without knowing how far it came; the other subscription's hold stays.
#[test]
fn what_a_dead_process_held_is_freed_and_nothing_else() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(1, &[0, 1], 1));
        let is_dead = Arc::new(AtomicBool::new(false));
        let (dying, death) = (memory.clone(), is_dead.clone());
        let victim = thread::spawn(move || {
            // It dies with the message in its hands, and the kernel says so.
            dying.queue(0, 1).pop();
            death.store(true, Ordering::Release);
        });
        let reader = memory.clone();
        let other = thread::spawn(move || assert_eq!(reader.take(1, 1), Some(1)));
        if is_dead.load(Ordering::Acquire) {
            memory.chunks[0].bits().release(0);
        }
        // Into the other chunk, or into the first once nobody holds it.
        assert!(memory.publish(2, &[], 1));
        victim.join().unwrap();
        other.join().unwrap();
        memory.chunks[0].bits().release(0);
        assert!(!memory.chunks[0].bits().are_held(1), "clearing a bit twice does no harm");
    });
}

/// A reader that lets go of two messages lets the publisher write both.
#[test]
fn a_bit_is_free_again_when_no_message_bears_it() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(1, &[0], 2) && memory.publish(2, &[0], 2));
        let reader = memory.clone();
        let subscription = thread::spawn(move || {
            assert_eq!((reader.take(0, 2), reader.take(0, 2)), (Some(1), Some(2)));
        });
        let is_borne = memory.chunks.iter().any(|chunk| chunk.bits().are_held_by(0));
        if !is_borne {
            // The bit may be another's now, and both chunks may be written.
            memory.chunks.iter().for_each(|chunk| chunk.write(3));
        }
        subscription.join().unwrap();
    });
}
