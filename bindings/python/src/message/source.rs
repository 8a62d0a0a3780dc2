//! The bytes that a received message is decoded from.

use std::sync::Arc;

use saltus::cdr::{CdrError, ENCAPSULATION, Reader};
use saltus_dynamic::{Element, Shape, Type, field_offsets};

use super::{
    received::{Arrays, Received},
    support::Support,
};

/// A received message: its bytes, and the positions of its fields.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) bytes: Arc<Received>,
    pub(crate) arrays: Arrays,
    pub(super) offsets: Arc<[u32]>,
    /// Whether the message consists of all of the bytes. A nested message consists of a part of them.
    is_whole: bool,
}

impl Source {
    /// Returns the message that consists of all of these bytes. Checks the bytes.
    pub(crate) fn new(support: &Support, bytes: Arc<Received>, arrays: Arrays) -> Result<Self, CdrError> {
        let offsets = field_offsets(&support.schema, &mut Reader::new(bytes.bytes())?)?.into();
        Ok(Self { bytes, arrays, offsets, is_whole: true })
    }

    /// Returns all of the bytes, if the message consists of them and has the byte order of this machine.
    pub(crate) fn whole(&self) -> Option<Arc<Received>> {
        let is_own = self.is_whole && self.bytes.bytes().starts_with(&ENCAPSULATION);
        is_own.then(|| self.bytes.clone())
    }

    /// Returns whether a value of this type that was read from here is immutable.
    pub(crate) fn is_fixed(&self, ty: &Type) -> bool {
        match (&ty.element, ty.shape) {
            (Element::Message(_), _) => false,
            (_, Shape::Scalar) => true,
            // A message in the other byte order is decoded into mutable copies. But its bytes are never forwarded
            // unchanged.
            (Element::Primitive(_), _) => self.arrays == Arrays::Borrowed,
            _ => false,
        }
    }

    /// Returns the nested message at the position of the reader.
    pub(super) fn nested(&self, support: &Support, reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        let offsets = field_offsets(&support.schema, reader)?.into();
        Ok(Self { bytes: self.bytes.clone(), arrays: self.arrays, offsets, is_whole: false })
    }
}
