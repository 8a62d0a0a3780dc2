//! How a publisher or subscription is to be.

use std::marker::PhantomData;

use saltus_cdr::Message;
use saltus_shm::{EndpointSpec, TypeText};
use saltus_types::QoS;

use crate::{Node, NodeError, PollSubscription, Publisher, Subscription, subscription::Callback};

/// What publishers and subscriptions have in common.
#[derive(Debug)]
struct Endpoint<M> {
    node: Node,
    topic: String,
    qos: QoS,
    of: PhantomData<fn() -> M>,
}

impl<M: Message> Endpoint<M> {
    fn new(node: &Node, topic: &str) -> Self {
        Self { node: node.clone(), topic: topic.into(), qos: QoS::default(), of: PhantomData }
    }

    fn with_spec<T>(
        &self,
        open: impl FnOnce(&EndpointSpec<'_>) -> Result<T, saltus_shm::OpenError>,
    ) -> Result<T, NodeError> {
        let topic = self.node.resolve_topic_name(&self.topic)?;
        let spec = EndpointSpec {
            node: self.node.entry(),
            topic: &topic,
            type_name: M::TYPE_NAME,
            type_hash: M::TYPE_HASH,
            qos: self.qos,
            description: TypeText::Pieces(M::DESCRIPTION),
        };
        Ok(open(&spec)?)
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

    /// Its quality of service; a number is the depth of a reliable, volatile queue. Default 10.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.0.qos = qos.into();
        self
    }

    /// Opens it.
    pub fn create(self) -> Result<Publisher<M>, NodeError> {
        let inner = self.0.with_spec(|spec| self.0.node.context().participant.publisher(spec))?;
        Ok(Publisher::new(inner, self.0.node))
    }
}

/// How a subscription is to be.
#[derive(Debug)]
#[must_use = "nothing is received before `callback`, `view` or `create`"]
pub struct SubscriptionBuilder<M>(Endpoint<M>);

impl<M: Message> SubscriptionBuilder<M> {
    pub(crate) fn new(node: &Node, topic: &str) -> Self {
        Self(Endpoint::new(node, topic))
    }

    /// Its quality of service; a number is the depth of a reliable, volatile queue. Default 10.
    pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
        self.0.qos = qos.into();
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

    /// Opens it without a callback: [`PollSubscription::take`] yields the messages.
    pub fn create(self) -> Result<PollSubscription<M>, NodeError> {
        let inner = self.0.with_spec(|spec| self.0.node.context().participant.subscription(spec))?;
        Ok(PollSubscription::new(inner, self.0.node))
    }

    fn with(self, callback: Callback) -> Result<Subscription<M>, NodeError> {
        Ok(Subscription::new(self.create()?, callback))
    }
}
