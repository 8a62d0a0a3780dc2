//! Publishers and subscriptions of bytes: serialized messages of any type. The typed ones wrap these.

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
    PublisherStatus, Sample, Stamp, SubscriptionStatus, Waker,
};
use saltus_types::{Gid, LossCause, QoS, lock};

use crate::{
    Arrival, CallbackGroup, Executed, Node, NodeError, Waitable,
    callback::Callback,
    events::{EventHandler, EventSource, OnEvent},
    message_info::{MessageInfo, TakeError},
    spec::{Type, TypeId, spec},
};

/// A callback for messages, in the form that the user chose.
pub(crate) enum OnMessage {
    /// The callback borrows the message.
    Lent(Callback<LentExclusive, LentReentrant>),
    /// The callback takes the message, and calls [`Sample::callback_returned`] when the user's closure has returned.
    Given(Callback<GivenExclusive, GivenReentrant>),
}

type LentExclusive = dyn FnMut(&Sample) -> Result<(), CdrError> + Send;
type LentReentrant = dyn Fn(&Sample) -> Result<(), CdrError> + Send + Sync;
type GivenExclusive = dyn FnMut(Sample) -> Result<(), Unreadable> + Send;
type GivenReentrant = dyn Fn(Sample) -> Result<(), Unreadable> + Send + Sync;

/// Why a message that a callback took can't be read, and the message's info.
pub(crate) type Unreadable = (CdrError, MessageInfo);

/// A builder for publishers and subscriptions of bytes.
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
    /// Returns a builder for a publisher or subscription of bytes. Its type is known only at run time. The topic is
    /// named as for [`Node::publisher`].
    pub fn generic_endpoint(&self, topic: &str, ty: &TypeId) -> GenericEndpointBuilder {
        GenericEndpointBuilder::new(self, topic, Type::Named(ty.clone()))
    }

    /// Opens a publisher of a type that is known only at run time.
    pub fn generic_publisher(
        &self,
        topic: &str,
        ty: &TypeId,
        qos: impl Into<QoS>,
    ) -> Result<GenericPublisher, NodeError> {
        self.generic_endpoint(topic, ty).qos(qos).publisher()
    }

    /// Opens a subscription of a type that is known only at run time.
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

    /// Sets its quality of service. A number is the depth of a reliable, volatile queue. The default is 10.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.qos = qos.into();
        self
    }

    /// Sets the callback group that its callbacks belong to. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// Sets a callback that an executor calls with each event: deadlines, liveliness, mismatches, losses, matches.
    pub fn on_event(mut self, callback: impl FnMut(EndpointEvent) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(callback));
        self
    }

    /// Sets how many messages a subscription may borrow from publishers at a time (default: 16): see
    /// [`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit).
    pub fn borrow_limit(mut self, messages: usize) -> Self {
        self.borrow_limit = Some(messages);
        self
    }

    /// Makes it represent an endpoint of another system. `system` is the name of that system. `gid` is the endpoint's
    /// gid there (default: a new one).
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

    /// Calls back with the events of an opened endpoint, as long as the returned handler is kept.
    fn handle_events<S: EventSource + 'static>(&mut self, source: &Arc<S>) -> Option<Arc<EventHandler>> {
        let callback = self.on_event.take()?;
        Some(handle_events(source, &self.group, callback))
    }

    /// Opens a publisher.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn publisher(mut self) -> Result<GenericPublisher, NodeError> {
        let inner = Arc::new(self.with_spec(|spec| self.node.context().participant.publisher(spec))?);
        let events = self.handle_events(&inner);
        Ok(GenericPublisher { inner, node: self.node, _events: events })
    }

    /// Opens a subscription without a callback: the program takes the messages itself.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn subscription(mut self) -> Result<GenericSubscription, NodeError> {
        let inner = Arc::new(self.with_spec(|spec| self.node.context().participant.subscription(spec))?);
        self.borrow_limit.inspect(|limit| inner.set_borrow_limit(*limit));
        let events = self.handle_events(&inner);
        Ok(GenericSubscription { inner, node: self.node, _events: events })
    }

    /// Opens a subscription. An executor calls `callback` with each message in place, in shared memory.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn callback(
        self,
        mut callback: impl FnMut(&Sample) + Send + 'static,
    ) -> Result<CallbackSubscription, NodeError> {
        self.with_callback(OnMessage::Lent(Callback::exclusive(Box::new(move |sample| {
            callback(sample);
            Ok(())
        }))))
    }

    /// As [`GenericEndpointBuilder::callback`]. In a re-entrant group, several threads may run the callback at the same
    /// time.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn reentrant_callback(
        self,
        callback: impl Fn(&Sample) + Send + Sync + 'static,
    ) -> Result<CallbackSubscription, NodeError> {
        self.with_callback(OnMessage::Lent(Callback::Reentrant(Box::new(move |sample| {
            callback(sample);
            Ok(())
        }))))
    }

    pub(crate) fn with_callback(self, callback: OnMessage) -> Result<CallbackSubscription, NodeError> {
        let group = self.group.clone();
        Ok(CallbackSubscription::new(self.subscription()?, &group, callback))
    }
}

fn handle_events<S: EventSource + 'static>(
    source: &Arc<S>,
    group: &CallbackGroup,
    callback: OnEvent,
) -> Arc<EventHandler> {
    let source: Arc<dyn EventSource> = source.clone();
    let source: Weak<dyn EventSource> = Arc::downgrade(&source);
    EventHandler::new(source, group, callback)
}

/// The sending end of a topic, for serialized messages.
///
/// May be used from any thread. A clone is the same publisher, which ends with its last clone.
#[derive(Clone, Debug)]
#[must_use = "dropping it ends the publisher"]
pub struct GenericPublisher {
    inner: Arc<saltus_host::Publisher>,
    node: Node,
    /// Held, not used: dropping it ends the calls.
    _events: Option<Arc<EventHandler>>,
}

impl GenericPublisher {
    /// Sends a serialized message, encapsulation header included.
    ///
    /// The bytes are not checked. The caller must make sure that they are a message of the type.
    pub fn publish(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.inner.publish_bytes(bytes)
    }

    /// Sends a message as [`GenericPublisher::publish`] does. It was first sent elsewhere, and the stamp holds its
    /// original time and number.
    pub fn publish_stamped(&self, bytes: &[u8], stamp: Stamp) -> Result<(), PublishError> {
        self.inner.publish_stamped(bytes, stamp)
    }

    /// Sends a message of `len` bytes, encapsulation header included. `write` writes it in place, or on the
    /// stack if it is small. If `write` fails, nothing is sent.
    pub fn publish_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.inner.publish_with(len, write)
    }

    /// Whether publishing may wait for room: whether any connected subscription keeps all.
    pub fn may_wait(&self) -> bool {
        self.inner.may_wait()
    }

    /// Returns memory for a message of `len` bytes, encapsulation header included. It can be written step by
    /// step, and is sent without a copy.
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        self.inner.loan(len)
    }

    /// Asserts that this publisher is alive, without publishing: renews the lease of manual liveliness.
    pub fn assert_liveliness(&self) {
        self.inner.assert_liveliness();
    }

    /// Adds a callback that an executor calls with each event, as long as the returned handler is kept.
    pub fn on_event(
        &self,
        group: &CallbackGroup,
        callback: impl FnMut(EndpointEvent) + Send + 'static,
    ) -> Arc<EventHandler> {
        handle_events(&self.inner, group, Box::new(callback))
    }

    /// Returns how many subscriptions are connected.
    pub fn subscription_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` subscriptions are connected, for at most `timeout`.
    pub fn wait_for_subscriptions(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.subscription_count() >= count)
    }

    /// Returns its counts and states.
    pub fn status(&self) -> PublisherStatus {
        self.inner.status()
    }

    /// Returns what the graph shows of it.
    pub fn info(&self) -> &EndpointInfo {
        self.inner.info()
    }

    /// Returns the node that it belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

/// The receiving end of a topic, for serialized messages that the program takes itself.
///
/// May be used from any thread.
#[derive(Debug)]
#[must_use = "dropping it ends the subscription"]
pub struct GenericSubscription {
    inner: Arc<saltus_host::Subscription>,
    node: Node,
    /// Held, not used: dropping it ends the calls.
    _events: Option<Arc<EventHandler>>,
}

impl GenericSubscription {
    /// Takes the oldest waiting message, in place: [`saltus_cdr::view`] reads it.
    pub fn take(&self) -> Option<Sample> {
        self.inner.take()
    }

    /// Counts a message that was taken but can't be read. It is a loss with a cause.
    pub fn count_unreadable(&self) {
        self.inner.count_unreadable();
    }

    /// Sets how many messages it may borrow from publishers at a time. Further messages are copied when they are
    /// taken: see [`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit).
    pub fn set_borrow_limit(&self, messages: usize) {
        self.inner.set_borrow_limit(messages);
    }

    /// Adds a callback that an executor calls with each event, as long as the returned handler is kept.
    pub fn on_event(
        &self,
        group: &CallbackGroup,
        callback: impl FnMut(EndpointEvent) + Send + 'static,
    ) -> Arc<EventHandler> {
        handle_events(&self.inner, group, Box::new(callback))
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.inner.has_message()
    }

    /// Rings `waker` whenever a message comes. With `None`, rings no waker.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        self.inner.set_waker(waker);
    }

    /// Returns how many publishers are connected.
    pub fn publisher_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` publishers are connected, for at most `timeout`.
    pub fn wait_for_publishers(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.publisher_count() >= count)
    }

    /// Returns its counts and states.
    pub fn status(&self) -> SubscriptionStatus {
        self.inner.status()
    }

    /// Returns how many received messages did not match their type.
    pub fn unreadable_count(&self) -> u64 {
        self.status().losses[LossCause::Deserialization]
    }

    /// Returns what the graph shows of it.
    pub fn info(&self) -> &EndpointInfo {
        self.inner.info()
    }

    /// Returns the node that it belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

/// A subscription of bytes with a callback. An executor calls it with each message. Dropping it unsubscribes.
#[must_use = "dropping it ends the subscription"]
pub struct CallbackSubscription(Arc<Called>);

struct Called {
    subscription: GenericSubscription,
    callback: OnMessage,
    has_reported: AtomicBool,
    /// Held, not used: it keeps the callback group alive.
    _group: CallbackGroup,
}

impl CallbackSubscription {
    fn new(subscription: GenericSubscription, group: &CallbackGroup, callback: OnMessage) -> Self {
        let has_reported = AtomicBool::new(false);
        let called = Arc::new(Called { subscription, callback, has_reported, _group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = called.clone();
        group.add(Arc::downgrade(&as_waitable));
        Self(called)
    }

    /// Returns the subscription. The callback does not get messages that the program takes from it.
    pub fn subscription(&self) -> &GenericSubscription {
        &self.0.subscription
    }
}

impl fmt::Debug for CallbackSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallbackSubscription").field(self.0.subscription.info()).finish()
    }
}

impl Waitable for Called {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.subscription.set_waker(waker);
    }

    fn is_reentrant(&self) -> bool {
        match &self.callback {
            OnMessage::Lent(callback) => callback.is_reentrant(),
            OnMessage::Given(callback) => callback.is_reentrant(),
        }
    }

    fn has_more(&self) -> bool {
        self.subscription.has_message()
    }

    fn execute(&self) -> Executed {
        // A message is taken under the callback's lock, so that two threads can't handle two messages out of order.
        match &self.callback {
            OnMessage::Lent(Callback::Exclusive(callback)) => self.lend(&mut **lock(callback)),
            OnMessage::Lent(Callback::Reentrant(callback)) => self.lend(callback),
            OnMessage::Given(Callback::Exclusive(callback)) => self.give(&mut **lock(callback)),
            OnMessage::Given(Callback::Reentrant(callback)) => self.give(callback),
        }
    }
}

impl Called {
    /// Lends the next message to a callback.
    #[inline]
    fn lend(&self, callback: impl FnOnce(&Sample) -> Result<(), CdrError>) -> Executed {
        let taken = self.subscription.take();
        let Some(sample) = &taken else { return Executed::Nothing };
        match callback(sample) {
            Ok(()) => sample.callback_returned(),
            Err(cause) => self.report(TakeError { info: MessageInfo::from(sample), cause }),
        }
        Executed::Ran(Some(Arrival::from(sample)))
    }

    /// Gives the next message to a callback.
    #[inline]
    fn give(&self, callback: impl FnOnce(Sample) -> Result<(), Unreadable>) -> Executed {
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
            crate::say_at!(logger, Error, ERROR, {}, "on topic '{topic}': {error}");
        }
    }
}
