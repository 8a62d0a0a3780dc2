//! Actors with services and actions. Tests kill some of them, which must not affect the others.

use std::{
    io::BufRead,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use saltus::{
    ActionClient, ActionServer, Client, Context, Node,
    action::{ActionError, GoalHandle},
    msgs::example_interfaces::{
        action::{Fibonacci, Fibonacci_Goal, Fibonacci_Result},
        srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
    },
    service::{CallError, Responder},
    types::lock,
};

use crate::stdio::{Error, ready, shut_down_at_end_of_stdin};

/// The time limit for each call.
const LONG: Duration = Duration::from_secs(5);
/// The period of the calls of an unaffected client, and the period at which the unaffected server ends goals.
const PERIOD: Duration = Duration::from_millis(1);
/// The number of calls, and the number of goals, that are pending at a victim.
const PENDING: usize = 5;

pub(crate) fn run(words: &[&str]) -> Result<(), Error> {
    match words {
        ["unaffected-server"] => unaffected_server(),
        ["unaffected-client"] => unaffected_client(),
        ["call-watcher"] => watch(),
        ["victim-server", number] => victim_server(number),
        ["victim-client", number] => victim_client(number),
        _ => Err(format!("no such role: {words:?}").into()),
    }
}

fn add(request: &AddTwoInts_Request) -> AddTwoInts_Response {
    AddTwoInts_Response { sum: request.a.wrapping_add(request.b) }
}

/// Answers `/unaffected/add` at once and `/unaffected/later` a little later. Ends each goal of `/unaffected/work` soon.
fn unaffected_server() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("unaffected").create()?;
    let _add = node.service::<AddTwoInts>("~/add").callback(|request| add(&request))?;
    let kept = Arc::<Mutex<Vec<(AddTwoInts_Request, Responder<AddTwoInts>)>>>::default();
    let keep = kept.clone();
    let _later = node.service::<AddTwoInts>("~/later").deferred(move |request, responder| {
        if let Ok(value) = request.value() {
            lock(&keep).push((value, responder));
        }
    })?;
    let goals = Arc::<Mutex<Vec<GoalHandle<Fibonacci>>>>::default();
    let accepted = goals.clone();
    let _work =
        ActionServer::<Fibonacci>::on(&node, "~/work").execute(move |goal| lock(&accepted).push(goal))?;
    let _timer = node.wall_timer(PERIOD).callback(move || {
        for (request, responder) in std::mem::take(&mut *lock(&kept)) {
            // An error means that the client is dead.
            let _ = responder.send(&add(&request));
        }
        for goal in std::mem::take(&mut *lock(&goals)) {
            if let Err(error) = goal.succeed(Fibonacci_Result { sequence: vec![1] }) {
                eprintln!("{error}");
            }
        }
    })?;
    ready()?;
    Ok(saltus::spin(&node)?)
}

/// The number of calls, the number of failed calls, and the duration of the longest call.
#[derive(Default)]
struct CallCounts {
    calls: u64,
    failed: u64,
    longest: Duration,
}

impl CallCounts {
    fn record(&mut self, begin: Instant, is_right: bool) {
        self.calls += 1;
        self.failed += u64::from(!is_right);
        self.longest = self.longest.max(begin.elapsed());
    }
}

/// Calls the unaffected server repeatedly. Prints the counts at the end.
fn unaffected_client() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node(&format!("unaffected_client_{}", std::process::id())).create()?;
    let (add, later) = (client(&node, "/unaffected/add")?, client(&node, "/unaffected/later")?);
    let work = ActionClient::<Fibonacci>::on(&node, "/unaffected/work").create()?;
    if !work.wait_for_server(LONG) {
        return Err(format!("the unaffected server was not found within {LONG:?}").into());
    }
    ready()?;
    let mut counts = CallCounts::default();
    for a in 0.. {
        if context.is_shut_down() {
            break;
        }
        for client in [&add, &later] {
            let begin = Instant::now();
            let answer = client.call(&AddTwoInts_Request { a, b: 1 }, LONG);
            counts
                .record(begin, context.is_shut_down() || answer.is_ok_and(|response| response.sum == a + 1));
        }
        let begin = Instant::now();
        let done = work.execute(&Fibonacci_Goal { order: 1 }, LONG);
        counts.record(begin, context.is_shut_down() || done.is_ok());
        context.wait_until(PERIOD, || false);
    }
    println!("calls={} failed={} longest_us={}", counts.calls, counts.failed, counts.longest.as_micros());
    Ok(())
}

fn client(node: &Node, name: &str) -> Result<Client<AddTwoInts>, Error> {
    let client = node.client::<AddTwoInts>(name).create()?;
    if client.wait_for_service(LONG) {
        Ok(client)
    } else {
        Err(format!("no server of {name} within {LONG:?}").into())
    }
}

/// Answers calls of `quick`, never answers calls of `slow`, and never ends a goal of `work`.
fn victim_server(number: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node(&format!("victim_{number}")).create()?;
    let _quick = node.service::<AddTwoInts>("~/quick").callback(|request| add(&request))?;
    let mut kept = Vec::new();
    let _slow = node.service::<AddTwoInts>("~/slow").deferred(move |request, responder| {
        kept.push((request, responder));
    })?;
    let mut goals = Vec::new();
    let _work = ActionServer::<Fibonacci>::on(&node, "~/work").execute(move |goal| goals.push(goal))?;
    ready()?;
    Ok(saltus::spin(&node)?)
}

/// Calls the unaffected server and sends it goals, as fast as it can. Calls and goals of every kind are pending at the
/// same time.
fn victim_client(number: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node(&format!("victim_{number}")).create()?;
    let (add, later) = (client(&node, "/unaffected/add")?, client(&node, "/unaffected/later")?);
    let work = ActionClient::<Fibonacci>::on(&node, "/unaffected/work").create()?;
    if !work.wait_for_server(LONG) {
        return Err(format!("the unaffected server was not found within {LONG:?}").into());
    }
    ready()?;
    for a in 0.. {
        let request = AddTwoInts_Request { a, b: 1 };
        let waiting: Vec<_> = (0..PENDING).map(|_| later.call_async(&request)).collect::<Result<_, _>>()?;
        let goals: Vec<_> =
            (0..PENDING).map(|_| work.send_goal(&Fibonacci_Goal { order: 1 })).collect::<Result<_, _>>()?;
        add.call(&request, LONG)?;
        for mut goal in goals {
            goal.wait(LONG)?.result()?.wait(LONG)?;
        }
        for mut call in waiting {
            call.wait(LONG)?;
        }
    }
    Ok(())
}

/// The outcomes of the calls and goals that were pending at a victim.
#[derive(Default)]
struct Outcomes {
    gone: u64,
    wrong: Vec<String>,
    latest: u64,
}

impl Outcomes {
    fn record(&mut self, outcome: Result<(), CallError>, killed: u64) {
        match outcome {
            Err(CallError::ServerGone { .. }) => self.gone += 1,
            other => self.wrong.push(format!("{other:?}").replace(' ', "_")),
        }
        self.latest = self.latest.max(saltus::time::monotonic_now().saturating_sub(killed));
    }
}

/// Reads lines with the number of a victim. For each line, starts calls and goals at that victim, and prints `pending`.
/// Then reads a line with the time of the kill, and prints the outcomes.
fn watch() -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("watcher").create()?;
    ready()?;
    let mut lines = std::io::stdin().lock().lines();
    while let Some(number) = lines.next() {
        watch_one(&node, &number?, &mut lines)?;
    }
    println!("watched");
    Ok(())
}

fn watch_one(
    node: &Node,
    number: &str,
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) -> Result<(), Error> {
    let name = |service: &str| format!("/victim_{number}/{service}");
    let (quick, slow) = (client(node, &name("quick"))?, client(node, &name("slow"))?);
    let work = ActionClient::<Fibonacci>::on(node, &name("work")).create()?;
    if !work.wait_for_server(LONG) {
        return Err(format!("the victim's action server was not found within {LONG:?}").into());
    }
    let request = AddTwoInts_Request { a: 1, b: 2 };
    let calls: Vec<_> = (0..PENDING).map(|_| slow.call_async(&request)).collect::<Result<_, _>>()?;
    let goals: Vec<_> = (0..PENDING)
        .map(|_| work.send_goal(&Fibonacci_Goal { order: 1 })?.wait(LONG)?.result())
        .collect::<Result<_, ActionError>>()?;
    let ended_at = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // This thread calls without a pause, so that the kill happens during a call.
        let caller = scope.spawn(|| {
            loop {
                if let Err(error) = quick.call(&request, LONG) {
                    ended_at.store(saltus::time::monotonic_now(), Ordering::Release);
                    return error;
                }
            }
        });
        println!("pending");
        let killed: u64 = lines.next().ok_or("no time of the kill")??.trim().parse()?;
        let mut outcomes = Outcomes::default();
        calls.into_iter().for_each(|mut call| outcomes.record(call.wait(LONG).map(drop), killed));
        for mut goal in goals {
            let outcome = match goal.wait(LONG) {
                Err(ActionError::Call(error)) => Err(error),
                other => Err(CallError::ShutDown { service: format!("{other:?}") }),
            };
            outcomes.record(outcome, killed);
        }
        let error = caller.join().map_err(|_| "the caller panicked")?;
        // If the kill happens between two calls, the next call finds no server.
        let error = match error {
            CallError::NoServer { service } => CallError::ServerGone { service },
            other => other,
        };
        let after = ended_at.load(Ordering::Acquire).saturating_sub(killed);
        let latest = outcomes.latest.max(after);
        outcomes.record(Err(error), killed);
        let wrong = if outcomes.wrong.is_empty() { "none".into() } else { outcomes.wrong.join(",") };
        println!("gone={} wrong={wrong} latest_us={}", outcomes.gone, latest / 1000);
        Ok(())
    })
}
