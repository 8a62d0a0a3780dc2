//! TCP: each message has its length before it.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, Read},
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::AsFd,
};

use saltus_xrce::{TcpDecoder, write_tcp_message};

use super::{
    FIRST_NUMBER, LONGEST_MESSAGE, Poller, Transport, TransportEvent, stream::Outgoing, would_block,
};

/// The number of bytes that may wait for a connection, besides those that the system holds.
const WAITING: usize = 256 << 10;
/// The number of connections.
const CONNECTIONS: usize = 4096;

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
    /// The message that is being written.
    scratch: Vec<u8>,
    /// The bytes that were read from a connection.
    input: Vec<u8>,
    refused: u64,
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
            scratch: Vec::new(),
            input: vec![0; LONGEST_MESSAGE],
            refused: 0,
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
                    if self.connections.len() >= CONNECTIONS || self.add(stream, peer).is_err() {
                        self.refused += 1;
                    }
                }
                Err(error) if would_block(&error) => self.may_accept = false,
                // The client has gone already, or there are no descriptors left. The others are not affected.
                Err(_) => {
                    self.refused += 1;
                    self.may_accept = false;
                }
            }
        }
        Ok(())
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
        self.connections.insert(number, Connection { stream, peer, decoder, outgoing, wants_write: false });
        Ok(())
    }

    /// Closes a connection, and notes that for the agent.
    fn close(&mut self, number: u64) {
        if let Some(connection) = self.connections.remove(&number) {
            self.ended.push_back((number, connection.peer));
        }
    }

    /// Reads from a connection. Returns the next message, if one is complete.
    fn read(&mut self, number: u64, buffer: &mut [u8]) -> Option<TransportEvent<TcpAddress>> {
        let connection = self.connections.get_mut(&number)?;
        loop {
            if let Some(message) = connection.decoder.next_message() {
                buffer[..message.len()].copy_from_slice(message);
                let from = (number, connection.peer);
                return Some(TransportEvent::Message { from, len: message.len() });
            }
            match connection.stream.read(&mut self.input) {
                Ok(len) if len > 0 => connection.decoder.push(&self.input[..len]),
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
        let sent = connection.outgoing.send(&self.scratch, &mut connection.stream);
        match sent
            .and_then(|is_sent| connection.update_interest(self.poller.as_ref(), *number).map(|()| is_sent))
        {
            Ok(is_sent) => is_sent,
            Err(_) => {
                self.close(*number);
                false
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
}
