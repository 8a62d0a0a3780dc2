//! Which subscriptions hold a message: one bit for each subscription of its publisher.
//!
//! | step | by | when |
//! |---|---|---|
//! | set the bits of all subscriptions | the publisher | before it queues the message |
//! | add the bit of a late joiner | the publisher | before it queues a message that it keeps |
//! | clear its own bit | the subscription | when its sample is dropped |
//! | clear the bit of a subscription | the publisher | when it took the message back from the subscription's queue, or the subscription's process is dead |
//! | overwrite the message | the publisher | when all bits are clear, and it does not keep the message |
//!
//! These are bits and not a count, because clearing a bit twice does no harm. So what a dead process held can be
//! released without knowing at which step the process died. A bit is assigned to another subscription only when it is
//! set in no message.

use super::sync::{AtomicU64, Ordering};

/// The largest number of subscriptions of one publisher: one bit each.
pub const MAX_SUBSCRIPTIONS: u32 = 512;
/// The number of words of the bits.
pub(crate) const WORDS: usize = MAX_SUBSCRIPTIONS as usize / 64;

/// A set of subscriptions, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holders([u64; WORDS]);

impl Holders {
    /// Adds a holder.
    pub(crate) fn insert(&mut self, holder: u32) {
        self.0[holder as usize / 64] |= 1 << (holder % 64);
    }

    /// Removes a holder.
    pub(crate) fn remove(&mut self, holder: u32) {
        self.0[holder as usize / 64] &= !(1 << (holder % 64));
    }

    /// Whether a holder is in the set.
    pub(crate) fn contains(&self, holder: u32) -> bool {
        self.0[holder as usize / 64] & 1 << (holder % 64) != 0
    }
}

/// The bits of one message. The first word is separate from the others, because most publishers use only this one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HolderBits<'a> {
    /// The first 64 bits.
    pub first: &'a AtomicU64,
    /// The other bits.
    pub more: &'a [AtomicU64; WORDS - 1],
}

impl HolderBits<'_> {
    fn word(&self, word: usize) -> &AtomicU64 {
        if word == 0 { self.first } else { &self.more[word - 1] }
    }

    /// Publisher: sets the holders of a message that no subscription holds, in the first `words` words. The message
    /// must be queued after this.
    pub(crate) fn set(&self, holders: &Holders, words: usize) {
        for word in 0..words {
            self.word(word).store(holders.0[word], Ordering::Relaxed);
        }
    }

    /// Publisher: adds a holder to a message that other subscriptions may hold. The message must be queued after this.
    pub(crate) fn add(&self, holder: u32) {
        self.word(holder as usize / 64).fetch_or(1 << (holder % 64), Ordering::Relaxed);
    }

    /// Clears the bit of a subscription that does not hold the message any more.
    pub(crate) fn release(&self, holder: u32) {
        // Release: the subscription's reads happen before the publisher writes again.
        self.word(holder as usize / 64).fetch_and(!(1 << (holder % 64)), Ordering::Release);
    }

    /// Publisher: clears all bits.
    pub(crate) fn release_all(&self) {
        (0..WORDS).for_each(|word| self.word(word).store(0, Ordering::Release));
    }

    /// Publisher: whether any subscription holds the message, according to the first `words` words. If not, the message
    /// may be overwritten.
    pub(crate) fn is_held(&self, words: usize) -> bool {
        // Acquire: see `release`.
        (0..words).any(|word| self.word(word).load(Ordering::Acquire) != 0)
    }

    /// Publisher: whether a subscription holds the message.
    pub(crate) fn is_held_by(&self, holder: u32) -> bool {
        self.word(holder as usize / 64).load(Ordering::Acquire) & 1 << (holder % 64) != 0
    }
}

#[cfg(all(test, loom))]
mod tests;
