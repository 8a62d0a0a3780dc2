//! Runs every interleaving of the protocols with loom: `make loom`.

use loom::sync::{
    Arc, Condvar, Mutex,
    atomic::{AtomicU32, AtomicU64, Ordering},
};
use loom::thread;

use super::{
    doorbell::{Doorbell, ParkMode, Wake},
    port::{Port, fence_after_queueing},
    record::{ChangeCounter, Found, RecordHeader},
    ring::{Ring, RingHeader},
};

/// A futex: checking the word and going to sleep are one step, as in the kernel.
#[derive(Default)]
struct MockFutex {
    lock: Mutex<()>,
    queue: Condvar,
}

impl MockFutex {
    /// Returns if the word is not `expected`, else sleeps until it is woken. If it is never woken, loom
    /// reports a deadlock. So a lost wake-up fails the test.
    fn wait(&self, word: &AtomicU32, expected: u32) {
        let guard = self.lock.lock().unwrap();
        if word.load(Ordering::SeqCst) == expected {
            drop(self.queue.wait(guard).unwrap());
        }
    }

    fn wake(&self) {
        let _guard = self.lock.lock().unwrap();
        self.queue.notify_one();
    }
}

/// One owner sleeps until it has seen what each ringer has made available.
fn the_owner_sees_every_ring(ringers: u32, mode: ParkMode) {
    loom::model(move || {
        let bell = Arc::new((Doorbell::new(), MockFutex::default()));
        let made = Arc::new(AtomicU64::new(0));
        let threads: Vec<_> = (0..ringers)
            .map(|class| {
                let (bell, made) = (bell.clone(), made.clone());
                thread::spawn(move || {
                    made.fetch_add(1, Ordering::Relaxed);
                    match bell.0.ring(class) {
                        Wake::Awake => {}
                        Wake::Futex | Wake::Pipe => bell.1.wake(),
                    }
                })
            })
            .collect();
        let mut seen = 0;
        while seen != (1u32 << ringers) - 1 {
            let ready = bell.0.collect();
            seen |= ready;
            if ready != 0 {
                // The owner that collects a ring sees what its ringer made available before.
                assert!(made.load(Ordering::Relaxed) >= u64::from(seen.count_ones()));
            } else if bell.0.park(mode) {
                bell.1.wait(bell.0.word(), Doorbell::asleep(mode));
            }
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// If a ringer is killed before it wakes the owner, the next ringer wakes the owner.
#[test]
fn the_next_ringer_wakes_the_owner_after_one_has_died() {
    loom::model(|| {
        let bell = Arc::new((Doorbell::new(), MockFutex::default()));
        let dead = bell.clone();
        let killed = thread::spawn(move || {
            let _ = dead.0.ring(0);
        });
        let other = bell.clone();
        let next_ringer = thread::spawn(move || {
            killed.join().unwrap();
            match other.0.ring(1) {
                Wake::Awake => {}
                Wake::Futex | Wake::Pipe => other.1.wake(),
            }
        });
        let mut seen = 0;
        while seen != 0b11 {
            seen |= bell.0.collect();
            if seen != 0b11 && bell.0.park(ParkMode::Futex) {
                bell.1.wait(bell.0.word(), Doorbell::asleep(ParkMode::Futex));
            }
        }
        next_ringer.join().unwrap();
    });
}

/// A ringer that can't open the pipe of an executor rings the housekeeping thread of the executor's process. That
/// thread rings the pipe.
#[test]
fn a_ring_without_a_descriptor_is_relayed() {
    loom::model(|| {
        let executor = Arc::new((Doorbell::new(), MockFutex::default()));
        let housekeeping = Arc::new((Doorbell::new(), MockFutex::default()));
        let (bell, other) = (executor.clone(), housekeeping.clone());
        let ringer = thread::spawn(move || {
            if bell.0.ring(3) == Wake::Pipe && other.0.ring(0) != Wake::Awake {
                other.1.wake();
            }
        });
        let (bell, own) = (executor.clone(), housekeeping.clone());
        let keeper = thread::spawn(move || {
            // One round is enough: the ring, or the end of the test, wakes it.
            if own.0.park(ParkMode::Pipe) {
                own.1.wait(own.0.word(), Doorbell::asleep(ParkMode::Pipe));
            }
            own.0.collect();
            if bell.0.needs_pipe() {
                bell.1.wake();
            }
        });
        let mut ready = executor.0.collect();
        if ready == 0 && executor.0.park(ParkMode::Pipe) {
            executor.1.wait(executor.0.word(), Doorbell::asleep(ParkMode::Pipe));
            ready = executor.0.collect();
        } else if ready == 0 {
            ready = executor.0.collect();
        }
        assert_eq!(ready, 1 << 3);
        ringer.join().unwrap();
        if housekeeping.0.ring(1) != Wake::Awake {
            housekeeping.1.wake();
        }
        keeper.join().unwrap();
    });
}

#[test]
fn one_ringer_wakes_an_owner_on_the_word() {
    the_owner_sees_every_ring(1, ParkMode::Futex);
}

#[test]
fn two_ringers_wake_an_owner_on_the_word() {
    the_owner_sees_every_ring(2, ParkMode::Futex);
}

#[test]
fn two_ringers_wake_an_owner_at_the_pipe() {
    the_owner_sees_every_ring(2, ParkMode::Pipe);
}

/// Each descriptor is owned by one side: the subscription takes it, or the publisher takes it back.
#[test]
fn a_full_queue_gives_each_descriptor_to_exactly_one_side() {
    loom::model(|| {
        let shared = Arc::new((RingHeader::new(), [AtomicU64::new(0), AtomicU64::new(0)]));
        let writer = shared.clone();
        let publisher = thread::spawn(move || {
            let ring = Ring { header: &writer.0, slots: &writer.1, depth: 2 };
            let mut head = 0;
            (1..=4).filter_map(|descriptor| ring.push(descriptor, 0, &mut head)).collect::<Vec<u64>>()
        });
        let ring = Ring { header: &shared.0, slots: &shared.1, depth: 2 };
        let mut read: Vec<u64> = (0..2).filter_map(|_| ring.pop()).collect();
        let evicted = publisher.join().unwrap();
        while let Some(descriptor) = ring.pop() {
            read.push(descriptor);
        }
        assert!(read.is_sorted(), "order is kept: {read:?}");
        assert_eq!(shared.0.overflowed(), evicted.len() as u64);
        let mut all = [read, evicted].concat();
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3, 4]);
    });
}

/// Data that was written into the chunk before the push is seen after the pop.
#[test]
fn a_descriptor_carries_what_was_written_before_it() {
    loom::model(|| {
        let shared = Arc::new((RingHeader::new(), [AtomicU64::new(0)], AtomicU64::new(0)));
        let writer = shared.clone();
        let publisher = thread::spawn(move || {
            writer.2.store(7, Ordering::Relaxed);
            Ring { header: &writer.0, slots: &writer.1, depth: 1 }.push(1, 0, &mut 0);
        });
        let ring = Ring { header: &shared.0, slots: &shared.1, depth: 1 };
        if ring.pop().is_some() {
            assert_eq!(shared.2.load(Ordering::Relaxed), 7);
        }
        publisher.join().unwrap();
    });
}

/// The publisher withdraws its offer while the subscription attaches and detaches. The queue is reused only when it is
/// closed.
#[test]
fn a_queue_is_reused_only_when_its_reader_has_left() {
    loom::model(|| {
        let header = Arc::new(RingHeader::new());
        header.open(1);
        let reader = header.clone();
        let subscription = thread::spawn(move || {
            let attached = reader.attach(1);
            if attached {
                assert!(reader.detach(1), "only the subscription may close the queue while it reads");
            }
            attached
        });
        let withdrawn = header.withdraw(1);
        let attached = subscription.join().unwrap();
        assert!(withdrawn || attached);
        assert!(header.is_closed(1));
        assert!(!header.attach(1), "a closed queue can't be attached");
        header.open(2);
        assert!(!header.attach(1), "a queue can't be attached under an old generation");
    });
}

/// A reader keeps a copy only if one write made all of it.
#[test]
fn a_record_is_read_whole_or_not_at_all() {
    loom::model(|| {
        let shared = Arc::new((RecordHeader::new(), [AtomicU64::new(0), AtomicU64::new(0)]));
        shared.0.write(&shared.1, &[1, 1], 16);
        let owner = shared.clone();
        let writer = thread::spawn(move || owner.0.write(&owner.1, &[2, 2], 16));
        let mut copy = Vec::new();
        if let Found::Content { length, .. } = shared.0.read(&shared.1, None, usize::MAX, &mut copy) {
            assert_eq!(length, 16);
            assert!(copy == [1, 1] || copy == [2, 2], "{copy:?}");
        }
        writer.join().unwrap();
    });
}

/// A reader that sees no new count has read the last content.
#[test]
fn no_change_of_a_record_is_missed() {
    loom::model(|| {
        let shared = Arc::new((RecordHeader::new(), [AtomicU64::new(0)], ChangeCounter::new()));
        let owner = shared.clone();
        let writer = thread::spawn(move || {
            for content in 1..=2 {
                owner.0.write(&owner.1, &[content], 8);
                owner.2.count();
            }
        });
        let (mut seen, mut content, mut copy) = (0, 0, Vec::new());
        let mut refresh = || {
            let count = shared.2.get();
            if count != seen {
                seen = count;
                if let Found::Content { .. } = shared.0.read(&shared.1, None, usize::MAX, &mut copy) {
                    content = copy[0];
                }
            }
            content
        };
        refresh();
        writer.join().unwrap();
        assert_eq!(refresh(), 2);
    });
}

/// A message is queued while another executor takes the subscription. Either the message rings that executor, or
/// the executor sees the message when it polls the queue.
#[test]
fn no_message_is_missed_while_another_executor_takes_the_subscription() {
    loom::model(|| {
        let shared = Arc::new((Port::new(), RingHeader::new(), [AtomicU64::new(0)]));
        let sender = shared.clone();
        let publisher = thread::spawn(move || {
            Ring { header: &sender.1, slots: &sender.2, depth: 1 }.push(1, 0, &mut 0);
            fence_after_queueing();
            sender.0.target()
        });
        shared.0.set_target(64, 3);
        let seen = Ring { header: &shared.1, slots: &shared.2, depth: 1 }.pop();
        let rung = publisher.join().unwrap();
        assert!(seen.is_some() || rung == Some((64, 3)), "the message waits until the next one rings");
    });
}

/// A thread that has taken the last message does not poll the queue again until the next message rings.
#[test]
fn a_message_that_comes_after_the_last_was_taken_rings() {
    loom::model(|| {
        let queue = Arc::new((RingHeader::new(), [AtomicU64::new(0), AtomicU64::new(0)]));
        let bell = Arc::new((Doorbell::new(), MockFutex::default()));
        let (writer, ringer) = (queue.clone(), bell.clone());
        let publisher = thread::spawn(move || {
            for descriptor in 1..=2 {
                Ring { header: &writer.0, slots: &writer.1, depth: 2 }.push(descriptor, 0, &mut 0);
                if ringer.0.ring(0) != Wake::Awake {
                    ringer.1.wake();
                }
            }
        });
        let ring = Ring { header: &queue.0, slots: &queue.1, depth: 2 };
        let (mut taken, mut may_have_more) = (0, false);
        while taken < 2 {
            may_have_more |= bell.0.collect() != 0;
            if may_have_more {
                let message = ring.pop();
                taken += u64::from(message.is_some());
                may_have_more = message.is_some() && ring.len() > 0;
            } else if bell.0.park(ParkMode::Futex) {
                bell.1.wait(bell.0.word(), Doorbell::asleep(ParkMode::Futex));
            }
        }
        publisher.join().unwrap();
    });
}

#[test]
fn a_publisher_that_waits_for_room_is_woken_when_there_is_room() {
    loom::model(|| {
        let shared = Arc::new((RingHeader::new(), [AtomicU64::new(0)], MockFutex::default()));
        let reader = shared.clone();
        Ring { header: &shared.0, slots: &shared.1, depth: 1 }.push(1, 0, &mut 0);
        let taker = thread::spawn(move || {
            let ring = Ring { header: &reader.0, slots: &reader.1, depth: 1 };
            assert_eq!(ring.pop(), Some(1));
            if reader.0.made_room() {
                reader.2.wake();
            }
        });
        let ring = Ring { header: &shared.0, slots: &shared.1, depth: 1 };
        loop {
            shared.0.want_room();
            if !ring.is_full() {
                break;
            }
            shared.2.wait(shared.0.waiting(), 1);
        }
        assert_eq!(ring.push(2, 0, &mut 0), None, "no descriptor is taken back");
        taker.join().unwrap();
    });
}
