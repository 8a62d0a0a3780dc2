//! Generic publishers and subscriptions, for serialized messages of any type. The typed ones wrap these.

use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus_cdr::CdrError;
use saltus_host::{
    EndpointEvent, EndpointInfo, EndpointSpec, Foreign, Loan, OpenError, Origin, PublishError,
    PublisherStatus, Sample, Stamp, SubscriptionStatus, Waker, monotonic_now,
};
use saltus_types::{Gid, LossCause, QoS, lock};

use crate::{
    Arrival, CallbackGroup, CallbackGroupKind, Executed, Node, NodeError, Waitable,
    callback::Callback,
    events::{EventHandler, EventSource, OnEvent},
    message_info::{MessageInfo, TakeError},
    spec::{Type, TypeId, spec},
};

/// The callback of a subscription, which gets a message by reference or by value.
pub(crate) enum OnMessage {
    /// The callback borrows the message.
    Borrowed(Callback<BorrowedExclusive, BorrowedReentrant>),
    /// The callback owns the message. It calls [`Sample::callback_returned`] when the user's closure has returned.
    Owned(Callback<OwnedExclusive, OwnedReentrant>),
}

type BorrowedExclusive = dyn FnMut(&Sample) -> Result<(), CdrError> + Send;
type BorrowedReentrant = dyn Fn(&Sample) -> Result<(), CdrError> + Send + Sync;
type OwnedExclusive = dyn FnMut(Sample) -> Result<(), Unreadable> + Send;
type OwnedReentrant = dyn Fn(Sample) -> Result<(), Unreadable> + Send + Sync;

/// Why a message can't be read, and the information about that message.
pub(crate) type Unreadable = (CdrError, MessageInfo);

/// A builder for generic publishers and subscriptions.
///
/// ```no_run
/// use saltus::generic::{GenericEndpointBuilder, TypeId};
/// let context = saltus::Context::new()?;
/// let node = context.node("bridge").create()?;
/// let ty = TypeId { name: "std_msgs/msg/String".into(), hash: saltus::advanced::TypeHash::UNKNOWN, description: None };
/// let publisher = node.generic_endpoint("chatter", &ty).origin("other_robot", None).publisher()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is opened before `publisher`, `subscription` or `callback`"]
pub struct GenericEndpointBuilder {
    node: Node,
    topic: String,
    ty: Type,
    qos: QoS,
    group: CallbackGroup,
    on_event: Option<OnEvent>,
    borrow_limit: Option<usize>,
    foreign: Option<Foreign>,
}

impl fmt::Debug for GenericEndpointBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericEndpointBuilder")
            .field("topic", &self.topic)
            .field("qos", &self.qos)
            .finish_non_exhaustive()
    }
}

impl Node {
    /// Returns a builder for a publisher or subscription whose type is known only at run time. The name of the topic is
    /// expanded as in [`Node::publisher`].
    pub fn generic_endpoint(&self, topic: &str, ty: &TypeId) -> GenericEndpointBuilder {
        GenericEndpointBuilder::new(self, topic, Type::Named(ty.clone()))
    }

    /// Opens a publisher whose type is known only at run time.
    pub fn generic_publisher(
        &self,
        topic: &str,
        ty: &TypeId,
        qos: impl Into<QoS>,
    ) -> Result<GenericPublisher, NodeError> {
        self.generic_endpoint(topic, ty).qos(qos).publisher()
    }

    /// Opens a subscription whose type is known only at run time.
    pub fn generic_subscription(
        &self,
        topic: &str,
        ty: &TypeId,
        qos: impl Into<QoS>,
    ) -> Result<GenericSubscription, NodeError> {
        self.generic_endpoint(topic, ty).qos(qos).subscription()
    }
}

impl GenericEndpointBuilder {
    pub(crate) fn new(node: &Node, topic: &str, ty: Type) -> Self {
        Self {
            node: node.clone(),
            topic: topic.into(),
            ty,
            qos: QoS::default(),
            group: node.default_callback_group().clone(),
            on_event: None,
            borrow_limit: None,
            foreign: None,
        }
    }

    /// Sets the quality of service. A number is the depth of a reliable, volatile queue. The default is 10.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.qos = qos.into();
        self
    }

    /// Sets the callback group that its callbacks belong to. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// Sets the callback for events: missed deadlines, liveliness, incompatible endpoints, losses and matches. An
    /// executor calls it with each event.
    pub fn on_event(mut self, callback: impl FnMut(EndpointEvent) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(callback));
        self
    }

    /// Sets how many messages a subscription may borrow from publishers at a time (default: 16). See
    /// [`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit).
    pub fn borrow_limit(mut self, messages: usize) -> Self {
        self.borrow_limit = Some(messages);
        self
    }

    /// Makes the endpoint represent an endpoint of another system. `system` is the name of that system. `gid` is the
    /// gid of the endpoint in that system. If it is `None`, the endpoint gets a new gid.
    pub fn origin(mut self, system: &str, gid: Option<Gid>) -> Self {
        let gid = gid.unwrap_or_else(|| self.node.context().new_gid());
        self.foreign = Some(Foreign { origin: Origin::named(system.into()), gid });
        self
    }

    fn with_spec<T>(
        &self,
        open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, OpenError>,
    ) -> Result<T, NodeError> {
        let topic = self.node.resolve_topic_name(&self.topic)?;
        Ok(open(&spec(self.node.entry(), &topic, &self.ty, self.qos, self.foreign.as_ref()))?)
    }

    /// Returns the handler for the events of an opened endpoint, if a callback was set.
    fn event_handler<S: EventSource + 'static>(&mut self, source: &Arc<S>) -> Option<Arc<EventHandler>> {
        let callback = self.on_event.take()?;
        Some(event_handler(source, &self.group, callback))
    }

    /// Opens a publisher.
    ///
    /// # Errors
    /// Returns an error if the name of the topic is invalid, or if there is no memory.
    pub fn publisher(mut self) -> Result<GenericPublisher, NodeError> {
        let inner = Arc::new(self.with_spec(|spec| self.node.context().open_publisher(spec))?);
        let events = self.event_handler(&inner);
        Ok(GenericPublisher { inner, node: self.node, _events: events })
    }

    /// Opens a subscription without a callback: the program takes the messages itself.
    ///
    /// # Errors
    /// Returns an error if the name of the topic is invalid, or if there is no memory.
    pub fn subscription(mut self) -> Result<GenericSubscription, NodeError> {
        let inner = Arc::new(self.with_spec(|spec| self.node.context().participant.subscription(spec))?);
        self.borrow_limit.inspect(|limit| inner.set_borrow_limit(*limit));
        let events = self.event_handler(&inner);
        Ok(GenericSubscription { inner, node: self.node, _events: events })
    }

    /// Opens a subscription. An executor calls `callback` with each message, in place in shared memory.
    ///
    /// # Errors
    /// Returns an error if the name of the topic is invalid, or if there is no memory.
    pub fn callback(
        self,
        mut callback: impl FnMut(&Sample) + Send + 'static,
    ) -> Result<CallbackSubscription, NodeError> {
        self.with_callback(OnMessage::Borrowed(Callback::exclusive(Box::new(move |sample| {
            callback(sample);
            Ok(())
        }))))
    }

    /// Opens a subscription like [`GenericEndpointBuilder::callback`]. If the subscription is in a re-entrant group,
    /// several threads may run the callback at the same time.
    ///
    /// # Errors
    /// Returns an error if the name of the topic is invalid, or if there is no memory.
    pub fn reentrant_callback(
        self,
        callback: impl Fn(&Sample) + Send + Sync + 'static,
    ) -> Result<CallbackSubscription, NodeError> {
        self.with_callback(OnMessage::Borrowed(Callback::Reentrant(Box::new(move |sample| {
            callback(sample);
            Ok(())
        }))))
    }

    pub(crate) fn with_callback(self, callback: OnMessage) -> Result<CallbackSubscription, NodeError> {
        let group = self.group.clone();
        Ok(CallbackSubscription::new(self.subscription()?, &group, callback))
    }
}

fn event_handler<S: EventSource + 'static>(
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
    inner: Arc<saltus_host::Publisher>,
    node: Node,
    /// Keeps the event handler alive.
    _events: Option<Arc<EventHandler>>,
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
    inner: Arc<saltus_host::Subscription>,
    node: Node,
    /// Keeps the event handler alive.
    _events: Option<Arc<EventHandler>>,
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

/// A generic subscription with a callback, which an executor calls with each message. Dropping it unsubscribes.
#[must_use = "dropping it ends the subscription; keep it in a variable, because `let _ =` drops it at once"]
pub struct CallbackSubscription(Arc<CallbackCore>);

struct CallbackCore {
    subscription: GenericSubscription,
    callback: OnMessage,
    /// Whether an unreadable message was logged already.
    has_reported: AtomicBool,
    /// The callback group, which this keeps alive.
    group: CallbackGroup,
}

impl CallbackSubscription {
    fn new(subscription: GenericSubscription, group: &CallbackGroup, callback: OnMessage) -> Self {
        let has_reported = AtomicBool::new(false);
        let core = Arc::new(CallbackCore { subscription, callback, has_reported, group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Self(core)
    }

    /// Returns the subscription without the callback. If the program takes a message from it, the callback does not get
    /// that message.
    pub fn subscription(&self) -> &GenericSubscription {
        &self.0.subscription
    }

    /// Calls the callback on this thread with each message that waits. Does nothing while another callback of the same
    /// group runs, or if the group is reentrant.
    pub fn deliver_waiting(&self) {
        let group = &self.0.group;
        if group.kind() == CallbackGroupKind::Reentrant {
            return;
        }
        let Some(_pass) = group.try_enter() else { return };
        let begin = monotonic_now() as i64;
        // A publisher that sends more meanwhile must not keep this thread.
        while let Executed::Ran(Some(arrival)) = self.0.execute()
            && arrival.sent_at < begin
        {}
    }
}

impl fmt::Debug for CallbackSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallbackSubscription").field(self.0.subscription.info()).finish()
    }
}

impl Waitable for CallbackCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.subscription.set_waker(waker);
    }

    fn is_reentrant(&self) -> bool {
        match &self.callback {
            OnMessage::Borrowed(callback) => callback.is_reentrant(),
            OnMessage::Owned(callback) => callback.is_reentrant(),
        }
    }

    fn has_more(&self) -> bool {
        self.subscription.has_message()
    }

    fn execute(&self) -> Executed {
        // A message is taken under the callback's lock, so that two threads can't process two messages out of order.
        match &self.callback {
            OnMessage::Borrowed(Callback::Exclusive(callback)) => self.call_borrowed(&mut **lock(callback)),
            OnMessage::Borrowed(Callback::Reentrant(callback)) => self.call_borrowed(callback),
            OnMessage::Owned(Callback::Exclusive(callback)) => self.call_owned(&mut **lock(callback)),
            OnMessage::Owned(Callback::Reentrant(callback)) => self.call_owned(callback),
        }
    }
}

impl CallbackCore {
    /// Takes the next message, and calls `callback` with a reference to it.
    #[inline]
    fn call_borrowed(&self, callback: impl FnOnce(&Sample) -> Result<(), CdrError>) -> Executed {
        let taken = self.subscription.take();
        let Some(sample) = &taken else { return Executed::Nothing };
        match callback(sample) {
            Ok(()) => sample.callback_returned(),
            Err(cause) => self.report(TakeError { info: MessageInfo::from(sample), cause }),
        }
        Executed::Ran(Some(Arrival::from(sample)))
    }

    /// Takes the next message, and calls `callback` with it.
    #[inline]
    fn call_owned(&self, callback: impl FnOnce(Sample) -> Result<(), Unreadable>) -> Executed {
        let Some(sample) = self.subscription.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&sample);
        if let Err((cause, info)) = callback(sample) {
            self.report(TakeError { info, cause });
        }
        Executed::Ran(Some(arrival))
    }

    /// Counts a message that can't be read, and logs the first one.
    fn report(&self, error: TakeError) {
        self.subscription.count_unreadable();
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            let topic = &self.subscription.info().topic;
            let logger = self.subscription.node().logger();
            crate::log_at!(logger, Error, ERROR, {}, "on topic '{topic}': {error}");
        }
    }
}
