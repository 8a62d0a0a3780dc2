//! What ends a verb early.

/// Whatever ends a verb early.
pub(crate) type Error = Box<dyn std::error::Error>;
