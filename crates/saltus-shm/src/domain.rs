//! The one file per domain: who is there, and who may change that.
//!
//! `<folder>/saltus.<uid>.<domain>` holds a table of process ids and stays when everybody has left
//! (three pages; the only thing that stays). Joining, leaving and sweeping happen under its lock, which
//! the kernel releases if the holder dies. So nobody ever meets a half-made process that is still
//! being made: whoever has the lock and sees files without a living owner may remove them.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, open};

use crate::os::{
    fork::{ForkLock, Held},
    lock,
};

/// How many processes (strictly: contexts) a domain can have at a time.
pub(crate) const MAX_PROCESSES: usize = 1024;
/// Marks a table whose layout this version knows.
const MAGIC: u64 = 0x5341_4c54_5553_0001;
const TABLE: u64 = (MAX_PROCESSES as u64 + 1) * 8;

/// File locks are per process, so threads of one process exclude each other by this.
static WITHIN_PROCESS: ForkLock = ForkLock::new(1);

/// Which processes belong together: those with the same folder, user and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainId {
    /// A folder on a memory file system, normally `/dev/shm`.
    pub folder: PathBuf,
    /// The number, as in `ROS_DOMAIN_ID`: 0 to 232.
    pub number: u32,
}

impl DomainId {
    /// The domain of that number in `/dev/shm`.
    pub fn new(number: u32) -> Self {
        Self { folder: "/dev/shm".into(), number }
    }

    /// The common beginning of the names of all its files. The user is part of it, because files
    /// are readable by their user only: two users on a host have two graphs.
    fn prefix(&self) -> String {
        format!("saltus.{}.{}", rustix::process::geteuid().as_raw(), self.number)
    }

    pub(crate) fn table_path(&self) -> PathBuf {
        self.folder.join(self.prefix())
    }

    pub(crate) fn segment_path(&self, process: u64) -> PathBuf {
        self.folder.join(format!("{}.{process:016x}", self.prefix()))
    }

    pub(crate) fn bell_path(&self, process: u64, bell: u32) -> PathBuf {
        self.folder.join(format!("{}.{process:016x}.{bell}", self.prefix()))
    }

    /// The process that a file belongs to, if its name is that of a segment or bell of this domain.
    fn owner_of(&self, file: &str) -> Option<u64> {
        let rest = file.strip_prefix(&self.prefix())?.strip_prefix('.')?;
        u64::from_str_radix(rest.get(..16)?, 16).ok()
    }
}

/// The table of a domain, open: a word that marks it, then a word per process.
///
/// It is read and written like a file, not mapped: it changes only when processes come and go.
#[derive(Debug)]
pub(crate) struct Domain {
    id: DomainId,
    /// Always there but while it is being closed.
    table: Option<File>,
}

/// The right to change the domain; ends when dropped.
#[derive(Debug)]
pub(crate) struct DomainLock<'a> {
    domain: &'a Domain,
    table: &'a File,
    _within_process: Held,
}

impl Domain {
    /// Opens the table, making it if need be.
    pub(crate) fn open(id: DomainId) -> io::Result<Self> {
        let domain = Self::open_with(id, OFlags::CREATE)?;
        domain.lock()?.initialize()?;
        Ok(domain)
    }

    /// Opens the table only if somebody made it before.
    pub(crate) fn open_existing(id: DomainId) -> io::Result<Self> {
        Self::open_with(id, OFlags::empty())
    }

    fn open_with(id: DomainId, create: OFlags) -> io::Result<Self> {
        let flags = create | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let table = open(id.table_path(), flags, Mode::RUSR | Mode::WUSR)?;
        Ok(Self { id, table: Some(table.into()) })
    }

    pub(crate) fn id(&self) -> &DomainId {
        &self.id
    }

    /// Waits for the right to change the domain.
    pub(crate) fn lock(&self) -> io::Result<DomainLock<'_>> {
        let within = WITHIN_PROCESS.lock();
        let table = self.table.as_ref().ok_or(io::ErrorKind::NotFound)?;
        lock::acquire(table)?;
        Ok(DomainLock { domain: self, table, _within_process: within })
    }

    /// The right to change the domain, if it can be had at once.
    pub(crate) fn try_lock(&self) -> Option<DomainLock<'_>> {
        let within = WITHIN_PROCESS.try_lock()?;
        let table = self.table.as_ref()?;
        // Made only if it is had: dropping one gives the lock back.
        lock::try_acquire(table).then(|| DomainLock { domain: self, table, _within_process: within })
    }

    /// Everybody in the table, dead or alive.
    pub(crate) fn processes(&self) -> Vec<u64> {
        let mut bytes = vec![0; TABLE as usize];
        let read = self.table.as_ref().and_then(|table| table.read_at(&mut bytes, 0).ok()).unwrap_or(0);
        let words = bytes[..read].as_chunks::<8>().0;
        words.iter().skip(1).map(|word| u64::from_le_bytes(*word)).filter(|id| *id != 0).collect()
    }
}

/// Closing the file would take the lock from another thread of this process that holds it.
impl Drop for Domain {
    fn drop(&mut self) {
        let _within = WITHIN_PROCESS.lock();
        self.table = None;
    }
}

impl DomainLock<'_> {
    /// Makes the table what it should be, if its maker died before that or it is new.
    fn initialize(&self) -> io::Result<()> {
        fallocate(self.table, FallocateFlags::empty(), 0, TABLE)?;
        match self.word(0)? {
            MAGIC => Ok(()),
            0 => self.set_word(0, MAGIC),
            found => Err(io::Error::other(format!(
                "{} belongs to another version of Saltus (layout {found:#x}, this one is {MAGIC:#x})",
                self.domain.id.table_path().display()
            ))),
        }
    }

    fn word(&self, index: u64) -> io::Result<u64> {
        let mut word = [0; 8];
        self.table.read_exact_at(&mut word, index * 8)?;
        Ok(u64::from_le_bytes(word))
    }

    fn set_word(&self, index: u64, value: u64) -> io::Result<()> {
        self.table.write_all_at(&value.to_le_bytes(), index * 8)
    }

    /// The place in the table that holds `value`.
    fn find(&self, value: u64) -> io::Result<Option<u64>> {
        for index in 1..=MAX_PROCESSES as u64 {
            if self.word(index)? == value {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Enters a process into the table.
    pub(crate) fn enter(&self, process: u64) -> io::Result<()> {
        let full = || io::Error::other(format!("the domain has {MAX_PROCESSES} processes already"));
        let free = self.find(0)?.ok_or_else(full)?;
        self.set_word(free, process)
    }

    /// Removes a process and all its files.
    pub(crate) fn remove(&self, process: u64) {
        for file in self.files().filter(|(_, owner)| *owner == process).map(|(path, _)| path) {
            let _ = std::fs::remove_file(file);
        }
        if let Ok(Some(index)) = self.find(process) {
            // If this fails the next sweep tries again.
            let _ = self.set_word(index, 0);
        }
    }

    /// Removes everybody who is dead, files without an entry included. Returns how many there were.
    pub(crate) fn sweep(&self, is_alive: impl Fn(u64) -> bool) -> usize {
        let mut seen = self.domain.processes();
        seen.extend(self.files().map(|(_, owner)| owner));
        seen.sort_unstable();
        seen.dedup();
        seen.retain(|process| !is_alive(*process));
        seen.iter().for_each(|process| self.remove(*process));
        seen.len()
    }

    /// The files of those who are dead.
    pub(crate) fn orphans(&self, is_alive: impl Fn(u64) -> bool) -> Vec<PathBuf> {
        self.files().filter(|(_, owner)| !is_alive(*owner)).map(|(path, _)| path).collect()
    }

    /// Every file of every process of this domain, with its owner.
    fn files(&self) -> impl Iterator<Item = (PathBuf, u64)> {
        let id = self.domain.id.clone();
        let entries = std::fs::read_dir(&id.folder).into_iter().flatten();
        entries.filter_map(move |entry| {
            let entry = entry.ok()?;
            let owner = id.owner_of(entry.file_name().to_str()?)?;
            Some((entry.path(), owner))
        })
    }
}

impl Drop for DomainLock<'_> {
    fn drop(&mut self) {
        // If this fails the kernel still releases it with the process.
        let _ = lock::release(self.table);
    }
}

/// Whether the process that owns a segment file lives: it holds the file's lock as long as it does.
pub(crate) fn is_locked(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => lock::is_held(&file).unwrap_or(true),
        // Whatever else keeps this process from looking is no sign of death.
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}
