//! Values that sequences and arrays are made of.

use std::{fmt, marker::PhantomData};

use crate::{Cdr, CdrError, Reader, WString, Writer};

/// A value that can stand in a sequence.
///
/// Separate from [`Cdr`] so that a sequence of numbers is one copy or one slice, while a sequence
/// of strings or messages goes element by element.
pub trait Element: Cdr {
    /// The view of a sequence of these.
    type SeqView<'a>;

    /// The offset behind all items if the first is written at `at`.
    fn end_all(items: &[Self], at: usize) -> usize {
        items.iter().fold(at, |at, item| item.end(at))
    }

    /// Writes all items, without a count.
    fn write_all(items: &[Self], writer: &mut Writer<'_>) -> Result<(), CdrError> {
        items.iter().try_for_each(|item| item.write(writer))
    }

    /// Reads `count` items.
    fn read_all(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Self>, CdrError> {
        // `Vec::from_iter` over `Result` does not trust the count; here it is already checked
        // against the bytes that are left, or is the constant length of an array.
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(Self::read(reader)?);
        }
        Ok(items)
    }

    /// Checks and borrows `count` items.
    fn view_all<'a>(reader: &mut Reader<'a>, count: usize) -> Result<Self::SeqView<'a>, CdrError>;
}

/// A checked sequence of strings, bools or messages, read one after the other as it is iterated.
///
/// **Invariant:** all of its items were checked when it was made, so that iterating yields each of
/// them. It finds its way by checking each once more, which costs no memory.
pub struct Items<'a, T> {
    reader: Reader<'a>,
    left: usize,
    of: PhantomData<fn() -> T>,
}

impl<'a, T: Cdr> Items<'a, T> {
    /// Checks `count` items and steps over them.
    pub fn check(reader: &mut Reader<'a>, count: usize) -> Result<Self, CdrError> {
        let items = Self { reader: reader.clone(), left: count, of: PhantomData };
        for _ in 0..count {
            T::view(reader)?;
        }
        Ok(items)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.left
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The items from the first; each is found by walking over those before it.
    pub fn iter(&self) -> Self {
        self.clone()
    }
}

impl<'a, T: Cdr> Iterator for Items<'a, T> {
    type Item = T::View<'a>;

    fn next(&mut self) -> Option<T::View<'a>> {
        self.left = self.left.checked_sub(1)?;
        T::view(&mut self.reader).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Cdr> ExactSizeIterator for Items<'_, T> {}

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Self { reader: self.reader.clone(), left: self.left, of: PhantomData }
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

macro_rules! one_by_one {
    ($($ty:ty),*) => { $(
        impl Element for $ty {
            type SeqView<'a> = Items<'a, Self>;

            fn view_all<'a>(reader: &mut Reader<'a>, count: usize) -> Result<Items<'a, Self>, CdrError> {
                Items::check(reader, count)
            }
        }
    )* };
}

one_by_one!(bool, String, WString);
