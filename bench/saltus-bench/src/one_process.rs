//! Two nodes in one process on one executor: the cost of a message when no thread has to be woken.

use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

use rustix::time::{ClockId, clock_gettime};
use saltus::{
    Executor, SingleThreadedExecutor, context::ContextOptions, executor::WaitStrategy,
    msgs::saltus_bench_msgs::msg::Payload, types::lock,
};
use saltus_bench_pingpong::{pattern, stamp, stamp_at};

use crate::{
    options::Pace,
    row::{Key, Recorded},
};

type Error = Box<dyn std::error::Error>;

const WARMUP: u64 = 1000;

/// The handling of the data: it is copied into the message, or only its first and last 8 bytes are written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Copied,
    Untouched,
}

pub(crate) fn key(size: usize, data: Data) -> Key {
    Key {
        scenario: "one-process".into(),
        peer: "saltus".into(),
        mode: if data == Data::Copied { "in-place" } else { "untouched" }.into(),
        data: if data == Data::Copied { "in place" } else { "untouched" }.into(),
        wait: "adaptive".into(),
        pin: "free".into(),
        pace: Pace::FullSpeed.name(),
        size,
    }
}

/// Measures round trips. Node A sends a message, node B sends the same data back, and node A checks it.
pub(crate) fn measure(size: usize, iterations: u64, data: Data) -> Result<Recorded, Error> {
    let untouched = data == Data::Untouched;
    let context = ContextOptions::default().handle_signals(false).create()?;
    let (a, b) = (context.node("a").create()?, context.node("b").create()?);
    let there = a.publisher::<Payload>("one_process_there").create()?;
    let back = b.publisher::<Payload>("one_process_back").create()?;
    let _echo = b.subscription::<Payload>("one_process_there").view(move |message| {
        let data: &[u8] = message.data();
        let sent = back.loan(Payload::size_hint(data.len())).map(|loan| {
            loan.topic_id(0)
                .timestamp(0)
                .sequence_number(0)
                .data_size(data.len() as u32)
                .data(data.len(), |buffer| fill(buffer, data, untouched))
                .publish()
        });
        if !matches!(sent, Ok(Ok(()))) {
            eprintln!("{sent:?}");
        }
    })?;
    let received = Arc::new(Mutex::new(None));
    let inbox = received.clone();
    let _replies = a.subscription::<Payload>("one_process_back").view(move |message| {
        let data: &[u8] = message.data();
        let seen = (data.len(), stamp_at(data, 0), stamp_at(data, data.len() - 8));
        *lock(&inbox) = Some(seen);
    })?;
    let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Adaptive);
    executor.add_node(&a);
    executor.add_node(&b);
    let mut data: Vec<u8> = (0..size).map(pattern).collect();
    let mut recorded =
        Recorded { version: env!("CARGO_PKG_VERSION").into(), carried: !untouched, ..Recorded::default() };
    let mut began = (Instant::now(), cpu_time());
    for sequence in 0..WARMUP + iterations {
        if sequence == WARMUP {
            began = (Instant::now(), cpu_time());
        }
        let start = Instant::now();
        stamp(&mut data, sequence);
        let loan = there.loan(Payload::size_hint(size))?;
        loan.topic_id(0)
            .timestamp(0)
            .sequence_number(0)
            .data_size(size as u32)
            .data(size, |buffer| fill(buffer, &data, untouched))
            .publish()?;
        let reply = loop {
            executor.spin_some()?;
            if let Some(reply) = lock(&received).take() {
                break reply;
            }
        };
        let took = start.elapsed();
        if reply != (size, sequence, sequence) {
            return Err(format!("message {sequence} of {size} bytes came back as {reply:?}").into());
        }
        if sequence >= WARMUP {
            recorded.nanos.push(took.as_nanos().min(u32::MAX.into()) as u32);
        }
    }
    recorded.wall_ns = began.0.elapsed().as_nanos() as u64;
    recorded.cpu_ns = Some(cpu_time() - began.1);
    Ok(recorded)
}

/// Returns the CPU time of this thread in nanoseconds. This thread does all of the work.
fn cpu_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn fill(buffer: &mut [u8], data: &[u8], untouched: bool) {
    if untouched { stamp(buffer, stamp_at(data, 0)) } else { buffer.copy_from_slice(data) }
}
