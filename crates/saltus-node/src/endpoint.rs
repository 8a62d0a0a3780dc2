//! Publishers and subscriptions of bytes: serialized messages of any type. Typed ones are wrappers of these.

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

/// What is done with a message, in whatever form the user asked for it.
pub(crate) enum OnMessage {
    /// It is looked at.
    Lent(Callback<LentOnce, LentOften>),
    /// It is given away. Whoever gets it says when the user's part has returned ([`Sample::callback_returned`]).
    Given(Callback<GivenOnce, GivenOften>),
}

type LentOnce = dyn FnMut(&Sample) -> Result<(), CdrError> + Send;
type LentOften = dyn Fn(&Sample) -> Result<(), CdrError> + Send + Sync;
type GivenOnce = dyn FnMut(Sample) -> Result<(), Unreadable> + Send;
type GivenOften = dyn Fn(Sample) -> Result<(), Unreadable> + Send + Sync;

/// Why a message can't be read that was given away, and what is known of it.
pub(crate) type Unreadable = (CdrError, MessageInfo);

/// How a publisher or subscription of bytes is to be.
///
/// ```no_run
/// use saltus_node::{GenericEndpointBuilder, TypeId};
/// let context = saltus_node::Context::new()?;
/// let node = context.node("bridge").create()?;
/// let ty = TypeId { name: "std_msgs/msg/String".into(), hash: saltus_types::TypeHash::UNKNOWN, description: None };
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
    /// A publisher or subscription of bytes, of a type that is known only at run time, named as for
    /// [`Node::publisher`].
    pub fn generic_endpoint(&self, topic: &str, ty: &TypeId) -> GenericEndpointBuilder {
        GenericEndpointBuilder::new(self, topic, Type::Named(ty.clone()))
    }

    /// A publisher of a type that is known only at run time.
    pub fn generic_publisher(
        &self,
        topic: &str,
        ty: &TypeId,
        qos: impl Into<QoS>,
    ) -> Result<GenericPublisher, NodeError> {
        self.generic_endpoint(topic, ty).qos(qos).publisher()
    }

    /// A subscription to a type that is known only at run time.
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

    /// Its quality of service; a number is the depth of a reliable, volatile queue. Default 10.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.qos = qos.into();
        self
    }

    /// The callback group that its callbacks belong to, instead of the node's default one.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// An executor calls back with each event: deadlines, liveliness, mismatches, losses, matches.
    pub fn on_event(mut self, callback: impl FnMut(EndpointEvent) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(callback));
        self
    }

    /// How many messages a subscription may borrow from publishers at a time (default: 16): see
    /// [`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit).
    pub fn borrow_limit(mut self, messages: usize) -> Self {
        self.borrow_limit = Some(messages);
        self
    }

    /// It stands for an endpoint of another system of that name, which has that gid there (default: a new one).
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

    /// Calls back with the events of what was opened, as long as the handler is kept.
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

    /// Opens a subscription whose messages are taken by hand.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn subscription(mut self) -> Result<GenericSubscription, NodeError> {
        let inner = Arc::new(self.with_spec(|spec| self.node.context().participant.subscription(spec))?);
        self.borrow_limit.inspect(|limit| inner.set_borrow_limit(*limit));
        let events = self.handle_events(&inner);
        Ok(GenericSubscription { inner, node: self.node, _events: events })
    }

    /// Opens a subscription; an executor calls back with each message where it lies in shared memory.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn callback(
        self,
        mut callback: impl FnMut(&Sample) + Send + 'static,
    ) -> Result<CalledSubscription, NodeError> {
        self.with_callback(OnMessage::Lent(Callback::exclusive(Box::new(move |sample| {
            callback(sample);
            Ok(())
        }))))
    }

    /// As [`GenericEndpointBuilder::callback`]. In a re-entrant group, several threads may be in the callback at a time.
    ///
    /// # Errors
    /// If the topic's name breaks the rules, or there is no memory.
    pub fn reentrant_callback(
        self,
        callback: impl Fn(&Sample) + Send + Sync + 'static,
    ) -> Result<CalledSubscription, NodeError> {
        self.with_callback(OnMessage::Lent(Callback::Reentrant(Box::new(move |sample| {
            callback(sample);
            Ok(())
        }))))
    }

    pub(crate) fn with_callback(self, callback: OnMessage) -> Result<CalledSubscription, NodeError> {
        let group = self.group.clone();
        Ok(CalledSubscription::new(self.subscription()?, &group, callback))
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
/// May be used from any thread.
#[derive(Debug)]
pub struct GenericPublisher {
    inner: Arc<saltus_host::Publisher>,
    node: Node,
    /// Held, not used: dropping it ends the calls.
    _events: Option<Arc<EventHandler>>,
}

impl GenericPublisher {
    /// Sends a serialized message, encapsulation header included.
    ///
    /// The bytes are not looked at: it is the caller who knows that they are of the type.
    pub fn publish(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.inner.publish_bytes(bytes)
    }

    /// As [`GenericPublisher::publish`], of a message that was sent first somewhere else, then and with that
    /// number.
    pub fn publish_stamped(&self, bytes: &[u8], stamp: Stamp) -> Result<(), PublishError> {
        self.inner.publish_stamped(bytes, stamp)
    }

    /// Sends a message of `len` bytes, encapsulation header included, that `write` writes: in place, or on the
    /// stack if it is small. If that fails nothing is sent.
    pub fn publish_with<E: From<PublishError>>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.inner.publish_with(len, write)
    }

    /// Whether sending waits for room now where there is none: some subscription keeps all.
    pub fn may_wait(&self) -> bool {
        self.inner.may_wait()
    }

    /// Memory for a message of `len` bytes, encapsulation header included, to be written at leisure and sent
    /// without a copy.
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        self.inner.loan(len)
    }

    /// Says that this publisher is alive, without publishing: renews the lease of manual liveliness.
    pub fn assert_liveliness(&self) {
        self.inner.assert_liveliness();
    }

    /// An executor calls back with each event, as long as the handler is kept.
    pub fn on_event(
        &self,
        group: &CallbackGroup,
        callback: impl FnMut(EndpointEvent) + Send + 'static,
    ) -> Arc<EventHandler> {
        handle_events(&self.inner, group, Box::new(callback))
    }

    /// How many subscriptions are connected.
    pub fn subscription_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` subscriptions are connected, at most for `timeout`.
    pub fn wait_for_subscriptions(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.subscription_count() >= count)
    }

    /// Counts and states.
    pub fn status(&self) -> PublisherStatus {
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

/// The receiving end of a topic, for serialized messages that are taken by hand.
///
/// May be used from any thread.
#[derive(Debug)]
pub struct GenericSubscription {
    inner: Arc<saltus_host::Subscription>,
    node: Node,
    /// Held, not used: dropping it ends the calls.
    _events: Option<Arc<EventHandler>>,
}

impl GenericSubscription {
    /// The oldest message that waits, where it lies: [`saltus_cdr::view`] shows it.
    pub fn take(&self) -> Option<Sample> {
        self.inner.take()
    }

    /// Notes that a message that was taken can't be read: a loss with a cause.
    pub fn count_unreadable(&self) {
        self.inner.count_unreadable();
    }

    /// How many messages it may borrow from publishers at a time, before they are copied when they are taken:
    /// see [`SubscriptionBuilder::borrow_limit`](crate::SubscriptionBuilder::borrow_limit).
    pub fn set_borrow_limit(&self, messages: usize) {
        self.inner.set_borrow_limit(messages);
    }

    /// An executor calls back with each event, as long as the handler is kept.
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

    /// How many messages were received that are not what their type says.
    pub fn unreadable_count(&self) -> u64 {
        self.status().losses[LossCause::Deserialization]
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

/// A subscription of bytes whose messages an executor hands to a callback. Dropping it unsubscribes.
pub struct CalledSubscription(Arc<Called>);

struct Called {
    subscription: GenericSubscription,
    callback: OnMessage,
    has_reported: AtomicBool,
    /// Held, not used: the group lives as long as what it runs.
    _group: CallbackGroup,
}

impl CalledSubscription {
    fn new(subscription: GenericSubscription, group: &CallbackGroup, callback: OnMessage) -> Self {
        let has_reported = AtomicBool::new(false);
        let called = Arc::new(Called { subscription, callback, has_reported, _group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = called.clone();
        group.add(Arc::downgrade(&as_waitable));
        Self(called)
    }

    /// The subscription itself. What is taken from it by hand the callback does not get.
    pub fn subscription(&self) -> &GenericSubscription {
        &self.0.subscription
    }
}

impl fmt::Debug for CalledSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CalledSubscription").field(self.0.subscription.info()).finish()
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
        // A message is taken under the callback's lock, so that two threads can't run two messages out of order.
        match &self.callback {
            OnMessage::Lent(Callback::Exclusive(callback)) => self.lend(&mut **lock(callback)),
            OnMessage::Lent(Callback::Reentrant(callback)) => self.lend(callback),
            OnMessage::Given(Callback::Exclusive(callback)) => self.give(&mut **lock(callback)),
            OnMessage::Given(Callback::Reentrant(callback)) => self.give(callback),
        }
    }
}

impl Called {
    /// Has a callback look at the next message.
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

    /// Counts a message that can't be read, and tells of the first.
    fn report(&self, error: TakeError) {
        self.subscription.count_unreadable();
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            let topic = &self.subscription.info().topic;
            let logger = self.subscription.node().logger();
            crate::say_at!(logger, Error, ERROR, {}, "on topic '{topic}': {error}");
        }
    }
}
