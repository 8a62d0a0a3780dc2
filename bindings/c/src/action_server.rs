//! Servers of actions, and the goals that they execute.

use std::{
    ffi::{c_char, c_void},
    sync::Arc,
    time::Duration,
};

use saltus::action::{
    ActionServer as Server, AnyAction, CancelResponse, GoalError, GoalHandle, GoalRequest, GoalResponse,
    SerializedResult,
};

use crate::{
    action::{self, ActionOptions, GoalId},
    callbacks::{CallbackContext, Closure, DropFunction, Gated, Next, obey},
    gate::Gate,
    node::Node,
    pointers::{self, Options},
    status::{
        Failure, SALTUS_GOAL_TRANSITION, SALTUS_INVALID_ACTION_NAME, SALTUS_SERVER_GONE, SALTUS_UNREADABLE,
        Status, create, destroy, given, node_failure, place, run, value,
    },
    text::Text,
};

/// The decision on a goal: SALTUS_GOAL_REJECT, SALTUS_GOAL_EXECUTE or SALTUS_GOAL_DEFER.
pub type GoalDecision = u8;

/// The goal is rejected.
pub const SALTUS_GOAL_REJECT: GoalDecision = 1;
/// The goal is accepted, and its execution begins at once.
pub const SALTUS_GOAL_EXECUTE: GoalDecision = 2;
/// The goal is accepted. Its execution begins with saltus_goal_execute().
pub const SALTUS_GOAL_DEFER: GoalDecision = 3;

/// The end of a goal: SALTUS_GOAL_SUCCEEDED, SALTUS_GOAL_CANCELED or SALTUS_GOAL_ABORTED.
pub type GoalEnd = u8;

/// The goal was reached.
pub const SALTUS_GOAL_SUCCEEDED: GoalEnd = 4;
/// The goal was canceled. It must be canceling.
pub const SALTUS_GOAL_CANCELED: GoalEnd = 5;
/// The goal can't be reached.
pub const SALTUS_GOAL_ABORTED: GoalEnd = 6;

/// Decides on a goal. `request` has the `size` bytes of a serialized _SendGoal_Request, which are valid until the function returns.
/// Write the decision to `decision`; it is SALTUS_GOAL_REJECT before.
pub type GoalFunction = Option<
    extern "C" fn(
        context: *mut c_void,
        id: &GoalId,
        request: *const u8,
        size: usize,
        decision: &mut GoalDecision,
    ) -> Next,
>;
/// Decides whether a goal is canceled. `goal` is valid until the function returns. `accepts` is false before.
pub type CancelFunction =
    Option<extern "C" fn(context: *mut c_void, goal: &Goal, accepts: &mut bool) -> Next>;
/// Called with each accepted goal, after the client was told, which the function takes over. It may execute the goal itself, or
/// keep it for another thread.
pub type AcceptedFunction = Option<extern "C" fn(context: *mut c_void, goal: *mut Goal) -> Next>;

/// The functions of a server. They get the same context, one after the other unless their group is reentrant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ActionFunctions {
    /// The size of this struct: sizeof(saltus_action_functions_t).
    pub struct_size: usize,
    /// Decides on a goal. NULL accepts each, and executes it at once.
    pub goal: GoalFunction,
    /// Decides whether a goal is canceled. NULL rejects that.
    pub cancel: CancelFunction,
    /// Called with each accepted goal.
    pub accepted: AcceptedFunction,
    /// The first argument of the functions.
    pub context: *mut c_void,
    /// Drops the context.
    pub drop: DropFunction,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers, pointers and functions that may be NULL.
unsafe impl Options for ActionFunctions {
    const NAME: &str = "saltus_action_functions_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            goal: None,
            cancel: None,
            accepted: None,
            context: std::ptr::null_mut(),
            drop: None,
        }
    }
}

/// A goal that a server has accepted. If it is destroyed before it has ended, it ends with the empty result: canceled if it was
/// canceling, and aborted otherwise.
#[derive(Debug)]
pub struct Goal(GoalHandle<AnyAction>);

/// A server of an action.
#[derive(Debug)]
pub struct ActionServer {
    inner: Gated<Server<AnyAction>>,
    name: Text,
}

/// The functions of a server, and their context.
struct Functions {
    goal: GoalFunction,
    cancel: CancelFunction,
    accepted: Closure<extern "C" fn(*mut c_void, *mut Goal) -> Next>,
    gate: Arc<Gate>,
}

impl Functions {
    fn context(&self) -> *mut c_void {
        self.accepted.context.pointer()
    }

    fn decide(&self, request: &GoalRequest<'_, AnyAction>) -> GoalResponse {
        let Some(goal) = self.goal else { return GoalResponse::AcceptAndExecute };
        let mut decision = SALTUS_GOAL_REJECT;
        let (id, bytes) = (request.id().into(), request.bytes());
        let next = self.gate.run(|| goal(self.context(), &id, bytes.as_ptr(), bytes.len(), &mut decision));
        obey(next.unwrap_or_default());
        match decision {
            SALTUS_GOAL_EXECUTE => GoalResponse::AcceptAndExecute,
            SALTUS_GOAL_DEFER => GoalResponse::AcceptAndDefer,
            _ => GoalResponse::Reject,
        }
    }

    fn decide_cancel(&self, goal: &GoalHandle<AnyAction>) -> CancelResponse {
        let Some(cancel) = self.cancel else { return CancelResponse::Reject };
        let mut accepts = false;
        let next = self.gate.run(|| cancel(self.context(), &Goal(goal.clone()), &mut accepts));
        obey(next.unwrap_or_default());
        if accepts { CancelResponse::Accept } else { CancelResponse::Reject }
    }

    fn accept(&self, goal: GoalHandle<AnyAction>) {
        let next = self.gate.run(|| {
            let goal = Box::into_raw(Box::new(Goal(goal)));
            (self.accepted.call)(self.context(), goal)
        });
        obey(next.unwrap_or_default());
    }
}

/// Opens a server of an action. An executor calls the functions. The context is dropped even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_server_create(
    node: Option<&Node>,
    options: *const ActionOptions,
    functions: *const ActionFunctions,
    server: Option<&mut *mut ActionServer>,
) -> Status {
    let functions = pointers::options(functions)
        .map(|functions| (functions, CallbackContext::new(functions.context, functions.drop)));
    create(server, || {
        let (functions, context) = functions?;
        let accepted = Closure::given(functions.accepted, context, "accepted goals")?;
        let node = given(node, "node")?;
        let action = action::read(node, options)?;
        let empty = pointers::array(action.options.empty_result, action.options.empty_result_size, "bytes")?;
        let empty = SerializedResult::new(empty.to_vec()).map_err(unreadable)?;
        let gate = Arc::<Gate>::default();
        let ActionFunctions { goal, cancel, .. } = functions;
        let functions = Arc::new(Functions { goal, cancel, accepted, gate: gate.clone() });
        let (goal, cancel) = (functions.clone(), functions.clone());
        let inner = Server::of_types(&node.inner, action.action, action.types, empty)
            .qos(action.qos)
            .callback_group(&action.group)
            .result_timeout(u64::try_from(action.options.result_timeout).ok().map(Duration::from_nanos))
            .on_goal(move |request| goal.decide(request))
            .on_cancel(move |goal| cancel.decide_cancel(goal))
            .execute(move |goal| functions.accept(goal))
            .map_err(node_failure(SALTUS_INVALID_ACTION_NAME))?;
        Ok(ActionServer { name: Text::new(inner.action_name()), inner: Gated::new(gate, inner) })
    })
}

/// Closes a server. Its goals can't end any more: clients that wait for their results get SALTUS_SERVER_GONE. A callback that runs
/// on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_server_destroy(server: Option<Box<ActionServer>>) {
    destroy(server);
}

/// Returns the full name of the action. It is valid as long as the server.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_server_name(server: Option<&ActionServer>) -> *const c_char {
    server.map_or(c"".as_ptr(), |server| server.name.pointer())
}

/// Returns how many goals of a server have not ended.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_server_goal_count(server: Option<&ActionServer>) -> usize {
    value(0, || server.map_or(0, |server| server.inner.status().active))
}

/// Returns another handle of a goal. The goal ends early only when all are destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_clone(goal: Option<&Goal>, clone: Option<&mut *mut Goal>) -> Status {
    create(clone, || Ok(Goal(given(goal, "goal")?.0.clone())))
}

/// Writes the id of a goal.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_id(goal: Option<&Goal>, id: Option<&mut GoalId>) -> Status {
    run(|| {
        *place(id, "id")? = given(goal, "goal")?.0.id().into();
        Ok(())
    })
}

/// Returns the state of a goal: a number of action_msgs/msg/GoalStatus. It is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_status(goal: Option<&Goal>) -> i8 {
    value(0, || goal.map_or(0, |goal| goal.0.status() as i8))
}

/// Returns the bytes of the _SendGoal_Request with the goal, and writes their number to `size`. They are valid as long as the
/// goal.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_request(goal: Option<&Goal>, size: Option<&mut usize>) -> *const u8 {
    let (Some(goal), Some(size)) = (goal, size) else { return std::ptr::null() };
    let request = goal.0.request();
    *size = request.len();
    request.as_ptr()
}

/// Begins the execution of a goal that was accepted with SALTUS_GOAL_DEFER.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_execute(goal: Option<&Goal>) -> Status {
    run(|| Ok(given(goal, "goal")?.0.execute()?))
}

/// Begins to cancel a goal, as if a client had requested it and the server had accepted that.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_cancel(goal: Option<&Goal>) -> Status {
    run(|| Ok(given(goal, "goal")?.0.cancel()?))
}

/// Publishes feedback on a goal. `data` is a serialized _FeedbackMessage; the id of the goal is set in it.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_publish_feedback(goal: Option<&Goal>, data: *const u8, size: usize) -> Status {
    run(|| {
        let message = pointers::array(data, size, "bytes")?;
        Ok(given(goal, "goal")?.0.publish_serialized_feedback(message)?)
    })
}

/// Ends a goal. `data` is a serialized _GetResult_Response with the result; the status is set in it. The goal must still be
/// destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_end(goal: Option<&Goal>, end: GoalEnd, data: *const u8, size: usize) -> Status {
    run(|| {
        let goal = &given(goal, "goal")?.0;
        let result = pointers::array(data, size, "bytes")?.to_vec();
        let result = SerializedResult::new(result).map_err(unreadable)?;
        match end {
            SALTUS_GOAL_SUCCEEDED => goal.succeed(result)?,
            SALTUS_GOAL_CANCELED => goal.canceled(result)?,
            SALTUS_GOAL_ABORTED => goal.abort(result)?,
            _ => {
                return Err(Failure::argument(format!("expected an end of a goal from 4 to 6, found {end}")));
            }
        }
        Ok(())
    })
}

/// Destroys a goal. If it has not ended, it ends with the empty result.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_destroy(goal: Option<Box<Goal>>) {
    destroy(goal);
}

fn unreadable(error: impl ToString) -> Failure {
    Failure::new(SALTUS_UNREADABLE, error)
}

impl From<GoalError> for Failure {
    fn from(error: GoalError) -> Self {
        let status = match error {
            GoalError::Transition { .. } | GoalError::Ended { .. } => SALTUS_GOAL_TRANSITION,
            GoalError::ServerClosed(_) => SALTUS_SERVER_GONE,
            GoalError::Publish(error) => return publish_failure(error),
        };
        Self::new(status, error)
    }
}

fn publish_failure(error: saltus::topic::PublishValueError) -> Failure {
    match error {
        saltus::topic::PublishValueError::Value(error) => unreadable(error),
        saltus::topic::PublishValueError::Send(error) => error.into(),
    }
}
