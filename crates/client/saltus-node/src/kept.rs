//! Messages for late subscriptions that an earlier process has published.

use std::sync::Mutex;

use saltus_host::{EndpointSpec, OpenError, Participant, Publisher, Stamp};
use saltus_types::{Durability, Time, lock};

/// A message of a transient-local publisher that has ended.
///
/// See [`Context::keep_messages`](crate::Context::keep_messages).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptMessage {
    /// The fully qualified name of the topic.
    pub topic: String,
    /// The full name of the type, such as `nav_msgs/msg/OccupancyGrid`.
    pub type_name: String,
    /// When it was published, by the system clock.
    pub source_time: Time,
    /// The serialized message, including the encapsulation header.
    pub bytes: Vec<u8>,
}

/// The messages that no publisher has got yet.
#[derive(Debug, Default)]
pub(crate) struct KeptMessages(Mutex<Vec<KeptMessage>>);

impl KeptMessages {
    pub(crate) fn add(&self, messages: Vec<KeptMessage>) {
        lock(&self.0).extend(messages);
    }

    /// Opens a publisher. If it is transient-local, it gets the messages of its topic, as if it had published them.
    pub(crate) fn open(
        &self,
        participant: &Participant,
        spec: &EndpointSpec<'_>,
    ) -> Result<Publisher, OpenError> {
        let mut messages = match spec.qos.durability {
            Durability::Volatile => Vec::new(),
            Durability::TransientLocal | Durability::BestAvailable => {
                self.take(spec.topic.as_str(), spec.type_name)
            }
        };
        // The publisher keeps the newest ones, as many as its depth.
        messages.sort_by_key(|message| message.source_time);
        participant.publisher_that_kept(spec, |past| {
            for (sequence, message) in (1..).zip(messages) {
                let stamp = Stamp { source_time: message.source_time, sequence, gid: None };
                if let Err(error) = past.publish_stamped(&message.bytes, stamp) {
                    let logger = crate::Logger::new("saltus");
                    let topic = message.topic;
                    let text = format_args!("can't keep an earlier message of '{topic}': {error}");
                    crate::log_at!(logger, Warn, WARN, {}, "{text}");
                }
            }
        })
    }

    fn take(&self, topic: &str, type_name: &str) -> Vec<KeptMessage> {
        let mut all = lock(&self.0);
        all.extract_if(.., |message| message.topic == topic && message.type_name == type_name).collect()
    }
}
