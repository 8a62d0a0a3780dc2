//! Goals that a client has sent: waiting for their acceptance and result, and canceling them.

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
use saltus_node::{CallError, CallbackSubscription, Client, GenericCall, GenericClient, Sample};
use saltus_types::{Time, lock};

use crate::{GoalId, GoalStatus, wire};

/// Why a goal was not accepted, or why its result is not known.
#[derive(thiserror::Error)]
pub enum ActionError {
    /// A call of a service of the action failed: there is no server, it was closed, or it did not answer in time.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server rejected the goal.
    #[error("action '{action}': the server rejected the goal")]
    Rejected {
        /// The name of the action.
        action: String,
    },
    /// The server does not know the goal. It never accepted the goal, or does not keep its result any more.
    #[error("action '{action}': the server never accepted goal {goal}, or no longer keeps its result")]
    UnknownGoal {
        /// The name of the action.
        action: String,
        /// The id of the goal.
        goal: GoalId,
    },
    /// A response does not match its type.
    #[error("action '{action}': can't read a response: {cause}")]
    Unreadable {
        /// The name of the action.
        action: String,
        /// The reason why the response is invalid.
        cause: CdrError,
    },
}

saltus_types::debug_as_display!(ActionError);

pub(crate) type OnFeedback = Arc<Mutex<dyn FnMut(&Sample) -> Result<(), CdrError> + Send>>;

/// The feedback callbacks of each goal. A goal may be sent twice, each time with a callback.
pub(crate) type FeedbackCallbacks = Mutex<HashMap<GoalId, Vec<OnFeedback>>>;

/// The state that a client and its goals share.
pub(crate) struct ActionClientCore {
    pub(crate) action: String,
    pub(crate) send_goal: GenericClient,
    pub(crate) get_result: GenericClient,
    pub(crate) cancel_goal: Client<CancelGoal>,
    pub(crate) feedback_callbacks: Arc<FeedbackCallbacks>,
    pub(crate) feedback: CallbackSubscription,
}

impl ActionClientCore {
    /// Whether all services of a server, and its feedback, are connected.
    pub(crate) fn server_is_ready(&self) -> bool {
        self.send_goal.service_is_ready()
            && self.get_result.service_is_ready()
            && self.cancel_goal.service_is_ready()
            && self.feedback.subscription().publisher_count() > 0
    }

    fn unreadable(&self, cause: CdrError) -> ActionError {
        ActionError::Unreadable { action: self.action.clone(), cause }
    }
}

/// The outcome of a request to cancel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// These goals are being canceled. The list is empty if the request selected no goal.
    Canceling(Vec<GoalId>),
    /// The server rejected the request.
    Rejected,
    /// The server does not know the goal.
    UnknownGoal,
    /// The goal has ended.
    GoalTerminated,
}

impl ActionClientCore {
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

    pub(crate) fn request_result<A: Action>(
        self: &Arc<Self>,
        id: GoalId,
    ) -> Result<ResultCall<A>, ActionError> {
        let request = UUID::from(id);
        let write = |bytes: &mut [u8]| saltus_cdr::encode_into(&request, bytes);
        let call = self.get_result.call_with(saltus_cdr::encoded_len(&request), write)?;
        Ok(ResultCall { core: self.clone(), id, call, _registration: None, of: PhantomData })
    }
}

/// The registration of a feedback callback. Dropping it removes the callback.
pub(crate) struct Registration {
    core: Arc<ActionClientCore>,
    id: GoalId,
    callback: OnFeedback,
}

impl Registration {
    pub(crate) fn new(
        core: &Arc<ActionClientCore>,
        id: GoalId,
        on_feedback: Option<OnFeedback>,
    ) -> Option<Arc<Self>> {
        let callback = on_feedback?;
        lock(&core.feedback_callbacks).entry(id).or_default().push(callback.clone());
        Some(Arc::new(Self { core: core.clone(), id, callback }))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut callbacks = lock(&self.core.feedback_callbacks);
        if let Some(of_goal) = callbacks.get_mut(&self.id) {
            // `self.callback` keeps the callback alive until the lock is released. The callback may own another goal,
            // and dropping that goal takes the lock.
            of_goal.retain(|other| !Arc::ptr_eq(other, &self.callback));
            if of_goal.is_empty() {
                callbacks.remove(&self.id);
            }
        }
    }
}

/// A goal that was sent. It is a future of the accepted goal, which completes while an executor spins the client's
/// node; [`SendGoal::wait`] needs no executor.
#[must_use = "dropping it discards the server's response"]
pub struct SendGoal<A: Action> {
    pub(crate) core: Arc<ActionClientCore>,
    pub(crate) id: GoalId,
    pub(crate) call: GenericCall,
    pub(crate) registration: Option<Arc<Registration>>,
    pub(crate) of: PhantomData<fn() -> A>,
}

impl<A: Action> fmt::Debug for SendGoal<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendGoal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<A: Action> SendGoal<A> {
    /// Returns the id of the goal.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// Waits on the calling thread for at most `timeout`. May be called in a callback too. After a timeout the goal may
    /// be waited for again.
    ///
    /// # Errors
    /// Returns [`ActionError::Rejected`] if the server rejects the goal, and [`ActionError::Call`] or
    /// [`ActionError::Unreadable`] if there is no valid response.
    pub fn wait(&mut self, timeout: Duration) -> Result<ClientGoal<A>, ActionError> {
        let response = self.call.wait(timeout)?;
        accepted_goal(&self.core, self.id, self.registration.take(), &response)
    }
}

/// Reads a `_SendGoal_Response`: whether the goal was accepted, and when.
pub(crate) fn read_acceptance(response: &Sample) -> Result<(bool, TimeMessage), CdrError> {
    let reader = &mut saltus_cdr::Reader::new(response)?;
    Ok((bool::read(reader)?, TimeMessage::read(reader)?))
}

/// Reads the response to a goal that was sent.
fn accepted_goal<A: Action>(
    core: &Arc<ActionClientCore>,
    id: GoalId,
    registration: Option<Arc<Registration>>,
    response: &Sample,
) -> Result<ClientGoal<A>, ActionError> {
    let (is_accepted, stamp) = read_acceptance(response).map_err(|cause| core.unreadable(cause))?;
    if !is_accepted {
        return Err(ActionError::Rejected { action: core.action.clone() });
    }
    Ok(ClientGoal { core: core.clone(), id, stamp: stamp.into(), registration, of: PhantomData })
}

impl<A: Action> Future for SendGoal<A> {
    type Output = Result<ClientGoal<A>, ActionError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(response) = Pin::new(&mut self.call).poll(context) else { return Poll::Pending };
        let registration = self.registration.take();
        let accept = |response: Sample| accepted_goal(&self.core, self.id, registration, &response);
        Poll::Ready(response.map_err(Into::into).and_then(accept))
    }
}

/// A goal that the server has accepted. Dropping it does not cancel the goal. The feedback callback is removed when
/// this and all [`ResultCall`]s of it are dropped.
pub struct ClientGoal<A: Action> {
    core: Arc<ActionClientCore>,
    id: GoalId,
    stamp: Time,
    registration: Option<Arc<Registration>>,
    of: PhantomData<fn() -> A>,
}

impl<A: Action> fmt::Debug for ClientGoal<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientGoal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<A: Action> ClientGoal<A> {
    /// Returns the id of the goal.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// Returns when the goal was accepted, by the server's clock.
    pub fn stamp(&self) -> Time {
        self.stamp
    }

    /// Requests the result of the goal. The response comes when the goal has ended.
    pub fn result(&self) -> Result<ResultCall<A>, ActionError> {
        let call = self.core.request_result(self.id)?;
        Ok(ResultCall { _registration: self.registration.clone(), ..call })
    }

    /// Requests to cancel the goal, and waits for the response for at most `timeout`.
    pub fn cancel(&self, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(self.id, Time::from_nanos(0), timeout)
    }
}

/// A request for the result of a goal. It is a future of the result, which completes while an executor spins the
/// client's node; [`ResultCall::wait`] needs no executor.
#[must_use = "dropping it discards the result"]
pub struct ResultCall<A: Action> {
    core: Arc<ActionClientCore>,
    id: GoalId,
    call: GenericCall,
    /// Kept so that the feedback callback is called until the result has come.
    _registration: Option<Arc<Registration>>,
    of: PhantomData<fn() -> A>,
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

    /// Waits on the calling thread for at most `timeout`. May be called in a callback too. After a timeout the result
    /// may be waited for again. When the result has come, feedback callbacks may run on this thread, with the feedback of
    /// this client that waits. So the thread must not hold a lock that they take.
    pub fn wait(&mut self, timeout: Duration) -> Result<WrappedResult<A>, ActionError> {
        let sample = self.call.wait(timeout)?;
        self.result(sample)
    }
}

impl<A: Action> ResultCall<A> {
    /// Reads the result. Before that, the callbacks get the feedback that was received before the result.
    fn result(&self, sample: Sample) -> Result<WrappedResult<A>, ActionError> {
        self.core.feedback.deliver_waiting();
        WrappedResult::new(&self.core, self.id, sample)
    }
}

impl<A: Action> Future for ResultCall<A> {
    type Output = Result<WrappedResult<A>, ActionError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(sample) = Pin::new(&mut self.call).poll(context) else { return Poll::Pending };
        Poll::Ready(sample.map_err(Into::into).and_then(|sample| self.result(sample)))
    }
}

/// The result of a goal in place, in shared memory, and the state in which the goal ended.
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
    fn new(core: &ActionClientCore, goal: GoalId, sample: Sample) -> Result<Self, ActionError> {
        let (status, _) = wire::read_status(&sample).map_err(|cause| core.unreadable(cause))?;
        let action = core.action.clone();
        if status == GoalStatus::Unknown {
            return Err(ActionError::UnknownGoal { action, goal });
        }
        Ok(Self { sample, status, action, of: PhantomData })
    }

    /// Returns the state in which the goal ended.
    pub fn status(&self) -> GoalStatus {
        self.status
    }

    /// Returns a view of the result in place.
    pub fn view(&self) -> Result<<A::Result as Cdr>::View<'_>, ActionError> {
        let viewed = wire::read_status(&self.sample).and_then(|(_, mut reader)| A::Result::view(&mut reader));
        viewed.map_err(|cause| ActionError::Unreadable { action: self.action.clone(), cause })
    }

    /// Returns the result as an owned value.
    pub fn value(&self) -> Result<A::Result, ActionError> {
        let value = wire::read_status(&self.sample).and_then(|(_, mut reader)| A::Result::read(&mut reader));
        value.map_err(|cause| ActionError::Unreadable { action: self.action.clone(), cause })
    }
}
