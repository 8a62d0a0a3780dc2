//! Who takes part in a domain, and what proves that somebody no longer does.
//!
//! A **member** is one context. It is identified by the inode of its segment, its pid and the start time of
//! its process, and named by a random id. Its folder and the names of its files are fixed when it joins.
//!
//! | state | what it means | who begins it |
//! |---|---|---|
//! | preparing | its segment exists and is locked | the member, which holds the table's lock |
//! | listed | its slot is in the table that a newcomer opens | the member, which holds the table's lock |
//! | unlisted | that table is gone, or its slot or file is | anybody who may remove files |
//! | left | it said so in its own segment | the member |
//! | dead | the kernel says so | the kernel |
//! | expelled | its handles answer with an error | the member, which can't be listed again |
//!
//! **Proof.** A member locks its segment once, before it is listed, and never again. So a lock that is found
//! free stays free: to find it so is as good as to hold it. The kernel frees it when the process ends or
//! calls `exec`. The second proof is the end of the process itself: no process has its pid and start time. It counts
//! because a child that was made by a raw `clone` can keep a dead parent's lock.
//! Nothing else is proof: not a name that is missing, nor a file that can't be opened, nor an absence from the
//! table. A member stays in the graph of all who know it until it says that it has left or is proven dead.
//!
//! A **hint** says when to look for a proof: the pipe of a member's housekeeping has lost its reader.
//!
//! An unlisted member notices within a second ([`Membership::check`]) and lists itself again. A file that was
//! removed can't get a name again, so its slot then says by which descriptor of the process others can
//! open it. If that fails for anybody, the member expels itself.
//!
//! The page for users is `docs/membership.md`; the table's protocol is model-checked
//! (`protocol/membership.rs`).

mod domain;
mod place;

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
pub use place::{LockError, Place, TableLock, process_of};

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

/// How long a process waits for the right to change the table when it joins.
const JOIN_PATIENCE: Duration = Duration::from_secs(5);
/// How long one waits that leaves. Others do what it could not.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long one waits that lists itself again. It tries again a second later, and its thread has other things to do.
const RELIST_PATIENCE: Duration = Duration::from_millis(50);
/// How often an exiting process asks for the right to change the table, a millisecond apart.
const EXIT_ATTEMPTS: u32 = 100;
/// How many checks in a row may fail to list a member again before it expels itself, or before the user is told if
/// others are the cause.
const RELIST_ATTEMPTS: u32 = 5;

/// The members of this process that have not left.
static OWN: ForkCell<Vec<Weak<Membership>>> = ForkCell::new(ForkLock::new(0));
/// Whether this process exits: then nobody lists itself again.
static EXITS: AtomicBool = AtomicBool::new(false);

/// How a member stands after a look at its place.
#[derive(Debug)]
pub enum Standing {
    /// All who join find it.
    Listed,
    /// It was not listed, and lists itself again, perhaps with a new pipe.
    Relisted(Option<WakePipe>),
    /// It is not listed, and could not be listed just now. If that lasts, the reason is there once.
    Unlisted(Option<String>),
    /// It can't take part any more.
    Expelled {
        /// Why.
        reason: String,
        /// Whether others may have proof of its death, and may have taken back what it held.
        is_taken_back: bool,
    },
}

/// This context as a member of its domain.
#[derive(Debug)]
pub struct Membership {
    domain: DomainId,
    id: u64,
    inode: u64,
    process: ProcessId,
    segment: Arc<Segment>,
    /// Holds the segment's lock.
    lock: PrivateFd,
    place: Mutex<Arc<Place>>,
    failed_checks: Mutex<u32>,
    /// Members that are proven dead and may still be in the table.
    dead: Mutex<Vec<u64>>,
}

impl Membership {
    /// Joins a domain: makes a segment, has `prepare` fill it in, and lists it with the pipe of its housekeeping.
    pub fn join(
        domain: &DomainId,
        prepare: impl FnOnce(&Segment) -> io::Result<()>,
    ) -> Result<(Arc<Self>, WakePipe), LockError> {
        let (own, pipe) = loop {
            let place = Place::open_or_create(domain)?;
            let this = ProcessId::current();
            let remains = place.remains(this);
            let lock = place.lock(JOIN_PATIENCE)?;
            if place.is_current()? {
                lock.sweep(&remains, this);
                break Self::enter(domain, &place, &lock, prepare)?;
            }
        };
        at_exit(leave_all);
        OWN.with(|all| {
            all.retain(|other| other.strong_count() > 0);
            all.push(Arc::downgrade(&own));
        });
        Ok((own, pipe))
    }

    fn enter(
        domain: &DomainId,
        place: &Arc<Place>,
        lock: &TableLock<'_>,
        prepare: impl FnOnce(&Segment) -> io::Result<()>,
    ) -> io::Result<(Arc<Self>, WakePipe)> {
        let id = random_id()?;
        let made = Self::make(domain, id, place).and_then(|(own, pipe)| {
            prepare(&own.segment)?;
            match lock.enter(&own.info(None)) {
                true => Ok((own, pipe)),
                false => Err(full()),
            }
        });
        made.inspect_err(|_| lock.remove(id))
    }

    /// Makes and locks a segment, and the pipe of its housekeeping.
    fn make(domain: &DomainId, id: u64, place: &Arc<Place>) -> io::Result<(Arc<Self>, WakePipe)> {
        let name = domain.segment_name(id);
        let segment = Segment::create(place.folder(), &name)?;
        let lock = PrivateFd::new(place.folder().open_existing(&name)?.into());
        if !lock::try_acquire(&lock)? {
            return Err(io::Error::other("another process has locked its new segment"));
        }
        let pipe = WakePipe::create(place.folder(), domain.pipe_name(id, 0))?;
        let own = Self {
            domain: domain.clone(),
            id,
            inode: segment.inode()?,
            process: ProcessId::current(),
            segment: Arc::new(segment),
            lock,
            place: Mutex::new(place.clone()),
            failed_checks: Mutex::default(),
            dead: Mutex::default(),
        };
        Ok((Arc::new(own), pipe))
    }

    /// What the table says of it.
    fn info(&self, descriptor: Option<u32>) -> MemberInfo {
        let ProcessId { pid, started, namespaces } = self.process;
        MemberInfo { id: self.id, inode: self.inode, pid, started, namespaces, descriptor }
    }

    /// Its id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its domain.
    pub fn domain(&self) -> &DomainId {
        &self.domain
    }

    /// Its process.
    pub fn process(&self) -> ProcessId {
        self.process
    }

    /// Its memory.
    pub fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// Where it is listed.
    pub fn place(&self) -> Arc<Place> {
        self.place.lock().clone()
    }

    /// Everybody else in the table, dead or alive.
    pub fn others(&self) -> Vec<MemberInfo> {
        let mut members = self.place().members();
        members.retain(|member| member.id != self.id);
        members
    }

    /// Whether a member is in the table.
    pub fn is_listed_there(&self, id: u64) -> bool {
        self.place().members().iter().any(|member| member.id == id)
    }

    /// Removes members from the table that are proven dead, and those for which the lock could not be had before.
    pub fn remove_dead(&self, members: &[u64]) {
        // Whoever is dead stays dead, and nobody else ever has its id. So a proof is kept until it is used: for a member
        // whose file has no name there may never be another.
        let mut dead = self.dead.lock();
        dead.extend(members);
        dead.sort_unstable();
        dead.dedup();
        if !dead.is_empty()
            && let Some(lock) = self.place().try_lock()
        {
            dead.drain(..).for_each(|id| lock.remove(id));
        }
    }

    /// Looks whether it is listed, and lists it again if it is not.
    pub fn check(&self, pipe: &WakePipe) -> Standing {
        if !lock::is_held(self.segment.file()).is_ok_and(|held| held) {
            let reason = "its program closed a file descriptor of it".into();
            return Standing::Expelled { reason, is_taken_back: true };
        }
        if self.is_listed(pipe) {
            *self.failed_checks.lock() = 0;
            return Standing::Listed;
        }
        match self.relist(pipe) {
            Ok(pipe) => Standing::Relisted(pipe),
            Err(error) => {
                let mut failed = self.failed_checks.lock();
                *failed += 1;
                let (lasts, reason) = (*failed >= RELIST_ATTEMPTS, error.to_string());
                if error.kind() == io::ErrorKind::PermissionDenied || lasts && !may_pass(&error) {
                    Standing::Expelled { reason, is_taken_back: false }
                } else {
                    Standing::Unlisted((*failed == RELIST_ATTEMPTS).then_some(reason))
                }
            }
        }
    }

    fn is_listed(&self, pipe: &WakePipe) -> bool {
        let place = self.place();
        let own = place.members().into_iter().find(|member| member.id == self.id);
        let is_reachable = own.is_some_and(|own| match own.descriptor {
            None => self.has_name(&place),
            Some(_) => !place.is_unreachable(self.id),
        });
        // A look that the system refuses shows nothing.
        is_reachable && place.is_current().unwrap_or(true) && self.has_pipe(&place, pipe)
    }

    fn has_name(&self, place: &Place) -> bool {
        place.folder().leads_to(&self.domain.segment_name(self.id), self.lock.as_fd())
    }

    fn has_pipe(&self, place: &Place, pipe: &WakePipe) -> bool {
        place.folder().leads_to(&self.domain.pipe_name(self.id, 0), pipe.as_fd())
    }

    /// Lists it again. Returns its new pipe, if the old one has no name any more.
    fn relist(&self, pipe: &WakePipe) -> io::Result<Option<WakePipe>> {
        let before = self.place();
        if before.is_unreachable(self.id) {
            return Err(refused("its files were removed, and another process can't open its memory"));
        }
        let place = match before.is_current() {
            Ok(true) => before,
            _ => Place::open_or_create(&self.domain)?,
        };
        let lock = place.lock(RELIST_PATIENCE)?;
        if EXITS.load(Ordering::Acquire) {
            return Err(io::Error::other("the process exits"));
        }
        let descriptor = match self.has_name(&place) {
            true => None,
            false => Some(self.descriptor(&place)?),
        };
        let pipe = (!self.has_pipe(&place, pipe)).then(|| self.new_pipe(&place)).transpose()?;
        if !lock.enter(&self.info(descriptor)) {
            return Err(full());
        }
        drop(lock);
        *self.place.lock() = place;
        Ok(pipe)
    }

    /// The descriptor by which others can open its segment.
    fn descriptor(&self, place: &Place) -> io::Result<u32> {
        if !place.folder().is_on_the_same_file_system(self.segment.file())? {
            return Err(refused("its files were removed, and the new folder is on another file system"));
        }
        match self.process.is_visible_to(self.process) {
            true => Ok(self.segment.file().as_raw_fd() as u32),
            false => Err(refused("its files were removed, and without /proc nobody can open its memory")),
        }
    }

    fn new_pipe(&self, place: &Place) -> io::Result<WakePipe> {
        let name = self.domain.pipe_name(self.id, 0);
        // Whatever has the name is not the pipe of this member.
        place.folder().remove(&name);
        WakePipe::create(place.folder(), name)
    }

    /// Says that it has left, and removes its files and its slot.
    pub fn leave(&self) {
        self.say_left();
        let place = self.place();
        // One that was killed before anybody knew it is known to nobody but the table.
        let remains = place.remains(self.process);
        // Otherwise others remove it: the free lock of its segment, which keeps its name, is the proof.
        if let Ok(lock) = place.lock(PATIENCE) {
            lock.remove(self.id);
            lock.sweep(&remains, self.process);
            lock.remove_if_empty();
        }
    }

    fn say_left(&self) {
        self.segment.get::<SegmentHeader>(0).inspect(|header| header.state.leave());
    }

    /// As [`Membership::leave`], for a process that exits: it waits for no thread. Other threads may still use what it has of
    /// peers, so it does not say that it has left: the kernel will say that it has ended.
    fn leave_at_exit(&self) {
        let Some(place) = self.place.try_lock().map(|place| place.clone()) else { return };
        for _ in 0..EXIT_ATTEMPTS {
            if let Some(lock) = place.try_lock() {
                lock.remove(self.id);
                lock.remove_if_empty();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether an error is one that others or the system cause and may end: somebody holds the table's lock, or there is no memory
/// or descriptor left.
fn may_pass(error: &io::Error) -> bool {
    use io::ErrorKind::{OutOfMemory, QuotaExceeded, StorageFull, TimedOut};
    let is_out_of_files = || matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE));
    matches!(error.kind(), OutOfMemory | QuotaExceeded | StorageFull | TimedOut) || is_out_of_files()
}

fn full() -> io::Error {
    io::Error::other(format!("the domain has {MAX_MEMBERS} members already"))
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// Removes the members that nobody dropped before the process exits.
extern "C" fn leave_all() {
    EXITS.store(true, Ordering::Release);
    // Another thread may be leaving at the same time, so nothing here waits for a lock, and none is held while
    // another is asked for.
    let own = OWN.try_with(std::mem::take).unwrap_or_default();
    own.iter().filter_map(Weak::upgrade).for_each(|member| member.leave_at_exit());
}

#[cfg(test)]
mod tests;
