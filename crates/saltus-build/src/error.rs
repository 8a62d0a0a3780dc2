//! Why a build script fails.

use std::{fmt, io, path::PathBuf};

use saltus_catalog::CatalogError;
use saltus_codegen::CodegenError;

/// Why the types could not be generated.
///
/// **Invariant:** its `Debug` text is its `Display` text, because that is what cargo shows of a build script whose
/// `main` returns an error.
pub enum Error {
    /// A definition, or the folder that it should be in, is wrong. The text begins with file and line where one is
    /// at fault.
    Definition(CatalogError),
    /// A folder has no definition.
    Empty(PathBuf),
    /// A definition has the name of a bundled one, and says something else.
    Bundled {
        /// The file.
        path: PathBuf,
        /// The type.
        name: String,
    },
    /// A type has no name in Rust.
    Codegen(CodegenError),
    /// The generated text could not be written.
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// `OUT_DIR` is not set.
    NotABuildScript,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition(CatalogError::Unknown { name, user }) => {
                let place = user.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
                write!(
                    f,
                    "{place}unknown type `{name}`: it is neither bundled with Saltus nor in a folder that was given \
                     to saltus_build; add the folder that holds its package"
                )
            }
            Self::Definition(error) => error.fmt(f),
            Self::Empty(folder) => write!(
                f,
                "{}: no definition found; expected <package>/msg/<Name>.msg (or srv, action), or a package.xml \
                 beside msg/",
                folder.display()
            ),
            Self::Bundled { path, name } => write!(
                f,
                "{}: `{name}` is bundled with Saltus, with other fields; rename the type, or remove the file to use \
                 the bundled one",
                path.display()
            ),
            Self::Codegen(error) => error.fmt(f),
            Self::Write { path, cause } => write!(f, "can't write {}: {cause}", path.display()),
            Self::NotABuildScript => {
                f.write_str("OUT_DIR is not set: saltus_build is called from a build script (build.rs)")
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<CatalogError> for Error {
    fn from(error: CatalogError) -> Self {
        Self::Definition(error)
    }
}

impl From<CodegenError> for Error {
    fn from(error: CodegenError) -> Self {
        Self::Codegen(error)
    }
}
