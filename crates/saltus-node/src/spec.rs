//! What the graph is told of an endpoint.

use saltus_cdr::{Message, TypeIdentity};
use saltus_host::{EndpointSpec, Foreign, NodeEntry, TypeText};
use saltus_types::{QoS, TopicName, TypeHash};

/// Which type an endpoint is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeId {
    /// Its full name, such as `std_msgs/msg/String`.
    pub name: String,
    /// Its hash: two types of one name and different hashes do not match. [`TypeHash::UNKNOWN`] matches any.
    pub hash: TypeHash,
    /// Its description as canonical JSON (REP 2016), if it is known: then others can learn it.
    pub description: Option<String>,
}

impl From<TypeIdentity> for TypeId {
    fn from(identity: TypeIdentity) -> Self {
        let TypeIdentity { name, hash, description } = identity;
        Self { name: name.to_owned(), hash, description: Some(description.to_json()) }
    }
}

/// A type, wherever it is known from.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    /// From generated code.
    Generated(TypeIdentity),
    /// From whoever knows it at run time.
    Named(TypeId),
}

impl Type {
    /// The type of a generated message.
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

/// What the graph is told of an endpoint of a node; `foreign` is whose it is, if it is not this process's own.
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
    }
}
