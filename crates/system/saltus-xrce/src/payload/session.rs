//! Beginning a session, and the time.

use super::{COOKIE, VENDOR, VERSION};
use crate::{
    WireError,
    cursor::{Reader, Writer},
    ids::{ClientKey, SessionId},
};

/// The content of CREATE_CLIENT: a client begins a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateClient {
    /// The version of the protocol that the client uses: major and minor.
    pub version: [u8; 2],
    /// The key of the client.
    pub key: ClientKey,
    /// The session that begins.
    pub session: SessionId,
    /// The properties of the client.
    pub properties: ClientProperties,
    /// The longest message that the client accepts, in bytes.
    pub mtu: u16,
}

/// The properties that a client reports when it begins a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientProperties {
    /// The time of silence after which the agent asks whether the client is there, in milliseconds. `None` if the
    /// client does not report one.
    pub hard_liveliness_ms: Option<u32>,
    /// Whether the client delivers its own messages to its own subscriptions, so that the agent must not.
    pub delivers_to_itself: bool,
    /// The number of messages of a reliable stream that the client can receive in advance. The clients of Saltus report
    /// it; other clients do not.
    pub receive_history: Option<u16>,
    /// The number of this connection of the client. If it equals that of the present session, the message is a
    /// duplicate, and the session goes on. The clients of Saltus report it; other clients do not.
    pub connection: Option<u32>,
}

/// The names of properties.
mod property {
    pub(super) const HARD_LIVELINESS: &str = "uxr_hl";
    pub(super) const DELIVERS_TO_ITSELF: &str = "uxr_sm";
    /// The receive history and the number of the connection in hexadecimal, with a colon between them. They have one
    /// short property, so that the message fits into a CAN-FD frame.
    pub(super) const SALTUS: &str = "sal";
}

impl ClientProperties {
    fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let mut properties = Self::default();
        let count = reader.u32()?;
        for _ in 0..count {
            let (name, value) = (reader.string()?, reader.string()?);
            // Other properties, and values that are not numbers, have no meaning here.
            match name {
                property::HARD_LIVELINESS => properties.hard_liveliness_ms = value.parse().ok(),
                property::DELIVERS_TO_ITSELF => properties.delivers_to_itself = value == "1",
                property::SALTUS => {
                    let (history, connection) = value.split_once(':').unwrap_or((value, ""));
                    properties.receive_history = u16::from_str_radix(history, 16).ok();
                    properties.connection = u32::from_str_radix(connection, 16).ok();
                }
                _ => {}
            }
        }
        Ok(properties)
    }

    fn write(self, writer: &mut Writer<'_>) {
        let liveliness = self.hard_liveliness_ms.map(|ms| (property::HARD_LIVELINESS, format!("{ms:06}")));
        let to_itself = self.delivers_to_itself.then(|| (property::DELIVERS_TO_ITSELF, "1".to_owned()));
        let history = self.receive_history.map(|history| format!("{history:x}"));
        let connection = self.connection.map(|number| format!(":{number:x}"));
        let own = [history, connection].into_iter().flatten().collect::<String>();
        let own = (!own.is_empty()).then_some((property::SALTUS, own));
        let all: Vec<_> = [liveliness, to_itself, own].into_iter().flatten().collect();
        writer.u32(all.len() as u32);
        for (name, value) in all {
            writer.string(name);
            writer.string(&value);
        }
    }
}

impl CreateClient {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short, or if they don't begin with the protocol's cookie.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let cookie = reader.array()?;
        if cookie != COOKIE {
            return Err(WireError::Value { field: "cookie", value: u32::from_be_bytes(cookie) });
        }
        let version = reader.array()?;
        let _vendor: [u8; 2] = reader.array()?;
        let key = ClientKey(reader.array()?);
        let session = SessionId(reader.u8()?);
        let properties = reader.optional(ClientProperties::read)?.unwrap_or_default();
        Ok(Self { version, key, session, properties, mtu: reader.u16()? })
    }

    /// Writes it.
    pub fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&COOKIE);
        writer.bytes(&self.version);
        writer.bytes(&VENDOR);
        writer.bytes(&self.key.0);
        writer.u8(self.session.0);
        let properties = (self.properties != ClientProperties::default()).then_some(self.properties);
        writer.optional(properties, |writer, properties| properties.write(writer));
        writer.u16(self.mtu);
    }

    /// Creates it with the version of this crate.
    pub fn new(key: ClientKey, session: SessionId, mtu: u16, properties: ClientProperties) -> Self {
        Self { version: VERSION, key, session, properties, mtu }
    }
}

/// A time: seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timestamp {
    /// Seconds. They are negative before 1970.
    pub seconds: i32,
    /// Nanoseconds after the second.
    pub nanoseconds: u32,
}

impl Timestamp {
    /// Creates it from nanoseconds since 1970. Seconds that don't fit wrap around.
    pub(crate) fn from_nanoseconds(time: i64) -> Self {
        let (seconds, nanoseconds) = (time.div_euclid(1_000_000_000), time.rem_euclid(1_000_000_000));
        Self { seconds: seconds as i32, nanoseconds: nanoseconds as u32 }
    }

    /// Returns nanoseconds since 1970.
    pub(crate) fn to_nanoseconds(self) -> i64 {
        i64::from(self.seconds) * 1_000_000_000 + i64::from(self.nanoseconds)
    }

    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self { seconds: reader.u32()? as i32, nanoseconds: reader.u32()? })
    }

    /// Writes it.
    pub(crate) fn write(self, writer: &mut Writer<'_>) {
        writer.u32(self.seconds as u32);
        writer.u32(self.nanoseconds);
    }
}

/// The content of TIMESTAMP_REPLY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimestampReply {
    /// When the agent sent the reply, by its clock.
    pub transmit: Timestamp,
    /// When the agent received the request, by its clock.
    pub receive: Timestamp,
    /// When the client sent the request, by the client's clock, as the request said.
    pub originate: Timestamp,
}

impl TimestampReply {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let transmit = Timestamp::read(reader)?;
        let receive = Timestamp::read(reader)?;
        Ok(Self { transmit, receive, originate: Timestamp::read(reader)? })
    }

    /// Writes it.
    pub(crate) fn write(self, writer: &mut Writer<'_>) {
        self.transmit.write(writer);
        self.receive.write(writer);
        self.originate.write(writer);
    }

    /// Returns how far the client's clock is ahead of the agent's, in nanoseconds, if the reply arrived at `arrival` by
    /// the client's clock. The two directions are assumed to take equally long (as in NTP, RFC 5905).
    pub(crate) fn offset(&self, arrival: i64) -> i64 {
        let client = i128::from(self.originate.to_nanoseconds()) + i128::from(arrival);
        let agent = i128::from(self.receive.to_nanoseconds()) + i128::from(self.transmit.to_nanoseconds());
        ((client - agent) / 2) as i64
    }
}
