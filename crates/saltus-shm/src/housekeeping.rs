//! The one thread per context that does what must be done while nobody spins: getting to know
//! newcomers, serving late joiners, noticing death, sweeping.
//!
//! It is parked in a poll on its bell and on a pidfd per peer, so the death of a peer wakes it at
//! once. A process of another PID namespace can't be watched that way; its file lock is looked at
//! every 50 ms while there is one. So is one whose file could not be opened yet.

use std::{
    collections::{HashMap, hash_map::Entry},
    io,
    os::{fd::AsFd, fd::OwnedFd, unix::fs::MetadataExt},
    sync::{Arc, LazyLock, atomic::Ordering},
    thread::JoinHandle,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};

use crate::{
    link::Link,
    os::{
        bell::Bell,
        clock::{monotonic_now, timespec},
    },
    own::{is_alive, is_own},
    presence::{Presence, WeakPresence},
    protocol::doorbell::Bed,
    shared::Shared,
};

/// How often those are looked at that can't be watched, in nanoseconds.
const LOOK: u64 = 50_000_000;
/// It recurses into nothing deep; the default of 8 MiB would count in nobody's favour.
const STACK: usize = 256 << 10;

/// The identity of this process's PID namespace, 0 if the system does not tell.
pub(crate) fn pid_namespace() -> u64 {
    static NAMESPACE: LazyLock<u64> =
        LazyLock::new(|| std::fs::metadata("/proc/self/ns/pid").map_or(0, |meta| meta.ino()));
    *NAMESPACE
}

/// How the death of a peer is noticed.
#[derive(Debug)]
enum Watch {
    /// Its pidfd becomes readable.
    Pidfd(OwnedFd),
    /// Its file lock is looked at.
    Lock,
    /// It is a context of this process and says so itself.
    Own,
}

impl Watch {
    fn of(link: &Link) -> Self {
        if is_own(link.process) {
            return Self::Own;
        }
        let namespace = link.header.pid_namespace.load(Ordering::Relaxed);
        let pid = Pid::from_raw(link.header.pid.load(Ordering::Relaxed) as i32);
        match pid {
            Some(pid) if namespace == pid_namespace() && namespace != 0 => {
                pidfd_open(pid, PidfdFlags::empty()).map_or(Self::Lock, Self::Pidfd)
            }
            _ => Self::Lock,
        }
    }
}

/// Starts the thread. It ends when the participant's `stop` is set and its bell is rung.
pub(crate) fn spawn(presence: &Presence, bell: Arc<Bell>) -> io::Result<JoinHandle<()>> {
    let (shared, presence) = (presence.shared.clone(), Arc::downgrade(presence));
    let thread = std::thread::Builder::new().name("saltus-house".into()).stack_size(STACK);
    crate::os::thread::spawn(thread, move || {
        Housekeeper { shared, presence, bell, watches: HashMap::new(), looked_at: 0 }.run();
    })
}

struct Housekeeper {
    shared: Arc<Shared>,
    presence: WeakPresence,
    bell: Arc<Bell>,
    watches: HashMap<u64, Watch>,
    /// When those were last looked at that can't be watched, in monotonic nanoseconds.
    looked_at: u64,
}

impl Housekeeper {
    fn run(mut self) {
        loop {
            let timeout = self.shared.monitor();
            let woken = self.sleep(timeout);
            if self.shared.stop.load(Ordering::Acquire) {
                return;
            }
            if woken {
                self.shared.sync(&self.presence);
            }
        }
    }

    /// Sleeps until rung, a peer has died, or the time in nanoseconds has passed. Whether it was
    /// anything but the time.
    fn sleep(&mut self, timeout: Option<u64>) -> bool {
        self.watch_peers();
        let doorbell = &self.shared.link.header.housekeeping;
        let mut woken = true;
        if doorbell.park(Bed::Pipe) {
            let (dead, rung) = self.poll(timeout);
            woken = rung || !dead.is_empty();
            dead.into_iter().for_each(|process| self.shared.bury_process(process));
        }
        self.bell.clear();
        // What was rung between the poll and here must be looked at too.
        self.shared.link.header.housekeeping.collect() != 0 || woken
    }

    fn watch_peers(&mut self) {
        let peers = self.shared.peers();
        self.watches.retain(|process, _| peers.iter().any(|link| link.process == *process));
        for link in peers {
            let Entry::Vacant(place) = self.watches.entry(link.process) else { continue };
            place.insert(Watch::of(&link));
            // Dead before it was watched, and its pid perhaps somebody else's by now.
            if !is_alive(self.shared.domain.id(), link.process) {
                self.shared.bury_process(link.process);
            }
        }
    }

    /// Waits, and returns who died, and whether the graph must be looked at anyway.
    fn poll(&mut self, timeout: Option<u64>) -> (Vec<u64>, bool) {
        let watched: Vec<(u64, &OwnedFd)> = self
            .watches
            .iter()
            .filter_map(|(process, watch)| match watch {
                Watch::Pidfd(fd) => Some((*process, fd)),
                Watch::Lock | Watch::Own => None,
            })
            .collect();
        let by_lock: Vec<u64> = self
            .watches
            .iter()
            .filter(|(_, w)| matches!(w, Watch::Lock))
            .map(|(process, _)| *process)
            .collect();
        let mut fds = vec![PollFd::from_borrowed_fd(self.bell.as_fd(), PollFlags::IN)];
        fds.extend(watched.iter().map(|(_, fd)| PollFd::new(*fd, PollFlags::IN)));
        let must_look = !by_lock.is_empty() || self.shared.has_strangers();
        let until_look = (self.looked_at + LOOK).saturating_sub(monotonic_now());
        let timeout = timeout.into_iter().chain(must_look.then_some(until_look)).min();
        // An interruption by a signal is a wake-up like any other.
        let _ = poll(&mut fds, timeout.map(timespec).as_ref());
        let rung = !fds[0].revents().is_empty();
        let look = must_look && monotonic_now() >= self.looked_at + LOOK;
        let by_pidfd = watched.iter().zip(&fds[1..]).filter(|(_, polled)| !polled.revents().is_empty());
        let unlocked =
            by_lock.into_iter().filter(|process| look && !is_alive(self.shared.domain.id(), *process));
        let dead = by_pidfd.map(|((process, _), _)| *process).chain(unlocked).collect();
        if look {
            self.looked_at = monotonic_now();
        }
        (dead, rung || look)
    }
}
