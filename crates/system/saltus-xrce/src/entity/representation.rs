//! An object in a message, in any of the three representations.

use super::{
    binary,
    model::{Definition, Entity, Parent},
    xml,
};
use crate::{
    WireError,
    cursor::{Reader, Writer},
    ids::{ObjectId, ObjectKind},
};

/// The numbers of the ways to describe an object.
mod format {
    pub(super) const PROFILE: u8 = 1;
    pub(super) const XML: u8 = 2;
    pub(super) const BINARY: u8 = 3;
}

impl Definition {
    fn read(kind: ObjectKind, reader: &mut Reader<'_>) -> Result<Self, WireError> {
        match reader.u8()? {
            format::PROFILE => Ok(Self::Profile { kind, name: reader.string()?.to_owned() }),
            format::XML => xml::read(kind, reader.string()?),
            format::BINARY => binary::read(kind, &mut Reader::new(reader.sequence()?, reader.order())),
            value => Err(WireError::Value { field: "representation", value: value.into() }),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        if let Self::Profile { name, .. } = self {
            writer.u8(format::PROFILE);
            writer.string(name);
        } else {
            let mut bytes = Vec::new();
            binary::write(self, &mut Writer::new(&mut bytes));
            writer.u8(format::BINARY);
            writer.sequence(&bytes);
        }
    }
}

impl Entity {
    /// Reads it from a CREATE submessage, in any representation.
    ///
    /// # Errors
    /// Returns an error if the bytes are not an object, or one of a kind that is not supported.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let number = reader.u8()?;
        let kind = ObjectKind::from_number(number)
            .ok_or(WireError::Value { field: "object kind", value: number.into() })?;
        let definition = Definition::read(kind, reader)?;
        let parent = match kind {
            ObjectKind::Participant => Parent::Domain(reader.u16()? as i16),
            _ => Parent::Object(ObjectId::read(reader)?),
        };
        Ok(Self { parent, definition })
    }

    /// Writes it for a CREATE submessage, in binary form.
    pub fn write(&self, writer: &mut Writer<'_>) {
        writer.u8(self.definition.kind() as u8);
        self.definition.write(writer);
        match self.parent {
            Parent::Domain(domain) => writer.u16(domain as u16),
            Parent::Object(id) => writer.bytes(&id.to_bytes()),
        }
    }
}
