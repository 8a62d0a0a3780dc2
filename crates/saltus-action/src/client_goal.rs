//! Goals that were sent: waiting for what comes of them, and canceling them.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use saltus_cdr::{Action, Cdr, CdrError};
use saltus_msgs::{
    action_msgs::{
        msg::GoalInfo,
        srv::{CancelGoal, CancelGoal_Request, CancelGoal_Response},
    },
    builtin_interfaces::msg::Time as TimeMessage,
    unique_identifier_msgs::msg::UUID,
};
use saltus_node::{CallError, Client, GenericCall, Sample, Subscription};
use saltus_types::{Time, lock};

use crate::{GoalId, GoalStatus, wire};

/// Why a goal was not done, or what came of it is not known.
#[derive(thiserror::Error)]
pub enum ActionError {
    /// The server can't be reached, has gone, or did not answer in time.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server did not take the goal.
    #[error("action '{action}': the goal was rejected")]
    Rejected {
        /// Which action.
        action: String,
    },
    /// The server does not know the goal any more: it keeps results for a time only.
    #[error("action '{action}': the server does not know goal {goal} any more")]
    Forgotten {
        /// Which action.
        action: String,
        /// Which goal.
        goal: GoalId,
    },
    /// An answer is not what its type says.
    #[error("action '{action}': an answer can't be read: {cause}")]
    Value {
        /// Which action.
        action: String,
        /// What is wrong with it.
        cause: CdrError,
    },
}

saltus_types::debug_as_display!(ActionError);

pub(crate) type OnFeedback = Arc<Mutex<dyn FnMut(&Sample) -> Result<(), CdrError> + Send>>;

/// Who wants the feedback of which goal. A goal may have been sent twice, and each time with a listener.
pub(crate) type Listeners = Mutex<HashMap<GoalId, Vec<OnFeedback>>>;

/// What a client and its goals have in common.
pub(crate) struct Core<A: Action> {
    pub(crate) action: String,
    pub(crate) send_goal: Client<A::SendGoal>,
    pub(crate) get_result: Client<A::GetResult>,
    pub(crate) cancel_goal: Client<CancelGoal>,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) feedback: Subscription<A::FeedbackMessage>,
}

impl<A: Action> Core<A> {
    fn unreadable(&self, cause: CdrError) -> ActionError {
        ActionError::Value { action: self.action.clone(), cause }
    }
}

/// What became of a request to cancel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// These goals are being canceled; none, if none was meant.
    Canceling(Vec<GoalId>),
    /// The server does not agree.
    Rejected,
    /// The server does not know the goal.
    UnknownGoal,
    /// The goal has ended.
    GoalTerminated,
}

impl<A: Action> Core<A> {
    pub(crate) fn cancel(
        &self,
        id: GoalId,
        stamp: Time,
        timeout: Duration,
    ) -> Result<CancelOutcome, ActionError> {
        let goal_info = GoalInfo { goal_id: id.into(), stamp: stamp.into() };
        let response = self.cancel_goal.call(&CancelGoal_Request { goal_info }, timeout)?;
        let canceling = || response.goals_canceling.iter().map(|goal| goal.goal_id.into()).collect();
        Ok(match response.return_code {
            CancelGoal_Response::ERROR_NONE => CancelOutcome::Canceling(canceling()),
            CancelGoal_Response::ERROR_UNKNOWN_GOAL_ID => CancelOutcome::UnknownGoal,
            CancelGoal_Response::ERROR_GOAL_TERMINATED => CancelOutcome::GoalTerminated,
            _ => CancelOutcome::Rejected,
        })
    }

    pub(crate) fn ask_result(self: &Arc<Self>, id: GoalId) -> Result<ResultCall<A>, ActionError> {
        let request = UUID::from(id);
        let write = |bytes: &mut [u8]| saltus_cdr::encode_into(&request, bytes);
        let call = self.get_result.generic().call_with(saltus_cdr::encoded_len(&request), write)?;
        Ok(ResultCall { core: self.clone(), id, call, _listening: None })
    }
}

/// Feedback is listened to as long as this lives.
pub(crate) struct Listening<A: Action> {
    core: Arc<Core<A>>,
    id: GoalId,
    listener: OnFeedback,
}

impl<A: Action> Listening<A> {
    pub(crate) fn new(core: &Arc<Core<A>>, id: GoalId, on_feedback: Option<OnFeedback>) -> Option<Arc<Self>> {
        let listener = on_feedback?;
        lock(&core.listeners).entry(id).or_default().push(listener.clone());
        Some(Arc::new(Self { core: core.clone(), id, listener }))
    }
}

impl<A: Action> Drop for Listening<A> {
    fn drop(&mut self) {
        let mut listeners = lock(&self.core.listeners);
        if let Some(of_goal) = listeners.get_mut(&self.id) {
            // The listener itself goes with this, after the lock: it may own another goal.
            of_goal.retain(|other| !Arc::ptr_eq(other, &self.listener));
            if of_goal.is_empty() {
                listeners.remove(&self.id);
            }
        }
    }
}

/// A goal that was sent. A future of the accepted goal, which completes while an executor spins the client's
/// node; [`SendGoal::wait`] needs no executor.
#[must_use = "nobody waits for an answer"]
pub struct SendGoal<A: Action> {
    pub(crate) core: Arc<Core<A>>,
    pub(crate) id: GoalId,
    pub(crate) call: GenericCall,
    pub(crate) listening: Option<Arc<Listening<A>>>,
}

impl<A: Action> fmt::Debug for SendGoal<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendGoal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<A: Action> SendGoal<A> {
    /// The goal's identity.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// Waits on this thread, in a callback too, for at most `timeout`. After a time-out it may be waited for
    /// again.
    ///
    /// # Errors
    /// [`ActionError::Rejected`] if the server does not take it; and what can befall any call.
    pub fn wait(&mut self, timeout: Duration) -> Result<ClientGoal<A>, ActionError> {
        let response = self.call.wait(timeout)?;
        accepted(&self.core, self.id, self.listening.take(), &response)
    }
}

fn accepted<A: Action>(
    core: &Arc<Core<A>>,
    id: GoalId,
    listening: Option<Arc<Listening<A>>>,
    response: &Sample,
) -> Result<ClientGoal<A>, ActionError> {
    let read = || -> Result<(bool, TimeMessage), CdrError> {
        let reader = &mut saltus_cdr::Reader::new(response)?;
        Ok((bool::read(reader)?, TimeMessage::read(reader)?))
    };
    let (is_accepted, stamp) = read().map_err(|cause| core.unreadable(cause))?;
    if !is_accepted {
        return Err(ActionError::Rejected { action: core.action.clone() });
    }
    Ok(ClientGoal { core: core.clone(), id, stamp: stamp.into(), listening })
}

impl<A: Action> Future for SendGoal<A> {
    type Output = Result<ClientGoal<A>, ActionError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(response) = Pin::new(&mut self.call).poll(context) else { return Poll::Pending };
        let listening = self.listening.take();
        Poll::Ready(response.map_err(Into::into).and_then(|it| accepted(&self.core, self.id, listening, &it)))
    }
}

/// A goal that the server has accepted. Dropping it does not cancel it; it ends the listening to feedback.
pub struct ClientGoal<A: Action> {
    core: Arc<Core<A>>,
    id: GoalId,
    stamp: Time,
    listening: Option<Arc<Listening<A>>>,
}

impl<A: Action> fmt::Debug for ClientGoal<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientGoal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<A: Action> ClientGoal<A> {
    /// Its identity.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// When it was accepted, by the server's clock.
    pub fn stamp(&self) -> Time {
        self.stamp
    }

    /// Asks what comes of it; the answer comes when it has ended.
    pub fn result(&self) -> Result<ResultCall<A>, ActionError> {
        let call = self.core.ask_result(self.id)?;
        Ok(ResultCall { _listening: self.listening.clone(), ..call })
    }

    /// Asks the server to cancel it.
    pub fn cancel(&self, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(self.id, Time::from_nanos(0), timeout)
    }
}

/// A request for a goal's result: a future, or to be waited for.
#[must_use = "nobody waits for the result"]
pub struct ResultCall<A: Action> {
    core: Arc<Core<A>>,
    id: GoalId,
    call: GenericCall,
    /// Held, not used: feedback is listened to until the result has come.
    _listening: Option<Arc<Listening<A>>>,
}

impl<A: Action> fmt::Debug for ResultCall<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultCall").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<A: Action> ResultCall<A> {
    /// Whether the result, or an error, has come.
    pub fn is_done(&self) -> bool {
        self.call.is_done()
    }

    /// Waits on this thread, in a callback too, for at most `timeout`. After a time-out it may be waited for
    /// again.
    pub fn wait(&mut self, timeout: Duration) -> Result<WrappedResult<A>, ActionError> {
        let sample = self.call.wait(timeout)?;
        WrappedResult::new(&self.core, self.id, sample)
    }
}

impl<A: Action> Future for ResultCall<A> {
    type Output = Result<WrappedResult<A>, ActionError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(sample) = Pin::new(&mut self.call).poll(context) else { return Poll::Pending };
        Poll::Ready(sample.map_err(Into::into).and_then(|it| WrappedResult::new(&self.core, self.id, it)))
    }
}

/// What came of a goal, where it lies in shared memory.
pub struct WrappedResult<A: Action> {
    sample: Sample,
    status: GoalStatus,
    action: String,
    of: PhantomData<fn() -> A>,
}

impl<A: Action> fmt::Debug for WrappedResult<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrappedResult").field("status", &self.status).finish_non_exhaustive()
    }
}

impl<A: Action> WrappedResult<A> {
    fn new(core: &Core<A>, goal: GoalId, sample: Sample) -> Result<Self, ActionError> {
        let (status, _) = wire::read_status(&sample).map_err(|cause| core.unreadable(cause))?;
        let action = core.action.clone();
        if status == GoalStatus::Unknown {
            return Err(ActionError::Forgotten { action, goal });
        }
        Ok(Self { sample, status, action, of: PhantomData })
    }

    /// How the goal has ended.
    pub fn status(&self) -> GoalStatus {
        self.status
    }

    /// The result in place.
    pub fn view(&self) -> Result<<A::Result as Cdr>::View<'_>, ActionError> {
        let viewed = wire::read_status(&self.sample).and_then(|(_, mut reader)| A::Result::view(&mut reader));
        viewed.map_err(|cause| ActionError::Value { action: self.action.clone(), cause })
    }

    /// The result as a value of its own.
    pub fn value(&self) -> Result<A::Result, ActionError> {
        let value = wire::read_status(&self.sample).and_then(|(_, mut reader)| A::Result::read(&mut reader));
        value.map_err(|cause| ActionError::Value { action: self.action.clone(), cause })
    }
}
