//! Records of this process in the graph that have no other state: nodes, and endpoints that are only shown.

use saltus_graph::{EndpointId, EndpointInfo, EndpointKind, Entry, NodeInfo, Origin};
use saltus_memory::records::RecordId;
use saltus_types::Gid;

use crate::{
    endpoint::{EndpointSpec, NodeSpec, OpenError},
    host::Host,
    presence::Presence,
    registry,
};

/// A record of this process in the graph. Dropping it removes the record.
#[derive(Debug)]
pub struct OwnRecord {
    /// `None` once it is removed.
    record: Option<RecordId>,
    presence: Presence,
}

impl Drop for OwnRecord {
    fn drop(&mut self) {
        if let Some(record) = self.record {
            self.presence.host.withdraw_record(record);
        }
    }
}

/// A node in the graph. Dropping it removes the node.
#[derive(Debug)]
pub struct NodeEntry {
    info: NodeInfo,
    record: OwnRecord,
}

impl NodeEntry {
    /// Returns the node as the graph shows it.
    pub fn info(&self) -> &NodeInfo {
        &self.info
    }
}

impl From<NodeEntry> for OwnRecord {
    fn from(node: NodeEntry) -> Self {
        node.record
    }
}

/// An endpoint of another system that the graph shows, and that is not open. Dropping it removes it from the graph.
#[derive(Debug)]
pub struct Shown(OwnRecord);

impl From<Shown> for OwnRecord {
    fn from(shown: Shown) -> Self {
        shown.0
    }
}

/// Changes of the graph that other processes are told of together, when this is dropped.
///
/// To tell them costs each of them some time, so a process that shows thousands of entities changes many at a time.
///
/// ```no_run
/// # fn show(participant: &saltus_host::Participant, specs: &[saltus_host::EndpointSpec<'_>]) -> Result<(), saltus_host::OpenError> {
/// let mut batch = participant.batch()?;
/// let shown = specs.iter().map(|spec| batch.show(saltus_host::EndpointKind::Publisher, spec));
/// let shown = shown.collect::<Result<Vec<_>, _>>()?;
/// batch.remove(shown);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Batch<'a> {
    presence: &'a Presence,
    host: &'a Host,
    has_changes: bool,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(presence: &'a Presence, host: &'a Host) -> Self {
        Self { presence, host, has_changes: false }
    }

    /// Adds a node to the graph, as [`Participant::node`](crate::Participant::node) does.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub fn node(&mut self, spec: &NodeSpec<'_>) -> Result<NodeEntry, OpenError> {
        let (gid, origin) = match spec.foreign {
            Some(foreign) => (foreign.gid, foreign.origin.clone()),
            None => (new_gid(self.host), Origin::Local),
        };
        let (namespace, name) = (spec.name.namespace().into(), spec.name.base().into());
        let info = NodeInfo { gid, namespace, name, origin };
        let record = self.add(&Entry::Node(info.clone()))?;
        Ok(NodeEntry { info, record })
    }

    /// Shows an endpoint of another system, as [`Participant::show`](crate::Participant::show) does.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub fn show(&mut self, kind: EndpointKind, spec: &EndpointSpec<'_>) -> Result<Shown, OpenError> {
        self.host.describe(&mut self.host.lock(), spec.type_hash, || spec.description.to_json())?;
        let gid = spec.foreign.map_or_else(|| new_gid(self.host), |foreign| foreign.gid);
        let info = endpoint_info(self.host, kind, spec, gid);
        Ok(Shown(self.add(&Entry::Endpoint(info))?))
    }

    fn add(&mut self, entry: &Entry) -> Result<OwnRecord, OpenError> {
        let record = registry::add(&self.host.memory, entry)?;
        self.has_changes = true;
        Ok(OwnRecord { record: Some(record), presence: self.presence.clone() })
    }

    /// Removes nodes or shown endpoints from the graph. Those of another participant are removed at once.
    pub fn remove(&mut self, entries: impl IntoIterator<Item: Into<OwnRecord>>) {
        for entry in entries {
            let mut entry: OwnRecord = entry.into();
            if !std::ptr::eq(&raw const *entry.presence.host, self.host) {
                // Dropping it removes it from the domain of its own participant.
                continue;
            }
            if let Some(record) = entry.record.take().filter(|_| self.host.memory.usability.may_release()) {
                self.host.remove_record(record);
                self.has_changes = true;
            }
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if self.has_changes && self.host.memory.usability.may_release() {
            self.host.notify(&mut self.host.lock());
        }
    }
}

/// Returns a gid for an entity of this process.
pub(crate) fn new_gid(host: &Host) -> Gid {
    Gid::from_parts(host.process(), host.next_serial())
}

/// Returns the entry of a new endpoint of this process, without a port and without counters.
pub(crate) fn endpoint_info(
    host: &Host,
    kind: EndpointKind,
    spec: &EndpointSpec<'_>,
    gid: Gid,
) -> EndpointInfo {
    EndpointInfo {
        kind,
        id: EndpointId { process: host.process(), serial: host.next_serial() },
        gid,
        node: spec.node,
        origin: spec.foreign.map(|foreign| foreign.origin.clone()).unwrap_or_default(),
        topic: spec.topic.as_str().to_owned(),
        type_name: spec.type_name.into(),
        type_hash: spec.type_hash,
        qos: spec.qos,
        only_from: spec.only_from,
        port: 0,
        counters: 0,
    }
}
