//! The errors of the generator.

use std::{fmt, io, path::PathBuf};

use saltus_catalog::CatalogError;
use saltus_codegen::CodegenError;

/// Why the types could not be generated.
///
/// **Invariant:** the `Debug` text is the same as the `Display` text. If `main` of a build script returns an error,
/// cargo shows its `Debug` text.
pub enum Error {
    /// A definition is invalid, or its folder can't be used. If a line of a definition is invalid, the text begins with
    /// the file and the line.
    Definition(CatalogError),
    /// A folder has no definitions.
    Empty(PathBuf),
    /// The name of a file has an underscore, so it is not the name of an interface.
    Name {
        /// The path of the file.
        path: PathBuf,
        /// The name of the file without its extension.
        name: String,
    },
    /// A definition has the name of a bundled definition, but other fields.
    Bundled {
        /// The path of the file.
        path: PathBuf,
        /// The name of the type.
        name: String,
    },
    /// The name of a type can't be used in Rust.
    Codegen(CodegenError),
    /// The generated text could not be written.
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// `OUT_DIR` is not set, so the caller is not a build script.
    NotABuildScript,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition(CatalogError::Unknown { name, user, similar }) => {
                let location = user.as_ref().map(|location| format!("{location}: ")).unwrap_or_default();
                write!(
                    f,
                    "{location}unknown type `{name}`: it is neither bundled with Saltus nor in a folder that was given \
                     to saltus_build; "
                )?;
                if let Some(similar) = similar {
                    write!(f, "did you mean `{similar}`? If not, ")?;
                }
                write!(f, "add the folder that holds its package")
            }
            Self::Definition(error) => error.fmt(f),
            Self::Empty(folder) => write!(
                f,
                "{}: no definition found; expected <package>/msg/<Name>.msg (or srv, action), or a package.xml \
                 beside msg/",
                folder.display()
            ),
            Self::Name { path, name } => write!(
                f,
                "{}: expected an interface name in CamelCase, such as `LaserScan`, found `{name}`; rename the file",
                path.display()
            ),
            Self::Bundled { path, name } => write!(
                f,
                "{}: Saltus has a bundled type `{name}` with other fields; rename the type, or remove the file to use \
                 the bundled type",
                path.display()
            ),
            Self::Codegen(error) => error.fmt(f),
            Self::Write { path, cause } => write!(f, "can't write {}: {cause}", path.display()),
            Self::NotABuildScript => {
                f.write_str("OUT_DIR is not set: call saltus_build from a build script (build.rs)")
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
