//! Knowing that one is a forked child.
//!
//! After `fork` the child has a copy of every handle but none of the parent's threads, and shares
//! memory with it that both would use as if they were one. So handles in a child are inert. The
//! kernel tells: a page marked "wipe on fork" reads zero in the child, whichever way it was forked.

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, Ordering},
};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};

/// The mark: 1 in the process that first used it, 0 in its forked children.
static MARK: LazyLock<Option<&'static AtomicU32>> = LazyLock::new(|| {
    const PAGE: usize = 4096;
    // SAFETY: an anonymous mapping at an address of the kernel's choice, never unmapped, so that
    // the reference to its first word is valid for ever; the word is only used as an atomic.
    unsafe {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let page = mmap_anonymous(std::ptr::null_mut(), PAGE, protection, MapFlags::PRIVATE).ok()?;
        madvise(page, PAGE, Advice::LinuxWipeOnFork).ok()?;
        let mark = &*page.cast::<AtomicU32>();
        mark.store(1, Ordering::Relaxed);
        Some(mark)
    }
});

/// Whether this process was forked from the one that opened its handles.
///
/// Where the kernel can't wipe on fork (before 4.14) this is always `false`.
pub(crate) fn is_child() -> bool {
    MARK.is_some_and(|mark| mark.load(Ordering::Relaxed) == 0)
}

/// Marks this process as the parent; called before the first handle exists.
pub(crate) fn mark_parent() {
    LazyLock::force(&MARK);
}
