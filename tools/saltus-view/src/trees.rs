//! The newest transforms of all frames.
//!
//! The page draws only the current state, so no history is needed. Each namespace has its own tree of frames.

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

/// The maximum number of frames in all trees, so that a faulty sender can't fill the memory.
const MAX_FRAMES: usize = 10_000;
/// The maximum number of trees.
const MAX_TREES: usize = 200;
/// A transform that is not static is removed after this time without a message.
const REMOVE_AFTER: Duration = Duration::from_secs(10);
/// The maximum length of the name of a frame, in bytes.
const MAX_NAME_LENGTH: usize = 1024;

/// The newest transforms, by namespace and by child frame.
type NewestTransforms = BTreeMap<String, BTreeMap<String, Edge>>;

/// A transform, and the time at which it was received; `None` if it is static.
#[derive(Debug)]
struct Edge {
    transform: TransformStamped,
    received: Option<Instant>,
}

/// The newest transforms of all frames, and the subscriptions that receive them.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    newest: Arc<Mutex<NewestTransforms>>,
    subscriptions: Mutex<BTreeMap<String, Subscription<TFMessage>>>,
}

impl Trees {
    /// Subscribes to all topics with transforms that are published, and closes the other subscriptions.
    pub(crate) fn update(&self, node: &Node, graph: &Graph) {
        let is_transforms = |topic: &str| topic.ends_with("/tf") || topic.ends_with("/tf_static");
        let published = graph.endpoints.iter().filter(|end| {
            end.kind == EndpointKind::Publisher
                && end.type_name == "tf2_msgs/msg/TFMessage"
                && is_transforms(&end.topic)
        });
        let topics: BTreeSet<&String> = published.map(|end| &end.topic).collect();
        let topics: BTreeSet<&String> = topics.into_iter().take(2 * MAX_TREES).collect();
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

    /// Removes all transforms, and closes the subscriptions.
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
            if newest.len() >= MAX_TREES && !newest.contains_key(&name) {
                return;
            }
            let mut count: usize = newest.values().map(BTreeMap::len).sum();
            let tree = newest.entry(name.clone()).or_default();
            let received = (!is_static).then(Instant::now);
            for transform in message.transforms {
                let is_known = tree.contains_key(&transform.child_frame_id);
                let longest = transform.child_frame_id.len().max(transform.header.frame_id.len());
                if longest > MAX_NAME_LENGTH || !is_finite(&transform) || (!is_known && count >= MAX_FRAMES) {
                    continue;
                }
                count += usize::from(!is_known);
                tree.insert(transform.child_frame_id.clone(), Edge { transform, received });
            }
        })
    }

    /// Returns all transforms as JSON. Each tree is a list of transforms: parent, child, position (x, y, z in metres) and
    /// quaternion (x, y, z, w).
    pub(crate) fn json(&self) -> Value {
        let edge = |Edge { transform, .. }: &Edge| {
            let (position, rotation) = (&transform.transform.translation, &transform.transform.rotation);
            json!([
                transform.header.frame_id,
                transform.child_frame_id,
                position.x,
                position.y,
                position.z,
                rotation.x,
                rotation.y,
                rotation.z,
                rotation.w
            ])
        };
        let mut newest = lock(&self.newest);
        for tree in newest.values_mut() {
            tree.retain(|_, edge| edge.received.is_none_or(|received| received.elapsed() < REMOVE_AFTER));
        }
        let trees = newest.iter().map(|(name, tree)| (name.clone(), tree.values().map(edge).collect()));
        Value::Object(trees.collect())
    }
}

/// Returns whether all numbers of a transform are finite.
fn is_finite(transform: &TransformStamped) -> bool {
    let (position, rotation) = (&transform.transform.translation, &transform.transform.rotation);
    [position.x, position.y, position.z, rotation.x, rotation.y, rotation.z, rotation.w]
        .iter()
        .all(|number| number.is_finite())
}
