//! A pipe with a name, for waiting on a doorbell and on file descriptors at once.
//!
//! A named pipe and not an eventfd, because a stranger can open a name: an eventfd would have to be
//! handed over a socket to every process that may ring it. Both cost the same (see
//! `docs/decisions/0002-wake-up.md`).

use std::{
    fs::File,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use super::fork::Origin;
use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open, unlink};

/// The owner's end: readable while somebody has rung. Removes the name when dropped.
#[derive(Debug)]
pub(crate) struct Bell {
    fd: OwnedFd,
    path: PathBuf,
    origin: Origin,
}

impl Bell {
    /// Makes the pipe. Opened for both directions, so that it neither waits for a writer nor ever
    /// reports one as gone.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR)?;
        let fd = open(&path, OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd, path, origin: Origin::here() })
    }

    /// Rings it.
    pub(crate) fn ring(&self) {
        pull(self.fd.as_fd());
    }

    /// Takes all rings out of the pipe.
    pub(crate) fn clear(&self) {
        let mut rings = [0u8; 64];
        while rustix::io::read(&self.fd, &mut rings).is_ok_and(|taken| taken == rings.len()) {}
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        // A forked child leaves the name alone: its parent still uses it.
        if self.origin.is_here() {
            // Somebody may have swept it already.
            let _ = unlink(&self.path);
        }
    }
}

/// A ringer's end of another process's bell.
#[derive(Debug)]
pub(crate) struct BellRope(File);

impl BellRope {
    /// Opens the bell; fails if its owner is gone. For both directions, so that ringing one whose
    /// owner goes later is no SIGPIPE.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let fd = open(path, OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self(fd.into()))
    }

    /// Rings it.
    pub(crate) fn ring(&self) {
        pull(self.0.as_fd());
    }
}

fn pull(pipe: BorrowedFd<'_>) {
    // A full pipe is rung already, and one whose owner is gone has nobody to wake.
    let _ = rustix::io::write(pipe, &[1]);
}
