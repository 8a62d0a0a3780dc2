//! What is wrong in a file, or in a tick.

/// What is wrong in the XML of a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is not XML.
    #[error("Error parsing the XML: {0}")]
    Xml(String),
    /// Something in it is wrong.
    #[error("Error at line {line}: -> {text}")]
    At {
        /// The line, from 1 on.
        line: u32,
        /// What is wrong.
        text: String,
    },
    /// A whole document is wrong, or a tree can't be made.
    #[error("{0}")]
    Other(String),
    /// A file can't be included.
    #[error("Error at line {line}: -> {path}: {text}")]
    Include {
        /// The line of the element.
        line: u32,
        /// The file.
        path: String,
        /// Why.
        text: String,
    },
}

impl LoadError {
    pub(crate) fn at(line: u32, text: impl Into<String>) -> Self {
        Self::At { line, text: text.into() }
    }
}

/// Why a tick has no status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TickError(pub String);

impl From<String> for TickError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for TickError {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}
