//! The elements of sequences and arrays.

use std::{fmt, marker::PhantomData};

use crate::{Cdr, CdrError, Reader, WString, Writer};

/// A value that can be an element of a sequence.
///
/// This trait is separate from [`Cdr`], so that a sequence of numbers is copied or borrowed as a whole. A
/// sequence of strings or messages is processed element by element.
pub trait Element: Cdr {
    /// The view of a sequence of these values.
    type SeqView<'a>;

    /// Returns the offset after all items if the first one is written at `at`.
    fn end_all(items: &[Self], at: usize) -> usize {
        items.iter().fold(at, |at, item| item.end(at))
    }

    /// Writes all items, without a count.
    fn write_all(items: &[Self], writer: &mut Writer<'_>) -> Result<(), CdrError> {
        items.iter().try_for_each(|item| item.write(writer))
    }

    /// Reads `count` items.
    fn read_all(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, CdrError> {
        // Collecting an iterator of `Result` would not reserve memory for all items. Here it can be reserved: the
        // count was checked against the remaining bytes, or it is the constant length of an array.
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(Self::read(reader)?);
        }
        Ok(items)
    }

    /// Checks `count` items and borrows them.
    fn view_all<'a>(reader: &mut Reader<'a>, count: usize) -> Result<Self::SeqView<'a>, CdrError>;
}

/// A checked sequence of strings, bools or messages, which is also an iterator over its items.
///
/// **Invariant:** all items were checked when the sequence was created, so iterating yields each of them.
/// The iterator finds the next item by checking the current one again, which needs no memory.
pub struct Items<'a, T> {
    reader: Reader<'a>,
    remaining: usize,
    of: PhantomData<fn() -> T>,
}

impl<'a, T: Cdr> Items<'a, T> {
    /// Checks `count` items and moves the reader past them.
    pub fn check(reader: &mut Reader<'a>, count: usize) -> Result<Self, CdrError> {
        let items = Self { reader: reader.clone(), remaining: count, of: PhantomData };
        for _ in 0..count {
            T::view(reader)?;
        }
        Ok(items)
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.remaining
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.remaining == 0
    }

    /// Returns an iterator over the items. To reach an item, it reads all items before it.
    pub fn iter(&self) -> Self {
        self.clone()
    }
}

impl<'a, T: Cdr> Iterator for Items<'a, T> {
    type Item = T::View<'a>;

    fn next(&mut self) -> Option<T::View<'a>> {
        self.remaining = self.remaining.checked_sub(1)?;
        T::view(&mut self.reader).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<T: Cdr> ExactSizeIterator for Items<'_, T> {}

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Self { reader: self.reader.clone(), remaining: self.remaining, of: PhantomData }
    }
}

impl<'a, T: Cdr> fmt::Debug for Items<'a, T>
where
    T::View<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

macro_rules! impl_element {
    ($($ty:ty),*) => { $(
        impl Element for $ty {
            type SeqView<'a> = Items<'a, Self>;

            fn view_all<'a>(reader: &mut Reader<'a>, count: usize) -> Result<Items<'a, Self>, CdrError> {
                Items::check(reader, count)
            }
        }
    )* };
}

impl_element!(bool, String, WString);
