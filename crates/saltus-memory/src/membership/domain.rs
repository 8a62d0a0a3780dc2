//! Which domain: what it is called, and how its files are.

use std::path::PathBuf;

use crate::os::folder::GraphOwner;

/// How many members a domain can have at a time.
pub const MAX_MEMBERS: usize = 1024;

/// Which processes belong together: those with the same folder, owner and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainId {
    /// A folder on a memory file system, normally `/dev/shm`.
    pub folder: PathBuf,
    /// The number, as in `ROS_DOMAIN_ID`: 0 to 232.
    pub number: u32,
    /// Whose graph it is.
    pub owner: GraphOwner,
}

impl DomainId {
    /// The domain of that number in `/dev/shm`, of the present effective user.
    pub fn new(number: u32) -> Self {
        Self { folder: "/dev/shm".into(), number, owner: GraphOwner::current_user() }
    }

    /// The domain of that number in a folder on a memory file system, of the present effective user.
    pub fn in_folder(folder: impl Into<PathBuf>, number: u32) -> Self {
        Self { folder: folder.into(), ..Self::new(number) }
    }

    /// Returns the number of the domain whose member table has this name.
    pub fn number_of_table(name: &str) -> Option<u32> {
        name.strip_suffix(".members")?.parse().ok()
    }

    /// The name of the domain's member table.
    pub fn table_name(&self) -> String {
        format!("{}.members", self.number)
    }

    /// The name of a table that is being made. A draft that was left is taken for a segment that nobody locks.
    pub fn draft_name(&self, random: u64) -> String {
        format!("{}.draft", self.segment_name(random))
    }

    /// The name of a member's segment.
    pub fn segment_name(&self, member: u64) -> String {
        format!("{}.{member:016x}", self.number)
    }

    /// The name of a member's pipe.
    pub fn pipe_name(&self, member: u64, pipe: u32) -> String {
        format!("{}.{member:016x}.{pipe}", self.number)
    }

    /// The member that a file belongs to, if its name is that of a segment or pipe of this domain.
    pub fn owner_of(&self, file: &str) -> Option<u64> {
        let rest = file.strip_prefix(&self.number.to_string())?.strip_prefix('.')?;
        let (id, end) = rest.split_at_checked(16)?;
        let is_own = end.is_empty() || end.starts_with('.');
        u64::from_str_radix(id, 16).ok().filter(|_| is_own)
    }
}
