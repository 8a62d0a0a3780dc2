//! Waiting: one doorbell per thread that waits, and how long to look before lying down.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd},
    sync::Arc,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    thread::sched_getcpu,
};

use crate::{
    arena::MemoryError,
    link::Link,
    memory::{KeepAlive, Memory},
    os::{
        clock::{monotonic_now, timespec},
        futex,
        sched::tighten_timer_slack,
        segment::Mapped,
        wake_pipe::WakePipe,
    },
    protocol::doorbell::{CLASSES, Doorbell, ParkMode},
    usability::Unusable,
};

/// How a thread waits for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitStrategy {
    /// Sleeps at once. No CPU while idle; a wake-up from another CPU costs tens of microseconds.
    Block,
    /// Looks for a while first, if that is likely to pay: the last message came from another CPU,
    /// and messages have lately come within 100 µs. Then for twice as long as they took, else not
    /// at all.
    #[default]
    Adaptive,
    /// Never sleeps. The shortest latency, and all of one CPU.
    Spin,
}

/// The longest that `Adaptive` looks before it sleeps, in nanoseconds.
const LONGEST_LOOK: u64 = 100_000;
/// How often the doorbell is looked at between looks at the clock.
const GLANCE: u32 = 64;
/// The shortest look that is worth beginning, in nanoseconds: a little over a system call.
const SHORTEST_LOOK: u64 = 10_000;

/// Whom to ring: a doorbell and a class of it. Cheap to clone, and may be rung from any thread.
#[derive(Clone, Debug)]
pub struct Waker {
    link: Arc<Link>,
    /// Where the doorbell lies in its segment.
    pub doorbell: u64,
    /// The class that is marked.
    pub class: u32,
}

impl Waker {
    /// Wakes the waiter, or keeps it from sleeping, and marks the class as ready.
    pub fn ring(&self) {
        if self.link.origin.is_here()
            && let Some(doorbell) = self.link.segment.get::<Doorbell>(self.doorbell)
        {
            self.link.ring(doorbell, self.class);
        }
    }

    /// One that wakes the same waiter, and marks another class; see [`Waiter::waker`].
    pub fn of_class(&self, class: u32) -> Self {
        Self { class: class % CLASSES, ..self.clone() }
    }

    /// The context whose waiter it wakes.
    pub fn process(&self) -> u64 {
        self.link.process
    }

    /// The class that is marked: a bit of what [`Waiter::wait`] returns.
    pub fn class(&self) -> u32 {
        self.class
    }
}

/// A thread's place to wait.
///
/// **Invariant:** used by one thread at a time, which `&mut` ensures.
#[derive(Debug)]
pub struct Waiter {
    doorbell: Mapped<Doorbell>,
    offset: u64,
    pipe: Option<Arc<WakePipe>>,
    memory: Arc<Memory>,
    /// Held, not used.
    _keep_alive: KeepAlive,
    traffic: Traffic,
}

/// Where messages came from that were taken after a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuCounts {
    /// How many from the CPU that took them.
    pub same_cpu: u64,
    /// How many from another.
    pub other_cpu: u64,
}

/// What came lately, for [`WaitStrategy::Adaptive`].
#[derive(Clone, Copy, Debug)]
struct Traffic {
    /// The CPU that the last message came from.
    peer_cpu: u32,
    /// About how long the thread lately waited until a message was sent, in nanoseconds.
    gap: u64,
    /// When the present wait began, in monotonic nanoseconds.
    wait_began: Option<u64>,
    /// Where messages came from.
    cpu_counts: CpuCounts,
}

impl Waiter {
    /// A place to wait in this process's memory.
    pub fn new(memory: Arc<Memory>, keep_alive: KeepAlive) -> Result<Self, MemoryError> {
        let (doorbell, offset) = memory.open_doorbell()?;
        let traffic =
            Traffic { peer_cpu: u32::MAX, gap: u64::MAX, wait_began: None, cpu_counts: CpuCounts::default() };
        Ok(Self { doorbell, offset, pipe: None, memory, _keep_alive: keep_alive, traffic })
    }

    /// A waker for one of the [`Waiter::CLASSES`] classes; higher numbers share one.
    pub fn waker(&self, class: u32) -> Waker {
        Waker { link: self.memory.link.clone(), doorbell: self.offset, class: class % CLASSES }
    }

    /// How many classes are told apart.
    pub const CLASSES: u32 = CLASSES;

    /// Whether nothing that it waits for comes any more: it was inherited over `fork`, or its context was
    /// expelled. Then a wait returns at once.
    pub fn check(&self) -> Result<(), Unusable> {
        self.memory.usability.check()
    }

    fn is_inert(&self) -> bool {
        !self.memory.usability.may_use()
    }

    /// Takes the classes that are ready, a bit each, without waiting.
    pub fn collect(&mut self) -> u32 {
        if self.is_inert() { 0 } else { self.doorbell.collect() }
    }

    /// Waits until a class is ready or the monotonic `deadline` in nanoseconds has come, and takes
    /// the classes that are ready. Returns at once if [`Waiter::check`] fails.
    ///
    /// It may return 0 before, too: for a signal, or for a wake that came so late that what it was for had been taken
    /// at a look. The caller waits again.
    pub fn wait(&mut self, strategy: WaitStrategy, deadline: Option<u64>) -> u32 {
        if self.is_inert() {
            return 0;
        }
        let ready = self.look(strategy, deadline);
        let is_over = deadline.is_some_and(|deadline| monotonic_now() >= deadline);
        if ready != 0 || is_over {
            return ready;
        }
        if !self.doorbell.park(ParkMode::Futex) {
            // It was rung since the look.
            return self.doorbell.collect();
        }
        tighten_timer_slack();
        futex::wait(self.doorbell.word(), Doorbell::asleep(ParkMode::Futex), deadline);
        self.doorbell.collect()
    }

    /// Looks without a pause until a class is ready or the monotonic `deadline` in nanoseconds has come, which it
    /// meets to within a look at the clock.
    pub fn spin_until(&mut self, deadline: u64) -> u32 {
        while !self.is_inert() && !self.doorbell.is_rung() && monotonic_now() < deadline {
            std::hint::spin_loop();
        }
        self.collect()
    }

    /// As [`Waiter::wait`], and returns as soon as one of `fds` has an event it polls for: the
    /// ready classes, and the events of each descriptor.
    ///
    /// # Errors
    /// Those of `poll`, of making the pipe, and of [`Waiter::check`].
    pub fn wait_with_fds(
        &mut self,
        fds: &[PollFd<'_>],
        deadline: Option<u64>,
    ) -> io::Result<(u32, Vec<PollFlags>)> {
        self.open_pipe()?;
        tighten_timer_slack();
        let ready = self.doorbell.collect();
        let asleep = ready == 0 && self.doorbell.park(ParkMode::Pipe);
        let left = deadline.map(|deadline| deadline.saturating_sub(monotonic_now()));
        let timeout = if asleep { left } else { Some(0) };
        let events = self.poll(fds, timeout)?;
        Ok((ready | self.doorbell.collect(), events))
    }

    /// Polls the pipe and `fds` for at most `timeout` nanoseconds.
    fn poll(&self, fds: &[PollFd<'_>], timeout: Option<u64>) -> io::Result<Vec<PollFlags>> {
        let own = self.pipe.as_ref().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
        let mut all: Vec<PollFd<'_>> = fds.iter().cloned().chain(own).collect();
        match poll(&mut all, timeout.map(timespec).as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(pipe) = &self.pipe {
            pipe.clear();
        }
        Ok(all[..fds.len()].iter().map(PollFd::revents).collect())
    }

    /// A file descriptor for a foreign loop: readable once a class is ready, until the next
    /// [`Waiter::arm`].
    pub fn fd(&mut self) -> io::Result<BorrowedFd<'_>> {
        match self.open_pipe()? {
            Some(pipe) => Ok(pipe.as_fd()),
            None => Err(io::Error::other("the waiter has no pipe")),
        }
    }

    /// Makes the descriptor of [`Waiter::fd`] unreadable until something is ready. Returns what is
    /// ready already: then it stays to be armed again.
    pub fn arm(&mut self) -> io::Result<u32> {
        if let Some(pipe) = self.open_pipe()? {
            pipe.clear();
        }
        let ready = self.doorbell.collect();
        if ready != 0 || self.doorbell.park(ParkMode::Pipe) { Ok(ready) } else { Ok(self.doorbell.collect()) }
    }

    fn open_pipe(&mut self) -> io::Result<Option<&Arc<WakePipe>>> {
        self.check().map_err(|unusable| io::Error::other(unusable.to_string()))?;
        if self.pipe.is_none() {
            let (pipe, number) = self.memory.open_pipe(self.offset)?;
            self.doorbell.set_pipe(number);
            self.pipe = Some(pipe);
        }
        Ok(self.pipe.as_ref())
    }

    /// Tells how a message came that was taken after a wait; `Adaptive` learns from it.
    ///
    /// `sent_at` is when it was sent, in monotonic nanoseconds.
    pub fn observe(&mut self, sent_at: i64, cpu: u32) {
        self.traffic.peer_cpu = cpu;
        if cpu == sched_getcpu() as u32 {
            self.traffic.cpu_counts.same_cpu += 1;
        } else {
            self.traffic.cpu_counts.other_cpu += 1;
        }
        let gap = match self.traffic.wait_began.take() {
            Some(began) => sent_at.saturating_sub(began as i64).max(0) as u64,
            // It came at a glance, or before anybody waited.
            None => 0,
        };
        self.traffic.learn(gap);
    }

    /// Where messages came from.
    pub fn cpu_counts(&self) -> CpuCounts {
        self.traffic.cpu_counts
    }

    /// Looks for as long as the strategy says.
    fn look(&mut self, strategy: WaitStrategy, deadline: Option<u64>) -> u32 {
        let budget = match strategy {
            WaitStrategy::Block => return self.doorbell.collect(),
            WaitStrategy::Spin => u64::MAX,
            WaitStrategy::Adaptive => self.traffic.look_for(),
        };
        if budget > 0 && self.glance() {
            return self.doorbell.collect();
        }
        let now = monotonic_now();
        self.traffic.wait_began.get_or_insert(now);
        let until = now.saturating_add(budget).min(deadline.unwrap_or(u64::MAX));
        while budget > 0 && monotonic_now() < until {
            if self.glance() {
                break;
            }
        }
        self.doorbell.collect()
    }

    /// Looks at the doorbell for about a microsecond, without a look at the clock, which would
    /// cost as much as several of the doorbell.
    fn glance(&self) -> bool {
        (0..GLANCE).any(|_| {
            std::hint::spin_loop();
            self.doorbell.is_rung()
        })
    }
}

impl Traffic {
    /// How long to look before sleeping, in nanoseconds; 0 if it can't pay.
    fn look_for(&self) -> u64 {
        let apart = self.peer_cpu != sched_getcpu() as u32;
        if !apart || self.gap > LONGEST_LOOK {
            return 0;
        }
        (self.gap * 2).clamp(SHORTEST_LOOK, LONGEST_LOOK)
    }

    /// Takes in how long it took until a message was sent.
    fn learn(&mut self, gap: u64) {
        // An average over about four, that forgets a long pause as fast as it begins.
        self.gap = match self.gap {
            u64::MAX => gap,
            before => (before / 4).saturating_mul(3).saturating_add(gap / 4),
        };
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if self.memory.usability.may_release() {
            self.memory.close_doorbell(self.doorbell.clone(), self.offset);
        }
    }
}
