//! What an executor sees of an entity.

use saltus_shm::{Waiter, Waker};

/// How running a waitable went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// There was nothing to do.
    Nothing,
    /// A callback ran.
    Ran,
}

/// An entity with callbacks: a subscription or a timer.
///
/// **Invariant:** one thread at a time runs it; a second that tries waits.
pub trait Waitable: Send + Sync {
    /// Rings that waker whenever there may be something to do, or nobody.
    fn set_waker(&self, waker: Option<&Waker>);

    /// Whether it has deadlines, and so must be asked for them.
    fn is_timer(&self) -> bool {
        false
    }

    /// When there will be something to do without a ring, in monotonic nanoseconds.
    fn deadline(&self) -> Option<u64> {
        None
    }

    /// Runs one callback if there is something to do. `waiter` learns how the message came.
    fn execute(&self, waiter: &mut Waiter) -> Executed;
}
