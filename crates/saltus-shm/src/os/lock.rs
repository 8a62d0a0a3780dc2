//! File locks that say who is alive and who may change the domain.
//!
//! These are POSIX record locks: the kernel drops them when the process dies, however it dies, and
//! a forked child does not inherit them. They work across PID namespaces. Their trap: closing *any*
//! descriptor of the file drops the process's lock on it, so nobody here opens a file of its own
//! process a second time.

use std::{fs::File, io};

use rustix::{
    fs::{FlockOperation, fcntl_lock},
    process::{Flock, FlockOffsetType, FlockType, fcntl_getlk},
};

/// Takes the lock, waiting for its holder.
pub(crate) fn acquire(file: &File) -> io::Result<()> {
    loop {
        match fcntl_lock(file, FlockOperation::LockExclusive) {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map_err(io::Error::from),
        }
    }
}

/// Takes the lock if nobody holds it.
pub(crate) fn try_acquire(file: &File) -> bool {
    fcntl_lock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Gives the lock back.
pub(crate) fn release(file: &File) -> io::Result<()> {
    fcntl_lock(file, FlockOperation::Unlock).map_err(io::Error::from)
}

/// Whether another process holds the lock.
pub(crate) fn is_held(file: &File) -> io::Result<bool> {
    let whole = Flock {
        start: 0,
        length: 0,
        pid: None,
        typ: FlockType::WriteLock,
        offset_type: FlockOffsetType::Set,
    };
    Ok(fcntl_getlk(file, &whole)?.is_some())
}
