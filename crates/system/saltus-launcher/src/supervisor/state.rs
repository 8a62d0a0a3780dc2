//! The state of one process.

use super::rules::Time;

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    /// It waits for other processes.
    Waiting,
    /// It runs.
    Running(Run),
    /// It has ended, and is started again at the time.
    Backoff { until: Time },
    /// It was asked to end with this signal. The next signal is sent at the time.
    Ending { signal: Signal, next: Option<Time>, then: AfterExit },
    /// It has ended for good, or is never started.
    Ended,
}

impl State {
    /// Returns the name of the state in the live table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running(run) if !run.is_healthy() => "unhealthy",
            Self::Running(Run { phase: Phase::Starting { .. }, .. }) => "starting",
            Self::Running(Run { phase: Phase::Ready { .. }, .. }) => "ready",
            Self::Backoff { .. } => "restarts",
            Self::Ending { .. } => "ending",
            Self::Ended => "ended",
        }
    }

    /// Returns the time at which the state changes by itself.
    pub(super) fn deadline(self) -> Option<Time> {
        match self {
            Self::Running(Run { phase: Phase::Starting { deadline }, .. }) => deadline,
            Self::Running(Run { node: NodeLoss::Pending { at }, .. }) => Some(at),
            Self::Backoff { until } => Some(until),
            Self::Ending { next, .. } => next,
            Self::Running(_) | Self::Waiting | Self::Ended => None,
        }
    }

    pub(super) fn is_running(self) -> bool {
        matches!(self, Self::Running(_))
    }

    pub(super) fn is_ready(self) -> bool {
        matches!(self, Self::Running(Run { phase: Phase::Ready { .. }, .. }))
    }
}

/// The state of a process that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(super) phase: Phase,
    pub(super) node: NodeLoss,
    /// Whether its lifecycle node had an error and has not become active since.
    pub(super) has_error: bool,
}

impl Run {
    /// Returns the state of a process that was started now. The user is told at the deadline if it is not ready then.
    pub(super) fn new(deadline: Option<Time>) -> Self {
        Self { phase: Phase::Starting { deadline }, node: NodeLoss::None, has_error: false }
    }

    fn is_healthy(self) -> bool {
        !self.has_error && self.node != NodeLoss::Confirmed
    }
}

/// The progress of a process that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// It is not ready yet. The user is told at the deadline; `None` if there is no deadline, or if it has passed.
    Starting { deadline: Option<Time> },
    /// It has been ready since the time.
    Ready { since: Time },
}

/// The loss of the node of a process that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeLoss {
    /// The node has not left the graph.
    None,
    /// The node has left the graph. It counts as lost at the time, if it does not come back and the process goes on.
    Pending { at: Time },
    /// The process runs without its node.
    Confirmed,
}

/// The step that follows when a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterExit {
    /// It is not started again.
    Stay,
    /// It is started again at once, because the user wants it.
    Restart,
    /// It is started again after a delay.
    BackOff,
}

/// The signals that end a process, in the order in which they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signal {
    Int,
    Term,
    Kill,
}

impl Signal {
    /// Returns the signal for a process that this one has not ended.
    pub(super) fn next(self) -> Option<Self> {
        match self {
            Self::Int => Some(Self::Term),
            Self::Term => Some(Self::Kill),
            Self::Kill => None,
        }
    }
}
