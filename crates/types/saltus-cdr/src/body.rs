//! In-place building: a builder writes fields in order directly into a buffer of its caller.
//!
//! A generated builder has one type for each position in the message. The method of a field exists only
//! on the type for its position, and it returns the type for the next position. So code with a missing,
//! repeated or misplaced field does not compile. The [`Body`] keeps the first error, such as an exceeded
//! bound or a buffer that can't grow, and returns it at the end. So a whole message can be built in one
//! expression.

use crate::{CdrError, Plain, align_up};

/// The memory that a builder writes to. It may be able to grow.
///
/// **Invariant:** `bytes` starts at an address that is a multiple of 8.
pub trait Buffer {
    /// The reason why the buffer can't grow.
    type Error;

    /// Returns all bytes of the buffer.
    fn bytes(&mut self) -> &mut [u8];

    /// Makes the buffer at least `length` bytes long and keeps its first `used` bytes.
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
    /// The address of the buffer is not a multiple of 8, as the invariant of [`Buffer`] requires.
    #[error("expected a buffer whose address is a multiple of 8")]
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
    /// Creates an empty body in a buffer.
    #[inline]
    pub fn new(buffer: B) -> Self {
        Self { buffer, at: 0, error: None }
    }

    /// Returns the buffer and the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns the first error that occurred while the body was built.
    #[inline]
    pub fn finish(self) -> Result<(B, usize), BuildError<B::Error>> {
        match self.error {
            None => Ok((self.buffer, self.at)),
            Some(error) => Err(error),
        }
    }

    fn fail(&mut self, error: BuildError<B::Error>) {
        self.error.get_or_insert(error);
    }

    /// Pads to `align` and returns the next `len` bytes. Returns `None` if this step or an earlier one
    /// failed.
    #[inline]
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
    #[inline]
    pub fn plain<T: Plain>(&mut self, value: T) {
        if let Some(target) = self.take(T::ALIGN, size_of::<T>()) {
            target.copy_from_slice(bytemuck::bytes_of(&value));
        }
    }

    /// Writes a bool.
    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.plain(u8::from(value));
    }

    /// Writes a count, which must not exceed `bound`. Returns the number of elements that the caller must
    /// write next. If this step or an earlier one failed, it returns 0, so that a wrong count does not cause
    /// a long loop.
    #[inline]
    pub fn count(&mut self, count: usize, bound: usize) -> usize {
        match u32::try_from(count) {
            Ok(count32) if count <= bound => self.plain(count32),
            _ => self.fail(CdrError::Bound { bound: bound.min(u32::MAX as usize), found: count }.into()),
        }
        if self.error.is_none() { count } else { 0 }
    }

    /// Writes a string of at most `bound` bytes.
    #[inline]
    pub fn string(&mut self, text: &str, bound: usize) {
        if text.len() > bound {
            return self.fail(CdrError::Bound { bound, found: text.len() }.into());
        }
        self.count(text.len() + 1, usize::MAX);
        if let Some(target) = self.take(1, text.len() + 1) {
            let (characters, nul) = target.split_at_mut(text.len());
            characters.copy_from_slice(text.as_bytes());
            nul.fill(0);
        }
    }

    /// Writes a wide string of at most `bound` code units.
    pub fn wstring(&mut self, text: &str, bound: usize) {
        self.count(text.encode_utf16().count(), bound);
        text.encode_utf16().for_each(|unit| self.plain(u32::from(unit)));
    }

    /// Calls `fill` with a slice of `len` plain values in the buffer. The slice has the old content of the
    /// buffer, so `fill` must write every element.
    #[inline]
    pub fn fill<T: Plain>(&mut self, len: usize, fill: impl FnOnce(&mut [T])) {
        let align = if len == 0 { 1 } else { T::ALIGN };
        let Some(target) = self.take(align, len.saturating_mul(size_of::<T>())) else { return };
        match bytemuck::try_cast_slice_mut(target) {
            Ok(values) => fill(values),
            Err(_) if len == 0 => fill(&mut []),
            Err(_) => self.fail(BuildError::Misaligned),
        }
    }
}

/// The output of a builder: a [`Body`] of its own, or the body of the message that contains its message.
pub trait Target {
    /// The buffer of the body.
    type Buffer: Buffer;

    /// Returns the body.
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

/// A message that can be built in place. It is generated for every message.
pub trait Buildable {
    /// The type of the builder before the first field is written.
    type Builder<T: Target>;

    /// Starts a builder that writes to `target`.
    fn build_in<T: Target>(target: T) -> Self::Builder<T>;
}

/// A builder whose last field has been written.
pub trait Built {
    /// The target that the builder wrote to.
    type Target;

    /// Returns the target.
    fn into_target(self) -> Self::Target;
}

/// A target that can be published when its message is complete.
pub trait Publishable {
    /// The result of publishing.
    type Output;

    /// Publishes the message.
    fn publish(self) -> Self::Output;
}

/// A buffer on the heap, for building messages without a middleware.
///
/// ```
/// use saltus::cdr::{Body, Scratch};
/// let mut body = Body::new(Scratch::default());
/// body.string("hi", 10);
/// body.plain(7u32);
/// let (buffer, used) = body.finish().unwrap();
/// assert_eq!(buffer.as_bytes()[..used], [3, 0, 0, 0, b'h', b'i', 0, 0, 7, 0, 0, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scratch(Vec<u64>);

impl Scratch {
    /// Returns all bytes of the buffer. A message starts at the first byte and can be shorter.
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
