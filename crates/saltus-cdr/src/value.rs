//! Values that have a CDR form.

use crate::{CdrError, Element, Reader, Writer, align_up};

/// A value that can be written as CDR, read back, and viewed in place.
///
/// Generated for every interface. **Invariant:** `write` writes exactly up to the offset that
/// `end` gives for the same start, and `read` and `view` accept what `write` wrote.
pub trait Cdr: Sized {
    /// The fewest bytes any value of this type takes, without padding: at least 1.
    const MIN_SIZE: usize;

    /// The same value where it lies in the bytes.
    type View<'a>;

    /// The offset behind this value if it is written at offset `at`.
    fn end(&self, at: usize) -> usize;

    /// Writes it at the writer's position.
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError>;

    /// Reads one at the reader's position.
    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError>;

    /// Checks one at the reader's position and borrows it.
    fn view<'a>(reader: &mut Reader<'a>) -> Result<Self::View<'a>, CdrError>;
}

impl Cdr for bool {
    const MIN_SIZE: usize = 1;
    type View<'a> = bool;

    fn end(&self, at: usize) -> usize {
        at + 1
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        writer.put(1, &[u8::from(*self)]);
        Ok(())
    }

    /// Any byte but 0 is true.
    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        Ok(reader.take(1, 1)? != [0])
    }

    fn view<'a>(reader: &mut Reader<'a>) -> Result<bool, CdrError> {
        Self::read(reader)
    }
}

impl Cdr for String {
    const MIN_SIZE: usize = 4;
    type View<'a> = &'a str;

    fn end(&self, at: usize) -> usize {
        align_up(at, 4) + 4 + self.len() + 1
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        writer.count(self.len() + 1)?;
        writer.put(1, self.as_bytes());
        writer.put(1, &[0]);
        Ok(())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        reader.str().map(str::to_owned)
    }

    fn view<'a>(reader: &mut Reader<'a>) -> Result<&'a str, CdrError> {
        reader.str()
    }
}

impl<T: Element> Cdr for Vec<T> {
    const MIN_SIZE: usize = 4;
    type View<'a> = T::SeqView<'a>;

    fn end(&self, at: usize) -> usize {
        T::end_all(self, align_up(at, 4) + 4)
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        writer.count(self.len())?;
        T::write_all(self, writer)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        let count = reader.count(T::MIN_SIZE)?;
        T::read_all(reader, count)
    }

    fn view<'a>(reader: &mut Reader<'a>) -> Result<T::SeqView<'a>, CdrError> {
        let count = reader.count(T::MIN_SIZE)?;
        T::view_all(reader, count)
    }
}

impl<T: Element, const N: usize> Cdr for [T; N] {
    const MIN_SIZE: usize = T::MIN_SIZE * N;
    type View<'a> = T::SeqView<'a>;

    fn end(&self, at: usize) -> usize {
        T::end_all(self, at)
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        T::write_all(self, writer)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        reader.require(N, T::MIN_SIZE)?;
        let (at, needed) = (reader.position(), T::MIN_SIZE * N);
        let items = T::read_all(reader, N)?;
        let length = items.len();
        items.try_into().map_err(|_| CdrError::End { at, needed, length })
    }

    fn view<'a>(reader: &mut Reader<'a>) -> Result<T::SeqView<'a>, CdrError> {
        T::view_all(reader, N)
    }
}
