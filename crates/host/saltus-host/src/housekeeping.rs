//! The housekeeping thread. Each context has one. It does the work that must be done even if no other thread runs: it
//! adds new peers, connects late subscriptions, notices when peers end, and keeps this member listed.
//!
//! It sleeps in a poll on its own pipe and on a writing end of each peer's pipe. An error on a writing end is only a
//! hint that the peer may be gone. The thread then searches for a proof (see [`saltus_memory::membership`]). Once a
//! second it checks three things: whether processes that join can still find this member; whether a peer has ended
//! while one of its children keeps its pipe open; and whether anything changed without a ring.

use std::{
    collections::HashMap,
    io,
    os::fd::AsFd,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
};

use rustix::event::{PollFd, PollFlags, poll};

use saltus_graph::GraphEvent;
use saltus_memory::{
    header::HOUSEKEEPING_PIPE,
    link::Link,
    membership::MembershipStatus,
    os::{
        clock::{monotonic_now, timespec},
        thread,
        wake_pipe::WakePipe,
    },
    protocol::doorbell::ParkMode,
};

use crate::host::Host;

/// The period with which this member checks whether it is still listed, in nanoseconds.
const CHECK_PERIOD: u64 = 1_000_000_000;
/// The period with which opening the memory of unreachable members is tried again, in nanoseconds.
const RETRY_PERIOD: u64 = 50_000_000;
/// The first pause between two searches for a proof after a hint, in nanoseconds. The pause doubles up to
/// [`RETRY_PERIOD`], because a process that ends closes its descriptors one after the other.
const FIRST_PAUSE: u64 = 1_000_000;
/// The size of the thread's stack. It makes no deep calls, and the default of 8 MiB would waste memory.
const STACK: usize = 256 << 10;

/// A hint that a peer may be gone, without a proof so far.
#[derive(Clone, Copy, Debug)]
struct Suspicion {
    /// When to search for a proof again, in monotonic nanoseconds.
    recheck_at: u64,
    pause: u64,
}

/// Returns the descriptor on which a poll reports an error if the peer may be gone; `None` for this member itself.
fn hint(peer: &Link) -> Option<PollFd<'_>> {
    peer.housekeeping_pipe().map(|pipe| PollFd::new(pipe, PollFlags::empty()))
}

fn has_hint(peer: &Link) -> bool {
    let mut hints: Vec<PollFd<'_>> = hint(peer).into_iter().collect();
    poll(&mut hints, Some(&timespec(0))).is_ok_and(|ready| ready > 0)
}

/// Starts the thread. It ends once the host's `stop` is set and its pipe is rung.
pub(crate) fn spawn(host: Arc<Host>, pipe: Arc<WakePipe>) -> io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name("saltus-house".into()).stack_size(STACK);
    thread::spawn(builder, move || {
        let (suspicions, check_at) = (HashMap::new(), monotonic_now() + CHECK_PERIOD);
        Housekeeper { host, pipes: vec![pipe], suspicions, check_at, retry_at: 0 }.run();
    })
}

struct Housekeeper {
    host: Arc<Host>,
    /// The pipes that peers ring. New peers find the last one. The names of the others were removed.
    pipes: Vec<Arc<WakePipe>>,
    /// Peers that may be gone, by their ids.
    suspicions: HashMap<u64, Suspicion>,
    /// When to check next whether this member is listed, in monotonic nanoseconds.
    check_at: u64,
    /// When to try unreachable members again, in monotonic nanoseconds.
    retry_at: u64,
}

impl Housekeeper {
    fn run(mut self) {
        loop {
            let timeout = self.host.monitor();
            let is_woken = self.sleep(timeout);
            if self.host.stop.load(Ordering::Acquire) {
                return;
            }
            self.host.memory.relay_rings();
            self.host.memory.arena.refill();
            if monotonic_now() >= self.check_at && !self.check() {
                return;
            }
            if is_woken {
                self.host.sync();
            }
        }
    }

    /// Checks whether this member is listed, and updates what it knows of the domain. Returns `false` if it was
    /// expelled.
    fn check(&mut self) -> bool {
        self.check_at = monotonic_now() + CHECK_PERIOD;
        self.forget_ended();
        let Some(pipe) = self.pipes.last() else { return true };
        match self.host.memory.membership.check(pipe) {
            MembershipStatus::Listed => self.host.sync(),
            MembershipStatus::Unlisted(reason) => {
                if let Some(reason) = reason {
                    self.host.queue_event(GraphEvent::Unlisted { reason });
                }
                self.host.sync();
            }
            MembershipStatus::Relisted(pipe) => {
                if let Some(pipe) = pipe.map(Arc::new) {
                    self.host.memory.link.add_own_pipe(HOUSEKEEPING_PIPE, &pipe);
                    self.pipes.push(pipe);
                }
                // Other members may have listed themselves there before.
                self.host.sync();
                // Members that did not know this member find it only now.
                self.host.notify(&mut self.host.lock());
            }
            MembershipStatus::Expelled { reason, may_be_proven_dead } => {
                self.host.expel(reason, may_be_proven_dead);
                if !may_be_proven_dead {
                    self.wait_for_stop();
                }
                return false;
            }
        }
        self.host.retry_connections();
        true
    }

    /// Keeps the pipes of an expelled member open until `stop` is set. Otherwise its peers would get a hint that it is
    /// gone.
    fn wait_for_stop(&self) {
        while !self.host.stop.load(Ordering::Acquire) {
            if self.host.memory.link.header.housekeeping.park(ParkMode::Pipe) {
                let _ = poll(&mut self.own_pipes(), None);
            }
            self.pipes.iter().for_each(|pipe| pipe.clear());
            self.host.memory.link.header.housekeeping.collect();
        }
    }

    fn own_pipes(&self) -> Vec<PollFd<'_>> {
        self.pipes.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)).collect()
    }

    /// Forgets peers that have ended although a child keeps their lock and pipe.
    fn forget_ended(&self) {
        let this = self.host.memory.membership.process();
        let peers = self.host.peers();
        let ended = peers.iter().filter(|peer| peer.pid_is_free(this)).map(|peer| peer.process);
        self.host.forget_dead(&ended.collect::<Vec<u64>>());
    }

    /// Sleeps until it is rung, a peer has ended, or `timeout` nanoseconds have passed. Returns whether the graph must
    /// be updated.
    fn sleep(&mut self, timeout: Option<u64>) -> bool {
        let mut is_woken = true;
        if self.host.memory.link.header.housekeeping.park(ParkMode::Pipe) {
            is_woken = self.poll(timeout);
        }
        self.pipes.iter().for_each(|pipe| pipe.clear());
        // A ring between the poll and this line counts too.
        self.host.memory.link.header.housekeeping.collect() != 0 || is_woken
    }

    /// Waits, and removes peers that have ended. Returns whether the graph must be updated.
    fn poll(&mut self, timeout: Option<u64>) -> bool {
        let peers = self.host.peers();
        self.suspicions.retain(|process, _| peers.iter().any(|peer| peer.process == *process));
        let timeout = self.next_wake(timeout).saturating_sub(monotonic_now());
        let mut fds = self.own_pipes();
        let unsuspected = peers.iter().filter(|peer| !self.suspicions.contains_key(&peer.process));
        fds.extend(unsuspected.filter_map(|peer| hint(peer)));
        // An interruption by a signal counts as a wake-up.
        let _ = poll(&mut fds, Some(&timespec(timeout)));
        let (own, hints) = fds.split_at(self.pipes.len());
        let is_rung = own.iter().any(|polled| !polled.revents().is_empty());
        let has_hint = hints.iter().any(|polled| !polled.revents().is_empty());
        let now = monotonic_now();
        let dead = self.find_dead(&peers, now, has_hint);
        self.host.forget_dead(&dead);
        let is_retry = self.host.has_unreachable() && now >= self.retry_at;
        if is_retry {
            self.retry_at = now + RETRY_PERIOD;
        }
        is_rung || is_retry || !dead.is_empty()
    }

    /// Returns the peers that are proven dead.
    fn find_dead(&mut self, peers: &[Arc<Link>], now: u64, is_hinted: bool) -> Vec<u64> {
        let mut dead = Vec::new();
        for peer in peers {
            let is_due = match self.suspicions.get(&peer.process) {
                Some(suspicion) => now >= suspicion.recheck_at,
                None => is_hinted && has_hint(peer),
            };
            if is_due && self.examine(peer, now) {
                dead.push(peer.process);
            }
        }
        dead
    }

    /// Searches for a proof that a peer is dead, after a hint. If there is none, notes when to search again.
    fn examine(&mut self, peer: &Link, now: u64) -> bool {
        let before = self.suspicions.remove(&peer.process);
        if peer.is_dead(self.host.memory.membership.process()) {
            return true;
        }
        if has_hint(peer) {
            let pause = before.map_or(FIRST_PAUSE, |before| (before.pause * 2).min(RETRY_PERIOD));
            self.suspicions.insert(peer.process, Suspicion { recheck_at: now + pause, pause });
        }
        false
    }

    /// Returns when to wake up without a ring, in monotonic nanoseconds.
    fn next_wake(&self, timeout: Option<u64>) -> u64 {
        let times = self.suspicions.values().map(|suspicion| suspicion.recheck_at);
        let retry = self.host.has_unreachable().then_some(self.retry_at);
        let times = times.chain(retry).chain(timeout.map(|timeout| monotonic_now() + timeout));
        times.fold(self.check_at, u64::min)
    }
}
