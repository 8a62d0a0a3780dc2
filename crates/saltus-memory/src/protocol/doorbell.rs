//! How one thread sleeps and many processes wake it, without a system call while it is awake.
//!
//! One word says it all:
//!
//! | bits | name | set by | cleared by |
//! |---|---|---|---|
//! | 0 to 29 | ready | a ringer, after it made something available in that class | the owner, when it collects |
//! | 30 | parked at a pipe | the owner, before it polls file descriptors | the owner, when it collects |
//! | 31 | parked at the word | the owner, before it waits on the futex | the owner, when it collects |
//!
//! Owner: collect; if nothing is ready, exchange 0 for a parked bit; sleep while the word is just
//! that bit. Ringer: make the thing available, then set the ready bit; if the owner is parked, wake
//! it.
//!
//! No wake-up is lost, because both sides change the *same* word with read-modify-write steps. If
//! the owner's exchange comes first, the ringer sees the parked bit and wakes; if the ringer's
//! comes first, the exchange fails. And what the ringer made available before it set the bit is
//! seen by the owner that collects the bit.
//!
//! A ringer may be killed at any point. Only the owner takes the parked bit away, so the next ringer
//! wakes it, whatever a dead one left undone; and there is a next one, because the death of a
//! process rings everybody whom it might have rung. The price is that several ringers may each make
//! the system call while the owner is waking up.

use super::sync::{AtomicU32, Ordering};

/// The owner sleeps on the futex of the word.
const PARKED_AT_WORD: u32 = 1 << 31;
/// The owner sleeps in a poll on the doorbell's pipe.
const PARKED_AT_PIPE: u32 = 1 << 30;
const PARKED: u32 = PARKED_AT_WORD | PARKED_AT_PIPE;

/// How many ready classes a doorbell tells apart.
pub const CLASSES: u32 = 30;

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

/// What a ringer must do now that it has set its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Wake {
    /// Nothing: the owner is awake.
    Awake,
    /// Wake the futex of the word.
    Futex,
    /// Write a byte to the pipe.
    Pipe,
}

/// The word, and which pipe its owner polls. All-zero is a doorbell that nobody waits at.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Doorbell {
    word: AtomicU32,
    pipe: AtomicU32,
}

impl Doorbell {
    #[cfg(loom)]
    pub fn new() -> Self {
        Self { word: AtomicU32::new(0), pipe: AtomicU32::new(0) }
    }

    /// Owner: names its pipe, before it first parks there.
    pub fn set_pipe(&self, pipe: u32) {
        self.pipe.store(pipe, Ordering::Release);
    }

    /// Ringer: the pipe to write to.
    pub fn pipe(&self) -> u32 {
        self.pipe.load(Ordering::Acquire)
    }

    /// The word that a parked owner sleeps on.
    pub fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// The value of the word while the owner may sleep.
    pub const fn asleep(mode: ParkMode) -> u32 {
        mode.bit()
    }

    /// Ringer: says that something in `class` is available, which it must have made so before.
    pub fn ring(&self, class: u32) -> Wake {
        let before = self.word.fetch_or(1 << (class % CLASSES), Ordering::AcqRel);
        match before & PARKED {
            0 => Wake::Awake,
            PARKED_AT_PIPE => Wake::Pipe,
            _ => Wake::Futex,
        }
    }

    /// Owner: whether something may be ready; a plain load, for spinning.
    pub fn is_rung(&self) -> bool {
        self.word.load(Ordering::Relaxed) & !PARKED != 0
    }

    /// Anybody: whether the owner polls its pipe although something is ready, so that the pipe must be rung.
    pub fn needs_pipe(&self) -> bool {
        let word = self.word.load(Ordering::Acquire);
        word & PARKED_AT_PIPE != 0 && word & !PARKED != 0
    }

    /// Owner: takes the ready classes, and is awake from now on.
    pub fn collect(&self) -> u32 {
        if self.word.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        self.word.swap(0, Ordering::AcqRel) & !PARKED
    }

    /// Owner: announces that it goes to sleep. `false` if something is ready: then it must not.
    pub fn park(&self, mode: ParkMode) -> bool {
        self.word.compare_exchange(0, mode.bit(), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
