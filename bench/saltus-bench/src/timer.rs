//! The one-shot timer test of ros_transitions. It measures how precisely a machine leaves a timed state. The baseline
//! is the kernel's own sleep.
//!
//! Source: "Performance benchmarks", ROS2-Pytransitions State Machine Package.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::machine::{Definition, MachineClient, MachineNode};
use saltus::{
    Context, Executor, SingleThreadedExecutor,
    executor::WaitStrategy,
    log::{Severity, set_logger_level},
    time::monotonic_now,
    types::lock,
};
use saltus_bench_pingpong::Usage;

use crate::{
    child::{ChildProcess, command, number, word},
    ends::MATCH,
    error::RunError,
    interrupt,
    options::Options,
    peer::{Peer, rows},
    progress::Progress,
    row::{Key, Recorded},
    run::{prepared, report},
    timer_table::{TAIL, TESTS},
};

type Error = Box<dyn std::error::Error>;

/// The CPU that every row runs on.
const CPU: i32 = 1;
/// The longest time that a process may run beyond its test.
const GRACE: Duration = Duration::from_secs(30);

/// Runs the test, each row alone, and reports how much the intervals differed from the timeout.
pub(crate) fn run_timer(options: &Options) -> Result<(), RunError> {
    build_baseline(&options.peers_folder)?;
    let peers = prepared(options, || rows(options))?;
    report(options, &peers, |folder, report| {
        let present: Vec<&Peer> = peers.iter().filter(|peer| peer.available.is_ok()).collect();
        let mut progress = Progress::new(present.len() * TESTS.len() * options.runs);
        for run in 0..options.runs {
            for (timeout, count) in TESTS {
                let (last, first) = present.split_at(run % present.len().max(1));
                for peer in first.iter().chain(last) {
                    let key = key(peer, timeout);
                    progress.step(&key);
                    let outcome = measure(peer, timeout, count.min(options.iterations), folder);
                    interrupt::check()?;
                    report.add(key, outcome);
                }
            }
        }
        progress.end();
        Ok(())
    })
}

/// Builds the program that measures the baseline. Every run needs the baseline, and building it needs only a C
/// compiler.
fn build_baseline(peers: &Path) -> Result<(), RunError> {
    let folder = peers.join("c");
    let status = Command::new("make").arg("-sC").arg(&folder).arg("build/timer").status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(RunError::Install(format!("make in {}: {status}", folder.display()))),
        Err(error) => Err(RunError::Install(format!("the baseline needs make and a C compiler: {error}"))),
    }
}

fn key(peer: &Peer, timeout: Duration) -> Key {
    Key {
        scenario: format!("one-shot timer of {} ms", timeout.as_millis()),
        peer: peer.name.into(),
        mode: peer.mode.into(),
        data: peer.data.into(),
        wait: peer.wait.into(),
        pin: format!("cpu {CPU}"),
        pace: String::new(),
        size: 0,
    }
}

fn measure(peer: &Peer, timeout: Duration, count: u64, folder: &Path) -> Result<Recorded, String> {
    let out = folder.join("times");
    let tail = if peer.mode.ends_with("spin-tail") { TAIL } else { Duration::ZERO };
    let mut command = command(peer)?;
    command
        .args(["--timeout-us", &timeout.as_micros().to_string(), "--count", &count.to_string()])
        .args(["--tail-us", &tail.as_micros().to_string(), "--cpu", &CPU.to_string()])
        .args(["--wait", peer.wait, "--out"])
        .arg(&out);
    let mut child = ChildProcess::new(command.spawn().map_err(|e| e.to_string())?);
    let time_limit = timeout * u32::try_from(2 * count).unwrap_or(u32::MAX) + GRACE;
    let line = child.line_before(Instant::now() + time_limit)?;
    let bytes = fs::read(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let _ = fs::remove_file(&out);
    let times: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|time| u64::from_le_bytes(*time)).collect();
    if times.len() as u64 != count + 1 {
        return Err(format!("{} times were recorded, not {}", times.len(), count + 1));
    }
    Ok(Recorded {
        nanos: deviations(&times, timeout),
        wall_ns: number(&line, "wall_ns")?,
        cpu_ns: Some(number(&line, "cpu_ns")?),
        switches: Some(number(&line, "ctxsw")?),
        version: word(&line, "version").unwrap_or_default(),
        ..Recorded::default()
    })
}

/// Returns how much each interval differed from the timeout, in nanoseconds.
fn deviations(times: &[u64], timeout: Duration) -> Vec<u32> {
    let requested = timeout.as_nanos() as u64;
    let deviation = |pair: &[u64]| pair[1].wrapping_sub(pair[0]).abs_diff(requested);
    times.windows(2).map(|pair| u32::try_from(deviation(pair)).unwrap_or(u32::MAX)).collect()
}

/// The arguments of a process of this test.
struct Arguments<'a>(&'a [String]);

impl Arguments<'_> {
    fn text(&self, name: &str) -> Result<&str, Error> {
        let index = self.0.iter().position(|word| word == name);
        let value = index.and_then(|index| self.0.get(index + 1));
        Ok(value.ok_or_else(|| format!("expected {name} with a value"))?)
    }

    fn number(&self, name: &str) -> Result<u64, Error> {
        Ok(self.text(name)?.parse()?)
    }
}

/// The times of the timeouts, which a callback notes.
#[derive(Clone)]
struct Times {
    wanted: usize,
    noted: Arc<Mutex<Vec<u64>>>,
}

impl Times {
    fn new(arguments: &Arguments<'_>) -> Result<Self, Error> {
        let wanted = arguments.number("--count")? as usize + 1;
        Ok(Self { wanted, noted: Arc::new(Mutex::new(Vec::with_capacity(wanted))) })
    }

    fn note(&self) {
        lock(&self.noted).push(monotonic_now());
    }

    /// Spins until all times are noted. Writes them to a file, and prints the other figures.
    fn record(
        &self,
        mut executor: SingleThreadedExecutor,
        context: &Context,
        arguments: &Arguments<'_>,
    ) -> Result<(), Error> {
        let usage = Usage::now();
        while lock(&self.noted).len() < self.wanted && !context.is_shut_down() {
            executor.spin_once(Some(MATCH))?;
        }
        let used = usage.elapsed(Duration::ZERO);
        let times = lock(&self.noted);
        let bytes: Vec<u8> = times.iter().take(self.wanted).flat_map(|time| time.to_le_bytes()).collect();
        fs::write(arguments.text("--out")?, bytes)?;
        println!("n={} lost=0 {used} version={}", times.len(), env!("CARGO_PKG_VERSION"));
        Ok(())
    }
}

/// Makes this process run on its CPU. Returns the context, the timeout and the executor.
fn set_up(arguments: &Arguments<'_>) -> Result<(Context, Duration, SingleThreadedExecutor), Error> {
    saltus_bench_pingpong::pin(arguments.number("--cpu")? as usize)?;
    let context = Context::new()?;
    let tail = Duration::from_micros(arguments.number("--tail-us")?);
    let strategy = match arguments.text("--wait")? {
        "block" => WaitStrategy::Block,
        "adaptive" => WaitStrategy::Adaptive,
        other => return Err(format!("expected --wait block or adaptive, found {other}").into()),
    };
    let executor = SingleThreadedExecutor::new(&context)?.strategy(strategy).spin_tail(tail);
    Ok((context, Duration::from_micros(arguments.number("--timeout-us")?), executor))
}

/// Runs the machine in Rust. It leaves `active` by a timeout, and `inactive` at once. A client records each timeout.
pub(crate) fn run_machine(words: &[String]) -> Result<(), Error> {
    let arguments = Arguments(words);
    let (context, timeout, executor) = set_up(&arguments)?;
    let definition = Definition::builder("one shot")
        .state("inactive")
        .on_enter("activate")
        .timed_state("active", timeout, "timeout")
        .transition("activate", "inactive", "active")
        .transition("timeout", "active", "inactive")
        .build()?;
    set_logger_level("machine.node", Severity::Warn);
    let times = Times::new(&arguments)?;
    let noted = times.clone();
    let client = MachineClient::builder().on_event(move |event| {
        if event == "timeout" {
            noted.note();
        }
    });
    let client = client.create(&context)?;
    let machine = MachineNode::builder(definition).create(&context)?;
    if !client.wait_for_machine(MATCH) {
        return Err("the machine was not found within 10 s".into());
    }
    executor.add_node(machine.node());
    executor.add_node(client.node());
    times.record(executor, &context, &arguments)
}

/// Runs a timer of a node, whose callback records each timeout.
pub(crate) fn run_timer_role(words: &[String]) -> Result<(), Error> {
    let arguments = Arguments(words);
    let (context, timeout, executor) = set_up(&arguments)?;
    let node = context.node("timer").create()?;
    let times = Times::new(&arguments)?;
    let noted = times.clone();
    let _timer = node.wall_timer(timeout).callback(move || noted.note())?;
    executor.add_node(&node);
    times.record(executor, &context, &arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deviation_is_the_difference_between_an_interval_and_the_timeout() {
        let times = [1000, 2010, 3000, 3999];
        assert_eq!(deviations(&times, Duration::from_nanos(1000)), [10, 10, 1]);
        assert!(deviations(&times[..1], Duration::from_nanos(1000)).is_empty());
    }
}
