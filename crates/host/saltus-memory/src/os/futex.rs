//! Sleeping on a word in shared memory.

use std::{num::NonZeroU32, sync::atomic::AtomicU32};

use rustix::thread::futex::{self, Flags};

use super::clock::timespec;

/// Sleeps while the word is `expected`, until it is woken or until the monotonic `deadline` in
/// nanoseconds. It may also return for no reason. The caller reads the word again.
pub(crate) fn wait(word: &AtomicU32, expected: u32, deadline: Option<u64>) {
    let until = deadline.map(timespec);
    // After every outcome (woken, value changed, timed out, interrupted by a signal) the caller reads the word again.
    let _ = futex::wait_bitset(word, Flags::empty(), expected, until.as_ref(), NonZeroU32::MAX);
}

/// Wakes one thread that sleeps on the word, in any process.
pub(crate) fn wake(word: &AtomicU32) {
    // This fails only for an address that is not mapped, and a reference is always mapped.
    let _ = futex::wake(word, Flags::empty(), 1);
}

/// Wakes all threads that sleep on the word.
pub(crate) fn wake_all(word: &AtomicU32) {
    let _ = futex::wake(word, Flags::empty(), i32::MAX as u32);
}
