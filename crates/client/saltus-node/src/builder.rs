//! Builders for typed publishers and subscriptions.

use std::{fmt, marker::PhantomData};

use saltus_cdr::{CdrError, Message};
use saltus_host::Sample;
use saltus_types::QoS;

use crate::{
    CallbackGroup, EndpointEvent, Node, NodeError, PollSubscription, Publisher, Received, Subscription,
    callback::Callback,
    callback_subscription::{OnMessage, Unreadable},
    endpoint::GenericEndpointBuilder,
    spec::Type,
};

/// Defines the settings that both builders have.
macro_rules! common_settings {
    () => {
        /// Sets the quality of service. A number is the depth of a reliable, volatile queue. The default is 10.
        pub fn qos(mut self, qos: impl Into<QoS>) -> Self {
            self.bytes = self.bytes.qos(qos);
            self
        }

        /// Sets the callback group that its callbacks belong to. The default is the node's default group.
        pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
            self.bytes = self.bytes.callback_group(group);
            self
        }

        /// Sets the callback for events: missed deadlines, liveliness, incompatible endpoints, losses and matches. An
        /// executor calls it with each event.
        pub fn on_event(mut self, callback: impl FnMut(EndpointEvent) + Send + 'static) -> Self {
            self.bytes = self.bytes.on_event(callback);
            self
        }
    };
}

impl Node {
    /// Returns a builder for a publisher on a topic. The name `chatter` is relative to the node's namespace, and the
    /// name `~/chatter` is relative to the node's full name.
    pub fn publisher<M: Message>(&self, topic: &str) -> PublisherBuilder<M> {
        PublisherBuilder { bytes: GenericEndpointBuilder::new(self, topic, Type::of::<M>()), of: PhantomData }
    }

    /// Returns a builder for a subscription to a topic. The name is expanded as in [`Node::publisher`].
    pub fn subscription<M: Message>(&self, topic: &str) -> SubscriptionBuilder<M> {
        SubscriptionBuilder {
            bytes: GenericEndpointBuilder::new(self, topic, Type::of::<M>()),
            of: PhantomData,
        }
    }
}

/// A builder for publishers.
#[must_use = "the publisher is not opened before `create`"]
pub struct PublisherBuilder<M> {
    bytes: GenericEndpointBuilder,
    of: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for PublisherBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublisherBuilder").field(&self.bytes).finish()
    }
}

impl<M: Message> PublisherBuilder<M> {
    common_settings!();

    /// Opens the publisher.
    pub fn create(self) -> Result<Publisher<M>, NodeError> {
        Ok(Publisher::new(self.bytes.publisher()?))
    }
}

/// A builder for subscriptions.
#[must_use = "nothing is received before `callback`, `view`, `received` or `create`"]
pub struct SubscriptionBuilder<M> {
    bytes: GenericEndpointBuilder,
    of: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for SubscriptionBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SubscriptionBuilder").field(&self.bytes).finish()
    }
}

impl<M: Message> SubscriptionBuilder<M> {
    common_settings!();

    /// Sets how many messages the subscription may borrow from publishers at a time (default: 16). A message is
    /// borrowed as long as the program keeps it as a sample, as [`Received`] or as a message of the Python bindings.
    /// Further messages are copied when they are taken, and counted in
    /// [`SubscriptionStatus::copied`](crate::SubscriptionStatus).
    ///
    /// A publisher needs memory for all messages that may wait in the queues of its subscriptions, and for all messages
    /// that these may borrow.
    pub fn borrow_limit(mut self, messages: usize) -> Self {
        self.bytes = self.bytes.borrow_limit(messages);
        self
    }

    /// Opens the subscription. An executor calls `callback` with each message, as an owned value.
    pub fn callback(
        self,
        mut callback: impl FnMut(M) + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.serialized(move |sample| {
            callback(saltus_cdr::decode(sample)?);
            Ok(())
        })
    }

    /// Opens the subscription like [`SubscriptionBuilder::callback`]. If the subscription is in a re-entrant group,
    /// several threads may run the callback at the same time.
    ///
    /// ```no_run
    /// use saltus::msgs::std_msgs::msg::String as Text;
    /// use saltus::executor::CallbackGroupKind;
    /// let context = saltus::Context::new()?;
    /// let node = context.node("busy").create()?;
    /// let group = node.callback_group(CallbackGroupKind::Reentrant);
    /// let _subscription = node
    ///     .subscription::<Text>("chatter")
    ///     .callback_group(&group)
    ///     .reentrant_callback(|message| println!("{}", message.data))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reentrant_callback(
        self,
        callback: impl Fn(M) + Send + Sync + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(OnMessage::Borrowed(Callback::Reentrant(Box::new(move |sample| {
            callback(saltus_cdr::decode(sample)?);
            Ok(())
        }))))
    }

    /// Opens the subscription. An executor calls `callback` with a view of each message, in place in shared memory.
    pub fn view(
        self,
        mut callback: impl for<'a> FnMut(M::View<'a>) + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.serialized(move |sample| {
            callback(saltus_cdr::view::<M>(sample)?);
            Ok(())
        })
    }

    /// Opens the subscription. An executor calls `callback` with each message. The callback may keep the message. It is
    /// not copied: it stays in place in shared memory.
    pub fn received(
        self,
        mut callback: impl FnMut(Received<M>) + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(OnMessage::Owned(Callback::exclusive(Box::new(move |sample| {
            call_owned(sample, &mut callback)
        }))))
    }

    /// Opens the subscription like [`SubscriptionBuilder::received`]. If the subscription is in a re-entrant group,
    /// several threads may run the callback at the same time.
    pub fn reentrant_received(
        self,
        callback: impl Fn(Received<M>) + Send + Sync + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(OnMessage::Owned(Callback::Reentrant(Box::new(move |sample| {
            call_owned(sample, &callback)
        }))))
    }

    /// Opens the subscription. An executor calls `callback` with each message, as serialized bytes.
    pub fn serialized(
        self,
        callback: impl FnMut(&Sample) -> Result<(), CdrError> + Send + 'static,
    ) -> Result<Subscription<M>, NodeError> {
        self.with(OnMessage::Borrowed(Callback::exclusive(Box::new(callback))))
    }

    /// Opens the subscription without a callback. The program takes messages with [`PollSubscription::take`].
    pub fn create(self) -> Result<PollSubscription<M>, NodeError> {
        Ok(PollSubscription::new(self.bytes.subscription()?))
    }

    fn with(self, callback: OnMessage) -> Result<Subscription<M>, NodeError> {
        Ok(Subscription::new(self.bytes.with_callback(callback)?))
    }
}

/// Calls a callback with a message that it owns. Returns an error if the message can't be read.
fn call_owned<M: Message>(sample: Sample, callback: impl FnOnce(Received<M>)) -> Result<(), Unreadable> {
    let message = Received::<M>::new(sample)?;
    let sample = message.sample().clone();
    callback(message);
    sample.callback_returned();
    Ok(())
}
