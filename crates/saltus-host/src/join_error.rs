//! Why a process can't join a domain.

use std::io;

use saltus_memory::membership::{DomainId, LockError};

/// Why a process can't join a domain.
#[derive(thiserror::Error)]
pub enum JoinError {
    /// A file of the domain or of this process can't be created or used.
    #[error("can't join domain {number} in {folder}: {source}{}", remedy(.source))]
    System {
        /// The number of the domain.
        number: u32,
        /// Where its files are.
        folder: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process has locked the domain's member table for too long.
    #[error("can't join domain {number} in {folder}: {reason}")]
    Locked {
        /// The number of the domain.
        number: u32,
        /// Where its files are.
        folder: String,
        /// Which process, and for how long.
        reason: String,
    },
}

impl JoinError {
    pub(crate) fn new(domain: &DomainId, cause: LockError) -> Self {
        let (number, folder) = (domain.number, domain.folder.display().to_string());
        match cause {
            LockError::System(source) => Self::System { number, folder, source },
            held @ LockError::Held { .. } => Self::Locked { number, folder, reason: held.to_string() },
        }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match error.kind() {
        NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem => {
            "; SALTUS_SHM_DIR must name a folder on a memory file system that you may write to, and \
             SALTUS_GROUP a group that you are in"
        }
        StorageFull => "; it has no room left",
        _ => "",
    }
}

saltus_types::debug_as_display!(JoinError);
