//! The contexts of this process: their files, whether others live, and what is left at exit.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use rustix::rand::{GetRandomFlags, getrandom};

use crate::{
    domain::{Domain, DomainId, is_locked},
    housekeeping,
    link::SegmentHeader,
    os::{exit::at_exit, fork::Origin, lock, segment::Segment},
    registry::{FIRST_PAGE, REGISTRY_START},
    shared::lock_of,
};

/// The contexts of this process, whose files it must not open a second time (see [`lock`]).
static OWN: LazyLock<Mutex<HashMap<u64, Own>>> = LazyLock::new(Mutex::default);

#[derive(Debug)]
struct Own {
    segment: Arc<Segment>,
    domain: DomainId,
    /// A forked child inherits the entries of its parent; they are not its own.
    origin: Origin,
}

/// The entry of a context of this very process.
fn own_of(own: &HashMap<u64, Own>, process: u64) -> Option<&Own> {
    own.get(&process).filter(|own| own.origin.is_here())
}

/// How often an exiting process asks for the domain's lock, a millisecond apart, before it leaves
/// its files to the next.
const EXIT_ATTEMPTS: u32 = 100;

/// Makes this process's own segment, and locks it for as long as the process lives.
///
/// It is whole before anybody can find it in the table: whatever others look at has memory.
pub(crate) fn make_segment(domain: &DomainId, process: u64) -> io::Result<Arc<Segment>> {
    let segment = Arc::new(Segment::create(&domain.segment_path(process))?);
    let own = Own { segment: segment.clone(), domain: domain.clone(), origin: Origin::here() };
    lock_of(&OWN).insert(process, own);
    at_exit(leave_all);
    let made = lock::acquire(segment.file()).and_then(|()| {
        segment.commit(0, size_of::<SegmentHeader>() as u64)?;
        segment.commit(REGISTRY_START, FIRST_PAGE)?;
        let header = segment.get::<SegmentHeader>(0).ok_or_else(|| io::Error::other("can't be mapped"))?;
        header.publish(std::process::id(), housekeeping::pid_namespace());
        Ok(())
    });
    if let Err(error) = made {
        lock_of(&OWN).remove(&process);
        return Err(error);
    }
    Ok(segment)
}

/// Opens another process's segment, or finds that of another context of this process.
pub(crate) fn open_segment(domain: &DomainId, process: u64) -> io::Result<Arc<Segment>> {
    if let Some(own) = own_of(&lock_of(&OWN), process) {
        return Ok(own.segment.clone());
    }
    Segment::open(&domain.segment_path(process)).map(Arc::new)
}

/// Whether the owner of a process id lives.
pub(crate) fn is_alive(domain: &DomainId, process: u64) -> bool {
    is_own(process) || is_locked(&domain.segment_path(process))
}

/// Whether a process id is a context of this process.
pub(crate) fn is_own(process: u64) -> bool {
    own_of(&lock_of(&OWN), process).is_some()
}

/// Removes the files of contexts that nobody dropped before the process exits.
extern "C" fn leave_all() {
    // Another thread may be leaving at the same time, so nothing here waits for a lock, and none is
    // held while another is asked for.
    let own = OWN.try_lock().map(|mut own| std::mem::take(&mut *own)).unwrap_or_default();
    for (process, Own { domain, .. }) in own.into_iter().filter(|(_, own)| own.origin.is_here()) {
        let Ok(domain) = Domain::open_existing(domain) else { continue };
        // Dropping it would wait; the process ends anyway.
        let domain = std::mem::ManuallyDrop::new(domain);
        for _ in 0..EXIT_ATTEMPTS {
            if let Some(lock) = domain.try_lock() {
                lock.remove(process);
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A process id that nobody else has, not even one that is long dead.
pub(crate) fn random_id() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    // 0 marks a free place in the table.
    Ok(u64::from_le_bytes(bytes).max(1))
}

/// A context of this process has left.
pub(crate) fn forget(process: u64) {
    lock_of(&OWN).remove(&process);
}
