//! Memory that processes share: a mapped part of a file, and the types that may lie in it.

use std::{fs::File, io, ptr::NonNull};

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap, mprotect, munlock, munmap};

/// Types that may lie in shared memory.
///
/// # Safety
/// Every bit pattern must be a valid value, and every field that changes must be an atomic, because
/// other processes write to it at any time.
pub unsafe trait SharedType: Sync {}

// SAFETY: it consists of atomics, and any bits are valid.
unsafe impl SharedType for crate::protocol::doorbell::Doorbell {}
// SAFETY: as above.
unsafe impl SharedType for crate::protocol::ring::RingHeader {}
// SAFETY: as above.
unsafe impl SharedType for crate::protocol::port::Port {}
// SAFETY: as above.
unsafe impl SharedType for crate::protocol::membership::TableHeader {}
// SAFETY: as above.
unsafe impl SharedType for crate::protocol::membership::MemberSlot {}
// SAFETY: as above.
unsafe impl SharedType for crate::protocol::membership::MemberState {}
// SAFETY: as above.
unsafe impl SharedType for crate::protocol::record::RecordHeader {}
// SAFETY: an atomic accepts any bits.
unsafe impl SharedType for std::sync::atomic::AtomicU64 {}

/// A part of a file, mapped for reading and writing.
///
/// **Invariant:** it stays mapped at its address until this is dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    address: NonNull<u8>,
    len: usize,
}

// SAFETY: the pointer is to a shared mapping that lives as long as this. Access through it follows the rules
// of `SharedType` or of the chunk protocol.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes at `offset`, which must be a multiple of the page size.
    pub(crate) fn new(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the kernel's choice. It can't be accessed at first.
        // Otherwise the kernel would fill all of it with memory at once under `mlockall(MCL_FUTURE)`.
        let address =
            unsafe { mmap(std::ptr::null_mut(), len, ProtFlags::empty(), MapFlags::SHARED, file, offset)? };
        let mapping = NonNull::new(address.cast()).map(|address| Self { address, len });
        let mapping = mapping.ok_or_else(|| io::Error::other("the kernel has mapped it at address 0"))?;
        // SAFETY: the range was just mapped, and no other code has its address yet. If `munlock` fails, the mapping
        // costs memory. If the last `madvise` fails, a core dump contains the pages of peers.
        unsafe {
            let _ = munlock(address, len);
            mprotect(address, len, MprotectFlags::READ | MprotectFlags::WRITE)?;
            let _ = madvise(address, len, Advice::LinuxDontDump);
        }
        Ok(mapping)
    }

    /// Returns the address of a byte in the mapping.
    ///
    /// # Panics
    /// Panics if the byte is not in the mapping.
    #[inline]
    pub(crate) fn address_at(&self, offset: usize) -> NonNull<u8> {
        assert!(offset < self.len);
        // SAFETY: within the mapping.
        unsafe { self.address.add(offset) }
    }

    /// Returns `count` shared objects in a row at `offset`; `None` if they are not all in the mapping, or not aligned.
    pub(crate) fn get_slice<T: SharedType>(&self, offset: usize, count: usize) -> Option<&[T]> {
        let len = size_of::<T>().checked_mul(count)?;
        let fits = len > 0 && offset.checked_add(len)? <= self.len;
        let address = fits.then(|| self.address_at(offset).cast::<T>())?;
        // SAFETY: in bounds and aligned; `SharedType` allows any bits and concurrent change; the mapping
        // outlives the borrow of `self`.
        address.is_aligned().then(|| unsafe { std::slice::from_raw_parts(address.as_ptr(), count) })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; every reference into it borrows this.
        let _ = unsafe { munmap(self.address.as_ptr().cast(), self.len) };
    }
}
