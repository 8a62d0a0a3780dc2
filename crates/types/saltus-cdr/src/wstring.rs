//! Wide strings, in a format that only ROS 2 uses.

use std::fmt;

use crate::{Cdr, CdrError, Reader, Writer, align_up};

/// An owned wide string: UTF-16 code units, possibly with unpaired surrogates.
///
/// Unlike the CDR standard, ROS 2 writes four bytes for each code unit, and no NUL.
///
/// ```
/// let text = saltus::cdr::WString::from("hé");
/// assert_eq!(text.units(), [0x68, 0xe9]);
/// assert_eq!(text.to_string(), "hé");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WString(Vec<u16>);

impl WString {
    /// Creates a string from its code units.
    pub fn from_units(units: Vec<u16>) -> Self {
        Self(units)
    }

    /// Returns the code units.
    pub fn units(&self) -> &[u16] {
        &self.0
    }

    /// Returns the number of code units.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no code units.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for WString {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

/// Writes the text. An unpaired surrogate becomes U+FFFD.
impl fmt::Display for WString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf16_lossy(&self.0))
    }
}

impl fmt::Debug for WString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// A checked wide string, borrowed from the bytes. Two wide strings are equal if their code units are equal.
#[derive(Clone, Copy)]
pub struct WStr<'a> {
    bytes: &'a [u8],
    swap: bool,
}

impl<'a> WStr<'a> {
    /// Returns the number of code units.
    pub fn len(&self) -> usize {
        self.bytes.len() / 4
    }

    /// Whether there are no code units.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the code units.
    pub fn units(&self) -> impl ExactSizeIterator<Item = u16> + 'a {
        let swap = self.swap;
        self.bytes.as_chunks::<4>().0.iter().map(move |unit| {
            let value = if swap { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
            // The upper 16 bits are zero. This was checked when the view was created.
            value as u16
        })
    }

    /// Returns an owned copy.
    pub fn to_wstring(&self) -> WString {
        WString(self.units().collect())
    }
}

impl PartialEq for WStr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.units().eq(other.units())
    }
}

impl Eq for WStr<'_> {}

impl fmt::Debug for WStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_wstring(), f)
    }
}

impl Cdr for WString {
    const MIN_SIZE: usize = 4;
    type View<'a> = WStr<'a>;

    fn end(&self, at: usize) -> usize {
        align_up(at, 4) + 4 + self.0.len() * 4
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), CdrError> {
        writer.count(self.0.len())?;
        self.0.iter().for_each(|unit| writer.put(4, &u32::from(*unit).to_le_bytes()));
        Ok(())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, CdrError> {
        Self::view(reader).map(|view| view.to_wstring())
    }

    fn view<'a>(reader: &mut Reader<'a>) -> Result<WStr<'a>, CdrError> {
        let count = reader.count(4)?;
        let at = reader.position();
        let view = WStr { bytes: reader.take(4, count * 4)?, swap: reader.swaps() };
        for (i, unit) in view.bytes.as_chunks::<4>().0.iter().enumerate() {
            let found = if view.swap { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
            if found > 0xFFFF {
                return Err(CdrError::WideChar { at: at + i * 4, found });
            }
        }
        Ok(view)
    }
}
