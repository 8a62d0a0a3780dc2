//! Clients of actions.

use std::{
    ffi::{c_char, c_void},
    sync::Arc,
};

use saltus::{action::AnyActionClient, service::CallError, topic::Sample, types::Time};

use crate::{
    action::{self, ActionOptions, GoalId},
    callbacks::{CallbackContext, Closure, DropFunction, Next, obey},
    client::ResponseFunction,
    gate::Gate,
    message::Message,
    node::Node,
    pointers,
    status::{
        Failure, SALTUS_INVALID_ACTION_NAME, SALTUS_OK, SALTUS_UNREADABLE, Status, create, destroy, given,
        node_failure, place, run, value,
    },
    text::Text,
    wait,
};

/// Called with each feedback message of a goal: the `size` bytes of a serialized _FeedbackMessage, which are valid until the
/// function returns.
pub type FeedbackFunction = Option<extern "C" fn(context: *mut c_void, data: *const u8, size: usize) -> Next>;

/// A client of an action.
#[derive(Debug)]
pub struct ActionClient {
    gate: Arc<Gate>,
    inner: AnyActionClient,
    name: Text,
}

impl Drop for ActionClient {
    fn drop(&mut self) {
        self.gate.close();
    }
}

/// Creates a client of an action.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_create(
    node: Option<&Node>,
    options: *const ActionOptions,
    client: Option<&mut *mut ActionClient>,
) -> Status {
    create(client, || {
        let node = given(node, "node")?;
        let action = action::read(node, options)?;
        let inner = AnyActionClient::on(&node.inner, action.action, &action.types, action.qos, &action.group)
            .map_err(node_failure(SALTUS_INVALID_ACTION_NAME))?;
        Ok(ActionClient { gate: Arc::default(), name: Text::new(inner.action_name()), inner })
    })
}

/// Closes a client. Its goals go on at their server, and its requests get no outcome any more. A callback that runs on another
/// thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_destroy(client: Option<Box<ActionClient>>) {
    destroy(client);
}

/// Returns the full name of the action. It is valid as long as the client.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_name(client: Option<&ActionClient>) -> *const c_char {
    client.map_or(c"".as_ptr(), |client| client.name.pointer())
}

/// Returns whether all services of a server, and its feedback, are connected.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_is_ready(client: Option<&ActionClient>) -> bool {
    value(false, || client.is_some_and(|client| client.inner.server_is_ready()))
}

/// Waits until a server of the action is ready. A negative timeout is none. Returns SALTUS_TIMEOUT if none is.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_wait(client: Option<&ActionClient>, timeout: i64) -> Status {
    run(|| {
        let client = &given(client, "client")?.inner;
        wait::wait_for(
            client.node().context(),
            timeout,
            || client.server_is_ready(),
            || format!("expected a server of the action '{}'", client.action_name()),
        )
    })
}

/// Sends a goal. `data` is a serialized _SendGoal_Request; the id is set in it. An executor calls `call` with the outcome: a
/// _SendGoal_Response, which saltus_goal_response_read() reads. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_send_goal(
    client: Option<&ActionClient>,
    id: Option<&GoalId>,
    data: *const u8,
    size: usize,
    call: ResponseFunction,
    context: *mut c_void,
    drop: DropFunction,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let (client, then) = outcome(client, call, context)?;
        let request = pointers::array(data, size, "bytes")?;
        Ok(client.inner.send_goal(action::read_id(id)?, request, then)?)
    })
}

/// Reads a _SendGoal_Response: whether the goal was accepted, and when, in nanoseconds of the server's clock.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_goal_response_read(
    response: Option<&Message>,
    is_accepted: Option<&mut bool>,
    stamp: Option<&mut i64>,
) -> Status {
    run(|| {
        let sample = given(response.and_then(Message::sample), "response")?;
        let accepted = AnyActionClient::acceptance(sample);
        let accepted = accepted.map_err(|error| Failure::new(SALTUS_UNREADABLE, error))?;
        *place(is_accepted, "answer")? = accepted.is_some();
        *place(stamp, "time")? = accepted.map_or(0, Time::as_nanos);
        Ok(())
    })
}

/// Sets the callback for the feedback on a goal: serialized _FeedbackMessages. An executor calls it with each message, from the
/// first one on, until saltus_action_client_forget_feedback() or the end of the client. It replaces an earlier callback of the
/// goal.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_on_feedback(
    client: Option<&ActionClient>,
    id: Option<&GoalId>,
    call: FeedbackFunction,
    context: *mut c_void,
    drop: DropFunction,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let callback = Closure::given(call, context, "feedback")?;
        let client = given(client, "client")?;
        let gate = client.gate.clone();
        client.inner.on_feedback(action::read_id(id)?, move |sample: &Sample| {
            let next =
                gate.run(|| (callback.call)(callback.context.pointer(), sample.as_ptr(), sample.len()));
            obey(next.unwrap_or_default());
        });
        Ok(())
    })
}

/// Removes the callback for the feedback on a goal.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_forget_feedback(
    client: Option<&ActionClient>,
    id: Option<&GoalId>,
) -> Status {
    run(|| {
        given(client, "client")?.inner.forget_feedback(action::read_id(id)?);
        Ok(())
    })
}

/// Requests the result of a goal. An executor calls `call` when the goal has ended, after the feedback that was received before:
/// with a _GetResult_Response. Its status is 0 if the server does not know the goal. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_get_result(
    client: Option<&ActionClient>,
    id: Option<&GoalId>,
    call: ResponseFunction,
    context: *mut c_void,
    drop: DropFunction,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let (client, then) = outcome(client, call, context)?;
        Ok(client.inner.request_result(action::read_id(id)?, then)?)
    })
}

/// Requests to cancel goals: the goal with the id, and all that were accepted at `stamp` or before, in nanoseconds of the
/// server's clock. An id of zeros and a stamp of 0 select all goals. An executor calls `call` with the outcome: an
/// action_msgs/srv/CancelGoal_Response. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_client_cancel(
    client: Option<&ActionClient>,
    id: Option<&GoalId>,
    stamp: i64,
    call: ResponseFunction,
    context: *mut c_void,
    drop: DropFunction,
) -> Status {
    let context = CallbackContext::new(context, drop);
    run(|| {
        let (client, then) = outcome(client, call, context)?;
        Ok(client.inner.cancel(action::read_id(id)?, Time::from_nanos(stamp), then)?)
    })
}

/// Returns the client, and a function that calls the callback of a request.
fn outcome(
    client: Option<&ActionClient>,
    call: ResponseFunction,
    context: CallbackContext,
) -> Result<(&ActionClient, saltus::action::OnOutcome), Failure> {
    let callback = Closure::given(call, context, "the outcome")?;
    let client = given(client, "client")?;
    let gate = client.gate.clone();
    let then = move |outcome: Result<Sample, CallError>| {
        let next = gate.run(|| match outcome {
            Ok(sample) => {
                let mut response = Message::once(sample);
                (callback.call)(callback.context.pointer(), SALTUS_OK, Some(&mut response))
            }
            Err(error) => (callback.call)(callback.context.pointer(), Failure::from(error).report(), None),
        });
        obey(next.unwrap_or_default());
    };
    Ok((client, Box::new(then)))
}
