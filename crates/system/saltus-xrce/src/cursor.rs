//! Reading and writing the fields of messages: CDR with natural alignment, in either byte order.

use crate::WireError;

/// The byte order of the fields of a submessage. The headers are always little-endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// The most significant byte comes first.
    Big,
    /// The least significant byte comes first. This crate writes only this order.
    #[default]
    Little,
}

/// Reads fields one after the other from untrusted bytes.
///
/// **Invariant:** it never reads beyond the end of the bytes. A field that does not fit is an error, and so is a length
/// that exceeds the rest of the bytes. Nothing is allocated before its length is checked.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    order: ByteOrder,
}

impl<'a> Reader<'a> {
    /// Creates a reader. Fields are aligned relative to the first byte.
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self { bytes, position: 0, order }
    }

    /// Returns the bytes that were not read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    /// Returns the byte order of the fields.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Skips the padding before a field of `size` bytes.
    pub(crate) fn align(&mut self, size: usize) -> Result<(), WireError> {
        let padding = self.position.next_multiple_of(size) - self.position;
        self.bytes(padding).map(drop)
    }

    /// Reads `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Result<&'a [u8], WireError> {
        let left = self.rest();
        let taken = left.get(..len).ok_or(WireError::Truncated { needed: len, left: left.len() })?;
        self.position += len;
        Ok(taken)
    }

    /// Reads an array of bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    /// Reads a byte.
    pub fn u8(&mut self) -> Result<u8, WireError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Reads a boolean.
    pub fn bool(&mut self) -> Result<bool, WireError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(WireError::Value { field: "boolean", value: value.into() }),
        }
    }

    /// Reads a number of two bytes.
    pub fn u16(&mut self) -> Result<u16, WireError> {
        self.align(2)?;
        let bytes = self.array()?;
        Ok(match self.order {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Little => u16::from_le_bytes(bytes),
        })
    }

    /// Reads a number of four bytes.
    pub fn u32(&mut self) -> Result<u32, WireError> {
        self.align(4)?;
        let bytes = self.array()?;
        Ok(match self.order {
            ByteOrder::Big => u32::from_be_bytes(bytes),
            ByteOrder::Little => u32::from_le_bytes(bytes),
        })
    }

    /// Reads a number of eight bytes.
    pub fn u64(&mut self) -> Result<u64, WireError> {
        self.align(8)?;
        let bytes = self.array()?;
        Ok(match self.order {
            ByteOrder::Big => u64::from_be_bytes(bytes),
            ByteOrder::Little => u64::from_le_bytes(bytes),
        })
    }

    /// Reads a sequence of bytes.
    pub fn sequence(&mut self) -> Result<&'a [u8], WireError> {
        let len = self.u32()?;
        self.bytes(len as usize)
    }

    /// Reads a string without its terminator. A string without a terminator is accepted.
    pub fn string(&mut self) -> Result<&'a str, WireError> {
        let bytes = self.sequence()?;
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        std::str::from_utf8(text).map_err(|_| WireError::Text)
    }

    /// Reads a value that may be absent.
    pub(crate) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<Option<T>, WireError> {
        if self.bool()? { read(self).map(Some) } else { Ok(None) }
    }
}

/// Writes fields one after the other in little-endian order to the end of a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The index of the byte that fields are aligned to.
    origin: usize,
}

impl<'a> Writer<'a> {
    /// Creates a writer that appends to `out`. Fields are aligned relative to the present end of `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        let origin = out.len();
        Self { out, origin }
    }

    /// Writes the padding before a field of `size` bytes.
    pub(crate) fn align(&mut self, size: usize) {
        let used = self.out.len() - self.origin;
        self.out.resize(self.origin + used.next_multiple_of(size), 0);
    }

    /// Writes bytes without a length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Writes a byte.
    pub fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    /// Writes a boolean.
    pub fn bool(&mut self, value: bool) {
        self.u8(value.into());
    }

    /// Writes a number of two bytes.
    pub fn u16(&mut self, value: u16) {
        self.align(2);
        self.bytes(&value.to_le_bytes());
    }

    /// Writes a number of four bytes.
    pub fn u32(&mut self, value: u32) {
        self.align(4);
        self.bytes(&value.to_le_bytes());
    }

    /// Writes a number of eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.align(8);
        self.bytes(&value.to_le_bytes());
    }

    /// Writes a sequence of bytes. A length of more than 4 GiB can't be written, and no message is so long.
    pub fn sequence(&mut self, bytes: &[u8]) {
        self.u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.bytes(bytes);
    }

    /// Writes a string with its terminator.
    pub fn string(&mut self, text: &str) {
        self.u32(u32::try_from(text.len() + 1).unwrap_or(u32::MAX));
        self.bytes(text.as_bytes());
        self.u8(0);
    }

    /// Writes a value that may be absent.
    pub(crate) fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.bool(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }
}
