//! How a publisher or subscription is to be.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Weak},
};

use saltus_cdr::{CdrError, Message};
use saltus_host::{EndpointSpec, NodeEntry, Sample, TypeText};
use saltus_types::{QoS, TopicName};

use crate::{
    CallbackGroup, EndpointEvent, Node, NodeError, PollSubscription, Publisher, Subscription,
    events::{EventHandler, EventSource, OnEvent},
    subscription::Callback,
};

/// What both builders can be told.
macro_rules! common_settings {
    ($endpoint:tt) => {
        /// Its quality of service; a number is the depth of a reliable, volatile queue. Default 10.
        pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
            self.$endpoint.qos = qos.into();
            self
        }

        /// The callback group that its callbacks belong to, instead of the node's default one.
        pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
            self.$endpoint.group = group.clone();
            self
        }

        /// An executor calls back with each event: deadlines, liveliness, mismatches, losses, matches.
        pub fn on_event(mut self, callback: impl FnMut(EndpointEvent) + Send + 'static) -> Self {
            self.$endpoint.on_event = Some(Box::new(callback));
            self
        }
    };
}

/// What the graph is told of an endpoint for messages of a generated type.
pub(crate) fn spec_of<'a, M: Message>(node: &NodeEntry, topic: &'a TopicName, qos: QoS) -> EndpointSpec<'a> {
    let (type_name, type_hash) = (M::TYPE_NAME, M::TYPE_HASH);
    let (node, description) = (node.info().gid, TypeText::Pieces(M::DESCRIPTION));
    EndpointSpec { node, topic, type_name, type_hash, qos, description, foreign: None }
}

/// What publishers and subscriptions have in common.
struct Endpoint<M> {
    node: Node,
    topic: String,
    qos: QoS,
    group: CallbackGroup,
    on_event: Option<OnEvent>,
    of: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Endpoint<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("topic", &self.topic).field("qos", &self.qos).finish_non_exhaustive()
    }
}

impl<M: Message> Endpoint<M> {
    fn new(node: &Node, topic: &str) -> Self {
        Self {
            node: node.clone(),
            topic: topic.into(),
            qos: QoS::default(),
            group: node.default_callback_group().clone(),
            on_event: None,
            of: PhantomData,
        }
    }

    fn with_spec<T>(
        &self,
        open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, saltus_host::OpenError>,
    ) -> Result<T, NodeError> {
        let topic = self.node.resolve_topic_name(&self.topic)?;
        Ok(open(&spec_of::<M>(self.node.entry(), &topic, self.qos))?)
    }

    /// Calls back with the events of what was opened, as long as the handler is kept.
    fn handle_events<S: EventSource + 'static>(&mut self, source: &Arc<S>) -> Option<Arc<EventHandler>> {
        let callback = self.on_event.take()?;
        let source: Arc<dyn EventSource> = source.clone();
        let source: Weak<dyn EventSource> = Arc::downgrade(&source);
        Some(EventHandler::new(source, &self.group, callback))
    }
}

/// How a publisher is to be.
#[derive(Debug)]
#[must_use = "nothing is published on before `create`"]
pub struct PublisherBuilder<M>(Endpoint<M>);

impl<M: Message> PublisherBuilder<M> {
    pub(crate) fn new(node: &Node, topic: &str) -> Self {
        Self(Endpoint::new(node, topic))
    }

    common_settings!(0);

    /// Opens it.
    pub fn create(mut self) -> Result<Publisher<M>, NodeError> {
        let inner = Arc::new(self.0.with_spec(|spec| self.0.node.context().participant.publisher(spec))?);
        let events = self.0.handle_events(&inner);
        Ok(Publisher::new(inner, self.0.node, events))
    }
}

/// How a subscription is to be.
#[derive(Debug)]
#[must_use = "nothing is received before `callback`, `view` or `create`"]
pub struct SubscriptionBuilder<M> {
    endpoint: Endpoint<M>,
    borrow_limit: Option<usize>,
}

impl<M: Message> SubscriptionBuilder<M> {
    pub(crate) fn new(node: &Node, topic: &str) -> Self {
        Self { endpoint: Endpoint::new(node, topic), borrow_limit: None }
    }

    common_settings!(endpoint);

    /// How many messages it may borrow from publishers at a time (default: 16): those that were taken as samples, or
    /// as messages of Python, and not let go. Further ones are copied when they are taken, and counted in
    /// [`SubscriptionStatus::copied`](crate::SubscriptionStatus).
    ///
    /// A publisher needs memory for as many messages as its subscriptions may have waiting and borrowed.
    pub fn borrow_limit(mut self, messages: usize) -> Self {
        self.borrow_limit = Some(messages);
        self
    }

    /// Opens it; an executor calls back with each message as a value of its own.
    pub fn callback(
        self,
        mut callback: impl FnMut(M) + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(Box::new(move |sample| {
            callback(saltus_cdr::decode(sample)?);
            Ok(())
        }))
    }

    /// Opens it; an executor calls back with each message where it lies in shared memory.
    pub fn view(
        self,
        mut callback: impl for<'a> FnMut(M::View<'a>) + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(Box::new(move |sample| {
            callback(saltus_cdr::view::<M>(sample)?);
            Ok(())
        }))
    }

    /// Opens it; an executor calls back with each message as the bytes that it is.
    pub fn serialized(
        self,
        mut callback: impl FnMut(&Sample) -> Result<(), CdrError> + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(Box::new(move |sample| callback(sample)))
    }

    /// Opens it without a callback: [`PollSubscription::take`] yields the messages.
    pub fn create(mut self) -> Result<PollSubscription<M>, NodeError> {
        let inner = Arc::new(
            self.endpoint.with_spec(|spec| self.endpoint.node.context().participant.subscription(spec))?,
        );
        self.borrow_limit.inspect(|limit| inner.set_borrow_limit(*limit));
        let events = self.endpoint.handle_events(&inner);
        Ok(PollSubscription::new(inner, self.endpoint.node, events))
    }

    fn with(self, callback: Callback) -> Result<Subscription<M>, NodeError> {
        let group = self.endpoint.group.clone();
        Ok(Subscription::new(self.create()?, &group, callback))
    }
}
