//! Specifications of endpoints and nodes that are to be opened.

use std::sync::Arc;

use saltus_cdr::Description;
use saltus_graph::{EndpointId, Origin};
use saltus_memory::{arena::MemoryError, usability::Unusable};
use saltus_types::{Gid, NodeName, QoS, TopicName, TypeHash};

/// Why an endpoint or node can't be opened.
#[derive(thiserror::Error)]
pub enum OpenError {
    /// Shared memory is full.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The handle was inherited over `fork`.
    #[error("this context was opened before fork(): open another one in the child")]
    Forked,
    /// The context was expelled from its domain.
    #[error("this context was expelled from its domain: {reason}; open a new context")]
    Expelled {
        /// The reason.
        reason: Arc<str>,
    },
}

impl From<Unusable> for OpenError {
    fn from(cause: Unusable) -> Self {
        match cause {
            Unusable::Forked => Self::Forked,
            Unusable::Expelled(reason) => Self::Expelled { reason },
        }
    }
}

saltus_types::debug_as_display!(OpenError);

/// A node or endpoint of another system that this process represents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The other system.
    pub origin: Origin,
    /// Its gid in the other system.
    pub gid: Gid,
}

/// The settings of a node to open.
#[derive(Clone, Copy, Debug)]
pub struct NodeSpec<'a> {
    /// Its name.
    pub name: &'a NodeName,
    /// The entity of another system that it represents; `None` if it is this process's own.
    pub foreign: Option<&'a Foreign>,
}

impl<'a> NodeSpec<'a> {
    /// Creates the specification of a node of this process.
    pub fn new(name: &'a NodeName) -> Self {
        Self { name, foreign: None }
    }
}

/// The settings of an endpoint to open.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSpec<'a> {
    /// The node that it belongs to.
    pub node: Gid,
    /// The topic that it sends to or receives from.
    pub topic: &'a TopicName,
    /// The type's full name.
    pub type_name: &'a str,
    /// The type's hash; [`TypeHash::UNKNOWN`] if only the name is known.
    pub type_hash: TypeHash,
    /// The QoS that it offers or requests.
    pub qos: QoS,
    /// The type's description, for programs that know the type only at run time.
    pub description: TypeText<'a>,
    /// The entity of another system that it represents; `None` if it is this process's own.
    pub foreign: Option<&'a Foreign>,
    /// Subscriptions: the only publisher that it takes from, or `None` for any. If it is set, the graph does not show
    /// the subscription.
    pub only_from: Option<EndpointId>,
    /// Whether it is not connected to the endpoints of this process for which this is set, too: the program passes
    /// messages between them itself.
    pub skips_own: bool,
}

/// The description of a type, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub enum TypeText<'a> {
    /// The description is not known.
    #[default]
    Unknown,
    /// The pieces of the description, as generated code contains them.
    Pieces(Description),
    /// The description as canonical JSON (REP 2016).
    Whole(&'a str),
}

impl TypeText<'_> {
    /// Returns the description as canonical JSON.
    pub(crate) fn to_json(self) -> Option<String> {
        match self {
            Self::Unknown => None,
            Self::Pieces(pieces) => Some(pieces.to_json()),
            Self::Whole(text) => Some(text.to_owned()),
        }
    }
}
