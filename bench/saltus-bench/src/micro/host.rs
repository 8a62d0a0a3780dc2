//! The node of the host: it counts the messages of a topic, and answers those of another one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus::{
    Context, Executor, QoS, SingleThreadedExecutor,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::{Int32, UInt8MultiArray},
    },
    qos::History,
    time::monotonic_now,
};

use crate::process::{print_line, shut_down_at_end_of_stdin};

type Error = Box<dyn std::error::Error>;

/// The byte ranges of the fields in the data of a message.
const STAMP: std::ops::Range<usize> = 4..12;
const WAY: std::ops::Range<usize> = 12..16;

/// Runs the node that publishes to many clients. It waits for a line, and then publishes to one client after the other.
/// Prints the numbers of messages that it has published and counted.
pub(crate) fn run_crowd(words: &[String]) -> Result<(), Error> {
    let [count, seconds] = words else { return Err("micro-crowd: expected COUNT SECONDS".into()) };
    let (count, seconds): (u64, u64) = (count.parse()?, seconds.parse()?);
    let context = Context::new()?;
    let node = context.node("micro_host").create()?;
    let counted = Arc::new(AtomicU64::new(0));
    let counter = counted.clone();
    let qos = QoS::keep_last(1000);
    let _flood = node.subscription::<UInt8MultiArray>("micro_flood").qos(qos).callback(
        move |_: UInt8MultiArray| {
            counter.fetch_add(1, Ordering::Relaxed);
        },
    )?;
    let publisher =
        |number| node.publisher::<UInt8MultiArray>(&format!("micro_down_{number}")).qos(qos).create();
    let publishers = (0..count).map(publisher).collect::<Result<Vec<_>, _>>()?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    let spinning = std::thread::spawn(move || executor.spin());
    print_line("ready")?;
    std::io::stdin().read_line(&mut String::new())?;
    let mut message = UInt8MultiArray { data: vec![0; 52], ..UInt8MultiArray::default() };
    let (begun, pause) = (monotonic_now(), super::scale::pause(count));
    let total = seconds * 1_000_000_000 / pause;
    let mut published = 0;
    for (number, publisher) in (0..total).zip(publishers.iter().cycle()) {
        crate::interrupt::sleep_until(begun + number * pause)?;
        message.data[STAMP].copy_from_slice(&monotonic_now().to_le_bytes());
        published += u64::from(publisher.publish(&message).is_ok());
    }
    let _ = std::io::stdin().read_line(&mut String::new());
    context.shut_down();
    let _ = spinning.join();
    print_line(&format!("published={published} counted={}", counted.load(Ordering::Relaxed)))
}

/// The time between two messages and calls for the firmware.
const PERIOD: Duration = Duration::from_millis(50);

/// Runs the node that uses everything of a firmware, until its standard input is closed: it publishes, calls the service
/// of the device, and serves its client.
pub(crate) fn run_memory(_words: &[String]) -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("micro_host").create()?;
    let numbers = node.publisher::<Int32>("numbers").create()?;
    let sum = |request: AddTwoInts_Request| AddTwoInts_Response { sum: request.a.wrapping_add(request.b) };
    let _server = node.service::<AddTwoInts>("host_add").callback(sum)?;
    let client = node.client::<AddTwoInts>("add").create()?;
    let _timer = node.wall_timer(PERIOD).callback(move || {
        // The firmware counts what arrives. There may be no subscription and no service.
        let _ = numbers.publish(&Int32 { data: 1 });
        let _ = client.call_async(&AddTwoInts_Request { a: 1, b: 2 });
    })?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    print_line("ready")?;
    executor.spin()?;
    Ok(())
}

/// Runs the node until its standard input is closed. `reliability` is `reliable` or `best-effort`. Prints the number of
/// messages that it has counted.
pub(crate) fn run_role(words: &[String]) -> Result<(), Error> {
    let [reliability] = words else { return Err("micro-host: expected RELIABILITY".into()) };
    let qos = match reliability.as_str() {
        // A device waits if this node is slower.
        "reliable" => QoS { history: History::KeepAll, ..QoS::keep_last(1000) },
        _ => QoS { history: History::KeepLast(1000), ..QoS::sensor_data() },
    };
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
    let node = context.node("micro_host").create()?;
    let counted = Arc::new(AtomicU64::new(0));
    let counter = counted.clone();
    let flood = node.subscription::<UInt8MultiArray>("micro_flood").qos(qos).callback(
        move |_: UInt8MultiArray| {
            counter.fetch_add(1, Ordering::Relaxed);
        },
    )?;
    let answers = node.publisher::<UInt8MultiArray>("micro_down").qos(qos).create()?;
    let _questions = node.subscription::<UInt8MultiArray>("micro_up").qos(qos).callback(
        move |mut message: UInt8MultiArray| {
            let now = monotonic_now();
            if let Some(stamp) = message.data.get(STAMP).and_then(|bytes| bytes.try_into().ok()) {
                let way = now.saturating_sub(u64::from_le_bytes(stamp)) as u32;
                message.data[WAY].copy_from_slice(&way.to_le_bytes());
                message.data[STAMP].copy_from_slice(&monotonic_now().to_le_bytes());
                // A lost answer is a lost round trip, which the client counts.
                let _ = answers.publish(&message);
            }
        },
    )?;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    print_line("ready")?;
    executor.spin()?;
    let lost = flood.status().losses.total();
    print_line(&format!("counted={} lost={lost}", counted.load(Ordering::Relaxed)))
}
