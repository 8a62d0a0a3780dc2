//! Creating objects, and the answers to requests.

use crate::{
    WireError,
    cursor::{Reader, Writer},
    entity::Entity,
    ids::Request,
};

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The request was carried out.
    Ok = 0x00,
    /// The object existed already, and is as it was requested.
    OkMatched = 0x01,
    /// The agent could not carry out the request.
    Failed = 0x80,
    /// The object exists, and differs from what was requested.
    Mismatch = 0x81,
    /// The object exists already.
    AlreadyExists = 0x82,
    /// The request is not allowed.
    Denied = 0x83,
    /// The object, or one that it refers to, does not exist.
    UnknownReference = 0x84,
    /// The request is not valid.
    InvalidData = 0x85,
    /// The request is not supported.
    Incompatible = 0x86,
    /// There is no room for the object.
    Resources = 0x87,
}

impl Status {
    /// Returns whether the request was carried out.
    pub fn is_ok(self) -> bool {
        matches!(self, Self::Ok | Self::OkMatched)
    }

    fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0x00 => Self::Ok,
            0x01 => Self::OkMatched,
            0x80 => Self::Failed,
            0x81 => Self::Mismatch,
            0x82 => Self::AlreadyExists,
            0x83 => Self::Denied,
            0x84 => Self::UnknownReference,
            0x85 => Self::InvalidData,
            0x86 => Self::Incompatible,
            0x87 => Self::Resources,
            _ => return None,
        })
    }

    /// Reads it.
    ///
    /// # Errors
    /// Returns an error if the number is not defined.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let number = reader.u8()?;
        Self::from_number(number).ok_or(WireError::Value { field: "status", value: number.into() })
    }
}

/// The content of STATUS: a request and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusReply {
    /// The request.
    pub request: Request,
    /// The answer.
    pub status: Status,
}

impl StatusReply {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short, or if the status is not defined.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let request = Request::read(reader)?;
        let status = Status::read(reader)?;
        let _implementation = reader.u8()?;
        Ok(Self { request, status })
    }

    /// Returns its bytes.
    pub fn to_bytes(self) -> [u8; 6] {
        let [a, b, c, d] = self.request.to_bytes();
        [a, b, c, d, self.status as u8, 0]
    }
}

/// The content of CREATE.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Create {
    /// The request, and the object to create.
    pub request: Request,
    /// The kind and the options of the object.
    pub entity: Entity,
}

impl Create {
    /// Reads it from a submessage.
    ///
    /// # Errors
    /// Returns the request, if it could be read, and what is wrong.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, (Option<Request>, WireError)> {
        let request = Request::read(reader).map_err(|error| (None, error))?;
        let entity = Entity::read(reader).map_err(|error| (Some(request), error))?;
        Ok(Self { request, entity })
    }

    /// Writes it, with the binary representation of the object.
    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&self.request.to_bytes());
        self.entity.write(writer);
    }
}
