//! The bytes of a message, where they lie, and what keeps them there.

use std::sync::Arc;

use pyo3::prelude::*;
use saltus::{
    Sample,
    cdr::{CdrError, ENCAPSULATION, Reader},
};

/// A serialized message: a received one in shared memory, or a copy.
///
/// **Invariant:** the bytes stay where and as they are for as long as it lives, and the body behind the
/// encapsulation header is aligned to 8.
#[derive(Debug)]
pub(crate) enum Received {
    Sample(Sample),
    /// The message with 4 bytes before it, and its length.
    Copy(Box<[u64]>, usize),
}

/// What stands before a copy, so that its body is aligned.
const PAD: usize = 8 - ENCAPSULATION.len();

impl Received {
    /// A copy of serialized bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; (PAD + bytes.len()).div_ceil(8)].into_boxed_slice();
        let place: &mut [u8] = saltus::cdr::bytemuck::cast_slice_mut(&mut words);
        place[PAD..PAD + bytes.len()].copy_from_slice(bytes);
        Self::Copy(words, bytes.len())
    }

    /// The message, encapsulation header included.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Sample(sample) => sample,
            Self::Copy(words, len) => {
                let bytes: &[u8] = saltus::cdr::bytemuck::cast_slice(words);
                &bytes[PAD..PAD + len]
            }
        }
    }

    /// A reader that stands so many bytes behind the body's first.
    pub(crate) fn reader_at(&self, offset: usize) -> Result<Reader<'_>, CdrError> {
        let mut reader = Reader::new(self.bytes())?;
        reader.take(1, offset)?;
        Ok(reader)
    }
}

/// Keeps received bytes for an array that shows them.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Memory(#[expect(dead_code, reason = "held, not used")] pub(crate) Arc<Received>);

/// What becomes of received arrays of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrays {
    /// NumPy arrays over the received memory, which nobody may change.
    Shown,
    /// Copies in what a ROS 2 class has: `array.array`, NumPy arrays of fixed length, lists.
    Copied,
}
