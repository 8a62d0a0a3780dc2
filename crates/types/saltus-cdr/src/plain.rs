//! Types whose CDR layout is the same as their memory layout: numbers, and messages that consist only of
//! numbers.

use std::{fmt, marker::PhantomData, ops::Deref};

use bytemuck::{Pod, try_cast_slice, try_from_bytes};

use crate::{Cdr, CdrError, Element, Reader, Writer, align_up};

/// A type whose CDR bytes, little-endian and aligned, are the same as its bytes in memory.
///
/// **Invariant:** the type has no padding, and no field has a larger alignment than the first field. So the
/// layout does not depend on the offset in a message. The generator applies this rule, and the derive macro of
/// `Pod` rejects a type with padding at compile time.
pub trait Plain: Pod {
    /// The alignment in CDR: 1, 2, 4 or 8 bytes.
    const ALIGN: usize;

    /// Reverses the byte order of every number in the value.
    fn swap_bytes(&mut self);
}

/// A checked plain value. It is borrowed if byte order and alignment allow it, and copied otherwise.
pub enum PlainRef<'a, T> {
    /// The value in place.
    Borrowed(&'a T),
    /// A copy, because the bytes are big-endian or not aligned in memory.
    Owned(Box<T>),
}

impl<'a, T: Plain> PlainRef<'a, T> {
    /// Checks one value at the reader's position, and borrows or copies it.
    pub fn check(reader: &mut Reader<'a>) -> Result<Self, CdrError> {
        let swap = reader.swaps();
        let bytes = reader.take(T::ALIGN, size_of::<T>())?;
        Ok(match try_from_bytes(bytes) {
            Ok(value) if !swap => Self::Borrowed(value),
            _ => Self::Owned(Box::new(load(bytes, swap))),
        })
    }
}

impl<T> Deref for PlainRef<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for PlainRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Copies a value from its bytes. `bytes` must have exactly the size of the value.
fn load<T: Plain>(bytes: &[u8], swap: bool) -> T {
    let mut value = bytemuck::pod_read_unaligned::<T>(bytes);
    if swap {
        value.swap_bytes();
    }
    value
}

/// A checked sequence of plain values.
///
/// [`Seq::as_slice`] returns the sequence in place. It returns `None` only if the bytes are big-endian or
/// the body is not 8-aligned in memory. A body in shared memory is always 8-aligned. [`Seq::iter`] and
/// [`Seq::to_vec`] always work.
pub struct Seq<'a, T> {
    bytes: &'a [u8],
    swap: bool,
    of: PhantomData<fn() -> T>,
}

impl<'a, T: Plain> Seq<'a, T> {
    /// Checks `count` values at the reader's position.
    pub fn check(reader: &mut Reader<'a>, count: usize) -> Result<Self, CdrError> {
        // An empty sequence has no padding after its count.
        let align = if count == 0 { 1 } else { T::ALIGN };
        let bytes = reader.take(align, count.saturating_mul(size_of::<T>()))?;
        Ok(Self { bytes, swap: reader.swaps(), of: PhantomData })
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.bytes.len() / size_of::<T>()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns all values in place, if byte order and alignment allow it.
    pub fn as_slice(&self) -> Option<&'a [T]> {
        match (self.bytes, self.swap) {
            // The address of an empty sequence can be unaligned, so the cast below could fail.
            ([], _) => Some(&[]),
            (_, true) => None,
            (bytes, false) => try_cast_slice(bytes).ok(),
        }
    }

    /// Returns the value at `index`, if there is one.
    pub fn get(&self, index: usize) -> Option<T> {
        let start = index.checked_mul(size_of::<T>())?;
        let bytes = self.bytes.get(start..start.checked_add(size_of::<T>())?)?;
        Some(load(bytes, self.swap))
    }

    /// Returns an iterator over copies of the values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + 'a {
        let swap = self.swap;
        self.bytes.chunks_exact(size_of::<T>()).map(move |bytes| load(bytes, swap))
    }

    /// Returns a copy of all values.
    pub fn to_vec(&self) -> Vec<T> {
        self.as_slice().map_or_else(|| self.iter().collect(), <[T]>::to_vec)
    }
}

impl<T> Clone for Seq<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Seq<'_, T> {}

impl<T: Plain + fmt::Debug> fmt::Debug for Seq<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Returns the offset after `count` plain values that are written at `at`.
pub fn end_plain<T: Plain>(count: usize, at: usize) -> usize {
    if count == 0 { at } else { align_up(at, T::ALIGN) + count * size_of::<T>() }
}

/// Writes plain values.
pub fn write_plain<T: Plain>(items: &[T], writer: &mut Writer<'_>) {
    if !items.is_empty() {
        writer.put(T::ALIGN, bytemuck::cast_slice(items));
    }
}

/// Reads one plain value.
pub fn read_plain<T: Plain>(reader: &mut Reader<'_>) -> Result<T, CdrError> {
    let swap = reader.swaps();
    Ok(load(reader.take(T::ALIGN, size_of::<T>())?, swap))
}

/// The parts of [`Element`] that all plain types share.
#[doc(hidden)]
#[macro_export]
macro_rules! plain_element {
    () => {
        fn end_all(items: &[Self], at: usize) -> usize {
            $crate::private::end_plain::<Self>(items.len(), at)
        }

        #[inline]
        fn write_all(
            items: &[Self],
            writer: &mut $crate::Writer<'_>,
        ) -> ::core::result::Result<(), $crate::CdrError> {
            $crate::private::write_plain(items, writer);
            ::core::result::Result::Ok(())
        }

        #[inline]
        fn read_all(
            reader: &mut $crate::Reader<'_>,
            count: usize,
        ) -> ::core::result::Result<::std::vec::Vec<Self>, $crate::CdrError> {
            $crate::Seq::check(reader, count).map(|seq| seq.to_vec())
        }
    };
}

/// Implements [`Cdr`] and [`Element`] for a message that is [`Plain`]. Generated code uses it.
#[doc(hidden)]
#[macro_export]
macro_rules! plain_message {
    ($ty:ty) => {
        impl $crate::Cdr for $ty {
            const MIN_SIZE: usize = ::core::mem::size_of::<$ty>();
            type View<'a> = $crate::PlainRef<'a, $ty>;

            #[inline]
            fn end(&self, at: usize) -> usize {
                $crate::private::end_plain::<$ty>(1, at)
            }

            #[inline]
            fn write(&self, writer: &mut $crate::Writer<'_>) -> ::core::result::Result<(), $crate::CdrError> {
                $crate::private::write_plain(::core::slice::from_ref(self), writer);
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn read(reader: &mut $crate::Reader<'_>) -> ::core::result::Result<Self, $crate::CdrError> {
                $crate::private::read_plain(reader)
            }

            #[inline]
            fn view<'a>(
                reader: &mut $crate::Reader<'a>,
            ) -> ::core::result::Result<Self::View<'a>, $crate::CdrError> {
                $crate::PlainRef::check(reader)
            }
        }

        impl $crate::Element for $ty {
            type SeqView<'a> = $crate::Seq<'a, $ty>;
            $crate::plain_element!();

            #[inline]
            fn view_all<'a>(
                reader: &mut $crate::Reader<'a>,
                count: usize,
            ) -> ::core::result::Result<Self::SeqView<'a>, $crate::CdrError> {
                $crate::Seq::check(reader, count)
            }
        }
    };
}

macro_rules! number {
    ($ty:ty, $seq:ty, $view_all:expr, $swap:expr) => {
        impl Plain for $ty {
            const ALIGN: usize = size_of::<$ty>();

            fn swap_bytes(&mut self) {
                *self = $swap(*self);
            }
        }

        impl Cdr for $ty {
            const MIN_SIZE: usize = size_of::<$ty>();
            type View<'a> = $ty;

            #[inline]
            fn end(&self, at: usize) -> usize {
                end_plain::<$ty>(1, at)
            }

            #[inline]
            fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
                writer.put(size_of::<$ty>(), &self.to_le_bytes());
                Ok(())
            }

            #[inline]
            fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
                read_plain(reader)
            }

            #[inline]
            fn view<'a>(reader: &mut Reader<'a>) -> Result<Self, CdrError> {
                read_plain(reader)
            }
        }

        impl Element for $ty {
            type SeqView<'a> = $seq;
            plain_element!();

            #[inline]
            fn view_all<'a>(reader: &mut Reader<'a>, count: usize) -> Result<Self::SeqView<'a>, CdrError> {
                $view_all(reader, count)
            }
        }
    };
}

fn swap_f32(value: f32) -> f32 {
    f32::from_bits(value.to_bits().swap_bytes())
}

fn swap_f64(value: f64) -> f64 {
    f64::from_bits(value.to_bits().swap_bytes())
}

number!(u8, &'a [u8], |reader: &mut Reader<'a>, count| reader.take(1, count), u8::swap_bytes);
number!(i8, Seq<'a, i8>, Seq::check, i8::swap_bytes);
number!(u16, Seq<'a, u16>, Seq::check, u16::swap_bytes);
number!(i16, Seq<'a, i16>, Seq::check, i16::swap_bytes);
number!(u32, Seq<'a, u32>, Seq::check, u32::swap_bytes);
number!(i32, Seq<'a, i32>, Seq::check, i32::swap_bytes);
number!(u64, Seq<'a, u64>, Seq::check, u64::swap_bytes);
number!(i64, Seq<'a, i64>, Seq::check, i64::swap_bytes);
number!(f32, Seq<'a, f32>, Seq::check, swap_f32);
number!(f64, Seq<'a, f64>, Seq::check, swap_f64);

impl<T: Plain, const N: usize> Plain for [T; N]
where
    [T; N]: Pod,
{
    const ALIGN: usize = T::ALIGN;

    fn swap_bytes(&mut self) {
        self.iter_mut().for_each(Plain::swap_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` with a reader for a body that starts at a multiple of 8 in memory, after its
    /// encapsulation header.
    fn with_aligned_body(body: &[u8], check: impl FnOnce(&mut Reader<'_>)) {
        let mut words = vec![0u64; 2 + body.len().div_ceil(8)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        bytes[4..8].copy_from_slice(&crate::ENCAPSULATION);
        bytes[8..8 + body.len()].copy_from_slice(body);
        check(&mut Reader::new(&bytes[4..8 + body.len()]).unwrap());
    }

    #[test]
    fn an_aligned_sequence_and_an_empty_unaligned_one_are_slices() {
        let mut body = vec![0; 16];
        body[8..].copy_from_slice(&0.5f64.to_le_bytes());
        with_aligned_body(&body, |reader| {
            reader.take(1, 4).unwrap();
            assert_eq!(Seq::<f64>::check(reader, 0).unwrap().as_slice(), Some(&[][..]));
            assert_eq!(Seq::<f64>::check(reader, 1).unwrap().as_slice(), Some(&[0.5][..]));
        });
    }
}
