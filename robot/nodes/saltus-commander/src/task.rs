//! A task of a robot, and its progress.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Context,
    action::{ActionClient, ActionError, ClientGoal, GoalOptions, GoalStatus, ResultCall},
    cdr::Action,
    service::CallError,
    types::lock,
};

use crate::{deadline::Deadline, error::CommandError};

/// The end of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The robot has done the task.
    Succeeded,
    /// The task was canceled.
    Canceled,
    /// The robot could not do the task.
    Failed,
}

/// A task of a robot.
pub struct Task<A: Action> {
    context: Context,
    goal: ClientGoal<A>,
    call: ResultCall<A>,
    feedback: Arc<Mutex<Option<A::Feedback>>>,
    result: Option<(Outcome, A::Result)>,
}

impl<A: Action> std::fmt::Debug for Task<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task").field("goal", &self.goal.id()).finish_non_exhaustive()
    }
}

/// The longest wait before it is checked whether the program is to end.
const SLICE: Duration = Duration::from_millis(100);

impl<A: Action> Task<A>
where
    A::Feedback: Send + 'static,
{
    /// Sends a goal, and waits until the server has accepted it, for at most `timeout`.
    pub(crate) fn start(
        context: &Context,
        client: &ActionClient<A>,
        goal: &A::Goal,
        timeout: Duration,
    ) -> Result<Self, CommandError> {
        if !client.wait_for_server(timeout) {
            let what = format!("the action server {}", client.action_name());
            return Err(CommandError::Timeout { what, seconds: timeout.as_secs_f64() });
        }
        let feedback = Arc::<Mutex<Option<A::Feedback>>>::default();
        let newest = feedback.clone();
        let options = GoalOptions::default().on_feedback(move |feedback| *lock(&newest) = Some(feedback));
        let mut sent = client.send_goal_with(goal, options)?;
        let goal = sent.wait(timeout).inspect_err(|error| {
            if !matches!(error, ActionError::Rejected { .. }) {
                // The server may accept it later. The answer is not waited for.
                let _ = client.cancel_goal(sent.id(), Duration::ZERO);
            }
        })?;
        let call = goal.result().inspect_err(|_| {
            // Its end could not be seen.
            let _ = goal.cancel(Duration::ZERO);
        })?;
        Ok(Self { context: context.clone(), goal, call, feedback, result: None })
    }
}

impl<A: Action> Task<A> {
    /// Returns the end of the task; `None` if it has not ended within `timeout`.
    ///
    /// # Errors
    ///
    /// Returns an error if the server is gone, or if the program is to end.
    pub fn poll(&mut self, timeout: Duration) -> Result<Option<Outcome>, CommandError> {
        if let Some((outcome, _)) = &self.result {
            return Ok(Some(*outcome));
        }
        let deadline = Deadline::after(timeout);
        loop {
            let left = deadline.left();
            match self.call.wait(left.min(SLICE)) {
                Ok(wrapped) => {
                    let outcome = match wrapped.status() {
                        GoalStatus::Succeeded => Outcome::Succeeded,
                        GoalStatus::Canceled => Outcome::Canceled,
                        _ => Outcome::Failed,
                    };
                    self.result = Some((outcome, wrapped.value()?));
                    return Ok(Some(outcome));
                }
                Err(ActionError::Call(CallError::Timeout { .. })) if !self.context.is_shut_down() => {
                    if left <= SLICE {
                        return Ok(None);
                    }
                }
                Err(ActionError::Call(CallError::Timeout { .. })) => return Err(CommandError::Interrupted),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until the task has ended, and returns its end.
    ///
    /// # Errors
    ///
    /// Returns an error if it has not ended in time, if the server is gone, or if the program is to end.
    pub fn wait(&mut self, timeout: Duration) -> Result<Outcome, CommandError> {
        let late =
            || CommandError::Timeout { what: "the end of the task".into(), seconds: timeout.as_secs_f64() };
        self.poll(timeout)?.ok_or_else(late)
    }

    /// Returns the result, if the task has ended.
    pub fn result(&self) -> Option<&A::Result> {
        self.result.as_ref().map(|(_, result)| result)
    }

    /// Returns the newest feedback, if there is any. It comes while an executor spins the node of the commander.
    pub fn feedback(&self) -> Option<A::Feedback>
    where
        A::Feedback: Clone,
    {
        lock(&self.feedback).clone()
    }

    /// Cancels the task. It ends soon.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not answer in time.
    pub fn cancel(&self, timeout: Duration) -> Result<(), CommandError> {
        self.goal.cancel(timeout)?;
        Ok(())
    }
}
