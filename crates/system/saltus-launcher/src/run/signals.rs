//! The signals that the launcher gets.

use std::{
    io,
    time::{Duration, Instant},
};

use nix::sys::{signal::Signal, signalfd::SignalFd};

use crate::guard::{is_stop_over, signal_fd};

/// Two signals of one kind that come within this time count once: a terminal sends Ctrl-C to the guard, too, which passes it
/// on.
const TOGETHER: Duration = Duration::from_millis(100);

/// The signals that the launcher gets.
pub(super) struct Signals {
    fd: SignalFd,
    /// The last signal that was to end the launch, and the time at which it was handled.
    last: Option<(Signal, Instant)>,
}

/// A signal that the launcher handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// The launcher goes on after it was stopped.
    Continued,
    /// The launch is to end.
    End(Signal),
}

impl Signals {
    /// Begins to get signals. No thread may have been started before, because it would get them, too.
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self { fd: signal_fd()?, last: None })
    }

    /// Returns the descriptor that is readable when there is a signal.
    pub(super) fn fd(&self) -> &SignalFd {
        &self.fd
    }

    /// Returns the next signal; `None` if there is none now.
    pub(super) fn next(&mut self) -> io::Result<Option<Received>> {
        while let Some(signal) = self.fd.read_signal()? {
            if is_stop_over(&signal) {
                return Ok(Some(Received::Continued));
            }
            let number = i32::try_from(signal.ssi_signo).unwrap_or_default();
            let Ok(signal) = Signal::try_from(number) else { continue };
            if signal != Signal::SIGCHLD && !self.is_copy(signal) {
                return Ok(Some(Received::End(signal)));
            }
        }
        Ok(None)
    }

    /// Whether a signal is a copy of the last one.
    fn is_copy(&self, signal: Signal) -> bool {
        self.last.is_some_and(|(last, at)| last == signal && at.elapsed() < TOGETHER)
    }

    /// Notes that a signal was handled.
    pub(super) fn handled(&mut self, signal: Signal) {
        self.last = Some((signal, Instant::now()));
    }

    /// Notes that handlers ran. A copy of the last signal may have come in the meantime.
    pub(super) fn handlers_ran(&mut self) {
        if let Some((_, at)) = &mut self.last {
            *at = Instant::now();
        }
    }

    /// Whether a signal was to end the launch.
    pub(super) fn have_ended_launch(&self) -> bool {
        self.last.is_some()
    }
}
