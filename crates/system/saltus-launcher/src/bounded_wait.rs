//! Waits for a function or a command of a launch file.

use std::{
    io::{self, Write},
    os::fd::BorrowedFd,
    time::{Duration, Instant},
};

use nix::sys::signalfd::SignalFd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::guard::ending_fd;

/// The time for which it may go on after a signal that ends everything.
const GRACE_PERIOD: Duration = Duration::from_secs(1);
/// The time that it may take if it begins while everything ends.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// The time after which the user is told that the launcher waits for it.
const REPORT_DELAY: Duration = Duration::from_secs(2);

/// A wait for a function or a command of a launch file. It has no deadline until a signal ends everything.
#[derive(Debug)]
pub(crate) struct BoundedWait {
    /// The name of the function or the command for the user.
    subject: &'static str,
    ending: SignalFd,
    /// The time at which the user is told that the launcher waits; `None` if the user was told.
    report_at: Option<Instant>,
    deadline: Option<Instant>,
}

impl BoundedWait {
    /// Begins to wait. `subject` is for the user, such as "a function".
    pub(crate) fn new(subject: &'static str, is_ending: bool) -> io::Result<Self> {
        let now = Instant::now();
        let deadline = is_ending.then(|| now + END_TIMEOUT);
        Ok(Self { subject, ending: ending_fd()?, report_at: Some(now + REPORT_DELAY), deadline })
    }

    /// Waits until one of the descriptors is readable, or closed at its other end. Returns whether each of them is; `None` if
    /// the deadline has passed.
    pub(crate) fn wait(&mut self, fds: &[BorrowedFd<'_>]) -> io::Result<Option<Vec<bool>>> {
        loop {
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                return Ok(None);
            }
            if self.report_at.take_if(|at| now >= *at).is_some() {
                // Nobody may read it.
                let text = format!("[INFO] [launch]: waiting for {} of the launch file", self.subject);
                let _ = writeln!(io::stderr(), "{text}");
            }
            let mut polled: Vec<PollFd<'_>> =
                fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
            if self.deadline.is_none() {
                polled.push(PollFd::new(&self.ending, PollFlags::IN));
            }
            let left = self.deadline.into_iter().chain(self.report_at).min();
            let left = left.and_then(|at| Timespec::try_from(at.saturating_duration_since(now)).ok());
            match poll(&mut polled, left.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            let (ready, ending) = ready.split_at(fds.len());
            if ending.contains(&true) {
                self.deadline = Some(Instant::now() + GRACE_PERIOD);
            }
            if ready.contains(&true) {
                return Ok(Some(ready.to_vec()));
            }
        }
    }
}
