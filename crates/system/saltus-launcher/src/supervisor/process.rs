//! One process: its state, and what follows from it.

use std::time::Duration;

use saltus_launch_file::plan::{Restart, RestartPolicy};

/// The shortest wait before a program is started again that could not be started.
const MISSING_DELAY: Duration = Duration::from_millis(100);

/// How long a process may go on after its node has left the graph. It may be about to end.
pub(super) const LEAVING: Duration = Duration::from_secs(5);

/// A time since the launch began.
pub(crate) type Time = Duration;

/// The number of a process of a launch, in the order of the plan.
pub(crate) type Id = usize;

/// What the supervisor must know of a process.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) restart: Restart,
    pub(crate) required: bool,
    /// The names by which others may wait for it.
    pub(crate) names: Vec<String>,
    /// The names of those that must have been ready before.
    pub(crate) after: Vec<String>,
    /// How long it may take until the process is ready; `None` if it is ready as soon as it runs.
    pub(crate) ready_within: Option<Duration>,
    pub(crate) sigterm_timeout: Duration,
    pub(crate) sigkill_timeout: Duration,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    /// It waits for others.
    Waiting,
    /// It was started. It counts as failed if it is not ready by the time.
    Starting { until: Option<Time> },
    /// It runs, and is ready.
    Ready { since: Time },
    /// It is started again at the time.
    Backoff { until: Time },
    /// It was asked to end with this signal. The next signal comes at the time.
    Ending { signal: Signal, next: Option<Time> },
    /// It has ended for good.
    Ended,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Starting { .. } => "starting",
            Self::Ready { .. } => "ready",
            Self::Backoff { .. } => "restarts",
            Self::Ending { .. } => "ending",
            Self::Ended => "ended",
        }
    }
}

/// The signals that end a process, in the order in which they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signal {
    Int,
    Term,
    Kill,
}

/// How a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
    /// It could not be started.
    NotStarted,
}

impl Exit {
    pub(crate) fn is_failure(self) -> bool {
        self != Self::Code(0)
    }

    /// The number that ROS 2 gives: the exit code, or the negative number of the signal.
    pub(crate) fn return_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => -signal,
            Self::NotStarted => 127,
        }
    }

    /// The exit code that a shell gives.
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::NotStarted => 127,
        }
    }
}

/// What the caller must do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    Start(Id),
    Send(Id, Signal),
    /// Tell the user that the process is started again at the time.
    Restarting {
        id: Id,
        at: Time,
        restarts: u32,
    },
    /// Tell the user that the process was not ready in time.
    NotReady(Id),
    /// Tell the user that the node of the process is no longer in the graph.
    NodeLeft(Id),
    /// Tell the user that everything ends because of this process.
    Required(Id),
    /// Tell the user that the process is never started, because this one has ended without being ready, or has not loaded the
    /// component that the process waits for.
    Abandoned {
        id: Id,
        because: Id,
    },
}

/// A process of a launch, as the supervisor sees it.
pub(super) struct Process {
    pub(super) rules: Rules,
    pub(super) state: State,
    pub(super) restarts: u32,
    /// Whether it has been ready once.
    pub(super) was_ready: bool,
    /// The next wait before a restart.
    pub(super) delay: Duration,
    /// Whether it was stopped by the user. Then it is not started again.
    pub(super) is_stopped: bool,
    /// Whether it is to be started again as soon as it has ended, because the user wants it.
    pub(super) is_restarting: bool,
    /// Whether it is to be started again after a wait, because it was unhealthy.
    pub(super) is_failing: bool,
    /// When its node counts as lost, which has left the graph.
    pub(super) lost_at: Option<Time>,
    /// Whether it runs without its node.
    pub(super) has_lost_node: bool,
    /// Whether its lifecycle node had an error.
    pub(super) has_error: bool,
}

impl Process {
    pub(super) fn starting(&self, now: Time) -> State {
        State::Starting { until: self.rules.ready_within.map(|within| now + within) }
    }

    pub(super) fn wants_restart(&self, is_failure: bool) -> bool {
        let wants = match self.rules.restart.policy {
            RestartPolicy::Never => false,
            RestartPolicy::OnFailure => is_failure,
            RestartPolicy::Always => true,
        };
        wants && self.rules.restart.max.is_none_or(|max| self.restarts < max)
    }

    /// Ends a process that no longer does its work, if it is to be started again.
    pub(super) fn end_unhealthy(&mut self, id: Id, now: Time, is_ending: bool) -> Option<Order> {
        self.is_failing = !is_ending && self.wants_restart(true);
        self.reset_delay(now);
        self.is_failing.then(|| self.signal(id, Signal::Int, now))
    }

    /// After the process has run for the longest wait, the next one is as long as the first one again.
    pub(super) fn reset_delay(&mut self, now: Time) {
        if let State::Ready { since } = self.state
            && now.saturating_sub(since) > duration(self.rules.restart.max_delay)
        {
            self.delay = duration(self.rules.restart.delay);
        }
    }

    /// Waits before the next start.
    pub(super) fn back_off(&mut self, id: Id, exit: Exit, now: Time) -> Order {
        let (first, longest) = (duration(self.rules.restart.delay), duration(self.rules.restart.max_delay));
        self.reset_delay(now);
        // A program that is missing is not there a moment later, either.
        let shortest = if exit == Exit::NotStarted { MISSING_DELAY } else { Duration::ZERO };
        let until = now + self.delay.max(shortest);
        self.delay = (self.delay * 2).min(longest).max(first);
        self.restarts += 1;
        self.state = State::Backoff { until };
        Order::Restarting { id, at: until, restarts: self.restarts }
    }

    pub(super) fn signal(&mut self, id: Id, signal: Signal, now: Time) -> Order {
        let next = match signal {
            Signal::Int => Some(now + self.rules.sigterm_timeout),
            Signal::Term => Some(now + self.rules.sigkill_timeout),
            Signal::Kill => None,
        };
        self.state = State::Ending { signal, next };
        Order::Send(id, signal)
    }

    pub(super) fn signal_after(&mut self, id: Id, signal: Signal, now: Time) -> Option<Order> {
        match signal {
            Signal::Int => Some(self.signal(id, Signal::Term, now)),
            Signal::Term => Some(self.signal(id, Signal::Kill, now)),
            Signal::Kill => None,
        }
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Starting { until } => until,
            State::Backoff { until } => Some(until),
            State::Ending { next, .. } => next,
            State::Ready { .. } => self.lost_at,
            State::Waiting | State::Ended => None,
        }
    }
}

/// Returns a time in seconds as a duration.
pub(crate) fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4)
}
