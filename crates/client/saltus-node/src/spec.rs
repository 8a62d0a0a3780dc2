//! Descriptions of endpoints for the graph.

use saltus_cdr::{Message, TypeIdentity};
use saltus_host::{EndpointSpec, Foreign, NodeEntry, TypeText};
use saltus_types::{QoS, TopicName, TypeHash};

/// The type of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeId {
    /// The full name of the type, such as `std_msgs/msg/String`.
    pub name: String,
    /// The hash of the type. Two types with the same name and different hashes do not match. [`TypeHash::UNKNOWN`]
    /// matches every hash.
    pub hash: TypeHash,
    /// The description of the type as canonical JSON (REP 2016), if it is known. Other processes can read it.
    pub description: Option<String>,
}

impl From<TypeIdentity> for TypeId {
    fn from(identity: TypeIdentity) -> Self {
        let TypeIdentity { name, hash, description } = identity;
        Self { name: name.to_owned(), hash, description: Some(description.to_json()) }
    }
}

/// The type of an endpoint, known at compile time or only at run time.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    /// A type from generated code.
    Generated(TypeIdentity),
    /// A type that was given at run time.
    Named(TypeId),
}

impl Type {
    /// Returns the type of a message that generated code defines.
    pub(crate) fn of<M: Message>() -> Self {
        let (name, hash, description) = (M::TYPE_NAME, M::TYPE_HASH, M::DESCRIPTION);
        Self::Generated(TypeIdentity { name, hash, description })
    }

    fn parts(&self) -> (&str, TypeHash, TypeText<'_>) {
        match self {
            Self::Generated(ty) => (ty.name, ty.hash, TypeText::Pieces(ty.description)),
            Self::Named(ty) => {
                let description = ty.description.as_deref().map_or(TypeText::Unknown, TypeText::Whole);
                (&ty.name, ty.hash, description)
            }
        }
    }
}

/// Returns the description of a node's endpoint for the graph. `foreign` is the endpoint of another system that it
/// represents, or `None` if the endpoint belongs to this process.
pub(crate) fn spec<'a>(
    node: &NodeEntry,
    topic: &'a TopicName,
    ty: &'a Type,
    qos: QoS,
    foreign: Option<&'a Foreign>,
) -> EndpointSpec<'a> {
    let (type_name, type_hash, description) = ty.parts();
    EndpointSpec {
        node: node.info().gid,
        topic,
        type_name,
        type_hash,
        qos,
        description,
        foreign,
        only_from: None,
        skips_own: false,
    }
}
