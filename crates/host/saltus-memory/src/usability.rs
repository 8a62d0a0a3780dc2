//! Whether the handles of a context may be used.
//!
//! Handles that a forked child inherited do nothing, because the memory belongs to its parent. The handles of an
//! expelled member do nothing but return an error.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU32, Ordering},
};

use crate::os::fork::Origin;

/// Why handles can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The handles were inherited over `fork`.
    #[error("this context was opened before fork(): open another one in the child")]
    Forked,
    /// The context was expelled from its domain, for this reason.
    #[error("this context was expelled from its domain: {0}; open a new context")]
    Expelled(Arc<str>),
}

/// A number that no origin has: see [`Origin::numbered`].
const NO_PROCESS: u32 = u32::MAX;

/// Whether the handles of a context may be used, and why not.
#[derive(Debug)]
pub struct Usability {
    /// The process that the handles belong to.
    origin: Origin,
    /// The number of `origin` while handles may be used, else [`NO_PROCESS`].
    usable_in: AtomicU32,
    /// The number of `origin` while handles may release what they hold of peers, else [`NO_PROCESS`].
    releasable_in: AtomicU32,
    /// Why the context was expelled.
    reason: OnceLock<Arc<str>>,
}

impl Usability {
    /// Creates the state for handles of this process, which may be used.
    pub(crate) fn of_this_process() -> Self {
        let origin = Origin::here();
        let number = || AtomicU32::new(origin.number());
        Self { origin, usable_in: number(), releasable_in: number(), reason: OnceLock::new() }
    }

    /// Whether the calling process created the handles, and is not a forked child of that process.
    #[inline]
    pub fn is_here(&self) -> bool {
        self.origin.is_here()
    }

    /// Whether handles may be used.
    #[inline]
    pub fn may_use(&self) -> bool {
        Origin::numbered(self.usable_in.load(Ordering::Relaxed)).is_here()
    }

    /// Whether handles that are dropped may release what they hold of peers, and free their own memory.
    #[inline]
    pub fn may_release(&self) -> bool {
        Origin::numbered(self.releasable_in.load(Ordering::Relaxed)).is_here()
    }

    /// Makes all handles unusable, because the member was expelled for `reason`. If peers may have proof of its death,
    /// they may have freed what it held. Then handles do not release it either.
    pub fn expel(&self, reason: &str, may_be_proven_dead: bool) {
        let _ = self.reason.set(reason.into());
        self.usable_in.store(NO_PROCESS, Ordering::Release);
        if may_be_proven_dead {
            self.releasable_in.store(NO_PROCESS, Ordering::Release);
        }
    }

    /// Returns an error if handles may not be used.
    #[inline]
    pub fn check(&self) -> Result<(), Unusable> {
        if self.may_use() { Ok(()) } else { Err(self.error()) }
    }

    /// Returns the reason why handles may not be used.
    #[cold]
    pub(crate) fn error(&self) -> Unusable {
        match self.reason.get() {
            Some(reason) if self.is_here() => Unusable::Expelled(reason.clone()),
            _ => Unusable::Forked,
        }
    }
}
