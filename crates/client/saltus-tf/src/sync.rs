//! The atomic types of this crate. The loom model uses those of loom instead.

pub(crate) use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
