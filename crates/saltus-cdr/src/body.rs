//! In-place building: fields go in order straight into a buffer that somebody else owns.
//!
//! A generated builder counts its fields in its type: each method exists only on the builder that
//! stands at its field and returns the one that stands at the next, so a forgotten, doubled or
//! misplaced field does not compile. Errors (a bound exceeded, no memory to grow into) are kept in
//! the [`Body`] and come out at the end, so that building reads as one expression.

use crate::{CdrError, Plain, align_up};

/// Where a builder writes: memory that may be able to grow.
///
/// **Invariant:** `bytes` starts at an address that is a multiple of 8.
pub trait Buffer {
    /// Why it can't grow.
    type Error;

    /// All of its bytes.
    fn bytes(&mut self) -> &mut [u8];

    /// Makes it at least `length` bytes long, keeping its first `used` bytes.
    fn grow(&mut self, used: usize, length: usize) -> Result<(), Self::Error>;
}

/// Why a message could not be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BuildError<E> {
    /// A value does not fit its type.
    #[error(transparent)]
    Value(#[from] CdrError),
    /// The buffer could not grow.
    #[error("no room for the message: {0}")]
    Room(E),
    /// The buffer broke its promise to start at a multiple of 8.
    #[error("the buffer does not start at a multiple of 8 bytes")]
    Misaligned,
}

/// The body of a message under construction.
#[derive(Debug)]
pub struct Body<B: Buffer> {
    buffer: B,
    at: usize,
    error: Option<BuildError<B::Error>>,
}

impl<B: Buffer> Body<B> {
    /// An empty body in a buffer.
    pub fn new(buffer: B) -> Self {
        Self { buffer, at: 0, error: None }
    }

    /// The buffer and how much of it is written, or what went wrong first.
    pub fn finish(self) -> Result<(B, usize), BuildError<B::Error>> {
        match self.error {
            None => Ok((self.buffer, self.at)),
            Some(error) => Err(error),
        }
    }

    fn fail(&mut self, error: BuildError<B::Error>) {
        self.error.get_or_insert(error);
    }

    /// Pads to `align` and takes the next `len` bytes; `None` once something has failed.
    fn take(&mut self, align: usize, len: usize) -> Option<&mut [u8]> {
        if self.error.is_some() {
            return None;
        }
        let start = align_up(self.at, align);
        let Some(end) = start.checked_add(len) else {
            self.fail(CdrError::Bound { bound: usize::MAX - start, found: len }.into());
            return None;
        };
        if end > self.buffer.bytes().len()
            && let Err(error) = self.buffer.grow(self.at, end)
        {
            self.fail(BuildError::Room(error));
            return None;
        }
        let padding = self.at..start;
        self.at = end;
        let bytes = self.buffer.bytes();
        bytes[padding].fill(0);
        Some(&mut bytes[start..end])
    }

    /// Writes a number or a plain message.
    pub fn plain<T: Plain>(&mut self, value: T) {
        if let Some(place) = self.take(T::ALIGN, size_of::<T>()) {
            place.copy_from_slice(bytemuck::bytes_of(&value));
        }
    }

    /// Writes a bool.
    pub fn bool(&mut self, value: bool) {
        self.plain(u8::from(value));
    }

    /// Writes a count, which must not exceed `bound`. Returns how many elements are to follow: none
    /// once something has failed, so that a wrong count is not a long loop.
    pub fn count(&mut self, count: usize, bound: usize) -> usize {
        match u32::try_from(count) {
            Ok(count32) if count <= bound => self.plain(count32),
            _ => self.fail(CdrError::Bound { bound: bound.min(u32::MAX as usize), found: count }.into()),
        }
        if self.error.is_none() { count } else { 0 }
    }

    /// Writes a string of at most `bound` bytes.
    pub fn string(&mut self, text: &str, bound: usize) {
        if text.len() > bound {
            return self.fail(CdrError::Bound { bound, found: text.len() }.into());
        }
        self.count(text.len() + 1, usize::MAX);
        if let Some(place) = self.take(1, text.len() + 1) {
            let (characters, nul) = place.split_at_mut(text.len());
            characters.copy_from_slice(text.as_bytes());
            nul.fill(0);
        }
    }

    /// Writes a wide string of at most `bound` code units.
    pub fn wstring(&mut self, text: &str, bound: usize) {
        self.count(text.encode_utf16().count(), bound);
        text.encode_utf16().for_each(|unit| self.plain(u32::from(unit)));
    }

    /// Gives `fill` the place of `len` plain values. It holds what the buffer held before: every
    /// element must be written.
    pub fn fill<T: Plain>(&mut self, len: usize, fill: impl FnOnce(&mut [T])) {
        let align = if len == 0 { 1 } else { T::ALIGN };
        let Some(place) = self.take(align, len.saturating_mul(size_of::<T>())) else { return };
        match bytemuck::try_cast_slice_mut(place) {
            Ok(values) => fill(values),
            Err(_) if len == 0 => fill(&mut []),
            Err(_) => self.fail(BuildError::Misaligned),
        }
    }
}

/// What a builder stands on: a [`Body`] of its own, or that of the message around it.
pub trait Target {
    /// Where the body lies.
    type Buffer: Buffer;

    /// The body.
    fn body(&mut self) -> &mut Body<Self::Buffer>;
}

impl<B: Buffer> Target for Body<B> {
    type Buffer = B;

    fn body(&mut self) -> &mut Self {
        self
    }
}

impl<B: Buffer> Target for &mut Body<B> {
    type Buffer = B;

    fn body(&mut self) -> &mut Body<B> {
        self
    }
}

/// A message that can be built in place: generated for every message.
pub trait Buildable {
    /// Its builder, before the first field.
    type Builder<T: Target>;

    /// Starts one on a target.
    fn build_in<T: Target>(target: T) -> Self::Builder<T>;
}

/// A builder whose last field has been written.
pub trait Built {
    /// What it stood on.
    type Target;

    /// Gives it back.
    fn into_target(self) -> Self::Target;
}

/// A target that can be sent off once its message is complete.
pub trait Publishable {
    /// What sending yields.
    type Output;

    /// Sends it.
    fn publish(self) -> Self::Output;
}

/// A buffer in ordinary memory, for building without a middleware.
///
/// ```
/// use saltus_cdr::{Body, Scratch};
/// let mut body = Body::new(Scratch::default());
/// body.string("hi", 10);
/// body.plain(7u32);
/// let (buffer, used) = body.finish().unwrap();
/// assert_eq!(buffer.as_bytes()[..used], [3, 0, 0, 0, b'h', b'i', 0, 0, 7, 0, 0, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scratch(Vec<u64>);

impl Scratch {
    /// All of its bytes; a message covers the first of them.
    pub fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl Buffer for Scratch {
    type Error = std::convert::Infallible;

    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }

    fn grow(&mut self, _used: usize, length: usize) -> Result<(), Self::Error> {
        self.0.resize(length.div_ceil(8).next_power_of_two(), 0);
        Ok(())
    }
}
