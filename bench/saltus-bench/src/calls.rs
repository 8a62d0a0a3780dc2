//! The processes of the rows of services and actions: `service/…` and `action/…`, each also with `-owned`,
//! `action-feedback/…`, and `goals-…/…`.

use std::{
    collections::VecDeque,
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use saltus::{
    ActionClient, ActionServer, Client, Context, Executor, Node, SingleThreadedExecutor,
    action::{
        ActionError, ClientGoal, GoalHandle, GoalOptions, GoalStatus, ResultCall, SendGoal, WrappedResult,
    },
    cdr::BuildError,
    executor::WaitStrategy,
    msgs::saltus_bench_msgs::{
        action::{Transfer, Transfer_Feedback, Transfer_Goal, Transfer_Result},
        srv::{Echo, Echo_Request, Echo_Response},
    },
    service::{CallError, RespondError, Responder},
    types::lock,
};
use saltus_bench_pingpong::{Arguments, Echoes, PingTransport, Reply, Role, Usage, pattern, stamp, stamp_at};

use crate::ends::{MATCH, parse_wait};

type Error = Box<dyn std::error::Error>;

/// Runs the role in a mode of services or actions. Returns `None` for every other mode.
pub(crate) fn run(arguments: &Arguments) -> Option<Result<(), Error>> {
    let (what, wait) = arguments.mode.split_once('/')?;
    let run = |way: fn(&Arguments, WaitStrategy) -> Result<(), Error>| {
        parse_wait(wait).and_then(|wait| way(arguments, wait))
    };
    match (what, arguments.role) {
        ("service", Role::Ping) => Some(run(call_service_in_place)),
        ("service", Role::Pong) => Some(run(serve_in_place)),
        ("service-owned", Role::Ping) => Some(run(call_service_owned)),
        ("service-owned", Role::Pong) => Some(run(serve_owned)),
        ("action", Role::Ping) => Some(run(send_goals_and_view_results)),
        ("action-owned", Role::Ping) => Some(run(send_goals_and_own_results)),
        ("action-feedback", Role::Ping) => Some(run(send_goals_and_receive_feedback)),
        ("action", Role::Pong) => {
            Some(run(|arguments, wait| run_action_server(arguments, wait, return_in_place)))
        }
        ("action-owned", Role::Pong) => {
            Some(run(|arguments, wait| run_action_server(arguments, wait, return_owned)))
        }
        ("action-feedback", Role::Pong) => {
            Some(run(|arguments, wait| run_action_server(arguments, wait, return_owned_with_feedback)))
        }
        (what, role) => {
            let outstanding = what.strip_prefix("goals-")?;
            let outstanding = outstanding.parse().unwrap_or(usize::MAX);
            Some(parse_wait(wait).and_then(|wait| match role {
                Role::Ping => send_goals(arguments, wait, outstanding),
                Role::Pong => run_action_server(arguments, wait, return_in_place),
            }))
        }
    }
}

/// The record of a server about its requests, up to the last request.
type Record = Arc<Mutex<Echoes>>;

fn note(record: &Record, data: &[u8]) -> bool {
    lock(record).note(data)
}

fn name(arguments: &Arguments) -> String {
    format!("call_{}", arguments.tag)
}

/// The node and the executor of a server, and what it records.
struct ServerProcess {
    _context: Context,
    node: Node,
    executor: SingleThreadedExecutor,
    echoes: Arc<Mutex<Echoes>>,
}

impl ServerProcess {
    fn new(arguments: &Arguments, wait: WaitStrategy) -> Result<Self, Error> {
        let context = Context::new()?;
        let node = context.node("pong").create()?;
        let executor = SingleThreadedExecutor::new(&context)?.strategy(wait);
        let echoes = Arc::new(Mutex::new(Echoes::new(arguments)));
        Ok(Self { _context: context, node, executor, echoes })
    }

    /// Returns a function that records a request. It returns whether that was the last request. If so, it ends the
    /// spin.
    fn is_last(&self) -> impl FnMut(&[u8]) -> bool + Send + 'static {
        let (record, executor) = (self.echoes.clone(), self.executor.handle());
        move |data| {
            let is_last = !note(&record, data);
            if is_last {
                executor.cancel();
            }
            is_last
        }
    }

    fn spin(mut self) -> Result<(), Error> {
        self.executor.spin_node(&self.node)?;
        lock(&self.echoes).report();
        Ok(())
    }
}

fn serve_in_place(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let serving = ServerProcess::new(arguments, wait)?;
    let mut is_last = serving.is_last();
    let _server = serving.node.service::<Echo>(&name(arguments)).view(move |request, responder| {
        let data = request.data();
        if is_last(data) { Ok(()) } else { answer(data, responder) }
    })?;
    serving.spin()
}

fn serve_owned(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let serving = ServerProcess::new(arguments, wait)?;
    let mut is_last = serving.is_last();
    let _server = serving.node.service::<Echo>(&name(arguments)).callback(move |request| {
        is_last(&request.data);
        Echo_Response { data: request.data }
    })?;
    serving.spin()
}

/// Sends a response with the same data. This copies the data once.
fn answer(data: &[u8], responder: Responder<Echo>) -> Result<(), RespondError> {
    let loan = responder.loan(Echo_Response::size_hint(data.len()))?;
    let built = loan.data(data.len(), |buffer| buffer.copy_from_slice(data)).publish();
    built.map_err(|error| match error {
        BuildError::Room(error) => error,
        // This can't happen, because the byte sequence has the length that was announced.
        BuildError::Value(error) => error.into(),
        BuildError::Misaligned => RespondError::ClientGone,
    })
}

struct ServicePing {
    client: Client<Echo>,
    request: Echo_Request,
    /// Whether the response is received as an owned value.
    owned: bool,
}

impl ServicePing {
    /// Sets the data of the request. The data is created once. After that, only its stamps change.
    fn set(&mut self, data: &[u8]) {
        if self.request.data.len() != data.len() {
            self.request.data = data.to_vec();
        }
        stamp(&mut self.request.data, stamp_at(data, 0));
    }

    fn call(&self, whole: bool, timeout: Duration) -> Result<Reply, CallError> {
        if self.owned {
            return Ok(Reply::of(&self.client.call(&self.request, timeout)?.data, whole));
        }
        let reply = self.client.call_in_place(&self.request, timeout)?;
        Ok(Reply::of(reply.view()?.data(), whole))
    }
}

impl PingTransport for ServicePing {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.set(data);
        match self.call(whole, timeout) {
            Ok(reply) => Ok(Some(reply)),
            Err(CallError::Timeout { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.set(data);
        match self.client.call_async(&self.request) {
            // The last request is sent several times. The server may have ended after the first one.
            Ok(_) | Err(CallError::NoServer { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn call_service_in_place(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    call_service(arguments, wait, false)
}

fn call_service_owned(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    call_service(arguments, wait, true)
}

fn call_service(arguments: &Arguments, wait: WaitStrategy, owned: bool) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("ping").create()?;
    let client = node.client::<Echo>(&name(arguments)).strategy(wait).create()?;
    if !client.wait_for_service(MATCH) {
        return Err("no server was found within 10 s".into());
    }
    let mut transport = ServicePing { client, request: Echo_Request::default(), owned };
    Ok(saltus_bench_pingpong::ping(arguments, env!("CARGO_PKG_VERSION"), &mut transport)?)
}

/// Returns the data of a goal to its client as the result. Returns nothing for the last goal, as given by `is_last`.
type ReturnGoal = fn(&GoalHandle<Transfer>, is_last: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Error>;

fn return_in_place(goal: &GoalHandle<Transfer>, is_last: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Error> {
    let view = goal.goal()?;
    let data: &[u8] = view.payload();
    if is_last(data) {
        return Ok(());
    }
    Ok(goal.succeed(Transfer_Result { success: true, data: data.to_vec() })?)
}

fn return_owned(goal: &GoalHandle<Transfer>, is_last: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Error> {
    let data = goal.goal_value()?.payload;
    if is_last(&data) {
        return Ok(());
    }
    Ok(goal.succeed(Transfer_Result { success: true, data })?)
}

fn return_owned_with_feedback(
    goal: &GoalHandle<Transfer>,
    is_last: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), Error> {
    goal.publish_feedback(&Transfer_Feedback { progress: 1.0 })?;
    return_owned(goal, is_last)
}

/// Runs an action server that returns the data of each goal as its result.
fn run_action_server(
    arguments: &Arguments,
    wait: WaitStrategy,
    return_goal: ReturnGoal,
) -> Result<(), Error> {
    let serving = ServerProcess::new(arguments, wait)?;
    let mut is_last = serving.is_last();
    let execute = move |goal: GoalHandle<Transfer>| {
        if let Err(error) = return_goal(&goal, &mut is_last) {
            eprintln!("{error}");
        }
    };
    let _server = ActionServer::<Transfer>::on(&serving.node, &name(arguments)).execute(execute)?;
    serving.spin()
}

fn action_client(
    arguments: &Arguments,
    wait: WaitStrategy,
) -> Result<(Context, Node, ActionClient<Transfer>), Error> {
    let context = Context::new()?;
    let node = context.node("ping").create()?;
    let client = ActionClient::<Transfer>::on(&node, &name(arguments)).strategy(wait).create()?;
    if !client.wait_for_server(MATCH) {
        return Err("no action server was found within 10 s".into());
    }
    Ok((context, node, client))
}

struct ActionPing {
    client: ActionClient<Transfer>,
    goal: Transfer_Goal,
    /// Whether the result is received as an owned value.
    owned: bool,
    /// The executor that calls the feedback callback, and the number of feedback messages. `None` if there is no
    /// feedback.
    feedback: Option<(SingleThreadedExecutor, Arc<AtomicU64>)>,
    node: Node,
    context: Context,
}

impl ActionPing {
    fn new(arguments: &Arguments, wait: WaitStrategy, owned: bool) -> Result<Self, Error> {
        let (context, node, client) = action_client(arguments, wait)?;
        let goal = Transfer_Goal::default();
        Ok(Self { client, goal, owned, feedback: None, node, context })
    }

    fn set(&mut self, data: &[u8]) {
        if self.goal.payload.len() != data.len() {
            self.goal.payload = data.to_vec();
        }
        stamp(&mut self.goal.payload, stamp_at(data, 0));
    }

    fn execute(&mut self, timeout: Duration) -> Result<WrappedResult<Transfer>, Error> {
        let Some((executor, count)) = &mut self.feedback else {
            return Ok(self.client.execute(&self.goal, timeout)?);
        };
        let count = count.clone();
        let options = GoalOptions::default().on_feedback(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let sent = self.client.send_goal_with(&self.goal, options)?;
        let result =
            executor.spin_until_future_complete(async { sent.await?.result()?.await }, Some(timeout))?;
        Ok(result.ok_or(CallError::Timeout { service: self.client.action_name().into(), timeout })??)
    }
}

/// Returns whether an error is a timeout.
fn is_timeout(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(ActionError::Call(CallError::Timeout { .. })))
        || matches!(error.downcast_ref(), Some(CallError::Timeout { .. }))
}

impl PingTransport for ActionPing {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.set(data);
        let result = match self.execute(timeout) {
            Ok(result) => result,
            Err(error) if is_timeout(&error) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if self.owned {
            let value = result.value().map_err(|e| e.to_string())?;
            return Ok(Some(Reply::of(&value.data, whole)));
        }
        let view = result.view().map_err(|e| e.to_string())?;
        Ok(Some(Reply::of(view.data(), whole)))
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.set(data);
        match self.client.send_goal(&self.goal) {
            Ok(_) | Err(ActionError::Call(CallError::NoServer { .. })) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn start(&mut self) {
        if let Some((_, count)) = &self.feedback {
            count.store(0, Ordering::Relaxed);
        }
    }

    fn feedback(&self) -> Option<u64> {
        self.feedback.as_ref().map(|(_, count)| count.load(Ordering::Relaxed))
    }
}

fn send_goals_and_view_results(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    send_goals_one_by_one(arguments, ActionPing::new(arguments, wait, false)?)
}

fn send_goals_and_own_results(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    send_goals_one_by_one(arguments, ActionPing::new(arguments, wait, true)?)
}

fn send_goals_and_receive_feedback(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let mut transport = ActionPing::new(arguments, wait, true)?;
    let executor = SingleThreadedExecutor::new(&transport.context)?.strategy(wait);
    executor.add_node(&transport.node);
    transport.feedback = Some((executor, Arc::default()));
    send_goals_one_by_one(arguments, transport)
}

fn send_goals_one_by_one(arguments: &Arguments, mut transport: ActionPing) -> Result<(), Error> {
    Ok(saltus_bench_pingpong::ping(arguments, env!("CARGO_PKG_VERSION"), &mut transport)?)
}

/// An outstanding goal of the asynchronous client.
enum Outstanding {
    Sent(SendGoal<Transfer>),
    Accepted(ResultCall<Transfer>),
}

/// The asynchronous client. It has several goals outstanding at a time.
struct ManyGoals {
    client: ActionClient<Transfer>,
    goal: Transfer_Goal,
    waiting: VecDeque<(u64, Instant, Outstanding)>,
    nanos: Vec<u32>,
    lost: u64,
    /// The time after which every goal without a result counts as lost.
    deadline: Instant,
}

impl ManyGoals {
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn send(&mut self, sequence: u64) {
        stamp(&mut self.goal.payload, sequence);
        let begin = Instant::now();
        match self.client.send_goal(&self.goal) {
            Ok(sent) => self.waiting.push_back((sequence, begin, Outstanding::Sent(sent))),
            Err(error) => self.lose(&error),
        }
    }

    fn lose(&mut self, error: &ActionError) {
        self.lost += 1;
        if self.lost == 1 {
            eprintln!("{error}");
        }
    }

    /// Continues with the oldest outstanding goal: waits until it is accepted and requests its result, or waits for its
    /// result and records it.
    fn advance(&mut self) {
        let Some((sequence, begin, outstanding)) = self.waiting.pop_front() else { return };
        match outstanding {
            Outstanding::Sent(mut sent) => {
                match sent.wait(self.left()).and_then(|goal: ClientGoal<Transfer>| goal.result()) {
                    Ok(call) => self.waiting.push_back((sequence, begin, Outstanding::Accepted(call))),
                    Err(error) => self.lose(&error),
                }
            }
            Outstanding::Accepted(mut call) => match call.wait(self.left()) {
                Ok(result) => self.note(sequence, begin, &result),
                Err(error) => self.lose(&error),
            },
        }
    }

    fn note(&mut self, sequence: u64, begin: Instant, result: &saltus::action::WrappedResult<Transfer>) {
        let is_right = result.status() == GoalStatus::Succeeded
            && result.view().is_ok_and(|view| {
                let data: &[u8] = view.data();
                let last = stamp_at(data, data.len().saturating_sub(8));
                (data.len(), stamp_at(data, 0), last) == (self.goal.payload.len(), sequence, sequence)
            });
        if is_right {
            self.nanos.push(u32::try_from(begin.elapsed().as_nanos()).unwrap_or(u32::MAX));
        } else {
            self.lost += 1;
        }
    }
}

/// Sends goals without waiting for their results, while fewer than `outstanding` goals are outstanding. The client
/// checks the results in the order in which the goals were sent. The time of a goal ends when its result has been
/// checked.
fn send_goals(arguments: &Arguments, wait: WaitStrategy, outstanding: usize) -> Result<(), Error> {
    let (_context, _node, client) = action_client(arguments, wait)?;
    let payload = (0..arguments.size).map(pattern).collect();
    let (goal, waiting) = (Transfer_Goal { payload }, VecDeque::new());
    let deadline = Instant::now() + 2 * Duration::from_secs(arguments.seconds);
    let mut goals = ManyGoals { client, goal, waiting, nanos: Vec::new(), lost: 0, deadline };
    for sequence in 0..arguments.warmup {
        goals.send(sequence);
        while !goals.waiting.is_empty() {
            goals.advance();
        }
    }
    (goals.nanos, goals.lost) = (Vec::new(), 0);
    let started = Usage::now();
    for sequence in arguments.warmup..arguments.warmup + arguments.iterations {
        while goals.waiting.len() >= outstanding {
            goals.advance();
        }
        goals.send(sequence);
    }
    while !goals.waiting.is_empty() {
        goals.advance();
    }
    let used = started.elapsed(Duration::ZERO);
    stamp(&mut goals.goal.payload, saltus_bench_pingpong::END);
    drop(goals.client.send_goal(&goals.goal)?);
    let bytes: Vec<u8> = goals.nanos.iter().flat_map(|nanos| nanos.to_le_bytes()).collect();
    fs::write(&arguments.out, bytes)?;
    let (n, lost, version) = (goals.nanos.len(), goals.lost, env!("CARGO_PKG_VERSION"));
    println!("n={n} lost={lost} {used} version={version}");
    Ok(())
}
