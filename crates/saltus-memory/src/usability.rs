//! Whether the handles of a context may be used.
//!
//! Handles that a forked child inherited do nothing: the memory is its parent's. Those of a member that can't
//! take part any more do nothing but say so.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU32, Ordering},
};

use crate::os::fork::Origin;

/// Why handles can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// They were inherited over `fork`.
    #[error("this context was opened before fork(): open one of your own in the child")]
    Forked,
    /// Their context was expelled from its domain, for this reason.
    #[error("this context was expelled from its domain: {0}; open a new one")]
    Expelled(Arc<str>),
}

/// The number of no process: see [`Origin::numbered`].
const NOWHERE: u32 = u32::MAX;

/// Whether the handles of a context may be used, and why not.
#[derive(Debug)]
pub struct Usability {
    /// The process that the handles belong to.
    origin: Origin,
    /// Its number as long as handles may be used.
    use_in: AtomicU32,
    /// Its number as long as memory of peers may be touched.
    touch_in: AtomicU32,
    reason: OnceLock<Arc<str>>,
}

impl Usability {
    /// Of handles that this process makes.
    pub fn of_this_process() -> Self {
        let origin = Origin::here();
        let number = || AtomicU32::new(origin.number());
        Self { origin, use_in: number(), touch_in: number(), reason: OnceLock::new() }
    }

    /// Whether this is the process that made the handles.
    pub fn is_here(&self) -> bool {
        self.origin.is_here()
    }

    /// Whether handles may be used.
    #[inline]
    pub fn may_use(&self) -> bool {
        Origin::numbered(self.use_in.load(Ordering::Relaxed)).is_here()
    }

    /// Whether handles may give back what they have of peers, when they are dropped.
    #[inline]
    pub fn may_release(&self) -> bool {
        Origin::numbered(self.touch_in.load(Ordering::Relaxed)).is_here()
    }

    /// From now on handles may not be used. What peers may have taken back already is not touched.
    pub fn expel(&self, reason: &str, is_taken_back: bool) {
        let _ = self.reason.set(reason.into());
        self.use_in.store(NOWHERE, Ordering::Release);
        if is_taken_back {
            self.touch_in.store(NOWHERE, Ordering::Release);
        }
    }

    /// Fails if handles may not be used.
    pub fn check(&self) -> Result<(), Unusable> {
        if self.may_use() { Ok(()) } else { Err(self.why_not()) }
    }

    /// Why handles may not be used.
    #[cold]
    pub fn why_not(&self) -> Unusable {
        match self.reason.get() {
            Some(reason) if self.is_here() => Unusable::Expelled(reason.clone()),
            _ => Unusable::Forked,
        }
    }
}
