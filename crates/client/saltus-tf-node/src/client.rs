//! Looks up transforms in the buffer of another process.

use std::time::{Duration, Instant};

use saltus_action::{ActionClient, ActionError, GoalStatus};
use saltus_msgs::{
    builtin_interfaces::msg::Duration as DurationMessage,
    tf2_msgs::{
        action::{LookupTransform, LookupTransform_Goal},
        msg::TF2Error,
    },
};
use saltus_node::{Node, NodeError};
use saltus_tf::{StampedTransform, TransformError};
use saltus_types::Time;

use crate::messages::from_message;

/// The time that the response may take in addition to the timeout of a lookup, as in ROS 2.
const PADDING: Duration = Duration::from_secs(2);
/// The time for which a client waits until the server confirms the cancellation of a lookup. Meanwhile the client also receives the
/// responses to earlier cancellations.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(10);

/// Looks up transforms with the action of a [`BufferServer`](crate::BufferServer), in this language or another one. No executor
/// is needed.
///
/// ```no_run
/// use saltus::{Time, tf::BufferClient};
/// use std::time::Duration;
/// let context = saltus::Context::new()?;
/// let node = context.node("planner").create()?;
/// let transforms = BufferClient::new(&node, "tf2_buffer_server")?;
/// let base = transforms.lookup("map", "base", Time::default(), Duration::from_secs(1))?;
/// println!("{:?}", base.transform.translation());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BufferClient(ActionClient<LookupTransform>);

/// Why there is no transform.
#[derive(Debug, thiserror::Error)]
pub enum RemoteLookupError {
    /// The goal can't be sent, or the server does not respond.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The server has no such transform.
    #[error("{text}")]
    NotFound {
        /// One of the constants of `tf2_msgs/msg/TF2Error`.
        code: u8,
        /// The text of the error. It is tf2's.
        text: String,
    },
    /// The timeout has expired, or the lookup was cancelled.
    #[error("the server has ended the lookup without a transform")]
    Ended,
    /// The response is not a valid transform.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

impl BufferClient {
    /// Opens a client of the servers with this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the action can't be opened.
    pub fn new(node: &Node, name: &str) -> Result<Self, NodeError> {
        Ok(Self(ActionClient::on(node, name).create()?))
    }

    /// Waits for a server. Returns whether there is one.
    pub fn wait_for_server(&self, timeout: Duration) -> bool {
        self.0.wait_for_server(timeout)
    }

    /// Returns the transform from the frame `source` to the frame `target` at a time. The time 0 is the latest one. The server
    /// waits for it for at most `timeout`, and its response may take 2 s more.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no transform in time, or if the goal can't be sent.
    pub fn lookup(
        &self,
        target: &str,
        source: &str,
        time: Time,
        timeout: Duration,
    ) -> Result<StampedTransform, RemoteLookupError> {
        let goal = LookupTransform_Goal {
            target_frame: target.into(),
            source_frame: source.into(),
            source_time: time.into(),
            timeout: message(timeout),
            ..LookupTransform_Goal::default()
        };
        self.send(&goal, timeout)
    }

    /// Returns the transform from where the frame `source` was at one time to where the frame `target` is at another time.
    /// `fixed` is a frame that does not move between these times.
    ///
    /// # Errors
    ///
    /// See [`lookup`](Self::lookup).
    pub fn lookup_across(
        &self,
        (target, target_time): (&str, Time),
        (source, source_time): (&str, Time),
        fixed: &str,
        timeout: Duration,
    ) -> Result<StampedTransform, RemoteLookupError> {
        let goal = LookupTransform_Goal {
            target_frame: target.into(),
            source_frame: source.into(),
            source_time: source_time.into(),
            timeout: message(timeout),
            target_time: target_time.into(),
            fixed_frame: fixed.into(),
            advanced: true,
        };
        self.send(&goal, timeout)
    }

    /// Sends a goal, and waits for its result.
    fn send(
        &self,
        goal: &LookupTransform_Goal,
        timeout: Duration,
    ) -> Result<StampedTransform, RemoteLookupError> {
        let mut sent = self.0.send_goal(goal)?;
        let (id, start, limit) = (sent.id(), Instant::now(), timeout.saturating_add(PADDING));
        let response =
            sent.wait(limit).and_then(|goal| goal.result()?.wait(limit.saturating_sub(start.elapsed())));
        let result = response.inspect_err(|error| {
            if !matches!(error, ActionError::Rejected { .. }) {
                // The server may still wait for the transform. If the cancellation is lost, it waits until the timeout.
                let _ = self.0.cancel_goal(id, CANCEL_TIMEOUT);
            }
        })?;
        let value = result.value()?;
        if value.error.error != TF2Error::NO_ERROR {
            let TF2Error { error: code, error_string: text } = value.error;
            return Err(RemoteLookupError::NotFound { code, text });
        }
        match result.status() {
            GoalStatus::Succeeded => Ok(from_message(&value.transform)?),
            _ => Err(RemoteLookupError::Ended),
        }
    }
}

fn message(timeout: Duration) -> DurationMessage {
    let sec = i32::try_from(timeout.as_secs()).unwrap_or(i32::MAX);
    DurationMessage { sec, nanosec: timeout.subsec_nanos() }
}
