//! Publishers and subscriptions of types that are known only at run time: serialized messages.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use saltus_cdr::TypeIdentity;
use saltus_host::{
    EndpointEvent, EndpointInfo, EndpointSpec, Loan, PublishError, PublisherStatus, Sample,
    SubscriptionStatus, TypeText, Waker,
};
use saltus_types::{QoS, TypeHash};

use crate::{CallbackGroup, EventHandler, Node, NodeError, events::EventSource};

/// Which type an endpoint is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeId {
    /// Its full name, such as `std_msgs/msg/String`.
    pub name: String,
    /// Its hash: two types of one name and different hashes do not match.
    pub hash: TypeHash,
    /// Its description as canonical JSON (REP 2016), if it is known: then others can learn it.
    pub description: Option<String>,
}

impl From<TypeIdentity> for TypeId {
    fn from(identity: TypeIdentity) -> Self {
        let TypeIdentity { name, hash, description } = identity;
        Self { name: name.to_owned(), hash, description: Some(description.to_json()) }
    }
}

fn with_spec<T>(
    node: &Node,
    topic: &str,
    ty: &TypeId,
    qos: QoS,
    open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, saltus_host::OpenError>,
) -> Result<T, NodeError> {
    let topic = node.resolve_topic_name(topic)?;
    let spec = EndpointSpec {
        node: node.entry().info().gid,
        foreign: None,
        topic: &topic,
        type_name: &ty.name,
        type_hash: ty.hash,
        qos,
        description: ty.description.as_deref().map_or(TypeText::Unknown, TypeText::Whole),
    };
    Ok(open(&spec)?)
}

fn handle_events<S: EventSource + 'static>(
    source: &Arc<S>,
    group: &CallbackGroup,
    callback: impl FnMut(EndpointEvent) + Send + 'static,
) -> Arc<EventHandler> {
    let source: Arc<dyn EventSource> = source.clone();
    let source: Weak<dyn EventSource> = Arc::downgrade(&source);
    EventHandler::new(source, group, Box::new(callback))
}

/// The sending end of a topic, for serialized messages.
///
/// May be used from any thread.
#[derive(Debug)]
pub struct GenericPublisher {
    inner: Arc<saltus_host::Publisher>,
    node: Node,
}

impl GenericPublisher {
    pub(crate) fn new(node: &Node, topic: &str, ty: &TypeId, qos: QoS) -> Result<Self, NodeError> {
        let inner = with_spec(node, topic, ty, qos, |spec| node.context().participant.publisher(spec))?;
        Ok(Self { inner: Arc::new(inner), node: node.clone() })
    }

    /// Sends a serialized message, encapsulation header included.
    ///
    /// The bytes are not looked at: it is the caller who knows that they are of the type.
    pub fn publish(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.inner.publish_bytes(bytes)
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
        handle_events(&self.inner, group, callback)
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
}

impl GenericSubscription {
    pub(crate) fn new(node: &Node, topic: &str, ty: &TypeId, qos: QoS) -> Result<Self, NodeError> {
        let inner = with_spec(node, topic, ty, qos, |spec| node.context().participant.subscription(spec))?;
        Ok(Self { inner: Arc::new(inner), node: node.clone() })
    }

    /// The oldest message that waits, where it lies.
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
        handle_events(&self.inner, group, callback)
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
