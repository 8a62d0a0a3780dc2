//! Reads a domain from outside, without joining it.

use std::io;

use saltus_graph::{Graph, NodeInfo};
use saltus_memory::{
    header::SegmentHeader,
    membership::{DomainFiles, DomainId, is_dead_with},
    os::{
        folder::{Folder, GraphOwner, other_owners},
        process::ProcessId,
        segment::Segment,
    },
    protocol::membership::MemberInfo,
};
use saltus_types::{TypeHash, is_hidden};

use crate::registry::{description, entries};

/// Returns the graph of a domain, read from outside.
///
/// # Errors
/// Returns an error if the files of the domain can't be opened.
pub fn observe(domain: &DomainId) -> io::Result<Graph> {
    let Some(files) = open_domain(domain)? else { return Ok(Graph::default()) };
    let of_member = |(member, segment): (MemberInfo, io::Result<Segment>)| {
        // `saltus doctor` reports the members that can't be read.
        segment.map(|segment| entries(&segment, member.id)).unwrap_or_default()
    };
    Ok(living_members(&files).flat_map(of_member).collect())
}

/// Returns the description of a type that a process of a domain uses, as canonical JSON (REP 2016). The text is
/// untrusted: it comes from another process.
///
/// # Errors
/// Returns an error if the files of the domain can't be opened.
pub fn observe_description(domain: &DomainId, hash: TypeHash) -> io::Result<Option<String>> {
    let Some(files) = open_domain(domain)? else { return Ok(None) };
    let found = living_members(&files).find_map(|(_, segment)| description(&segment.ok()?, hash));
    Ok(found)
}

/// A graph on this host that is not the observed one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherGraph {
    /// This user can read its nodes.
    Nodes {
        /// The owner and the number of the domain.
        domain: DomainId,
        /// The names of its nodes.
        nodes: Vec<String>,
        /// Whether it belongs to the owner of the observed graph.
        is_own: bool,
    },
    /// Its folder can't be read by this user.
    Unreadable {
        /// The owner of the graph.
        owner: GraphOwner,
    },
}

/// Returns the graphs of the same owner in other domains, and the graphs of other users and groups on this host. Graphs
/// without nodes are left out. Hidden nodes are counted only if a graph has no other nodes.
pub fn other_graphs(domain: &DomainId) -> Vec<OtherGraph> {
    let others = other_owners(&domain.folder, domain.owner);
    let mut found = Vec::new();
    for owner in std::iter::once(domain.owner).chain(others) {
        match Folder::open(&domain.folder, owner) {
            Ok(Some(folder)) => found.extend(graphs_in(&folder, domain, owner)),
            Ok(None) => {}
            Err(_) => found.push(OtherGraph::Unreadable { owner }),
        }
    }
    found
}

fn graphs_in(folder: &Folder, observed: &DomainId, owner: GraphOwner) -> Vec<OtherGraph> {
    let names = folder.names();
    let numbers = names.iter().filter_map(|name| DomainId::number_of_table(name));
    let mut domains: Vec<DomainId> =
        numbers.map(|number| DomainId { folder: observed.folder.clone(), number, owner }).collect();
    domains.retain(|domain| domain != observed);
    domains.sort_by_key(|domain| domain.number);
    let with_nodes = |domain: DomainId| {
        let names = observe(&domain).ok()?.nodes.iter().map(full_name).collect::<Vec<_>>();
        let (hidden, mut nodes): (Vec<String>, _) = names.into_iter().partition(|name| is_hidden(name));
        // A tool that publishes has a hidden node.
        if nodes.is_empty() {
            nodes = hidden;
        }
        nodes.sort();
        let is_own = domain.owner == observed.owner;
        (!nodes.is_empty()).then_some(OtherGraph::Nodes { domain, nodes, is_own })
    };
    domains.into_iter().filter_map(with_nodes).collect()
}

fn full_name(node: &NodeInfo) -> String {
    format!("{}/{}", node.namespace.trim_end_matches('/'), node.name)
}

impl std::fmt::Display for OtherGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes { domain, nodes, is_own } => {
                let number = domain.number;
                let count = if nodes.len() == 1 { "1 node".into() } else { format!("{} nodes", nodes.len()) };
                match (is_own, domain.owner) {
                    (true, _) => write!(f, "{count} in domain {number} (set ROS_DOMAIN_ID={number})"),
                    (_, GraphOwner::User(uid)) if uid == rustix::process::geteuid().as_raw() => {
                        write!(f, "{count} of this user in domain {number} (unset SALTUS_GROUP)")
                    }
                    (_, GraphOwner::User(uid)) => write!(
                        f,
                        "{count} of user {uid} in domain {number} (run the command as that user, for example with \
                         `sudo -u '#{uid}'`)"
                    ),
                    (_, GraphOwner::Group(gid)) => {
                        write!(f, "{count} of group {gid} in domain {number} (set SALTUS_GROUP={gid})")
                    }
                }
            }
            Self::Unreadable { owner: GraphOwner::User(uid) } => {
                write!(
                    f,
                    "user {uid} has graphs (run the command as that user, or give both users SALTUS_GROUP)"
                )
            }
            Self::Unreadable { owner: GraphOwner::Group(gid) } => {
                write!(f, "group {gid} has graphs (set SALTUS_GROUP={gid}, if you are in that group)")
            }
        }
    }
}

/// Opens the files of a domain, for reading. Returns `None` if there are none: the domain has no members.
pub(crate) fn open_domain(domain: &DomainId) -> io::Result<Option<DomainFiles>> {
    match DomainFiles::open(domain) {
        // A missing root folder is a mistake of the user, and not an empty domain.
        Ok(None) => std::fs::metadata(&domain.folder).map(|_| None),
        other => other,
    }
}

/// Returns the members of a domain that are not known to be dead or to have left. Each comes with its memory, or with
/// the error of opening it.
pub(crate) fn living_members(files: &DomainFiles) -> impl Iterator<Item = (MemberInfo, io::Result<Segment>)> {
    let this = ProcessId::current();
    files.members().into_iter().filter_map(move |member| {
        let segment = files.open_segment(&member, this);
        let has_left = match &segment {
            Ok(segment) => segment.get::<SegmentHeader>(0).is_some_and(|header| header.state.has_left()),
            // It may have been removed since the table was read.
            Err(_) => !files.members().iter().any(|listed| listed.id == member.id),
        };
        (!has_left && !is_dead_with(&member, &segment, this)).then_some((member, segment))
    })
}
