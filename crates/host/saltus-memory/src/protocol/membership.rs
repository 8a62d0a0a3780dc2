//! The member table of a domain.
//!
//! One process at a time changes the table: the holder of its lock. The kernel frees the lock when the
//! holder dies. All other processes read the table at any time, without the lock.
//!
//! | word | changed by | meaning |
//! |---|---|---|
//! | `version` of a slot | the lock's holder | odd while the slot is being written |
//! | the rest of a slot | the lock's holder, while `version` is odd | a member; `id` is 0 in a free slot |
//! | `used` | the lock's holder | slots from this index on were never used |
//! | `holder` | the lock's holder | its pid, for the error of a process that waited too long |
//! | `turns` | the lock's holder | the number of times that the lock was taken |
//! | `unreachable` of a slot | any process | the id of a member whose segment could not be opened |
//!
//! A holder may die between any two steps. If the next holder finds a slot whose version is odd, the slot has no
//! member: its writer died either while it entered itself, or while it removed a dead member. The next holder
//! may use the slot.

use super::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// A member as the table shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// A random number, which is part of the names of its files. Never 0.
    pub id: u64,
    /// The inode of its segment. A file of the same name with another inode is not the member's.
    pub inode: u64,
    /// The pid of its process: see [`crate::os::process::ProcessId`].
    pub pid: u32,
    /// When the process started, in clock ticks since the system started.
    pub started: u64,
    /// The PID and time namespaces of the process, as one number.
    pub namespaces: u64,
    /// The descriptor of its segment in its own process, if the file has no name any more.
    pub descriptor: Option<u32>,
}

/// The first cache line of a table. All-zero is a new table.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct TableHeader {
    used: AtomicU32,
    holder: AtomicU32,
    turns: AtomicU64,
}

/// A slot for one member. All-zero is a free slot.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct MemberSlot {
    version: AtomicU32,
    pid: AtomicU32,
    id: AtomicU64,
    inode: AtomicU64,
    started: AtomicU64,
    namespaces: AtomicU64,
    /// One more than the descriptor; 0 if the file has its name.
    descriptor: AtomicU32,
    unreachable: AtomicU64,
}

/// A mapped table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberTable<'a> {
    /// The header, which names the lock's holder.
    pub header: &'a TableHeader,
    /// The slots, one for each member.
    pub slots: &'a [MemberSlot],
}

impl TableHeader {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self { used: AtomicU32::new(0), holder: AtomicU32::new(0), turns: AtomicU64::new(0) }
    }

    /// Holder: writes its pid and counts the turn, after it has taken the lock.
    pub(crate) fn begin_turn(&self, pid: u32) {
        self.holder.store(pid, Ordering::Relaxed);
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// Holder: clears its pid, before it releases the lock.
    pub(crate) fn end_turn(&self) {
        self.holder.store(0, Ordering::Relaxed);
    }

    /// Returns the number of times that the lock was taken. While this number grows, a process that waits for the lock will get it.
    pub(crate) fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// Returns the pid of the process that holds the lock, or that died while it held the lock.
    pub(crate) fn holder(&self) -> u32 {
        self.holder.load(Ordering::Relaxed)
    }
}

impl MemberSlot {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self {
            version: AtomicU32::new(0),
            pid: AtomicU32::new(0),
            id: AtomicU64::new(0),
            inode: AtomicU64::new(0),
            started: AtomicU64::new(0),
            namespaces: AtomicU64::new(0),
            descriptor: AtomicU32::new(0),
            unreachable: AtomicU64::new(0),
        }
    }

    /// Returns the member, if the slot has one and is not being written.
    fn read(&self) -> Option<MemberInfo> {
        let version = self.version.load(Ordering::Acquire);
        if version % 2 == 1 {
            return None;
        }
        let member = MemberInfo {
            id: self.id.load(Ordering::Relaxed),
            inode: self.inode.load(Ordering::Relaxed),
            pid: self.pid.load(Ordering::Relaxed),
            started: self.started.load(Ordering::Relaxed),
            namespaces: self.namespaces.load(Ordering::Relaxed),
            descriptor: self.descriptor.load(Ordering::Relaxed).checked_sub(1),
        };
        fence(Ordering::Acquire);
        let is_whole = self.version.load(Ordering::Relaxed) == version;
        (is_whole && member.id != 0).then_some(member)
    }

    /// Holder: replaces the content of the slot. If the last writer died while it wrote the slot, the version is odd
    /// already, and stays odd until the new content is written.
    fn write(&self, member: Option<&MemberInfo>) {
        let odd = self.version.load(Ordering::Relaxed) | 1;
        self.version.store(odd, Ordering::Relaxed);
        fence(Ordering::Release);
        self.id.store(member.map_or(0, |member| member.id), Ordering::Relaxed);
        if let Some(member) = member {
            self.inode.store(member.inode, Ordering::Relaxed);
            self.pid.store(member.pid, Ordering::Relaxed);
            self.started.store(member.started, Ordering::Relaxed);
            self.namespaces.store(member.namespaces, Ordering::Relaxed);
            self.descriptor.store(member.descriptor.map_or(0, |fd| fd + 1), Ordering::Relaxed);
        }
        self.version.store(odd.wrapping_add(1), Ordering::Release);
    }
}

impl MemberTable<'_> {
    /// Returns all members in the table, dead or alive. A member that is being entered or removed may be missing.
    pub(crate) fn members(&self) -> impl Iterator<Item = MemberInfo> {
        self.slots.iter().take(self.most_members()).filter_map(MemberSlot::read)
    }

    /// Returns how many members there are at most.
    pub(crate) fn most_members(&self) -> usize {
        (self.header.used.load(Ordering::Acquire) as usize).min(self.slots.len())
    }

    /// Returns the slot of a member.
    fn slot_of(&self, id: u64) -> Option<&MemberSlot> {
        self.slots
            .iter()
            .take(self.most_members())
            .find(|slot| slot.read().is_some_and(|member| member.id == id))
    }

    /// Holder: enters a member, or replaces its entry. Returns `false` if the table is full.
    pub(crate) fn enter(&self, member: &MemberInfo) -> bool {
        let used = self.header.used.load(Ordering::Relaxed) as usize;
        let own = self.slot_of(member.id);
        let free = || self.slots.iter().take(used).find(|slot| slot.read().is_none());
        if let Some(slot) = own.or_else(free) {
            slot.write(Some(member));
            return true;
        }
        let Some(slot) = self.slots.get(used) else { return false };
        slot.write(Some(member));
        self.header.used.store(used as u32 + 1, Ordering::Release);
        true
    }

    /// Holder: removes a member that has left or is dead.
    pub(crate) fn remove(&self, id: u64) {
        if let Some(slot) = self.slot_of(id) {
            slot.write(None);
        }
    }

    /// Reports that a member's segment can't be opened.
    pub(crate) fn report_unreachable(&self, id: u64) {
        if let Some(slot) = self.slot_of(id) {
            slot.unreachable.store(id, Ordering::Relaxed);
        }
    }

    /// Member: whether another process has reported that it can't open the member's segment.
    pub(crate) fn is_unreachable(&self, id: u64) -> bool {
        self.slot_of(id).is_some_and(|slot| slot.unreachable.load(Ordering::Relaxed) == id)
    }
}

/// Whether a member takes part. The state is in the member's own segment. It is 0 while the segment is being prepared.
///
/// Only the member changes it, and only forward. The death of a member is not written anywhere: the kernel
/// reports it.
#[derive(Debug)]
pub struct MemberState(AtomicU32);

const TAKES_PART: u32 = 1;
const LEFT: u32 = 2;

impl MemberState {
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Member: lets other processes use the segment. Everything in it must have been written before.
    pub(crate) fn begin(&self) {
        self.0.store(TAKES_PART, Ordering::Release);
    }

    /// Member: writes that it has left. It must not use anything of other members after this.
    pub(crate) fn leave(&self) {
        self.0.store(LEFT, Ordering::Release);
    }

    /// Whether other processes may use the segment.
    pub(crate) fn takes_part(&self) -> bool {
        self.0.load(Ordering::Acquire) == TAKES_PART
    }

    /// Whether the member has left.
    pub fn has_left(&self) -> bool {
        self.0.load(Ordering::Acquire) == LEFT
    }
}

#[cfg(all(test, loom))]
mod tests;
