//! Messages and submessages: their headers, and iterating over the submessages of a message.

use crate::{
    WireError,
    cursor::{ByteOrder, Reader},
    ids::{ClientKey, SequenceNumber, SessionId, StreamId},
};

/// Submessages begin at multiples of this number of bytes, counted from the first byte of the message.
pub(crate) const SUBMESSAGE_ALIGNMENT: usize = 4;
/// The size of the header of a submessage, in bytes.
pub(crate) const SUBMESSAGE_HEADER: usize = 4;
/// The bytes in a message before the first submessage, if the session has no key.
pub(crate) const SHORT_HEADER: usize = 4;

/// The header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHeader {
    /// The session.
    pub session: SessionId,
    /// The stream.
    pub stream: StreamId,
    /// The number of the message in its stream. It is 0 in the stream [`StreamId::NONE`].
    pub sequence: SequenceNumber,
    /// The key of the client, if the session's messages contain it.
    pub key: Option<ClientKey>,
}

impl MessageHeader {
    /// Creates the header of a message in the stream [`StreamId::NONE`].
    pub fn unnumbered(session: SessionId, key: ClientKey) -> Self {
        let key = session.has_key().then_some(key);
        Self { session, stream: StreamId::NONE, sequence: SequenceNumber(0), key }
    }

    /// Reads the header. Returns it and the number of its bytes.
    ///
    /// # Errors
    /// Returns an error if the message is too short.
    pub fn read(message: &[u8]) -> Result<(Self, usize), WireError> {
        let mut reader = Reader::new(message, ByteOrder::Little);
        let session = SessionId(reader.u8()?);
        let stream = StreamId(reader.u8()?);
        let sequence = SequenceNumber(reader.u16()?);
        let key = if session.has_key() { Some(ClientKey(reader.array()?)) } else { None };
        Ok((Self { session, stream, sequence, key }, message.len() - reader.rest().len()))
    }

    /// Returns the number of its bytes.
    pub fn size(&self) -> usize {
        if self.key.is_some() { SHORT_HEADER + 4 } else { SHORT_HEADER }
    }

    /// Appends its bytes to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let [low, high] = self.sequence.0.to_le_bytes();
        out.extend_from_slice(&[self.session.0, self.stream.0, low, high]);
        self.key.iter().for_each(|key| out.extend_from_slice(&key.0));
    }
}

/// The kinds of submessage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubmessageKind {
    /// A client begins a session.
    CreateClient = 0,
    /// A client creates an object.
    Create = 1,
    /// Asks for information. Also used to check whether the other side is there.
    GetInfo = 2,
    /// A client deletes an object, or its session.
    Delete = 3,
    /// The agent's answer to [`SubmessageKind::CreateClient`].
    StatusAgent = 4,
    /// The agent's answer to a request.
    Status = 5,
    /// The answer to [`SubmessageKind::GetInfo`].
    Info = 6,
    /// A client publishes a message, a request or a response.
    WriteData = 7,
    /// A client asks for the messages of an object.
    ReadData = 8,
    /// A message, a request or a response for a client.
    Data = 9,
    /// Which messages of a reliable stream were received.
    AckNack = 10,
    /// Which messages of a reliable stream exist.
    Heartbeat = 11,
    /// Begins all streams of a session again.
    Reset = 12,
    /// A part of a submessage that is too long for one message.
    Fragment = 13,
    /// A client asks for the time.
    Timestamp = 14,
    /// The agent's answer to [`SubmessageKind::Timestamp`].
    TimestampReply = 15,
}

impl SubmessageKind {
    /// Returns the kind with this number.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        const ALL: [SubmessageKind; 16] = [
            SubmessageKind::CreateClient,
            SubmessageKind::Create,
            SubmessageKind::GetInfo,
            SubmessageKind::Delete,
            SubmessageKind::StatusAgent,
            SubmessageKind::Status,
            SubmessageKind::Info,
            SubmessageKind::WriteData,
            SubmessageKind::ReadData,
            SubmessageKind::Data,
            SubmessageKind::AckNack,
            SubmessageKind::Heartbeat,
            SubmessageKind::Reset,
            SubmessageKind::Fragment,
            SubmessageKind::Timestamp,
            SubmessageKind::TimestampReply,
        ];
        ALL.get(usize::from(number)).copied()
    }
}

/// The flags of submessages.
pub(crate) mod flags {
    /// The fields are little-endian.
    pub(crate) const LITTLE_ENDIAN: u8 = 0x01;
    /// CREATE: an equal object that exists is used.
    pub(crate) const REUSE: u8 = 0x02;
    /// CREATE: an object that exists is replaced.
    pub(crate) const REPLACE: u8 = 0x04;
    /// FRAGMENT: the last part.
    pub(crate) const LAST_FRAGMENT: u8 = 0x02;
    /// WRITE_DATA and DATA: the bits of the format. Only the format 0, one message without its description, is used.
    pub(crate) const FORMAT: u8 = 0x0E;
}

/// A submessage of a message that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Submessage<'a> {
    /// Its kind.
    pub kind: SubmessageKind,
    /// Its flags.
    pub flags: u8,
    /// Its content.
    pub payload: &'a [u8],
}

impl<'a> Submessage<'a> {
    /// Returns a reader of its content. The fields are aligned relative to the content, which has the same effect as
    /// alignment relative to the message, because no field is aligned to more than 4 bytes.
    pub(crate) fn reader(&self) -> Reader<'a> {
        let is_little = self.flags & flags::LITTLE_ENDIAN != 0;
        Reader::new(self.payload, if is_little { ByteOrder::Little } else { ByteOrder::Big })
    }

    /// Returns whether a flag is set.
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The submessages of a message, in order. It ends at the first one that can't be read, with an error.
#[derive(Clone, Debug)]
pub(crate) struct Submessages<'a> {
    /// The bytes after the header of the message.
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Submessages<'a> {
    /// Creates the iterator. `bytes` are the bytes after the header of the message.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Returns the bytes from the next submessage on.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    fn read(&mut self) -> Result<Submessage<'a>, WireError> {
        let rest = self.rest();
        let truncated = |needed: usize| WireError::Truncated { needed, left: rest.len() };
        let (header, content) =
            rest.split_first_chunk::<SUBMESSAGE_HEADER>().ok_or(truncated(SUBMESSAGE_HEADER))?;
        let [number, flags, low, high] = *header;
        let len = usize::from(u16::from_le_bytes([low, high]));
        let kind = SubmessageKind::from_number(number)
            .ok_or(WireError::Value { field: "submessage kind", value: number.into() })?;
        let payload = match kind {
            // The widespread client writes a length of 16, even if there are more bytes. This submessage is always the
            // only one of its message.
            SubmessageKind::CreateClient => content,
            // In a long submessage that was sent in fragments, the length does not fit into the header, and is 0.
            SubmessageKind::WriteData if len == 0 => content,
            _ => content.get(..len).ok_or(truncated(len))?,
        };
        self.position += (SUBMESSAGE_HEADER + payload.len()).next_multiple_of(SUBMESSAGE_ALIGNMENT);
        Ok(Submessage { kind, flags, payload })
    }
}

impl<'a> Iterator for Submessages<'a> {
    type Item = Result<Submessage<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.position >= self.bytes.len() {
            return None;
        }
        let read = self.read();
        if read.is_err() {
            self.position = self.bytes.len();
        }
        Some(read)
    }
}

/// Returns the header of a submessage whose content has `len` bytes. A length that does not fit becomes 0.
pub(crate) fn submessage_header(kind: SubmessageKind, flags: u8, len: usize) -> [u8; SUBMESSAGE_HEADER] {
    let [low, high] = u16::try_from(len).unwrap_or(0).to_le_bytes();
    [kind as u8, flags | flags::LITTLE_ENDIAN, low, high]
}

/// Appends a submessage to a message. `message` begins with the header of the message.
///
/// ```
/// use saltus_xrce::{ClientKey, MessageHeader, SessionId, SubmessageKind, append_submessage};
/// let mut message = Vec::new();
/// MessageHeader::unnumbered(SessionId(0x81), ClientKey([1, 2, 3, 4])).write(&mut message);
/// append_submessage(&mut message, SubmessageKind::Heartbeat, 0, &[0, 0, 1, 0, 0x80]);
/// assert_eq!(message, [0x81, 0, 0, 0, 0x0B, 1, 5, 0, 0, 0, 1, 0, 0x80]);
/// ```
pub fn append_submessage(message: &mut Vec<u8>, kind: SubmessageKind, flags: u8, payload: &[u8]) {
    message.resize(message.len().next_multiple_of(SUBMESSAGE_ALIGNMENT), 0);
    message.extend_from_slice(&submessage_header(kind, flags, payload.len()));
    message.extend_from_slice(payload);
}
