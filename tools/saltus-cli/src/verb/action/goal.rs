//! `saltus action send_goal`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{
    Context, Node,
    action::{ActionNames, GoalId, GoalStatus},
    cdr::{ENCAPSULATION, Service},
    generic::{GenericClient, GenericSubscription, TypeId},
    msgs::action_msgs::srv::CancelGoal,
    service::CallError,
    topic::Sample,
    types::QoS,
    types::lock,
};
use saltus_dynamic::{Schema, StampedValue, Value, YamlStyle, decode, encode, to_yaml};

use saltus_verb::{
    actions::Actions,
    arguments::Values,
    catalog::{Catalog, ServiceSchema, with_kind},
    complete,
    error::{Ended, Error},
    graph::{self, absolute},
    reading::{Waiting, hidden_node},
};

/// The time without a server after which a name is suggested.
const HINT_AFTER: Duration = Duration::from_secs(1);

/// `saltus action send_goal`
#[derive(Debug, clap::Args)]
pub(crate) struct SendGoal {
    /// The name of the action
    #[arg(add = complete::action_names())]
    action_name: String,
    /// The type of the action, such as example_interfaces/action/Fibonacci
    #[arg(add = complete::action_types())]
    action_type: String,
    #[command(flatten)]
    goal: Values,
    /// Print feedback when it arrives
    #[arg(short, long)]
    feedback: bool,
    /// The longest time to wait for a server, and then for the result, in seconds [default: no limit]
    #[arg(long)]
    timeout: Option<f64>,
}

/// The client side of an action whose type is known only at run time.
struct Remote {
    send_goal: GenericClient,
    get_result: GenericClient,
    cancel_goal: GenericClient,
    feedback: GenericSubscription,
    types: Types,
}

struct Types {
    goal: Schema,
    send_goal: ServiceSchema,
    get_result: ServiceSchema,
    feedback: Schema,
}

impl Remote {
    fn open(node: &Node, name: &str, ty: &str) -> Result<Self, Error> {
        let names = ActionNames::of(name);
        let mut catalog = Catalog::from_environment();
        let graph = node.context().graph();
        catalog.check_action(ty, &graph)?;
        let (feedback, feedback_type) =
            catalog.topic(&names.feedback, &format!("{ty}_FeedbackMessage"), &graph)?;
        let send_goal = catalog.service(&names.send_goal, &format!("{ty}_SendGoal"), &graph)?;
        let goal = send_goal.request.fields().get(1).and_then(|field| field.ty.message());
        let types = Types {
            goal: goal.ok_or_else(|| {
                format!("`{ty}` is not an action type such as example_interfaces/action/Fibonacci")
            })?,
            send_goal,
            get_result: catalog.service(&names.get_result, &format!("{ty}_GetResult"), &graph)?,
            feedback,
        };
        Ok(Self {
            feedback: node.generic_subscription(&names.feedback, &feedback_type, QoS::keep_last(100))?,
            get_result: node.generic_client(&names.get_result, &types.get_result.ty)?,
            cancel_goal: node.generic_client(&names.cancel_goal, &TypeId::from(CancelGoal::TYPE))?,
            send_goal: node.generic_client(&names.send_goal, &types.send_goal.ty)?,
            types,
        })
    }

    fn is_ready(&self) -> bool {
        let clients = [&self.send_goal, &self.get_result, &self.cancel_goal];
        clients.iter().all(|client| client.service_is_ready()) && self.feedback.publisher_count() > 0
    }
}

impl SendGoal {
    pub(crate) fn run(self) -> Result<(), Error> {
        let name = absolute(&self.action_name)?;
        let context = Context::new()?;
        let ty = with_kind(&self.action_type, "action");
        let remote = Remote::open(&hidden_node(&context)?, &name, &ty)?;
        let mut goal = StampedValue::from_yaml(&remote.types.goal, &self.goal.text()?)
            .map_err(|e| format!("the goal: {e}"))?;
        let timeout = self.timeout.map_or(Duration::MAX, |seconds| {
            Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
        });
        print("Waiting for an action server to become available...\n")?;
        if !context.wait_until(HINT_AFTER.min(timeout), || remote.is_ready() || context.is_shut_down()) {
            let names: Vec<String> = Actions::of(context.graph()).names().collect();
            graph::tell_meant("action", &name, &names)?;
        }
        if !context.wait_until(timeout, || remote.is_ready()) {
            return match context.is_shut_down() {
                true => Err(Ended::Interrupted.into()),
                false => Err(format!("no server for action '{name}' was found in time").into()),
            };
        }
        goal.stamp(saltus::time::system_now().as_nanos());
        print(&format!("Sending goal:\n     {}\n", yaml(&remote.types.goal, &goal.value)))?;
        let id = GoalId::random();
        let request = after_goal_id(id, &encode(&remote.types.goal, &goal.value)?);
        // From now on the server may execute the goal. If this function fails, the goal is cancelled.
        match self.send(&context, &remote, id, &request, timeout) {
            Ok(true) => Ok(()),
            Ok(false) => Err("Goal was rejected.".into()),
            Err(error) => {
                let is_interrupted = matches!(error.downcast_ref(), Some(CallError::ShutDown { .. }))
                    || context.is_shut_down();
                cancel(&self.action_name, id);
                Err(if is_interrupted { Ended::Interrupted.into() } else { error })
            }
        }
    }

    /// Sends the goal and waits for its result. Returns `false` if the goal was rejected.
    fn send(
        &self,
        context: &Context,
        remote: &Remote,
        id: GoalId,
        request: &[u8],
        timeout: Duration,
    ) -> Result<bool, Error> {
        let response = remote.send_goal.call(request, timeout)?;
        let accepted = decode(&remote.types.send_goal.response, &response)?;
        if fields(&accepted).first() != Some(&Value::Bool(true)) {
            return Ok(false);
        }
        print(&format!("Goal accepted with ID: {id}\n\n"))?;
        self.follow(context, remote, id, timeout).map(|()| true)
    }

    /// Waits for the result. Meanwhile, prints feedback.
    fn follow(&self, context: &Context, remote: &Remote, id: GoalId, timeout: Duration) -> Result<(), Error> {
        // Feedback, the result and Ctrl-C wake this thread.
        let mut waiting = Waiting::new(context, timeout)?;
        remote.feedback.set_waker(Some(&waiting.waker()));
        let done = waiting.waker();
        let slot = std::sync::Arc::new(std::sync::Mutex::new(None));
        let result = slot.clone();
        let request = after_goal_id(id, &ENCAPSULATION);
        let mut call = remote.get_result.call_with(request.len(), |bytes| {
            bytes.copy_from_slice(&request);
            Ok(())
        })?;
        let waiter = std::thread::Builder::new().name("saltus-result".into()).spawn(move || {
            let outcome = call.wait(timeout);
            *lock(&result) = Some(outcome);
            done.ring();
        })?;
        let outcome = loop {
            while let Some(sample) = remote.feedback.take() {
                self.print_feedback(remote, id, &sample)?;
            }
            if let Some(outcome) = lock(&slot).take() {
                break outcome;
            }
            waiting.wait();
        };
        // The thread has stored its outcome already, so an error can be ignored.
        let _ = waiter.join();
        print_result(remote, &outcome?)
    }

    fn print_feedback(&self, remote: &Remote, id: GoalId, sample: &Sample) -> Result<(), Error> {
        let schema = &remote.types.feedback;
        let is_own = sample.get(ENCAPSULATION.len()..ENCAPSULATION.len() + 16) == Some(id.as_bytes());
        if !(self.feedback && is_own) {
            return Ok(());
        }
        let message = match decode(schema, sample) {
            Ok(message) => message,
            // An error ends only the printing of this message. The goal is still executed.
            Err(error) => return Ok(writeln!(io::stderr(), "feedback can't be read: {error}")?),
        };
        if let [_, feedback] = fields(&message)
            && let Some(ty) = schema.fields().get(1).and_then(|field| field.ty.message())
        {
            print(&format!("Feedback:\n    {}\n", yaml(&ty, feedback)))?;
        }
        Ok(())
    }
}

/// Returns a serialized message that consists of a goal id and the content of another serialized message. The length of
/// the id is twice the widest alignment, so the content needs the same padding as before.
fn after_goal_id(id: GoalId, message: &[u8]) -> Vec<u8> {
    let rest = message.get(ENCAPSULATION.len()..).unwrap_or_default();
    [&ENCAPSULATION[..], id.as_bytes(), rest].concat()
}

fn fields(message: &Value) -> &[Value] {
    match message {
        Value::Message(fields) => fields,
        _ => &[],
    }
}

fn yaml(schema: &Schema, value: &Value) -> String {
    to_yaml(schema, value, &YamlStyle { truncate: None, no_arr: false, no_str: false })
}

fn print_result(remote: &Remote, sample: &Sample) -> Result<(), Error> {
    let schema = &remote.types.get_result.response;
    let response = decode(schema, sample)?;
    let ty = schema.fields().get(1).and_then(|field| field.ty.message());
    let ([Value::Signed(status), result], Some(ty)) = (fields(&response), ty) else {
        return Err("the response has no status and no result".into());
    };
    let status = GoalStatus::from_number(i8::try_from(*status).unwrap_or(0));
    print(&format!("Result:\n    {}\nGoal finished with status: {status}\n", yaml(&ty, result)))
}

/// Cancels a goal and prints the outcome. Ignores errors of printing.
fn cancel(action: &str, id: GoalId) {
    let _ = print("\nCanceling goal...\n");
    let _ = match try_cancel(action, id) {
        Ok(true) => print("Goal canceled.\n"),
        Ok(false) => print("The goal can't be canceled.\n"),
        Err(error) => print(&format!("The goal can't be canceled: {error}\n")),
    };
}

/// Requests that the server cancels a goal. Returns whether the server accepts the request. Uses a separate context,
/// because the context of the verb may be shut down.
fn try_cancel(action: &str, id: GoalId) -> Result<bool, Error> {
    const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
    let context = saltus::context::ContextOptions::default().handle_signals(false).create()?;
    let node = hidden_node(&context)?;
    let name = ActionNames::of(&absolute(action)?).cancel_goal;
    let client = node.client::<CancelGoal>(&name).create()?;
    client.wait_for_service(CANCEL_TIMEOUT);
    let mut request = saltus::msgs::action_msgs::srv::CancelGoal_Request::default();
    request.goal_info.goal_id = id.into();
    Ok(!client.call(&request, CANCEL_TIMEOUT)?.goals_canceling.is_empty())
}

fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
