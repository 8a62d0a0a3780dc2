//! The reader of untrusted bytes.

use crate::{CdrError, align_up};

/// A reader of the body of a message, from start to end, which checks every step.
///
/// **Invariant:** the position never exceeds the length of the body, and all bytes that the reader returns are
/// within the body.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    body: &'a [u8],
    at: usize,
    swap: bool,
}

impl<'a> Reader<'a> {
    /// Reads the encapsulation header of a serialized message and creates a reader at the start of its body.
    ///
    /// The option bytes are ignored, because DDS implementations keep a padding count there.
    pub fn new(bytes: &'a [u8]) -> Result<Self, CdrError> {
        let Some((header, body)) = bytes.split_first_chunk::<4>() else {
            return Err(CdrError::End { at: 0, needed: 4, length: bytes.len() });
        };
        match header {
            [0, 0, ..] => Ok(Self { body, at: 0, swap: true }),
            [0, 1, ..] => Ok(Self { body, at: 0, swap: false }),
            [a, b, ..] => Err(CdrError::Encapsulation(*a, *b)),
        }
    }

    /// Whether the byte order of the numbers differs from the byte order of this machine.
    pub fn swaps(&self) -> bool {
        self.swap
    }

    /// Returns the offset of the next byte, counted from the first byte of the body.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Skips padding and takes `len` bytes that begin at a multiple of `align`.
    #[inline]
    pub fn take(&mut self, align: usize, len: usize) -> Result<&'a [u8], CdrError> {
        let start = align_up(self.at, align);
        match start.checked_add(len).and_then(|end| self.body.get(start..end)) {
            Some(bytes) => {
                self.at = start + len;
                Ok(bytes)
            }
            None => Err(CdrError::End { at: start, needed: len, length: self.body.len() }),
        }
    }

    /// Takes the count of a sequence whose elements have at least `min_size` bytes each.
    ///
    /// Returns an error if the rest of the body is too short for the count. This is checked before any
    /// memory is allocated for the elements.
    #[inline]
    pub fn count(&mut self, min_size: usize) -> Result<usize, CdrError> {
        let count = self.u32()? as usize;
        self.require(count, min_size)?;
        Ok(count)
    }

    /// Returns an error if the rest of the body is too short for `count` elements. It is called before any
    /// memory is allocated for them.
    pub(crate) fn require(&self, count: usize, min_size: usize) -> Result<(), CdrError> {
        let needed = count.saturating_mul(min_size);
        if needed > self.body.len() - self.at {
            return Err(CdrError::End { at: self.at, needed, length: self.body.len() });
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, CdrError> {
        let bytes = self.take(4, 4)?;
        let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(if self.swap { value.swap_bytes() } else { value })
    }

    /// Takes a string: its length including the NUL, its bytes, and the NUL. A length of 0 is accepted as an
    /// empty string, because Fast CDR and Cyclone DDS accept it, too.
    pub fn str(&mut self) -> Result<&'a str, CdrError> {
        let length = self.u32()? as usize;
        let at = self.at;
        match self.take(1, length)? {
            [] => Ok(""),
            [text @ .., 0] => std::str::from_utf8(text).map_err(|_| CdrError::Utf8 { at }),
            _ => Err(CdrError::Nul { at }),
        }
    }
}
