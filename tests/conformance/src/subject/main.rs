//! The subject of the Rust library. `README.md` of this package describes it.

mod containers;
mod given;
mod lifecycles;
mod topics;

use std::{
    collections::HashMap,
    io::{Read, Write},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use saltus::{
    ActionClient, ActionServer, Context, Executor, MultiThreadedExecutor, Node,
    action::{ActionError, CancelResponse, GoalError, GoalHandle, GoalId, GoalResponse, GoalStatus},
    msgs::{
        example_interfaces::{
            action::{Fibonacci, Fibonacci_Feedback, Fibonacci_Goal, Fibonacci_Result},
            srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        },
        saltus_conformance_msgs::srv::{Command, Command_Response},
    },
    param::ParameterValue::Integer,
    param::{ParameterError, ParameterType},
    service::CallError,
    types::lock,
};

use containers::Containers;
use given::timeout;
use lifecycles::Lifecycles;
use topics::Topics;

type Error = Box<dyn std::error::Error>;

/// The time for which the action server keeps results.
const RESULT_TIMEOUT: Duration = Duration::from_secs(2);

/// The goals that only a command of the suite ends.
type Goals = Arc<Kept>;

#[derive(Default)]
struct Kept {
    goals: Mutex<HashMap<GoalId, GoalHandle<Fibonacci>>>,
    changed: Condvar,
}

impl Kept {
    fn insert(&self, goal: GoalHandle<Fibonacci>) {
        lock(&self.goals).insert(goal.id(), goal);
        self.changed.notify_all();
    }

    /// Returns a goal. Waits for it for at most a second, because the callback of a goal that was just accepted may not
    /// have run yet.
    fn get(&self, id: GoalId) -> Option<GoalHandle<Fibonacci>> {
        let missing = |goals: &mut HashMap<GoalId, _>| !goals.contains_key(&id);
        let waited = self.changed.wait_timeout_while(lock(&self.goals), Duration::from_secs(1), missing);
        waited.unwrap_or_else(PoisonError::into_inner).0.get(&id).cloned()
    }
}

fn main() -> Result<(), Error> {
    let context = Context::from_args()?;
    let node = context.node("subject").create()?;
    let _services = open_services(&node)?;
    let goals = Goals::default();
    let _action = open_action(&node, &goals)?;
    let _callback = declare_parameters(&node)?;
    // Commands wait for other callbacks, and other callbacks wait for commands. So commands have their own group.
    let group = node.callback_group(saltus::executor::CallbackGroupKind::MutuallyExclusive);
    let mut executor = MultiThreadedExecutor::new(&context)?.threads(2);
    executor.add_node(&node);
    let lifecycles = Lifecycles::new(&context, executor.handle());
    let containers = Containers::new(&context, executor.handle());
    let topics = Topics::default();
    let subject = Subject { node: node.clone(), goals, topics, lifecycles, containers };
    let _command = node.service::<Command>("~/command").callback_group(&group).callback(move |request| {
        let words: Vec<&str> = request.words.iter().map(String::as_str).collect();
        let (ok, text) = match subject.run(&words) {
            Ok(text) => (true, text),
            Err(text) => (false, text),
        };
        Command_Response { ok, text }
    })?;
    let ending = context.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        ending.shut_down();
    });
    println!("ready");
    std::io::stdout().flush()?;
    Ok(executor.spin()?)
}

fn open_services(node: &Node) -> Result<impl Sized, Error> {
    let add = node
        .service::<AddTwoInts>("~/add")
        .callback(|r| AddTwoInts_Response { sum: r.a.wrapping_add(r.b) })?;
    let mut kept = Vec::new();
    let hold = node.service::<AddTwoInts>("~/hold").deferred(move |request, responder| {
        let Ok(value) = request.value() else { return };
        match value.b {
            0 => kept.push(responder),
            1 => drop(responder),
            _ => {
                std::thread::spawn(move || responder.send(&AddTwoInts_Response { sum: value.a }));
            }
        }
    })?;
    Ok((add, hold))
}

fn open_action(node: &Node, goals: &Goals) -> Result<ActionServer<Fibonacci>, Error> {
    let kept = goals.clone();
    let server = ActionServer::<Fibonacci>::on(node, "~/count")
        .result_timeout(RESULT_TIMEOUT)
        .on_goal(|goal| match goal.view().map_or(-1, |view| view.order) {
            ..0 => GoalResponse::Reject,
            0 => GoalResponse::AcceptAndDefer,
            _ => GoalResponse::AcceptAndExecute,
        })
        .on_cancel(|goal| match goal.goal().map_or(0, |view| view.order) {
            13 => CancelResponse::Reject,
            _ => CancelResponse::Accept,
        })
        .execute(move |goal| {
            kept.insert(goal);
        })?;
    Ok(server)
}

fn declare_parameters(node: &Node) -> Result<saltus::param::ParameterCallback, ParameterError> {
    node.parameter("rate").description("how often").floating_point_range(0.0, 100.0, 0.5).declare(10.0)?;
    node.parameter("count").integer_range(0, 10, 0).declare(5i64)?;
    node.parameter("serial").read_only().declare(String::from("X1"))?;
    node.parameter("free").dynamic_typing().declare(1i64)?;
    node.parameter("unset").declare_type(ParameterType::Bool)?;
    node.declare_parameter("arm.joint.name", String::from("elbow"))?;
    Ok(node.on_set_parameters(|list| {
        let is_seven = |one: &saltus::param::Parameter| one.name == "count" && one.value == Integer(7);
        if list.iter().any(is_seven) { Err("seven is not allowed".into()) } else { Ok(()) }
    }))
}

/// The state that commands use.
struct Subject {
    node: Node,
    goals: Goals,
    topics: Topics,
    lifecycles: Lifecycles,
    containers: Containers,
}

impl Subject {
    fn run(&self, words: &[&str]) -> Result<String, String> {
        match words {
            ["goal", id, event] => self.goal(id, event),
            ["call", name, seconds] => self.call(name, timeout(seconds)?),
            ["send_goal", name, order, seconds] => {
                let order = order.parse().map_err(|_| format!("expected an order, found `{order}`"))?;
                self.send_goal(name, order, timeout(seconds)?)
            }
            ["unknown_result", name] => self.request_unknown_result(name),
            ["declare", name] => self.node.declare_parameter(name, 1i64).map(|_| String::new()).map_err(word),
            ["get", name] => self.node.parameter_value(name).map(|value| format!("{value:?}")).map_err(word),
            ["set", name, number] => {
                let number: i64 =
                    number.parse().map_err(|_| format!("expected an integer, found `{number}`"))?;
                self.node.set_parameter(name, number).map(|()| String::new()).map_err(word)
            }
            ["undeclare", name] => self.node.undeclare_parameter(name).map(|()| String::new()).map_err(word),
            ["container", name] => self.containers.create(name).map_err(|error| error.to_string()),
            other => match self.lifecycles.run(other) {
                Some(outcome) => outcome,
                None => self.topics.run(&self.node, other),
            },
        }
    }

    /// Applies an event to a goal. Returns the state of the goal afterwards, as an error if the event was not legal.
    /// The event `drop` drops the goal, or all goals if the id is zero.
    fn goal(&self, id: &str, event: &str) -> Result<String, String> {
        let id = parse_id(id).ok_or_else(|| format!("expected the id of a goal, found `{id}`"))?;
        if event == "drop" {
            match id {
                GoalId::ZERO => lock(&self.goals.goals).clear(),
                id => {
                    let goal = self.goals.get(id);
                    lock(&self.goals.goals).remove(&id);
                    drop(goal);
                }
            }
            return Ok(String::new());
        }
        let goal = self.goals.get(id).ok_or("no such goal")?;
        let result = Fibonacci_Result { sequence: vec![1] };
        let done: Result<(), GoalError> = match event {
            "execute" => goal.execute(),
            "succeed" => goal.succeed(result),
            "abort" => goal.abort(result),
            "canceled" => goal.canceled(result),
            "feedback" => goal.publish_feedback(&Fibonacci_Feedback { sequence: vec![1] }),
            other => return Err(format!("no such event: {other}")),
        };
        let state = goal.status().to_string();
        if done.is_ok() { Ok(state) } else { Err(state) }
    }

    fn call(&self, name: &str, timeout: Duration) -> Result<String, String> {
        let client = self.node.client::<AddTwoInts>(name).create().map_err(|e| e.to_string())?;
        client.wait_for_service(timeout);
        let request = AddTwoInts_Request { a: 2, b: 40 };
        client.call(&request, timeout).map(|response| response.sum.to_string()).map_err(|e| call_word(&e))
    }

    fn send_goal(&self, name: &str, order: i32, timeout: Duration) -> Result<String, String> {
        let client = ActionClient::<Fibonacci>::on(&self.node, name).create().map_err(|e| e.to_string())?;
        client.wait_for_server(timeout);
        let goal = client.send_goal(&Fibonacci_Goal { order }).and_then(|mut sent| sent.wait(timeout));
        let result = goal.and_then(|goal| goal.result()?.wait(timeout)).map_err(|e| action_word(&e))?;
        Ok(match result.status() {
            GoalStatus::Succeeded => "succeeded".into(),
            GoalStatus::Canceled => "canceled".into(),
            GoalStatus::Aborted => "aborted".into(),
            other => other.to_string(),
        })
    }

    fn request_unknown_result(&self, name: &str) -> Result<String, String> {
        const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
        let client = ActionClient::<Fibonacci>::on(&self.node, name).create().map_err(|e| e.to_string())?;
        client.wait_for_server(RESPONSE_TIMEOUT);
        let call = client.result_of(GoalId::random()).and_then(|mut call| call.wait(RESPONSE_TIMEOUT));
        call.map(|result| result.status().to_string()).map_err(|e| action_word(&e))
    }
}

fn parse_id(text: &str) -> Option<GoalId> {
    let mut bytes = [0; 16];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(GoalId::from_bytes(bytes))
}

fn call_word(error: &CallError) -> String {
    match error {
        CallError::NoServer { .. } => "no_server".into(),
        CallError::ServerGone { .. } => "server_gone".into(),
        CallError::NotAnswered { .. } => "not_answered".into(),
        CallError::Timeout { .. } => "timeout".into(),
        other => other.to_string(),
    }
}

fn action_word(error: &ActionError) -> String {
    match error {
        ActionError::Call(error) => call_word(error),
        ActionError::Rejected { .. } => "rejected".into(),
        ActionError::UnknownGoal { .. } => "unknown_goal".into(),
        other => other.to_string(),
    }
}

fn word(error: ParameterError) -> String {
    match error {
        ParameterError::Name(_) => "bad_name".into(),
        ParameterError::AlreadyDeclared(_) => "already_declared".into(),
        ParameterError::NotDeclared(_) => "not_declared".into(),
        ParameterError::NotInitialized(_) => "not_initialized".into(),
        ParameterError::Type { .. } => "type".into(),
        ParameterError::ReadOnly(_) => "read_only".into(),
        ParameterError::Range { .. } => "range".into(),
        ParameterError::Rejected(_) => "rejected".into(),
        other => other.to_string(),
    }
}
