//! The sockets of zenoh.
//!
//! The kernel takes far more data from a program than a slow link can send: megabytes, which take seconds. What zenoh sends first,
//! such as a command, would wait behind them. So each connection takes only little that it can't send yet.
//!
//! Zenoh does not give its sockets away, so the descriptors of the process are looked through.

use std::{
    fs, io,
    net::{Shutdown, SocketAddr},
    os::fd::RawFd,
};

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use socket2::{Protocol, SockAddr, SockRef};

/// The most bytes of a connection that wait in the kernel to be sent.
const UNSENT: u32 = 16 << 10;

/// Limits what waits in all TCP connections of this process.
///
/// # Errors
/// Returns an error if the descriptors can't be read. An older kernel than 5.6 gives no copies of them.
pub(crate) fn limit_unsent() -> io::Result<()> {
    for_each_tcp(|socket| socket.set_tcp_notsent_lowat(UNSENT))
}

/// Ends the TCP connection of this process between two addresses. Both sides see its end at once. Returns whether there was one.
///
/// # Errors
/// As [`limit_unsent`].
pub(crate) fn end(here: SocketAddr, there: SocketAddr) -> io::Result<bool> {
    let mut is_found = false;
    for_each_tcp(|socket| {
        // The scope of an address is not compared: texts do not have it.
        let is_it = |own: io::Result<SockAddr>, one: SocketAddr| {
            let own = own.ok().and_then(|own| own.as_socket());
            own.is_some_and(|own| (own.ip().to_canonical(), own.port()) == (one.ip(), one.port()))
        };
        if is_it(socket.local_addr(), here) && is_it(socket.peer_addr(), there) {
            socket.shutdown(Shutdown::Both)?;
            is_found = true;
        }
        Ok(())
    })?;
    Ok(is_found)
}

/// Calls `change` for all TCP sockets of this process.
fn for_each_tcp(mut change: impl FnMut(&SockRef<'_>) -> io::Result<()>) -> io::Result<()> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse::<RawFd>().ok()) else { continue };
        // It may have been closed meanwhile.
        let Ok(copy) = pidfd_getfd(&this, number, PidfdGetfdFlags::empty()) else { continue };
        let socket = SockRef::from(&copy);
        if socket.protocol().is_ok_and(|protocol| protocol == Some(Protocol::TCP)) {
            change(&socket)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::{TcpListener, TcpStream, UdpSocket},
    };

    use super::*;

    #[test]
    fn connections_take_little_that_they_can_not_send() {
        let _other = UdpSocket::bind("127.0.0.1:0").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        limit_unsent().unwrap();
        assert_eq!(SockRef::from(&near).tcp_notsent_lowat().unwrap(), UNSENT);
    }

    #[test]
    fn only_the_connection_between_the_addresses_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = listener.local_addr().unwrap();
        let connect = || (TcpStream::connect(there).unwrap(), listener.accept().unwrap().0);
        let ((mut one, _), (mut two, mut two_there)) = (connect(), connect());
        assert!(end(one.local_addr().unwrap(), there).unwrap());
        assert!(!end(there, there).unwrap(), "there is none");
        let mut byte = [0];
        assert_eq!(one.read(&mut byte).unwrap(), 0, "it has ended");
        two_there.write_all(&[7]).unwrap();
        assert_eq!((two.read(&mut byte).unwrap(), byte), (1, [7]));
    }
}
