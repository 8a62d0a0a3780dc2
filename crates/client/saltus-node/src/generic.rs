//! Publishers and subscriptions of serialized messages of any type. The typed ones wrap these.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use saltus_host::{
    EndpointEvent, EndpointInfo, Loan, PublishError, PublisherStatus, Sample, Stamp, SubscriptionStatus,
    Waker,
};
use saltus_types::LossCause;

use crate::{
    CallbackGroup, Node,
    events::{EventHandler, EventSource, OnEvent},
};

/// Creates the handler for the events of an endpoint.
pub(crate) fn event_handler<S: EventSource + 'static>(
    source: &Arc<S>,
    group: &CallbackGroup,
    callback: OnEvent,
) -> Arc<EventHandler> {
    let source: Arc<dyn EventSource> = source.clone();
    let source: Weak<dyn EventSource> = Arc::downgrade(&source);
    EventHandler::new(source, group, callback)
}

/// A publisher of serialized messages.
///
/// May be used from any thread. A clone is a handle of the same publisher, which ends when the last clone is dropped.
#[derive(Clone, Debug)]
#[must_use = "dropping it ends the publisher; keep it in a variable, because `let _ =` drops it at once"]
pub struct GenericPublisher {
    pub(crate) inner: Arc<saltus_host::Publisher>,
    pub(crate) node: Node,
    /// Keeps the event handler alive.
    pub(crate) _events: Option<Arc<EventHandler>>,
}

impl GenericPublisher {
    /// Publishes a serialized message, including the encapsulation header.
    ///
    /// The bytes are not checked. The caller must ensure that they are a message of the publisher's type.
    pub fn publish(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.inner.publish_bytes(bytes)
    }

    /// Publishes a message of another system, like [`GenericPublisher::publish`]. `stamp` has the original source time
    /// and sequence number of the message.
    pub fn publish_stamped(&self, bytes: &[u8], stamp: Stamp) -> Result<(), PublishError> {
        self.inner.publish_stamped(bytes, stamp)
    }

    /// Publishes a message of `len` bytes, including the encapsulation header. `write` writes the message, in place in
    /// shared memory, or on the stack if it is small. If `write` fails, nothing is published.
    pub fn publish_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.inner.publish_with(len, write)
    }

    /// Whether publishing may wait for room in a queue: whether a connected subscription keeps all messages.
    pub fn may_wait(&self) -> bool {
        self.inner.may_wait()
    }

    /// Returns memory for a message of `len` bytes, including the encapsulation header. The message is written in place
    /// and published without a copy.
    #[inline]
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        self.inner.loan(len)
    }

    /// Asserts that this publisher is alive, without publishing. This renews the lease of manual liveliness.
    pub fn assert_liveliness(&self) {
        self.inner.assert_liveliness();
    }

    /// Registers a callback for events. An executor calls it with each event, until the returned handler is dropped.
    pub fn on_event(
        &self,
        group: &CallbackGroup,
        callback: impl FnMut(EndpointEvent) + Send + 'static,
    ) -> Arc<EventHandler> {
        event_handler(&self.inner, group, Box::new(callback))
    }

    /// Returns how many subscriptions are connected.
    pub fn subscription_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` subscriptions are connected, for at most `timeout`. Returns whether they are.
    pub fn wait_for_subscriptions(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.subscription_count() >= count)
    }

    /// Returns the counters and states of the publisher.
    pub fn status(&self) -> PublisherStatus {
        self.inner.status()
    }

    /// Returns the information about this endpoint in the graph.
    pub fn info(&self) -> &EndpointInfo {
        self.inner.info()
    }

    /// Returns the node that this endpoint belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

/// A subscription to serialized messages. The program takes the messages itself.
///
/// May be used from any thread.
#[derive(Debug)]
#[must_use = "dropping it ends the subscription; keep it in a variable, because `let _ =` drops it at once"]
pub struct GenericSubscription {
    pub(crate) inner: Arc<saltus_host::Subscription>,
    pub(crate) node: Node,
    /// Keeps the event handler alive.
    pub(crate) _events: Option<Arc<EventHandler>>,
}

impl GenericSubscription {
    /// Takes the oldest message from the queue, in place in shared memory. [`saltus_cdr::view`] reads it.
    pub fn take(&self) -> Option<Sample> {
        self.inner.take()
    }

    /// Counts a message that was taken and can't be read. It counts as lost, with the cause
    /// [`LossCause::Deserialization`].
    pub fn count_unreadable(&self) {
        self.inner.count_unreadable();
    }

    /// Counts messages that were dropped because a queue of the program itself was full. They count as lost, with the cause
    /// [`LossCause::QueueOverflow`].
    pub fn count_overflow(&self, count: u64) {
        self.inner.count_overflow(count);
    }

    /// Sets how many messages the subscription may borrow from publishers at a time. Further messages are copied when
    /// they are taken. See [`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit).
    pub fn set_borrow_limit(&self, messages: usize) {
        self.inner.set_borrow_limit(messages);
    }

    /// Registers a callback for events. An executor calls it with each event, until the returned handler is dropped.
    pub fn on_event(
        &self,
        group: &CallbackGroup,
        callback: impl FnMut(EndpointEvent) + Send + 'static,
    ) -> Arc<EventHandler> {
        event_handler(&self.inner, group, Box::new(callback))
    }

    /// Whether there is a message in the queue.
    pub fn has_message(&self) -> bool {
        self.inner.has_message()
    }

    /// Sets the waker that is rung whenever a message comes. With `None`, no waker is rung any more.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        self.inner.set_waker(waker);
    }

    /// Returns how many publishers are connected.
    pub fn publisher_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` publishers are connected, for at most `timeout`. Returns whether they are.
    pub fn wait_for_publishers(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.publisher_count() >= count)
    }

    /// Returns the counters and states of the subscription.
    pub fn status(&self) -> SubscriptionStatus {
        self.inner.status()
    }

    /// Returns how many received messages did not match their type.
    pub fn unreadable_count(&self) -> u64 {
        self.status().losses[LossCause::Deserialization]
    }

    /// Returns the information about this endpoint in the graph.
    pub fn info(&self) -> &EndpointInfo {
        self.inner.info()
    }

    /// Returns the node that this endpoint belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }
}
