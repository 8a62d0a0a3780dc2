//! Segments: the files of members in shared memory, and the mappings of these files.
//!
//! The file is sparse and grows in windows of 1 GiB. Each window is mapped once, when it is first
//! needed, at any address. Address space is cheap and pages are not, so a window costs nothing until
//! its pages are committed. The owner commits them explicitly, for two reasons. If a page without memory is
//! accessed while the file system is full, the kernel kills the process with SIGBUS. And a page fault takes longer
//! than a whole round trip of a small message.

use std::{
    fs::File,
    io,
    ops::Deref,
    os::unix::fs::MetadataExt,
    ptr::NonNull,
    sync::{Arc, OnceLock},
};

use rustix::{
    fs::{FallocateFlags, fallocate, ftruncate},
    mm::{Advice, madvise},
};

use super::{
    folder::Folder,
    mapping::{Mapping, SharedType},
    mutex::Mutex,
};

/// The size of a window in bytes. A block can't be larger than this.
pub const WINDOW: u64 = 1 << 30;
/// The number of bytes that are committed in one step. The kernel locks the file during a step, and a thread that publishes may
/// need a page of the file meanwhile.
const SLICE: u64 = 256 << 10;
/// The largest number of windows of a file after the first: 64 GiB in all.
const OTHER_WINDOWS: usize = 63;

/// The mapped file of one process.
///
/// **Invariant:** a window that was mapped stays mapped at its address until this is dropped.
#[derive(Debug)]
pub struct Segment {
    file: File,
    first: OnceLock<Mapping>,
    growing: Mutex<()>,
    /// The other windows. They are allocated separately, because a segment rarely has any, and each process has a
    /// `Segment` of every other process.
    others: OnceLock<Box<[OnceLock<Mapping>; OTHER_WINDOWS]>>,
}

impl Segment {
    /// Creates a file of one window. Nothing in it is committed yet.
    pub fn create(folder: &Folder, name: &str) -> io::Result<Self> {
        let file = folder.create(name)?;
        ftruncate(&file, WINDOW)?;
        Ok(Self::from_file(file))
    }

    /// Returns the segment in the file of another process.
    ///
    /// # Errors
    /// Returns an error if the length of the file is not that of one or more windows.
    pub(crate) fn open(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        match len >= WINDOW && len.is_multiple_of(WINDOW) {
            true => Ok(Self::from_file(file)),
            false => Err(io::Error::other(format!(
                "it is not a segment: it has {len} bytes, not one or more times {WINDOW}"
            ))),
        }
    }

    /// Creates a segment without a name.
    #[cfg(test)]
    pub(crate) fn anonymous() -> Self {
        let file = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, WINDOW).unwrap();
        Self::from_file(file.into())
    }

    fn from_file(file: File) -> Self {
        Self { file, growing: Mutex::default(), first: OnceLock::new(), others: OnceLock::new() }
    }

    /// Returns the file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the inode of the file.
    pub(crate) fn inode(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.ino())
    }

    /// Owner: makes sure that `len` bytes at `offset` have memory, and are in this process's page
    /// table too. Returns an error if the file system is full. It never causes a signal.
    pub fn commit(&self, offset: u64, len: u64) -> io::Result<()> {
        self.grow(offset + len)?;
        let end = offset + len;
        let slices = (offset..end).step_by(SLICE as usize);
        slices.into_iter().try_for_each(|from| self.commit_slice(from, (end - from).min(SLICE)))
    }

    /// Makes the file at least `end` bytes long.
    fn grow(&self, end: u64) -> io::Result<()> {
        if end > self.file.metadata()?.len() {
            // If another thread has just made the file longer, this must not shorten it.
            let _growing = self.growing.lock();
            if end > self.file.metadata()?.len() {
                ftruncate(&self.file, end.next_multiple_of(WINDOW))?;
            }
        }
        Ok(())
    }

    fn commit_slice(&self, offset: u64, len: u64) -> io::Result<()> {
        fallocate(&self.file, FallocateFlags::empty(), offset, len)?;
        let first = offset & !4095;
        let end = offset + len;
        let address =
            self.address(first, end - first).ok_or_else(|| io::Error::other("it is outside the segment"))?;
        let span = (end - first).next_multiple_of(4096) as usize;
        // SAFETY: the range lies in a mapping of this segment. An older kernel refuses the advice. That is not an
        // error: the pages have memory already, and they are mapped at their first use.
        let _ = unsafe { madvise(address.as_ptr().cast(), span, Advice::LinuxPopulateWrite) };
        Ok(())
    }

    /// Owner: returns the memory of whole pages to the system. They read as zero when they are committed again.
    pub(crate) fn decommit(&self, offset: u64, len: u64) {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // If the kernel refuses, the memory stays in use. That is not an error.
        let _ = fallocate(&self.file, flags, offset, len);
    }

    /// Returns the address of `len` bytes at `offset`. Maps their window if it is not mapped yet.
    /// Returns `None` if the bytes don't lie in one window of the file.
    #[inline]
    pub(crate) fn address(&self, offset: u64, len: u64) -> Option<NonNull<u8>> {
        let (index, start) = ((offset / WINDOW) as usize, offset % WINDOW);
        if start.checked_add(len)? > WINDOW {
            return None;
        }
        let window = match self.window(index)?.get() {
            Some(window) => window,
            None => self.map_window(index)?,
        };
        Some(window.address_at(start as usize))
    }

    #[inline]
    fn window(&self, index: usize) -> Option<&OnceLock<Mapping>> {
        match index {
            0 => Some(&self.first),
            _ => self
                .others
                .get_or_init(|| Box::new([const { OnceLock::new() }; OTHER_WINDOWS]))
                .get(index - 1),
        }
    }

    #[cold]
    fn map_window(&self, index: usize) -> Option<&Mapping> {
        let start = index as u64 * WINDOW;
        if self.file.metadata().ok()?.len() < start + WINDOW {
            return None;
        }
        let window = Mapping::new(&self.file, start, WINDOW as usize).ok()?;
        // If another thread was faster, this mapping is dropped and that thread's mapping is used.
        Some(self.window(index)?.get_or_init(|| window))
    }

    /// Returns a shared object at `offset`, if it lies in the file and is aligned.
    pub fn get<T: SharedType>(&self, offset: u64) -> Option<&T> {
        self.get_slice(offset, 1).and_then(<[T]>::first)
    }

    /// Returns `count` shared objects in a row at `offset`.
    #[inline]
    pub(crate) fn get_slice<T: SharedType>(&self, offset: u64, count: usize) -> Option<&[T]> {
        let address = self.address(offset, (size_of::<T>() as u64).checked_mul(count as u64)?)?;
        if !address.cast::<T>().is_aligned() {
            return None;
        }
        // SAFETY: in bounds and aligned; `SharedType` allows any bits and concurrent change; the
        // mapping outlives the borrow of `self`.
        Some(unsafe { std::slice::from_raw_parts(address.cast::<T>().as_ptr(), count) })
    }
}

/// A shared object, and the segment that keeps it mapped.
#[derive(Debug)]
pub struct Mapped<T> {
    object: NonNull<T>,
    segment: Arc<Segment>,
}

// SAFETY: it gives out `&T` only, and `SharedType` types are `Sync`; the segment is `Send` and `Sync`.
unsafe impl<T: SharedType> Send for Mapped<T> {}
// SAFETY: as above.
unsafe impl<T: SharedType> Sync for Mapped<T> {}

impl<T: SharedType> Mapped<T> {
    /// Returns the object at `offset`, if it lies in the file and is aligned.
    pub(crate) fn new(segment: &Arc<Segment>, offset: u64) -> Option<Self> {
        let object = NonNull::from(segment.get::<T>(offset)?);
        Some(Self { object, segment: segment.clone() })
    }

    /// Returns the segment that it lies in.
    pub(crate) fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }
}

impl<T: SharedType> Deref for Mapped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the pointer was made from a reference into the segment that this holds.
        unsafe { self.object.as_ref() }
    }
}

impl<T> Clone for Mapped<T> {
    fn clone(&self) -> Self {
        Self { object: self.object, segment: self.segment.clone() }
    }
}
