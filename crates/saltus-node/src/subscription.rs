//! Subscriptions to a type.

use std::{
    fmt,
    marker::PhantomData,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_cdr::{CdrError, Message};
use saltus_host::{EndpointInfo, Sample, SubscriptionStatus, Waker};
use saltus_types::{Gid, LossCause, Time};

use crate::{Arrival, CallbackGroup, Executed, Node, Waitable, events::EventHandler};

/// What is done with a message, in whatever form the user asked for it.
pub(crate) type Callback = Box<dyn FnMut(&Sample) -> Result<(), CdrError> + Send>;

/// What is known of a message besides its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// When it was sent, by the system clock.
    pub source_time: Time,
    /// Its publisher's count, from 1.
    pub sequence: u64,
    /// Who sent it.
    pub publisher: Gid,
}

impl From<&Sample> for MessageInfo {
    fn from(sample: &Sample) -> Self {
        Self { source_time: sample.source_time(), sequence: sample.sequence(), publisher: sample.publisher() }
    }
}

/// A message that was received and is not what its type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("message {} of publisher {} can't be read: {cause}", .info.sequence, .info.publisher)]
pub struct TakeError {
    /// Which message.
    pub info: MessageInfo,
    /// What is wrong with it.
    pub cause: CdrError,
}

/// A subscription whose messages are taken by hand.
#[derive(Debug)]
pub struct PollSubscription<M> {
    inner: Arc<saltus_host::Subscription>,
    node: Node,
    /// Held, not used: dropping it ends the calls.
    _events: Option<Arc<EventHandler>>,
    of: PhantomData<fn() -> M>,
}

impl<M: Message> PollSubscription<M> {
    pub(crate) fn new(
        inner: Arc<saltus_host::Subscription>,
        node: Node,
        events: Option<Arc<EventHandler>>,
    ) -> Self {
        Self { inner, node, _events: events, of: PhantomData }
    }

    /// The oldest message that waits, as a value of its own.
    pub fn take(&self) -> Option<Result<(M, MessageInfo), TakeError>> {
        let sample = self.inner.take()?;
        let info = MessageInfo::from(&sample);
        let decoded = saltus_cdr::decode(&sample).inspect_err(|_| self.inner.count_unreadable());
        Some(decoded.map(|message| (message, info)).map_err(|cause| TakeError { info, cause }))
    }

    /// The oldest message that waits, where it lies: [`saltus_cdr::view`] shows it.
    pub fn take_sample(&self) -> Option<Sample> {
        self.inner.take()
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.inner.has_message()
    }

    /// Rings that waker whenever a message comes, or nobody.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        self.inner.set_waker(waker);
    }

    /// How many publishers are connected.
    pub fn publisher_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` publishers are connected, at most for `timeout`.
    pub fn wait_for_publishers(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.publisher_count() >= count)
    }

    /// Counts and states.
    pub fn status(&self) -> SubscriptionStatus {
        self.inner.status()
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        self.inner.info()
    }

    /// The node that it belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

/// A subscription whose messages an executor hands to a callback. Dropping it unsubscribes.
pub struct Subscription<M>(Arc<Core<M>>);

struct Core<M> {
    poll: PollSubscription<M>,
    callback: Mutex<Callback>,
    has_reported: AtomicBool,
    /// Held, not used: the group lives as long as what it runs.
    _group: CallbackGroup,
}

impl<M: Message> Subscription<M> {
    pub(crate) fn new(poll: PollSubscription<M>, group: &CallbackGroup, callback: Callback) -> Self {
        let has_reported = AtomicBool::new(false);
        let core =
            Arc::new(Core { poll, callback: Mutex::new(callback), has_reported, _group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Self(core)
    }

    /// How many publishers are connected.
    pub fn publisher_count(&self) -> usize {
        self.0.poll.publisher_count()
    }

    /// Waits until at least `count` publishers are connected, at most for `timeout`.
    pub fn wait_for_publishers(&self, count: usize, timeout: Duration) -> bool {
        self.0.poll.wait_for_publishers(count, timeout)
    }

    /// Counts and states.
    pub fn status(&self) -> SubscriptionStatus {
        self.0.poll.status()
    }

    /// The node that it belongs to.
    pub fn node(&self) -> &Node {
        self.0.poll.node()
    }

    /// How many messages were received that are not what their type says.
    pub fn unreadable_count(&self) -> u64 {
        self.0.poll.status().losses[LossCause::Deserialization]
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        self.0.poll.info()
    }
}

impl<M> fmt::Debug for Subscription<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subscription").field(self.0.poll.inner.info()).finish()
    }
}

impl<M: Message> Waitable for Core<M> {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.poll.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        // Taken under the callback's lock, so that two threads can't run two messages out of order.
        let mut callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sample) = self.poll.take_sample() else { return Executed::Nothing };
        match callback(&sample) {
            Ok(()) => sample.callback_returned(),
            Err(cause) => self.report(TakeError { info: MessageInfo::from(&sample), cause }),
        }
        Executed::Ran(Some(Arrival::from(&sample)))
    }
}

impl<M: Message> Core<M> {
    /// Counts a message that can't be read, and tells of the first.
    fn report(&self, error: TakeError) {
        self.poll.inner.count_unreadable();
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            let topic = &self.poll.info().topic;
            crate::say_at!(self.poll.node.logger(), Error, ERROR, {}, "on topic '{topic}': {error}");
        }
    }
}
