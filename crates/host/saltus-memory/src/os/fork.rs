//! Detects that a handle was inherited over `fork`.
//!
//! After `fork` the child has a copy of every handle but none of the parent's threads. It shares memory
//! with the parent, and both would use that memory as if they were one process. So inherited handles do
//! nothing. A child may open contexts of its own.
//!
//! The kernel shows which process is a child: a page that is marked "wipe on fork" reads as zero in the
//! child, whichever way the child was forked. Where there is no such mark, as on an emulated processor, the
//! handler of `fork` clears the page.

use std::{
    cell::UnsafeCell,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use rustix::{
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous},
    thread::futex,
};

/// The words that are zero again in a forked child.
#[derive(Debug, Default)]
#[repr(C)]
struct Wiped {
    /// 0 in a process that has opened nothing yet, else the number of its [`Origin`].
    mark: AtomicU32,
    /// The words of all [`ForkLock`]s. A lock that another thread of the parent held
    /// at the fork is free in the child.
    locks: [AtomicU32; LOCKS],
}

/// The largest number of [`ForkLock`]s.
const LOCKS: usize = 4;

static PAGE: LazyLock<Option<&'static Wiped>> = LazyLock::new(|| {
    const PAGE: usize = 4096;
    // SAFETY: an anonymous mapping at an address of the kernel's choice, never unmapped, so that
    // the reference to its beginning is valid for ever; it is used as atomics only.
    unsafe {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let page = mmap_anonymous(std::ptr::null_mut(), PAGE, protection, MapFlags::PRIVATE).ok()?;
        madvise(page, PAGE, Advice::LinuxWipeOnFork).ok()?;
        Some(&*page.cast::<Wiped>())
    }
});

/// The words, if the kernel can't wipe on fork (before 4.14). Then a child that was made by a raw `clone` can't be
/// distinguished from its parent.
static UNWIPED: Wiped = Wiped { mark: AtomicU32::new(0), locks: [const { AtomicU32::new(0) }; LOCKS] };

#[inline]
fn wiped() -> &'static Wiped {
    PAGE.unwrap_or(&UNWIPED)
}

/// Clears the words. The handler of `fork` calls this in the child, even if the kernel has cleared them already: an
/// emulator may accept the mark and not wipe the page.
///
/// [`Origin::here`] must have been called before, so that this does not have to create the page.
pub(super) fn wipe() {
    let wiped = wiped();
    wiped.mark.store(0, Ordering::Relaxed);
    wiped.locks.iter().for_each(|lock| lock.store(FREE, Ordering::Relaxed));
}

/// The number of origins so far in this process and in the processes that it was forked from. This is ordinary memory,
/// which a child copies. So the number of a child is higher than the number of any handle that it inherited.
static ORIGINS: AtomicU32 = AtomicU32::new(0);

/// The process in which a handle was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(u32);

impl Origin {
    /// Returns the origin of the handles that this process creates.
    pub(crate) fn here() -> Self {
        let mark = &wiped().mark;
        let before = mark.load(Ordering::Relaxed);
        if before != 0 {
            return Self(before);
        }
        let next = ORIGINS.fetch_add(1, Ordering::Relaxed) + 1;
        let marked = mark.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed);
        Self(marked.map_or_else(|before| before, |_| next))
    }

    /// Returns its number, for a signal handler. No origin has the number 0.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Returns the origin of that number.
    pub(crate) fn numbered(number: u32) -> Self {
        Self(number)
    }

    /// Whether the calling process is this origin, and not a forked child of it.
    #[inline]
    pub(crate) fn is_here(self) -> bool {
        wiped().mark.load(Ordering::Relaxed) == self.0
    }
}

/// A lock of the process. It is free in a forked child, whatever the threads of the parent were
/// doing.
#[derive(Debug)]
pub(crate) struct ForkLock(
    /// The index of its word.
    usize,
);

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and a thread may be waiting.
const CONTENDED: u32 = 2;

impl ForkLock {
    /// Creates the lock of that number, which must be below `LOCKS`. No other lock may have the same number.
    pub(crate) const fn new(number: usize) -> Self {
        Self(number)
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self) -> Held {
        if let Some(held) = self.try_lock() {
            return held;
        }
        let word = &wiped().locks[self.0];
        while word.swap(CONTENDED, Ordering::Acquire) != FREE {
            // After every outcome, try again.
            let _ = futex::wait(word, futex::Flags::PRIVATE, CONTENDED, None);
        }
        Held(word)
    }

    /// Takes the lock if it is free.
    pub(crate) fn try_lock(&self) -> Option<Held> {
        let word = &wiped().locks[self.0];
        let taken = word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok();
        // A `Held` is created only if the lock was taken, because dropping it releases the lock.
        taken.then(|| Held(word))
    }
}

/// A value of the process, behind a lock. A forked child has its own value, which is unlocked and new. If
/// a thread of the parent was changing the parent's value, no thread of the child would finish that.
#[derive(Debug)]
pub(crate) struct ForkCell<T> {
    lock: ForkLock,
    value: UnsafeCell<Option<(Origin, T)>>,
}

// SAFETY: the value is reached only with the lock held.
unsafe impl<T: Send> Sync for ForkCell<T> {}

impl<T: Default> ForkCell<T> {
    /// Creates a value behind a lock. No other value may have the same lock.
    pub(crate) const fn new(lock: ForkLock) -> Self {
        Self { lock, value: UnsafeCell::new(None) }
    }

    /// Waits for the lock and calls `work` with the value. `work` must not call this again.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let held = self.lock.lock();
        self.work(held, work)
    }

    /// Does the same as [`ForkCell::with`] if the lock is free, else nothing.
    pub(crate) fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        Some(self.work(self.lock.try_lock()?, work))
    }

    fn work<R>(&self, _held: Held, work: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the lock is held until this returns, and `with` is not entered from within.
        let slot = unsafe { &mut *self.value.get() };
        if !slot.as_ref().is_some_and(|(origin, _)| origin.is_here()) {
            // The parent's value may be half-changed, so it is not even dropped.
            std::mem::forget(slot.take());
        }
        let (_, value) = slot.get_or_insert_with(|| (Origin::here(), T::default()));
        work(value)
    }
}

/// A lock that is held.
#[derive(Debug)]
pub(crate) struct Held(&'static AtomicU32);

impl Drop for Held {
    fn drop(&mut self) {
        if self.0.swap(FREE, Ordering::Release) == CONTENDED {
            // This fails only for an address that is not mapped.
            let _ = futex::wake(self.0, futex::Flags::PRIVATE, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time_uses_a_cell() {
        static CELL: ForkCell<u64> = ForkCell::new(ForkLock::new(LOCKS - 1));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| CELL.with(|count| *count += 1)));
            }
        });
        assert_eq!(CELL.with(|count| *count), 40_000);
        let twice = CELL.with(|_| (CELL.try_with(|count| *count), CELL.try_with(|count| *count)));
        assert_eq!(twice, (None, None), "it is held, and trying does not change that");
    }
}
