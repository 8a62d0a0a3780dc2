//! A mutex whose holder inherits the priority of the thread that waits for it.
//!
//! A real-time thread that publishes shares locks with threads of ordinary priority: those that open endpoints, and
//! the housekeeping thread. With the standard library's mutex, one of these could be preempted while it holds a lock.
//! The real-time thread would then wait for it and for every thread that runs before it. With this mutex the kernel
//! lets the holder run at the waiter's priority until it releases the lock (`FUTEX_LOCK_PI`, futex(2)).
//!
//! Taking a free lock costs one exchange, as with the standard library's mutex. There is no poisoning, because no
//! invariant of this crate spans a panic.

use std::{
    cell::{Cell, UnsafeCell},
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicU32, Ordering},
};

use rustix::{
    io::Errno,
    thread::{
        futex::{self, Flags},
        gettid,
    },
};

use super::fork::Origin;

const FREE: u32 = 0;
/// The number of times that a held lock is polled before the thread sleeps.
const POLLS: u32 = 100;
/// Set by the kernel while threads sleep for the lock.
const WAITERS: u32 = 1 << 31;

/// A value that one thread at a time may use.
pub struct Mutex<T> {
    /// The thread that holds the lock, and [`WAITERS`]; [`FREE`] if no thread holds it.
    word: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only by the thread that holds the lock.
unsafe impl<T: Send> Sync for Mutex<T> {}
// SAFETY: it owns the value.
unsafe impl<T: Send> Send for Mutex<T> {}

impl<T> Mutex<T> {
    /// Creates a free mutex.
    pub const fn new(value: T) -> Self {
        Self { word: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Waits for the lock. The thread that holds the lock must not call this.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let thread = current_thread();
        if !self.take(thread) {
            self.wait(thread);
        }
        MutexGuard::new(self, thread)
    }

    /// Takes the lock if it is free.
    #[inline]
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let thread = current_thread();
        self.take(thread).then(|| MutexGuard::new(self, thread))
    }

    #[inline]
    fn take(&self, thread: u32) -> bool {
        self.word.compare_exchange(FREE, thread, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn wait(&self, thread: u32) {
        for _ in 0..POLLS {
            match self.word.load(Ordering::Relaxed) {
                FREE if self.take(thread) => return,
                word if word & WAITERS != 0 => break,
                _ => std::hint::spin_loop(),
            }
        }
        loop {
            match futex::lock_pi(&self.word, Flags::PRIVATE, None) {
                Ok(()) => break,
                // The holder is just releasing the lock, or a signal came.
                Err(Errno::AGAIN | Errno::INTR) => {}
                // The kernel has no such futexes.
                Err(_) if self.take(thread) => return,
                Err(_) => std::thread::yield_now(),
            }
        }
        // From here on this thread sees what the last holder wrote.
        self.word.load(Ordering::Acquire);
    }

    #[cold]
    #[inline]
    fn hand_over(&self) {
        // The next holder sees what this holder wrote.
        self.word.fetch_or(0, Ordering::Release);
        if futex::unlock_pi(&self.word, Flags::PRIVATE).is_err() {
            self.word.store(FREE, Ordering::Release);
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

/// The right to use the value. It ends when this is dropped.
#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// The thread that took the lock. It must release the lock: the kernel refuses any other thread.
    thread: u32,
    _stays_on_its_thread: PhantomData<*const ()>,
}

impl<'a, T> MutexGuard<'a, T> {
    #[inline]
    fn new(mutex: &'a Mutex<T>, thread: u32) -> Self {
        Self { mutex, thread, _stays_on_its_thread: PhantomData }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread holds the lock.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread holds the lock, and `&mut self` is the only way to the value.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let Self { mutex, thread, .. } = *self;
        if mutex.word.compare_exchange(thread, FREE, Ordering::Release, Ordering::Relaxed).is_err() {
            mutex.hand_over();
        }
    }
}

/// Returns the kernel's number of the calling thread.
#[inline]
fn current_thread() -> u32 {
    thread_local!(static THREAD: Cell<(u32, u32)> = const { Cell::new((0, 0)) });
    THREAD.with(|thread| {
        let (origin, number) = thread.get();
        // A forked child has the memory of its parent, but its thread has another number.
        if origin != 0 && Origin::numbered(origin).is_here() {
            return number;
        }
        let number = gettid().as_raw_nonzero().get() as u32;
        thread.set((Origin::here().number(), number));
        number
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn one_thread_at_a_time_uses_the_value() {
        let count = Arc::new(Mutex::new(0u64));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let count = count.clone();
                scope.spawn(move || (0..100_000).for_each(|_| *count.lock() += 1));
            }
        });
        assert_eq!(*count.lock(), 400_000);
        let held = count.lock();
        std::thread::scope(|scope| {
            // Twice, because a thread that does not get the lock must not release it.
            scope.spawn(|| assert!(count.try_lock().is_none() && count.try_lock().is_none()));
        });
        drop(held);
        assert!(count.try_lock().is_some());
    }
}
