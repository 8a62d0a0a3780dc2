//! The lines of launch files, and errors that name them.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Deserializer};

/// A line of a launch file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Origin {
    /// The file.
    #[serde(deserialize_with = "path")]
    pub(crate) file: Arc<Path>,
    /// The line, from 1.
    pub(crate) line: u32,
}

fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Path>, D::Error> {
    PathBuf::deserialize(deserializer).map(Arc::from)
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// An error in a launch file: the message, the line, and the files that include that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    message: String,
    /// The line, and the lines of the includes, the innermost first.
    chain: Vec<Origin>,
}

impl LaunchError {
    /// Returns an error in a line.
    pub(crate) fn new(origin: &Origin, message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), chain: vec![origin.clone()] }
    }

    /// Returns an error that belongs to no line, such as a missing file on the command line.
    pub(crate) fn without_origin(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), chain: Vec::new() }
    }

    /// Returns the error with the line of the include that led to it.
    #[must_use]
    pub(crate) fn included_from(mut self, origin: &Origin) -> Self {
        self.chain.push(origin.clone());
        self
    }

    /// Returns the message without the lines.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = self.chain.first() {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.message)?;
        let includes = self.chain.get(1..).unwrap_or_default();
        // A file that includes itself is named once.
        for same in includes.chunk_by(|left, right| left == right) {
            write!(f, "\n  included from {}", same[0])?;
            if same.len() > 1 {
                write!(f, " ({} times)", same.len())?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for LaunchError {}
