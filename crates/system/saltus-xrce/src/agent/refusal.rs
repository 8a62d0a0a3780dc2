//! Why the agent does not do what a client asks for.

use crate::{WireError, ids::ObjectId, payload::Status};

/// Why a request of a client is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It can't be read.
    #[error("it can't be read: {0}")]
    Unreadable(#[from] WireError),
    /// It is not allowed where it is.
    #[error("a submessage that is not allowed here")]
    NotAllowed,
    /// There is no profile with this name.
    #[error("there is no profile `{0}`")]
    UnknownProfile(String),
    /// The id of the object, or what it belongs to, is of another kind.
    #[error("its id, or what it belongs to, is of another kind")]
    WrongKind,
    /// It is about an object that does not exist, or refers to one.
    #[error("{0} does not exist")]
    Missing(ObjectId),
    /// The object exists.
    #[error("it exists already")]
    Exists,
    /// The object exists, and differs.
    #[error("it exists already, and differs")]
    Differs,
    /// There is no room for the object.
    #[error("the client has {0} objects already")]
    TooMany(usize),
    /// The data can't be published.
    #[error("its data can't be published")]
    Unusable,
    /// There is data for an object that does not exist.
    #[error("there is data for it, but it does not exist")]
    NoObject,
}

impl Refusal {
    /// Returns the status for the client.
    pub(super) fn status(&self) -> Status {
        match self {
            Self::Unreadable(_) | Self::NotAllowed | Self::WrongKind | Self::Unusable | Self::NoObject => {
                Status::InvalidData
            }
            Self::UnknownProfile(_) | Self::Missing(_) => Status::UnknownReference,
            Self::Exists => Status::AlreadyExists,
            Self::Differs => Status::Mismatch,
            Self::TooMany(_) => Status::Resources,
        }
    }
}

/// A message that belongs to no client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stray {
    /// It can't be read.
    #[error("a message can't be read")]
    Unreadable,
    /// It is of a session that does not exist.
    #[error("a message of session 0x{0:02X}, which does not exist: the device must connect again")]
    UnknownSession(u8),
}
