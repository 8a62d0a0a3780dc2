//! The cause of the end of a launch.

use std::fmt;

use nix::sys::signal::Signal;

/// The cause of the end of a launch. Its text is the reason that handlers of the end see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EndCause {
    /// The user has sent a signal.
    Signal(Signal),
    /// An action of the launch file ends everything, for this reason.
    LaunchFile(String),
    /// An action or a handler has failed.
    FailedAction,
    /// A process that is required has ended.
    RequiredProcess,
    /// Nothing is left to do.
    Idle,
}

impl EndCause {
    /// Whether the user has pressed Ctrl-C.
    pub(super) fn is_interrupt(&self) -> bool {
        *self == Self::Signal(Signal::SIGINT)
    }

    /// Returns the line for the user; `None` if another line says it.
    pub(super) fn announcement(&self) -> Option<String> {
        match self {
            // The text is ROS 2's.
            Self::Signal(Signal::SIGINT) => Some("user interrupted with ctrl-c (SIGINT)".into()),
            Self::Signal(signal) => Some(signal.as_str().into()),
            Self::LaunchFile(reason) => Some(format!("shutdown requested: {reason}")),
            Self::FailedAction => Some(self.to_string()),
            Self::RequiredProcess | Self::Idle => None,
        }
    }
}

impl fmt::Display for EndCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The texts of signals and of an idle launch are ROS 2's.
            Self::Signal(signal @ Signal::SIGINT) => write!(f, "ctrl-c ({signal})"),
            Self::Signal(signal) => write!(f, "signal ({signal})"),
            Self::LaunchFile(reason) => f.write_str(reason),
            Self::FailedAction => f.write_str("an action has failed"),
            Self::RequiredProcess => f.write_str("a required process has ended"),
            Self::Idle => f.write_str("idle"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_causes() {
        for (cause, reason, announcement) in [
            (
                EndCause::Signal(Signal::SIGINT),
                "ctrl-c (SIGINT)",
                Some("user interrupted with ctrl-c (SIGINT)"),
            ),
            (EndCause::Signal(Signal::SIGTERM), "signal (SIGTERM)", Some("SIGTERM")),
            (EndCause::LaunchFile("done".into()), "done", Some("shutdown requested: done")),
            (EndCause::FailedAction, "an action has failed", Some("an action has failed")),
            (EndCause::RequiredProcess, "a required process has ended", None),
            (EndCause::Idle, "idle", None),
        ] {
            assert_eq!((&*cause.to_string(), cause.announcement().as_deref()), (reason, announcement));
        }
    }

    #[test]
    fn only_the_signal_of_ctrl_c_is_an_interrupt() {
        assert!(EndCause::Signal(Signal::SIGINT).is_interrupt());
        assert!(!EndCause::Signal(Signal::SIGTERM).is_interrupt());
        assert!(!EndCause::LaunchFile("SIGINT".into()).is_interrupt());
    }
}
