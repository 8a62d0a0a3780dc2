//! The rules of one process, and the types with which the supervisor and its caller talk about processes.

use std::time::Duration;

use saltus_launch_file::plan::Restart;

/// The time since the launch began.
pub(crate) type Time = Duration;

/// The number of a process of a launch, in the order of the plan.
pub(crate) type Id = usize;

/// The rules by which a process is started, started again and ended.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) restart: Restart,
    /// Whether everything ends when this process has ended.
    pub(crate) required: bool,
    /// The names by which other processes may wait for it.
    pub(crate) names: Vec<String>,
    /// The names that must have been ready before it is started.
    pub(crate) after: Vec<String>,
    /// The time after which the user is told that the process is not ready; `None` if there is no limit.
    pub(crate) ready_timeout: Option<Duration>,
    /// The time from `SIGINT` to `SIGTERM`.
    pub(crate) sigterm_timeout: Duration,
    /// The time from `SIGTERM` to `SIGKILL`.
    pub(crate) sigkill_timeout: Duration,
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It has ended with this exit code.
    Code(i32),
    /// This signal has ended it.
    Signal(i32),
    /// It could not be started.
    NotStarted,
}

impl Exit {
    pub(crate) fn is_failure(self) -> bool {
        self != Self::Code(0)
    }

    /// Returns the number that ROS 2 gives: the exit code, or the negative number of the signal.
    pub(crate) fn return_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => -signal,
            Self::NotStarted => 127,
        }
    }

    /// Returns the exit code that a shell gives.
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::NotStarted => 127,
        }
    }
}

/// Returns a time in seconds as a duration.
pub(crate) fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4)
}
