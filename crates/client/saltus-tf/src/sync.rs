//! The atomic types of this crate. The loom model has those of loom in their place.

pub(crate) use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
