//! The error of a run.

use std::io;

/// The reason why a run failed. The failure of a peer does not end a benchmark: it is reported with the row of the
/// peer.
#[derive(Debug)]
pub(crate) enum RunError {
    /// A process could not be started, or a file could not be read or written.
    Start(String, io::Error),
    /// A process failed.
    Failed(String, String),
    /// The peers can't be installed.
    Install(String),
    /// Ctrl-C was pressed.
    Interrupted,
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(what, error) => write!(f, "{what}: {error}"),
            Self::Failed(what, how) => write!(f, "{what}: {how}"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Install(why) => write!(f, "can't install the peers: {why}"),
        }
    }
}

impl std::error::Error for RunError {}
