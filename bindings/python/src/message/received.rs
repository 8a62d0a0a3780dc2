//! The serialized bytes of a message, and the owner of their memory.

use std::sync::Arc;

use pyo3::prelude::*;
use saltus::{
    cdr::{CdrError, ENCAPSULATION, Reader},
    topic::Sample,
};

/// A serialized message: a received one in shared memory, or a copy.
///
/// **Invariant:** the bytes do not move or change for as long as this value lives. The body after the encapsulation
/// header is aligned to 8.
#[derive(Debug)]
pub(crate) enum Received {
    Sample(Sample),
    /// [`PAD`] bytes, then the message. The number is the length of the message.
    Copy(Box<[u64]>, usize),
}

/// The number of bytes before a copied message. They align its body.
const PAD: usize = 8 - ENCAPSULATION.len();

impl Received {
    /// Copies serialized bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; (PAD + bytes.len()).div_ceil(8)].into_boxed_slice();
        let buffer: &mut [u8] = saltus::cdr::bytemuck::cast_slice_mut(&mut words);
        buffer[PAD..PAD + bytes.len()].copy_from_slice(bytes);
        Self::Copy(words, bytes.len())
    }

    /// Returns the message, including the encapsulation header.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Sample(sample) => sample,
            Self::Copy(words, len) => {
                let bytes: &[u8] = saltus::cdr::bytemuck::cast_slice(words);
                &bytes[PAD..PAD + len]
            }
        }
    }

    /// Returns a reader that has skipped the first `offset` bytes of the body.
    pub(crate) fn reader_at(&self, offset: usize) -> Result<Reader<'_>, CdrError> {
        let mut reader = Reader::new(self.bytes())?;
        reader.take(1, offset)?;
        Ok(reader)
    }
}

/// Keeps received bytes alive for an array over them.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Memory(#[expect(dead_code, reason = "held, not used")] pub(crate) Arc<Received>);

/// The way in which received arrays of numbers are passed to Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrays {
    /// Read-only NumPy arrays over the received memory.
    Borrowed,
    /// Copies with the types of a ROS 2 class: `array.array`, NumPy arrays for arrays of fixed length, lists.
    Copied,
}
