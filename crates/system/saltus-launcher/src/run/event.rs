//! The events for which a launch file may have handlers.

use std::path::PathBuf;

use saltus_launch_file::{Object, Trigger};
use serde_json::{Value as Json, json};

use super::cause::EndCause;
use crate::supervisor::{Exit, Id};

/// An event for which a launch file may have handlers.
#[derive(Clone, Debug)]
pub(super) enum LaunchEvent {
    /// A process was started.
    ProcessStarted(ProcessDetails),
    /// A process has ended.
    ProcessExited(ProcessDetails, Exit),
    /// A process has written lines.
    ProcessOutput(ProcessDetails, OutputStream, Vec<String>),
    /// A lifecycle node is in another state.
    StateChanged {
        id: Id,
        action: Option<Object>,
        /// The label of the transition.
        transition: String,
        /// The label of the state before.
        start: String,
        /// The label of the state now.
        goal: String,
    },
    /// Everything ends.
    Shutdown(EndCause),
    /// The program that has started the launch has added work.
    WorkAdded,
}

/// The stream to which a process writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputStream {
    Standard,
    Error,
}

impl OutputStream {
    /// Returns the number of the file descriptor in the process.
    fn descriptor(self) -> i32 {
        match self {
            Self::Standard => 1,
            Self::Error => 2,
        }
    }
}

/// A process, as handlers see it.
#[derive(Clone, Debug, Default)]
pub(super) struct ProcessDetails {
    pub(super) id: Id,
    pub(super) action: Option<Object>,
    pub(super) name: String,
    pub(super) command: Vec<String>,
    pub(super) folder: Option<PathBuf>,
    pub(super) pid: i32,
    /// The full name of its node.
    pub(super) node: Option<String>,
}

impl ProcessDetails {
    fn to_json(&self, kind: &str) -> Json {
        json!({
            "kind": kind,
            "action": self.action,
            "name": self.name,
            "cmd": self.command,
            "cwd": self.folder,
            "env": null,
            "pid": self.pid,
            "node": self.node,
        })
    }
}

impl LaunchEvent {
    /// Returns the process of the event.
    pub(super) fn process(&self) -> Option<Id> {
        match self {
            Self::ProcessStarted(process)
            | Self::ProcessExited(process, _)
            | Self::ProcessOutput(process, ..) => Some(process.id),
            Self::StateChanged { id, .. } => Some(*id),
            Self::Shutdown(_) | Self::WorkAdded => None,
        }
    }

    /// Whether a handler with this trigger waits for the event.
    pub(super) fn fits(&self, trigger: &Trigger) -> bool {
        let is =
            |wanted: &Option<String>, label: &String| wanted.as_ref().is_none_or(|wanted| wanted == label);
        match (trigger, self) {
            // The launch file has no class for it.
            (Trigger::Any, Self::WorkAdded) => false,
            (Trigger::Any, _)
            | (Trigger::ProcessStarted, Self::ProcessStarted(_))
            // The action of a process has ended when the process has.
            | (Trigger::ProcessExited | Trigger::Completed, Self::ProcessExited(..))
            | (Trigger::ProcessOutput, Self::ProcessOutput(..))
            | (Trigger::Shutdown, Self::Shutdown(_))
            | (Trigger::WorkAdded, Self::WorkAdded) => true,
            (
                Trigger::StateChanged { transition: wanted_transition, start: wanted_start, goal: wanted_goal },
                Self::StateChanged { transition, start, goal, .. },
            ) => is(wanted_transition, transition) && is(wanted_start, start) && is(wanted_goal, goal),
            _ => false,
        }
    }

    /// Returns the event as functions of launch files in Python get it.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Self::ProcessStarted(process) => process.to_json("process_started"),
            Self::ProcessExited(process, exit) => {
                let mut event = process.to_json("process_exited");
                event["returncode"] = json!(exit.return_code());
                event
            }
            Self::ProcessOutput(process, stream, lines) => {
                let mut event = process.to_json("process_output");
                event["text"] = json!(lines.join("\n") + "\n");
                event["fd"] = json!(stream.descriptor());
                event
            }
            Self::StateChanged { action, transition, start, goal, .. } => json!({
                "kind": "state_changed", "action": action, "transition": transition,
                "start_state": start, "goal_state": goal,
            }),
            Self::Shutdown(cause) => json!({
                "kind": "shutdown", "reason": cause.to_string(), "due_to_sigint": cause.is_interrupt(),
            }),
            Self::WorkAdded => json!({"kind": "work_added"}),
        }
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::Signal;

    use super::*;

    fn process() -> ProcessDetails {
        ProcessDetails { id: 4, action: Some(7), name: "talker-5".into(), pid: 123, ..Default::default() }
    }

    fn state_changed(transition: &str, start: &str, goal: &str) -> LaunchEvent {
        let (transition, start, goal) = (transition.into(), start.into(), goal.into());
        LaunchEvent::StateChanged { id: 4, action: Some(7), transition, start, goal }
    }

    #[test]
    fn a_trigger_fits_only_its_events() {
        let events = [
            LaunchEvent::ProcessStarted(process()),
            LaunchEvent::ProcessExited(process(), Exit::Code(0)),
            LaunchEvent::ProcessOutput(process(), OutputStream::Error, vec!["a".into()]),
            state_changed("activate", "inactive", "active"),
            LaunchEvent::Shutdown(EndCause::Idle),
            LaunchEvent::WorkAdded,
        ];
        let any_state = Trigger::StateChanged { transition: None, start: None, goal: None };
        for (trigger, want) in [
            (Trigger::Any, &[0, 1, 2, 3, 4][..]),
            (Trigger::ProcessStarted, &[0]),
            (Trigger::ProcessExited, &[1]),
            (Trigger::Completed, &[1]),
            (Trigger::ProcessOutput, &[2]),
            (any_state, &[3]),
            (Trigger::Shutdown, &[4]),
            (Trigger::WorkAdded, &[5]),
        ] {
            let fits: Vec<usize> = (0..events.len()).filter(|index| events[*index].fits(&trigger)).collect();
            assert_eq!(fits, want, "{trigger:?}");
        }
    }

    #[test]
    fn all_labels_of_a_trigger_must_fit() {
        let event = state_changed("activate", "inactive", "active");
        let trigger = |transition: Option<&str>, start: Option<&str>, goal: Option<&str>| {
            let owned = |label: Option<&str>| label.map(str::to_owned);
            Trigger::StateChanged { transition: owned(transition), start: owned(start), goal: owned(goal) }
        };
        assert!(event.fits(&trigger(Some("activate"), None, Some("active"))));
        assert!(!event.fits(&trigger(None, Some("active"), None)));
        assert!(!event.fits(&trigger(Some("activate"), None, Some("inactive"))));
        assert!(!event.fits(&trigger(Some("configure"), None, None)));
    }

    #[test]
    fn functions_in_python_get_the_details_of_an_event() {
        let exited = LaunchEvent::ProcessExited(process(), Exit::Signal(6));
        let want = json!({
            "kind": "process_exited", "action": 7, "name": "talker-5", "cmd": [], "cwd": null, "env": null,
            "pid": 123, "node": null, "returncode": -6,
        });
        assert_eq!((exited.to_json(), exited.process()), (want, Some(4)));
        let lines = vec!["a".into(), "b".into()];
        let output = LaunchEvent::ProcessOutput(process(), OutputStream::Error, lines).to_json();
        assert_eq!((&output["text"], &output["fd"]), (&json!("a\nb\n"), &json!(2)));
        let end = LaunchEvent::Shutdown(EndCause::Signal(Signal::SIGINT));
        let want = json!({"kind": "shutdown", "reason": "ctrl-c (SIGINT)", "due_to_sigint": true});
        assert_eq!((end.to_json(), end.process()), (want, None));
        let want = json!({
            "kind": "state_changed", "action": 7, "transition": "activate", "start_state": "inactive",
            "goal_state": "active",
        });
        assert_eq!(state_changed("activate", "inactive", "active").to_json(), want);
    }
}
