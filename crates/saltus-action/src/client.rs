//! Action clients: sending goals, and canceling those of any client.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_cdr::Action;
use saltus_node::{CallbackGroup, Node, NodeError, Sample, WaitStrategy, monotonic_now};
use saltus_types::{QoS, Time, lock};

use crate::{
    ActionNames, GoalId,
    client_goal::{
        ActionError, CancelOutcome, Core, Listeners, Listening, OnFeedback, ResultCall, SendGoal,
        WrappedResult,
    },
    resolve, wire,
};

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
