//! The protocols between processes. Each is a struct of atomics and the rules for which side may do what.
//!
//! They use no mapping, no file and no thread. So loom can run every interleaving of them
//! (`tests.rs`, built with `--cfg loom`). **Invariant** of all protocols: a process may die between
//! any two steps, and the other processes can continue.

pub mod doorbell;
pub mod holders;
pub mod membership;
pub mod port;
pub(crate) mod record;
pub(crate) mod ring;

/// The atomics: the standard library's, or loom's when the protocols are model-checked.
pub(crate) mod sync {
    #[cfg(loom)]
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
    #[cfg(not(loom))]
    pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
}

#[cfg(all(test, loom))]
mod tests;
