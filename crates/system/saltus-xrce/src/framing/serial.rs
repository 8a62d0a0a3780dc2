//! Frames on a serial line.
//!
//! A frame is the byte 0x7E, then the source address, the destination address, the length of the message (two bytes,
//! little-endian), the message, and its checksum (two bytes, little-endian). After the first byte, 0x7E and 0x7D are
//! replaced by 0x7D and the byte with bit 5 inverted. So 0x7E always begins a frame, and a receiver that lost bytes is
//! in step again at the next frame.

use super::crc;

const BEGIN: u8 = 0x7E;
const ESCAPE: u8 = 0x7D;
/// The bits that are inverted in an escaped byte.
const INVERTED: u8 = 0x20;

/// A frame that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialFrame<'a> {
    /// The address of the sender.
    pub source: u8,
    /// The message.
    pub message: &'a [u8],
}

/// Appends a frame with a message to `out`.
///
/// # Panics
/// Panics if the message has more than 65535 bytes.
pub fn write_serial_frame(source: u8, destination: u8, message: &[u8], out: &mut Vec<u8>) {
    assert!(message.len() <= usize::from(u16::MAX), "a frame can't hold {} bytes", message.len());
    let [low, high] = (message.len() as u16).to_le_bytes();
    out.push(BEGIN);
    let escaped = [source, destination, low, high].into_iter().chain(message.iter().copied());
    for byte in escaped.chain(crc::of(message).to_le_bytes()) {
        if byte == BEGIN || byte == ESCAPE {
            out.extend_from_slice(&[ESCAPE, byte ^ INVERTED]);
        } else {
            out.push(byte);
        }
    }
}

/// Finds the frames in the bytes that arrive on a serial line.
///
/// **Invariant:** it holds at most one message of the longest length. Bytes that are not part of a valid frame are
/// skipped and counted.
#[derive(Clone, Debug)]
pub struct SerialDecoder {
    address: u8,
    /// The longest message.
    limit: usize,
    /// The bytes of the current frame after [`BEGIN`], without escapes.
    frame: Vec<u8>,
    state: State,
    is_escaped: bool,
    damaged: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Bytes are skipped up to the beginning of a frame.
    Skipping,
    /// The bytes of a frame are collected.
    Collecting,
    /// The last frame was returned. Its bytes are still there.
    Returned,
}

/// The number of bytes in a frame before the message.
const HEADER: usize = 4;
/// The number of bytes after the message.
const CHECKSUM: usize = 2;

impl SerialDecoder {
    /// Creates a decoder for the receiver with the given address. Longer messages than `limit` bytes are skipped.
    pub fn new(address: u8, limit: usize) -> Self {
        Self { address, limit, frame: Vec::new(), state: State::Skipping, is_escaped: false, damaged: 0 }
    }

    /// Returns how many frames were damaged: cut short, too long, or with a wrong checksum.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Takes the next byte. Returns the frame that ends with it, if it is for this receiver.
    pub fn push(&mut self, byte: u8) -> Option<SerialFrame<'_>> {
        if byte == BEGIN {
            self.damaged += u64::from(self.state == State::Collecting && !self.frame.is_empty());
            self.frame.clear();
            (self.state, self.is_escaped) = (State::Collecting, false);
            return None;
        }
        if self.state != State::Collecting {
            return None;
        }
        if byte == ESCAPE {
            self.is_escaped = true;
            return None;
        }
        self.frame.push(if std::mem::take(&mut self.is_escaped) { byte ^ INVERTED } else { byte });
        let len = self.message_len()?;
        if len > self.limit {
            return self.skip();
        }
        if self.frame.len() < HEADER + len + CHECKSUM {
            return None;
        }
        self.finish(len)
    }

    /// Returns the length of the message, if it is known.
    fn message_len(&self) -> Option<usize> {
        self.frame.get(2..HEADER).map(|len| usize::from(u16::from_le_bytes([len[0], len[1]])))
    }

    fn skip(&mut self) -> Option<SerialFrame<'_>> {
        self.damaged += 1;
        self.state = State::Skipping;
        None
    }

    /// Checks a complete frame.
    fn finish(&mut self, len: usize) -> Option<SerialFrame<'_>> {
        let checksum = u16::from_le_bytes([self.frame[HEADER + len], self.frame[HEADER + len + 1]]);
        if checksum != crc::of(&self.frame[HEADER..HEADER + len]) {
            return self.skip();
        }
        self.state = State::Returned;
        let (source, destination) = (self.frame[0], self.frame[1]);
        let message = &self.frame[HEADER..HEADER + len];
        (destination == self.address).then_some(SerialFrame { source, message })
    }
}

#[cfg(test)]
mod tests;
