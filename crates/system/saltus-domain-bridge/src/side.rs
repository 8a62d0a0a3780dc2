//! The side of a bridge: its context and node in one domain, and the replicas that it shows there.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use saltus_host::{
    EndpointInfo, EndpointKind, EndpointSpec, Foreign, NodeEntry, NodeInfo, NodeSpec, OpenError, Origin,
    Participant, Past, Publisher, Shown, Subscription, TypeText,
};
use saltus_node::{CallbackGroup, Context, Node};
use saltus_types::{Gid, NameError, NodeName, QoS, TopicName, lock};

use crate::{model::EndpointWithNode, name::expand, rule::GraphId};

/// Why an entity of another domain can't be shown in this domain.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShowError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("can't start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The context and the node of a bridge in one domain.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) context: Context,
    /// The node of the bridge in this domain.
    pub(crate) node: Node,
    /// The callback group of all waitables that wait for this domain.
    pub(crate) group: CallbackGroup,
    /// The origin of the replicas of this domain's entities in other domains.
    origin: Origin,
    /// The nodes of other domains that are shown here.
    shown_nodes: Mutex<HashMap<(Origin, Gid), Weak<NodeEntry>>>,
}

impl Side {
    pub(crate) fn new(context: Context, node: Node, graph: &GraphId) -> Self {
        let group = node.default_callback_group().clone();
        Self { context, node, group, origin: Origin::named(graph.to_string()), shown_nodes: Mutex::default() }
    }

    pub(crate) fn participant(&self) -> &Participant {
        self.context.participant()
    }

    /// Shows a node of the domain `source` in this domain, until the returned entry is dropped.
    pub(crate) fn show_node(&self, source: &Self, node: &NodeInfo) -> Result<Arc<NodeEntry>, ShowError> {
        let mut shown = lock(&self.shown_nodes);
        let key = (source.origin.clone(), node.gid);
        if let Some(entry) = shown.get(&key).and_then(Weak::upgrade) {
            return Ok(entry);
        }
        let name = NodeName::new(&node.namespace, &node.name)?;
        let foreign = Foreign { origin: source.origin.clone(), gid: node.gid };
        let spec = NodeSpec { name: &name, foreign: Some(&foreign) };
        let entry = Arc::new(self.participant().node(&spec)?);
        shown.retain(|_, entry| entry.strong_count() > 0);
        shown.insert(key, Arc::downgrade(&entry));
        Ok(entry)
    }
}

/// The shortest time between two warnings about the same failure.
const WARN_PERIOD: Duration = Duration::from_secs(1);

/// The replica of an endpoint in another domain.
#[derive(Debug)]
pub(crate) struct Replica {
    side: Arc<Side>,
    /// The replica of the endpoint's node.
    node: Arc<NodeEntry>,
    topic: TopicName,
    type_description: Option<String>,
    foreign: Foreign,
    /// The information about the original endpoint, but with the quality of service of the replica.
    original: EndpointInfo,
}

impl Replica {
    /// Creates a replica in `side` of an endpoint, which is in the domain `source`. Its name is `name`.
    pub(crate) fn new(
        (side, source): (&Arc<Side>, &Side),
        EndpointWithNode { end, node }: &EndpointWithNode,
        name: &str,
        qos: QoS,
    ) -> Result<Self, ShowError> {
        Ok(Self {
            side: side.clone(),
            node: side.show_node(source, node)?,
            topic: expand(name)?,
            type_description: source.participant().description(end.type_hash),
            foreign: Foreign { origin: source.origin.clone(), gid: end.gid },
            original: EndpointInfo { qos, ..(**end).clone() },
        })
    }

    fn spec(&self) -> EndpointSpec<'_> {
        EndpointSpec {
            node: self.node.info().gid,
            topic: &self.topic,
            type_name: &self.original.type_name,
            type_hash: self.original.type_hash,
            qos: self.original.qos,
            description: self.type_description.as_deref().map_or(TypeText::Unknown, TypeText::Whole),
            foreign: Some(&self.foreign),
            only_from: None,
        }
    }

    /// Shows the replica in the graph, without opening an endpoint.
    pub(crate) fn show(&self, kind: EndpointKind) -> Result<Shown, OpenError> {
        self.side.participant().show(kind, &self.spec())
    }

    /// Opens a publisher. The messages that `publish` publishes are kept for late subscriptions, as if they were
    /// published earlier.
    pub(crate) fn publisher(&self, publish: impl FnOnce(&Past<'_>)) -> Result<Publisher, OpenError> {
        self.side.participant().publisher_that_kept(&self.spec(), publish)
    }

    /// Logs that the replica can't be opened, at most once a second.
    pub(crate) fn warn(&self, error: &OpenError) {
        let logger = self.side.node.logger();
        saltus_node::warn_throttle!(
            logger,
            WARN_PERIOD,
            "can't publish on '{}': {error}",
            self.topic.as_str()
        );
    }

    pub(crate) fn client(&self) -> Result<(Publisher, Subscription), OpenError> {
        self.side.participant().client(&self.spec())
    }

    pub(crate) fn server(&self) -> Result<(Subscription, Publisher), OpenError> {
        self.side.participant().server(&self.spec())
    }

    pub(crate) fn qos(&self) -> &QoS {
        &self.original.qos
    }

    pub(crate) fn gid(&self) -> Gid {
        self.foreign.gid
    }

    pub(crate) fn node(&self) -> &NodeEntry {
        &self.node
    }

    /// Returns only the replica of the node.
    pub(crate) fn into_node(self) -> Arc<NodeEntry> {
        self.node
    }

    pub(crate) fn topic(&self) -> &TopicName {
        &self.topic
    }
}

/// Opens a subscription that takes the messages of one publisher, which is in the domain `side`. The messages are
/// forwarded to the domain `other`.
pub(crate) fn open_input(
    side: &Side,
    publisher: &EndpointInfo,
    other: &Side,
    qos: QoS,
) -> Result<Subscription, ShowError> {
    let topic = expand(&publisher.topic)?;
    let participant = side.participant();
    let foreign = Foreign { origin: other.origin.clone(), gid: participant.new_gid() };
    let description = participant.description(publisher.type_hash);
    let spec = EndpointSpec {
        node: side.node.gid(),
        topic: &topic,
        type_name: &publisher.type_name,
        type_hash: publisher.type_hash,
        qos,
        description: description.as_deref().map_or(TypeText::Unknown, TypeText::Whole),
        foreign: Some(&foreign),
        only_from: Some(publisher.id),
    };
    Ok(participant.subscription(&spec)?)
}
