//! TCP: each message has its length before it.

use std::{
    collections::{HashMap, VecDeque},
    fs::File,
    io::{self, Read},
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::AsFd,
};

use rustix::io::Errno;
use saltus_host::monotonic_now;
use saltus_xrce::{TcpDecoder, write_tcp_message};

use super::{
    FIRST_NUMBER, LONGEST_MESSAGE, Poller, Transport, TransportEvent, stream::Outgoing, would_block,
};

/// The number of bytes that may wait for a connection, besides those that the system holds.
const WAITING: usize = 256 << 10;
/// The number of connections.
const CONNECTIONS: usize = 4096;
/// A connection from which nothing came for this time may be closed to make room for another one, in nanoseconds. A
/// client with the default lease answers the agent more often; one with a longer lease may have to connect again.
const SILENCE: u64 = 30_000_000_000;

/// A listening socket and its connections.
#[derive(Debug)]
pub(crate) struct Tcp {
    listener: TcpListener,
    poller: Option<Poller>,
    connections: HashMap<u64, Connection>,
    next_number: u64,
    /// The connections that may have something to read. The listener is not among them.
    ready: VecDeque<u64>,
    may_accept: bool,
    /// The connections that have ended, and that the agent does not know yet.
    ended: VecDeque<TcpAddress>,
    /// The connections with messages that [`Transport::flush`] writes.
    unsent: Vec<u64>,
    /// The message that is being written.
    scratch: Vec<u8>,
    /// The bytes that were read from a connection.
    input: Vec<u8>,
    refused: u64,
    /// The number of connections, at most.
    limit: usize,
    /// A descriptor that is given up to refuse a connection when there are none left.
    spare: Option<File>,
}

/// A connection: its number, and the address of its client.
pub(crate) type TcpAddress = (u64, SocketAddr);

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    decoder: TcpDecoder,
    outgoing: Outgoing,
    wants_write: bool,
    /// Whether a message has come.
    has_spoken: bool,
    /// When the last message came, or when the connection was made, in monotonic nanoseconds.
    heard_at: u64,
}

impl Tcp {
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            poller: None,
            connections: HashMap::new(),
            next_number: FIRST_NUMBER + 1,
            ready: VecDeque::new(),
            may_accept: false,
            ended: VecDeque::new(),
            unsent: Vec::new(),
            scratch: Vec::new(),
            input: vec![0; LONGEST_MESSAGE],
            refused: 0,
            limit: CONNECTIONS,
            spare: spare(),
        })
    }

    /// Returns the address of the listening socket.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    fn accept(&mut self) -> io::Result<()> {
        while self.may_accept {
            match self.listener.accept() {
                Ok((stream, peer)) => {
                    let has_room = self.connections.len() < self.limit || self.close_silent();
                    if !has_room || self.add(stream, peer).is_err() {
                        self.refused += 1;
                    }
                }
                Err(error) if would_block(&error) => self.may_accept = false,
                Err(error) if lacks_descriptors(&error) => {
                    if !self.close_silent() {
                        self.refuse();
                    }
                }
                // The client has gone already, or the system lacks memory. The poller reports the listener again.
                Err(_) => {
                    self.refused += 1;
                    self.may_accept = false;
                }
            }
        }
        Ok(())
    }

    /// Refuses a connection, because there are no descriptors left: its client learns it at once.
    fn refuse(&mut self) {
        self.refused += 1;
        // Without the spare descriptor, the connection waits until a descriptor is free.
        self.may_accept = self.spare.take().is_some() && self.listener.accept().is_ok();
        self.spare = spare();
    }

    fn add(&mut self, stream: TcpStream, peer: SocketAddr) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let number = self.next_number;
        self.next_number += 1;
        if let Some(poller) = &self.poller {
            poller.add(stream.as_fd(), number)?;
        }
        let (decoder, outgoing) = (TcpDecoder::default(), Outgoing::new(WAITING));
        self.connections.insert(
            number,
            Connection {
                stream,
                peer,
                decoder,
                outgoing,
                wants_write: false,
                has_spoken: false,
                heard_at: monotonic_now(),
            },
        );
        Ok(())
    }

    /// Closes a connection, and notes that for the agent.
    fn close(&mut self, number: u64) {
        if let Some(connection) = self.connections.remove(&number) {
            self.ended.push_back((number, connection.peer));
        }
    }

    /// Closes the connection that has been silent for the longest time, if one has. Those without any message go first.
    /// Returns whether one was closed.
    fn close_silent(&mut self) -> bool {
        let now = monotonic_now();
        let is_silent = |connection: &Connection| {
            !connection.has_spoken || now.saturating_sub(connection.heard_at) >= SILENCE
        };
        let silent = self.connections.iter().filter(|(_, connection)| is_silent(connection));
        let first =
            silent.min_by_key(|(number, connection)| (connection.has_spoken, connection.heard_at, **number));
        let Some(number) = first.map(|(number, _)| *number) else { return false };
        self.close(number);
        true
    }

    /// Reads from a connection. Returns the next message, if one is complete.
    fn read(&mut self, number: u64, buffer: &mut [u8]) -> Option<TransportEvent<TcpAddress>> {
        let connection = self.connections.get_mut(&number)?;
        loop {
            if let Some(message) = connection.decoder.next_message() {
                buffer[..message.len()].copy_from_slice(message);
                (connection.has_spoken, connection.heard_at) = (true, monotonic_now());
                let from = (number, connection.peer);
                return Some(TransportEvent::Message { from, len: message.len() });
            }
            match connection.stream.read(&mut self.input) {
                Ok(len) if len > 0 => {
                    connection.decoder.push(&self.input[..len]);
                    if connection.decoder.is_partial() {
                        // Some clients send the length by itself. Their system holds the rest back until this host has
                        // acknowledged the length, which the system here would delay by 40 ms.
                        let _ = rustix::net::sockopt::set_tcp_quickack(&connection.stream, true);
                    }
                }
                Err(error) if would_block(&error) => return None,
                Ok(_) | Err(_) => {
                    self.close(number);
                    return None;
                }
            }
        }
    }
}

impl Connection {
    /// Makes the poller report when the system takes more bytes, as long as bytes wait.
    fn update_interest(&mut self, poller: Option<&Poller>, number: u64) -> io::Result<()> {
        let wanted = !self.outgoing.is_empty();
        if wanted != self.wants_write
            && let Some(poller) = poller
        {
            poller.want_write(self.stream.as_fd(), number, wanted)?;
            self.wants_write = wanted;
        }
        Ok(())
    }
}

impl Transport for Tcp {
    type Address = TcpAddress;

    fn register(&mut self, poller: Poller) -> io::Result<()> {
        poller.add(self.listener.as_fd(), FIRST_NUMBER)?;
        self.poller = Some(poller);
        Ok(())
    }

    fn note_ready(&mut self, number: u64) {
        if number == FIRST_NUMBER {
            self.may_accept = true;
            return;
        }
        if let Some(connection) = self.connections.get_mut(&number)
            && !connection.outgoing.is_empty()
        {
            let flushed = connection.outgoing.flush(&mut connection.stream);
            if flushed.and_then(|()| connection.update_interest(self.poller.as_ref(), number)).is_err() {
                return self.close(number);
            }
        }
        self.ready.push_back(number);
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<TransportEvent<TcpAddress>>> {
        self.accept()?;
        loop {
            if let Some(ended) = self.ended.pop_front() {
                return Ok(Some(TransportEvent::Closed(ended)));
            }
            let Some(number) = self.ready.pop_front() else { return Ok(None) };
            if let Some(arrived) = self.read(number, buffer) {
                // The next message may be from another connection, so that none keeps the others waiting.
                self.ready.push_back(number);
                return Ok(Some(arrived));
            }
        }
    }

    fn send(&mut self, (number, _): &TcpAddress, message: &[u8]) -> bool {
        let Some(connection) = self.connections.get_mut(number) else { return false };
        self.scratch.clear();
        write_tcp_message(message, &mut self.scratch);
        if connection.outgoing.is_empty() {
            self.unsent.push(*number);
        }
        connection.outgoing.send(&self.scratch, &mut connection.stream).unwrap_or_else(|_| {
            self.close(*number);
            false
        })
    }

    fn flush(&mut self) {
        for number in std::mem::take(&mut self.unsent) {
            if let Some(connection) = self.connections.get_mut(&number) {
                let flushed = connection.outgoing.flush(&mut connection.stream);
                if flushed.and_then(|()| connection.update_interest(self.poller.as_ref(), number)).is_err() {
                    self.close(number);
                }
            }
        }
    }

    fn mtu(&self) -> usize {
        LONGEST_MESSAGE
    }

    fn link(&self, (_, address): &TcpAddress) -> String {
        format!("tcp {address}")
    }

    fn name(&self) -> String {
        match self.address() {
            Ok(SocketAddr::V6(address)) => format!("tcp6 port {}", address.port()),
            Ok(SocketAddr::V4(address)) => format!("tcp4 port {}", address.port()),
            Err(_) => "tcp".into(),
        }
    }

    fn damaged(&self) -> u64 {
        self.refused
    }

    fn reachable_at(&self, (number, _): &TcpAddress) -> Option<Vec<SocketAddr>> {
        Some(vec![self.connections.get(number)?.stream.local_addr().ok()?])
    }
}

/// Returns an open file whose descriptor can be given up.
fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

/// Returns whether an error says that there are no file descriptors left.
fn lacks_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(test)]
mod tests {
    use std::{io::Write, net::Ipv4Addr};

    use super::*;

    /// Lets the transport accept and read what has arrived. Returns the number of messages.
    fn pass(tcp: &mut Tcp) -> usize {
        let mut buffer = vec![0; LONGEST_MESSAGE];
        let numbers: Vec<u64> = tcp.connections.keys().copied().collect();
        numbers.into_iter().chain([FIRST_NUMBER]).for_each(|number| tcp.note_ready(number));
        let mut messages = 0;
        while let Some(event) = tcp.receive(&mut buffer).unwrap() {
            messages += usize::from(matches!(event, TransportEvent::Message { .. }));
        }
        messages
    }

    #[test]
    fn the_connection_that_was_silent_longest_makes_room() {
        let mut tcp = Tcp::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        tcp.limit = 3;
        let address = tcp.address().unwrap();
        let connect = |tcp: &mut Tcp| {
            let stream = TcpStream::connect(address).unwrap();
            pass(tcp);
            stream
        };
        let mut speaker = connect(&mut tcp);
        speaker.write_all(&[1, 0, 7]).unwrap();
        while pass(&mut tcp) == 0 {}
        let silent: Vec<TcpStream> = (0..2).map(|_| connect(&mut tcp)).collect();
        let newcomer = connect(&mut tcp);
        let peers: Vec<SocketAddr> = tcp.connections.values().map(|connection| connection.peer).collect();
        assert_eq!(peers.len(), 3);
        assert!(
            peers.contains(&speaker.local_addr().unwrap()) && peers.contains(&newcomer.local_addr().unwrap())
        );
        assert!(!peers.contains(&silent[0].local_addr().unwrap()), "the older silent one");
        assert_eq!(tcp.refused, 0);
    }

    #[test]
    fn a_connection_that_is_refused_without_descriptors_ends_at_once() {
        let mut tcp = Tcp::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let mut client = TcpStream::connect(tcp.address().unwrap()).unwrap();
        client.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
        tcp.refuse();
        let ended = client.read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(ended, Ok(0) | Err(io::ErrorKind::ConnectionReset)), "{ended:?}");
        assert!(tcp.may_accept && tcp.spare.is_some() && tcp.refused == 1);
        tcp.refuse();
        assert!(!tcp.may_accept, "nobody else waits");
    }
}
