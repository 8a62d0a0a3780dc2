//! File locks. They show which members are alive and which process may change a domain.
//!
//! These are locks of an open file description. The kernel frees such a lock when the last descriptor of its
//! description is closed. That happens when the process ends in any way, or calls `exec`. Two copies of this
//! library in one process are two holders. The locks work across PID namespaces.
//!
//! A mapping keeps its description open, and a forked child inherits both. So a lock is always taken
//! through a description that is never mapped and that children close ([`PrivateFd`]).

use std::{
    io,
    os::fd::{AsFd, AsRawFd},
};

use super::private_fd::PrivateFd;

/// Returns the parameters of a lock on a whole file. The lock belongs to the description, so it ends when the
/// description is closed.
fn whole_file(kind: i32) -> libc::flock {
    libc::flock { l_type: kind as i16, l_whence: libc::SEEK_SET as i16, l_start: 0, l_len: 0, l_pid: 0 }
}

fn control(fd: &impl AsFd, command: i32, lock: &mut libc::flock) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the kernel reads and writes one `flock`.
    match unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), command, &raw mut *lock) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Takes the lock if it is free. Returns whether it was taken.
pub(crate) fn try_acquire(file: &PrivateFd) -> io::Result<bool> {
    match control(file, libc::F_OFD_SETLK, &mut whole_file(libc::F_WRLCK)) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Releases the lock.
pub(crate) fn release(file: &PrivateFd) {
    // It fails only for a descriptor that is not open, and then the lock is not held.
    let _ = control(file, libc::F_OFD_SETLK, &mut whole_file(libc::F_UNLCK));
}

/// Whether another description holds the lock, in any process.
pub(crate) fn is_held(file: &impl AsFd) -> io::Result<bool> {
    let mut lock = whole_file(libc::F_WRLCK);
    control(file, libc::F_OFD_GETLK, &mut lock)?;
    Ok(lock.l_type != libc::F_UNLCK as i16)
}
