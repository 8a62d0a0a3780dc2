//! The sockets of zenoh.
//!
//! The kernel takes far more data from a program than a slow link can send: megabytes, which take seconds. What zenoh sends first,
//! such as a command, would wait behind them. So each connection takes only little that it can't send yet.

use std::{fs, io, os::fd::RawFd};

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use socket2::{Protocol, SockRef};

/// The most bytes of a connection that wait in the kernel to be sent.
const UNSENT: u32 = 16 << 10;

/// Limits what waits in all TCP connections of this process. Zenoh does not give its sockets away, so the descriptors of the process are
/// looked through.
///
/// # Errors
/// Returns an error if the descriptors can't be read. An older kernel than 5.6 gives no copies of them.
pub(crate) fn limit_unsent() -> io::Result<()> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse::<RawFd>().ok()) else { continue };
        // It may have been closed meanwhile.
        let Ok(copy) = pidfd_getfd(&this, number, PidfdGetfdFlags::empty()) else { continue };
        let socket = SockRef::from(&copy);
        if socket.protocol().is_ok_and(|protocol| protocol == Some(Protocol::TCP)) {
            socket.set_tcp_notsent_lowat(UNSENT)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};

    use super::*;

    #[test]
    fn connections_take_little_that_they_can_not_send() {
        let _other = UdpSocket::bind("127.0.0.1:0").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        limit_unsent().unwrap();
        assert_eq!(SockRef::from(&near).tcp_notsent_lowat().unwrap(), UNSENT);
    }
}
