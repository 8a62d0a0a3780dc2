//! UDP: each datagram is a message.

use std::{
    io,
    net::{IpAddr, SocketAddr, UdpSocket},
    os::fd::AsFd,
};

use saltus_host::dropped_packets;

use super::{
    FIRST_NUMBER, LONGEST_MESSAGE, Poller, Transport, TransportEvent,
    discovery::{Discovery, reachable_at},
    would_block,
};

/// The longest message in a datagram, in bytes.
const LONGEST_DATAGRAM: usize = 65_507;
/// The size of the buffers of the socket, in bytes. The system may allow less.
const BUFFER: usize = 4 << 20;

/// A UDP socket, and a second one for discovery if it is wanted.
#[derive(Debug)]
pub(crate) struct Udp {
    socket: UdpSocket,
    discovery: Option<Discovery>,
    /// Whether a socket may have something to read: the main one, and the one for discovery.
    ready: [bool; 2],
    /// The number of datagrams that the system has dropped.
    dropped: Dropped,
}

/// The number of datagrams that the system has dropped because a socket was full.
#[derive(Debug, Default)]
struct Dropped {
    total: u64,
    /// The system's count for each socket when it was last read. It begins again at 0 after `u32::MAX`.
    counts: [u32; 2],
}

impl Udp {
    pub(crate) fn bind(address: SocketAddr, discovery_port: Option<u16>) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        // A smaller buffer is no reason not to start.
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, BUFFER);
        let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, BUFFER);
        let discovery = discovery_port.map(Discovery::bind).transpose()?;
        Ok(Self { socket, discovery, ready: [false; 2], dropped: Dropped::default() })
    }

    /// Returns the socket for messages, and the one for discovery.
    fn sockets(&self) -> [Option<&UdpSocket>; 2] {
        [Some(&self.socket), self.discovery.as_ref().map(|discovery| &discovery.socket)]
    }

    /// Returns the address of the socket.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

impl Transport for Udp {
    /// The number of the socket, and the address of the client.
    type Address = (u8, SocketAddr);

    fn register(&mut self, poller: Poller) -> io::Result<()> {
        for (number, socket) in (FIRST_NUMBER..).zip(self.sockets().into_iter().flatten()) {
            poller.add(socket.as_fd(), number)?;
        }
        Ok(())
    }

    fn note_ready(&mut self, number: u64) {
        self.ready[usize::from(number != FIRST_NUMBER)] = true;
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<TransportEvent<Self::Address>>> {
        for number in 0..self.ready.len() {
            let ready = self.sockets()[number].filter(|_| self.ready[number]);
            let Some(socket) = ready else { continue };
            match socket.recv_from(&mut buffer[..LONGEST_MESSAGE]) {
                Ok((len, from)) => {
                    return Ok(Some(TransportEvent::Message { from: (number as u8, from), len }));
                }
                Err(error) if would_block(&error) => self.ready[number] = false,
                // The system reports that an earlier message could not be delivered. It concerns one client only.
                Err(_) => {}
            }
        }
        Ok(None)
    }

    fn send(&mut self, (number, to): &Self::Address, message: &[u8]) -> bool {
        let socket = self.sockets()[usize::from(*number)].unwrap_or(&self.socket);
        socket.send_to(message, to).is_ok()
    }

    fn mtu(&self) -> usize {
        LONGEST_DATAGRAM
    }

    fn link(&self, (_, address): &Self::Address) -> String {
        format!("udp {address}")
    }

    fn name(&self) -> String {
        let port = self.address().map_or(0, |address| address.port());
        let version = match self.address().map(|address| address.ip()) {
            Ok(IpAddr::V6(_)) => 6,
            _ => 4,
        };
        format!("udp{version} port {port}")
    }

    fn dropped(&mut self) -> u64 {
        let counts = self.sockets().map(|socket| dropped_packets(socket?.as_fd()).ok());
        for (count, before) in counts.into_iter().zip(&mut self.dropped.counts) {
            if let Some(count) = count {
                self.dropped.total += u64::from(count.wrapping_sub(*before));
                *before = count;
            }
        }
        self.dropped.total
    }

    fn maintain(&mut self) {
        if let Some(discovery) = &mut self.discovery {
            discovery.maintain();
        }
    }

    fn reachable_at(&self, (_, client): &Self::Address) -> Option<Vec<SocketAddr>> {
        reachable_at(self.address().ok()?, *client)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn each_datagram_is_received_or_counted_as_dropped() {
        let mut udp = Udp::bind((Ipv4Addr::LOCALHOST, 0).into(), None).unwrap();
        let client = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = udp.address().unwrap();
        let mut sent = 0;
        let mut buffer = vec![0; LONGEST_MESSAGE];
        for round in 1..=2 {
            while udp.dropped() < round * 10 {
                client.send_to(&[0; 1000], address).unwrap();
                sent += 1;
            }
            udp.note_ready(FIRST_NUMBER);
            while let Some(TransportEvent::Message { .. }) = udp.receive(&mut buffer).unwrap() {
                sent -= 1;
            }
        }
        assert_eq!(sent, udp.dropped());
    }
}
