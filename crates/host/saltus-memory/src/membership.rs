//! The members of a domain: joining, leaving, and the proof that a member is dead.
//!
//! A **member** is one context. It is identified by the inode of its segment, and by the pid and the start time of its
//! process. It has a random id, which is part of the names of its files. Its folder and these names are fixed when it
//! joins.
//!
//! | state | meaning | begun by |
//! |---|---|---|
//! | preparing | its segment exists and is locked | the member, while it holds the table's lock |
//! | listed | its slot is in the table that joining processes open | the member, while it holds the table's lock |
//! | unlisted | that table, its slot or its segment file was removed | any process that may remove files |
//! | left | it has written in its own segment that it has left | the member |
//! | dead | the kernel proves that it is dead | the kernel |
//! | expelled | it can't be listed again; its handles return an error | the member |
//!
//! **Proof of death.** A member locks its segment once, before it is listed, and never again. So if the lock is found
//! free, it stays free. The kernel frees it when the process ends or calls `exec`. The second proof is that the process
//! has ended: no process has its pid and start time. It is needed because a child that was made by a raw `clone` can
//! keep the lock of its dead parent. Nothing else is a proof: not a missing name, not a file that can't be opened, and
//! not a missing slot in the table. The processes that know a member keep it in their graphs until it has left or is
//! proven dead.
//!
//! A **hint** is a reason to search for a proof: the pipe of a member's housekeeping thread has no reader any more.
//!
//! An unlisted member notices that within a second ([`Membership::check`]) and lists itself again. A removed file can't
//! get a name again. So its slot then contains the descriptor by which other processes can open the segment. If another
//! process can't open the segment, the member expels itself.
//!
//! `docs/membership.md` is the page for users. The protocol of the table is model-checked (`protocol/membership.rs`).

mod domain;
mod files;

use std::{
    io,
    os::fd::{AsFd, AsRawFd},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::io::Errno;

pub use domain::{DomainId, MAX_MEMBERS};
pub use files::{DomainFiles, LockError, TableLock, is_dead_with, process_of};

use crate::{
    header::SegmentHeader,
    os::{
        exit::at_exit,
        fork::{ForkCell, ForkLock},
        lock,
        mutex::Mutex,
        private_fd::PrivateFd,
        process::ProcessId,
        random::random_id,
        segment::Segment,
        wake_pipe::WakePipe,
    },
    protocol::membership::MemberInfo,
};

/// The longest time for which a process that joins waits for the table's lock.
const JOIN_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest time for which a member that leaves waits for the table's lock. If it does not get the lock, other processes remove it
/// from the table.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(500);
/// The longest time for which a member that lists itself again waits for the table's lock. The time is short because the housekeeping
/// thread has other work. The member tries again a second later.
const RELIST_TIMEOUT: Duration = Duration::from_millis(50);
/// The number of times that a process that exits tries to take the table's lock, once per millisecond.
const EXIT_ATTEMPTS: u32 = 100;
/// The number of failed checks in a row after which the member expels itself. If the cause is temporary, the reason is
/// reported instead.
const RELIST_ATTEMPTS: u32 = 5;

/// The members of this process that have not left.
static MEMBERS: ForkCell<Vec<Weak<Membership>>> = ForkCell::new(ForkLock::new(0));
/// Whether this process is exiting. Then its members do not list themselves again.
static IS_EXITING: AtomicBool = AtomicBool::new(false);

/// The result of [`Membership::check`].
#[derive(Debug)]
pub enum MembershipStatus {
    /// Processes that join can find the member.
    Listed,
    /// The member was not listed, and has listed itself again. It has a new pipe if the old one has no name any more.
    Relisted(Option<WakePipe>),
    /// The member is not listed, and listing it again has failed. The reason is given once, when it has failed
    /// `RELIST_ATTEMPTS` times in a row.
    Unlisted(Option<String>),
    /// The member can't take part any more.
    Expelled {
        /// The reason.
        reason: String,
        /// Whether other processes may have proof that it is dead. Then they may have freed what it held.
        may_be_proven_dead: bool,
    },
}

/// This context as a member of its domain.
#[derive(Debug)]
pub struct Membership {
    domain: DomainId,
    id: u64,
    /// The inode of the segment.
    inode: u64,
    process: ProcessId,
    segment: Arc<Segment>,
    /// The descriptor that holds the lock of the segment.
    lock: PrivateFd,
    files: Mutex<Arc<DomainFiles>>,
    /// The number of checks in a row that have failed to list the member again.
    failed_checks: Mutex<u32>,
    /// The members that are proven dead and may still be in the table.
    dead: Mutex<Vec<u64>>,
}

impl Membership {
    /// Joins a domain: creates a segment, calls `prepare` to fill it in, and lists the member. Returns the member and
    /// the pipe of its housekeeping thread.
    pub fn join(
        domain: &DomainId,
        prepare: impl FnOnce(&Segment) -> io::Result<()>,
    ) -> Result<(Arc<Self>, WakePipe), LockError> {
        let (own, pipe) = loop {
            let files = DomainFiles::open_or_create(domain)?;
            let this = ProcessId::current();
            let orphans = files.find_orphans(this);
            let lock = files.lock(JOIN_TIMEOUT)?;
            if files.is_current()? {
                lock.remove_orphans(&orphans, this);
                break Self::enter(domain, &files, &lock, prepare)?;
            }
        };
        at_exit(leave_all);
        MEMBERS.with(|all| {
            all.retain(|other| other.strong_count() > 0);
            all.push(Arc::downgrade(&own));
        });
        Ok((own, pipe))
    }

    /// Creates a member and lists it.
    fn enter(
        domain: &DomainId,
        files: &Arc<DomainFiles>,
        lock: &TableLock<'_>,
        prepare: impl FnOnce(&Segment) -> io::Result<()>,
    ) -> io::Result<(Arc<Self>, WakePipe)> {
        let id = random_id()?;
        let created = Self::create(domain, id, files).and_then(|(own, pipe)| {
            prepare(&own.segment)?;
            match lock.enter(&own.info(None)) {
                true => Ok((own, pipe)),
                false => Err(domain_is_full()),
            }
        });
        created.inspect_err(|_| lock.remove(id))
    }

    /// Creates a member that is not listed yet: its locked segment, and the pipe of its housekeeping thread.
    fn create(domain: &DomainId, id: u64, files: &Arc<DomainFiles>) -> io::Result<(Arc<Self>, WakePipe)> {
        let name = domain.segment_name(id);
        let segment = Segment::create(files.folder(), &name)?;
        let lock = PrivateFd::new(files.folder().open_existing(&name)?.into());
        if !lock::try_acquire(&lock)? {
            return Err(io::Error::other(format!("another process has locked the new file {name}")));
        }
        let pipe = WakePipe::create(files.folder(), domain.pipe_name(id, 0))?;
        let own = Self {
            domain: domain.clone(),
            id,
            inode: segment.inode()?,
            process: ProcessId::current(),
            segment: Arc::new(segment),
            lock,
            files: Mutex::new(files.clone()),
            failed_checks: Mutex::default(),
            dead: Mutex::default(),
        };
        Ok((Arc::new(own), pipe))
    }

    /// Returns the entry of the member in the table.
    fn info(&self, descriptor: Option<u32>) -> MemberInfo {
        let ProcessId { pid, started, namespaces } = self.process;
        MemberInfo { id: self.id, inode: self.inode, pid, started, namespaces, descriptor }
    }

    /// Returns the id of the member.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Returns the domain of the member.
    pub(crate) fn domain(&self) -> &DomainId {
        &self.domain
    }

    /// Returns the process of the member.
    pub fn process(&self) -> ProcessId {
        self.process
    }

    /// Returns the segment of the member.
    pub(crate) fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// Returns the folder and the table in which the member is listed.
    pub fn files(&self) -> Arc<DomainFiles> {
        self.files.lock().clone()
    }

    /// Returns all other members in the table, dead or alive.
    pub fn others(&self) -> Vec<MemberInfo> {
        let mut members = self.files().members();
        members.retain(|member| member.id != self.id);
        members
    }

    /// Whether a member is in the table.
    pub fn is_in_table(&self, id: u64) -> bool {
        self.files().members().iter().any(|member| member.id == id)
    }

    /// Removes members that are proven dead from the table, with their files. If the lock is not free, the next call
    /// removes them.
    pub fn remove_dead(&self, members: &[u64]) {
        // A dead member stays dead, and its id is never used again. So the proof is kept until the lock is free. For a
        // member whose file has no name, there may never be another proof.
        let mut dead = self.dead.lock();
        dead.extend(members);
        dead.sort_unstable();
        dead.dedup();
        if !dead.is_empty()
            && let Some(lock) = self.files().try_lock()
        {
            dead.drain(..).for_each(|id| lock.remove(id));
        }
    }

    /// Checks whether the member is listed, and lists it again if it is not. `pipe` is the pipe of its housekeeping
    /// thread.
    pub fn check(&self, pipe: &WakePipe) -> MembershipStatus {
        if !lock::is_held(self.segment.file()).is_ok_and(|held| held) {
            let reason = "the program closed a file descriptor of this context".into();
            return MembershipStatus::Expelled { reason, may_be_proven_dead: true };
        }
        if self.is_listed(pipe) {
            *self.failed_checks.lock() = 0;
            return MembershipStatus::Listed;
        }
        match self.relist(pipe) {
            Ok(pipe) => MembershipStatus::Relisted(pipe),
            Err(error) => {
                let mut failed = self.failed_checks.lock();
                *failed += 1;
                let (lasts, reason) = (*failed >= RELIST_ATTEMPTS, error.to_string());
                if error.kind() == io::ErrorKind::PermissionDenied || lasts && !is_temporary(&error) {
                    MembershipStatus::Expelled { reason, may_be_proven_dead: false }
                } else {
                    MembershipStatus::Unlisted((*failed == RELIST_ATTEMPTS).then_some(reason))
                }
            }
        }
    }

    /// Whether processes that join can find the member, its segment and its pipe.
    fn is_listed(&self, pipe: &WakePipe) -> bool {
        let files = self.files();
        let own = files.members().into_iter().find(|member| member.id == self.id);
        let is_reachable = own.is_some_and(|own| match own.descriptor {
            None => self.has_name(&files),
            Some(_) => !files.is_unreachable(self.id),
        });
        // If the system refuses the check, nothing is known, and the files count as current.
        is_reachable && files.is_current().unwrap_or(true) && self.has_pipe(&files, pipe)
    }

    /// Whether the segment has its name in the folder.
    fn has_name(&self, files: &DomainFiles) -> bool {
        files.folder().leads_to(&self.domain.segment_name(self.id), self.lock.as_fd())
    }

    /// Whether the pipe has its name in the folder.
    fn has_pipe(&self, files: &DomainFiles, pipe: &WakePipe) -> bool {
        files.folder().leads_to(&self.domain.pipe_name(self.id, 0), pipe.as_fd())
    }

    /// Lists the member again. Returns its new pipe, if the old one has no name any more.
    fn relist(&self, pipe: &WakePipe) -> io::Result<Option<WakePipe>> {
        let before = self.files();
        if before.is_unreachable(self.id) {
            return Err(permission_denied(
                "its files were removed, and another process could not open its segment",
            ));
        }
        let files = match before.is_current() {
            Ok(true) => before,
            _ => DomainFiles::open_or_create(&self.domain)?,
        };
        let lock = files.lock(RELIST_TIMEOUT)?;
        if IS_EXITING.load(Ordering::Acquire) {
            return Err(io::Error::other("the process is exiting"));
        }
        let descriptor = match self.has_name(&files) {
            true => None,
            false => Some(self.descriptor(&files)?),
        };
        let pipe = (!self.has_pipe(&files, pipe)).then(|| self.new_pipe(&files)).transpose()?;
        if !lock.enter(&self.info(descriptor)) {
            return Err(domain_is_full());
        }
        drop(lock);
        *self.files.lock() = files;
        Ok(pipe)
    }

    /// Returns the descriptor by which other processes can open the segment.
    fn descriptor(&self, files: &DomainFiles) -> io::Result<u32> {
        if !files.folder().is_on_the_same_file_system(self.segment.file())? {
            return Err(permission_denied(
                "its files were removed, and the new folder is on another file system",
            ));
        }
        match self.process.is_visible_to(self.process) {
            true => Ok(self.segment.file().as_raw_fd() as u32),
            false => Err(permission_denied(
                "its files were removed, and without /proc its segment can't be opened",
            )),
        }
    }

    /// Creates another pipe for the housekeeping thread, under the same name.
    fn new_pipe(&self, files: &DomainFiles) -> io::Result<WakePipe> {
        let name = self.domain.pipe_name(self.id, 0);
        // A file that has this name is not the pipe of this member.
        files.folder().remove(&name);
        WakePipe::create(files.folder(), name)
    }

    /// Leaves the domain: writes in its segment that it has left, and removes its slot and its files.
    pub fn leave(&self) {
        self.set_left();
        let files = self.files();
        // A member that was killed before any process found it is only in the table. So it is searched for there.
        let orphans = files.find_orphans(self.process);
        // Without the lock, other processes remove this member later. Its segment then keeps its name, and the free
        // lock of the segment is the proof.
        if let Ok(lock) = files.lock(LEAVE_TIMEOUT) {
            lock.remove(self.id);
            lock.remove_orphans(&orphans, self.process);
            lock.remove_if_empty();
        }
    }

    /// Writes in the segment that the member has left.
    fn set_left(&self) {
        self.segment.get::<SegmentHeader>(0).inspect(|header| header.state.leave());
    }

    /// Leaves the domain when the process exits. Unlike [`Membership::leave`], it waits for no thread, and does not
    /// write that the member has left, because other threads may still use what the member holds of peers. The kernel
    /// proves a little later that the process has ended.
    fn leave_at_exit(&self) {
        let Some(files) = self.files.try_lock().map(|files| files.clone()) else { return };
        for _ in 0..EXIT_ATTEMPTS {
            if let Some(lock) = files.try_lock() {
                lock.remove(self.id);
                lock.remove_if_empty();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether an error may be temporary, and is not the fault of the member: another process holds the table's lock, or
/// there is no memory or no descriptor left.
fn is_temporary(error: &io::Error) -> bool {
    use io::ErrorKind::{OutOfMemory, QuotaExceeded, StorageFull, TimedOut};
    let is_out_of_files = || matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE));
    matches!(error.kind(), OutOfMemory | QuotaExceeded | StorageFull | TimedOut) || is_out_of_files()
}

fn domain_is_full() -> io::Error {
    io::Error::other(format!("the domain has {MAX_MEMBERS} members already, which is the limit"))
}

fn permission_denied(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// Removes the members that were not dropped before the process exits.
extern "C" fn leave_all() {
    IS_EXITING.store(true, Ordering::Release);
    // Another thread may be leaving at the same time. So this function waits for no lock of this process, and holds no
    // lock while it tries to take another.
    let own = MEMBERS.try_with(std::mem::take).unwrap_or_default();
    own.iter().filter_map(Weak::upgrade).for_each(|member| member.leave_at_exit());
}

#[cfg(test)]
mod tests;
