//! UDP: each datagram is a message.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    os::fd::AsFd,
};

use saltus_host::dropped_packets;

use super::{FIRST_NUMBER, LONGEST_MESSAGE, Poller, Transport, TransportEvent, would_block};

/// The longest message in a datagram, in bytes.
const LONGEST_DATAGRAM: usize = 65_507;
/// The size of the buffers of the socket, in bytes. The system may allow less.
const BUFFER: usize = 4 << 20;

/// A UDP socket, and a second one for discovery if it is wanted.
#[derive(Debug)]
pub(crate) struct Udp {
    socket: UdpSocket,
    /// Receives the multicast messages of clients that look for an agent. Answers are sent from it, too.
    discovery: Option<UdpSocket>,
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

/// The multicast group of clients that look for an agent.
const DISCOVERY_GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 2);

impl Udp {
    pub(crate) fn bind(address: SocketAddr, discovery_port: Option<u16>) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        // A smaller buffer is no reason not to start.
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, BUFFER);
        let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, BUFFER);
        let discovery = discovery_port.map(discovery_socket).transpose()?;
        Ok(Self { socket, discovery, ready: [false; 2], dropped: Dropped::default() })
    }

    /// Returns the address of the socket.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

fn discovery_socket(port: u16) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port))?;
    socket.set_nonblocking(true)?;
    socket.join_multicast_v4(&DISCOVERY_GROUP, &Ipv4Addr::UNSPECIFIED)?;
    Ok(socket)
}

impl Transport for Udp {
    /// The number of the socket, and the address of the client.
    type Address = (u8, SocketAddr);

    fn register(&mut self, poller: Poller) -> io::Result<()> {
        poller.add(self.socket.as_fd(), FIRST_NUMBER)?;
        if let Some(discovery) = &self.discovery {
            poller.add(discovery.as_fd(), FIRST_NUMBER + 1)?;
        }
        Ok(())
    }

    fn note_ready(&mut self, number: u64) {
        self.ready[usize::from(number != FIRST_NUMBER)] = true;
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<TransportEvent<Self::Address>>> {
        let sockets = [Some(&self.socket), self.discovery.as_ref()];
        for (number, socket) in sockets.into_iter().enumerate() {
            let Some(socket) = socket.filter(|_| self.ready[number]) else { continue };
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
        let socket = self.discovery.as_ref().filter(|_| *number == 1).unwrap_or(&self.socket);
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
        let sockets = [Some(&self.socket), self.discovery.as_ref()];
        for (socket, before) in sockets.into_iter().zip(&mut self.dropped.counts) {
            if let Some(Ok(count)) = socket.map(|socket| dropped_packets(socket.as_fd())) {
                self.dropped.total += u64::from(count.wrapping_sub(*before));
                *before = count;
            }
        }
        self.dropped.total
    }

    /// Returns the address of this host from which messages to a client leave. Nothing is sent to find it.
    fn reachable_at(&self, (_, client): &Self::Address) -> Option<SocketAddr> {
        let own = self.address().ok()?;
        if !own.ip().is_unspecified() {
            return Some(own);
        }
        let any: IpAddr =
            if client.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let probe = UdpSocket::bind((any, 0)).ok()?;
        probe.connect(client).ok()?;
        Some(SocketAddr::new(probe.local_addr().ok()?.ip().to_canonical(), own.port()))
    }
}

#[cfg(test)]
mod tests {
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
