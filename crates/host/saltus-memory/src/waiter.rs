//! Waiting for messages. Each thread that waits has a doorbell. This module decides how long the thread polls the
//! doorbell before it parks.

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
    arrivals::{Arrivals, Window},
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

/// The way in which a thread waits for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitStrategy {
    /// Parks at once. Uses no CPU while idle. A wake-up from another CPU costs tens of microseconds.
    Block,
    /// Polls before it parks, if the last message came from another CPU and recent messages came within
    /// 100 µs. It polls for twice the average of that time. If messages come at regular longer intervals, it parks,
    /// wakes shortly before the next one is expected, and polls for it; that takes at most a quarter of a CPU.
    /// Otherwise it parks at once, as `Block` does.
    #[default]
    Adaptive,
    /// Never parks. Has the shortest latency, and uses all of one CPU.
    Spin,
}

/// The longest time that `Adaptive` polls before it parks, in nanoseconds.
const LONGEST_POLL: u64 = 100_000;
/// The number of times that the doorbell is read between two readings of the clock.
const POLLS_PER_CLOCK_READING: u32 = 64;
/// The shortest time that `Adaptive` polls, in nanoseconds: a little more than a system call takes.
const SHORTEST_POLL: u64 = 10_000;

/// Wakes a [`Waiter`]: names its doorbell and one of its classes. Cheap to clone; any thread may ring it.
#[derive(Clone, Debug)]
pub struct Waker {
    link: Arc<Link>,
    /// The offset of the doorbell in its segment.
    pub doorbell: u64,
    /// The class that is marked as ready.
    pub class: u32,
}

impl Waker {
    /// Marks the class as ready, and wakes the waiter if it is parked.
    pub fn ring(&self) {
        if self.link.origin.is_here()
            && let Some(doorbell) = self.link.segment.get::<Doorbell>(self.doorbell)
        {
            self.link.ring(doorbell, self.class);
        }
    }

    /// Returns a waker of the same waiter that marks another class; see [`Waiter::waker`].
    pub fn of_class(&self, class: u32) -> Self {
        Self { class: class % CLASSES, ..self.clone() }
    }

    /// Returns the id of the member that the waiter belongs to.
    pub(crate) fn process(&self) -> u64 {
        self.link.process
    }

    /// Returns the class that it marks: a bit of the result of [`Waiter::wait`].
    pub fn class(&self) -> u32 {
        self.class
    }
}

/// A doorbell with which one thread waits.
///
/// **Invariant:** only one thread at a time uses it. `&mut` ensures this.
#[derive(Debug)]
pub struct Waiter {
    doorbell: Mapped<Doorbell>,
    offset: u64,
    pipe: Option<Arc<WakePipe>>,
    memory: Arc<Memory>,
    /// Never read. It keeps this process in the domain.
    _keep_alive: KeepAlive,
    traffic: Traffic,
}

/// The number of messages that came from each CPU. Only messages that were taken after a wait are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuCounts {
    /// Messages from the CPU that took them.
    pub same_cpu: u64,
    /// Messages from another CPU.
    pub other_cpu: u64,
}

/// Recent traffic, from which [`WaitStrategy::Adaptive`] decides.
#[derive(Clone, Copy, Debug)]
struct Traffic {
    /// The CPU of the last message's sender.
    peer_cpu: u32,
    /// The average time from the beginning of a wait until a message was sent, in nanoseconds.
    gap: u64,
    /// When the current wait began, in monotonic nanoseconds.
    wait_began: Option<u64>,
    cpu_counts: CpuCounts,
    arrivals: Arrivals,
}

impl Waiter {
    /// Creates a waiter, whose doorbell is in this process's segment.
    pub fn new(memory: Arc<Memory>, keep_alive: KeepAlive) -> Result<Self, MemoryError> {
        let (doorbell, offset) = memory.open_doorbell()?;
        let traffic = Traffic {
            peer_cpu: u32::MAX,
            gap: u64::MAX,
            wait_began: None,
            cpu_counts: CpuCounts::default(),
            arrivals: Arrivals::default(),
        };
        Ok(Self { doorbell, offset, pipe: None, memory, _keep_alive: keep_alive, traffic })
    }

    /// Returns a waker for one of the [`Waiter::CLASSES`] classes. The number is taken modulo that count.
    pub fn waker(&self, class: u32) -> Waker {
        Waker { link: self.memory.link.clone(), doorbell: self.offset, class: class % CLASSES }
    }

    /// The number of classes that a waiter distinguishes.
    pub const CLASSES: u32 = CLASSES;

    /// Checks that the waiter can still be woken. It can't be woken in a child after `fork`, or after its context was
    /// expelled. Then a wait returns at once.
    #[inline]
    pub fn check(&self) -> Result<(), Unusable> {
        self.memory.usability.check()
    }

    /// Whether the waiter can't be woken any more; see [`Waiter::check`].
    #[inline]
    fn is_inert(&self) -> bool {
        !self.memory.usability.may_use()
    }

    /// Takes the classes that are ready, one bit each, without waiting.
    #[inline]
    pub fn collect(&mut self) -> u32 {
        if self.is_inert() { 0 } else { self.doorbell.collect() }
    }

    /// Waits until a class is ready or the monotonic `deadline` in nanoseconds has passed. Takes the classes that
    /// are ready. Returns at once if [`Waiter::check`] fails.
    ///
    /// It may return 0 early: after a signal, or after a late wake for something that was already taken. A class may
    /// be ready although there is nothing to take: a new connection rings too. The caller checks, and waits again.
    pub fn wait(&mut self, strategy: WaitStrategy, deadline: Option<u64>) -> u32 {
        if self.is_inert() {
            return 0;
        }
        let ready = self.poll_doorbell(strategy, deadline);
        let now = monotonic_now();
        if ready != 0 || deadline.is_some_and(|deadline| now >= deadline) {
            return ready;
        }
        if strategy == WaitStrategy::Adaptive
            && let Some(window) = self.traffic.expected(now)
            && deadline.is_none_or(|deadline| window.until < deadline)
        {
            let ready = self.park_until(Some(window.from));
            let ready = if ready == 0 { self.spin_until(window.until) } else { ready };
            if ready != 0 {
                return ready;
            }
        }
        self.park_until(deadline)
    }

    /// Parks until a class is ready or the monotonic `deadline` in nanoseconds has passed.
    fn park_until(&mut self, deadline: Option<u64>) -> u32 {
        if self.doorbell.park(ParkMode::Futex) {
            tighten_timer_slack();
            futex::wait(self.doorbell.word(), Doorbell::asleep(ParkMode::Futex), deadline);
        }
        self.doorbell.collect()
    }

    /// Polls until a class is ready or the monotonic `deadline` in nanoseconds has passed. It returns within one
    /// reading of the clock after the deadline.
    pub fn spin_until(&mut self, deadline: u64) -> u32 {
        while !self.is_inert() && !self.doorbell.is_rung() && monotonic_now() < deadline {
            std::hint::spin_loop();
        }
        self.collect()
    }

    /// Waits as [`Waiter::wait`] does, and for events of file descriptors. Returns the ready classes and the
    /// events of each descriptor.
    ///
    /// # Errors
    /// The errors of `poll`, of creating the pipe, and of [`Waiter::check`].
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

    /// Returns a file descriptor for another event loop. The descriptor becomes readable when a class is ready, and
    /// stays readable until the next [`Waiter::arm`].
    pub fn fd(&mut self) -> io::Result<BorrowedFd<'_>> {
        match self.open_pipe()? {
            Some(pipe) => Ok(pipe.as_fd()),
            None => Err(io::Error::other("the waiter has no pipe")),
        }
    }

    /// Returns whether a class may be ready.
    pub fn is_rung(&self) -> bool {
        !self.is_inert() && self.doorbell.is_rung()
    }

    /// Makes the descriptor of [`Waiter::fd`] unreadable until a class is ready. Returns the classes that are ready
    /// already; if there are any, the descriptor is not armed.
    pub fn arm(&mut self) -> io::Result<u32> {
        if let Some(pipe) = self.open_pipe()? {
            pipe.clear();
        }
        self.arm_unreadable()
    }

    /// Same as [`Waiter::arm`], without the system call, for a descriptor that was not readable after the last call. (If it
    /// has become readable since, it stays so.)
    pub fn arm_unreadable(&mut self) -> io::Result<u32> {
        self.check().map_err(|unusable| io::Error::other(unusable.to_string()))?;
        let ready = self.doorbell.collect();
        if ready != 0 || self.doorbell.park(ParkMode::Pipe) { Ok(ready) } else { Ok(self.doorbell.collect()) }
    }

    /// Returns the pipe, and creates it at the first call.
    fn open_pipe(&mut self) -> io::Result<Option<&Arc<WakePipe>>> {
        self.check().map_err(|unusable| io::Error::other(unusable.to_string()))?;
        if self.pipe.is_none() {
            let (pipe, number) = self.memory.open_pipe(self.offset)?;
            self.doorbell.set_pipe(number);
            self.pipe = Some(pipe);
        }
        Ok(self.pipe.as_ref())
    }

    /// Notes a message that was taken after a wait. `Adaptive` decides from these notes.
    ///
    /// `sent_at` is when the message was sent, in monotonic nanoseconds.
    #[inline]
    pub fn observe(&mut self, sent_at: i64, cpu: u32) {
        self.traffic.peer_cpu = cpu;
        if cpu == sched_getcpu() as u32 {
            self.traffic.cpu_counts.same_cpu += 1;
        } else {
            self.traffic.cpu_counts.other_cpu += 1;
        }
        let gap = match self.traffic.wait_began.take() {
            Some(began) => sent_at.saturating_sub(began as i64).max(0) as u64,
            // It came during the first poll, or before the wait.
            None => 0,
        };
        self.traffic.learn(gap);
        self.traffic.arrivals.note(sent_at.max(0) as u64);
    }

    /// Returns how many messages came from which CPU.
    pub fn cpu_counts(&self) -> CpuCounts {
        self.traffic.cpu_counts
    }

    /// Polls the doorbell for as long as the strategy requires. Takes the classes that are ready.
    fn poll_doorbell(&mut self, strategy: WaitStrategy, deadline: Option<u64>) -> u32 {
        let budget = match strategy {
            WaitStrategy::Block => return self.doorbell.collect(),
            WaitStrategy::Spin => u64::MAX,
            WaitStrategy::Adaptive => self.traffic.poll_budget(),
        };
        if budget > 0 && self.poll_briefly() {
            return self.doorbell.collect();
        }
        let now = monotonic_now();
        self.traffic.wait_began.get_or_insert(now);
        let until = now.saturating_add(budget).min(deadline.unwrap_or(u64::MAX));
        while budget > 0 && monotonic_now() < until {
            if self.poll_briefly() {
                break;
            }
        }
        self.doorbell.collect()
    }

    /// Polls the doorbell for about a microsecond. Returns whether a class is ready. The clock is not read during that
    /// time, because that costs as much as several polls.
    fn poll_briefly(&self) -> bool {
        (0..POLLS_PER_CLOCK_READING).any(|_| {
            std::hint::spin_loop();
            self.doorbell.is_rung()
        })
    }
}

impl Traffic {
    /// Returns how long to poll before parking, in nanoseconds, or 0 if polling does not pay.
    fn poll_budget(&self) -> u64 {
        if self.gap > LONGEST_POLL || !self.is_from_other_cpu() {
            return 0;
        }
        (self.gap * 2).clamp(SHORTEST_POLL, LONGEST_POLL)
    }

    /// Returns when the next message is expected, or `None` if polling for it does not pay.
    fn expected(&self, now: u64) -> Option<Window> {
        self.arrivals.expected(now).filter(|_| self.is_from_other_cpu())
    }

    /// Whether the last message came from another CPU. If it came from this CPU, polling would only delay the sender,
    /// which needs this CPU.
    fn is_from_other_cpu(&self) -> bool {
        self.peer_cpu != sched_getcpu() as u32
    }

    /// Updates the average with the time until a message was sent.
    fn learn(&mut self, gap: u64) {
        // A moving average over about four waits. The first value replaces the initial maximum.
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
