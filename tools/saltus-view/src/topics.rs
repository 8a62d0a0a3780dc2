//! The topics to which pages are subscribed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicU32, Ordering},
    },
};

use saltus::{
    Node, QoS,
    generic::{CallbackSubscription, TypeId},
    graph::{EndpointInfo, EndpointKind, Graph},
    qos::{Durability, Reliability},
    topic::Sample,
    types::{TypeHash, lock},
};
use saltus_catalog::Catalog;
use serde_json::{Value, json};
use tungstenite::{Bytes, Message};

use crate::mailbox::{Mailbox, MailboxSlot};

/// The maximum number of topics to which all pages together are subscribed.
const MAX_CHANNELS: usize = 500;

/// The topics to which pages are subscribed. The server has one subscription for each topic, for all pages.
#[derive(Default)]
pub(crate) struct Topics {
    channels: Mutex<BTreeMap<String, Channel>>,
    /// The number of the next channel.
    next: AtomicU32,
}

/// A topic to which pages are subscribed.
struct Channel {
    number: u32,
    /// The type and the QoS of the subscription. If the publishers change, a new channel is opened.
    config: ChannelConfig,
    /// The description of the type, as a message for pages.
    description: Message,
    listeners: Arc<Mutex<Listeners>>,
    _subscription: CallbackSubscription,
}

/// The type of the publishers of a topic, and a QoS that is compatible with all of them.
#[derive(Clone, Debug, PartialEq)]
struct ChannelConfig {
    type_name: String,
    type_hash: TypeHash,
    qos: QoS,
}

/// The number of messages that wait for a page if each message contains only changes, such as those of markers.
const MAX_CHANGES: u16 = 100;

impl ChannelConfig {
    /// Returns the configuration for the publishers of a topic; `None` if there are none.
    fn of(graph: &Graph, topic: &str) -> Option<Self> {
        let publishers: Vec<&EndpointInfo> = publishers(graph).filter(|end| end.topic == topic).collect();
        let first = publishers.first()?;
        let depth = depth(&first.type_name);
        Some(Self {
            type_name: first.type_name.clone(),
            type_hash: first.type_hash,
            qos: qos(&publishers, depth),
        })
    }
}

/// The pages that are subscribed to a topic, and the last message, for pages that subscribe later.
#[derive(Default)]
struct Listeners {
    pages: Vec<Weak<Mailbox>>,
    last: Option<Message>,
}

impl Topics {
    /// Subscribes a page to a topic.
    ///
    /// # Errors
    ///
    /// Returns an error text for the page.
    pub(crate) fn subscribe(&self, node: &Node, topic: &str, page: &Arc<Mailbox>) -> Result<(), String> {
        let mut channels = lock(&self.channels);
        if !channels.contains_key(topic) {
            if channels.len() >= MAX_CHANNELS {
                return Err("too many topics are looked at".into());
            }
            let config = ChannelConfig::of(&node.context().graph(), topic)
                .ok_or_else(|| format!("{topic} is not published"))?;
            // The subscription may receive messages at once. A mailbox returns the description before them.
            channels.insert(topic.into(), self.open(node, topic, config, vec![Arc::downgrade(page)])?);
        }
        let Some(channel) = channels.get(topic) else { return Ok(()) };
        page.put(MailboxSlot::Channel(channel.number), channel.description.clone());
        let mut listeners = lock(&channel.listeners);
        if listeners.pages.iter().any(|known| known.as_ptr() == Arc::as_ptr(page)) {
            return Ok(());
        }
        listeners.pages.push(Arc::downgrade(page));
        if let Some(last) = &listeners.last {
            page.put(MailboxSlot::Data(channel.number), last.clone());
        }
        Ok(())
    }

    /// Opens a new channel for each topic whose publishers have another type or QoS than before.
    pub(crate) fn update(&self, node: &Node, graph: &Graph) {
        for (topic, channel) in &mut *lock(&self.channels) {
            let Some(config) = ChannelConfig::of(graph, topic).filter(|config| *config != channel.config)
            else {
                continue;
            };
            let pages = lock(&channel.listeners).pages.clone();
            match self.open(node, topic, config.clone(), pages) {
                Ok(opened) => {
                    let old = std::mem::replace(channel, opened);
                    let listeners = lock(&channel.listeners);
                    for page in listeners.pages.iter().filter_map(Weak::upgrade) {
                        old.remove_from(&page);
                        page.put(MailboxSlot::Channel(channel.number), channel.description.clone());
                    }
                }
                Err(error) => {
                    // The server tries again when the publishers change.
                    channel.config = config;
                    saltus::warn!(node.logger(), "can't show {topic}: {error}");
                }
            }
        }
    }

    /// Ends the subscription of a page to a topic.
    pub(crate) fn unsubscribe(&self, topic: &str, page: &Arc<Mailbox>) {
        if let Some(channel) = lock(&self.channels).get(topic) {
            lock(&channel.listeners).pages.retain(|known| known.as_ptr() != Arc::as_ptr(page));
            channel.remove_from(page);
        }
        self.close_unused();
    }

    /// Closes the channels to which no page is subscribed.
    pub(crate) fn close_unused(&self) {
        lock(&self.channels).retain(|_, channel| {
            let mut listeners = lock(&channel.listeners);
            listeners.pages.retain(|page| page.strong_count() > 0);
            !listeners.pages.is_empty()
        });
    }

    /// Opens a channel for a topic.
    fn open(
        &self,
        node: &Node,
        topic: &str,
        config: ChannelConfig,
        pages: Vec<Weak<Mailbox>>,
    ) -> Result<Channel, String> {
        let (ty, description) = type_of(node, &config)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let listeners = Arc::new(Mutex::new(Listeners { pages, last: None }));
        let max = usize::from(depth(&config.type_name));
        let subscription = node
            .generic_endpoint(topic, &ty)
            .qos(config.qos)
            .callback({
                let listeners = listeners.clone();
                move |sample: &Sample| forward(&mut lock(&listeners), number, sample, max)
            })
            .map_err(|error| error.to_string())?;
        let description = json!({
            "op": "channel", "channel": number, "topic": topic, "type": config.type_name, "description": description,
        });
        Ok(Channel {
            number,
            config,
            description: Message::text(description.to_string()),
            listeners,
            _subscription: subscription,
        })
    }
}

impl Channel {
    /// Removes the messages of this channel from the mailbox of a page.
    fn remove_from(&self, page: &Mailbox) {
        page.remove(&MailboxSlot::Data(self.number));
        page.remove(&MailboxSlot::Channel(self.number));
    }
}

/// Puts a message into the mailboxes of all pages, where at most `max` messages of a channel wait. The message begins with the
/// number of the channel as four bytes, the lowest byte first.
fn forward(listeners: &mut Listeners, number: u32, sample: &[u8], max: usize) {
    let mut bytes = Vec::with_capacity(4 + sample.len());
    bytes.extend(number.to_le_bytes());
    bytes.extend(sample);
    let message = Message::Binary(Bytes::from(bytes));
    for page in listeners.pages.iter().filter_map(Weak::upgrade) {
        page.append(MailboxSlot::Data(number), message.clone(), max);
    }
    listeners.last = Some(message);
}

/// Returns the publishers of topics that are not hidden. A topic is hidden if a part of its name begins with `_`.
fn publishers(graph: &Graph) -> impl Iterator<Item = &EndpointInfo> {
    let is_hidden = |topic: &str| topic.split('/').any(|part| part.starts_with('_'));
    graph.endpoints.iter().filter(move |end| end.kind == EndpointKind::Publisher && !is_hidden(&end.topic))
}

/// Returns the published topics as JSON: the name, the type, and the names of the other hosts and devices from which they come.
pub(crate) fn list(graph: &Graph) -> Value {
    let mut topics = BTreeMap::<&String, (&String, BTreeSet<&str>)>::new();
    // If the publishers have several types, the first one counts, as in `ChannelConfig::of`.
    for end in publishers(graph) {
        let (_, origins) = topics.entry(&end.topic).or_insert((&end.type_name, BTreeSet::new()));
        origins.extend(Some(end.origin.name()).filter(|name| !name.is_empty()));
    }
    let topics: Vec<_> = topics.into_iter().map(|(topic, (ty, origins))| (topic, ty, origins)).collect();
    json!({ "op": "topics", "topics": topics })
}

/// Returns the number of messages of a type that wait for a page. For most types, only the newest message is shown.
fn depth(type_name: &str) -> u16 {
    match type_name {
        "nav2_msgs/msg/BehaviorTreeLog"
        | "visualization_msgs/msg/Marker"
        | "visualization_msgs/msg/MarkerArray" => MAX_CHANGES,
        _ => 1,
    }
}

/// Returns the strictest QoS that is compatible with all publishers. It includes earlier messages if all of them are
/// transient-local.
fn qos(publishers: &[&EndpointInfo], depth: u16) -> QoS {
    let all = |is: fn(&QoS) -> bool| publishers.iter().all(|end| is(&end.qos));
    let qos = QoS::keep_last(depth);
    let qos =
        if all(|qos| qos.reliability == Reliability::Reliable) { qos.reliable() } else { qos.best_effort() };
    if all(|qos| qos.durability == Durability::TransientLocal) {
        qos.transient_local()
    } else {
        qos.volatile()
    }
}

/// Returns a type and its description. If the type is not installed, the description comes from its publisher.
fn type_of(node: &Node, config: &ChannelConfig) -> Result<(TypeId, String), String> {
    let (name, hash) = (config.type_name.clone(), config.type_hash);
    let (mut catalog, _) = Catalog::from_environment();
    if let Ok(typed) = catalog.typed(&name)
        && (typed.hash == hash || hash == TypeHash::UNKNOWN)
    {
        let description = typed.description.clone();
        return Ok((TypeId { name, hash: typed.hash, description: Some(typed.description) }, description));
    }
    let described = node.context().participant().description(hash);
    let description = described.ok_or_else(|| format!("nothing is known of the type {name}"))?;
    Ok((TypeId { name, hash, description: None }, description))
}
