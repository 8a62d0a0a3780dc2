//! Measurements of whole processes: memory of idle nodes, time to the first message, a large graph.

use std::{
    io::Read,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    executor::WaitStrategy,
    msgs::{rcl_interfaces::msg::Log, std_msgs::msg::UInt64},
    time::monotonic_now,
};

use saltus_bench_pingpong::Usage;

use crate::{
    child::number,
    ends::parse_wait,
    error::RunError,
    interrupt,
    machine::Machine,
    process::{Folder, Process, print_line, pss_of, saltus_command, shut_down_at_end_of_stdin},
    report::print,
};

type Error = Box<dyn std::error::Error>;

/// The number of idle processes that are measured together.
const IDLE: usize = 10;
/// The period of the timer of an otherwise idle node, how long the node is measured, and the number of runs.
const TICK: Duration = Duration::from_millis(2);
const TICK_TIME: Duration = Duration::from_secs(4);
const TICK_RUNS: usize = 5;
/// The number of times that start-up is measured.
const STARTS: usize = 20;
/// The size of the large graph, and the number of messages on each topic.
const PROCESSES: usize = 10;
const NODES: usize = 20;
const TOPICS: usize = 1000;
const MESSAGES: u64 = 10;
/// The number of times that the topics of the large graph are listed.
const LISTS: usize = 21;
/// The number of times that the memory for `/rosout` is measured.
const ROSOUT_RUNS: usize = 3;
/// The number of times that the cost of counting is measured, and the number of counts in each measurement.
const COUNT_RUNS: usize = 11;
const COUNTED: u64 = 1_000_000;

/// Prints the proportional set size of the process of one idle node, and of ten processes.
pub(crate) fn run_idle() -> Result<(), RunError> {
    interrupt::install_handler()?;
    // A child that Ctrl-C has ended looks like a child that has failed. So Ctrl-C is checked first.
    let measured = measure_idle();
    interrupt::check().and(measured)
}

fn measure_idle() -> Result<(), RunError> {
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let one = [Process::start("idle", &[])?];
    print(&format!("one idle node:       {:>7} KB PSS\n", pss_of(&one)?))?;
    let more: Vec<Process> = (1..IDLE).map(|_| Process::start("idle", &[])).collect::<Result<_, _>>()?;
    let all: Vec<Process> = one.into_iter().chain(more).collect();
    print(&format!("{IDLE} idle processes:   {:>7} KB PSS together\n", pss_of(&all)?))?;
    all.into_iter().try_for_each(Process::end)?;
    measure_idle_timer()
}

/// Prints the CPU time of a node that has only a timer of 2 ms. The runs alternate between two wait strategies.
fn measure_idle_timer() -> Result<(), RunError> {
    let mut micros: [Vec<f64>; 2] = Default::default();
    for _ in 0..TICK_RUNS {
        for (wait, micros) in ["block", "adaptive"].iter().zip(&mut micros) {
            interrupt::check()?;
            let mut process = Process::spawn("idle-timer", &[(*wait).to_owned()])?;
            let line = process.line();
            let nanos = number(&line, "cpu_ns").map_err(|e| RunError::Failed("idle-timer".into(), e))?;
            process.end()?;
            micros.push(nanos as f64 / 1e3 / TICK_TIME.as_secs_f64());
        }
    }
    micros.iter_mut().for_each(|micros| micros.sort_by(f64::total_cmp));
    let [block, adaptive] = micros.map(|micros| micros[TICK_RUNS / 2]);
    print(&format!(
        "a node with an idle timer of {} ms: block {:.1} ms of CPU time per second, adaptive {:.1} ({:.2} times), {TICK_RUNS} runs each\n",
        TICK.as_millis(),
        block / 1e3,
        adaptive / 1e3,
        adaptive / block
    ))
}

/// Prints the time from the start of a publisher and a subscriber to the first message.
pub(crate) fn run_start() -> Result<(), RunError> {
    interrupt::install_handler()?;
    let measured = measure_start();
    interrupt::check().and(measured)
}

fn measure_start() -> Result<(), RunError> {
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let mut micros = Vec::new();
    for _ in 0..STARTS {
        interrupt::check()?;
        let begin = monotonic_now();
        let mut subscriber = Process::spawn("first-subscriber", &[])?;
        let publisher = Process::spawn("first-publisher", &[])?;
        let line = subscriber.line();
        let received: u64 = line.parse().map_err(|_| {
            RunError::Failed("first-subscriber".into(), format!("expected a time, found `{line}`"))
        })?;
        micros.push(received.saturating_sub(begin) / 1000);
        publisher.end()?;
        subscriber.end()?;
    }
    micros.sort_unstable();
    print(&format!(
        "exec of publisher and subscriber to the first message, {STARTS} starts: median {:.2} ms ({:.2} to {:.2})\n",
        (micros[STARTS / 2 - 1] + micros[STARTS / 2]) as f64 / 2e3,
        micros[0] as f64 / 1e3,
        micros[STARTS - 1] as f64 / 1e3
    ))
}

/// Prints how long a graph of 1,000 topics takes until each topic has delivered 10 messages, and the memory and the
/// file descriptors that it uses.
pub(crate) fn run_scale() -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let folder = Folder::new()?;
    let measured = measure_scale(folder.path());
    interrupt::check().and(measured)?;
    let names = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    let left: Vec<String> =
        std::fs::read_dir(folder.path()).into_iter().flatten().filter_map(names).collect();
    print(&format!("files left: {} ({})\n", left.len(), left.join(", ")))
}

fn measure_scale(folder: &Path) -> Result<(), RunError> {
    let begin = monotonic_now();
    let start = |me: usize| Process::spawn_in("scale", &[me.to_string()], Some(folder));
    let mut processes: Vec<Process> = (0..PROCESSES).map(start).collect::<Result<_, _>>()?;
    let mut last = 0;
    for process in &mut processes {
        let line = process.line();
        let done: u64 = line
            .parse()
            .map_err(|_| RunError::Failed("scale".into(), format!("expected a time, found `{line}`")))?;
        last = last.max(done.saturating_sub(begin));
    }
    let fds: Vec<usize> = processes
        .iter()
        .map(|p| std::fs::read_dir(format!("/proc/{}/fd", p.id())).map_or(0, Iterator::count))
        .collect();
    print(&format!(
        "{TOPICS} topics, {PROCESSES} processes of {NODES} nodes: each topic delivered {MESSAGES} messages in {} ms\n",
        last / 1_000_000
    ))?;
    print(&format!(
        "memory: {} KB PSS together; file descriptors: at most {} per process\n",
        pss_of(&processes)?,
        fds.iter().max().unwrap_or(&0)
    ))?;
    print(&format!("{}\n", list_times(folder)?))?;
    processes.into_iter().try_for_each(Process::end)
}

/// Measures how long the separate process `saltus topic list` takes on the large graph. Returns a line with the time
/// and the number of listed topics.
fn list_times(folder: &Path) -> Result<String, RunError> {
    let (mut micros, mut listed) = (Vec::new(), 0);
    for _ in 0..LISTS {
        let begin = monotonic_now();
        let output = saltus_command()?.args(["topic", "list"]).env("SALTUS_SHM_DIR", folder).output();
        let output = output.map_err(|e| RunError::Start("topic list".into(), e))?;
        micros.push((monotonic_now() - begin) / 1000);
        listed = output.stdout.iter().filter(|byte| **byte == b'\n').count();
    }
    micros.sort_unstable();
    let ms = |micros: u64| micros as f64 / 1e3;
    Ok(format!(
        "saltus topic list: {listed} topics of {} nodes in {:.1} ms ({:.1} to {:.1}, {LISTS} runs)",
        PROCESSES * NODES,
        ms(micros[LISTS / 2]),
        ms(micros[0]),
        ms(micros[LISTS - 1])
    ))
}

/// Prints the memory that `/rosout` needs: 200 nodes in 10 processes that have each logged a message, with and without
/// `/rosout`, and one process that subscribes to it.
pub(crate) fn run_rosout() -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let measured = measure_rosout();
    interrupt::check().and(measured)
}

fn measure_rosout() -> Result<(), RunError> {
    let mut medians = Vec::new();
    for rosout in ["off", "on"] {
        let mut all = (0..ROSOUT_RUNS).map(|_| rosout_memory(rosout)).collect::<Result<Vec<u64>, _>>()?;
        all.sort_unstable();
        medians.push(all[ROSOUT_RUNS / 2]);
        let line =
            format!("/rosout {rosout}: {} KB PSS together (median of {ROSOUT_RUNS})\n", all[ROSOUT_RUNS / 2]);
        print(&line)?;
    }
    let cost = medians[1].saturating_sub(medians[0]);
    print(&format!("{} nodes in {PROCESSES} processes: /rosout costs {cost} KB in all\n", PROCESSES * NODES))
}

/// Returns the memory of all processes, in KB.
fn rosout_memory(rosout: &str) -> Result<u64, RunError> {
    let folder = Folder::new()?;
    let start = |role: &str, words: &[String]| {
        let mut process = Process::spawn_in(role, words, Some(folder.path()))?;
        match process.line().as_str() {
            "ready" => Ok(process),
            other => Err(RunError::Failed(role.into(), format!("expected `ready`, found `{other}`"))),
        }
    };
    let mut processes = vec![start("rosout-listener", &[])?];
    for _ in 0..PROCESSES {
        processes.push(start("rosout-talker", &[rosout.to_owned()])?);
    }
    let memory = pss_of(&processes);
    processes.into_iter().try_for_each(Process::end)?;
    memory
}

/// Prints the cost of counting a message: the time in nanoseconds that a subscription takes to read the clock and to
/// count. A subscription does both twice for each message: once for the transport and once for the callback.
pub(crate) fn run_count() -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let measured = measure_count().map_err(|e| RunError::Failed("count".into(), e.to_string()));
    interrupt::check().and(measured)
}

fn measure_count() -> Result<(), Error> {
    let folder = Folder::new()?;
    let context =
        saltus::context::ContextOptions::default().folder(folder.path()).handle_signals(false).create()?;
    let node = context.node("count").create()?;
    let publisher = node.publisher::<UInt64>("count").create()?;
    let subscription = node.subscription::<UInt64>("count").create()?;
    publisher.publish(&UInt64 { data: 1 })?;
    let sample = subscription.take_sample().ok_or("no message was received")?;
    let mut nanos: Vec<f64> = (0..COUNT_RUNS)
        .map(|_| {
            let begin = monotonic_now();
            (0..COUNTED).for_each(|_| sample.callback_returned());
            (monotonic_now() - begin) as f64 / COUNTED as f64
        })
        .collect();
    nanos.sort_by(f64::total_cmp);
    print(&format!(
        "one clock read and one count: {0:.1} ns ({1:.1} to {2:.1}, {COUNT_RUNS} runs of {COUNTED}); two per message: {3:.1} ns\n",
        nanos[COUNT_RUNS / 2],
        nanos[0],
        nanos[COUNT_RUNS - 1],
        2.0 * nanos[COUNT_RUNS / 2]
    ))?;
    Ok(())
}

/// Runs a process of these measurements.
pub(crate) fn run_role(name: &str, words: &[String]) -> Result<(), Error> {
    match (name, words) {
        ("idle", []) => idle(),
        ("idle-timer", [wait]) => idle_timer(wait),
        ("first-publisher", []) => first_publisher(),
        ("first-subscriber", []) => first_subscriber(),
        ("scale", [me]) => scale(me.parse()?),
        ("rosout-talker", [rosout]) => rosout_talker(rosout == "on"),
        ("rosout-listener", []) => rosout_listener(),
        _ => Err(format!("no such role: {name} {words:?}").into()),
    }
}

fn idle() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("idle").create()?;
    print_line("ready")?;
    Ok(saltus::spin(&node)?)
}

fn idle_timer(wait: &str) -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("idle_timer").create()?;
    let _timer = node.wall_timer(TICK).callback(|| {})?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(parse_wait(wait)?);
    executor.add_node(&node);
    let usage = Usage::now();
    executor.spin_until_future_complete(std::future::pending::<()>(), Some(TICK_TIME))?;
    print_line(&usage.elapsed(Duration::ZERO))?;
    Ok(executor.spin()?)
}

fn first_publisher() -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("first_publisher").create()?;
    let publisher = node.publisher::<UInt64>("first").create()?;
    context.wait_until(Duration::from_secs(10), || publisher.subscription_count() > 0);
    publisher.publish(&UInt64 { data: 1 })?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn first_subscriber() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("first_subscriber").create()?;
    let _first = node.subscription::<UInt64>("first").callback(|_| {
        let _ = print_line(&monotonic_now().to_string());
    })?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
    Ok(executor.spin_node(&node)?)
}

/// Runs 20 nodes that each log one message, with or without `/rosout`.
fn rosout_talker(rosout: bool) -> Result<(), Error> {
    let args = saltus::context::RosArgs::parse(["talker", "--ros-args", "--disable-stdout-logs"])?;
    let context = saltus::context::ContextOptions::default().rosout(rosout).args(args).create()?;
    shut_down_at_end_of_stdin(&context);
    let name = |i: usize| format!("talker_{}_{i}", std::process::id());
    let nodes = (0..NODES).map(|i| context.node(&name(i)).create()).collect::<Result<Vec<_>, _>>()?;
    nodes.iter().for_each(|node| saltus::info!(node.logger(), "here I am"));
    print_line("ready")?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
    nodes.iter().for_each(|node| executor.add_node(node));
    Ok(executor.spin()?)
}

/// Subscribes to `/rosout`, as a graphical log viewer does.
fn rosout_listener() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("listener").create()?;
    let rosout = node.subscription::<Log>("/rosout").qos(saltus::QoS::rosout());
    let _rosout = rosout.callback(|log| drop(log.msg))?;
    print_line("ready")?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
    Ok(executor.spin_node(&node)?)
}

/// Runs one process of the large graph. It publishes every tenth topic, and subscribes to the topics of the previous
/// process.
fn scale(me: usize) -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = |i: usize| context.node(&format!("node_{me}_{i}")).create();
    let nodes = (0..NODES).map(node).collect::<Result<Vec<_>, _>>()?;
    let before = (me + PROCESSES - 1) % PROCESSES;
    let mine = (0..TOPICS).filter(|topic| topic % PROCESSES == me);
    let theirs = (0..TOPICS).filter(|topic| topic % PROCESSES == before);
    let node_of = |topic: usize| &nodes[topic / PROCESSES % NODES];
    let publishers = mine
        .map(|topic| node_of(topic).publisher::<UInt64>(&format!("topic_{topic}")).create())
        .collect::<Result<Vec<_>, _>>()?;
    let received = Arc::new(AtomicU64::new(0));
    let mut subscriptions = Vec::new();
    for topic in theirs {
        let received = received.clone();
        subscriptions.push(node_of(topic).subscription::<UInt64>(&format!("topic_{topic}")).callback(
            move |_| {
                received.fetch_add(1, Ordering::Relaxed);
            },
        )?);
    }
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
    nodes.iter().for_each(|node| executor.add_node(node));
    let matched = || publishers.iter().all(|publisher| publisher.subscription_count() == 1);
    if !context.wait_until(Duration::from_secs(30), matched) {
        return Err("not all subscriptions were found within 30 s".into());
    }
    for data in 0..MESSAGES {
        publishers.iter().try_for_each(|publisher| publisher.publish(&UInt64 { data }))?;
    }
    let expected = subscriptions.len() as u64 * MESSAGES;
    while received.load(Ordering::Relaxed) < expected && !context.is_shut_down() {
        executor.spin_once(Some(Duration::from_secs(1)))?;
    }
    print_line(&monotonic_now().to_string())?;
    Ok(executor.spin()?)
}
