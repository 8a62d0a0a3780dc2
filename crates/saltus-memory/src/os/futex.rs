//! Sleeping on a word in shared memory.

use std::{num::NonZeroU32, sync::atomic::AtomicU32};

use rustix::thread::futex::{self, Flags};

use super::clock::timespec;

/// Sleeps while the word is `expected`, until woken or until the monotonic `deadline` in
/// nanoseconds. May also return for no reason; the caller looks again.
pub fn wait(word: &AtomicU32, expected: u32, deadline: Option<u64>) {
    let until = deadline.map(timespec);
    // Every outcome (woken, value changed, timed out, interrupted by a signal) means: look again.
    let _ = futex::wait_bitset(word, Flags::empty(), expected, until.as_ref(), NonZeroU32::MAX);
}

/// Wakes the one that sleeps on the word, in whatever process.
pub fn wake(word: &AtomicU32) {
    // Fails only for an address that is not mapped, and a reference always is.
    let _ = futex::wake(word, Flags::empty(), 1);
}

/// Wakes all that sleep on the word.
pub fn wake_all(word: &AtomicU32) {
    let _ = futex::wake(word, Flags::empty(), i32::MAX as u32);
}
