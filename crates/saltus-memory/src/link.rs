//! The way to a member: its segment, and how to wake its threads.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Weak},
};

use crate::{
    header::{HOUSEKEEPING_PIPE, SegmentHeader},
    membership::{Membership, Place, process_of},
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

/// How many pipes of one peer's executors are kept open.
const MOST_PIPES: usize = 16;

/// A member of the domain, this one included.
#[derive(Debug)]
pub struct Link {
    /// The member's id.
    pub process: u64,
    /// Its segment.
    pub segment: Arc<Segment>,
    /// The first page of that.
    pub header: Mapped<SegmentHeader>,
    /// The process that made this.
    pub origin: Origin,
    member_process: ProcessId,
    pipes: Pipes,
}

/// The ways to wake threads that poll file descriptors.
#[derive(Debug)]
enum Pipes {
    /// Of this member. They are rung even if they have no name.
    Own(Mutex<HashMap<u32, Weak<WakePipe>>>),
    Peer {
        place: Arc<Place>,
        housekeeping: WakePipeWriter,
        executors: Mutex<Vec<(u32, WakePipeWriter)>>,
    },
}

impl Link {
    /// The way to this member itself.
    pub fn own(member: &Membership) -> io::Result<Self> {
        let pipes = Pipes::Own(Mutex::default());
        Self::new(member.id(), member.process(), member.segment().clone(), pipes)
    }

    /// The way to another member; `None` if it has left.
    ///
    /// # Errors
    /// If its memory can't be opened or used, or its pipe can't be opened.
    pub fn open(own: &Membership, peer: &MemberInfo) -> io::Result<Option<Self>> {
        let place = own.place();
        let segment = Arc::new(place.open_segment(peer, own.process())?);
        // One that has left has no pipe any more, and may still be in the table.
        if segment.get::<SegmentHeader>(0).is_some_and(|header| !header.state.takes_part()) {
            return Ok(None);
        }
        let housekeeping = place.open_pipe(peer.id, HOUSEKEEPING_PIPE)?;
        let pipes = Pipes::Peer { place, housekeeping, executors: Mutex::default() };
        let link = Self::new(peer.id, process_of(peer), segment, pipes)?;
        match link.header.time_namespace() == time_namespace() {
            true => Ok(Some(link)),
            false => Err(io::Error::other("its monotonic clock is another: it is in another time namespace")),
        }
    }

    fn new(process: u64, member_process: ProcessId, segment: Arc<Segment>, pipes: Pipes) -> io::Result<Self> {
        let header = Mapped::<SegmentHeader>::new(&segment, 0);
        let header = header.ok_or_else(|| io::Error::other("its memory can't be mapped"))?;
        Ok(Self { process, segment, header, origin: Origin::here(), member_process, pipes })
    }

    /// What a poll reports an error on when the member is gone; `None` for this member itself.
    pub fn end(&self) -> Option<&WakePipeWriter> {
        match &self.pipes {
            Pipes::Own(_) => None,
            Pipes::Peer { housekeeping, .. } => Some(housekeeping),
        }
    }

    /// Whether the kernel says that the member is dead: nobody holds its lock, or nobody has its pid.
    pub fn is_dead(&self, this: ProcessId) -> bool {
        self.pid_is_free(this) || lock::is_held(self.segment.file()).is_ok_and(|held| !held)
    }

    /// Whether no process has the member's pid any more, as this process sees it.
    pub fn pid_is_free(&self, this: ProcessId) -> bool {
        self.member_process.pid_is_free(this)
    }

    /// Wakes whoever waits for this port.
    pub fn ring_port(&self, port: &Port) {
        if let Some((offset, class)) = port.target()
            && let Some(doorbell) = self.segment.get::<Doorbell>(offset)
        {
            self.ring(doorbell, class);
        }
    }

    /// Wakes the member's housekeeping.
    pub fn ring_housekeeping(&self) {
        self.ring(&self.header.housekeeping, 0);
    }

    /// Rings a doorbell of the member.
    pub fn ring(&self, doorbell: &Doorbell, class: u32) {
        match doorbell.ring(class) {
            Wake::Awake => {}
            Wake::Futex => futex::wake(doorbell.word()),
            Wake::Pipe => self.ring_pipe(doorbell.pipe()),
        }
    }

    /// Remembers a pipe of this member.
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
            Pipes::Peer { place, executors, .. } => {
                if !ring_executor(&mut executors.lock(), place, self.process, number) {
                    // The pipe has no name, or this process has no descriptor left. The member's housekeeping
                    // finds the doorbell that was rung, and rings the pipe itself.
                    self.ring_housekeeping();
                }
            }
        }
    }
}

/// Rings the pipe of an executor. `false` if it can't be opened.
fn ring_executor(open: &mut Vec<(u32, WakePipeWriter)>, place: &Place, member: u64, number: u32) -> bool {
    if let Some((_, pipe)) = open.iter().find(|(other, _)| *other == number) {
        pipe.ring();
        return true;
    }
    if open.len() >= MOST_PIPES {
        // Executors come and go.
        open.clear();
    }
    let Ok(pipe) = place.open_pipe(member, number) else { return false };
    pipe.ring();
    open.push((number, pipe));
    true
}
