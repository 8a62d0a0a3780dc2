//! The processes of the rows of services and actions: `service/…`, `action/…` and `goals-…/…`.

use std::{
    collections::VecDeque,
    fs,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    ActionClient, ActionServer, Client, Context, Executor, SingleThreadedExecutor,
    action::{ActionError, ClientGoal, GoalHandle, GoalStatus, ResultCall, SendGoal},
    cdr::BuildError,
    executor::WaitStrategy,
    msgs::saltus_bench_msgs::{
        action::{Transfer, Transfer_Goal, Transfer_Result},
        srv::{Echo, Echo_Request, Echo_Response},
    },
    service::{CallError, RespondError, Responder},
    types::lock,
};
use saltus_bench_pingpong::{Arguments, Echoes, PingTransport, Reply, Role, Usage, pattern, stamp, stamp_at};

use crate::ends::{MATCH, parse_wait};

type Error = Box<dyn std::error::Error>;

/// Runs the role in a mode of services or actions. Returns `None` for any other mode.
pub(crate) fn run(arguments: &Arguments) -> Option<Result<(), Error>> {
    let (what, wait) = arguments.mode.split_once('/')?;
    let run = |way: fn(&Arguments, WaitStrategy) -> Result<(), Error>| {
        parse_wait(wait).and_then(|wait| way(arguments, wait))
    };
    match (what, arguments.role) {
        ("service", Role::Ping) => Some(run(call_service)),
        ("service", Role::Pong) => Some(run(serve)),
        ("action", Role::Ping) => Some(run(send_goals_one_by_one)),
        ("action", Role::Pong) => Some(run(work)),
        (what, role) => {
            let outstanding = what.strip_prefix("goals-")?;
            let outstanding = outstanding.parse().unwrap_or(usize::MAX);
            Some(parse_wait(wait).and_then(|wait| match role {
                Role::Ping => send_goals(arguments, wait, outstanding),
                Role::Pong => work(arguments, wait),
            }))
        }
    }
}

/// What a server records about its requests, up to the last one.
type Noted = Arc<Mutex<Echoes>>;

fn note(noted: &Noted, data: &[u8]) -> bool {
    lock(noted).note(data)
}

fn name(arguments: &Arguments) -> String {
    format!("call_{}", arguments.tag)
}

fn serve(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("pong").create()?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(wait);
    let echoes = Arc::new(Mutex::new(Echoes::new(arguments)));
    let (noted, over) = (echoes.clone(), executor.handle());
    let _server = node.service::<Echo>(&name(arguments)).view(move |request, responder| {
        let data = request.data();
        if !note(&noted, data) {
            over.cancel();
            return Ok(());
        }
        answer(data, responder)
    })?;
    executor.spin_node(&node)?;
    lock(&echoes).report();
    Ok(())
}

/// Sends the same data back. This copies it once.
fn answer(data: &[u8], responder: Responder<Echo>) -> Result<(), RespondError> {
    let loan = responder.loan(Echo_Response::size_hint(data.len()))?;
    let built = loan.data(data.len(), |place| place.copy_from_slice(data)).publish();
    built.map_err(|error| match error {
        BuildError::Room(error) => error,
        // Does not happen: the byte sequence is as long as it was announced.
        BuildError::Value(error) => error.into(),
        BuildError::Misaligned => RespondError::ClientGone,
    })
}

struct ServicePing {
    client: Client<Echo>,
    request: Echo_Request,
}

impl ServicePing {
    /// Sets the data of the request. The data is made once. After that, only its stamps change.
    fn set(&mut self, data: &[u8]) {
        if self.request.data.len() != data.len() {
            self.request.data = data.to_vec();
        }
        stamp(&mut self.request.data, stamp_at(data, 0));
    }
}

impl PingTransport for ServicePing {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.set(data);
        match self.client.call_in_place(&self.request, timeout) {
            Ok(reply) => {
                let view = reply.view().map_err(|e| e.to_string())?;
                Ok(Some(Reply::of(view.data(), whole)))
            }
            Err(CallError::Timeout { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.set(data);
        match self.client.call_async(&self.request) {
            // The last message is sent several times. The server may have ended after the first.
            Ok(_) | Err(CallError::NoServer { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn call_service(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("ping").create()?;
    let client = node.client::<Echo>(&name(arguments)).strategy(wait).create()?;
    if !client.wait_for_service(MATCH) {
        return Err("the other end did not come".into());
    }
    let mut transport = ServicePing { client, request: Echo_Request::default() };
    Ok(saltus_bench_pingpong::ping(arguments, env!("CARGO_PKG_VERSION"), &mut transport)?)
}

/// Runs an action server that returns the data of each goal as its result.
fn work(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("pong").create()?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(wait);
    let echoes = Arc::new(Mutex::new(Echoes::new(arguments)));
    let (noted, over) = (echoes.clone(), executor.handle());
    let execute = move |goal: GoalHandle<Transfer>| {
        let Ok(view) = goal.goal() else { return };
        let data = view.payload();
        if !note(&noted, data) {
            return over.cancel();
        }
        if let Err(error) = goal.succeed(Transfer_Result { success: true, data: data.to_vec() }) {
            eprintln!("{error}");
        }
    };
    let _server = ActionServer::<Transfer>::on(&node, &name(arguments)).execute(execute)?;
    executor.spin_node(&node)?;
    lock(&echoes).report();
    Ok(())
}

fn action_client(
    arguments: &Arguments,
    wait: WaitStrategy,
) -> Result<(Context, ActionClient<Transfer>), Error> {
    let context = Context::new()?;
    let node = context.node("ping").create()?;
    let client = ActionClient::<Transfer>::on(&node, &name(arguments)).strategy(wait).create()?;
    if !client.wait_for_server(MATCH) {
        return Err("the other end did not come".into());
    }
    Ok((context, client))
}

struct ActionPing {
    client: ActionClient<Transfer>,
    goal: Transfer_Goal,
    _context: Context,
}

impl ActionPing {
    fn set(&mut self, data: &[u8]) {
        if self.goal.payload.len() != data.len() {
            self.goal.payload = data.to_vec();
        }
        stamp(&mut self.goal.payload, stamp_at(data, 0));
    }
}

impl PingTransport for ActionPing {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.set(data);
        match self.client.execute(&self.goal, timeout) {
            Ok(result) => {
                let view = result.view().map_err(|e| e.to_string())?;
                Ok(Some(Reply::of(view.data(), whole)))
            }
            Err(ActionError::Call(CallError::Timeout { .. })) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.set(data);
        match self.client.send_goal(&self.goal) {
            Ok(_) | Err(ActionError::Call(CallError::NoServer { .. })) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn send_goals_one_by_one(arguments: &Arguments, wait: WaitStrategy) -> Result<(), Error> {
    let (context, client) = action_client(arguments, wait)?;
    let mut transport = ActionPing { client, goal: Transfer_Goal::default(), _context: context };
    Ok(saltus_bench_pingpong::ping(arguments, env!("CARGO_PKG_VERSION"), &mut transport)?)
}

/// An outstanding goal of the asynchronous client.
enum Outstanding {
    Sent(SendGoal<Transfer>),
    Accepted(ResultCall<Transfer>),
}

/// The asynchronous client, which has several goals outstanding at a time.
struct ManyGoals {
    client: ActionClient<Transfer>,
    goal: Transfer_Goal,
    waiting: VecDeque<(u64, Instant, Outstanding)>,
    nanos: Vec<u32>,
    lost: u64,
    /// The time at which every goal without a result counts as lost.
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

    /// Takes the oldest goal one step further. Waits until it is accepted and requests its result, or waits for its
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

/// Sends goals without waiting for their results, as long as fewer than `outstanding` goals are outstanding. The
/// client checks the results in the order of sending. The time of a goal ends when its result has been checked.
fn send_goals(arguments: &Arguments, wait: WaitStrategy, outstanding: usize) -> Result<(), Error> {
    let (_context, client) = action_client(arguments, wait)?;
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
