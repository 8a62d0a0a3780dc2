//! A domain that a relay has joined: its context and node there, and what it shows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
};

use saltus_host::{
    EndpointInfo, EndpointSpec, Foreign, GraphWatch, NodeEntry, NodeInfo, NodeSpec, OpenError, Origin,
    Participant, TypeText,
};
use saltus_node::{CallbackGroup, Context, Node};
use saltus_types::{Gid, NodeName, TopicName, lock};

use crate::{
    ends::{Replica, ShowError},
    model::{EndpointChange, Model},
    name::expand,
};

/// A domain of this host.
///
/// ```no_run
/// # use saltus_host::Origin;
/// # use saltus_node::ContextOptions;
/// # use saltus_relay::Domain;
/// let context = ContextOptions::default().rosout(false).create()?;
/// let node = context.node("relay").start_parameter_services(false).create()?;
/// let domain = Domain::new(context, node, Origin::named("domain 0".into()))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Domain(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    context: Context,
    /// The node of the relay in this domain.
    node: Node,
    /// The callback group of all waitables that wait for this domain.
    pub(super) group: CallbackGroup,
    /// The origin of the replicas of this domain's entities in other graphs.
    pub(super) origin: Origin,
    pub(super) watch: GraphWatch,
    pub(super) model: Mutex<Model>,
    /// The nodes of other graphs that are shown here.
    shown_nodes: Mutex<HashMap<(Origin, Gid), Weak<NodeEntry>>>,
}

impl Domain {
    /// Creates the side of a domain. `origin` is where its entities come from, as other graphs see it.
    ///
    /// # Errors
    /// Returns an error if the context may not be used.
    pub fn new(context: Context, node: Node, origin: Origin) -> Result<Self, OpenError> {
        let group = node.default_callback_group().clone();
        let watch = context.participant().watch_others()?;
        let (model, shown_nodes) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Inner { context, node, group, origin, watch, model, shown_nodes })))
    }

    /// Returns the context.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the endpoints of this domain that are no replicas, as far as the relay has seen them.
    pub fn endpoints(&self) -> Vec<EndpointChange> {
        lock(&self.0.model).endpoints()
    }

    /// Returns the node of the relay in this domain.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    pub(super) fn participant(&self) -> &Participant {
        self.0.context.participant()
    }

    /// Shows a node of another graph in this domain, until the returned entry is dropped.
    fn show_node(&self, node: &NodeInfo) -> Result<Arc<NodeEntry>, ShowError> {
        let mut shown = lock(&self.0.shown_nodes);
        let key = (node.origin.clone(), node.gid);
        if let Some(entry) = shown.get(&key).and_then(Weak::upgrade) {
            return Ok(entry);
        }
        let name = NodeName::new(&node.namespace, &node.name)?;
        let foreign = Foreign { origin: node.origin.clone(), gid: node.gid };
        let spec = NodeSpec { name: &name, foreign: Some(&foreign) };
        let entry = Arc::new(self.participant().node(&spec)?);
        shown.retain(|_, entry| entry.strong_count() > 0);
        shown.insert(key, Arc::downgrade(&entry));
        Ok(entry)
    }
}

/// A replica that is shown in this domain, with the replica of its node.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) node: Arc<NodeEntry>,
    pub(super) topic: TopicName,
    foreign: Foreign,
    pub(super) replica: Replica,
}

impl Shown {
    pub(super) fn new(domain: &Domain, replica: Replica) -> Result<Self, ShowError> {
        let EndpointInfo { topic, origin, gid, .. } = &replica.end;
        let foreign = Foreign { origin: origin.clone(), gid: *gid };
        Ok(Self { node: domain.show_node(&replica.node)?, topic: expand(topic)?, foreign, replica })
    }

    pub(super) fn spec(&self) -> EndpointSpec<'_> {
        let Replica { end, description, .. } = &self.replica;
        EndpointSpec {
            node: self.node.info().gid,
            topic: &self.topic,
            type_name: &end.type_name,
            type_hash: end.type_hash,
            qos: end.qos,
            description: description.as_deref().map_or(TypeText::Unknown, TypeText::Whole),
            foreign: Some(&self.foreign),
            only_from: None,
            skips_own: false,
        }
    }
}
