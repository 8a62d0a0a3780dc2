//! Values that can be written as CDR.

use crate::{CdrError, Reader, Writer, align_up};

/// A value that can be written as CDR, read back, and viewed in place.
///
/// The implementations for interfaces are generated. **Invariant:** `write` writes exactly up to the
/// offset that `end` returns for the same start, and `read` and `view` accept what `write` wrote.
pub trait Cdr: Sized {
    /// The size of the smallest value of this type, in bytes, without padding: at least 1.
    const MIN_SIZE: usize;

    /// The view of this type: the same value, borrowed from the bytes.
    type View<'a>;

    /// Returns the offset after this value if the value is written at offset `at`.
    fn end(&self, at: usize) -> usize;

    /// Writes the value at the writer's position.
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError>;

    /// Reads a value at the reader's position.
    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError>;

    /// Checks a value at the reader's position and borrows it.
    fn view<'a>(reader: &mut Reader<'a>) -> Result<Self::View<'a>, CdrError>;
}

impl Cdr for bool {
    const MIN_SIZE: usize = 1;
    type View<'a> = bool;

    #[inline]
    fn end(&self, at: usize) -> usize {
        at + 1
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        writer.put(1, &[u8::from(*self)]);
        Ok(())
    }

    /// Reads 0 as false and every other byte as true.
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        Ok(reader.take(1, 1)? != [0])
    }

    #[inline]
    fn view<'a>(reader: &mut Reader<'a>) -> Result<bool, CdrError> {
        Self::read(reader)
    }
}

impl Cdr for String {
    const MIN_SIZE: usize = 4;
    type View<'a> = &'a str;

    #[inline]
    fn end(&self, at: usize) -> usize {
        align_up(at, 4) + 4 + self.len() + 1
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        writer.count(self.len() + 1)?;
        writer.put(1, self.as_bytes());
        writer.put(1, &[0]);
        Ok(())
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        reader.str().map(str::to_owned)
    }

    #[inline]
    fn view<'a>(reader: &mut Reader<'a>) -> Result<&'a str, CdrError> {
        reader.str()
    }
}
