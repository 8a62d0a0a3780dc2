//! Why a type is not to be had.

use std::{io, path::PathBuf};

use saltus_dynamic::SchemaError;
use saltus_idl::{ParseError, ResolveError};

/// Why a type is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// It is not a type's name.
    #[error("{0}")]
    Name(String),
    /// Nobody defines it, or a type that it refers to.
    #[error("unknown type `{name}`{}; put the folder of its package into SALTUS_INTERFACE_PATH", user_of(.user))]
    Unknown {
        /// The missing type.
        name: String,
        /// Where it is used.
        user: Option<String>,
    },
    /// Its definition can't be read.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// Its definition is wrong.
    #[error(transparent)]
    Definition(#[from] ParseError),
    /// Types contain themselves, or are too deep or too large.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

impl From<ResolveError> for CatalogError {
    fn from(error: ResolveError) -> Self {
        Self::Schema(error.into())
    }
}

fn user_of(user: &Option<String>) -> String {
    user.as_ref().map(|user| format!(" (used at {user})")).unwrap_or_default()
}
