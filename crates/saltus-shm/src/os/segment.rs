//! A process's file in shared memory, and mappings of it.
//!
//! The file is sparse and grows in windows of 1 GiB, each mapped once, when first needed, at
//! whatever address. Address space is cheap and pages are not, so a window costs nothing until
//! its pages are committed: the owner does that explicitly, because a page that is touched while
//! the file system is full kills the process with SIGBUS, and because a page fault costs more than
//! a whole small round trip.

use std::{
    fs::File,
    io,
    ops::Deref,
    path::Path,
    ptr::NonNull,
    sync::{Arc, OnceLock},
};

use rustix::{
    fs::{FallocateFlags, Mode, OFlags, fallocate, ftruncate, open},
    mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap, mprotect, munlock, munmap},
};

/// The size of a window in bytes: also the most that one block can hold.
pub(crate) const WINDOW: u64 = 1 << 30;
/// How many windows a file can have: 64 GiB.
const WINDOWS: usize = 64;

/// Types that may lie in shared memory.
///
/// # Safety
/// Every bit pattern must be a valid value, and every field that changes must be an atomic, because
/// other processes write to it at any time.
pub(crate) unsafe trait Shared: Sync {}

// SAFETY: both consist of atomics and reserved bytes, and accept any bits.
unsafe impl Shared for crate::protocol::doorbell::Doorbell {}
// SAFETY: as above.
unsafe impl Shared for crate::protocol::ring::RingHeader {}
// SAFETY: as above.
unsafe impl Shared for crate::protocol::port::Port {}
// SAFETY: as above.
unsafe impl Shared for crate::protocol::record::RecordHeader {}
// SAFETY: an atomic accepts any bits.
unsafe impl Shared for std::sync::atomic::AtomicU64 {}

/// One process's file, mapped.
///
/// **Invariant:** a window that was mapped stays mapped at its address until this is dropped.
#[derive(Debug)]
pub(crate) struct Segment {
    file: File,
    windows: [OnceLock<Window>; WINDOWS],
}

#[derive(Debug)]
struct Window(NonNull<u8>);

// SAFETY: the pointer is to a shared mapping that lives as long as the window; access through it
// goes by the rules of `Shared` or of the chunk protocol.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    fn map(file: &File, index: usize) -> io::Result<Self> {
        let (len, offset) = (WINDOW as usize, index as u64 * WINDOW);
        // SAFETY: a new mapping at an address of the kernel's choice. It can't be accessed at first:
        // under `mlockall(MCL_FUTURE)` the kernel would fill the whole window with memory at once.
        let address =
            unsafe { mmap(std::ptr::null_mut(), len, ProtFlags::empty(), MapFlags::SHARED, file, offset)? };
        let window = NonNull::new(address.cast()).map(Self);
        let window = window.ok_or_else(|| io::Error::other("mapped at address 0"))?;
        // SAFETY: the range was just mapped, and nobody knows it yet. Unlocking and not dumping it
        // may fail: then it costs memory, or a core dump holds its peers' pages.
        unsafe {
            let _ = munlock(address, len);
            mprotect(address, len, MprotectFlags::READ | MprotectFlags::WRITE)?;
            let _ = madvise(address, len, Advice::LinuxDontDump);
        }
        Ok(window)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length; every reference into it borrows the segment.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), WINDOW as usize) };
    }
}

impl Segment {
    /// Makes a new file of one window and takes nothing of it yet.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(open(path, flags, Mode::RUSR | Mode::WUSR)?);
        ftruncate(&file, WINDOW)?;
        Ok(Self::over(file))
    }

    /// Opens the file of another process.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::over(open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?.into()))
    }

    fn over(file: File) -> Self {
        Self { file, windows: [const { OnceLock::new() }; WINDOWS] }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Owner: makes sure that `len` bytes at `offset` have memory behind them, in this process's
    /// page table too. An error, never a signal, if the file system is full.
    pub(crate) fn commit(&self, offset: u64, len: u64) -> io::Result<()> {
        let end = offset + len;
        if end > self.file.metadata()?.len() {
            ftruncate(&self.file, end.next_multiple_of(WINDOW))?;
        }
        fallocate(&self.file, FallocateFlags::empty(), offset, len)?;
        let first = offset & !4095;
        let address =
            self.address(first, end - first).ok_or_else(|| io::Error::other("outside the segment"))?;
        let span = (end - first).next_multiple_of(4096) as usize;
        // SAFETY: the range lies in a mapping of this segment. An older kernel refuses the advice;
        // then the pages, which exist by now, are mapped at their first use.
        let _ = unsafe { madvise(address.as_ptr().cast(), span, Advice::LinuxPopulateWrite) };
        Ok(())
    }

    /// Owner: gives the memory of whole pages back; they read as zero when committed again.
    pub(crate) fn decommit(&self, offset: u64, len: u64) {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // If the kernel refuses, the memory stays: a cost, not an error.
        let _ = fallocate(&self.file, flags, offset, len);
    }

    /// The address of `len` bytes at `offset`, mapping their window if need be. `None` if they
    /// don't lie in one window of the file.
    pub(crate) fn address(&self, offset: u64, len: u64) -> Option<NonNull<u8>> {
        let (index, start) = ((offset / WINDOW) as usize, offset % WINDOW);
        if start.checked_add(len)? > WINDOW {
            return None;
        }
        let slot = self.windows.get(index)?;
        let window = match slot.get() {
            Some(window) => window,
            None => self.map_window(slot, index)?,
        };
        // SAFETY: `start` lies within the mapping of `WINDOW` bytes.
        Some(unsafe { window.0.add(start as usize) })
    }

    #[cold]
    fn map_window<'a>(&self, slot: &'a OnceLock<Window>, index: usize) -> Option<&'a Window> {
        if self.file.metadata().ok()?.len() < (index as u64 + 1) * WINDOW {
            return None;
        }
        let window = Window::map(&self.file, index).ok()?;
        // If another thread was faster, this mapping is dropped and the other's is used.
        Some(slot.get_or_init(|| window))
    }

    /// A shared object at `offset`, if it lies in the file and is aligned.
    pub(crate) fn get<T: Shared>(&self, offset: u64) -> Option<&T> {
        self.get_slice(offset, 1).and_then(<[T]>::first)
    }

    /// Shared objects in a row at `offset`.
    pub(crate) fn get_slice<T: Shared>(&self, offset: u64, count: usize) -> Option<&[T]> {
        let address = self.address(offset, (size_of::<T>() as u64).checked_mul(count as u64)?)?;
        if !address.cast::<T>().is_aligned() {
            return None;
        }
        // SAFETY: in bounds and aligned; `Shared` allows any bits and concurrent change; the
        // mapping outlives the borrow of `self`.
        Some(unsafe { std::slice::from_raw_parts(address.cast::<T>().as_ptr(), count) })
    }
}

/// A shared object together with what keeps it mapped.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    object: NonNull<T>,
    segment: Arc<Segment>,
}

// SAFETY: it gives out `&T` only, and `Shared` types are `Sync`; the segment is `Send` and `Sync`.
unsafe impl<T: Shared> Send for Mapped<T> {}
// SAFETY: as above.
unsafe impl<T: Shared> Sync for Mapped<T> {}

impl<T: Shared> Mapped<T> {
    /// The object at `offset`, if it lies in the file and is aligned.
    pub(crate) fn new(segment: &Arc<Segment>, offset: u64) -> Option<Self> {
        let object = NonNull::from(segment.get::<T>(offset)?);
        Some(Self { object, segment: segment.clone() })
    }

    pub(crate) fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }
}

impl<T: Shared> Deref for Mapped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: made from a reference into the segment that this holds.
        unsafe { self.object.as_ref() }
    }
}

impl<T> Clone for Mapped<T> {
    fn clone(&self) -> Self {
        Self { object: self.object, segment: self.segment.clone() }
    }
}
