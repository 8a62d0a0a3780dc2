//! Knowing that a handle was inherited over `fork`.
//!
//! After `fork` the child has a copy of every handle but none of the parent's threads, and shares
//! memory with it that both would use as if they were one. So inherited handles are inert; a child
//! may open contexts of its own. The kernel tells: a page marked "wipe on fork" reads zero in the
//! child, whichever way it was forked.

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, Ordering},
};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};

/// The mark: 0 in a process that has opened nothing yet, else the number of its [`Origin`].
static MARK: LazyLock<Option<&'static AtomicU32>> = LazyLock::new(|| {
    const PAGE: usize = 4096;
    // SAFETY: an anonymous mapping at an address of the kernel's choice, never unmapped, so that
    // the reference to its first word is valid for ever; the word is only used as an atomic.
    unsafe {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let page = mmap_anonymous(std::ptr::null_mut(), PAGE, protection, MapFlags::PRIVATE).ok()?;
        madvise(page, PAGE, Advice::LinuxWipeOnFork).ok()?;
        Some(&*page.cast::<AtomicU32>())
    }
});

/// How many origins there were in this process and those it was forked from. Ordinary memory, which
/// a child copies: so the number of a child is higher than that of any handle it inherited.
static ORIGINS: AtomicU32 = AtomicU32::new(0);

/// The process that a handle was made in.
///
/// Where the kernel can't wipe on fork (before 4.14) all processes look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(u32);

impl Origin {
    /// The origin of what this process makes from now on.
    pub(crate) fn here() -> Self {
        let Some(mark) = *MARK else { return Self(0) };
        let next = ORIGINS.fetch_add(1, Ordering::Relaxed) + 1;
        let marked = mark.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed);
        Self(marked.map_or_else(|before| before, |_| next))
    }

    /// Its number, for a signal handler; 0 is nobody's.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The origin of that number.
    pub(crate) fn numbered(number: u32) -> Self {
        Self(number)
    }

    /// Whether this is still the process that it was.
    pub(crate) fn is_here(self) -> bool {
        MARK.is_none_or(|mark| mark.load(Ordering::Relaxed) == self.0)
    }
}
