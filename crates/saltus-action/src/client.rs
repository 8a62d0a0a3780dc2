//! Action clients: sending goals, watching them, and waiting for what comes of them.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
use saltus_node::{
    CallError, CallbackGroup, Client, GenericCall, Node, NodeError, Sample, Subscription, WaitStrategy,
    monotonic_now,
};
use saltus_types::{QoS, Time};

use crate::{ActionNames, GoalId, GoalStatus, resolve, wire};

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

type OnFeedback = Arc<Mutex<dyn FnMut(&Sample) -> Result<(), CdrError> + Send>>;

/// Who wants the feedback of which goal. A goal may have been sent twice, and each time with a listener.
type Listeners = Mutex<HashMap<GoalId, Vec<OnFeedback>>>;

struct Core<A: Action> {
    action: String,
    send_goal: Client<A::SendGoal>,
    get_result: Client<A::GetResult>,
    cancel_goal: Client<CancelGoal>,
    listeners: Arc<Listeners>,
    feedback: Subscription<A::FeedbackMessage>,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<A: Action> Core<A> {
    fn unreadable(&self, cause: CdrError) -> ActionError {
        ActionError::Value { action: self.action.clone(), cause }
    }
}

/// How an action client is to be.
#[must_use = "no goal can be sent before `create`"]
pub struct ActionClientBuilder<A> {
    node: Node,
    action: String,
    group: CallbackGroup,
    strategy: WaitStrategy,
    feedback_qos: QoS,
    of: PhantomData<fn() -> A>,
}

impl<A> fmt::Debug for ActionClientBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionClientBuilder").field("action", &self.action).finish_non_exhaustive()
    }
}

impl<A: Action> ActionClientBuilder<A> {
    /// The callback group that its callbacks belong to, instead of the node's default one.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// How a thread waits in a blocking call.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// The quality of service of feedback.
    pub fn feedback_qos(mut self, qos: impl Into<QoS>) -> Self {
        self.feedback_qos = qos.into();
        self
    }

    /// Opens it.
    pub fn create(self) -> Result<ActionClient<A>, NodeError> {
        let Self { node, action, group, strategy, feedback_qos, .. } = self;
        let action = resolve(&node, &action)?.as_str().to_owned();
        let names = ActionNames::of(&action);
        let listeners = Arc::<Listeners>::default();
        let heard = listeners.clone();
        let on_feedback = move |sample: &Sample| {
            let (id, _) = wire::read_id(sample)?;
            // Not under the lock: the callback may send goals, or drop them.
            let listeners = lock(&heard).get(&id).cloned().unwrap_or_default();
            listeners.iter().try_for_each(|listener| lock(listener)(sample))
        };
        let feedback = node.subscription(&names.feedback).qos(feedback_qos).callback_group(&group);
        let core = Core {
            send_goal: node.client(&names.send_goal).callback_group(&group).strategy(strategy).create()?,
            get_result: node.client(&names.get_result).callback_group(&group).strategy(strategy).create()?,
            cancel_goal: node
                .client(&names.cancel_goal)
                .callback_group(&group)
                .strategy(strategy)
                .create()?,
            feedback: feedback.serialized(on_feedback)?,
            listeners,
            action,
        };
        Ok(ActionClient { core: Arc::new(core), node })
    }
}

/// The asking end of an action.
///
/// May be used from any thread. Cheap to clone.
///
/// ```no_run
/// use saltus_action::{ActionClient, GoalStatus};
/// use saltus_msgs::example_interfaces::action::{Fibonacci, Fibonacci_Goal};
/// use std::time::Duration;
/// let second = Duration::from_secs(1);
/// let context = saltus_node::Context::new()?;
/// let node = context.node("pupil").create()?;
/// let client = ActionClient::<Fibonacci>::on(&node, "fibonacci").create()?;
/// if client.wait_for_server(second) {
///     let goal = client.send_goal(&Fibonacci_Goal { order: 5 })?.wait(second)?;
///     let result = goal.result()?.wait(10 * second)?;
///     assert_eq!(result.status(), GoalStatus::Succeeded);
///     println!("{:?}", result.value()?.sequence);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ActionClient<A: Action> {
    core: Arc<Core<A>>,
    node: Node,
}

impl<A: Action> Clone for ActionClient<A> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), node: self.node.clone() }
    }
}

impl<A: Action> fmt::Debug for ActionClient<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionClient").field("action", &self.core.action).finish_non_exhaustive()
    }
}

/// What a goal is sent with besides its content.
#[must_use]
pub struct GoalOptions<A> {
    id: GoalId,
    on_feedback: Option<OnFeedback>,
    of: PhantomData<fn() -> A>,
}

impl<A: Action> fmt::Debug for GoalOptions<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoalOptions").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<A: Action> Default for GoalOptions<A> {
    fn default() -> Self {
        Self { id: GoalId::random(), on_feedback: None, of: PhantomData }
    }
}

impl<A: Action> GoalOptions<A> {
    /// The goal's identity, instead of a random one.
    pub fn id(mut self, id: GoalId) -> Self {
        self.id = id;
        self
    }

    /// An executor that spins the client's node calls back with the goal's feedback, from its acceptance on, as
    /// far as the queue holds it ([`ActionClientBuilder::feedback_qos`]).
    pub fn on_feedback(mut self, mut callback: impl FnMut(A::Feedback) + Send + 'static) -> Self {
        self.on_feedback = Some(Arc::new(Mutex::new(move |sample: &Sample| {
            callback(wire::value_with_id(sample)?);
            Ok(())
        })));
        self
    }
}

impl<A: Action> ActionClient<A> {
    /// A client of an action, of a node, named as a topic is.
    pub fn on(node: &Node, action: &str) -> ActionClientBuilder<A> {
        ActionClientBuilder {
            node: node.clone(),
            action: action.into(),
            group: node.default_callback_group().clone(),
            strategy: WaitStrategy::default(),
            feedback_qos: QoS::default(),
            of: PhantomData,
        }
    }

    /// The full name of the action.
    pub fn action_name(&self) -> &str {
        &self.core.action
    }

    /// Whether a server is connected with all of its services, and its feedback.
    pub fn server_is_ready(&self) -> bool {
        let core = &self.core;
        core.send_goal.service_is_ready()
            && core.get_result.service_is_ready()
            && core.cancel_goal.service_is_ready()
            && core.feedback.publisher_count() > 0
    }

    /// Waits until a server is ready, at most for `timeout`. Whether one is.
    pub fn wait_for_server(&self, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.server_is_ready())
    }

    /// Sends a goal.
    ///
    /// # Errors
    /// At once if there is no server, or the goal can't be sent.
    pub fn send_goal(&self, goal: &A::Goal) -> Result<SendGoal<A>, ActionError> {
        self.send_goal_with(goal, GoalOptions::default())
    }

    /// Sends a goal, with a listener to its feedback or an identity of its own.
    pub fn send_goal_with(
        &self,
        goal: &A::Goal,
        options: GoalOptions<A>,
    ) -> Result<SendGoal<A>, ActionError> {
        let id = options.id;
        let listening = Listening::new(&self.core, id, options.on_feedback);
        let write = |bytes: &mut [u8]| wire::write_with_id(bytes, id, goal);
        let call = self.core.send_goal.generic().call_with(wire::with_id_len(goal), write)?;
        Ok(SendGoal { core: self.core.clone(), id, call, listening })
    }

    /// Sends a goal and waits for what comes of it, on this thread, at most for `timeout`.
    pub fn execute(&self, goal: &A::Goal, timeout: Duration) -> Result<WrappedResult<A>, ActionError> {
        let begin = monotonic_now();
        let accepted = self.send_goal(goal)?.wait(timeout)?;
        let used = Duration::from_nanos(monotonic_now().saturating_sub(begin));
        accepted.result()?.wait(timeout.saturating_sub(used))
    }

    /// Cancels all goals of the server, of all clients.
    pub fn cancel_all(&self, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(GoalId::ZERO, Time::from_nanos(0), timeout)
    }

    /// Cancels all goals that the server accepted at that time or before, by its clock.
    pub fn cancel_before(&self, time: Time, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(GoalId::ZERO, time, timeout)
    }

    /// Cancels a goal of any client.
    pub fn cancel_goal(&self, id: GoalId, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(id, Time::from_nanos(0), timeout)
    }

    /// Cancels a goal, and all that were accepted at that time or before.
    pub fn cancel_goal_and_before(
        &self,
        id: GoalId,
        time: Time,
        timeout: Duration,
    ) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(id, time, timeout)
    }

    /// Asks for the result of any goal, by whoever it was sent.
    pub fn result_of(&self, id: GoalId) -> Result<ResultCall<A>, ActionError> {
        self.core.ask_result(id)
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
    fn cancel(&self, id: GoalId, stamp: Time, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        let (sec, nanosec) = stamp.split();
        let goal_info = GoalInfo { goal_id: id.into(), stamp: TimeMessage { sec, nanosec } };
        let response = self.cancel_goal.call(&CancelGoal_Request { goal_info }, timeout)?;
        let canceling = || response.goals_canceling.iter().map(|goal| goal.goal_id.into()).collect();
        Ok(match response.return_code {
            CancelGoal_Response::ERROR_NONE => CancelOutcome::Canceling(canceling()),
            CancelGoal_Response::ERROR_UNKNOWN_GOAL_ID => CancelOutcome::UnknownGoal,
            CancelGoal_Response::ERROR_GOAL_TERMINATED => CancelOutcome::GoalTerminated,
            _ => CancelOutcome::Rejected,
        })
    }

    fn ask_result(self: &Arc<Self>, id: GoalId) -> Result<ResultCall<A>, ActionError> {
        let request = UUID::from(id);
        let write = |bytes: &mut [u8]| saltus_cdr::encode_into(&request, bytes);
        let call = self.get_result.generic().call_with(saltus_cdr::encoded_len(&request), write)?;
        Ok(ResultCall { core: self.clone(), id, call, _listening: None })
    }
}

/// Feedback is listened to as long as this lives.
struct Listening<A: Action> {
    core: Arc<Core<A>>,
    id: GoalId,
    listener: OnFeedback,
}

impl<A: Action> Listening<A> {
    fn new(core: &Arc<Core<A>>, id: GoalId, on_feedback: Option<OnFeedback>) -> Option<Arc<Self>> {
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
    core: Arc<Core<A>>,
    id: GoalId,
    call: GenericCall,
    listening: Option<Arc<Listening<A>>>,
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
    let stamp = Time::from_nanos(i64::from(stamp.sec) * 1_000_000_000 + i64::from(stamp.nanosec));
    Ok(ClientGoal { core: core.clone(), id, stamp, listening })
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
