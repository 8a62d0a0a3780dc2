//! The builder for publishers and subscriptions of serialized messages of any type.

use std::{fmt, sync::Arc};

use saltus_cdr::CdrError;
use saltus_host::{EndpointEvent, EndpointSpec, Foreign, OpenError, Origin, Sample};
use saltus_types::{Gid, QoS};

use crate::{
    CallbackGroup, CallbackGroupKind, Node, NodeError,
    callback::Callback,
    callback_subscription::{CallbackSubscription, OnMessage},
    events::{EventHandler, EventSource, OnEvent},
    generic::{GenericPublisher, GenericSubscription, event_handler},
    spec::{Type, TypeId, spec},
};

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
    skips_own: bool,
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
            skips_own: false,
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

    /// Leaves the endpoint unconnected to the endpoints of the same context that have this, too: the program passes
    /// messages between them itself, for example as pointers. Other endpoints exchange messages with it as usual.
    pub fn skip_own(mut self) -> Self {
        self.skips_own = true;
        self
    }

    fn with_spec<T>(
        &self,
        open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, OpenError>,
    ) -> Result<T, NodeError> {
        let topic = self.node.resolve_topic_name(&self.topic)?;
        let spec = spec(self.node.entry(), &topic, &self.ty, self.qos, self.foreign.as_ref());
        Ok(open(&EndpointSpec { skips_own: self.skips_own, ..spec })?)
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

    /// Opens a subscription like [`GenericEndpointBuilder::callback`]. A message for which the callback returns an error
    /// counts as lost, with the cause [`LossCause::Deserialization`](saltus_types::LossCause::Deserialization).
    ///
    /// # Errors
    /// Returns an error if the name of the topic is invalid, or if there is no memory.
    pub fn checked_callback(
        self,
        callback: impl FnMut(&Sample) -> Result<(), CdrError> + Send + 'static,
    ) -> Result<CallbackSubscription, NodeError> {
        self.with_callback(OnMessage::Borrowed(Callback::exclusive(Box::new(callback))))
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

    /// Opens a subscription. An executor calls `callback` with each message. The callback may keep the message, in place in
    /// shared memory. If the subscription is in a re-entrant group, several threads may run the callback at the same time.
    ///
    /// # Errors
    /// Returns an error if the name of the topic is invalid, or if there is no memory.
    pub fn owned_callback(
        self,
        callback: impl Fn(Sample) + Send + Sync + 'static,
    ) -> Result<CallbackSubscription, NodeError> {
        let take = move |sample| {
            callback(sample);
            Ok(())
        };
        let is_reentrant = self.group.kind() == CallbackGroupKind::Reentrant;
        self.with_callback(OnMessage::Owned(match is_reentrant {
            true => Callback::Reentrant(Box::new(take)),
            false => Callback::exclusive(Box::new(take)),
        }))
    }

    pub(crate) fn with_callback(self, callback: OnMessage) -> Result<CallbackSubscription, NodeError> {
        let group = self.group.clone();
        Ok(CallbackSubscription::new(self.subscription()?, &group, callback))
    }
}
