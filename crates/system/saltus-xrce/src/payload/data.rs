//! Requests for messages, and the identity of service requests.

use crate::{
    WireError,
    cursor::{Reader, Writer},
    ids::{Request, StreamId},
};

/// The limits of the messages that a client requests. Except in `max_messages`, 0 means that there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataLimits {
    /// The number of messages. [`DataLimits::UNLIMITED`] means all messages, and 0 ends an earlier request.
    pub max_messages: u16,
    /// The duration of the request, in seconds.
    pub max_seconds: u16,
    /// The number of bytes per second.
    pub max_bytes_per_second: u16,
    /// The shortest time between two messages, in milliseconds.
    pub min_pace_ms: u16,
}

impl DataLimits {
    /// The number that means all messages.
    pub const UNLIMITED: u16 = 0xFFFF;
    /// All messages, as fast as they come.
    pub const NONE: Self =
        Self { max_messages: Self::UNLIMITED, max_seconds: 0, max_bytes_per_second: 0, min_pace_ms: 0 };
    /// One message.
    pub const ONE: Self = Self { max_messages: 1, ..Self::NONE };
}

/// The content of READ_DATA: a client requests the messages of one of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The request, and the object. The messages that answer it have the same request number.
    pub request: Request,
    /// The stream for the messages.
    pub stream: StreamId,
    /// The limits of the messages.
    pub limits: DataLimits,
}

impl ReadRequest {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short, or if the requested data format is not 0 (single messages).
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let request = Request::read(reader)?;
        let stream = StreamId(reader.u8()?);
        let format = reader.u8()?;
        if format != 0 {
            return Err(WireError::Value { field: "data format", value: format.into() });
        }
        let _filter = reader.optional(Reader::string)?;
        let limits = reader.optional(|reader| {
            Ok(DataLimits {
                max_messages: reader.u16()?,
                max_seconds: reader.u16()?,
                max_bytes_per_second: reader.u16()?,
                min_pace_ms: reader.u16()?,
            })
        })?;
        Ok(Self { request, stream, limits: limits.unwrap_or(DataLimits::ONE) })
    }

    /// Writes it.
    pub fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&self.request.to_bytes());
        writer.u8(self.stream.0);
        // The format and the filter.
        writer.bytes(&[0, 0]);
        writer.bool(true);
        writer.u16(self.limits.max_messages);
        writer.u16(self.limits.max_seconds);
        writer.u16(self.limits.max_bytes_per_second);
        writer.u16(self.limits.min_pace_ms);
    }
}

/// The identity of a service request: the gid of the client and the number of the request. It comes before a request
/// to a replier, and before the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleIdentity {
    /// The gid of the client.
    pub writer: [u8; 16],
    /// The number of the request.
    pub sequence: i64,
}

impl SampleIdentity {
    /// The number of bytes in a message.
    pub const SIZE: usize = 24;

    /// Returns its bytes.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..16].copy_from_slice(&self.writer);
        bytes[16..20].copy_from_slice(&((self.sequence >> 32) as i32).to_le_bytes());
        bytes[20..].copy_from_slice(&(self.sequence as u32).to_le_bytes());
        bytes
    }

    /// Reads it.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let writer = reader.array()?;
        let (high, low) = (reader.u32()?, reader.u32()?);
        Ok(Self { writer, sequence: i64::from(high as i32) << 32 | i64::from(low) })
    }
}
