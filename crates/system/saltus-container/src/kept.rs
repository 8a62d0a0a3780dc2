//! Messages for late subscriptions, which survive the process that has published them.
//!
//! The container has a hidden subscription to each transient-local publisher of a component. It takes no message as long
//! as the component runs: the messages wait in the queue of the subscription, in the shared memory of the component.

use std::{sync::Mutex, time::Duration};

use saltus_host::{
    Channel, EndpointId, EndpointInfo, EndpointKind, EndpointSpec, Entity, GraphChange, Subscription,
    TypeText,
};
use saltus_node::{KeptMessage, Node, NodeError};
use saltus_types::{Durability, History, Liveliness, QoS, TopicName, is_hidden, lock};

/// The topic of logs. A new process of a component has its own logs.
const LOGS: &str = "/rosout";

/// How long a new process may take to connect its publishers. One that has died never does.
const CONNECTING: Duration = Duration::from_millis(500);

/// The transient-local messages of the components of a container.
pub(crate) struct Keeper {
    node: Node,
    watched: Mutex<Vec<Watched>>,
}

/// The process of a component, and the subscriptions to its publishers.
struct Watched {
    component: u64,
    process: u64,
    publishers: Vec<(EndpointId, Subscription)>,
}

impl Keeper {
    pub(crate) fn new(node: &Node) -> Self {
        Self { node: node.clone(), watched: Mutex::default() }
    }

    /// Keeps the messages of a process from now on. Its publishers may exist already: waits until they are connected, so that their
    /// messages are kept if the process dies now.
    pub(crate) fn watch(&self, component: u64, process: u64) {
        let publishers = Vec::new();
        lock(&self.watched).push(Watched { component, process, publishers });
        let context = self.node.context();
        let is_known = || context.graph().nodes.iter().any(|node| node.gid.process() == process);
        let is_connected = context.wait_until(CONNECTING, || {
            context.graph().endpoints.iter().for_each(|endpoint| self.add(endpoint));
            is_known() && self.is_connected(process)
        });
        // The messages of a process that has died meanwhile are lost. That it has died is logged.
        if !is_connected && is_known() {
            saltus_node::warn!(
                self.node.logger(),
                "component {component} has not connected its publishers within {CONNECTING:?}: if it dies soon, its \
                 last messages are lost"
            );
        }
    }

    /// Whether all known publishers of a process are connected.
    fn is_connected(&self, process: u64) -> bool {
        let watched = lock(&self.watched);
        let of_process = watched.iter().filter(|watched| watched.process == process);
        of_process.flat_map(|watched| &watched.publishers).all(|(_, one)| one.status().matched > 0)
    }

    /// Must be called with each change of the graph.
    pub(crate) fn note(&self, change: &GraphChange) {
        match change {
            GraphChange::Added(Entity::Endpoint(endpoint)) => self.add(endpoint),
            GraphChange::Removed(Entity::Endpoint(endpoint)) => self.remove(endpoint),
            _ => {}
        }
    }

    /// Ends the subscription to a publisher that its component has closed: nobody gets its messages any more. If the whole
    /// process is gone, the subscriptions stay until [`Keeper::take`].
    fn remove(&self, publisher: &EndpointInfo) {
        let process = publisher.id.process;
        let is_running = self.node.context().graph().nodes.iter().any(|node| node.gid.process() == process);
        if is_running {
            for watched in lock(&self.watched).iter_mut().filter(|watched| watched.process == process) {
                watched.publishers.retain(|(id, _)| *id != publisher.id);
            }
        }
    }

    /// Subscribes to a publisher, if it is a transient-local one of a watched process.
    fn add(&self, publisher: &EndpointInfo) {
        if !is_kept(publisher) {
            return;
        }
        let mut watched = lock(&self.watched);
        let process = publisher.id.process;
        let Some(watched) = watched.iter_mut().find(|watched| watched.process == process) else { return };
        if watched.publishers.iter().any(|(id, _)| *id == publisher.id) {
            return;
        }
        match subscribe(&self.node, publisher) {
            Ok(subscription) => watched.publishers.push((publisher.id, subscription)),
            Err(error) => {
                saltus_node::warn!(
                    self.node.logger(),
                    "can't keep the messages of '{}': {error}",
                    publisher.topic
                );
            }
        }
    }

    /// Ends the subscriptions for a component, whose process has ended. Returns its last messages.
    pub(crate) fn take(&self, component: u64) -> Vec<KeptMessage> {
        let ended: Vec<Watched> =
            lock(&self.watched).extract_if(.., |watched| watched.component == component).collect();
        let publishers = ended.iter().flat_map(|watched| &watched.publishers);
        publishers.flat_map(|(_, subscription)| messages(subscription)).collect()
    }
}

/// Whether the messages of a publisher are kept. Hidden topics, such as the status of actions, and logs are about a
/// process that has ended.
fn is_kept(publisher: &EndpointInfo) -> bool {
    publisher.kind == EndpointKind::Publisher
        && publisher.channel() == Channel::Topic
        && publisher.qos.durability == Durability::TransientLocal
        && publisher.topic != LOGS
        && !is_hidden(&publisher.topic)
}

/// Opens a hidden subscription to one publisher, with a queue for all messages that it keeps.
fn subscribe(node: &Node, publisher: &EndpointInfo) -> Result<Subscription, NodeError> {
    // The name is final: the remappings of the container do not apply to it.
    let topic = TopicName::expand(&publisher.topic, node.name())?;
    let participant = node.context().participant();
    let description = participant.description(publisher.type_hash);
    let qos = QoS {
        deadline: None,
        lifespan: None,
        liveliness: Liveliness::Automatic,
        lease: None,
        // The publisher must not wait for this subscription, which takes nothing as long as the component runs.
        history: History::KeepLast(publisher.qos.history.depth()),
        ..publisher.qos
    };
    Ok(participant.subscription(&EndpointSpec {
        node: node.gid(),
        topic: &topic,
        type_name: &publisher.type_name,
        type_hash: publisher.type_hash,
        qos,
        description: description.as_deref().map_or(TypeText::Unknown, TypeText::Whole),
        foreign: None,
        only_from: Some(publisher.id),
        skips_own: false,
    })?)
}

/// Takes the messages of a subscription.
fn messages(subscription: &Subscription) -> Vec<KeptMessage> {
    let info = subscription.info();
    let samples = std::iter::from_fn(|| subscription.take());
    let kept = samples.map(|sample| KeptMessage {
        topic: info.topic.clone(),
        type_name: info.type_name.clone(),
        source_time: sample.source_time(),
        bytes: sample.to_vec(),
    });
    kept.collect()
}
