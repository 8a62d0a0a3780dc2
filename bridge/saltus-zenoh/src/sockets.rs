//! The sockets of zenoh.
//!
//! The kernel takes far more data from a program than a slow link can send: megabytes, which take seconds. What zenoh sends first,
//! such as a command, would wait behind them. So each connection takes only little that it can't send yet.
//!
//! What is not acknowledged, TCP sends again after 0.2 s, then after twice the time, and so on up to two minutes. After a stall of 3 s,
//! nothing would pass for up to three seconds more, and on a link that loses every tenth packet there are pauses longer than the lease of a link.
//! So it sends again at least each second, as far as the kernel has that option.
//!
//! Zenoh does not give its sockets away, so the descriptors of the process are looked through.

use std::{
    fs, io,
    net::{Shutdown, SocketAddr},
    os::fd::{AsRawFd, RawFd},
};

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use socket2::{Protocol, SockAddr, SockRef};

/// The most bytes of a connection that wait in the kernel to be sent.
const UNSENT: u32 = 16 << 10;
/// `TCP_RTO_MAX_MS` of Linux, since 6.15 (`include/uapi/linux/tcp.h`).
const TCP_RTO_MAX_MS: libc::c_int = 44;
/// The longest time in milliseconds until TCP sends again what was not acknowledged. The kernel takes no less.
const SENT_AGAIN_AFTER: libc::c_int = 1000;

/// Prepares all TCP connections of this process for links that are slow, stall or lose packets.
///
/// # Errors
/// Returns an error if the descriptors can't be read. An older kernel than 5.6 gives no copies of them.
pub(crate) fn prepare() -> io::Result<()> {
    for_each_tcp(|socket| {
        socket.set_tcp_notsent_lowat(UNSENT)?;
        send_again_soon(socket)
    })
}

/// Limits the time until TCP sends again what was not acknowledged. Does nothing if the kernel does not have the option.
fn send_again_soon(socket: &SockRef<'_>) -> io::Result<()> {
    let after = SENT_AGAIN_AFTER;
    let (value, size) = ((&raw const after).cast(), size_of_val(&after) as libc::socklen_t);
    // SAFETY: the kernel reads the `size` bytes of `after`, and the descriptor is open.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, TCP_RTO_MAX_MS, value, size) };
    if result == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    // A kernel before 6.15, and a socket of multipath TCP.
    let is_absent = matches!(error.raw_os_error(), Some(libc::ENOPROTOOPT | libc::EOPNOTSUPP));
    if is_absent { Ok(()) } else { Err(error) }
}

/// Ends the TCP connection of this process between two addresses. Both sides see its end at once. Returns whether there was one.
///
/// # Errors
/// As [`prepare`].
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
    fn connections_take_little_that_they_can_not_send_and_send_again_soon() {
        let _other = UdpSocket::bind("127.0.0.1:0").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        prepare().unwrap();
        assert_eq!(SockRef::from(&near).tcp_notsent_lowat().unwrap(), UNSENT);
        let (mut after, mut size) = (0_i32, size_of::<i32>() as libc::socklen_t);
        let value = (&raw mut after).cast();
        // SAFETY: the kernel writes at most `size` bytes to `after`, and the descriptor is open.
        let result = unsafe {
            libc::getsockopt(near.as_raw_fd(), libc::IPPROTO_TCP, TCP_RTO_MAX_MS, value, &raw mut size)
        };
        assert!(result != 0 || after == SENT_AGAIN_AFTER, "{after}");
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
