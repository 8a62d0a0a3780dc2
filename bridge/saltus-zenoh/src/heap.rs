//! The memory of the heap that nobody uses.

/// Gives the memory back to the system that was freed. The allocator of glibc keeps most of it, for each of its arenas: hundreds of megabytes
/// after a flood of names, of which three are in use.
#[cfg(target_env = "gnu")]
pub(crate) fn give_back() {
    // SAFETY: it takes the locks of the allocator, and changes only pages that no allocation contains.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators give memory back themselves.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn give_back() {}
