//! Descriptors that a forked child does not keep.
//!
//! A forked child inherits every open file description. Some of them show that the process is alive: the lock of
//! its segment, and the pipe whose closing shows the peers that the process has ended. A child that kept them would
//! keep its dead parent in the graph. So the child closes them as soon as it begins to run.
//!
//! `fork` calls the handler that does this; a raw `clone` does not. A child that was made by a raw `clone` keeps
//! the descriptors. Peers then learn of the parent's end from the kernel's list of processes (`process`).

use std::{
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd},
    sync::{
        Once,
        atomic::{AtomicI32, Ordering},
    },
};

use super::fork::{Origin, wipe};

/// The largest number of descriptors that are private at a time. Forked children keep those beyond this number.
const SLOTS: usize = 256;
const EMPTY: i32 = -1;

/// The private descriptors, where the handler of a forked child finds them without a lock.
static PRIVATE: [AtomicI32; SLOTS] = [const { AtomicI32::new(EMPTY) }; SLOTS];

/// A descriptor that is closed in a forked child.
///
/// **Invariant:** it is not used in a forked child, where its number may be that of another file.
#[derive(Debug)]
pub(crate) struct PrivateFd {
    fd: RawFd,
    slot: Option<usize>,
    origin: Origin,
}

impl PrivateFd {
    /// Makes a descriptor private: children that this process forks from now on do not keep it.
    pub(crate) fn new(fd: OwnedFd) -> Self {
        // This comes first, so that the page that the handler clears exists before the handler does. Otherwise a child
        // could wait for ever for a thread of its parent that was creating the page.
        let origin = Origin::here();
        close_in_children();
        let fd = fd.into_raw_fd();
        let is_taken =
            |slot: &AtomicI32| slot.compare_exchange(EMPTY, fd, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        Self { fd, slot: PRIVATE.iter().position(is_taken), origin }
    }
}

impl AsFd for PrivateFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: open until this is dropped, in the process that made it.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

impl AsRawFd for PrivateFd {
    fn as_raw_fd(&self) -> RawFd {
        self.fd
    }
}

impl Drop for PrivateFd {
    fn drop(&mut self) {
        if self.origin.is_here() {
            if let Some(slot) = self.slot {
                PRIVATE[slot].store(EMPTY, Ordering::Release);
            }
            // SAFETY: it came from an `OwnedFd`, and is closed here only.
            drop(unsafe { OwnedFd::from_raw_fd(self.fd) });
        }
    }
}

/// Registers the handler, once for a process and all processes that it forks.
fn close_in_children() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the handler has the type that is expected, lives as long as this library, and does only
        // what may be done in a child of a process with threads. If there is no room for it, a child keeps
        // the descriptors, like a child that was made by a raw `clone`.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

extern "C" fn in_child() {
    wipe();
    for slot in &PRIVATE {
        let fd = slot.swap(EMPTY, Ordering::AcqRel);
        if fd != EMPTY {
            // SAFETY: it is the child's copy of a descriptor that is used only in the parent.
            unsafe { libc::close(fd) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};

    #[test]
    fn a_forked_child_holds_no_private_descriptor() {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let writer = PrivateFd::new(writer);
        let (hold, release) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        // SAFETY: the child waits until its parent closes a pipe, and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            drop(release);
            let _ = rustix::io::read(&hold, &mut [0; 1]);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(0) };
        }
        drop(writer);
        let end = rustix::io::read(&reader, &mut [0; 1]).unwrap();
        assert_eq!(end, 0, "the child has no copy of the writing end");
        drop(release);
        let mut status = -1;
        // SAFETY: waits for the child that was just forked.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
    }
}
