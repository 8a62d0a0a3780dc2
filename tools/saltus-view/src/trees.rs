//! The newest transforms of all frames.
//!
//! The page only draws what is now, so no history is needed. Robots with namespaces have trees of their own.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    Node, QoS, Subscription,
    graph::{EndpointKind, Graph},
    msgs::{geometry_msgs::msg::TransformStamped, tf2_msgs::msg::TFMessage},
    types::lock,
};
use serde_json::{Value, json};

/// How many frames are kept in all trees, so that a faulty sender can't fill the memory.
const MOST_FRAMES: usize = 10_000;
/// How many trees are kept.
const MOST_TREES: usize = 200;
/// After which time a frame that may move is forgotten if nothing is heard of it.
const FORGET_AFTER: Duration = Duration::from_secs(10);
/// How long the name of a frame may be, in bytes.
const LONGEST_NAME: usize = 1024;

/// The newest transforms: by tree, then by child.
type Newest = BTreeMap<String, BTreeMap<String, Edge>>;

/// A transform, and when it came; `None` if it is static.
#[derive(Debug)]
struct Edge {
    transform: TransformStamped,
    heard: Option<Instant>,
}

/// The newest transforms of all frames.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    newest: Arc<Mutex<Newest>>,
    subscriptions: Mutex<BTreeMap<String, Subscription<TFMessage>>>,
}

impl Trees {
    /// Subscribes to the transforms that are published, and leaves those that are no longer.
    pub(crate) fn follow(&self, node: &Node, graph: &Graph) {
        let is_transforms = |topic: &str| topic.ends_with("/tf") || topic.ends_with("/tf_static");
        let published = graph.endpoints.iter().filter(|end| {
            end.kind == EndpointKind::Publisher
                && end.type_name == "tf2_msgs/msg/TFMessage"
                && is_transforms(&end.topic)
        });
        let topics: BTreeSet<&String> = published.map(|end| &end.topic).collect();
        let topics: BTreeSet<&String> = topics.into_iter().take(2 * MOST_TREES).collect();
        let mut subscriptions = lock(&self.subscriptions);
        subscriptions.retain(|topic, _| topics.contains(topic));
        lock(&self.newest).retain(|tree, _| {
            ["tf", "tf_static"].iter().any(|topic| topics.contains(&format!("{tree}/{topic}")))
        });
        for topic in topics {
            if subscriptions.contains_key(topic) {
                continue;
            }
            match self.subscribe(node, topic) {
                Ok(subscription) => drop(subscriptions.insert(topic.clone(), subscription)),
                Err(error) => saltus::warn!(node.logger(), "can't subscribe to {topic}: {error}"),
            }
        }
    }

    /// Forgets all transforms, and closes the subscriptions.
    pub(crate) fn clear(&self) {
        lock(&self.subscriptions).clear();
        lock(&self.newest).clear();
    }

    fn subscribe(
        &self,
        node: &Node,
        topic: &str,
    ) -> Result<Subscription<TFMessage>, saltus::node::NodeError> {
        let (name, is_static) = match topic.strip_suffix("/tf_static") {
            Some(name) => (name, true),
            None => (topic.strip_suffix("/tf").unwrap_or(topic), false),
        };
        let qos = QoS::keep_last(100);
        let qos = if is_static { qos.transient_local() } else { qos };
        let (newest, name) = (self.newest.clone(), name.to_owned());
        node.subscription(topic).qos(qos).callback(move |message: TFMessage| {
            let mut newest = lock(&newest);
            if newest.len() >= MOST_TREES && !newest.contains_key(&name) {
                return;
            }
            let mut count: usize = newest.values().map(BTreeMap::len).sum();
            let tree = newest.entry(name.clone()).or_default();
            let heard = (!is_static).then(Instant::now);
            for transform in message.transforms {
                let is_known = tree.contains_key(&transform.child_frame_id);
                let longest = transform.child_frame_id.len().max(transform.header.frame_id.len());
                if longest > LONGEST_NAME || !is_finite(&transform) || (!is_known && count >= MOST_FRAMES) {
                    continue;
                }
                count += usize::from(!is_known);
                tree.insert(transform.child_frame_id.clone(), Edge { transform, heard });
            }
        })
    }

    /// Returns all transforms as JSON: for each tree, lists of the parent, the child, x, y, z and the quaternion.
    pub(crate) fn json(&self) -> Value {
        let edge = |Edge { transform, .. }: &Edge| {
            let (at, turned) = (&transform.transform.translation, &transform.transform.rotation);
            json!([
                transform.header.frame_id,
                transform.child_frame_id,
                at.x,
                at.y,
                at.z,
                turned.x,
                turned.y,
                turned.z,
                turned.w
            ])
        };
        let mut newest = lock(&self.newest);
        for tree in newest.values_mut() {
            tree.retain(|_, edge| edge.heard.is_none_or(|heard| heard.elapsed() < FORGET_AFTER));
        }
        let trees = newest.iter().map(|(name, tree)| (name.clone(), tree.values().map(edge).collect()));
        Value::Object(trees.collect())
    }
}

fn is_finite(transform: &TransformStamped) -> bool {
    let (at, turned) = (&transform.transform.translation, &transform.transform.rotation);
    [at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w].iter().all(|number| number.is_finite())
}
