//! Links to members: the segment of a member, and the means to wake its threads.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Weak},
};

use crate::{
    header::{HOUSEKEEPING_PIPE, SegmentHeader},
    membership::{DomainFiles, Membership, process_of},
    os::{
        fork::Origin,
        futex, lock,
        mutex::Mutex,
        process::{ProcessId, time_namespace},
        segment::{Mapped, Segment},
        wake_pipe::{WakePipe, WakePipeWriter},
    },
    protocol::{
        doorbell::{Doorbell, Wake},
        membership::MemberInfo,
        port::Port,
    },
};

/// The largest number of pipes of one peer's executors that are kept open.
const MAX_PIPES: usize = 16;

/// A link to a member of the domain. A member also has a link to itself.
#[derive(Debug)]
pub struct Link {
    /// The id of the member.
    pub process: u64,
    /// The segment of the member.
    pub segment: Arc<Segment>,
    /// The header of the segment.
    pub header: Mapped<SegmentHeader>,
    /// The process that created this link.
    pub origin: Origin,
    member_process: ProcessId,
    pipes: Pipes,
}

/// The pipes that wake threads which poll file descriptors.
#[derive(Debug)]
enum Pipes {
    /// The pipes of this member, by their numbers. They can be rung even if they have no name.
    Own(Mutex<HashMap<u32, Weak<WakePipe>>>),
    /// Writing ends of a peer's pipes. Those of executors are opened when they are first rung.
    Peer {
        files: Arc<DomainFiles>,
        housekeeping: WakePipeWriter,
        executors: Mutex<Vec<(u32, WakePipeWriter)>>,
    },
}

impl Link {
    /// Creates the link of this member to itself.
    pub(crate) fn own(member: &Membership) -> io::Result<Self> {
        let pipes = Pipes::Own(Mutex::default());
        Self::new(member.id(), member.process(), member.segment().clone(), pipes)
    }

    /// Opens a link to another member. Returns `None` if the member has left.
    ///
    /// # Errors
    /// Returns an error if its segment can't be opened or used, or if its pipe can't be opened.
    pub fn open(own: &Membership, peer: &MemberInfo) -> io::Result<Option<Self>> {
        let files = own.files();
        let segment = Arc::new(files.open_segment(peer, own.process())?);
        // A member that has left may still be in the table. Its pipe is gone.
        if segment.get::<SegmentHeader>(0).is_some_and(|header| !header.state.takes_part()) {
            return Ok(None);
        }
        let housekeeping = files.open_pipe(peer.id, HOUSEKEEPING_PIPE)?;
        let pipes = Pipes::Peer { files, housekeeping, executors: Mutex::default() };
        let link = Self::new(peer.id, process_of(peer), segment, pipes)?;
        match link.header.time_namespace() == time_namespace() {
            true => Ok(Some(link)),
            false => Err(io::Error::other(
                "it is in another time namespace, so its monotonic clock differs: start both in the same one",
            )),
        }
    }

    fn new(process: u64, member_process: ProcessId, segment: Arc<Segment>, pipes: Pipes) -> io::Result<Self> {
        let header = Mapped::<SegmentHeader>::new(&segment, 0);
        let header = header.ok_or_else(|| io::Error::other("its segment can't be mapped"))?;
        Ok(Self { process, segment, header, origin: Origin::here(), member_process, pipes })
    }

    /// Returns the writing end of the peer's housekeeping pipe. A poll of it reports an error when the peer may be
    /// gone. Returns `None` if this is the link of this member to itself.
    pub fn housekeeping_pipe(&self) -> Option<&WakePipeWriter> {
        match &self.pipes {
            Pipes::Own(_) => None,
            Pipes::Peer { housekeeping, .. } => Some(housekeeping),
        }
    }

    /// Whether the kernel proves that the member is dead: no process holds the lock of its segment, or no process has
    /// its pid.
    pub fn is_dead(&self, this: ProcessId) -> bool {
        self.pid_is_free(this) || lock::is_held(self.segment.file()).is_ok_and(|held| !held)
    }

    /// Whether no process has the member's pid any more, as the process `this` sees it.
    pub fn pid_is_free(&self, this: ProcessId) -> bool {
        self.member_process.pid_is_free(this)
    }

    /// Rings the doorbell that a port of the member names.
    pub(crate) fn ring_port(&self, port: &Port) {
        if let Some((offset, class)) = port.target()
            && let Some(doorbell) = self.segment.get::<Doorbell>(offset)
        {
            self.ring(doorbell, class);
        }
    }

    /// Rings the doorbell of the member's housekeeping thread.
    pub fn ring_housekeeping(&self) {
        self.ring(&self.header.housekeeping, 0);
    }

    /// Rings a doorbell of the member, and wakes its owner if that is parked.
    pub(crate) fn ring(&self, doorbell: &Doorbell, class: u32) {
        match doorbell.ring(class) {
            Wake::Awake => {}
            Wake::Futex => futex::wake(doorbell.word()),
            Wake::Pipe => self.ring_pipe(doorbell.pipe()),
        }
    }

    /// Adds a pipe of this member.
    pub fn add_own_pipe(&self, number: u32, pipe: &Arc<WakePipe>) {
        if let Pipes::Own(own) = &self.pipes {
            let mut own = own.lock();
            own.retain(|_, pipe| pipe.strong_count() > 0);
            own.insert(number, Arc::downgrade(pipe));
        }
    }

    #[cold]
    fn ring_pipe(&self, number: u32) {
        match &self.pipes {
            Pipes::Own(own) => {
                let pipe = own.lock().get(&number).and_then(Weak::upgrade);
                pipe.inspect(|pipe| pipe.ring());
            }
            Pipes::Peer { housekeeping, .. } if number == HOUSEKEEPING_PIPE => housekeeping.ring(),
            Pipes::Peer { files, executors, .. } => {
                if !ring_executor(&mut executors.lock(), files, self.process, number) {
                    // The pipe has no name, or this process has no descriptor left. The housekeeping thread of the
                    // member finds the doorbell that was rung, and rings the pipe.
                    self.ring_housekeeping();
                }
            }
        }
    }
}

/// Rings the pipe of an executor. Returns `false` if the pipe can't be opened.
fn ring_executor(
    open: &mut Vec<(u32, WakePipeWriter)>,
    files: &DomainFiles,
    member: u64,
    number: u32,
) -> bool {
    if let Some((_, pipe)) = open.iter().find(|(other, _)| *other == number) {
        pipe.ring();
        return true;
    }
    if open.len() >= MAX_PIPES {
        // Some of these pipes may belong to executors that have gone. The others are opened again when they are rung.
        open.clear();
    }
    let Ok(pipe) = files.open_pipe(member, number) else { return false };
    pipe.ring();
    open.push((number, pipe));
    true
}
