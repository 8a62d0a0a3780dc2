//! Where the members of a domain find each other: its folder and its table, open.

use std::{
    fs::File,
    io,
    os::fd::AsFd,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FallocateFlags, FileType, Mode, OFlags, fallocate, openat};

use super::{DomainId, MAX_MEMBERS};
use crate::{
    os::{
        folder::Folder,
        lock,
        mapping::Mapping,
        mutex::{Mutex, MutexGuard},
        private_fd::PrivateFd,
        process::ProcessId,
        random::random_id,
        segment::Segment,
        wake_pipe::WakePipeWriter,
    },
    protocol::membership::{MemberInfo, MemberSlot, MemberTable, TableHeader},
};

const HEADER: usize = size_of::<TableHeader>();
/// The size of a table in bytes.
const TABLE: usize = HEADER + MAX_MEMBERS * size_of::<MemberSlot>();
/// The pauses between two attempts to take the lock: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);
/// How often a place is opened again that others remove meanwhile.
const ATTEMPTS: u32 = 100;

/// Why the right to change a table can't be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it, and has not given it back in time.
    #[error("process {holder} has locked the domain's member table for more than {} s: is it stopped?", .patience.as_secs_f64())]
    Held {
        /// The holder's pid, in its own PID namespace; 0 if it has not said so yet.
        holder: u32,
        /// How long this process has waited.
        patience: Duration,
    },
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl From<LockError> for io::Error {
    fn from(error: LockError) -> Self {
        match error {
            LockError::System(error) => error,
            held @ LockError::Held { .. } => Self::new(io::ErrorKind::TimedOut, held.to_string()),
        }
    }
}

/// The folder and the table of a domain.
#[derive(Debug)]
pub struct Place {
    domain: DomainId,
    folder: Arc<Folder>,
    /// Never mapped, so that nothing but this descriptor holds the lock.
    lock: PrivateFd,
    /// The lock excludes other descriptions. This excludes other threads that use the same one.
    within: Mutex<()>,
    table: Mapping,
}

/// What dead processes left.
#[derive(Debug)]
pub struct Remains {
    members: Vec<MemberInfo>,
    /// Files of nobody in the table.
    files: Vec<String>,
}

/// The right to change a table; ends when dropped.
#[derive(Debug)]
pub struct TableLock<'a> {
    place: &'a Place,
    _within: MutexGuard<'a, ()>,
}

impl Place {
    /// Opens the place of a domain, and makes it if there is none.
    pub fn open_or_create(domain: &DomainId) -> io::Result<Arc<Self>> {
        for _ in 0..ATTEMPTS {
            let folder = Folder::open_or_create(&domain.folder, domain.owner)?;
            match create_table(domain, &folder).and_then(|()| Self::over(domain, folder)) {
                Ok(Some(place)) => return Ok(Arc::new(place)),
                // The last member left meanwhile, and took the table and perhaps the folder with it.
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("the domain's member table is removed again and again"))
    }

    /// Opens the place of a domain; `None` if nobody is there.
    pub fn open(domain: &DomainId) -> io::Result<Option<Self>> {
        let Some(folder) = Folder::open(&domain.folder, domain.owner)? else { return Ok(None) };
        match Self::over(domain, folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            other => other,
        }
    }

    /// Opens the table twice: what is mapped must not be what holds the lock. `None` if another process replaced
    /// it meanwhile.
    fn over(domain: &DomainId, folder: Folder) -> io::Result<Option<Self>> {
        let name = domain.table_name();
        let file = folder.open_existing(&name)?;
        let lock = PrivateFd::new(folder.open_existing(&name)?.into());
        let (len, is_same) = (file.metadata()?.len(), folder.leads_to(&name, file.as_fd()));
        if !is_same || !folder.leads_to(&name, lock.as_fd()) {
            return Ok(None);
        }
        if len != TABLE as u64 {
            return Err(io::Error::other(format!("{name} is no member table: it has {len} bytes")));
        }
        let table = Mapping::new(&file, 0, TABLE)?;
        let (domain, folder, within) = (domain.clone(), Arc::new(folder), Mutex::default());
        Ok(Some(Self { domain, folder, lock, within, table }))
    }

    /// The folder of its owner.
    pub fn folder(&self) -> &Arc<Folder> {
        &self.folder
    }

    fn view(&self) -> Option<MemberTable<'_>> {
        let header = self.table.get_slice::<TableHeader>(0, 1)?.first()?;
        Some(MemberTable { header, slots: self.table.get_slice(HEADER, MAX_MEMBERS)? })
    }

    /// Everybody in the table, dead or alive.
    pub fn members(&self) -> Vec<MemberInfo> {
        let Some(table) = self.view() else { return Vec::new() };
        let mut members = Vec::with_capacity(table.most_members());
        members.extend(table.members());
        members
    }

    /// Whether a process that joins now would use this folder and this table.
    pub fn is_current(&self) -> io::Result<bool> {
        let is_table = || self.folder.leads_to(&self.domain.table_name(), self.lock.as_fd());
        Ok(self.folder.is_current(&self.domain.folder)? && is_table())
    }

    /// Whether this process has the rights of the owner. One that changed its user may have lost them.
    pub fn may_open_files(&self) -> bool {
        self.folder.open_existing(&self.domain.table_name()).is_ok()
    }

    /// Says that a member's memory can't be opened.
    pub fn report_unreachable(&self, id: u64) {
        self.view().inspect(|table| table.report_unreachable(id));
    }

    /// Whether a process could not open a member's memory.
    pub fn is_unreachable(&self, id: u64) -> bool {
        self.view().is_some_and(|table| table.is_unreachable(id))
    }

    /// Waits for the right to change the table. It gives up when nobody else has got it for `patience` either.
    pub fn lock(&self, patience: Duration) -> Result<TableLock<'_>, LockError> {
        let within = self.within.lock();
        let (mut pause, mut turns, mut since) = (FIRST_PAUSE, self.turns(), Instant::now());
        while !lock::try_acquire(&self.lock)? {
            if since.elapsed() >= patience {
                let holder = self.view().map_or(0, |table| table.header.holder());
                return Err(LockError::Held { holder, patience });
            }
            // A lock can be waited for in the kernel only without end.
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
            let now = self.turns();
            if std::mem::replace(&mut turns, now) != now {
                since = Instant::now();
            }
        }
        Ok(TableLock::begin(self, within))
    }

    fn turns(&self) -> u64 {
        self.view().map_or(0, |table| table.header.turns())
    }

    /// The right to change the table, if it can be had at once.
    pub fn try_lock(&self) -> Option<TableLock<'_>> {
        let within = self.within.try_lock()?;
        lock::try_acquire(&self.lock).is_ok_and(|taken| taken).then(|| TableLock::begin(self, within))
    }

    /// Opens the memory of a member.
    ///
    /// # Errors
    /// If there is none, it may not be opened, or it is not the member's.
    pub fn open_segment(&self, member: &MemberInfo, this: ProcessId) -> io::Result<Segment> {
        let file = match member.descriptor {
            None => self.folder.open_existing(&self.domain.segment_name(member.id))?,
            Some(descriptor) => self.open_by_descriptor(member, descriptor, this)?,
        };
        let segment = Segment::of(file)?;
        match segment.inode()? {
            inode if inode == member.inode => Ok(segment),
            _ => Err(io::Error::other("its file was replaced by another")),
        }
    }

    /// Opens the memory of a member whose file was removed, through the member's own descriptor.
    fn open_by_descriptor(&self, member: &MemberInfo, descriptor: u32, this: ProcessId) -> io::Result<File> {
        if !process_of(member).is_visible_to(this) {
            let reason =
                "its file was removed while it ran, and it is in another PID or time namespace: restart it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        let path = format!("/proc/{}/fd/{descriptor}", member.pid);
        // The descriptor may be of something else by now, which an open could disturb.
        if std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&path)?) != member.inode {
            return Err(io::Error::other("its file was removed, and its descriptor closed"));
        }
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = openat(CWD, &path, flags, Mode::empty())?;
        self.folder.check(&path, &fd, FileType::RegularFile)?;
        if !self.folder.is_on_the_same_file_system(&fd)? {
            return Err(io::Error::other("its file is on another file system"));
        }
        Ok(fd.into())
    }

    /// Opens a pipe of a member.
    pub fn open_pipe(&self, member: u64, number: u32) -> io::Result<WakePipeWriter> {
        WakePipeWriter::open(&self.folder, &self.domain.pipe_name(member, number))
    }

    /// Whether the kernel says that a member is dead: nobody holds the lock of its segment, or its process has
    /// ended.
    ///
    /// A segment that can't be opened proves nothing.
    pub fn is_dead(&self, member: &MemberInfo, this: ProcessId) -> bool {
        let process = process_of(member);
        match self.open_segment(member, this) {
            Ok(segment) => lock::is_held(segment.file()).is_ok_and(|held| !held) || process.pid_is_free(this),
            Err(_) => process.has_ended(this),
        }
    }

    /// What dead processes left. Without the lock it may include files that are being made.
    pub fn remains(&self, this: ProcessId) -> Remains {
        let mut members = self.members();
        let mut files = self.folder.names();
        files.retain(|name| self.is_orphan(name, &members));
        members.retain(|member| self.is_dead(member, this));
        Remains { members, files }
    }

    /// Whether a file of this domain belongs to no member in the table, and nobody uses it.
    fn is_orphan(&self, name: &str, members: &[MemberInfo]) -> bool {
        let Some(id) = self.domain.owner_of(name) else { return false };
        members.iter().all(|member| member.id != id) && self.is_unused(name)
    }

    /// The names of all files that dead processes left.
    pub fn leftovers(&self, this: ProcessId) -> Vec<String> {
        let Remains { members, files } = self.remains(this);
        let is_dead = |id| members.iter().any(|member| member.id == id);
        let mut names = self.folder.names();
        names.retain(|name| self.domain.owner_of(name).is_some_and(is_dead));
        names.into_iter().chain(files).collect()
    }

    /// Whether the kernel says that nobody uses a file: a segment that nobody locks, or a pipe that nobody reads.
    fn is_unused(&self, name: &str) -> bool {
        let is_unlocked = || lock::is_held(&self.folder.open_existing(name).ok()?).ok().map(|held| !held);
        self.folder.is_pipe_without_reader(name) || is_unlocked() == Some(true)
    }
}

/// Makes the table of a domain, unless there is one.
fn create_table(domain: &DomainId, folder: &Folder) -> io::Result<()> {
    let name = domain.table_name();
    match folder.open_existing(&name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other.map(drop),
    }
    let draft = domain.draft_name(random_id()?);
    let size = |file: &File| Ok(fallocate(file, FallocateFlags::empty(), 0, TABLE as u64)?);
    folder.create_whole(&draft, &name, size).map(drop)
}

/// The process of a member.
pub fn process_of(member: &MemberInfo) -> ProcessId {
    ProcessId { pid: member.pid, started: member.started, namespaces: member.namespaces }
}

impl<'a> TableLock<'a> {
    fn begin(place: &'a Place, within: MutexGuard<'a, ()>) -> Self {
        place.view().inspect(|table| table.header.begin_turn(std::process::id()));
        Self { place, _within: within }
    }

    /// Enters a member, or replaces what the table says of it. `false` if the table is full.
    pub fn enter(&self, member: &MemberInfo) -> bool {
        self.place.view().is_some_and(|table| table.enter(member))
    }

    /// Removes a member that has left or is dead, and its files.
    pub fn remove(&self, id: u64) {
        let Place { domain, folder, .. } = self.place;
        // First from the table: whoever finds a member there finds its files.
        self.place.view().inspect(|table| table.remove(id));
        folder
            .names()
            .iter()
            .filter(|name| domain.owner_of(name) == Some(id))
            .for_each(|name| folder.remove(name));
    }

    /// Removes what was found before the lock was taken, as far as it is still there and still dead.
    pub fn sweep(&self, remains: &Remains, this: ProcessId) {
        let dead = remains.members.iter().filter(|member| self.place.is_dead(member, this));
        dead.for_each(|member| self.remove(member.id));
        let members = self.place.members();
        let orphans = remains.files.iter().filter(|name| self.place.is_orphan(name, &members));
        orphans.for_each(|name| self.place.folder.remove(name));
    }

    /// Removes the table, and the folder if that is empty then, once there are no members.
    pub fn remove_if_empty(&self) {
        if self.place.members().is_empty() {
            self.place.folder.remove(&self.place.domain.table_name());
            self.place.folder.remove_if_empty();
        }
    }
}

impl Drop for TableLock<'_> {
    fn drop(&mut self) {
        self.place.view().inspect(|table| table.header.end_turn());
        lock::release(&self.place.lock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stopped process keeps nobody waiting without end, and who waits learns which one it is.
    #[test]
    fn the_wait_for_the_lock_ends_and_names_the_holder() {
        let root = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let domain = DomainId::in_folder(root.path(), 0);
        let first = Place::open_or_create(&domain).unwrap();
        let other = Place::open(&domain).unwrap().unwrap();
        let patience = Duration::from_millis(20);
        let held = first.lock(patience).unwrap();
        match other.lock(patience) {
            Err(LockError::Held { holder, .. }) => assert_eq!(holder, std::process::id()),
            other => panic!("{other:?}"),
        }
        drop(held);
        assert!(other.lock(patience).is_ok());
    }
}
