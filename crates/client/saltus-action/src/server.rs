//! Action servers: their builder, their services and their counts.

use std::{
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

use saltus_cdr::Action;
use saltus_msgs::action_msgs::srv::{CancelGoal, CancelGoal_Request};
use saltus_node::{
    CallbackGroup, GenericServer, GenericServiceType, Node, NodeError, Sample, Server, TypeId,
};
use saltus_types::{QoS, try_new_cyclic};

use crate::{
    ActionKind, ActionNames, ActionQos, ActionTypes, AnyAction, SerializedResult,
    goals::{ActionServerState, EmptyResult, ServerOptions},
    handle::GoalHandle,
    request::{CancelResponse, GoalRequest, GoalResponse},
    resolve,
};

/// The time for which a result is kept after a goal has ended, as in `rcl_action`.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);

/// The counts of an action server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionServerStatus {
    /// The number of goals that have not ended.
    pub active: usize,
    /// The number of goals that have ended and whose results are kept.
    pub kept: usize,
}

/// A builder for action servers.
#[must_use = "no goal is accepted before `execute`"]
pub struct ActionServerBuilder<K: ActionKind> {
    action: String,
    options: ServerOptions<K>,
}

impl<K: ActionKind> fmt::Debug for ActionServerBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionServerBuilder").field("action", &self.action).finish_non_exhaustive()
    }
}

impl<K: ActionKind> ActionServerBuilder<K> {
    fn new(node: &Node, action: &str, types: ActionTypes, empty_result: EmptyResult<K>) -> Self {
        Self {
            action: action.into(),
            options: ServerOptions {
                node: node.clone(),
                group: node.default_callback_group().clone(),
                result_timeout: Some(RESULT_TIMEOUT),
                types,
                qos: ActionQos::default(),
                empty_result,
                on_goal: Box::new(|_| GoalResponse::AcceptAndExecute),
                on_cancel: Box::new(|_| CancelResponse::Reject),
                on_canceling: Box::new(|_| ()),
            },
        }
    }

    /// Sets the callback group that its callbacks belong to. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.options.group = group.clone();
        self
    }

    /// Sets how long a result is kept after a goal has ended, for clients that request it late. `None` means for ever.
    /// The default is 10 s. Of the results that were sent to a client, only the newest are kept: at most 64, and at
    /// most 4 MiB unless the newest alone is larger.
    pub fn result_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.options.result_timeout = timeout.into();
        self
    }

    /// Sets the quality of service of feedback.
    pub fn feedback_qos(mut self, qos: impl Into<QoS>) -> Self {
        self.options.qos.feedback = qos.into();
        self
    }

    /// Sets the quality of service of all services and topics.
    pub fn qos(mut self, qos: ActionQos) -> Self {
        self.options.qos = qos;
        self
    }

    /// Sets the callback that accepts or rejects each goal. By default each goal is accepted and executed at once.
    pub fn on_goal(
        mut self,
        callback: impl FnMut(&GoalRequest<'_, K>) -> GoalResponse + Send + 'static,
    ) -> Self {
        self.options.on_goal = Box::new(callback);
        self
    }

    /// Sets the callback that accepts or rejects each cancellation of a goal. By default each cancellation is rejected.
    /// If it is accepted, [`GoalHandle::is_canceling`] becomes true, and the program should end the goal soon.
    pub fn on_cancel(
        mut self,
        callback: impl FnMut(&GoalHandle<K>) -> CancelResponse + Send + 'static,
    ) -> Self {
        self.options.on_cancel = Box::new(callback);
        self
    }

    /// Sets a callback that is called when a goal has begun to be canceled: [`GoalHandle::is_canceling`] is true. With it, a
    /// thread that executes the goal learns of it at once.
    pub fn on_canceling(mut self, callback: impl FnMut(&GoalHandle<K>) + Send + 'static) -> Self {
        self.options.on_canceling = Box::new(callback);
        self
    }

    /// Opens the server. An executor calls `callback` with each accepted goal. The callback may execute the goal
    /// itself, or keep the handle, so that another thread or timers execute the goal.
    pub fn execute(
        self,
        callback: impl FnMut(GoalHandle<K>) + Send + 'static,
    ) -> Result<ActionServer<K>, NodeError> {
        let Self { action, options } = self;
        let action = resolve(&options.node, &action)?.as_str().to_owned();
        let (names, group) = (ActionNames::of(&action), options.group.clone());
        let (types, qos) = (options.types.clone(), options.qos);
        let on_accepted = Box::new(callback);
        let state = try_new_cyclic(|state| ActionServerState::open(state, options, action, on_accepted))?;
        // A subscription to the states may have been matched before the state was created.
        state.on_matched();
        let services = Services::open(&state, &names, &types, qos, &group)?;
        Ok(ActionServer { _services: services, state })
    }
}

/// The services of an action. Dropping them closes them.
struct Services {
    _send_goal: GenericServer,
    _cancel_goal: Server<CancelGoal>,
    _get_result: GenericServer,
}

impl Services {
    fn open<K: ActionKind>(
        state: &Arc<ActionServerState<K>>,
        names: &ActionNames,
        types: &ActionTypes,
        qos: ActionQos,
        group: &CallbackGroup,
    ) -> Result<Self, NodeError> {
        let node = &state.node;
        let weak = Arc::downgrade(state);
        let receive_goal = move |request, responder| {
            if let Some(state) = weak.upgrade() {
                state.receive_goal(request, responder);
            }
        };
        let weak = Arc::downgrade(state);
        let send_result = move |request: Sample, responder| {
            if let Some(state) = weak.upgrade() {
                state.send_result(&request, responder);
            }
            request.callback_returned();
        };
        let weak: Weak<ActionServerState<K>> = Arc::downgrade(state);
        let cancel = move |request: CancelGoal_Request| {
            weak.upgrade().map(|state| state.cancel(&request)).unwrap_or_default()
        };
        let service = |ty: &TypeId, qos: QoS| GenericServiceType::from(ty).qos(qos).callback_group(group);
        let get_result = service(&types.get_result, qos.get_result);
        let send_goal = service(&types.send_goal, qos.send_goal);
        let cancel_goal = node.service(&names.cancel_goal).qos(qos.cancel_goal).callback_group(group);
        Ok(Self {
            _get_result: node.generic_service(&names.get_result, get_result, send_result)?,
            _cancel_goal: cancel_goal.callback(cancel)?,
            // This service is opened last, so that a client that can send a goal can also request its result.
            _send_goal: node.generic_service(&names.send_goal, send_goal, receive_goal)?,
        })
    }
}

/// The server of an action. Dropping it closes it. A client that waits for a result then gets an error.
///
/// ```no_run
/// use saltus::{action::CancelResponse, ActionServer};
/// use saltus::msgs::example_interfaces::action::{Fibonacci, Fibonacci_Result};
/// let context = saltus::Context::new()?;
/// let node = context.node("mathematician").create()?;
/// let server = ActionServer::<Fibonacci>::on(&node, "fibonacci")
///     .on_cancel(|_| CancelResponse::Accept)
///     .execute(|goal| {
///         // Do a long task on a separate thread, or in steps in the callback of a timer.
///         let _ = goal.succeed(Fibonacci_Result { sequence: vec![0, 1, 1, 2] });
///     })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "dropping it closes the action server; keep it in a variable, because `let _ =` drops it at once"]
pub struct ActionServer<K: ActionKind> {
    /// Kept because dropping them closes the services. It is the first field, so it is dropped first: a client that
    /// waits is notified that the server was closed.
    _services: Services,
    state: Arc<ActionServerState<K>>,
}

impl<K: ActionKind> fmt::Debug for ActionServer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionServer").field("action", &self.state.action).finish_non_exhaustive()
    }
}

impl<A: Action> ActionServer<A> {
    /// Starts to build a server of an action. The name of the action is expanded like that of a topic.
    pub fn on(node: &Node, action: &str) -> ActionServerBuilder<A> {
        ActionServerBuilder::new(node, action, ActionTypes::of::<A>(), Box::new(A::Result::default))
    }
}

impl ActionServer<AnyAction> {
    /// Starts to build a server of an action whose types are known only at run time. `empty_result` is the result of a goal
    /// that the program does not end.
    pub fn of_types(
        node: &Node,
        action: &str,
        types: ActionTypes,
        empty_result: SerializedResult,
    ) -> ActionServerBuilder<AnyAction> {
        ActionServerBuilder::new(node, action, types, Box::new(move || empty_result.clone()))
    }
}

impl<K: ActionKind> ActionServer<K> {
    /// Returns the full name of the action.
    pub fn action_name(&self) -> &str {
        &self.state.action
    }

    /// Returns its counts.
    pub fn status(&self) -> ActionServerStatus {
        let goals = self.state.lock();
        let kept = goals.all.values().filter(|goal| goal.status().is_terminal()).count();
        ActionServerStatus { active: goals.all.len() - kept, kept }
    }
}
