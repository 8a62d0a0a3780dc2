//! CAN-FD: each frame is a message of at most 63 bytes.
//!
//! Frames have the form of Linux's `struct canfd_frame`. They are exchanged with an interface of the system, or with a
//! bus that another program provides on a socket: a packet of the socket is a frame.

use std::{
    io::{self, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use saltus_xrce::{CAN_MTU, can_message, write_can_frame};
use socketcan::{CanFdSocket, Socket, SocketOptions};

use super::{FIRST_NUMBER, Poller, Transport, TransportEvent, would_block};

/// Where frames come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CanBus {
    /// An interface of the system, such as `can0`.
    Interface(String),
    /// A bus on the socket at this path.
    Socket(PathBuf),
}

#[derive(Debug)]
enum Device {
    Interface(CanFdSocket),
    Socket(OwnedFd),
}

/// A CAN-FD bus.
#[derive(Debug)]
pub(crate) struct Can {
    bus: CanBus,
    /// `None` while the bus can't be used.
    device: Option<Device>,
    poller: Option<Poller>,
    /// Whether a frame may have arrived.
    is_ready: bool,
    damaged: u64,
}

/// The ranges of the fields in a frame: the identifier, the length, and the data.
mod field {
    pub(super) const ID: std::ops::Range<usize> = 0..4;
    pub(super) const LEN: usize = 4;
    pub(super) const FLAGS: usize = 5;
    pub(super) const DATA: usize = 8;
    pub(super) const SIZE: usize = DATA + 64;
}

/// The flag in an identifier that says that it has 29 bits.
const EXTENDED: u32 = 0x8000_0000;
/// The bits of an identifier with 29 bits.
const EXTENDED_BITS: u32 = 0x1FFF_FFFF;
/// The flag of frames that send their data at the higher rate.
const BIT_RATE_SWITCH: u8 = 0x01;
/// The lengths of data that a frame can have beyond 8 bytes.
const LENGTHS: [usize; 7] = [12, 16, 20, 24, 32, 48, 64];

impl Can {
    pub(crate) fn open(bus: CanBus) -> io::Result<Self> {
        let device = Some(Device::open(&bus)?);
        Ok(Self { bus, device, poller: None, is_ready: false, damaged: 0 })
    }
}

impl Device {
    fn open(bus: &CanBus) -> io::Result<Self> {
        Ok(match bus {
            CanBus::Interface(name) => {
                let socket = CanFdSocket::open(name)?;
                socket.set_nonblocking(true)?;
                // Error frames of the bus are not messages.
                socket.set_error_filter_drop_all()?;
                Self::Interface(socket)
            }
            CanBus::Socket(path) => Self::Socket(connect_to(path)?),
        })
    }
}

fn connect_to(path: &Path) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    connect(&socket, &SocketAddrUnix::new(path.as_os_str().as_bytes())?)?;
    Ok(socket)
}

impl Device {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Interface(socket) => socket.as_fd(),
            Self::Socket(socket) => socket.as_fd(),
        }
    }

    fn read(&mut self, frame: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Interface(socket) => socket.read(frame),
            Self::Socket(socket) => Ok(rustix::io::read(socket, frame)?),
        }
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        match self {
            Self::Interface(socket) => socket.write(frame),
            Self::Socket(socket) => Ok(rustix::io::write(socket, frame)?),
        }
    }
}

/// Returns the frame with a message. `None` if the message is too long.
fn frame_of(id: u32, message: &[u8]) -> Option<[u8; field::SIZE]> {
    let mut data = Vec::with_capacity(64);
    write_can_frame(message, &mut data)?;
    let used = data.len();
    let len = if used <= 8 { used } else { LENGTHS.into_iter().find(|len| *len >= used)? };
    let mut frame = [0; field::SIZE];
    frame[field::ID].copy_from_slice(&(id | EXTENDED).to_ne_bytes());
    frame[field::LEN] = len as u8;
    frame[field::FLAGS] = BIT_RATE_SWITCH;
    frame[field::DATA..field::DATA + used].copy_from_slice(&data);
    Some(frame)
}

/// Returns the identifier of a frame, and the message in it.
fn message_of(frame: &[u8]) -> Option<(u32, &[u8])> {
    let id = u32::from_ne_bytes(*frame.get(field::ID)?.first_chunk::<4>()?);
    let len = usize::from(*frame.get(field::LEN)?);
    let message = can_message(frame.get(field::DATA..field::DATA + len)?)?;
    (id & EXTENDED != 0).then_some((id & EXTENDED_BITS, message))
}

impl Transport for Can {
    /// The identifier with which a client sends and receives.
    type Address = u32;

    fn register(&mut self, poller: Poller) -> io::Result<()> {
        if let Some(device) = &self.device {
            poller.add(device.fd(), FIRST_NUMBER)?;
        }
        self.poller = Some(poller);
        Ok(())
    }

    fn note_ready(&mut self, _number: u64) {
        self.is_ready = true;
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<TransportEvent<u32>>> {
        while self.is_ready {
            let Some(device) = &mut self.device else { break };
            let mut frame = [0; field::SIZE];
            let len = match device.read(&mut frame) {
                Ok(len) if len > 0 => len,
                Err(error) if would_block(&error) => {
                    self.is_ready = false;
                    break;
                }
                // The interface is down, or the program that provides the bus has ended.
                Ok(_) | Err(_) => {
                    self.device = None;
                    break;
                }
            };
            if let Some((from, message)) = message_of(&frame[..len]) {
                buffer[..message.len()].copy_from_slice(message);
                return Ok(Some(TransportEvent::Message { from, len: message.len() }));
            }
            self.damaged += 1;
        }
        Ok(None)
    }

    fn send(&mut self, to: &u32, message: &[u8]) -> bool {
        let Some(device) = &mut self.device else { return false };
        frame_of(*to, message).is_some_and(|frame| device.write(&frame).is_ok())
    }

    fn mtu(&self) -> usize {
        CAN_MTU
    }

    fn maintain(&mut self) {
        if self.device.is_some() {
            return;
        }
        if let (Ok(device), Some(poller)) = (Device::open(&self.bus), &self.poller)
            && poller.add(device.fd(), FIRST_NUMBER).is_ok()
        {
            self.device = Some(device);
        }
    }

    fn link(&self, id: &u32) -> String {
        format!("{} id 0x{id:X}", self.name())
    }

    fn name(&self) -> String {
        match &self.bus {
            CanBus::Interface(name) => format!("can {name}"),
            CanBus::Socket(path) => format!("can {}", path.display()),
        }
    }

    fn damaged(&self) -> u64 {
        self.damaged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_a_length_that_can_fd_knows() {
        for len in 0..=CAN_MTU {
            let message: Vec<u8> = (0..len as u8).collect();
            let frame = frame_of(0x123, &message).unwrap();
            let data = usize::from(frame[field::LEN]);
            assert!(data <= 8 || LENGTHS.contains(&data), "{data}");
            assert_eq!(message_of(&frame), Some((0x123, message.as_slice())));
        }
        assert!(frame_of(0x123, &[0; CAN_MTU + 1]).is_none());
    }

    #[test]
    fn a_frame_that_is_cut_short_has_no_message() {
        let frame = frame_of(0x123, b"text").unwrap();
        assert_eq!(message_of(&frame[..field::DATA + 4]), None);
        assert_eq!(message_of(&[]), None);
    }
}
