//! The begin, the phases and the end of a launch.

use std::{
    io,
    time::{Duration, Instant},
};

use nix::sys::signalfd::SignalFd;

use super::signals::Signals;
use crate::{
    guard::{ending_fd, has_signal},
    supervisor::Time,
};

/// The time for which the last lines may be written after a signal has ended the launch.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(1);

/// The phase of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not all processes were ready at the same time yet.
    Starting,
    /// All processes were ready, and the user was told.
    Ready,
    /// Everything ends.
    Ending,
}

/// The begin and the phase of a launch, and the signals that end it.
pub(super) struct Lifetime {
    begin: Instant,
    phase: Phase,
    pub(super) signals: Signals,
    /// Whether something else than a process has failed.
    pub(super) has_failed: bool,
}

impl Lifetime {
    /// Begins a launch.
    pub(super) fn begin(signals: Signals) -> Self {
        Self { begin: Instant::now(), phase: Phase::Starting, signals, has_failed: false }
    }

    /// Returns the time since the launch began.
    pub(super) fn now(&self) -> Time {
        self.begin.elapsed()
    }

    /// Whether the user was not told yet that all processes are ready.
    pub(super) fn is_starting(&self) -> bool {
        self.phase == Phase::Starting
    }

    /// Notes that the user is told that all processes are ready.
    pub(super) fn set_ready(&mut self) {
        self.phase = Phase::Ready;
    }

    /// Whether everything ends.
    pub(super) fn is_ending(&self) -> bool {
        self.phase == Phase::Ending
    }

    /// Begins the end. Returns false if it has begun already.
    pub(super) fn begin_end(&mut self) -> bool {
        std::mem::replace(&mut self.phase, Phase::Ending) != Phase::Ending
    }

    /// Returns the limit of the time for which the last lines are written.
    pub(super) fn last_lines_limit(&self) -> io::Result<LastLinesLimit> {
        let has_timeout = self.signals.have_ended_launch();
        Ok(LastLinesLimit { ending: ending_fd()?, begin: Instant::now(), has_timeout })
    }
}

/// The limit of the time for which the last lines of a launch are written.
pub(super) struct LastLinesLimit {
    ending: SignalFd,
    begin: Instant,
    /// Whether the time is limited: a user who has ended the launch does not wait for readers of its output.
    has_timeout: bool,
}

impl LastLinesLimit {
    pub(super) fn is_reached(&self) -> bool {
        (self.has_timeout && self.begin.elapsed() > LAST_LINES_TIMEOUT) || has_signal(&self.ending)
    }
}
