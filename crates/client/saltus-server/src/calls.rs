//! Goals that a node sends to other nodes, without waiting on its thread.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use saltus::{
    action::{ActionClient, ActionError, ClientGoal, GoalStatus, ResultCall, SendGoal},
    cdr::Action,
};

/// A goal that was sent.
pub struct GoalCall<A: Action> {
    client: ActionClient<A>,
    stage: Stage<A>,
}

enum Stage<A: Action> {
    Sent(SendGoal<A>),
    Accepted(ClientGoal<A>, ResultCall<A>),
    Ended,
}

/// The progress of a goal.
pub enum Progress<A: Action> {
    /// The server has not answered yet.
    Sent,
    /// The server has accepted the goal, and works on it.
    Accepted,
    /// The goal has ended, with this status and this result.
    Ended(GoalStatus, A::Result),
    /// The server has rejected the goal, or is gone.
    Failed(ActionError),
}

impl<A: Action> fmt::Debug for GoalCall<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            Stage::Sent(_) => "sent",
            Stage::Accepted(..) => "accepted",
            Stage::Ended => "ended",
        };
        f.debug_tuple("GoalCall").field(&stage).finish()
    }
}

impl<A: Action> GoalCall<A> {
    /// Sends a goal.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no server.
    pub fn send(client: &ActionClient<A>, goal: &A::Goal) -> Result<Self, ActionError> {
        Ok(Self { client: client.clone(), stage: Stage::Sent(client.send_goal(goal)?) })
    }

    /// Returns the progress of the goal. The waker is called when it changes. The end is returned once.
    pub fn poll(&mut self, waker: &Waker) -> Progress<A> {
        match self.advance(&mut Context::from_waker(waker)) {
            Ok(progress) => progress,
            Err(error) => {
                self.stage = Stage::Ended;
                Progress::Failed(error)
            }
        }
    }

    fn advance(&mut self, context: &mut Context<'_>) -> Result<Progress<A>, ActionError> {
        if let Stage::Sent(sent) = &mut self.stage {
            let Poll::Ready(accepted) = Pin::new(sent).poll(context) else { return Ok(Progress::Sent) };
            let accepted = accepted?;
            let result = accepted.result().inspect_err(|_| {
                // Its end could not be seen.
                let _ = accepted.cancel(Duration::ZERO);
            })?;
            self.stage = Stage::Accepted(accepted, result);
        }
        let Stage::Accepted(_, result) = &mut self.stage else { return Ok(Progress::Accepted) };
        let Poll::Ready(wrapped) = Pin::new(result).poll(context) else { return Ok(Progress::Accepted) };
        let wrapped = wrapped?;
        self.stage = Stage::Ended;
        Ok(Progress::Ended(wrapped.status(), wrapped.value()?))
    }

    /// Cancels the goal, and waits for its end. Does nothing if it has ended. A goal that the server has not accepted within
    /// `answer_timeout` is canceled without waiting.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not answer within `answer_timeout`, or if the goal does not end within `end_timeout`.
    pub fn cancel(&mut self, answer_timeout: Duration, end_timeout: Duration) -> Result<(), ActionError> {
        let (goal, mut result) = match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Ended => return Ok(()),
            Stage::Accepted(goal, result) => (goal, result),
            Stage::Sent(mut sent) => {
                let goal = sent.wait(answer_timeout).inspect_err(|error| {
                    if !matches!(error, ActionError::Rejected { .. }) {
                        // The server may accept it later. The answer is not waited for.
                        let _ = self.client.cancel_goal(sent.id(), Duration::ZERO);
                    }
                })?;
                let result = goal.result().inspect_err(|_| {
                    // Its end could not be seen. The first error is returned.
                    let _ = goal.cancel(Duration::ZERO);
                })?;
                (goal, result)
            }
        };
        goal.cancel(answer_timeout)?;
        result.wait(end_timeout).map(|_| ())
    }
}
