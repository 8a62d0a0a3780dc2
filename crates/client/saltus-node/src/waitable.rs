//! The interface between an executor and an entity.

use saltus_host::{Sample, Waker};

/// The result of [`Waitable::execute`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// There was nothing to do.
    Nothing,
    /// A callback ran. Has the arrival of its message, if it ran for a message.
    Ran(Option<Arrival>),
}

/// When and how a message arrived. An executor uses it to predict when the next message comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When the message was sent, in monotonic nanoseconds.
    pub sent_at: i64,
    /// The CPU on which the publisher ran.
    pub cpu: u32,
    /// Whether no other message waited when this one was taken. A message that comes later rings the waker, so the
    /// executor need not poll for it.
    pub is_last: bool,
}

impl From<&Sample> for Arrival {
    fn from(sample: &Sample) -> Self {
        Self { sent_at: sample.sent_at(), cpu: sample.cpu(), is_last: sample.is_last() }
    }
}

/// An entity with a callback: a subscription, a timer, a client, a server, an event handler or a guard condition.
///
/// **Invariant:** only one thread at a time runs the callback, unless it is re-entrant. A second thread waits.
pub trait Waitable: Send + Sync {
    /// Sets the waker that is rung whenever there may be something to do. If there is something to do already, rings it
    /// at once. With `None`, no waker is rung any more.
    fn set_waker(&self, waker: Option<&Waker>);

    /// Whether the waitable has deadlines. [`Waitable::deadline`] is called only in that case.
    fn is_timer(&self) -> bool {
        false
    }

    /// Whether this is a server of a service. A single-threaded executor runs it after the subscriptions that are ready at the same
    /// time, as in ROS 2: a message that was published before a request is handled before it.
    fn is_server(&self) -> bool {
        false
    }

    /// Returns the time at which there is something to do although no waker is rung, in monotonic nanoseconds.
    ///
    /// If the time becomes earlier, or there is one after there was none, the waitable must ring its waker: an executor may
    /// remember the time.
    fn deadline(&self) -> Option<u64> {
        None
    }

    /// Whether several threads may run the callback at the same time, if the callback group is re-entrant too.
    fn is_reentrant(&self) -> bool {
        false
    }

    /// Whether there is something to do for one more thread. It is called only for servers, and for waitables that are re-entrant
    /// and have no deadlines.
    fn has_more(&self) -> bool {
        false
    }

    /// Runs the callback once, if there is something to do.
    fn execute(&self) -> Executed;
}
