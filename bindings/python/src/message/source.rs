//! The bytes that a received message lies in.

use std::sync::Arc;

use saltus::cdr::{CdrError, ENCAPSULATION, Reader};
use saltus_dynamic::{Element, Shape, Type, field_offsets};

use super::{
    received::{Arrays, Received},
    support::Support,
};

/// A message that was received, and where its fields lie.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) bytes: Arc<Received>,
    pub(crate) arrays: Arrays,
    pub(super) offsets: Arc<[u32]>,
    /// Whether it is all of the bytes.
    is_whole: bool,
}

impl Source {
    /// The message in all of these bytes, which are checked.
    pub(crate) fn new(support: &Support, bytes: Arc<Received>, arrays: Arrays) -> Result<Self, CdrError> {
        let offsets = field_offsets(&support.schema, &mut Reader::new(bytes.bytes())?)?.into();
        Ok(Self { bytes, arrays, offsets, is_whole: true })
    }

    /// All of the bytes, if they are this message and written as this machine writes.
    pub(crate) fn whole(&self) -> Option<Arc<Received>> {
        let is_own = self.is_whole && self.bytes.bytes().starts_with(&ENCAPSULATION);
        is_own.then(|| self.bytes.clone())
    }

    /// Whether nobody can change a value of this type that was read from here.
    pub(crate) fn is_fixed(&self, ty: &Type) -> bool {
        match (&ty.element, ty.shape) {
            (Element::Message(_), _) => false,
            (_, Shape::Scalar) => true,
            // One that had to be swapped is a copy; then the whole is never sent on as it is.
            (Element::Primitive(_), _) => self.arrays == Arrays::Shown,
            _ => false,
        }
    }

    /// A message within, at which the reader stands.
    pub(super) fn within(&self, support: &Support, reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        let offsets = field_offsets(&support.schema, reader)?.into();
        Ok(Self { bytes: self.bytes.clone(), arrays: self.arrays, offsets, is_whole: false })
    }
}
