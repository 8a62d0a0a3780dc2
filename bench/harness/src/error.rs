//! Why a run could not be made.

use std::io;

/// Why a run could not be made. A peer that fails is no such reason: its row says so.
#[derive(Debug)]
pub enum RunError {
    /// A process or a file can't be had.
    Start(String, io::Error),
    /// A process of Saltus's own failed.
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
