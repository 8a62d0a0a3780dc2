//! The interface between an executor and an entity.

use saltus_host::{Sample, Waker};

/// The result of running a waitable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// There was nothing to do.
    Nothing,
    /// A callback ran. If it ran for a message, this is how the message arrived.
    Ran(Option<Arrival>),
}

/// How a message arrived. An executor learns from it when the next message may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it was sent, in monotonic nanoseconds.
    pub sent_at: i64,
    /// The CPU on which its publisher ran.
    pub cpu: u32,
    /// Whether no other message waited when it was taken. A message that comes later rings, so the executor need not
    /// poll.
    pub is_last: bool,
}

impl From<&Sample> for Arrival {
    fn from(sample: &Sample) -> Self {
        Self { sent_at: sample.sent_at(), cpu: sample.cpu(), is_last: sample.is_last() }
    }
}

/// An entity with a callback: a subscription, a timer, an event handler or a guard condition.
///
/// **Invariant:** only one thread at a time runs it, unless it is re-entrant. A second thread that tries waits.
pub trait Waitable: Send + Sync {
    /// Rings `waker` whenever there may be something to do, and at once if there is something to do already. With
    /// `None`, rings no waker.
    fn set_waker(&self, waker: Option<&Waker>);

    /// Whether it has deadlines, so that [`Waitable::deadline`] must be called.
    fn is_timer(&self) -> bool {
        false
    }

    /// Returns when there will be something to do without a ring, in monotonic nanoseconds.
    fn deadline(&self) -> Option<u64> {
        None
    }

    /// Whether several threads may run it at the same time, if its group is re-entrant too.
    fn is_reentrant(&self) -> bool {
        false
    }

    /// Whether there is something to do for a further thread. It is called only for a waitable that is re-entrant and
    /// has no deadlines.
    fn has_more(&self) -> bool {
        false
    }

    /// Runs one callback if there is something to do.
    fn execute(&self) -> Executed;
}
