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
        /// The folder that contains its files.
        folder: String,
        /// The system's error.
        source: io::Error,
    },
    /// Another process has held the lock of the domain's member table for too long.
    #[error(
        "can't join domain {number} in {folder}: {reason}; if it is stopped, continue it (`kill -CONT`) or end it"
    )]
    Locked {
        /// The number of the domain.
        number: u32,
        /// The folder that contains its files.
        folder: String,
        /// The pid of that process, and how long it has held the lock.
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
            "; SALTUS_SHM_DIR must name a folder that you may write to, on a memory file system; \
             SALTUS_GROUP must name a group that you are in"
        }
        StorageFull => {
            "; the file system is full: remove files from it, end processes that use much shared memory, or mount it with a \
             larger `size`"
        }
        _ => "",
    }
}

saltus_types::debug_as_display!(JoinError);
