//! The topics that pages look at.

use std::{
    collections::BTreeMap,
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

use crate::mailbox::{Mailbox, Place};

/// How many topics pages can look at together.
const MOST_CHANNELS: usize = 500;

/// The topics that pages look at. Each one is subscribed to once, for all pages.
#[derive(Default)]
pub(crate) struct Topics {
    channels: Mutex<BTreeMap<String, Channel>>,
    next: AtomicU32,
}

/// A topic that pages look at.
struct Channel {
    number: u32,
    /// What it was opened for. If the publishers change, it is opened again.
    kind: Kind,
    /// What a page must know to decode the messages.
    description: Message,
    listeners: Arc<Mutex<Listeners>>,
    _subscription: CallbackSubscription,
}

/// The type of the publishers of a topic, and the QoS with which all of them are heard.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    type_name: String,
    type_hash: TypeHash,
    qos: QoS,
}

/// How many messages with changes wait for a page. Each one may change other markers, or other nodes of a tree, than the next.
const MOST_CHANGES: u16 = 100;

impl Kind {
    /// Returns that of the publishers of a topic; `None` if there are none.
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

/// The pages that look at a topic, and its last message for those that come later.
#[derive(Default)]
struct Listeners {
    pages: Vec<Weak<Mailbox>>,
    last: Option<Message>,
}

impl Topics {
    /// Lets a page have the messages of a topic.
    ///
    /// # Errors
    ///
    /// Returns what is wrong.
    pub(crate) fn subscribe(&self, node: &Node, topic: &str, page: &Arc<Mailbox>) -> Result<(), String> {
        let mut channels = lock(&self.channels);
        if !channels.contains_key(topic) {
            if channels.len() >= MOST_CHANNELS {
                return Err("too many topics are looked at".into());
            }
            let kind = Kind::of(&node.context().graph(), topic)
                .ok_or_else(|| format!("{topic} is not published"))?;
            // It may receive messages at once. The page takes its description before them.
            channels.insert(topic.into(), self.open(node, topic, kind, vec![Arc::downgrade(page)])?);
        }
        let Some(channel) = channels.get(topic) else { return Ok(()) };
        page.put(Place::Channel(channel.number), channel.description.clone());
        let mut listeners = lock(&channel.listeners);
        if listeners.pages.iter().any(|known| known.as_ptr() == Arc::as_ptr(page)) {
            return Ok(());
        }
        listeners.pages.push(Arc::downgrade(page));
        if let Some(last) = &listeners.last {
            page.put(Place::Data(channel.number), last.clone());
        }
        Ok(())
    }

    /// Opens the topics again whose publishers have another type or QoS than before.
    pub(crate) fn follow(&self, node: &Node, graph: &Graph) {
        for (topic, channel) in &mut *lock(&self.channels) {
            let Some(kind) = Kind::of(graph, topic).filter(|kind| *kind != channel.kind) else { continue };
            let pages = lock(&channel.listeners).pages.clone();
            match self.open(node, topic, kind.clone(), pages) {
                Ok(opened) => {
                    let old = std::mem::replace(channel, opened);
                    let listeners = lock(&channel.listeners);
                    for page in listeners.pages.iter().filter_map(Weak::upgrade) {
                        old.leave(&page);
                        page.put(Place::Channel(channel.number), channel.description.clone());
                    }
                }
                Err(error) => {
                    // It is not tried again before something changes.
                    channel.kind = kind;
                    saltus::warn!(node.logger(), "can't show {topic}: {error}");
                }
            }
        }
    }

    /// Sends a page no more messages of a topic.
    pub(crate) fn unsubscribe(&self, topic: &str, page: &Arc<Mailbox>) {
        if let Some(channel) = lock(&self.channels).get(topic) {
            lock(&channel.listeners).pages.retain(|known| known.as_ptr() != Arc::as_ptr(page));
            channel.leave(page);
        }
        self.close_unused();
    }

    /// Closes the subscriptions that no page looks at any more.
    pub(crate) fn close_unused(&self) {
        lock(&self.channels).retain(|_, channel| {
            let mut listeners = lock(&channel.listeners);
            listeners.pages.retain(|page| page.strong_count() > 0);
            !listeners.pages.is_empty()
        });
    }

    fn open(
        &self,
        node: &Node,
        topic: &str,
        kind: Kind,
        pages: Vec<Weak<Mailbox>>,
    ) -> Result<Channel, String> {
        let (ty, description) = type_of(node, &kind)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let listeners = Arc::new(Mutex::new(Listeners { pages, last: None }));
        let most = usize::from(depth(&kind.type_name));
        let subscription = node
            .generic_endpoint(topic, &ty)
            .qos(kind.qos)
            .callback({
                let listeners = listeners.clone();
                move |sample: &Sample| forward(&mut lock(&listeners), number, sample, most)
            })
            .map_err(|error| error.to_string())?;
        let description = json!({
            "op": "channel", "channel": number, "topic": topic, "type": kind.type_name, "description": description,
        });
        Ok(Channel {
            number,
            kind,
            description: Message::text(description.to_string()),
            listeners,
            _subscription: subscription,
        })
    }
}

impl Channel {
    /// Removes what waits for a page.
    fn leave(&self, page: &Mailbox) {
        page.remove(&Place::Data(self.number));
        page.remove(&Place::Channel(self.number));
    }
}

/// Gives a message to all pages, of which `most` wait for each one: the number of the channel in four bytes, and then the message.
fn forward(listeners: &mut Listeners, number: u32, sample: &[u8], most: usize) {
    let mut bytes = Vec::with_capacity(4 + sample.len());
    bytes.extend(number.to_le_bytes());
    bytes.extend(sample);
    let message = Message::Binary(Bytes::from(bytes));
    for page in listeners.pages.iter().filter_map(Weak::upgrade) {
        page.append(Place::Data(number), message.clone(), most);
    }
    listeners.last = Some(message);
}

/// Returns the publishers that users see. Names that begin with `_` are hidden.
fn publishers(graph: &Graph) -> impl Iterator<Item = &EndpointInfo> {
    let is_hidden = |topic: &str| topic.split('/').any(|part| part.starts_with('_'));
    graph.endpoints.iter().filter(move |end| end.kind == EndpointKind::Publisher && !is_hidden(&end.topic))
}

/// Returns the published topics and their types as JSON.
pub(crate) fn list(graph: &Graph) -> Value {
    let mut topics = BTreeMap::<&String, &String>::new();
    // The first publisher decides, as when the topic is opened.
    for end in publishers(graph) {
        topics.entry(&end.topic).or_insert(&end.type_name);
    }
    let topics: Vec<_> = topics.into_iter().collect();
    json!({ "op": "topics", "topics": topics })
}

/// Returns how many messages of a type wait. Of most types, only the newest one is shown.
fn depth(type_name: &str) -> u16 {
    match type_name {
        "nav2_msgs/msg/BehaviorTreeLog"
        | "visualization_msgs/msg/Marker"
        | "visualization_msgs/msg/MarkerArray" => MOST_CHANGES,
        _ => 1,
    }
}

/// Returns the QoS with which all messages arrive, also those that were published before.
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

/// Returns a type and its description. It may be a type that only its publisher knows.
fn type_of(node: &Node, kind: &Kind) -> Result<(TypeId, String), String> {
    let (name, hash) = (kind.type_name.clone(), kind.type_hash);
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
