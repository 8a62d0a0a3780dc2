//! The counters that the system has for a socket.

use std::{
    io,
    mem::size_of_val,
    os::fd::{AsRawFd, BorrowedFd},
};

/// The number of values that `SO_MEMINFO` returns.
const VALUES: usize = libc::SK_MEMINFO_DROPS as usize + 1;

/// Returns how many packets the system has dropped because the socket was full. The count begins again at 0 after
/// `u32::MAX`. See `SO_MEMINFO` in socket(7).
///
/// # Errors
///
/// Returns the system's error if the descriptor is no socket.
pub fn dropped_packets(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let mut values = [0_u32; VALUES];
    let mut len = size_of_val(&values) as libc::socklen_t;
    // SAFETY: `values` has `len` bytes, and the system writes no more than that. Any bytes are valid for integers.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            values.as_mut_ptr().cast(),
            &raw mut len,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(values[VALUES - 1])
}

#[cfg(test)]
mod tests {
    use std::{net::UdpSocket, os::fd::AsFd};

    use super::*;

    #[test]
    fn packets_that_find_the_socket_full_are_counted() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = receiver.local_addr().unwrap();
        let mut sent = 0_u32;
        while dropped_packets(receiver.as_fd()).unwrap() < 100 {
            sender.send_to(&[0; 1000], address).unwrap();
            sent += 1;
        }
        receiver.set_nonblocking(true).unwrap();
        let received = std::iter::from_fn(|| receiver.recv(&mut [0; 1000]).ok()).count();
        assert_eq!(sent, 100 + received as u32);
    }

    #[test]
    fn what_is_no_socket_is_refused() {
        let file = std::fs::File::open("/proc/self/status").unwrap();
        assert_eq!(dropped_packets(file.as_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTSOCK));
    }
}
