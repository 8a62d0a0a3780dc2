//! The one thread per context that does what must be done while nobody spins: getting to know
//! newcomers, serving late joiners, noticing the end of peers, and keeping this member listed.
//!
//! It sleeps in a poll on its own pipe, and on a writing end of each peer's pipe. An error of that only says that the
//! peer may be gone: what counts is the proof (see [`saltus_memory::membership`]). Once a second it looks whether this member
//! can still be found by those who join, whether a peer has ended whose pipe a child keeps open, and whether anything
//! changed that nobody rang for.

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
    membership::Standing,
    os::{
        clock::{monotonic_now, timespec},
        thread,
        wake_pipe::WakePipe,
    },
    protocol::doorbell::ParkMode,
};

use crate::host::Host;

/// How often this member looks whether it is still listed, in nanoseconds.
const CHECK_PERIOD: u64 = 1_000_000_000;
/// How often members are tried again whose memory could not be opened, in nanoseconds.
const RETRY_PERIOD: u64 = 50_000_000;
/// When a proof is first looked for again after a hint, in nanoseconds. The pause doubles up to
/// [`RETRY_PERIOD`]: a process that ends closes its descriptors one after the other.
const FIRST_PAUSE: u64 = 1_000_000;
/// The size of the thread's stack. It calls nothing deep, and the default of 8 MiB would be wasted.
const STACK: usize = 256 << 10;

/// A peer may be gone, and no proof of it was found yet.
#[derive(Clone, Copy, Debug)]
struct Suspicion {
    /// When to look again, in monotonic nanoseconds.
    look_at: u64,
    pause: u64,
}

/// What a poll reports an error of when the peer may be gone; `None` for this member itself.
fn hint(peer: &Link) -> Option<PollFd<'_>> {
    peer.end().map(|pipe| PollFd::new(pipe, PollFlags::empty()))
}

fn has_hint(peer: &Link) -> bool {
    let mut hints: Vec<PollFd<'_>> = hint(peer).into_iter().collect();
    poll(&mut hints, Some(&timespec(0))).is_ok_and(|ready| ready > 0)
}

/// Starts the thread. It ends when the host's `stop` is set and its pipe is rung.
pub(crate) fn spawn(host: Arc<Host>, pipe: Arc<WakePipe>) -> io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name("saltus-house".into()).stack_size(STACK);
    thread::spawn(builder, move || {
        let (suspicions, check_at) = (HashMap::new(), monotonic_now() + CHECK_PERIOD);
        Housekeeper { host, pipes: vec![pipe], suspicions, check_at, retry_at: 0 }.run();
    })
}

struct Housekeeper {
    host: Arc<Host>,
    /// The pipes that peers ring. The last is the one that newcomers find; those before it had a name once.
    pipes: Vec<Arc<WakePipe>>,
    /// Peers that may be gone, by their ids.
    suspicions: HashMap<u64, Suspicion>,
    /// When to look next whether this member is listed, in monotonic nanoseconds.
    check_at: u64,
    /// When to try next those whose memory could not be opened.
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

    /// Looks whether this member is listed, and what it missed. `false` if it can't take part any more.
    fn check(&mut self) -> bool {
        self.check_at = monotonic_now() + CHECK_PERIOD;
        self.forget_ended();
        let Some(pipe) = self.pipes.last() else { return true };
        match self.host.memory.membership.check(pipe) {
            Standing::Listed => self.host.sync(),
            Standing::Unlisted(reason) => {
                if let Some(reason) = reason {
                    self.host.tell_later(GraphEvent::Unlisted { reason });
                }
                self.host.sync();
            }
            Standing::Relisted(pipe) => {
                if let Some(pipe) = pipe.map(Arc::new) {
                    self.host.memory.link.add_own_pipe(HOUSEKEEPING_PIPE, &pipe);
                    self.pipes.push(pipe);
                }
                // Others may have listed themselves there before.
                self.host.sync();
                // And those who did not know this member find it only now.
                self.host.notify(&mut self.host.lock());
            }
            Standing::Expelled { reason, is_taken_back } => {
                self.host.expel(reason, is_taken_back);
                if !is_taken_back {
                    self.wait_for_stop();
                }
                return false;
            }
        }
        self.host.retry_connections();
        true
    }

    /// Keeps the pipes of a member that was expelled, so that its peers do not take it for one that ends.
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

    /// Forgets peers that have ended, and whose lock and pipe a child keeps.
    fn forget_ended(&self) {
        let this = self.host.memory.membership.process();
        let peers = self.host.peers();
        let ended = peers.iter().filter(|peer| peer.pid_is_free(this)).map(|peer| peer.process);
        self.host.forget_dead(&ended.collect::<Vec<u64>>());
    }

    /// Sleeps until rung, a peer has ended, or the time in nanoseconds has passed. Whether the graph must be
    /// looked at.
    fn sleep(&mut self, timeout: Option<u64>) -> bool {
        let mut is_woken = true;
        if self.host.memory.link.header.housekeeping.park(ParkMode::Pipe) {
            is_woken = self.poll(timeout);
        }
        self.pipes.iter().for_each(|pipe| pipe.clear());
        // What was rung between the poll and here must be looked at too.
        self.host.memory.link.header.housekeeping.collect() != 0 || is_woken
    }

    /// Waits, and deals with peers that have ended. Whether the graph must be looked at.
    fn poll(&mut self, timeout: Option<u64>) -> bool {
        let peers = self.host.peers();
        self.suspicions.retain(|process, _| peers.iter().any(|peer| peer.process == *process));
        let timeout = self.next_wake(timeout).saturating_sub(monotonic_now());
        let mut fds = self.own_pipes();
        let unsuspected = peers.iter().filter(|peer| !self.suspicions.contains_key(&peer.process));
        fds.extend(unsuspected.filter_map(|peer| hint(peer)));
        // An interruption by a signal is a wake-up like any other.
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

    /// The peers that are proven dead.
    fn find_dead(&mut self, peers: &[Arc<Link>], now: u64, is_hinted: bool) -> Vec<u64> {
        let mut dead = Vec::new();
        for peer in peers {
            let is_due = match self.suspicions.get(&peer.process) {
                Some(suspicion) => now >= suspicion.look_at,
                None => is_hinted && has_hint(peer),
            };
            if is_due && self.examine(peer, now) {
                dead.push(peer.process);
            }
        }
        dead
    }

    /// Looks for a proof that a peer is dead, after a hint. Notes when to look again if there is none.
    fn examine(&mut self, peer: &Link, now: u64) -> bool {
        let before = self.suspicions.remove(&peer.process);
        if peer.is_dead(self.host.memory.membership.process()) {
            return true;
        }
        if has_hint(peer) {
            let pause = before.map_or(FIRST_PAUSE, |before| (before.pause * 2).min(RETRY_PERIOD));
            self.suspicions.insert(peer.process, Suspicion { look_at: now + pause, pause });
        }
        false
    }

    /// When there is something to do even if nobody rings, in monotonic nanoseconds.
    fn next_wake(&self, timeout: Option<u64>) -> u64 {
        let times = self.suspicions.values().map(|suspicion| suspicion.look_at);
        let retry = self.host.has_unreachable().then_some(self.retry_at);
        let times = times.chain(retry).chain(timeout.map(|timeout| monotonic_now() + timeout));
        times.fold(self.check_at, u64::min)
    }
}
