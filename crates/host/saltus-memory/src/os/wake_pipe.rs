//! Named pipes that wake a thread which polls file descriptors.
//!
//! These are named pipes and not eventfds, because another process can open a name. An eventfd would have to be
//! sent over a socket to every process that may ring it. Both need one system
//! call per wake.
//!
//! The pipe of a member's housekeeping thread also shows its peers when the member ends. The peers hold writing
//! ends, and the member holds the only reading end. The kernel closes the reading end when the member dies or calls
//! `exec`. Then a poll of the peers reports an error at once, also across PID namespaces.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
};

use rustix::{
    fs::OFlags,
    io::Errno,
    pipe::{PipeFlags, pipe_with},
};

use super::{folder::Folder, fork::Origin, private_fd::PrivateFd, thread::without_sigpipe};

/// The owner's end. It is readable after it was rung, until it is cleared. Its name is removed when it is dropped.
#[derive(Debug)]
pub struct WakePipe {
    fd: PrivateFd,
    name: Name,
}

#[derive(Debug)]
enum Name {
    Named(Arc<Folder>, String, Origin),
    /// Only this process can ring it, through this writing end.
    Unnamed(PrivateFd),
}

impl WakePipe {
    /// Creates the pipe. It is opened for both directions, so opening it does not wait for a writer, and a poll never
    /// reports that the writers are gone.
    pub(crate) fn create(folder: &Arc<Folder>, name: String) -> io::Result<Self> {
        folder.make_pipe(&name)?;
        let fd = folder.open_pipe(&name, OFlags::RDWR).inspect_err(|_| folder.remove(&name))?;
        Ok(Self { fd: PrivateFd::new(fd), name: Name::Named(folder.clone(), name, Origin::here()) })
    }

    /// Creates a pipe without a name.
    pub(crate) fn without_name() -> io::Result<Self> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { fd: PrivateFd::new(reader), name: Name::Unnamed(PrivateFd::new(writer)) })
    }

    /// Rings the pipe: makes it readable.
    pub(crate) fn ring(&self) {
        let end = match &self.name {
            Name::Named(..) => &self.fd,
            Name::Unnamed(writer) => writer,
        };
        // SIGPIPE can't end the process, because it has a reading end too. A full pipe is rung already.
        let _ = write_one(end.as_fd());
    }

    /// Takes all rings out of the pipe.
    pub fn clear(&self) {
        let mut rings = [0u8; 64];
        while rustix::io::read(&self.fd, &mut rings).is_ok_and(|taken| taken == rings.len()) {}
    }

    /// Whether its name leads to it.
    pub(crate) fn is_named(&self) -> bool {
        match &self.name {
            Name::Named(folder, name, _) => folder.leads_to(name, self.fd.as_fd()),
            Name::Unnamed(_) => false,
        }
    }
}

impl AsFd for WakePipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for WakePipe {
    fn drop(&mut self) {
        // A forked child leaves the name alone: its parent still uses it.
        if let Name::Named(folder, name, origin) = &self.name
            && origin.is_here()
            && self.is_named()
        {
            folder.remove(name);
        }
    }
}

/// A writing end of another process's pipe.
#[derive(Debug)]
pub struct WakePipeWriter(OwnedFd);

impl WakePipeWriter {
    /// Opens the pipe for writing only, so that a poll reports when its last reader is gone.
    ///
    /// # Errors
    /// Returns `ENXIO` if no process reads it: its owner is gone.
    pub(crate) fn open(folder: &Folder, name: &str) -> io::Result<Self> {
        folder.open_pipe(name, OFlags::WRONLY).map(Self)
    }

    /// Rings the pipe: makes its other end readable.
    pub(crate) fn ring(&self) {
        // A full pipe is rung already. If the owner of the pipe is gone, there is no thread to wake.
        without_sigpipe(|| write_one(self.0.as_fd()));
    }
}

impl AsFd for WakePipeWriter {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn write_one(pipe: BorrowedFd<'_>) -> Result<usize, Errno> {
    rustix::io::write(pipe, &[1])
}
