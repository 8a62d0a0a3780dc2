//! A queue from one publisher to one subscription that keeps the newest.
//!
//! | field | written by | meaning |
//! |---|---|---|
//! | `slots[p % n]` | publisher | the descriptor of position p, tagged with p |
//! | `head` | both, by compare-exchange | position of the oldest descriptor that nobody took |
//! | `tail` | publisher | position of the next push, for those who count |
//!
//! The tag is what makes a descriptor available, so the subscription finds it with one look at one
//! cache line; and the publisher looks at `head` only when the queue may be full, by what it knew
//! of it last.
//!
//! Whoever moves `head` from p to p + 1 owns the descriptor of p: the subscription takes it to
//! read, the publisher takes it back when the queue is full and a newer one must enter. A slot is
//! overwritten only after its position was taken, so the loser of the exchange never acts on what
//! it read. Both sides are wait-free for the publisher, lock-free for the subscription, and a side
//! that dies between any two steps leaves the queue whole.

use super::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// The fixed part of a queue; its slots lie elsewhere. All-zero is an empty queue.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct RingHeader {
    tail: AtomicU64,
    overflowed: AtomicU64,
    /// See [`Life`].
    life: AtomicU64,
    /// When the last message was pushed, and when the publisher last said that it is alive, in
    /// monotonic nanoseconds.
    pushed_at: AtomicU64,
    asserted_at: AtomicU64,
    /// How many messages the publisher could not send, by [`Unsent`].
    unsent: [AtomicU64; 2],
    /// Where the subscription counts what it takes, in its own segment; 0 if nowhere.
    reader_counters: AtomicU64,
    head: Head,
}

/// Why a publisher could not send a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsent {
    /// There was no memory.
    OutOfMemory = 0,
    /// A queue that keeps all was full.
    Refused = 1,
}

/// On a cache line of its own: the subscription writes it, the publisher seldom reads it.
#[derive(Debug)]
#[repr(C, align(64))]
struct Head {
    position: AtomicU64,
    /// How many messages a subscription left unread when it closed.
    unread: AtomicU64,
    /// 1 while the publisher sleeps here until there is room.
    waiting: AtomicU32,
}

/// A queue with its slots.
///
/// **Invariant:** `slots.len()` is a power of two and at least `depth`, which is at least 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring<'a> {
    pub header: &'a RingHeader,
    pub slots: &'a [AtomicU64],
    pub depth: u64,
}

/// A descriptor is an offset: a multiple of 64 below 64 GiB. The bits above are the tag.
const DESCRIPTOR_BITS: u32 = 36;
const DESCRIPTOR: u64 = (1 << DESCRIPTOR_BITS) - 1;

/// What a slot holds at a position. Never 0, so an empty slot matches no position; and the tag
/// repeats only after 2^28 pushes, when the slot has long been written again.
const fn tagged(position: u64, descriptor: u64) -> u64 {
    position.wrapping_add(1) << DESCRIPTOR_BITS | descriptor
}

/// The descriptor in a slot, if it is that of a position.
const fn untagged(slot: u64, position: u64) -> Option<u64> {
    let same = slot != 0 && slot & !DESCRIPTOR == tagged(position, 0);
    if same { Some(slot & DESCRIPTOR) } else { None }
}

/// Whether and how a queue that may be reused is in use.
///
/// The generation makes a stale reference to a reused header harmless: every step names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// The publisher offers it; the subscription has not come yet.
    Open = 1,
    /// The subscription reads from it.
    Attached = 2,
    /// One side has gone and the other knows: the publisher may reuse it.
    Closed = 3,
}

const fn life_word(generation: u64, life: Life) -> u64 {
    generation << 2 | life as u64
}

impl RingHeader {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self {
            tail: AtomicU64::new(0),
            overflowed: AtomicU64::new(0),
            life: AtomicU64::new(0),
            pushed_at: AtomicU64::new(0),
            asserted_at: AtomicU64::new(0),
            unsent: [AtomicU64::new(0), AtomicU64::new(0)],
            reader_counters: AtomicU64::new(0),
            head: Head { position: AtomicU64::new(0), unread: AtomicU64::new(0), waiting: AtomicU32::new(0) },
        }
    }

    /// Publisher: makes the queue empty and offers it under a generation not used before.
    pub(crate) fn open(&self, generation: u64) {
        let words = [&self.tail, &self.overflowed, &self.pushed_at, &self.asserted_at, &self.reader_counters];
        let head = [&self.head.position, &self.head.unread];
        words.into_iter().chain(&self.unsent).chain(head).for_each(|word| word.store(0, Ordering::Relaxed));
        self.head.waiting.store(0, Ordering::Relaxed);
        self.life.store(life_word(generation, Life::Open), Ordering::Release);
    }

    /// Subscription: begins to read. `false` if it is no longer offered.
    pub(crate) fn attach(&self, generation: u64) -> bool {
        self.change_life(generation, Life::Open, Life::Attached)
    }

    /// Subscription: reads no more.
    pub(crate) fn detach(&self, generation: u64) -> bool {
        self.change_life(generation, Life::Attached, Life::Closed)
    }

    /// Publisher: withdraws an offer. `false` if the subscription has come: then it must detach
    /// (or die) before the queue may be reused.
    pub(crate) fn withdraw(&self, generation: u64) -> bool {
        self.change_life(generation, Life::Open, Life::Closed) || self.is_closed(generation)
    }

    /// Publisher: whether the subscription has not come yet.
    pub(crate) fn is_open(&self, generation: u64) -> bool {
        self.life.load(Ordering::Acquire) == life_word(generation, Life::Open)
    }

    /// Publisher: whether the subscription reads.
    pub(crate) fn is_attached(&self, generation: u64) -> bool {
        self.life.load(Ordering::Acquire) == life_word(generation, Life::Attached)
    }

    /// Publisher: whether the subscription has left.
    pub(crate) fn is_closed(&self, generation: u64) -> bool {
        self.life.load(Ordering::Acquire) == life_word(generation, Life::Closed)
    }

    fn change_life(&self, generation: u64, from: Life, to: Life) -> bool {
        let (from, to) = (life_word(generation, from), life_word(generation, to));
        self.life.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// How many descriptors were taken back because the queue was full.
    pub(crate) fn overflowed(&self) -> u64 {
        self.overflowed.load(Ordering::Relaxed)
    }

    /// Publisher: counts a message that was not sent.
    pub(crate) fn count_unsent(&self, why: Unsent) {
        let count = &self.unsent[why as usize];
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// How many messages were not sent.
    pub(crate) fn unsent(&self, why: Unsent) -> u64 {
        self.unsent[why as usize].load(Ordering::Relaxed)
    }

    /// How many messages could not be delivered through it.
    pub(crate) fn total_lost(&self) -> u64 {
        let unsent = self.unsent.iter().map(|count| count.load(Ordering::Relaxed));
        unsent.fold(self.overflowed(), u64::saturating_add)
    }

    /// Publisher: says that it is alive, in monotonic nanoseconds.
    pub(crate) fn assert_alive(&self, now: i64) {
        self.asserted_at.store(now as u64, Ordering::Relaxed);
    }

    /// When the last message was pushed; 0 if none was.
    pub(crate) fn pushed_at(&self) -> i64 {
        self.pushed_at.load(Ordering::Relaxed) as i64
    }

    /// When the publisher last showed that it is alive.
    pub(crate) fn alive_at(&self) -> i64 {
        self.pushed_at().max(self.asserted_at.load(Ordering::Relaxed) as i64)
    }

    /// Subscription: says where it counts.
    pub(crate) fn set_reader_counters(&self, offset: u64) {
        self.reader_counters.store(offset, Ordering::Release);
    }

    /// Where the subscription counts; 0 if nowhere.
    pub(crate) fn reader_counters(&self) -> u64 {
        self.reader_counters.load(Ordering::Acquire)
    }

    /// Subscription: so many messages were unread when it closed.
    pub(crate) fn leave_unread(&self, count: u64) {
        self.head.unread.store(count, Ordering::Relaxed);
    }

    /// How many messages a subscription left unread when it closed.
    pub(crate) fn unread(&self) -> u64 {
        self.head.unread.load(Ordering::Relaxed)
    }

    /// Publisher: is going to sleep on [`RingHeader::waiting`] while it is 1, unless there is room now.
    ///
    /// No room is overlooked: either this sees the head that the subscription has moved, or the
    /// subscription sees that the publisher waits. Each fences between its store and its load.
    pub(crate) fn want_room(&self) {
        self.head.waiting.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Subscription: whether the publisher sleeps and must be woken, after a descriptor was taken.
    pub(crate) fn made_room(&self) -> bool {
        fence(Ordering::SeqCst);
        self.head.waiting.load(Ordering::Relaxed) == 1 && self.head.waiting.swap(0, Ordering::Relaxed) == 1
    }

    /// The word on which a publisher sleeps that waits for room.
    pub(crate) fn waiting(&self) -> &AtomicU32 {
        &self.head.waiting
    }
}

impl Ring<'_> {
    fn slot(&self, position: u64) -> &AtomicU64 {
        // The length is a power of two; a `u64` position fits the mask.
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    /// Publisher: makes every slot empty, before the queue is offered.
    pub(crate) fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }

    /// Publisher: appends a descriptor; returns the oldest if it had to give way.
    ///
    /// `sent_at` is when the message was sent, in monotonic nanoseconds; `known_head` is where
    /// the publisher last saw the head: 0 at first, and its own to keep.
    pub(crate) fn push(&self, descriptor: u64, sent_at: i64, known_head: &mut u64) -> Option<u64> {
        self.header.pushed_at.store(sent_at as u64, Ordering::Relaxed);
        let tail = self.header.tail.load(Ordering::Relaxed);
        let evicted = self.make_room(tail, known_head);
        self.slot(tail).store(tagged(tail, descriptor), Ordering::Release);
        self.header.tail.store(tail.wrapping_add(1), Ordering::Release);
        evicted
    }

    /// Publisher: whether a push would evict.
    pub(crate) fn is_full(&self) -> bool {
        let tail = self.header.tail.load(Ordering::Relaxed);
        tail.wrapping_sub(self.header.head.position.load(Ordering::Acquire)) >= self.depth
    }

    /// Takes the oldest descriptor back if the queue is full. If the subscription is faster, it
    /// made the room itself.
    fn make_room(&self, tail: u64, known_head: &mut u64) -> Option<u64> {
        if tail.wrapping_sub(*known_head) < self.depth {
            return None;
        }
        let head = self.header.head.position.load(Ordering::Acquire);
        *known_head = head;
        if tail.wrapping_sub(head) < self.depth {
            return None;
        }
        let oldest = self.slot(head).load(Ordering::Relaxed) & DESCRIPTOR;
        let taken = self.take_head(head);
        taken.ok().map(|_| {
            let count = self.header.overflowed.load(Ordering::Relaxed);
            self.header.overflowed.store(count + 1, Ordering::Relaxed);
            oldest
        })
    }

    /// Moves the head past a position, whose descriptor is then the caller's.
    fn take_head(&self, head: u64) -> Result<u64, u64> {
        let next = head.wrapping_add(1);
        self.header.head.position.compare_exchange(head, next, Ordering::AcqRel, Ordering::Relaxed)
    }

    /// Subscription: how many descriptors wait.
    pub(crate) fn len(&self) -> u64 {
        let head = self.header.head.position.load(Ordering::Relaxed);
        // At most the depth, unless a corrupt publisher says otherwise.
        self.header.tail.load(Ordering::Acquire).saturating_sub(head).min(self.depth)
    }

    /// Subscription: whether the words contradict each other, so that what seems to wait can never
    /// be taken. A publisher in its right mind fills a slot before it moves the tail past it.
    pub(crate) fn is_broken(&self) -> bool {
        let tail = self.header.tail.load(Ordering::Acquire);
        let head = self.header.head.position.load(Ordering::Acquire);
        let empty = untagged(self.slot(head).load(Ordering::Acquire), head).is_none();
        tail > head && empty && self.header.head.position.load(Ordering::Acquire) == head
    }

    /// Subscription: the oldest descriptor, without taking it; the publisher may take it back.
    pub(crate) fn peek(&self) -> Option<u64> {
        let head = self.header.head.position.load(Ordering::Acquire);
        untagged(self.slot(head).load(Ordering::Acquire), head)
    }

    /// Subscription: takes the oldest descriptor.
    pub(crate) fn pop(&self) -> Option<u64> {
        loop {
            let head = self.header.head.position.load(Ordering::Acquire);
            let Some(descriptor) = untagged(self.slot(head).load(Ordering::Acquire), head) else {
                // A later descriptor there means that this position was taken back just now.
                if self.header.head.position.load(Ordering::Acquire) == head {
                    return None;
                }
                continue;
            };
            if self.take_head(head).is_ok() {
                return Some(descriptor);
            }
        }
    }
}
