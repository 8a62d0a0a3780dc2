//! The contexts of this process: their files, whether others live, and what is left at exit.

use std::{collections::HashMap, io, sync::Arc, time::Duration};

use rustix::rand::{GetRandomFlags, getrandom};

use crate::{
    domain::{Domain, DomainId, is_locked},
    housekeeping,
    link::SegmentHeader,
    os::{
        exit::at_exit,
        fork::{ForkCell, ForkLock},
        lock,
        segment::Segment,
    },
    registry::{FIRST_PAGE, REGISTRY_START},
};

/// The contexts of this process, whose files it must not open a second time (see [`lock`]).
static OWN: ForkCell<HashMap<u64, Own>> = ForkCell::new(ForkLock::new(0));

#[derive(Debug)]
struct Own {
    segment: Arc<Segment>,
    domain: DomainId,
}

/// How often an exiting process asks for the domain's lock, a millisecond apart, before it leaves
/// its files to the next.
const EXIT_ATTEMPTS: u32 = 100;

/// Makes this process's own segment, and locks it for as long as the process lives.
///
/// It is whole before anybody can find it in the table: whatever others look at has memory.
pub(crate) fn make_segment(domain: &DomainId, process: u64) -> io::Result<Arc<Segment>> {
    let segment = Arc::new(Segment::create(&domain.segment_path(process))?);
    let own = Own { segment: segment.clone(), domain: domain.clone() };
    OWN.with(|all| all.insert(process, own));
    at_exit(leave_all);
    let made = lock::acquire(segment.file()).and_then(|()| {
        segment.commit(0, size_of::<SegmentHeader>() as u64)?;
        segment.commit(REGISTRY_START, FIRST_PAGE)?;
        let header = segment.get::<SegmentHeader>(0).ok_or_else(|| io::Error::other("can't be mapped"))?;
        header.publish(std::process::id(), housekeeping::pid_namespace());
        Ok(())
    });
    if let Err(error) = made {
        forget(process);
        return Err(error);
    }
    Ok(segment)
}

/// Opens another process's segment, or finds that of another context of this process.
pub(crate) fn open_segment(domain: &DomainId, process: u64) -> io::Result<Arc<Segment>> {
    if let Some(own) = OWN.with(|own| own.get(&process).map(|own| own.segment.clone())) {
        return Ok(own);
    }
    Segment::open(&domain.segment_path(process)).map(Arc::new)
}

/// Whether the owner of a process id lives.
pub(crate) fn is_alive(domain: &DomainId, process: u64) -> bool {
    is_own(process) || is_locked(&domain.segment_path(process))
}

/// Whether a process id is a context of this process.
pub(crate) fn is_own(process: u64) -> bool {
    OWN.with(|own| own.contains_key(&process))
}

/// Removes the files of contexts that nobody dropped before the process exits.
extern "C" fn leave_all() {
    // Another thread may be leaving at the same time, so nothing here waits for a lock, and none is
    // held while another is asked for.
    let own = OWN.try_with(std::mem::take).unwrap_or_default();
    for (process, Own { domain, .. }) in own {
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
    OWN.with(|own| own.remove(&process));
}
