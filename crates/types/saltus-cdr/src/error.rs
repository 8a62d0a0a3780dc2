//! The errors of reading and writing CDR.

/// Why bytes are not a valid message, or why a value can't be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CdrError {
    /// The header names an encoding other than plain CDR.
    #[error("expected plain CDR (00 00 or 00 01), found encapsulation {0:02x} {1:02x}")]
    Encapsulation(u8, u8),
    /// The bytes end within a value.
    #[error("expected {needed} bytes at offset {at}, found the end of the bytes at offset {length}")]
    End {
        /// The offset of the value, counted from the first byte of the body.
        at: usize,
        /// The smallest number of bytes that the value needs.
        needed: usize,
        /// The length of the body.
        length: usize,
    },
    /// A string is not UTF-8.
    #[error("expected UTF-8 in the string at offset {at}")]
    Utf8 {
        /// The offset of the first character of the string.
        at: usize,
    },
    /// A string does not end in NUL.
    #[error("expected a NUL at the end of the string at offset {at}")]
    Nul {
        /// The offset of the first character of the string.
        at: usize,
    },
    /// A wide character does not fit 16 bits.
    #[error("expected a UTF-16 code unit at offset {at}, found {found:#x}")]
    WideChar {
        /// The offset of the character.
        at: usize,
        /// The value of the character.
        found: u32,
    },
    /// A string or sequence is longer than its type allows.
    #[error("expected at most {bound} elements, found {found}")]
    Bound {
        /// The largest number of elements that the type allows.
        bound: usize,
        /// The number of elements that was found.
        found: usize,
    },
}
