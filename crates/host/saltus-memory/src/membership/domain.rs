//! The id of a domain, and the names of its files.

use std::path::PathBuf;

use crate::os::folder::GraphOwner;

/// The largest number of members of a domain at the same time.
pub const MAX_MEMBERS: usize = 1024;

/// The id of a domain. The processes that use the same folder, owner and number are in one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainId {
    /// A folder on a memory file system, normally `/dev/shm`.
    pub folder: PathBuf,
    /// The number of the domain, as in `ROS_DOMAIN_ID`: 0 to 232.
    pub number: u32,
    /// The owner of the graph.
    pub owner: GraphOwner,
}

impl DomainId {
    /// Returns the domain with this number in `/dev/shm`. Its owner is the present effective user.
    pub fn new(number: u32) -> Self {
        Self { folder: "/dev/shm".into(), number, owner: GraphOwner::current_user() }
    }

    /// Returns the domain with this number in a folder on a memory file system. Its owner is the present effective
    /// user.
    pub fn in_folder(folder: impl Into<PathBuf>, number: u32) -> Self {
        Self { folder: folder.into(), ..Self::new(number) }
    }

    /// Returns the number of the domain whose member table has this name.
    pub fn number_of_table(name: &str) -> Option<u32> {
        name.strip_suffix(".members")?.parse().ok()
    }

    /// Returns the name of the domain's member table.
    pub(crate) fn table_name(&self) -> String {
        format!("{}.members", self.number)
    }

    /// Returns the name of a table that is being created. If its process dies, the file looks like a segment that is
    /// not locked, and is removed like one.
    pub(crate) fn draft_name(&self, random: u64) -> String {
        format!("{}.draft", self.segment_name(random))
    }

    /// Returns the name of a member's segment.
    pub(crate) fn segment_name(&self, member: u64) -> String {
        format!("{}.{member:016x}", self.number)
    }

    /// Returns the name of a member's pipe.
    pub(crate) fn pipe_name(&self, member: u64, pipe: u32) -> String {
        format!("{}.{member:016x}.{pipe}", self.number)
    }

    /// Returns the member that a file belongs to, if the name is that of a segment or pipe of this domain.
    pub(crate) fn owner_of(&self, file: &str) -> Option<u64> {
        let rest = file.strip_prefix(&self.number.to_string())?.strip_prefix('.')?;
        let (id, end) = rest.split_at_checked(16)?;
        let is_own = end.is_empty() || end.starts_with('.');
        u64::from_str_radix(id, 16).ok().filter(|_| is_own)
    }
}
