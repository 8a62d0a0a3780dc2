//! Transports: how messages of clients arrive and leave.

pub(crate) mod can;
mod discovery;
pub(crate) mod serial;
mod stream;
pub(crate) mod tcp;
pub(crate) mod udp;

use std::{
    fmt,
    hash::Hash,
    io,
    net::{IpAddr, SocketAddr},
    os::fd::BorrowedFd,
};

use rustix::event::epoll::{self, EventData, EventFlags};
use saltus_xrce::Locator;

/// The longest message of any transport, in bytes.
pub(crate) const LONGEST_MESSAGE: usize = 65_535;

/// An event of a transport.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TransportEvent<A> {
    /// A message of this many bytes.
    Message { from: A, len: usize },
    /// The end of a connection.
    Closed(A),
}

/// A way to exchange messages with clients.
///
/// No method waits. The worker waits for the descriptors that the transport has registered, and calls
/// [`Transport::note_ready`] with the numbers under which they are registered.
pub(crate) trait Transport {
    /// The address of a client.
    type Address: Clone + Eq + Hash + fmt::Debug;

    /// Registers the descriptors to wait for. The numbers below [`FIRST_NUMBER`] are not for transports.
    fn register(&mut self, poller: Poller) -> io::Result<()>;

    /// Notes that a descriptor is ready.
    fn note_ready(&mut self, number: u64);

    /// Takes the next event, if there is one. A message is written to the beginning of `buffer`, which has room for
    /// [`LONGEST_MESSAGE`] bytes.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<TransportEvent<Self::Address>>>;

    /// Sends a message, at the latest when [`Transport::flush`] is called. Returns whether it is on its way.
    fn send(&mut self, to: &Self::Address, message: &[u8]) -> bool;

    /// Writes what [`Transport::send`] has kept, so that several messages to a client cost one system call.
    fn flush(&mut self) {}

    /// Returns the longest message that can be sent, in bytes.
    fn mtu(&self) -> usize;

    /// Returns the transport and the address of a client, for people.
    fn link(&self, address: &Self::Address) -> String;

    /// Returns the name of the transport with its own address, for people.
    fn name(&self) -> String;

    /// Does periodic work, such as opening lines whose devices have appeared. The worker calls it a few times a second.
    fn maintain(&mut self) {}

    /// Returns how many bytes or frames could not be read as messages.
    fn damaged(&self) -> u64 {
        0
    }

    /// Returns how many messages of clients the system has dropped, because the agent did not read them in time.
    fn dropped(&mut self) -> u64 {
        0
    }

    /// Returns the addresses at which a client reaches this transport, if clients have addresses. A client uses the last one
    /// that it can use.
    fn reachable_at(&self, _client: &Self::Address) -> Option<Vec<SocketAddr>> {
        None
    }
}

/// Returns an address as clients get it.
pub(crate) fn locator(address: SocketAddr) -> Locator {
    match address.ip().to_canonical() {
        IpAddr::V4(ip) => Locator::V4(ip.octets(), address.port()),
        IpAddr::V6(ip) => Locator::V6(ip.octets(), address.port().into()),
    }
}

/// The numbers from this one on are for the descriptors of transports.
pub(crate) const FIRST_NUMBER: u64 = 1 << 16;

/// The set of descriptors that a worker waits for.
#[derive(Clone, Debug)]
pub(crate) struct Poller(std::sync::Arc<std::os::fd::OwnedFd>);

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(std::sync::Arc::new(epoll::create(epoll::CreateFlags::CLOEXEC)?)))
    }

    /// Adds a descriptor, which is ready when there is something to read.
    pub(crate) fn add(&self, fd: BorrowedFd<'_>, number: u64) -> io::Result<()> {
        Ok(epoll::add(&*self.0, fd, EventData::new_u64(number), EventFlags::IN)?)
    }

    /// Sets whether a descriptor is also ready when something can be written.
    pub(crate) fn want_write(&self, fd: BorrowedFd<'_>, number: u64, wanted: bool) -> io::Result<()> {
        let flags = if wanted { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        Ok(epoll::modify(&*self.0, fd, EventData::new_u64(number), flags)?)
    }

    /// Waits until a descriptor is ready or `timeout` nanoseconds have passed. Returns the numbers of those that are
    /// ready.
    pub(crate) fn wait(&self, ready: &mut Vec<u64>, timeout: Option<u64>) -> io::Result<()> {
        let mut events = [const { std::mem::MaybeUninit::uninit() }; 64];
        let timeout = timeout.map(|nanoseconds| rustix::event::Timespec {
            tv_sec: (nanoseconds / 1_000_000_000) as i64,
            tv_nsec: (nanoseconds % 1_000_000_000) as i64,
        });
        ready.clear();
        match epoll::wait(&*self.0, &mut events, timeout.as_ref()) {
            Ok((events, _)) => ready.extend(events.iter().map(|event| event.data.u64())),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Returns whether an error only says that there is nothing to read, or no room to write.
pub(crate) fn would_block(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
