//! One publisher, several subscriptions: the time from `publish()` until the last subscription has received the
//! message.
//!
//! Messages are built in place. Only the first and last 8 bytes are written, and every reader reads both. Each reader
//! acknowledges a message. The next message is sent when all readers have acknowledged, so that no message waits for
//! another one.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    executor::WaitStrategy,
    msgs::{saltus_bench_msgs::msg::Payload, std_msgs::msg::UInt64},
    time::monotonic_now,
    types::lock,
};
use saltus_bench_pingpong::{END, stamp, stamp_at};

use crate::{
    child::ChildProcess,
    ends::MATCH,
    error::RunError,
    interrupt,
    options::Pace,
    progress::Progress,
    row::{Key, Recorded},
};

type Error = Box<dyn std::error::Error>;

/// The numbers of readers.
const READERS: [usize; 4] = [1, 2, 4, 8];
const SIZES: [usize; 2] = [64 << 10, 1 << 20];
const WARMUP: u64 = 100;
/// The longest time that one exchange may take.
const LONGEST: Duration = Duration::from_secs(60);

/// Returns the number of measurements. A size of this scenario is measured only if it is also in `sizes`.
pub(crate) fn steps(sizes: &[usize]) -> usize {
    SIZES.iter().filter(|size| sizes.contains(size)).count() * READERS.len()
}

/// Measures each number of readers, at the sizes of this scenario that are also in `sizes`.
pub(crate) fn measure(
    iterations: u64,
    program: &Path,
    folder: &Path,
    progress: &mut Progress,
    sizes: &[usize],
    record: &mut dyn FnMut(Key, Result<Recorded, String>),
) -> Result<(), RunError> {
    for size in SIZES.into_iter().filter(|size| sizes.contains(size)) {
        for readers in READERS {
            let key = Key {
                scenario: "fan-out".into(),
                peer: "saltus".into(),
                mode: format!("{readers} subscriber{}", if readers == 1 { "" } else { "s" }),
                data: "untouched".into(),
                wait: "block".into(),
                pin: "free".into(),
                pace: Pace::FullSpeed.name(),
                size,
            };
            progress.step(&key);
            interrupt::check()?;
            let outcome = one(readers, size, iterations, program, folder);
            // An interrupted exchange looks like a failed one.
            interrupt::check()?;
            record(key, outcome);
        }
    }
    Ok(())
}

fn one(
    readers: usize,
    size: usize,
    iterations: u64,
    program: &Path,
    folder: &Path,
) -> Result<Recorded, String> {
    let tag = format!("{}_{readers}_{size}", std::process::id());
    let outputs: Vec<_> = (0..readers).map(|reader| folder.join(format!("fan-{tag}-{reader}"))).collect();
    let start = |role: &str, rest: &[String]| -> Result<ChildProcess, String> {
        let mut command = Command::new(program);
        command.args(["bench", "role", role, &tag, &size.to_string(), &iterations.to_string()]).args(rest);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map(ChildProcess::new).map_err(|e| format!("{role}: {e}"))
    };
    let mut subscribers: Vec<ChildProcess> = outputs
        .iter()
        .map(|output| start("fan-subscriber", &[output.display().to_string()]))
        .collect::<Result<_, _>>()?;
    let mut publisher = start("fan-publisher", &[readers.to_string()])?;
    // If one process fails, the early return drops all other processes, which ends them.
    publisher.end_before(Instant::now() + LONGEST).map_err(|e| format!("publisher: {e}"))?;
    let soon = Instant::now() + Duration::from_secs(5);
    for subscriber in &mut subscribers {
        subscriber.end_before(soon).map_err(|e| format!("subscriber: {e}"))?;
    }
    let latencies: Vec<Vec<u32>> =
        outputs.iter().map(|output| read_latencies(output)).collect::<Result<_, _>>()?;
    Ok(last_receipts(&latencies, iterations))
}

fn read_latencies(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|value| u32::from_le_bytes(*value)).collect())
}

/// Records for each message the latency of the reader that received it last. If a reader did not receive the message,
/// it counts as lost.
fn last_receipts(latencies: &[Vec<u32>], iterations: u64) -> Recorded {
    let mut recorded = Recorded { version: env!("CARGO_PKG_VERSION").into(), ..Recorded::default() };
    for message in 0..iterations as usize {
        let received: Option<Vec<u32>> =
            latencies.iter().map(|reader| reader.get(message).copied().filter(|nanos| *nanos > 0)).collect();
        match received.and_then(|received| received.into_iter().max()) {
            Some(nanos) => recorded.nanos.push(nanos),
            None => recorded.lost += 1,
        }
    }
    recorded.wall_ns = recorded.nanos.iter().map(|nanos| u64::from(*nanos)).sum();
    recorded
}

/// Runs a process of this scenario.
pub(crate) fn run_role(name: &str, arguments: &[String]) -> Result<(), Error> {
    let [tag, size, iterations, last] = arguments else {
        return Err(format!("{name}: expected TAG SIZE ITERATIONS and READERS or OUTPUT").into());
    };
    let (size, iterations) = (size.parse()?, iterations.parse::<u64>()?);
    match name {
        "fan-publisher" => publish(tag, size, iterations, last.parse()?),
        _ => subscribe(tag, iterations, last),
    }
}

fn publish(tag: &str, size: usize, iterations: u64, readers: usize) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("fan_publisher").create()?;
    let publisher = node.publisher::<Payload>(&format!("fan_{tag}")).create()?;
    let acknowledged = Arc::new(Mutex::new(0));
    let counter = acknowledged.clone();
    let acks = node.subscription::<UInt64>(&format!("fan_ack_{tag}")).qos(100).callback(move |_| {
        *lock(&counter) += 1;
    })?;
    let complete = || publisher.subscription_count() == readers && acks.publisher_count() == readers;
    if !context.wait_until(MATCH, complete) {
        return Err("not all readers were found within 10 s".into());
    }
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
    executor.add_node(&node);
    for sequence in (0..WARMUP + iterations).chain([END]) {
        let loan = publisher.loan(Payload::size_hint(size))?;
        loan.topic_id(0)
            .timestamp(monotonic_now())
            .sequence_number(0)
            .data_size(size as u32)
            .data(size, |data| stamp(data, sequence))
            .publish()?;
        while sequence != END && *lock(&acknowledged) < readers {
            if !executor.spin_once(Some(Duration::from_secs(5)))? {
                return Err(format!("message {sequence} was not acknowledged by all").into());
            }
        }
        *lock(&acknowledged) = 0;
    }
    Ok(())
}

fn subscribe(tag: &str, iterations: u64, output: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("fan_subscriber").create()?;
    let ack = node.publisher::<UInt64>(&format!("fan_ack_{tag}")).create()?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
    let over = executor.handle();
    let latencies = Arc::new(Mutex::new(vec![0u32; iterations as usize]));
    let noted = latencies.clone();
    let _subscription = node.subscription::<Payload>(&format!("fan_{tag}")).view(move |message| {
        let data: &[u8] = message.data();
        let (first, last) = (stamp_at(data, 0), stamp_at(data, data.len() - 8));
        let took = monotonic_now().saturating_sub(message.timestamp());
        if first == END || first != last {
            return over.cancel();
        }
        if let Some(index) = first.checked_sub(WARMUP) {
            lock(&noted)[index as usize] = took.min(u32::MAX.into()) as u32;
        }
        if let Err(error) = ack.publish(&UInt64 { data: first }) {
            eprintln!("{error}");
        }
    })?;
    executor.spin_node(&node)?;
    if context.is_shut_down() {
        return Err("interrupted".into());
    }
    let latencies = lock(&latencies);
    fs::write(output, latencies.iter().flat_map(|nanos| nanos.to_le_bytes()).collect::<Vec<u8>>())?;
    Ok(())
}
