//! Asking the other side for information, and whether it is there.

use super::{COOKIE, VENDOR, VERSION};
use crate::{
    WireError,
    cursor::{Reader, Writer},
    ids::{ObjectKind, Request},
};

/// The content of GET_INFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InfoRequest {
    /// The request, and the object that the question is about: the agent, or the client.
    pub request: Request,
    /// Which information is wanted: [`InfoRequest::CONFIGURATION`], [`InfoRequest::ACTIVITY`] or both.
    pub mask: u32,
}

impl InfoRequest {
    /// The version and the vendor are wanted.
    pub(crate) const CONFIGURATION: u32 = 1;
    /// Addresses and availability are wanted.
    pub(crate) const ACTIVITY: u32 = 2;

    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self { request: Request::read(reader)?, mask: reader.u32()? })
    }

    /// Writes it.
    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&self.request.to_bytes());
        writer.u32(self.mask);
    }
}

/// The version of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentVersion {
    /// The version of the protocol: major and minor.
    pub version: [u8; 2],
    /// The vendor.
    pub vendor: [u8; 2],
}

impl AgentVersion {
    /// The version of this crate.
    pub(crate) const OWN: Self = Self { version: VERSION, vendor: VENDOR };

    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short, or if they don't begin with the protocol's cookie.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let cookie = reader.array()?;
        if cookie != COOKIE {
            return Err(WireError::Value { field: "cookie", value: u32::from_be_bytes(cookie) });
        }
        let (version, vendor) = (reader.array()?, reader.array()?);
        // Properties of an agent are not defined.
        let _has_properties = reader.bool()?;
        Ok(Self { version, vendor })
    }

    /// Writes it.
    pub fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&COOKIE);
        writer.bytes(&self.version);
        writer.bytes(&self.vendor);
        writer.bool(false);
    }
}

/// An address at which an agent can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locator {
    /// An IPv4 address and a port.
    V4([u8; 4], u16),
    /// An IPv6 address and a port.
    V6([u8; 16], u32),
    /// An address of two bytes, and a port.
    Short([u8; 2], u8),
    /// Any other address.
    Text(String),
}

impl Locator {
    fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(match reader.u8()? {
            0 => Self::Short(reader.array()?, reader.u8()?),
            1 => Self::V4(reader.array()?, reader.u16()?),
            2 => Self::V6(reader.array()?, reader.u32()?),
            3 => Self::Text(reader.string()?.to_owned()),
            value => return Err(WireError::Value { field: "address format", value: value.into() }),
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Short(address, port) => {
                writer.u8(0);
                writer.bytes(address);
                writer.u8(*port);
            }
            Self::V4(address, port) => {
                writer.u8(1);
                writer.bytes(address);
                writer.u16(*port);
            }
            Self::V6(address, port) => {
                writer.u8(2);
                writer.bytes(address);
                writer.u32(*port);
            }
            Self::Text(text) => {
                writer.u8(3);
                writer.string(text);
            }
        }
    }
}

/// The content of INFO from an agent.
///
/// The order of its parts is that of the widespread implementation: first the configuration, then the activity. The
/// specification has them the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Info {
    /// The request that it answers.
    pub request: Request,
    /// Whether the agent has a session with the client that asked.
    pub has_session: bool,
    /// The version of the agent.
    pub version: Option<AgentVersion>,
    /// Addresses at which the agent can be reached.
    pub locators: Vec<Locator>,
}

impl Info {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are not the information of an agent.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let request = Request::read(reader)?;
        let _status = reader.u8()?;
        let has_session = reader.u8()? == 1;
        let version = reader.optional(|reader| {
            expect_agent(reader)?;
            AgentVersion::read(reader)
        })?;
        let locators = reader.optional(|reader| {
            expect_agent(reader)?;
            let _availability = reader.u16()?;
            let count = reader.u32()?;
            // Nothing is reserved: the count is untrusted, and each locator takes at least one byte.
            (0..count).map(|_| Locator::read(reader)).collect::<Result<Vec<_>, _>>()
        })?;
        Ok(Self { request, has_session, version, locators: locators.unwrap_or_default() })
    }

    /// Writes it.
    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&self.request.to_bytes());
        writer.u8(0);
        writer.bool(self.has_session);
        writer.optional(self.version, |writer, version| {
            writer.u8(ObjectKind::Agent as u8);
            version.write(writer);
        });
        writer.bool(true);
        writer.u8(ObjectKind::Agent as u8);
        // The agent is available.
        writer.u16(1);
        writer.u32(self.locators.len() as u32);
        self.locators.iter().for_each(|locator| locator.write(writer));
    }
}

fn expect_agent(reader: &mut Reader<'_>) -> Result<(), WireError> {
    match reader.u8()? {
        kind if kind == ObjectKind::Agent as u8 => Ok(()),
        value => Err(WireError::Value { field: "kind of information", value: value.into() }),
    }
}
