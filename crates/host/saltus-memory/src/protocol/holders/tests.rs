//! Runs every interleaving of writing, queueing, reading, releasing and dying with loom. The message is a loom cell, so
//! loom finds a write during a read, even if the written value is the same.

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

    /// Writes the message, as a publisher does. No subscription may hold it.
    fn write(&self, message: u64) {
        // SAFETY: loom reports a write while another thread reads or writes.
        self.message.with_mut(|slot| unsafe { *slot = message });
    }

    fn read(&self) -> u64 {
        // SAFETY: as above.
        self.message.with(|slot| unsafe { *slot })
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

    /// Publishes a message in a chunk that no subscription holds. Returns `false` if there is none. A descriptor is the
    /// chunk's number plus one.
    fn publish(&self, message: u64, holders: &[u32], depth: u64) -> bool {
        let Some(number) = self.chunks.iter().position(|chunk| !chunk.bits().is_held(1)) else {
            return false;
        };
        let chunk = &self.chunks[number];
        chunk.write(message);
        let mut set = Holders::default();
        holders.iter().for_each(|holder| set.insert(*holder));
        chunk.bits().set(&set, 1);
        for holder in holders {
            // The known head is always 0 here, so the push reads the head again whenever the queue may be full.
            let evicted = self.queue(*holder, depth).push(number as u64 + 1, 0, &mut 0);
            if let Some(evicted) = evicted {
                self.chunks[evicted as usize - 1].bits().release(*holder);
            }
        }
        true
    }

    /// Takes a message, reads it twice, and releases it.
    fn take(&self, holder: u32, depth: u64) -> Option<u64> {
        let number = self.queue(holder, depth).pop()? as usize - 1;
        let chunk = &self.chunks[number];
        let message = chunk.read();
        assert_eq!(chunk.read(), message, "the message changed while it was held");
        chunk.bits().release(holder);
        Some(message)
    }
}

/// A chunk is overwritten only when its reader has released the message, or has never taken it.
#[test]
fn a_message_is_not_overwritten_while_it_is_read() {
    loom::model(|| {
        let memory = Memory::new();
        let reader = memory.clone();
        let subscription = thread::spawn(move || {
            let taken: Vec<u64> = (0..2).filter_map(|_| reader.take(0, 1)).collect();
            assert!(taken.is_sorted());
        });
        // With a depth of one, each push takes the message before it back, unless the subscription took that one.
        for message in 1..=3 {
            // If there is no free chunk, the message is not published.
            let _ = memory.publish(message, &[0], 1);
        }
        subscription.join().unwrap();
    });
}

/// A message is free only when both readers have released it.
#[test]
fn a_message_of_two_subscriptions_waits_for_both() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(1, &[0, 1], 2));
        let subscriptions = [0, 1].map(|holder| {
            let reader = memory.clone();
            thread::spawn(move || assert_eq!(reader.take(holder, 2), Some(1)))
        });
        // Each goes into the other chunk, or into the first chunk if both readers have released that.
        assert!(memory.publish(2, &[], 2));
        assert!(memory.publish(3, &[], 2));
        for subscription in subscriptions {
            subscription.join().unwrap();
        }
        assert!(memory.chunks.iter().all(|chunk| !chunk.bits().is_held(1)));
    });
}

/// The publisher gives a message that it keeps to a late joiner, while the first subscription releases the message.
#[test]
fn a_late_joiner_holds_a_message_that_another_releases() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(7, &[0], 1));
        let reader = memory.clone();
        let first = thread::spawn(move || assert_eq!(reader.take(0, 1), Some(7)));
        // The publisher keeps the message, so it is not overwritten even if no subscription holds it.
        memory.chunks[0].bits().add(1);
        assert_eq!(memory.queue(1, 1).push(1, 0, &mut 0), None);
        let reader = memory.clone();
        let late = thread::spawn(move || assert_eq!(reader.take(1, 1), Some(7)));
        first.join().unwrap();
        late.join().unwrap();
        // From here on the publisher does not keep the message.
        assert!(!memory.chunks[0].bits().is_held(1));
        memory.chunks[0].write(8);
    });
}

/// The messages that a dead process held are freed without knowing how far the process came. The other subscription still holds the
/// message.
#[test]
fn what_a_dead_process_held_is_freed_and_nothing_else() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(1, &[0, 1], 1));
        let is_dead = Arc::new(AtomicBool::new(false));
        let (dying, death) = (memory.clone(), is_dead.clone());
        let victim = thread::spawn(move || {
            // It dies while it holds the message, and the kernel reports the death.
            dying.queue(0, 1).pop();
            death.store(true, Ordering::Release);
        });
        let reader = memory.clone();
        let other = thread::spawn(move || assert_eq!(reader.take(1, 1), Some(1)));
        if is_dead.load(Ordering::Acquire) {
            memory.chunks[0].bits().release(0);
        }
        // It goes into the other chunk, or into the first chunk once no subscription holds that.
        assert!(memory.publish(2, &[], 1));
        victim.join().unwrap();
        other.join().unwrap();
        memory.chunks[0].bits().release(0);
        assert!(!memory.chunks[0].bits().is_held(1), "clearing a bit twice does no harm");
    });
}

/// When a reader has released both messages, the publisher may write both chunks.
#[test]
fn a_bit_is_free_again_when_it_is_set_in_no_message() {
    loom::model(|| {
        let memory = Memory::new();
        assert!(memory.publish(1, &[0], 2) && memory.publish(2, &[0], 2));
        let reader = memory.clone();
        let subscription = thread::spawn(move || {
            assert_eq!((reader.take(0, 2), reader.take(0, 2)), (Some(1), Some(2)));
        });
        let is_set = memory.chunks.iter().any(|chunk| chunk.bits().is_held_by(0));
        if !is_set {
            // The bit may be given to another subscription, and both chunks may be written.
            memory.chunks.iter().for_each(|chunk| chunk.write(3));
        }
        subscription.join().unwrap();
    });
}
