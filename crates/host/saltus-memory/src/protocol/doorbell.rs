//! A doorbell: one thread sleeps at it and many processes wake the thread, without a system call while it is awake.
//!
//! One word holds the whole state:
//!
//! | bits | name | set by | cleared by |
//! |---|---|---|---|
//! | 0 to 29 | ready | a ringer, after it has made something available in that class | the owner, when it collects |
//! | 30 | parked at a pipe | the owner, before it polls file descriptors | the owner, when it collects |
//! | 31 | parked at the word | the owner, before it waits on the futex | the owner, when it collects |
//!
//! The owner collects. If nothing is ready, it exchanges 0 for a parked bit, and sleeps while the word
//! is exactly that bit. A ringer makes something available, and then sets the ready bit. If the owner
//! is parked, the ringer wakes it.
//!
//! No wake-up is lost, because both sides change the *same* word with read-modify-write steps. If
//! the owner's exchange comes first, the ringer sees the parked bit and wakes the owner. If the
//! ringer's step comes first, the exchange fails. The owner that collects the ready bit sees what the
//! ringer made available before it set the bit.
//!
//! A ringer may be killed at any point. Only the owner clears the parked bit. So the next ringer
//! wakes the owner, even if a killed ringer did not. There is a next ringer, because the death of a
//! process rings every owner that the process might have rung. The cost is that several ringers may
//! each make the system call while the owner is waking up.

use super::sync::{AtomicU32, Ordering};

/// The owner sleeps on the futex of the word.
const PARKED_AT_WORD: u32 = 1 << 31;
/// The owner sleeps in a poll on the doorbell's pipe.
const PARKED_AT_PIPE: u32 = 1 << 30;
const PARKED: u32 = PARKED_AT_WORD | PARKED_AT_PIPE;

/// The number of ready classes that a doorbell distinguishes.
pub(crate) const CLASSES: u32 = 30;

/// Where the owner is going to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParkMode {
    /// On the futex of the word.
    Futex,
    /// In a poll on the pipe, together with other file descriptors.
    Pipe,
}

impl ParkMode {
    const fn bit(self) -> u32 {
        match self {
            Self::Futex => PARKED_AT_WORD,
            Self::Pipe => PARKED_AT_PIPE,
        }
    }
}

/// The step that a ringer must take after it has set its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Wake {
    /// Nothing: the owner is awake.
    Awake,
    /// Wake the futex of the word.
    Futex,
    /// Write a byte to the pipe.
    Pipe,
}

/// The word, and the number of the pipe that its owner polls. All-zero is a doorbell at which no thread waits.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Doorbell {
    word: AtomicU32,
    pipe: AtomicU32,
}

impl Doorbell {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self { word: AtomicU32::new(0), pipe: AtomicU32::new(0) }
    }

    /// Owner: sets the number of its pipe, before it first parks there.
    pub(crate) fn set_pipe(&self, pipe: u32) {
        self.pipe.store(pipe, Ordering::Release);
    }

    /// Ringer: returns the number of the pipe to write to.
    pub(crate) fn pipe(&self) -> u32 {
        self.pipe.load(Ordering::Acquire)
    }

    /// Returns the word that a parked owner sleeps on.
    pub(crate) fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// Returns the value of the word while the owner may sleep.
    pub(crate) const fn asleep(mode: ParkMode) -> u32 {
        mode.bit()
    }

    /// Ringer: marks `class` as ready. The ringer must have made something in that class available before.
    pub(crate) fn ring(&self, class: u32) -> Wake {
        let before = self.word.fetch_or(1 << (class % CLASSES), Ordering::AcqRel);
        match before & PARKED {
            0 => Wake::Awake,
            PARKED_AT_PIPE => Wake::Pipe,
            _ => Wake::Futex,
        }
    }

    /// Owner: whether something may be ready. It is a plain load, for spinning.
    pub(crate) fn is_rung(&self) -> bool {
        self.word.load(Ordering::Relaxed) & !PARKED != 0
    }

    /// Any thread: whether the owner polls its pipe although something is ready. Then the pipe must be rung.
    pub(crate) fn needs_pipe(&self) -> bool {
        let word = self.word.load(Ordering::Acquire);
        word & PARKED_AT_PIPE != 0 && word & !PARKED != 0
    }

    /// Owner: takes the ready classes. The owner counts as awake after this.
    #[inline]
    pub fn collect(&self) -> u32 {
        if self.word.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        self.word.swap(0, Ordering::AcqRel) & !PARKED
    }

    /// Owner: announces that it goes to sleep. Returns `false` if something is ready: then it must not sleep.
    pub fn park(&self, mode: ParkMode) -> bool {
        self.word.compare_exchange(0, mode.bit(), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
