//! Publishers that publish only while their node is active.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use saltus_cdr::{Buildable, Message};
use saltus_node::{LoanedBody, Logger, PublishError, PublishValueError, Publisher};

use super::gate::Gate;

/// A publisher of a [`LifecycleNode`](crate::LifecycleNode). While the node is not active, messages are dropped and
/// counted, and the first one is logged.
///
/// The publisher may also be used in `on_activate`, in `on_deactivate` and in `on_shutdown` of an active node. Derefs to
/// [`Publisher`], whose methods other than those below publish in all states.
///
/// ```
/// use saltus::{Context, lifecycle::{LifecycleNode, Lifecycle}, msgs::std_msgs::msg::String as Text};
/// struct Idle;
/// impl Lifecycle for Idle {}
/// let context = Context::new()?;
/// let node = LifecycleNode::new(&context.node("camera").create()?, Idle)?;
/// let publisher = node.lifecycle_publisher::<Text>("text", 10)?;
/// publisher.publish(&Text { data: "nobody hears this".into() })?;
/// assert_eq!((publisher.is_activated(), publisher.dropped()), (false, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "dropping it ends the publisher; keep it in a variable, because `let _ =` drops it at once"]
pub struct LifecyclePublisher<M> {
    publisher: Publisher<M>,
    gate: Gate,
    logger: Logger,
    dropped: Arc<Dropped>,
}

/// The messages that were dropped because the node was not active.
#[derive(Debug, Default)]
struct Dropped {
    count: AtomicU64,
    /// The number of the gate, plus 1, when a message was last logged; 0 if none was.
    logged: AtomicU64,
}

impl<M> Clone for LifecyclePublisher<M> {
    fn clone(&self) -> Self {
        Self {
            publisher: self.publisher.clone(),
            gate: self.gate.clone(),
            logger: self.logger.clone(),
            dropped: self.dropped.clone(),
        }
    }
}

impl<M> Deref for LifecyclePublisher<M> {
    type Target = Publisher<M>;

    fn deref(&self) -> &Publisher<M> {
        &self.publisher
    }
}

impl<M: Message> LifecyclePublisher<M> {
    pub(crate) fn new(publisher: Publisher<M>, gate: Gate, logger: Logger) -> Self {
        Self { publisher, gate, logger, dropped: Arc::default() }
    }

    /// Publishes a message if the node is active. Otherwise drops and counts it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Publisher::publish`].
    pub fn publish(&self, message: &M) -> Result<(), PublishValueError> {
        if self.passes() { self.publisher.publish(message) } else { Ok(()) }
    }

    /// Publishes a serialized message, including the encapsulation header, if the node is active. Otherwise drops and
    /// counts it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Publisher::publish_bytes`].
    pub fn publish_bytes(&self, bytes: &[u8]) -> Result<(), PublishError> {
        if self.passes() { self.publisher.publish_bytes(bytes) } else { Ok(()) }
    }

    /// Returns a builder that writes a message in place in shared memory, as [`Publisher::loan`]. Returns `None` if the
    /// node is not active, so that the program need not make the message. That counts as a dropped message.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Publisher::loan`].
    pub fn loan(&self, size: usize) -> Result<Option<M::Builder<LoanedBody>>, PublishError>
    where
        M: Buildable,
    {
        self.passes().then(|| self.publisher.loan(size)).transpose()
    }

    /// Whether messages are published.
    pub fn is_activated(&self) -> bool {
        self.gate.is_open()
    }

    /// Returns how many messages were dropped because the node was not active.
    pub fn dropped(&self) -> u64 {
        self.dropped.count.load(Ordering::Relaxed)
    }

    /// Returns whether a message may be published. If not, counts it, and logs it if it is the first one since the node
    /// was last active.
    fn passes(&self) -> bool {
        if self.gate.is_open() {
            return true;
        }
        self.dropped.count.fetch_add(1, Ordering::Relaxed);
        let number = self.gate.number() + 1;
        if self.dropped.logged.swap(number, Ordering::Relaxed) != number {
            saltus_node::warn!(
                self.logger,
                "Trying to publish message on the topic '{}', but the publisher is not activated",
                self.publisher.info().topic
            );
        }
        false
    }
}
