//! The writer of message bodies.

use crate::{CdrError, align_up};

/// A writer of the body of a message. Its buffer must have at least the number of bytes that [`Cdr::end`] returned.
///
/// **Invariant:** every byte between the start and the position has been written. Padding is written as zeros.
///
/// [`Cdr::end`]: crate::Cdr::end
#[derive(Debug)]
pub struct Writer<'a> {
    body: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    /// Creates a writer that starts at the first byte of `body`.
    pub fn new(body: &'a mut [u8]) -> Self {
        Self { body, at: 0 }
    }

    /// Returns the offset of the next byte.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Pads with zeros to a multiple of `align`, then writes `bytes`.
    ///
    /// # Panics
    /// Panics if the buffer is too short, because [`Cdr::end`](crate::Cdr::end) and `write` of a type disagree.
    #[inline]
    pub fn put(&mut self, align: usize, bytes: &[u8]) {
        let start = align_up(self.at, align);
        self.body[self.at..start].fill(0);
        self.body[start..start + bytes.len()].copy_from_slice(bytes);
        self.at = start + bytes.len();
    }

    /// Writes a length or count.
    #[inline]
    pub fn count(&mut self, count: usize) -> Result<(), CdrError> {
        let count32 =
            u32::try_from(count).map_err(|_| CdrError::Bound { bound: u32::MAX as usize, found: count })?;
        self.put(4, &count32.to_le_bytes());
        Ok(())
    }
}

/// Checks the length of a string or sequence. Returns an error if the length, `found`, exceeds `bound`, the largest
/// length that its type allows.
pub fn check_bound(found: usize, bound: usize) -> Result<(), CdrError> {
    if found > bound { Err(CdrError::Bound { bound, found }) } else { Ok(()) }
}
