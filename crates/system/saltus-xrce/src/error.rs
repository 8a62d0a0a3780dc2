//! The error of bytes that can't be read.

/// Why bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The bytes end within a field.
    #[error("a field of {needed} bytes does not fit into the remaining {left} bytes")]
    Truncated {
        /// The size of the field.
        needed: usize,
        /// The number of bytes that are left.
        left: usize,
    },
    /// A field has a value that is not defined.
    #[error("{value} is not a valid {field}")]
    Value {
        /// The name of the field.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// A text is not UTF-8.
    #[error("a text is not UTF-8")]
    Text,
    /// A description of an entity in XML can't be read.
    #[error("the XML of an entity is not valid: {0}")]
    Xml(&'static str),
}
