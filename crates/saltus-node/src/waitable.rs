//! What an executor sees of an entity.

use saltus_host::{Sample, Waker};

/// How running a waitable went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// There was nothing to do.
    Nothing,
    /// A callback ran; for a message, with how it came.
    Ran(Option<Arrival>),
}

/// How a message came, for an executor that learns from it when the next may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it was sent, in monotonic nanoseconds.
    pub sent_at: i64,
    /// The CPU on which its publisher ran.
    pub cpu: u32,
    /// Whether nothing waited behind it. What comes later rings, so that nobody needs to look.
    pub is_last: bool,
}

impl From<&Sample> for Arrival {
    fn from(sample: &Sample) -> Self {
        Self { sent_at: sample.sent_at(), cpu: sample.cpu(), is_last: sample.is_last() }
    }
}

/// An entity with a callback: a subscription, a timer, an event handler or a guard condition.
///
/// **Invariant:** one thread at a time runs it, unless it is re-entrant; a second that tries waits.
pub trait Waitable: Send + Sync {
    /// Rings that waker whenever there may be something to do, and at once if there is something already; or nobody.
    fn set_waker(&self, waker: Option<&Waker>);

    /// Whether it has deadlines, and so must be asked for them.
    fn is_timer(&self) -> bool {
        false
    }

    /// When there will be something to do without a ring, in monotonic nanoseconds.
    fn deadline(&self) -> Option<u64> {
        None
    }

    /// Whether several threads may run it at a time, if its group is re-entrant too.
    fn is_reentrant(&self) -> bool {
        false
    }

    /// Whether there is something to do for a further thread. Asked only of what is re-entrant, and has no deadlines.
    fn has_more(&self) -> bool {
        false
    }

    /// Runs one callback if there is something to do.
    fn execute(&self) -> Executed;
}
