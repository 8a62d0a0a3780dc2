//! Sequences and arrays as values.

use crate::{Cdr, CdrError, Element, Reader, Writer, align_up};

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
