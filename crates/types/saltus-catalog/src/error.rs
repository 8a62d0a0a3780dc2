//! The errors of the catalog.

use std::{io, path::PathBuf};

use saltus_dynamic::SchemaError;
use saltus_idl::{ParseError, ResolveError};

/// Why the catalog can't provide a type.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The text is not the name of a type.
    #[error("{0}")]
    Name(String),
    /// There is no definition of the type, or of a type that it refers to.
    #[error("unknown type `{name}`{}; {}add its package with `saltus interface add`, or put its folder into SALTUS_INTERFACE_PATH", user_of(.user), meant(.similar))]
    Unknown {
        /// The missing type.
        name: String,
        /// The location of the field that refers to it, if there is one.
        user: Option<String>,
        /// The type that was probably meant.
        similar: Option<String>,
    },
    /// The file of a definition can't be read.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A definition is invalid.
    #[error(transparent)]
    Definition(#[from] ParseError),
    /// A type contains itself, is nested too deeply or is too large.
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

fn meant(similar: &Option<String>) -> String {
    similar.as_ref().map(|similar| format!("did you mean `{similar}`? If not, ")).unwrap_or_default()
}

/// Whether an error says that a file does not exist.
pub(crate) fn is_absence(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
