//! Action servers: accepting, watching and ending goals, and keeping what came of them.

use std::{
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

use saltus_cdr::Action;
use saltus_msgs::action_msgs::srv::{CancelGoal, CancelGoal_Request};
use saltus_node::{CallbackGroup, Node, NodeError, Sample, Server};
use saltus_types::QoS;

use crate::{
    ActionNames,
    goals::{CancelResponse, GoalRequest, GoalResponse, OnCancel, OnGoal, Shared},
    handle::GoalHandle,
    resolve,
};

/// How long a result is kept after a goal has ended, as `rcl_action` does.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);

/// What an action server can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionServerStatus {
    /// Goals that have not ended.
    pub active: usize,
    /// Goals that have ended, and whose results are kept.
    pub kept: usize,
}

/// How an action server is to be.
#[must_use = "no goal is taken before `create`"]
pub struct ActionServerBuilder<A: Action> {
    node: Node,
    action: String,
    group: CallbackGroup,
    result_timeout: Option<Duration>,
    feedback_qos: QoS,
    on_goal: OnGoal<A>,
    on_cancel: OnCancel<A>,
}

impl<A: Action> fmt::Debug for ActionServerBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionServerBuilder").field("action", &self.action).finish_non_exhaustive()
    }
}

impl<A: Action> ActionServerBuilder<A> {
    fn new(node: &Node, action: &str) -> Self {
        Self {
            node: node.clone(),
            action: action.into(),
            group: node.default_callback_group().clone(),
            result_timeout: Some(RESULT_TIMEOUT),
            feedback_qos: QoS::default(),
            on_goal: Box::new(|_| GoalResponse::AcceptAndExecute),
            on_cancel: Box::new(|_| CancelResponse::Reject),
        }
    }

    /// The callback group that its callbacks belong to, instead of the node's default one.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// How long a result is kept after a goal has ended, for those who ask late; `None` is for ever. Default
    /// 10 s. Of results that somebody was given, the 64 newest and at most 4 MiB are kept.
    pub fn result_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.result_timeout = timeout.into();
        self
    }

    /// The quality of service of feedback.
    pub fn feedback_qos(mut self, qos: impl Into<QoS>) -> Self {
        self.feedback_qos = qos.into();
        self
    }

    /// Asked for each goal whether to take it (default: yes, and execute it at once).
    pub fn on_goal(
        mut self,
        callback: impl FnMut(&GoalRequest<'_, A>) -> GoalResponse + Send + 'static,
    ) -> Self {
        self.on_goal = Box::new(callback);
        self
    }

    /// Asked for each goal that a client wants to cancel whether to (default: no). What executes the goal
    /// then sees that it [is canceling](GoalHandle::is_canceling).
    pub fn on_cancel(
        mut self,
        callback: impl FnMut(&GoalHandle<A>) -> CancelResponse + Send + 'static,
    ) -> Self {
        self.on_cancel = Box::new(callback);
        self
    }

    /// Opens it; an executor calls back with each goal that was taken. The callback may execute it there, or
    /// keep the handle and execute it elsewhere, on a thread or in timers.
    pub fn execute(
        self,
        callback: impl FnMut(GoalHandle<A>) + Send + 'static,
    ) -> Result<ActionServer<A>, NodeError> {
        let Self { node, action, group, result_timeout, feedback_qos, on_goal, on_cancel } = self;
        let action = resolve(&node, &action)?.as_str().to_owned();
        let names = ActionNames::of(&action);
        let shared = Shared::new(&node, action, result_timeout, (on_goal, on_cancel), Box::new(callback));
        let shared = Arc::new(shared);
        let feedback = node.publisher(&names.feedback).qos(feedback_qos).create()?;
        let _ = shared.feedback.set(feedback);
        let _ = shared.status.set(shared.open_status(&names, &group)?);
        let _ = shared.sweep.set(shared.open_sweep(&group)?);
        let services = Services::open(&shared, &names, &group)?;
        Ok(ActionServer { _services: services, shared })
    }
}

/// What requests come in by; closed when dropped.
struct Services<A: Action> {
    _send_goal: Server<A::SendGoal>,
    _cancel_goal: Server<CancelGoal>,
    _get_result: Server<A::GetResult>,
}

impl<A: Action> Services<A> {
    fn open(shared: &Arc<Shared<A>>, names: &ActionNames, group: &CallbackGroup) -> Result<Self, NodeError> {
        let node = &shared.node;
        let weak = Arc::downgrade(shared);
        let receive = move |request, responder| {
            if let Some(shared) = weak.upgrade() {
                shared.receive(request, responder);
            }
            None
        };
        let weak = Arc::downgrade(shared);
        let give_result = move |request: Sample, responder| {
            if let Some(shared) = weak.upgrade() {
                shared.give_result(&request, responder);
            }
            Some(request)
        };
        let weak: Weak<Shared<A>> = Arc::downgrade(shared);
        let cancel = move |request: CancelGoal_Request| {
            weak.upgrade().map(|shared| shared.cancel(&request)).unwrap_or_default()
        };
        Ok(Self {
            _get_result: node.service(&names.get_result).callback_group(group).serialized(give_result)?,
            _cancel_goal: node.service(&names.cancel_goal).callback_group(group).callback(cancel)?,
            // The last: whoever can send a goal can also ask for what comes of it.
            _send_goal: node.service(&names.send_goal).callback_group(group).serialized(receive)?,
        })
    }
}

/// The executing end of an action. Dropping it closes it: who waits for a result is told that it has gone.
///
/// ```no_run
/// use saltus_action::{ActionServer, CancelResponse};
/// use saltus_msgs::example_interfaces::action::{Fibonacci, Fibonacci_Result};
/// let context = saltus_node::Context::new()?;
/// let node = context.node("mathematician").create()?;
/// let server = ActionServer::<Fibonacci>::on(&node, "fibonacci")
///     .on_cancel(|_| CancelResponse::Accept)
///     .execute(|goal| {
///         // A long task belongs on a thread of its own, or in steps on a timer.
///         let _ = goal.succeed(Fibonacci_Result { sequence: vec![0, 1, 1, 2] });
///     })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "dropping it ends the action"]
pub struct ActionServer<A: Action> {
    /// Held, not used: dropping them ends the calls. First: whoever waits learns that the server has gone.
    _services: Services<A>,
    shared: Arc<Shared<A>>,
}

impl<A: Action> fmt::Debug for ActionServer<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionServer").field("action", &self.shared.action).finish_non_exhaustive()
    }
}

impl<A: Action> ActionServer<A> {
    /// A server of an action of a node, named as a topic is.
    pub fn on(node: &Node, action: &str) -> ActionServerBuilder<A> {
        ActionServerBuilder::new(node, action)
    }

    /// The full name of the action.
    pub fn action_name(&self) -> &str {
        &self.shared.action
    }

    /// Counts.
    pub fn status(&self) -> ActionServerStatus {
        let goals = self.shared.lock();
        let kept = goals.all.values().filter(|goal| goal.status().is_terminal()).count();
        ActionServerStatus { active: goals.all.len() - kept, kept }
    }
}
