//! The time that `publish()` takes on a real-time thread while another thread of its process works at ordinary
//! priority.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use saltus::{
    Node, Publisher, QoS,
    context::ContextOptions,
    executor::{Placement, SchedulingPolicy},
    msgs::{saltus_bench_msgs::msg::Payload, std_msgs::msg::UInt64},
    time::monotonic_now,
};

use crate::{error::RunError, interrupt, machine::Machine, process::Folder, report::print, row::percentile};

type Error = Box<dyn std::error::Error>;

/// The period at which the real-time thread publishes, in nanoseconds.
const PERIOD: u64 = 1_000_000;
/// The size of the messages in bytes.
const SIZE: usize = 64;
/// The priority of the real-time thread.
const PRIORITY: u8 = 50;
/// The size of the messages that the other thread commits and frees, in bytes.
const LARGE: usize = 256 << 20;

/// The duration of each `publish`, in nanoseconds.
type Times = Vec<u32>;

fn row(times: &Times) -> String {
    let mut sorted = times.clone();
    sorted.sort_unstable();
    let [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(|share| percentile(&sorted, share));
    format!("{:>9} {p50:>9.1} {p99:>9.1} {p999:>9.1} {max:>9.1}", sorted.len())
}

/// Returns the longest time in microseconds.
fn longest(times: &Times) -> f64 {
    times.iter().max().map_or(f64::NAN, |nanos| f64::from(*nanos) / 1e3)
}

/// Prints how long `publish` takes on a `SCHED_FIFO` thread: alone, and while another thread opens and closes endpoints
/// and commits messages of 256 MB. The two measurements alternate.
pub(crate) fn run_priority(seconds: u64) -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let measured = measure(seconds).map_err(|e| RunError::Failed("priority".into(), e.to_string()));
    interrupt::check().and(measured)
}

fn measure(seconds: u64) -> Result<(), Error> {
    let folder = Folder::new()?;
    let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create()?;
    let node = context.node("priority").create()?;
    let publisher = node.publisher::<Payload>("fast").create()?;
    let subscription = node.subscription::<Payload>("fast").qos(QoS::keep_last(1)).create()?;
    if !subscription.wait_for_publishers(1, Duration::from_secs(5)) {
        return Err("the publisher and the subscription did not match within 5 s".into());
    }
    let (mut alone, mut beside, cycles) = (Times::default(), Times::default(), AtomicU64::new(0));
    for _ in 0..seconds {
        publish(&publisher, &mut alone)?;
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let other = scope.spawn(|| disturb(&node, &is_over, &cycles).map_err(|error| error.to_string()));
            let published = publish(&publisher, &mut beside);
            is_over.store(true, Ordering::Relaxed);
            let disturbed = other.join().unwrap_or_else(|_| Err("the other thread panicked".into()));
            published.and(disturbed.map_err(Error::from))
        })?;
    }
    let difference = longest(&beside) - longest(&alone);
    print(&format!(
        "publish() of {SIZE} B at 1 kHz, SCHED_FIFO {PRIORITY}, in us, {seconds} turns of 1 s each\n"
    ))?;
    print(&format!("{:<12} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "n", "p50", "p99", "p99.9", "max"))?;
    print(&format!("{:<12} {}\n{:<12} {}\n", "alone", row(&alone), "disturbed", row(&beside)))?;
    print(&format!(
        "with the other thread, the longest differs by {:+.1} us; {} times, that thread opened 3 endpoints and committed {} MB\n",
        difference,
        cycles.load(Ordering::Relaxed),
        LARGE >> 20
    ))?;
    Ok(())
}

/// Publishes for one second on a real-time thread.
fn publish(publisher: &Publisher<Payload>, times: &mut Times) -> Result<(), Error> {
    let run = || -> Result<(), String> {
        let placement =
            Placement { policy: SchedulingPolicy::Fifo, priority: PRIORITY, ..Placement::default() };
        placement.apply().map_err(|error| error.to_string())?;
        let payload = Payload { data: vec![1; SIZE], ..Payload::default() };
        let begun = monotonic_now();
        for number in 0..1_000_000_000 / PERIOD {
            let due = begun + number * PERIOD;
            interrupt::sleep_until(due).map_err(|error| error.to_string())?;
            let before = monotonic_now();
            publisher.publish(&payload).map_err(|error| error.to_string())?;
            times.push(u32::try_from(monotonic_now() - before).unwrap_or(u32::MAX));
        }
        Ok(())
    };
    thread::scope(|scope| {
        scope.spawn(run).join().unwrap_or_else(|_| Err("the real-time thread panicked".into()))
    })?;
    Ok(())
}

/// Opens and closes endpoints of the same topic and of other topics. Commits and frees the memory of large messages.
fn disturb(node: &Node, is_over: &AtomicBool, cycles: &AtomicU64) -> Result<(), Error> {
    while !is_over.load(Ordering::Relaxed) {
        let _same = node.subscription::<Payload>("fast").create()?;
        let _other = node.publisher::<UInt64>("other").create()?;
        let large = node.publisher::<Payload>("large").create()?;
        drop(large.loan(LARGE)?);
        cycles.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
