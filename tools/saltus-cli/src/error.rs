//! The error that ends a verb early.

/// Any error that ends a verb early.
pub(crate) type Error = Box<dyn std::error::Error>;
