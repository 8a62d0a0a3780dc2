//! Discovery: clients ask by multicast where an agent is.

use std::{
    collections::BTreeSet,
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    path::Path,
    time::{Duration, Instant},
};

use rustix::net::{AddressFamily, SocketType, bind, socket, sockopt};

/// The multicast group of clients that look for an agent.
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 2);
/// The folder in which the system lists its network interfaces.
const INTERFACES: &str = "/sys/class/net";
/// The period in which the interfaces are examined.
const PERIOD: Duration = Duration::from_secs(2);
/// The flags of an interface that is up, of one that carries multicast messages, and of the loopback interface.
const UP: u32 = 0x1;
const LOOPBACK: u32 = 0x8;
const MULTICAST: u32 = 0x1000;

/// The socket that receives the multicast messages. Answers are sent from it, too.
#[derive(Debug)]
pub(crate) struct Discovery {
    pub(crate) socket: UdpSocket,
    /// The indices of the interfaces on which it receives.
    joined: BTreeSet<u32>,
    /// When the interfaces were examined last.
    looked_at: Instant,
}

impl Discovery {
    /// Opens the socket. Other programs may use the same port, such as DDS.
    pub(crate) fn bind(port: u16) -> io::Result<Self> {
        let name_port = |error: io::Error| {
            io::Error::new(
                error.kind(),
                format!("port {port} of discovery: {error}; --discovery PORT selects another"),
            )
        };
        let socket = reusable_socket(port).map_err(name_port)?;
        socket.set_nonblocking(true)?;
        // The interface of the default route comes first, because the system limits the number of interfaces.
        let joined = socket.join_multicast_v4(&GROUP, &Ipv4Addr::UNSPECIFIED);
        let mut discovery = Self { socket, joined: BTreeSet::new(), looked_at: Instant::now() };
        discovery.join();
        if discovery.joined.is_empty() {
            joined?;
        }
        Ok(discovery)
    }

    /// Receives on the interfaces that have appeared, if that was not examined a short time ago.
    pub(crate) fn maintain(&mut self) {
        if self.looked_at.elapsed() >= PERIOD {
            self.looked_at = Instant::now();
            self.join();
        }
    }

    fn join(&mut self) {
        for index in interfaces() {
            if !self.joined.contains(&index) {
                let any = &Ipv4Addr::UNSPECIFIED;
                let joined = sockopt::set_ip_add_membership_with_ifindex(&self.socket, &GROUP, any, index);
                if matches!(joined, Ok(()) | Err(rustix::io::Errno::ADDRINUSE)) {
                    self.joined.insert(index);
                }
            }
        }
    }
}

fn reusable_socket(port: u16) -> io::Result<UdpSocket> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)))?;
    Ok(socket.into())
}

/// Returns the indices of the interfaces that can receive multicast messages.
fn interfaces() -> Vec<u32> {
    let number = |path: &Path, name: &str| -> Option<u32> {
        let text = fs::read_to_string(path.join(name)).ok()?;
        match text.trim().strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => text.trim().parse().ok(),
        }
    };
    let usable = |entry: io::Result<fs::DirEntry>| {
        let path = entry.ok()?.path();
        let flags = number(&path, "flags")?;
        let is_usable = flags & UP != 0 && flags & (MULTICAST | LOOPBACK) != 0;
        is_usable.then(|| number(&path, "ifindex"))?
    };
    fs::read_dir(INTERFACES).into_iter().flatten().filter_map(usable).collect()
}

/// Returns the addresses at which a client reaches a socket of this host. A client uses the last one that it can use: for a
/// client on this host this is the loopback address.
pub(crate) fn reachable_at(own: SocketAddr, client: SocketAddr) -> Option<Vec<SocketAddr>> {
    if !own.ip().is_unspecified() {
        return Some(vec![own]);
    }
    let any: IpAddr =
        if client.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    // The system chooses the address from which messages to the client leave. Nothing is sent to find it.
    let probe = UdpSocket::bind((any, 0)).ok()?;
    probe.connect(client).ok()?;
    let ip = probe.local_addr().ok()?.ip().to_canonical();
    let mut addresses = vec![ip];
    if client.ip().to_canonical() == ip {
        let loopback: IpAddr =
            if own.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        addresses.retain(|address| *address != loopback);
        addresses.push(loopback);
    }
    Some(addresses.into_iter().map(|ip| SocketAddr::new(ip, own.port())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_on_this_host_learns_the_loopback_address_last() {
        let client = SocketAddr::from((Ipv4Addr::LOCALHOST, 5000));
        let any = |ip: IpAddr| SocketAddr::new(ip, 8888);
        let of_v4 = reachable_at(any(Ipv4Addr::UNSPECIFIED.into()), client).unwrap();
        assert_eq!(of_v4, [any(Ipv4Addr::LOCALHOST.into())]);
        let of_v6 = reachable_at(any(Ipv6Addr::UNSPECIFIED.into()), client).unwrap();
        assert_eq!(of_v6, [any(Ipv4Addr::LOCALHOST.into()), any(Ipv6Addr::LOCALHOST.into())]);
        let bound = any(Ipv4Addr::new(127, 0, 0, 2).into());
        assert_eq!(reachable_at(bound, client).unwrap(), [bound]);
    }

    /// A program with DDS on the same host has the port, too.
    #[test]
    fn two_sockets_for_discovery_have_the_same_port() {
        let first = Discovery::bind(0).unwrap();
        let port = first.socket.local_addr().unwrap().port();
        let second = Discovery::bind(port).unwrap();
        for discovery in [&first, &second] {
            discovery.socket.set_nonblocking(false).unwrap();
            discovery.socket.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
        }
        let client = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        sockopt::set_ip_multicast_if(&client, &Ipv4Addr::LOCALHOST).unwrap();
        client.send_to(b"?", (GROUP, port)).unwrap();
        for discovery in [first, second] {
            assert_eq!(discovery.socket.recv(&mut [0; 8]).unwrap(), 1);
        }
    }
}
