//! A hash of all messages.

use saltus::{
    Node, Publisher, QoS,
    cdr::{Message, encode},
    node::NodeError,
    topic::PublishValueError,
};
use sha2::{Digest as _, Sha256};

/// A topic to which messages are published.
#[derive(Debug)]
pub(crate) struct Topic<M> {
    name: String,
    publisher: Publisher<M>,
}

impl<M: Message> Topic<M> {
    pub(crate) fn new(node: &Node, name: String, qos: QoS) -> Result<Self, NodeError> {
        Ok(Self { publisher: node.publisher(&name).qos(qos).create()?, name })
    }
}

impl<M: Message> Topic<M> {
    /// Publishes a message that is not in the hash.
    pub(crate) fn publish(&self, message: &M) -> Result<(), PublishValueError> {
        self.publisher.publish(message)
    }
}

/// The hash of all messages so far, if it is wanted: their topics and their bytes, in order.
#[derive(Debug, Default)]
pub(crate) struct Digest(Option<Sha256>);

impl Digest {
    pub(crate) fn new(is_wanted: bool) -> Self {
        Self(is_wanted.then(Sha256::new))
    }

    /// Publishes a message.
    pub(crate) fn publish<M: Message>(
        &mut self,
        topic: &Topic<M>,
        message: &M,
    ) -> Result<(), PublishValueError> {
        if let (Some(hash), Ok(bytes)) = (&mut self.0, encode(message)) {
            hash.update(&topic.name);
            hash.update(&bytes);
        }
        topic.publisher.publish(message)
    }

    /// Returns the hash in hexadecimal digits.
    pub(crate) fn text(&self) -> Option<String> {
        let hash = self.0.clone()?.finalize();
        Some(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
