//! Action clients of actions whose types are known only at run time.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_cdr::CdrError;
use saltus_msgs::{
    action_msgs::{msg::GoalInfo, srv::CancelGoal_Request},
    unique_identifier_msgs::msg::UUID,
};
use saltus_node::{
    CallError, CallbackGroup, GenericClient, GenericServiceType, Node, NodeError, Sample, TypeId,
};
use saltus_types::{QoS, Time, lock};

use crate::{
    ActionNames, ActionQos, ActionTypes, GoalId,
    client::open_feedback,
    client_goal::{ActionClientCore, OnFeedback, read_acceptance},
    resolve, wire,
};

/// A client of an action whose types are known only at run time. Its messages are serialized, and an executor that spins its
/// node calls a callback with each outcome.
///
/// May be used from any thread. Cheap to clone.
#[derive(Clone)]
pub struct AnyActionClient {
    core: Arc<ActionClientCore>,
    cancel_goal: GenericClient,
    node: Node,
}

impl fmt::Debug for AnyActionClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyActionClient").field("action", &self.core.action).finish_non_exhaustive()
    }
}

/// A callback for the outcome of a request.
pub type OnOutcome = Box<dyn FnOnce(Result<Sample, CallError>) + Send>;

impl AnyActionClient {
    /// Opens a client. The name of the action is expanded like that of a topic.
    ///
    /// # Errors
    /// Returns an error if the name of the action is invalid, or if there is no memory.
    pub fn on(
        node: &Node,
        action: &str,
        types: &ActionTypes,
        qos: ActionQos,
        group: &CallbackGroup,
    ) -> Result<Self, NodeError> {
        let action = resolve(node, action)?.as_str().to_owned();
        let names = ActionNames::of(&action);
        let (feedback, feedback_callbacks) = open_feedback(node, &names, types, qos.feedback, group)?;
        let service = |ty: &TypeId, qos: QoS| GenericServiceType::from(ty).qos(qos).callback_group(group);
        let get_result = service(&types.get_result, qos.get_result);
        let send_goal = service(&types.send_goal, qos.send_goal);
        let cancel_goal =
            node.client(&names.cancel_goal).qos(qos.cancel_goal).callback_group(group).create()?;
        Ok(Self {
            cancel_goal: cancel_goal.generic().clone(),
            core: Arc::new(ActionClientCore {
                send_goal: node.generic_client(&names.send_goal, send_goal)?,
                get_result: node.generic_client(&names.get_result, get_result)?,
                cancel_goal,
                feedback,
                feedback_callbacks,
                action,
            }),
            node: node.clone(),
        })
    }

    /// Returns the full name of the action.
    pub fn action_name(&self) -> &str {
        &self.core.action
    }

    /// Returns the node that the client belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Whether all services of a server, and its feedback, are connected.
    pub fn server_is_ready(&self) -> bool {
        self.core.server_is_ready()
    }

    /// Waits until a server is ready, for at most `timeout`. Returns whether a server is ready.
    pub fn wait_for_server(&self, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.server_is_ready())
    }

    /// Sets the callback for the feedback on a goal: a serialized `_FeedbackMessage`. It is called until
    /// [`AnyActionClient::forget_feedback`].
    pub fn on_feedback(&self, id: GoalId, mut callback: impl FnMut(&Sample) + Send + 'static) {
        let callback: OnFeedback = Arc::new(Mutex::new(move |sample: &Sample| {
            callback(sample);
            Ok::<(), CdrError>(())
        }));
        // The callback before is dropped without the lock, because it may own this client.
        let replaced = lock(&self.core.feedback_callbacks).insert(id, vec![callback]);
        drop(replaced);
    }

    /// Removes the callback for the feedback on a goal.
    pub fn forget_feedback(&self, id: GoalId) {
        // The callback is dropped without the lock, because it may own this client.
        let forgotten = lock(&self.core.feedback_callbacks).remove(&id);
        drop(forgotten);
    }

    /// Sends a goal: a serialized `_SendGoal_Request`. The id of the goal is set in it. `then` is called with the
    /// `_SendGoal_Response`; [`AnyActionClient::acceptance`] reads it.
    ///
    /// # Errors
    /// Returns an error at once if there is no server, or if the goal can't be sent.
    pub fn send_goal(&self, id: GoalId, request: &[u8], then: OnOutcome) -> Result<(), CallError> {
        let write = |bytes: &mut [u8]| {
            bytes.copy_from_slice(request);
            wire::set_id(bytes, id)
        };
        self.core.send_goal.call_then(request.len(), write, then)
    }

    /// Reads a `_SendGoal_Response`: when the goal was accepted, or `None` if it was rejected.
    ///
    /// # Errors
    /// Returns an error if the response does not match its type.
    pub fn acceptance(response: &Sample) -> Result<Option<Time>, CdrError> {
        let (is_accepted, stamp) = read_acceptance(response)?;
        Ok(is_accepted.then(|| stamp.into()))
    }

    /// Requests the result of a goal. `then` is called with the `_GetResult_Response` when the goal has ended, after the
    /// feedback that was received before it.
    ///
    /// # Errors
    /// Returns an error at once if there is no server, or if the request can't be sent.
    pub fn request_result(&self, id: GoalId, then: OnOutcome) -> Result<(), CallError> {
        let request = UUID::from(id);
        let write = |bytes: &mut [u8]| saltus_cdr::encode_into(&request, bytes);
        let core = Arc::downgrade(&self.core);
        let then = move |outcome| {
            // A panic of a callback for feedback must not keep the outcome back.
            let delivered = catch_unwind(AssertUnwindSafe(|| {
                if let Some(core) = core.upgrade() {
                    core.feedback.deliver_waiting_in_callback();
                }
            }));
            then(outcome);
            delivered.unwrap_or_else(|panic| resume_unwind(panic));
        };
        self.core.get_result.call_then(saltus_cdr::encoded_len(&request), write, then)
    }

    /// Requests to cancel goals, as [`CancelGoal_Request`] selects them: the goal `id`, those that were accepted at `stamp` or
    /// before, or all if both are zero. `then` is called with the `CancelGoal_Response`.
    ///
    /// # Errors
    /// Returns an error at once if there is no server, or if the request can't be sent.
    pub fn cancel(&self, id: GoalId, stamp: Time, then: OnOutcome) -> Result<(), CallError> {
        let goal_info = GoalInfo { goal_id: id.into(), stamp: stamp.into() };
        let request = CancelGoal_Request { goal_info };
        let write = |bytes: &mut [u8]| saltus_cdr::encode_into(&request, bytes);
        self.cancel_goal.call_then(saltus_cdr::encoded_len(&request), write, then)
    }
}
