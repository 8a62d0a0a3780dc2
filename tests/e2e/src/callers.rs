//! Actors with services and actions: some go on while others are killed, and some are killed.

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

use crate::duties::{Error, end_with_stdin, ready};

/// How long anything that must end may take.
const LONG: Duration = Duration::from_secs(5);
/// How often calm clients call, and how often the calm server ends goals.
const PERIOD: Duration = Duration::from_millis(1);
/// How many calls and how many goals wait for a victim.
const PENDING: usize = 5;

pub(crate) fn run(words: &[&str]) -> Result<(), Error> {
    match words {
        ["calm-server"] => calm_server(),
        ["calm-client"] => calm_client(),
        ["call-watcher"] => watch(),
        ["victim-server", number] => victim_server(number),
        ["victim-client", number] => victim_client(number),
        _ => Err(format!("no such role: {words:?}").into()),
    }
}

fn add(request: &AddTwoInts_Request) -> AddTwoInts_Response {
    AddTwoInts_Response { sum: request.a.wrapping_add(request.b) }
}

/// Answers at once on `/calm/add`, a little later on `/calm/later`, and ends each goal of `/calm/work` soon.
fn calm_server() -> Result<(), Error> {
    let context = Context::new()?;
    end_with_stdin(&context);
    let node = context.node("calm").create()?;
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
            // The client may be dead.
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

/// How many calls there were, how many failed, and the longest one.
#[derive(Default)]
struct Calm {
    calls: u64,
    failed: u64,
    longest: Duration,
}

impl Calm {
    fn note(&mut self, begin: Instant, is_right: bool) {
        self.calls += 1;
        self.failed += u64::from(!is_right);
        self.longest = self.longest.max(begin.elapsed());
    }
}

/// Calls the calm server again and again, and prints the results at the end.
fn calm_client() -> Result<(), Error> {
    let context = Context::new()?;
    end_with_stdin(&context);
    let node = context.node(&format!("calm_client_{}", std::process::id())).create()?;
    let (add, later) = (client(&node, "/calm/add")?, client(&node, "/calm/later")?);
    let work = ActionClient::<Fibonacci>::on(&node, "/calm/work").create()?;
    if !work.wait_for_server(LONG) {
        return Err(format!("the calm server did not appear within {LONG:?}").into());
    }
    ready()?;
    let mut calm = Calm::default();
    for a in 0.. {
        if context.is_shut_down() {
            break;
        }
        for client in [&add, &later] {
            let begin = Instant::now();
            let answer = client.call(&AddTwoInts_Request { a, b: 1 }, LONG);
            calm.note(begin, context.is_shut_down() || answer.is_ok_and(|response| response.sum == a + 1));
        }
        let begin = Instant::now();
        let done = work.execute(&Fibonacci_Goal { order: 1 }, LONG);
        calm.note(begin, context.is_shut_down() || done.is_ok());
        context.wait_until(PERIOD, || false);
    }
    println!("calls={} failed={} longest_us={}", calm.calls, calm.failed, calm.longest.as_micros());
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

/// Answers on `quick`, never on `slow`, and never ends a goal of `work`.
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

/// Calls the calm server and sends it goals as fast as it can. Calls and goals of every kind are outstanding at the
/// same time.
fn victim_client(number: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node(&format!("victim_{number}")).create()?;
    let (add, later) = (client(&node, "/calm/add")?, client(&node, "/calm/later")?);
    let work = ActionClient::<Fibonacci>::on(&node, "/calm/work").create()?;
    if !work.wait_for_server(LONG) {
        return Err(format!("the calm server did not appear within {LONG:?}").into());
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

/// How the calls and goals that waited for a victim ended.
#[derive(Default)]
struct Ended {
    gone: u64,
    wrong: Vec<String>,
    latest: u64,
}

impl Ended {
    fn note(&mut self, outcome: Result<(), CallError>, killed: u64) {
        match outcome {
            Err(CallError::ServerGone { .. }) => self.gone += 1,
            other => self.wrong.push(format!("{other:?}").replace(' ', "_")),
        }
        self.latest = self.latest.max(saltus::time::monotonic_now().saturating_sub(killed));
    }
}

/// For each line `NUMBER`: starts calls and goals that wait for that victim, and prints `pending`. Then reads a line
/// with the time of the kill, and prints how they ended.
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
        return Err(format!("the victim's action server did not appear within {LONG:?}").into());
    }
    let request = AddTwoInts_Request { a: 1, b: 2 };
    let calls: Vec<_> = (0..PENDING).map(|_| slow.call_async(&request)).collect::<Result<_, _>>()?;
    let goals: Vec<_> = (0..PENDING)
        .map(|_| work.send_goal(&Fibonacci_Goal { order: 1 })?.wait(LONG)?.result())
        .collect::<Result<_, ActionError>>()?;
    let ended_at = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // This thread calls all the time, so that the kill comes in the middle of a call.
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
        let mut ended = Ended::default();
        calls.into_iter().for_each(|mut call| ended.note(call.wait(LONG).map(drop), killed));
        for mut goal in goals {
            let outcome = match goal.wait(LONG) {
                Err(ActionError::Call(error)) => Err(error),
                other => Err(CallError::ShutDown { service: format!("{other:?}") }),
            };
            ended.note(outcome, killed);
        }
        let error = caller.join().map_err(|_| "the caller panicked")?;
        // If the kill came between two calls, the next call finds no server.
        let error = match error {
            CallError::NoServer { service } => CallError::ServerGone { service },
            other => other,
        };
        let after = ended_at.load(Ordering::Acquire).saturating_sub(killed);
        let latest = ended.latest.max(after);
        ended.note(Err(error), killed);
        let wrong = if ended.wrong.is_empty() { "none".into() } else { ended.wrong.join(",") };
        println!("gone={} wrong={wrong} latest_us={}", ended.gone, latest / 1000);
        Ok(())
    })
}
