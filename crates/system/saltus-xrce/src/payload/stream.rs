//! Which messages of a reliable stream exist, and which were received.

use crate::{
    WireError,
    cursor::Reader,
    ids::{SequenceNumber, StreamId},
};

/// The content of HEARTBEAT: which messages the sender has sent and keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    /// The oldest message that the sender keeps.
    pub first: SequenceNumber,
    /// The newest message that it has sent.
    pub last: SequenceNumber,
    /// The stream.
    pub stream: StreamId,
}

impl Heartbeat {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let (first, last) = (SequenceNumber(reader.u16()?), SequenceNumber(reader.u16()?));
        Ok(Self { first, last, stream: StreamId(reader.u8()?) })
    }

    /// Returns its bytes.
    pub(crate) fn to_bytes(self) -> [u8; 5] {
        let ([a, b], [c, d]) = (self.first.0.to_le_bytes(), self.last.0.to_le_bytes());
        [a, b, c, d, self.stream.0]
    }
}

/// The content of ACKNACK: which messages the receiver has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AckNack {
    /// The next message that the receiver expects. It has received all messages before this one.
    pub first: SequenceNumber,
    /// Which messages are missing. Bit `i` stands for the message `first + i`.
    pub missing: u16,
    /// The stream.
    pub stream: StreamId,
}

impl AckNack {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let first = SequenceNumber(reader.u16()?);
        let missing = u16::from_be_bytes(reader.array()?);
        Ok(Self { first, missing, stream: StreamId(reader.u8()?) })
    }

    /// Returns its bytes.
    pub(crate) fn to_bytes(self) -> [u8; 5] {
        let ([a, b], [c, d]) = (self.first.0.to_le_bytes(), self.missing.to_be_bytes());
        [a, b, c, d, self.stream.0]
    }
}
