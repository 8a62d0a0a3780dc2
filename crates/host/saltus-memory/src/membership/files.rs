//! The files of a domain: its folder, its member table, and the segments and pipes of its members.

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
/// The first pause between two attempts to take the lock. The pause doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);
/// The number of times that opening the files is tried again while other processes remove them.
const ATTEMPTS: u32 = 100;

/// Why a member table can't be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds the lock, and has not released it in time.
    #[error(
        "{} has held the lock of the domain's member table for more than {} s",
        holder_text(*.holder), .timeout.as_secs_f64()
    )]
    Held {
        /// The pid of the holder, in its own PID namespace; 0 if the holder has not written it yet.
        holder: u32,
        /// The time for which this process has waited.
        timeout: Duration,
    },
    /// The system returned an error.
    #[error(transparent)]
    System(#[from] io::Error),
}

fn holder_text(holder: u32) -> String {
    if holder == 0 { "another process".into() } else { format!("process {holder}") }
}

impl From<LockError> for io::Error {
    fn from(error: LockError) -> Self {
        match error {
            LockError::System(error) => error,
            held @ LockError::Held { .. } => Self::new(io::ErrorKind::TimedOut, held.to_string()),
        }
    }
}

/// The open folder and the open member table of a domain.
#[derive(Debug)]
pub struct DomainFiles {
    domain: DomainId,
    folder: Arc<Folder>,
    /// The descriptor by which the table is locked. It is never mapped, because a mapping would keep the lock.
    lock: PrivateFd,
    /// A thread holds this while it waits for the table's lock or has it. All threads use the same descriptor, so the
    /// table's lock does not exclude other threads.
    thread_lock: Mutex<()>,
    table: Mapping,
}

/// Dead members, and files that belong to no member.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// Members in the table that are dead.
    members: Vec<MemberInfo>,
    /// The names of files that belong to no member in the table.
    files: Vec<String>,
}

/// The lock of a member table, which gives the right to change the table. Dropping it releases the lock.
#[derive(Debug)]
pub struct TableLock<'a> {
    files: &'a DomainFiles,
    _thread_lock: MutexGuard<'a, ()>,
}

impl DomainFiles {
    /// Opens the folder and the table of a domain, and creates them if there are none.
    pub(crate) fn open_or_create(domain: &DomainId) -> io::Result<Arc<Self>> {
        for _ in 0..ATTEMPTS {
            let folder = Folder::open_or_create(&domain.folder, domain.owner)?;
            match create_table(domain, &folder).and_then(|()| Self::open_in(domain, folder)) {
                Ok(Some(files)) => return Ok(Arc::new(files)),
                // The last member has just left, and has removed the table, and perhaps the folder.
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let name = domain.table_name();
        Err(io::Error::other(format!("can't open {name}: other processes have removed it {ATTEMPTS} times")))
    }

    /// Opens the folder and the table of a domain. Returns `None` if there are none.
    pub fn open(domain: &DomainId) -> io::Result<Option<Self>> {
        let Some(folder) = Folder::open(&domain.folder, domain.owner)? else { return Ok(None) };
        match Self::open_in(domain, folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            other => other,
        }
    }

    /// Opens the table in a folder. It is opened twice, because the descriptor that holds the lock must not be mapped.
    /// Returns `None` if another process has just replaced the table.
    fn open_in(domain: &DomainId, folder: Folder) -> io::Result<Option<Self>> {
        let name = domain.table_name();
        let file = folder.open_existing(&name)?;
        let lock = PrivateFd::new(folder.open_existing(&name)?.into());
        let (len, is_same) = (file.metadata()?.len(), folder.leads_to(&name, file.as_fd()));
        if !is_same || !folder.leads_to(&name, lock.as_fd()) {
            return Ok(None);
        }
        if len != TABLE as u64 {
            return Err(io::Error::other(format!(
                "{name} is not a member table: it has {len} bytes instead of {TABLE}"
            )));
        }
        let table = Mapping::new(&file, 0, TABLE)?;
        let (domain, folder, thread_lock) = (domain.clone(), Arc::new(folder), Mutex::default());
        Ok(Some(Self { domain, folder, lock, thread_lock, table }))
    }

    /// Returns the folder of the domain's owner.
    pub fn folder(&self) -> &Arc<Folder> {
        &self.folder
    }

    /// Returns the mapped table.
    fn view(&self) -> Option<MemberTable<'_>> {
        let header = self.table.get_slice::<TableHeader>(0, 1)?.first()?;
        Some(MemberTable { header, slots: self.table.get_slice(HEADER, MAX_MEMBERS)? })
    }

    /// Returns all members in the table, dead or alive.
    pub fn members(&self) -> Vec<MemberInfo> {
        let Some(table) = self.view() else { return Vec::new() };
        let mut members = Vec::with_capacity(table.most_members());
        members.extend(table.members());
        members
    }

    /// Whether a process that joins now would use this folder and this table.
    pub(crate) fn is_current(&self) -> io::Result<bool> {
        let is_table = || self.folder.leads_to(&self.domain.table_name(), self.lock.as_fd());
        Ok(self.folder.is_current(&self.domain.folder)? && is_table())
    }

    /// Whether this process may open the owner's files. A process that has changed its user may have lost that right.
    pub fn may_open_files(&self) -> bool {
        self.folder.open_existing(&self.domain.table_name()).is_ok()
    }

    /// Reports that a member's segment can't be opened.
    pub fn report_unreachable(&self, id: u64) {
        self.view().inspect(|table| table.report_unreachable(id));
    }

    /// Whether a process has reported that it can't open a member's segment.
    pub(crate) fn is_unreachable(&self, id: u64) -> bool {
        self.view().is_some_and(|table| table.is_unreachable(id))
    }

    /// Waits for the lock of the table. Returns an error if no process has taken the lock for `timeout`. While other
    /// processes take it in turn, this continues to wait.
    pub fn lock(&self, timeout: Duration) -> Result<TableLock<'_>, LockError> {
        let thread_lock = self.thread_lock.lock();
        let (mut pause, mut turns, mut since) = (FIRST_PAUSE, self.turns(), Instant::now());
        while !lock::try_acquire(&self.lock)? {
            if since.elapsed() >= timeout {
                let holder = self.view().map_or(0, |table| table.header.holder());
                return Err(LockError::Held { holder, timeout });
            }
            // A wait for the lock in the kernel would have no timeout. So this thread tries again after each pause.
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
            let now = self.turns();
            if std::mem::replace(&mut turns, now) != now {
                since = Instant::now();
            }
        }
        Ok(TableLock::begin(self, thread_lock))
    }

    /// Returns how often the lock was taken.
    fn turns(&self) -> u64 {
        self.view().map_or(0, |table| table.header.turns())
    }

    /// Takes the lock of the table, if it is free.
    pub(crate) fn try_lock(&self) -> Option<TableLock<'_>> {
        let thread_lock = self.thread_lock.try_lock()?;
        lock::try_acquire(&self.lock).is_ok_and(|taken| taken).then(|| TableLock::begin(self, thread_lock))
    }

    /// Opens the segment of a member. `this` is the calling process.
    ///
    /// # Errors
    /// Returns an error if there is no such file, if this process may not open it, or if it is not the member's file.
    pub fn open_segment(&self, member: &MemberInfo, this: ProcessId) -> io::Result<Segment> {
        let file = match member.descriptor {
            None => self.folder.open_existing(&self.domain.segment_name(member.id))?,
            Some(descriptor) => self.open_by_descriptor(member, descriptor, this)?,
        };
        let segment = Segment::open(file)?;
        match segment.inode()? {
            inode if inode == member.inode => Ok(segment),
            _ => Err(io::Error::other("its file was replaced by another file")),
        }
    }

    /// Opens the segment of a member whose file was removed, through the member's own descriptor.
    fn open_by_descriptor(&self, member: &MemberInfo, descriptor: u32, this: ProcessId) -> io::Result<File> {
        if !process_of(member).is_visible_to(this) {
            let reason = "its file was removed while it was running, and it is in another PID or time namespace: \
                          restart it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        let path = format!("/proc/{}/fd/{descriptor}", member.pid);
        // The descriptor may belong to another file by now. So this is checked before the file is opened, because
        // opening some files has side effects.
        if std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&path)?) != member.inode {
            return Err(io::Error::other("its file was removed, and its descriptor was closed"));
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
    pub(crate) fn open_pipe(&self, member: u64, number: u32) -> io::Result<WakePipeWriter> {
        WakePipeWriter::open(&self.folder, &self.domain.pipe_name(member, number))
    }

    /// Whether the kernel proves that a member is dead: no process holds the lock of its segment, or its process has
    /// ended. `this` is the calling process.
    ///
    /// A segment that can't be opened is not a proof.
    pub fn is_dead(&self, member: &MemberInfo, this: ProcessId) -> bool {
        is_dead_with(member, &self.open_segment(member, this), this)
    }

    /// Returns the dead members, and the files that belong to no member. Without the lock, files of a process that is
    /// joining may be among them.
    pub(crate) fn find_orphans(&self, this: ProcessId) -> Orphans {
        let mut members = self.members();
        let mut files = self.folder.names();
        files.retain(|name| self.is_orphan(name, &members));
        members.retain(|member| self.is_dead(member, this));
        Orphans { members, files }
    }

    /// Whether a file of this domain belongs to no member in the table, and no process uses it.
    fn is_orphan(&self, name: &str, members: &[MemberInfo]) -> bool {
        let Some(id) = self.domain.owner_of(name) else { return false };
        members.iter().all(|member| member.id != id) && self.is_unused(name)
    }

    /// Returns the names of all files of dead members, and of the files that belong to no member.
    pub fn orphan_names(&self, this: ProcessId) -> Vec<String> {
        let Orphans { members, files } = self.find_orphans(this);
        let is_dead = |id| members.iter().any(|member| member.id == id);
        let mut names = self.folder.names();
        names.retain(|name| self.domain.owner_of(name).is_some_and(is_dead));
        names.into_iter().chain(files).collect()
    }

    /// Whether the kernel proves that no process uses a file: it is a segment that is not locked, or a pipe without a
    /// reader.
    fn is_unused(&self, name: &str) -> bool {
        let is_unlocked = || lock::is_held(&self.folder.open_existing(name).ok()?).ok().map(|held| !held);
        self.folder.is_pipe_without_reader(name) || is_unlocked() == Some(true)
    }
}

/// Creates the table of a domain, unless there is one.
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

/// Same as [`DomainFiles::is_dead`], with the result of [`DomainFiles::open_segment`] for this member. Another process
/// may remove the name of the segment at any time, and an open segment still shows its lock.
pub fn is_dead_with(member: &MemberInfo, segment: &io::Result<Segment>, this: ProcessId) -> bool {
    let process = process_of(member);
    match segment {
        Ok(segment) => lock::is_held(segment.file()).is_ok_and(|held| !held) || process.pid_is_free(this),
        Err(_) => process.has_ended(this),
    }
}

/// Returns the process of a member.
pub fn process_of(member: &MemberInfo) -> ProcessId {
    ProcessId { pid: member.pid, started: member.started, namespaces: member.namespaces }
}

impl<'a> TableLock<'a> {
    fn begin(files: &'a DomainFiles, thread_lock: MutexGuard<'a, ()>) -> Self {
        files.view().inspect(|table| table.header.begin_turn(std::process::id()));
        Self { files, _thread_lock: thread_lock }
    }

    /// Enters a member into the table, or replaces its entry. Returns `false` if the table is full.
    pub(crate) fn enter(&self, member: &MemberInfo) -> bool {
        self.files.view().is_some_and(|table| table.enter(member))
    }

    /// Removes a member that has left or is dead, and its files.
    pub(crate) fn remove(&self, id: u64) {
        let DomainFiles { domain, folder, .. } = self.files;
        // The entry is removed first. So the files of each member in the table exist.
        self.files.view().inspect(|table| table.remove(id));
        folder
            .names()
            .iter()
            .filter(|name| domain.owner_of(name) == Some(id))
            .for_each(|name| folder.remove(name));
    }

    /// Removes the orphans that were found before the lock was taken, if they still are orphans.
    pub(crate) fn remove_orphans(&self, orphans: &Orphans, this: ProcessId) {
        let dead = orphans.members.iter().filter(|member| self.files.is_dead(member, this));
        dead.for_each(|member| self.remove(member.id));
        let members = self.files.members();
        let orphans = orphans.files.iter().filter(|name| self.files.is_orphan(name, &members));
        orphans.for_each(|name| self.files.folder.remove(name));
    }

    /// Removes the table if it has no members, and then the folder if it is empty.
    pub(crate) fn remove_if_empty(&self) {
        if self.files.members().is_empty() {
            self.files.folder.remove(&self.files.domain.table_name());
            self.files.folder.remove_if_empty();
        }
    }
}

impl Drop for TableLock<'_> {
    fn drop(&mut self) {
        self.files.view().inspect(|table| table.header.end_turn());
        lock::release(&self.files.lock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that waits for the lock of a stopped process does not wait for ever. The error names the stopped
    /// process.
    #[test]
    fn waiting_for_the_lock_ends_with_an_error_that_names_the_holder() {
        let root = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let domain = DomainId::in_folder(root.path(), 0);
        let first = DomainFiles::open_or_create(&domain).unwrap();
        let other = DomainFiles::open(&domain).unwrap().unwrap();
        let timeout = Duration::from_millis(20);
        let held = first.lock(timeout).unwrap();
        match other.lock(timeout) {
            Err(LockError::Held { holder, .. }) => assert_eq!(holder, std::process::id()),
            other => panic!("{other:?}"),
        }
        drop(held);
        assert!(other.lock(timeout).is_ok());
    }
}
