//! How long a function or a command of a launch file is awaited.

use std::{
    io::{self, Write},
    os::fd::BorrowedFd,
    time::{Duration, Instant},
};

use nix::sys::signalfd::SignalFd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::guard::ending_fd;

/// How long it may go on after a signal that ends everything.
const GRACE: Duration = Duration::from_secs(1);
/// How long it may take if it begins while everything ends.
const AT_END: Duration = Duration::from_secs(5);
/// How long it may take before the user is told that it is awaited.
const SILENCE: Duration = Duration::from_secs(2);

/// Waits for what a launch file runs: as long as it needs, but only a while after a signal that ends everything.
#[derive(Debug)]
pub(crate) struct Patience {
    what: &'static str,
    ending: SignalFd,
    told: Option<Instant>,
    end: Option<Instant>,
}

impl Patience {
    /// Begins to wait. `what` is for the user: "a function".
    pub(crate) fn new(what: &'static str, is_ending: bool) -> io::Result<Self> {
        let now = Instant::now();
        let end = is_ending.then(|| now + AT_END);
        Ok(Self { what, ending: ending_fd()?, told: Some(now + SILENCE), end })
    }

    /// Waits until one of the descriptors is readable, or closed at its other end. Returns which are; `None` if it takes too long.
    pub(crate) fn wait(&mut self, fds: &[BorrowedFd<'_>]) -> io::Result<Option<Vec<bool>>> {
        loop {
            let now = Instant::now();
            if self.end.is_some_and(|end| now >= end) {
                return Ok(None);
            }
            if self.told.take_if(|at| now >= *at).is_some() {
                // Nobody may read it.
                let text = format!("[INFO] [launch]: waiting for {} of the launch file", self.what);
                let _ = writeln!(io::stderr(), "{text}");
            }
            let mut polled: Vec<PollFd<'_>> =
                fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
            if self.end.is_none() {
                polled.push(PollFd::new(&self.ending, PollFlags::IN));
            }
            let left = self.end.into_iter().chain(self.told).min();
            let left = left.and_then(|at| Timespec::try_from(at.saturating_duration_since(now)).ok());
            match poll(&mut polled, left.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            let (ready, ending) = ready.split_at(fds.len());
            if ending.contains(&true) {
                self.end = Some(Instant::now() + GRACE);
            }
            if ready.contains(&true) {
                return Ok(Some(ready.to_vec()));
            }
        }
    }
}
