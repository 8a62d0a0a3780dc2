//! A queue from one publisher to one subscription, as a ring buffer. It keeps the newest messages.
//!
//! | field | written by | meaning |
//! |---|---|---|
//! | `slots[p % n]` | publisher | the descriptor of position p, tagged with p |
//! | `head` | both, by compare-exchange | position of the oldest descriptor that neither side has taken |
//! | `tail` | publisher | position of the next push, used to count |
//!
//! A descriptor is available as soon as its slot has the tag of its position. So the subscription
//! reads one cache line to find it. The publisher reads `head` only when the queue may be full
//! according to the last `head` that it has read.
//!
//! The side that moves `head` from p to p + 1 owns the descriptor of p. The subscription takes a
//! descriptor to read its message. The publisher takes a descriptor back when the queue is full and
//! a newer one must enter. A slot is overwritten only after its position was taken. The side that
//! loses the exchange does not use what it read. The publisher's steps are wait-free, and the
//! subscription's are lock-free. A side that dies between any two steps leaves the queue consistent.

use super::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// The header of a queue. Its slots are in another block. An all-zero header is an empty queue.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct RingHeader {
    tail: AtomicU64,
    overflowed: AtomicU64,
    /// See [`Life`].
    life: AtomicU64,
    /// When the last message was pushed, in monotonic nanoseconds.
    pushed_at: AtomicU64,
    /// When the publisher last asserted that it is alive, in monotonic nanoseconds.
    asserted_at: AtomicU64,
    /// The offset of the counters, in the subscription's segment, in which the subscription counts the messages that
    /// it takes; 0 if it does not count.
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
    /// The network was too slow for it.
    Congestion = 2,
    /// A rule of a bridge limits how many messages pass.
    RateLimit = 3,
    /// The link to the host of its original publisher was lost.
    LinkLost = 4,
}

impl Unsent {
    pub(crate) const ALL: [Self; 5] =
        [Self::OutOfMemory, Self::Refused, Self::Congestion, Self::RateLimit, Self::LinkLost];
}

/// The head. It has its own cache line: the subscription writes it, and the publisher seldom reads it.
#[derive(Debug)]
#[repr(C, align(64))]
struct Head {
    position: AtomicU64,
    /// The number of messages that the subscription left unread when it closed.
    unread: AtomicU64,
    /// 1 while the publisher sleeps here until there is room.
    waiting: AtomicU32,
    /// The number of messages that the publisher could not send, by [`Unsent`]. It seldom writes them.
    unsent: [AtomicU64; Unsent::ALL.len()],
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

/// Returns the value of a slot for a descriptor at a position. It is never 0, so an empty slot matches
/// no position. The tag repeats only after 2^28 pushes. The slot is written again long before that.
const fn tagged(position: u64, descriptor: u64) -> u64 {
    position.wrapping_add(1) << DESCRIPTOR_BITS | descriptor
}

/// Returns the descriptor in a slot, if the slot has the tag of a position.
const fn untagged(slot: u64, position: u64) -> Option<u64> {
    let same = slot != 0 && slot & !DESCRIPTOR == tagged(position, 0);
    if same { Some(slot & DESCRIPTOR) } else { None }
}

/// The state of a queue. Its header may be reused for another queue.
///
/// Each use has its own generation, and every step names the generation. So a stale reference to a
/// reused header does no harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// The publisher offers it; the subscription has not attached yet.
    Open = 1,
    /// The subscription reads from it.
    Attached = 2,
    /// The subscription has detached, or the publisher has withdrawn its offer: the publisher may reuse it.
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
            reader_counters: AtomicU64::new(0),
            head: Head {
                position: AtomicU64::new(0),
                unread: AtomicU64::new(0),
                waiting: AtomicU32::new(0),
                unsent: Unsent::ALL.map(|_| AtomicU64::new(0)),
            },
        }
    }

    /// Publisher: makes the queue empty and offers it under a generation that was not used before.
    pub(crate) fn open(&self, generation: u64) {
        let words = [&self.tail, &self.overflowed, &self.pushed_at, &self.asserted_at, &self.reader_counters];
        let head = [&self.head.position, &self.head.unread];
        words
            .into_iter()
            .chain(&self.head.unsent)
            .chain(head)
            .for_each(|word| word.store(0, Ordering::Relaxed));
        self.head.waiting.store(0, Ordering::Relaxed);
        self.life.store(life_word(generation, Life::Open), Ordering::Release);
    }

    /// Subscription: attaches to the queue. Returns `false` if the queue is no longer offered.
    pub(crate) fn attach(&self, generation: u64) -> bool {
        self.change_life(generation, Life::Open, Life::Attached)
    }

    /// Subscription: detaches from the queue. Returns whether it was attached.
    pub(crate) fn detach(&self, generation: u64) -> bool {
        self.change_life(generation, Life::Attached, Life::Closed)
    }

    /// Publisher: withdraws an offer. Returns `false` if the subscription has attached. Then the
    /// subscription must detach, or die, before the queue may be reused.
    pub(crate) fn withdraw(&self, generation: u64) -> bool {
        self.change_life(generation, Life::Open, Life::Closed) || self.is_closed(generation)
    }

    /// Publisher: whether the subscription has not attached yet.
    pub(crate) fn is_open(&self, generation: u64) -> bool {
        self.life.load(Ordering::Acquire) == life_word(generation, Life::Open)
    }

    /// Publisher: whether the subscription is attached.
    pub(crate) fn is_attached(&self, generation: u64) -> bool {
        self.life.load(Ordering::Acquire) == life_word(generation, Life::Attached)
    }

    /// Publisher: whether the subscription has detached, or the offer was withdrawn.
    pub(crate) fn is_closed(&self, generation: u64) -> bool {
        self.life.load(Ordering::Acquire) == life_word(generation, Life::Closed)
    }

    fn change_life(&self, generation: u64, from: Life, to: Life) -> bool {
        let (from, to) = (life_word(generation, from), life_word(generation, to));
        self.life.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Returns how many descriptors were taken back because the queue was full.
    #[inline]
    pub(crate) fn overflowed(&self) -> u64 {
        self.overflowed.load(Ordering::Relaxed)
    }

    /// Publisher: counts messages that were not sent.
    pub(crate) fn count_unsent(&self, why: Unsent, number: u64) {
        let count = &self.head.unsent[why as usize];
        count.store(count.load(Ordering::Relaxed).saturating_add(number), Ordering::Relaxed);
    }

    /// Returns how many messages were not sent.
    pub(crate) fn unsent(&self, why: Unsent) -> u64 {
        self.head.unsent[why as usize].load(Ordering::Relaxed)
    }

    /// Returns how many messages could not be delivered through this queue.
    #[inline]
    pub(crate) fn total_lost(&self) -> u64 {
        let unsent = self.head.unsent.iter().map(|count| count.load(Ordering::Relaxed));
        unsent.fold(self.overflowed(), u64::saturating_add)
    }

    /// Publisher: asserts that it is alive. `now` is in monotonic nanoseconds.
    pub(crate) fn assert_alive(&self, now: i64) {
        self.asserted_at.store(now as u64, Ordering::Relaxed);
    }

    /// Returns when the last message was pushed; 0 if none was.
    pub(crate) fn pushed_at(&self) -> i64 {
        self.pushed_at.load(Ordering::Relaxed) as i64
    }

    /// Returns when the publisher last pushed a message or asserted that it is alive.
    pub(crate) fn alive_at(&self) -> i64 {
        self.pushed_at().max(self.asserted_at.load(Ordering::Relaxed) as i64)
    }

    /// Subscription: sets the offset of its counters.
    pub(crate) fn set_reader_counters(&self, offset: u64) {
        self.reader_counters.store(offset, Ordering::Release);
    }

    /// Returns the offset of the subscription's counters; 0 if it does not count.
    pub(crate) fn reader_counters(&self) -> u64 {
        self.reader_counters.load(Ordering::Acquire)
    }

    /// Subscription: sets how many messages were unread when it closed.
    pub(crate) fn leave_unread(&self, count: u64) {
        self.head.unread.store(count, Ordering::Relaxed);
    }

    /// Returns how many messages the subscription left unread when it closed.
    pub(crate) fn unread(&self) -> u64 {
        self.head.unread.load(Ordering::Relaxed)
    }

    /// Publisher: announces that it is going to sleep on [`RingHeader::waiting`] while that word is 1. It checks
    /// for room after this call, and sleeps only if there is none.
    ///
    /// No wake-up is lost: either the publisher sees the head that the subscription has moved, or the
    /// subscription sees that the publisher waits. Each side has a fence between its store and its load.
    pub(crate) fn want_room(&self) {
        self.head.waiting.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Subscription, after it has taken a descriptor: whether the publisher sleeps and must be woken.
    pub(crate) fn made_room(&self) -> bool {
        fence(Ordering::SeqCst);
        self.head.waiting.load(Ordering::Relaxed) == 1 && self.head.waiting.swap(0, Ordering::Relaxed) == 1
    }

    /// Returns the word on which the publisher sleeps while it waits for room.
    pub(crate) fn waiting(&self) -> &AtomicU32 {
        &self.head.waiting
    }
}

impl Ring<'_> {
    fn slot(&self, position: u64) -> &AtomicU64 {
        // The length is a power of two, so the mask is the same as a remainder.
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    /// Publisher: makes every slot empty, before the queue is offered.
    pub(crate) fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }

    /// Publisher: appends a descriptor. If the queue was full, takes the oldest descriptor back and returns it.
    ///
    /// `sent_at` is when the message was sent, in monotonic nanoseconds. `known_head` is the head that
    /// the publisher has read last: 0 at first. The publisher keeps it between calls.
    #[inline]
    pub(crate) fn push(&self, descriptor: u64, sent_at: i64, known_head: &mut u64) -> Option<u64> {
        self.header.pushed_at.store(sent_at as u64, Ordering::Relaxed);
        let tail = self.header.tail.load(Ordering::Relaxed);
        let evicted = self.make_room(tail, known_head);
        self.slot(tail).store(tagged(tail, descriptor), Ordering::Release);
        self.header.tail.store(tail.wrapping_add(1), Ordering::Release);
        evicted
    }

    /// Publisher: whether a push would take the oldest descriptor back.
    pub(crate) fn is_full(&self) -> bool {
        let tail = self.header.tail.load(Ordering::Relaxed);
        tail.wrapping_sub(self.header.head.position.load(Ordering::Acquire)) >= self.depth
    }

    /// Takes the oldest descriptor back if the queue is full. Returns `None` if there is room, or if the
    /// subscription takes that descriptor first, which makes room too.
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

    /// Moves the head past a position. If this succeeds, the caller owns the descriptor of that position.
    #[inline]
    fn take_head(&self, head: u64) -> Result<u64, u64> {
        let next = head.wrapping_add(1);
        self.header.head.position.compare_exchange(head, next, Ordering::AcqRel, Ordering::Relaxed)
    }

    /// Subscription: returns how many descriptors wait.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        let head = self.header.head.position.load(Ordering::Relaxed);
        // At most the depth. A corrupt publisher may have written another tail.
        self.header.tail.load(Ordering::Acquire).saturating_sub(head).min(self.depth)
    }

    /// Subscription: whether the words contradict each other: according to the tail a descriptor waits, but its
    /// slot is empty, so it can never be taken. A correct publisher fills a slot before it moves the
    /// tail past it.
    pub(crate) fn is_broken(&self) -> bool {
        let tail = self.header.tail.load(Ordering::Acquire);
        let head = self.header.head.position.load(Ordering::Acquire);
        let empty = untagged(self.slot(head).load(Ordering::Acquire), head).is_none();
        tail > head && empty && self.header.head.position.load(Ordering::Acquire) == head
    }

    /// Subscription: returns the oldest descriptor without taking it. The publisher may still take it back.
    pub(crate) fn peek(&self) -> Option<u64> {
        let head = self.header.head.position.load(Ordering::Acquire);
        untagged(self.slot(head).load(Ordering::Acquire), head)
    }

    /// Subscription: takes the oldest descriptor.
    #[inline]
    pub(crate) fn pop(&self) -> Option<u64> {
        loop {
            let head = self.header.head.position.load(Ordering::Acquire);
            let Some(descriptor) = untagged(self.slot(head).load(Ordering::Acquire), head) else {
                // If the head has moved, the publisher has just taken this position back, and the slot holds a later
                // descriptor.
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
