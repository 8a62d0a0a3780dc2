//! The lock of the one bridge that joins a domain of a host to a network.
//!
//! Two bridges would announce each entity twice. So a bridge holds a socket while it is there, and another one waits until the
//! socket is closed. The kernel closes it however the bridge ends, and nothing remains in any folder.

use std::{
    fmt, fs, io,
    io::Read,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::MetadataExt,
            net::{SocketAddr, UnixListener, UnixStream},
        },
    },
    path::Path,
    thread,
    time::Duration,
};

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};

/// The number of times that a lock is tried before it counts as held by a program that is no bridge.
const TRIES: u32 = 100;
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// A lock that this process holds until this is dropped.
#[derive(Debug)]
pub(crate) struct BridgeLock {
    _socket: UnixListener,
}

/// A bridge that holds a lock.
#[derive(Debug)]
pub struct Holder {
    /// `None` if it is one of another container: its number means nothing here.
    process: Option<i32>,
    connection: UnixStream,
}

/// The result of an attempt to take a lock.
#[derive(Debug)]
pub(crate) enum Attempt {
    Taken(BridgeLock),
    Held(Holder),
}

/// The name of a lock. It is in the network namespace of the process.
#[derive(Debug)]
pub(crate) struct LockName(SocketAddr);

impl LockName {
    /// Returns the name of the lock for a domain, whose files are in `folder`, and a network.
    pub(crate) fn new(folder: &Path, domain: u32, network: &str) -> io::Result<Self> {
        let folder = fs::metadata(folder)?;
        let (device, file, user) = (folder.dev(), folder.ino(), rustix::process::geteuid().as_raw());
        let name = format!("saltus-bridge/{device}/{file}/{user}/{domain}/{network}");
        Ok(Self(SocketAddr::from_abstract_name(name)?))
    }

    /// Takes the lock, or returns who holds it.
    ///
    /// # Errors
    /// Returns an error if a program of another user holds it: it would never give it back.
    pub(crate) fn take(&self) -> io::Result<Attempt> {
        for _ in 0..TRIES {
            match UnixListener::bind_addr(&self.0) {
                Ok(socket) => return Ok(Attempt::Taken(BridgeLock { _socket: socket })),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                Err(error) => return Err(error),
            }
            match UnixStream::connect_addr(&self.0) {
                Ok(connection) => return Holder::new(connection).map(Attempt::Held),
                // It has ended meanwhile, or does not listen yet.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => thread::sleep(PAUSE),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("a program holds its socket and does not listen"))
    }
}

impl Holder {
    fn new(connection: UnixStream) -> io::Result<Self> {
        let peer = getsockopt(&connection, PeerCredentials)?;
        let holder = Self { process: Some(peer.pid()).filter(|&process| process > 0), connection };
        if peer.uid() != rustix::process::geteuid().as_raw() {
            let user = peer.uid();
            return Err(io::Error::other(format!(
                "{holder} of the user {user} holds the lock of the bridge; end it"
            )));
        }
        Ok(holder)
    }

    /// Waits until it releases the lock or ends.
    pub fn wait(mut self) {
        // It sends nothing. The end of the connection is the end of the holder, in whichever way it is reported.
        let mut byte = [0];
        while matches!(self.connection.read(&mut byte), Ok(1..)) {}
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.process {
            Some(process) => write!(f, "process {process}"),
            None => f.write_str("a process of another container"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_a_lock_and_another_one_waits_for_its_end() {
        let name = |network| LockName::new(Path::new("/dev/shm"), 7, network).unwrap();
        let network = format!("test of process {}", std::process::id());
        let Attempt::Taken(first) = name(&network).take().unwrap() else { panic!("it was free") };
        let Attempt::Held(holder) = name(&network).take().unwrap() else { panic!("it is held") };
        assert_eq!(holder.to_string(), format!("process {}", std::process::id()));
        assert!(matches!(name("another network").take().unwrap(), Attempt::Taken(_)));
        let waiting = std::thread::spawn(move || holder.wait());
        drop(first);
        waiting.join().unwrap();
        assert!(matches!(name(&network).take().unwrap(), Attempt::Taken(_)));
    }
}
