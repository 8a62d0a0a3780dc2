//! The traffic of a whole robot: the nodes, rates and sizes of Sierra Nevada, in one process and in ten processes.
//!
//! Source: `sierra_nevada.json` of iRobot's ROS 2 performance evaluation framework.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Context, Executor, Node, Publisher, SingleThreadedExecutor, Subscription, Timer,
    msgs::std_msgs::msg::UInt8MultiArray, node::NodeError, time::monotonic_now, types::lock,
};
use saltus_bench_pingpong::Usage;

use crate::{
    child::number,
    ends::{MATCH, parse_wait},
    error::RunError,
    interrupt,
    machine::Machine,
    process::{Folder, Process, print_line, shut_down_at_end_of_stdin},
    report::print,
};

type Error = Box<dyn std::error::Error>;

/// A node of a robot: the topics that it publishes (name, bytes, Hz), and the topics that it subscribes to.
struct NodeData {
    name: &'static str,
    publishes: &'static [(&'static str, usize, u64)],
    subscribes: &'static [&'static str],
}

const SIERRA_NEVADA: [NodeData; 10] = [
    NodeData {
        name: "montreal",
        publishes: &[("amazon", 36, 100), ("nile", 16, 100), ("ganges", 16, 100), ("danube", 8, 100)],
        subscribes: &[],
    },
    NodeData { name: "lyon", publishes: &[("tigris", 16, 100)], subscribes: &["amazon"] },
    NodeData {
        name: "hamburg",
        publishes: &[("parana", 12, 100)],
        subscribes: &["nile", "tigris", "ganges", "danube"],
    },
    NodeData { name: "osaka", publishes: &[("salween", 48, 10)], subscribes: &["parana"] },
    NodeData { name: "mandalay", publishes: &[("missouri", 10_000, 10)], subscribes: &["salween", "danube"] },
    NodeData {
        name: "ponce",
        publishes: &[("mekong", 100, 2), ("congo", 16, 10)],
        subscribes: &["missouri", "danube", "volga"],
    },
    NodeData { name: "barcelona", publishes: &[("lena", 50, 10)], subscribes: &["mekong"] },
    NodeData { name: "georgetown", publishes: &[("volga", 8, 2)], subscribes: &["lena"] },
    NodeData {
        name: "geneva",
        publishes: &[("arkansas", 16, 10)],
        subscribes: &["congo", "danube", "parana"],
    },
    NodeData { name: "arequipa", publishes: &[], subscribes: &["arkansas"] },
];

/// The wait strategies that are compared, in this order.
const WAITS: [&str; 2] = ["block", "adaptive"];
/// How long a process continues to receive after it has stopped publishing.
const REST: Duration = Duration::from_millis(300);
/// The name of the process that contains all nodes of the robot.
const ALL: &str = "all";

/// How the nodes of the robot are distributed over processes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spread {
    OneProcess,
    ProcessEach,
}

impl Spread {
    fn processes(self) -> Vec<&'static str> {
        match self {
            Self::OneProcess => vec![ALL],
            Self::ProcessEach => SIERRA_NEVADA.iter().map(|node| node.name).collect(),
        }
    }

    fn as_text(self) -> &'static str {
        match self {
            Self::OneProcess => "one process",
            Self::ProcessEach => "ten processes",
        }
    }
}

/// The results of one run of the robot.
#[derive(Default)]
struct Outcome {
    cpu_ms: f64,
    switches: f64,
    sent: u64,
    /// The times from `publish` to the callback in nanoseconds, by receiving node.
    latencies: BTreeMap<String, Vec<u32>>,
}

impl Outcome {
    fn received(&self) -> usize {
        self.latencies.values().map(Vec::len).sum()
    }

    /// Returns the quantile `share` of the latencies of a node, or of all nodes, in microseconds.
    fn quantile(&self, node: Option<&str>, share: f64) -> f64 {
        let of = |(name, _): &(&String, &Vec<u32>)| node.is_none_or(|node| node == *name);
        let mut all: Vec<u32> =
            self.latencies.iter().filter(of).flat_map(|(_, nanos)| nanos).copied().collect();
        all.sort_unstable();
        let place = ((all.len() as f64 * share) as usize).min(all.len().saturating_sub(1));
        all.get(place).map_or(f64::NAN, |nanos| f64::from(*nanos) / 1e3)
    }
}

/// Prints CPU time and latency of the robot, in one process and in ten processes, with each wait strategy.
pub fn run_system(seconds: u64, runs: usize) -> Result<(), RunError> {
    interrupt::install_handler()?;
    let measured = measure(seconds, runs);
    interrupt::check().and(measured)
}

fn measure(seconds: u64, runs: usize) -> Result<(), RunError> {
    print(&format!("{}\n", Machine::describe().one_line()))?;
    print(&format!(
        "Sierra Nevada for {seconds} s, {runs} interleaved runs, medians; owned messages at the published rates\n\n"
    ))?;
    let mut outcomes: BTreeMap<(Spread, &str), Vec<Outcome>> = BTreeMap::new();
    for run in 0..runs {
        for spread in [Spread::OneProcess, Spread::ProcessEach] {
            for turn in 0..WAITS.len() {
                let wait = WAITS[(run + turn) % WAITS.len()];
                eprintln!("[{}/{runs}] {}, {wait}", run + 1, spread.as_text());
                let outcome = once(spread, wait, seconds)?;
                outcomes.entry((spread, wait)).or_default().push(outcome);
            }
        }
    }
    print(&table(&outcomes))
}

/// Runs the robot once.
fn once(spread: Spread, wait: &str, seconds: u64) -> Result<Outcome, RunError> {
    let folder = Folder::new()?;
    let failed = |error: String| RunError::Failed("system".into(), error);
    let output = |part: &str| folder.path().join(format!("latencies-{part}"));
    let start = |part: &&'static str| {
        let words =
            [part, wait, &seconds.to_string(), &output(part).display().to_string()].map(str::to_owned);
        Process::spawn_in("system", &words, Some(folder.path()))
    };
    let parts = spread.processes();
    let mut processes = parts.iter().map(start).collect::<Result<Vec<_>, _>>()?;
    let mut outcome = Outcome::default();
    for (process, part) in processes.iter_mut().zip(&parts) {
        let line = process.line();
        interrupt::check()?;
        outcome.cpu_ms += number(&line, "cpu_ns").map_err(failed)? as f64 / 1e6;
        outcome.switches += number(&line, "ctxsw").map_err(failed)? as f64;
        outcome.sent += number(&line, "due").map_err(failed)?;
        read_latencies(&output(part), &mut outcome).map_err(failed)?;
    }
    processes.into_iter().try_for_each(Process::end)?;
    Ok(outcome)
}

/// Reads pairs of a node's index in the table and a latency in nanoseconds.
fn read_latencies(path: &Path, outcome: &mut Outcome) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    for pair in bytes.as_chunks::<8>().0 {
        let [node, nanos] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|byte| pair[at + byte])));
        let node = SIERRA_NEVADA.get(node as usize).ok_or("no such node")?;
        outcome.latencies.entry(node.name.into()).or_default().push(nanos);
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn table(outcomes: &BTreeMap<(Spread, &str), Vec<Outcome>>) -> String {
    let mut text = String::from(
        "| | wait | CPU ms | switches | p50 µs | p99 µs | lost |\n|---|---|---|---|---|---|---|\n",
    );
    for ((spread, wait), outcomes) in outcomes {
        let of = |figure: &dyn Fn(&Outcome) -> f64| median(outcomes.iter().map(figure));
        let _ = writeln!(
            text,
            "| {} | {wait} | {:.0} | {:.0} | {:.1} | {:.1} | {:.0} |",
            spread.as_text(),
            of(&|outcome| outcome.cpu_ms),
            of(&|outcome| outcome.switches),
            of(&|outcome| outcome.quantile(None, 0.5)),
            of(&|outcome| outcome.quantile(None, 0.99)),
            of(&|outcome| outcome.sent as f64 - outcome.received() as f64),
        );
    }
    text.push_str("\np50 of each node, µs:\n\n| node | one, block | one, adaptive | ten, block | ten, adaptive |\n|---|---|---|---|---|\n");
    for node in SIERRA_NEVADA.iter().filter(|node| !node.subscribes.is_empty()) {
        let p50 = |spread, wait| {
            let of = outcomes.get(&(spread, wait)).map_or(&[][..], Vec::as_slice);
            median(of.iter().map(|outcome| outcome.quantile(Some(node.name), 0.5)))
        };
        let both = |spread| WAITS.map(|wait| format!("{:.1}", p50(spread, wait))).join(" | ");
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            node.name,
            both(Spread::OneProcess),
            both(Spread::ProcessEach)
        );
    }
    text
}

/// Runs one process of the robot.
pub(crate) fn run_role(words: &[String]) -> Result<(), Error> {
    let [part, wait, seconds, output] = words else {
        return Err("system: expected PART WAIT SECONDS OUTPUT".into());
    };
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(parse_wait(wait)?);
    let mut robot = Robot::default();
    for (place, data) in (0..).zip(&SIERRA_NEVADA).filter(|(_, data)| part == ALL || part == data.name) {
        let node = context.node(data.name).create()?;
        robot.add(&node, place, data)?;
        executor.add_node(&node);
    }
    if !context.wait_until(MATCH, || robot.is_complete()) {
        return Err("not all subscriptions were found within 10 s".into());
    }
    let usage = Usage::now();
    robot.begin()?;
    let mut run = |time| executor.spin_until_future_complete(std::future::pending::<()>(), Some(time));
    run(Duration::from_secs(seconds.parse()?))?;
    let due = robot.stop();
    run(REST)?;
    let used = usage.elapsed(Duration::ZERO);
    fs::write(output, robot.latencies())?;
    print_line(&format!("due={due} {used}"))?;
    // Other processes may still read messages that this process has sent.
    context.wait_until(Duration::MAX, || false);
    Ok(())
}

/// The nodes of one process.
#[derive(Default)]
struct Robot {
    senders: Vec<Sender>,
    timers: Vec<Timer>,
    /// Never read. Dropping a subscription closes it.
    subscriptions: Vec<Subscription<UInt8MultiArray>>,
    /// Of each received message: the index of the node that received it, and the latency in nanoseconds.
    received: Arc<Mutex<Vec<(u32, u32)>>>,
}

/// A publisher with the size and the period of its messages.
struct Sender {
    node: Node,
    publisher: Arc<Publisher<UInt8MultiArray>>,
    bytes: usize,
    period: Duration,
    receivers: usize,
}

impl Robot {
    fn add(&mut self, node: &Node, place: u32, data: &NodeData) -> Result<(), NodeError> {
        for (topic, bytes, hz) in data.publishes {
            self.senders.push(Sender {
                node: node.clone(),
                publisher: Arc::new(node.publisher(topic).create()?),
                bytes: *bytes,
                period: Duration::from_nanos(1_000_000_000 / hz),
                receivers: SIERRA_NEVADA.iter().filter(|node| node.subscribes.contains(topic)).count(),
            });
        }
        for topic in data.subscribes {
            let received = self.received.clone();
            self.subscriptions.push(node.subscription(topic).callback(move |message: UInt8MultiArray| {
                let (sent, _) = message.data.split_first_chunk().unwrap_or((&[0; 8], &[]));
                let nanos = monotonic_now().saturating_sub(u64::from_le_bytes(*sent));
                let nanos = u32::try_from(nanos).unwrap_or(u32::MAX);
                lock(&received).push((place, nanos));
            })?);
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.senders.iter().all(|sender| sender.publisher.subscription_count() == sender.receivers)
    }

    fn begin(&mut self) -> Result<(), NodeError> {
        for Sender { node, publisher, bytes, period, .. } in &self.senders {
            let (publisher, mut message) = (publisher.clone(), UInt8MultiArray::default());
            message.data = vec![0; *bytes];
            self.timers.push(node.wall_timer(*period).callback(move || {
                message.data[..8].copy_from_slice(&monotonic_now().to_le_bytes());
                if let Err(error) = publisher.publish(&message) {
                    eprintln!("{error}");
                }
            })?);
        }
        Ok(())
    }

    /// Stops publishing. Returns how many messages the subscriptions must receive in total.
    fn stop(&mut self) -> u64 {
        self.timers.clear();
        let due = |sender: &Sender| sender.publisher.status().sent * sender.receivers as u64;
        self.senders.iter().map(due).sum()
    }

    fn latencies(&self) -> Vec<u8> {
        let received = lock(&self.received);
        received
            .iter()
            .flat_map(|(node, nanos)| [node.to_le_bytes(), nanos.to_le_bytes()])
            .flatten()
            .collect()
    }
}
