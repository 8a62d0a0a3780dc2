//! Messages in a stream of bytes, and in frames of a bus.
//!
//! A datagram (UDP) is one message and needs no framing.

mod can;
mod crc;
mod serial;
mod tcp;

pub use can::{CAN_MTU, can_message, write_can_frame};
pub use serial::{SerialDecoder, SerialFrame, write_serial_frame};
pub use tcp::{TcpDecoder, write_tcp_message};
