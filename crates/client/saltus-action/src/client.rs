//! Action clients: sending goals, and canceling goals of any client.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_cdr::Action;
use saltus_node::{
    CallbackGroup, CallbackSubscription, Node, NodeError, Sample, WaitStrategy, monotonic_now,
};
use saltus_types::{QoS, Time, lock};

use crate::{
    ActionNames, ActionTypes, GoalId,
    client_goal::{
        ActionClientCore, ActionError, CancelOutcome, FeedbackCallbacks, OnFeedback, Registration,
        ResultCall, SendGoal, WrappedResult,
    },
    resolve, wire,
};

/// A builder for action clients.
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
    /// Sets the callback group that its callbacks belong to. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// Sets how a thread waits in a blocking call.
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the quality of service of feedback.
    pub fn feedback_qos(mut self, qos: impl Into<QoS>) -> Self {
        self.feedback_qos = qos.into();
        self
    }

    /// Opens the client.
    pub fn create(self) -> Result<ActionClient<A>, NodeError> {
        let Self { node, action, group, strategy, feedback_qos, .. } = self;
        let action = resolve(&node, &action)?.as_str().to_owned();
        let names = ActionNames::of(&action);
        let send_goal = node.client::<A::SendGoal>(&names.send_goal);
        let get_result = node.client::<A::GetResult>(&names.get_result);
        let (feedback, feedback_callbacks) =
            open_feedback(&node, &names, &ActionTypes::of::<A>(), feedback_qos, &group)?;
        let core = ActionClientCore {
            send_goal: send_goal.callback_group(&group).strategy(strategy).create()?.generic().clone(),
            get_result: get_result.callback_group(&group).strategy(strategy).create()?.generic().clone(),
            cancel_goal: node
                .client(&names.cancel_goal)
                .callback_group(&group)
                .strategy(strategy)
                .create()?,
            feedback,
            feedback_callbacks,
            action,
        };
        Ok(ActionClient { core: Arc::new(core), node, of: PhantomData })
    }
}

/// Opens the subscription to feedback. It calls the callbacks of the goal that a message belongs to.
pub(crate) fn open_feedback(
    node: &Node,
    names: &ActionNames,
    types: &ActionTypes,
    qos: QoS,
    group: &CallbackGroup,
) -> Result<(CallbackSubscription, Arc<FeedbackCallbacks>), NodeError> {
    let callbacks = Arc::<FeedbackCallbacks>::default();
    let registered = callbacks.clone();
    let on_feedback = move |sample: &Sample| {
        let (id, _) = wire::read_id(sample)?;
        // The callbacks are called without the lock, because they may send or drop goals.
        let callbacks = lock(&registered).get(&id).cloned().unwrap_or_default();
        callbacks.iter().try_for_each(|callback| lock(callback)(sample))
    };
    let endpoint = node.generic_endpoint(&names.feedback, &types.feedback).qos(qos).callback_group(group);
    Ok((endpoint.checked_callback(on_feedback)?, callbacks))
}

/// A client of an action.
///
/// May be used from any thread. Cheap to clone.
///
/// ```no_run
/// use saltus::{action::GoalStatus, ActionClient};
/// use saltus::msgs::example_interfaces::action::{Fibonacci, Fibonacci_Goal};
/// use std::time::Duration;
/// let second = Duration::from_secs(1);
/// let context = saltus::Context::new()?;
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
    core: Arc<ActionClientCore>,
    node: Node,
    of: PhantomData<fn() -> A>,
}

impl<A: Action> Clone for ActionClient<A> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), node: self.node.clone(), of: PhantomData }
    }
}

impl<A: Action> fmt::Debug for ActionClient<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionClient").field("action", &self.core.action).finish_non_exhaustive()
    }
}

/// The options with which a goal is sent.
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
    /// Sets the id of the goal. The default is a random id.
    pub fn id(mut self, id: GoalId) -> Self {
        self.id = id;
        self
    }

    /// Sets the callback for feedback on the goal. An executor that spins the client's node calls it with each feedback
    /// message, from the first one on. If the queue is full ([`ActionClientBuilder::feedback_qos`]), the oldest messages
    /// are lost.
    pub fn on_feedback(mut self, mut callback: impl FnMut(A::Feedback) + Send + 'static) -> Self {
        self.on_feedback = Some(Arc::new(Mutex::new(move |sample: &Sample| {
            callback(wire::value_with_id(sample)?);
            Ok(())
        })));
        self
    }
}

impl<A: Action> ActionClient<A> {
    /// Starts to build a client of an action. The name of the action is expanded like that of a topic.
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

    /// Returns the full name of the action.
    pub fn action_name(&self) -> &str {
        &self.core.action
    }

    /// Whether all services of a server, and its feedback, are connected.
    pub fn server_is_ready(&self) -> bool {
        self.core.server_is_ready()
    }

    /// Waits until a server is ready, for at most `timeout`. Returns whether a server is ready.
    pub fn wait_for_server(&self, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.server_is_ready())
    }

    /// Sends a goal.
    ///
    /// # Errors
    /// Returns an error at once if there is no server, or if the goal can't be sent.
    pub fn send_goal(&self, goal: &A::Goal) -> Result<SendGoal<A>, ActionError> {
        self.send_goal_with(goal, GoalOptions::default())
    }

    /// Sends a goal with options: a callback for its feedback, or a given id.
    pub fn send_goal_with(
        &self,
        goal: &A::Goal,
        options: GoalOptions<A>,
    ) -> Result<SendGoal<A>, ActionError> {
        let id = options.id;
        let registration = Registration::new(&self.core, id, options.on_feedback);
        let write = |bytes: &mut [u8]| wire::write_with_id(bytes, id, goal);
        let call = self.core.send_goal.call_with(wire::with_id_len(goal), write)?;
        Ok(SendGoal { core: self.core.clone(), id, call, registration, of: PhantomData })
    }

    /// Sends a goal and waits for its result on the calling thread, for at most `timeout`.
    pub fn execute(&self, goal: &A::Goal, timeout: Duration) -> Result<WrappedResult<A>, ActionError> {
        let begin = monotonic_now();
        let accepted = self.send_goal(goal)?.wait(timeout)?;
        let used = Duration::from_nanos(monotonic_now().saturating_sub(begin));
        accepted.result()?.wait(timeout.saturating_sub(used))
    }

    /// Cancels all goals of the server, including the goals of other clients.
    pub fn cancel_all(&self, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(GoalId::ZERO, Time::from_nanos(0), timeout)
    }

    /// Cancels all goals that the server accepted at `time` or before, by the server's clock.
    pub fn cancel_before(&self, time: Time, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(GoalId::ZERO, time, timeout)
    }

    /// Cancels a goal of any client.
    pub fn cancel_goal(&self, id: GoalId, timeout: Duration) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(id, Time::from_nanos(0), timeout)
    }

    /// Cancels a goal, and all goals that the server accepted at `time` or before.
    pub fn cancel_goal_and_before(
        &self,
        id: GoalId,
        time: Time,
        timeout: Duration,
    ) -> Result<CancelOutcome, ActionError> {
        self.core.cancel(id, time, timeout)
    }

    /// Requests the result of a goal of any client.
    pub fn result_of(&self, id: GoalId) -> Result<ResultCall<A>, ActionError> {
        self.core.request_result(id)
    }
}
