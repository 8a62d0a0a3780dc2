//! The processes that end-to-end tests start: `actor ROLE [ARGUMENT…]`. Each prints `ready` when it is
//! ready, and ends when its standard input closes. Tests kill most of them before.

mod bridging;
mod callers;
mod duties;
mod member;
mod survivor;

use std::{io::Read, time::Duration};

use duties::{Error, end_with_stdin, ready};
use saltus::{
    Context, Publisher, QoS,
    msgs::{saltus_bench_msgs::msg::Payload, std_msgs::msg::UInt64},
    qos::LossCause,
    topic::PollSubscription,
};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["survivor", name, period, ref peers @ ..] => survivor::run(name, period.parse()?, peers),
        ["victim-publisher", seed] => victim_publisher(seed.parse()?),
        ["victim-subscriber", seed] => victim_subscriber(seed.parse()?),
        ["bridge", from, to] => bridging::run(from, to),
        ["idle"] => idle(),
        ["fill"] => fill(),
        ["hoard", count] => hoard(count.parse()?),
        ["echo"] => echo(),
        ["count", count] => count_messages(count.parse()?),
        ["watch-death"] => watch_death(),
        ["forgetful"] => forgetful(),
        ["member", name] => member::run(name),
        ["sink"] => sink(),
        ["speak", ..] => speak(),
        _ => callers::run(&words),
    }
}

/// Publishes as fast as it can, in changing sizes.
fn victim_publisher(seed: usize) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node(&format!("victim_{seed}")).create()?;
    let publisher = node.publisher::<Payload>("from_victims").create()?;
    ready()?;
    for i in seed.. {
        let data = vec![i as u8; 1 + (i * 7919) % 200_000];
        publisher.publish(&Payload { data, ..Payload::default() })?;
    }
    Ok(())
}

/// Takes as fast as it can, and keeps some of what it takes.
fn victim_subscriber(seed: usize) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node(&format!("victim_{seed}")).create()?;
    let qos = QoS::keep_last(3).transient_local();
    let subscription = node.subscription::<Payload>("to_victims").qos(qos).create()?;
    let mut waiter = context.waiter()?;
    subscription.set_waker(Some(&waiter.waker(0)));
    let mut kept = Vec::new();
    ready()?;
    while !context.is_shut_down() {
        match subscription.take_sample() {
            Some(sample) if kept.len() < 8 => kept.push(sample),
            Some(_) => kept.clear(),
            None => {
                waiter.wait(saltus::executor::WaitStrategy::Block, None);
            }
        }
    }
    Ok(())
}

/// Runs a node that does nothing.
fn idle() -> Result<(), Error> {
    let context = Context::new()?;
    end_with_stdin(&context);
    let node = context.node("idle").create()?;
    ready()?;
    saltus::spin(&node)?;
    Ok(())
}

/// Publishes until memory is full, and prints the error. Then shows that publishing still works.
fn fill() -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("fill").create()?;
    let publisher = node.publisher::<Payload>("fill").create()?;
    let subscription = node.subscription::<Payload>("fill").create()?;
    let (mut kept, mut size) = (Vec::new(), 1 << 16);
    let error = loop {
        match publisher.publish(&Payload { data: vec![1; size], ..Payload::default() }) {
            Ok(()) => kept.extend(subscription.take_sample()),
            Err(error) => break error,
        }
        size += 4096;
    };
    let lost = |losses: saltus::qos::Losses| losses[LossCause::OutOfMemory];
    println!("refused after {} messages: {error}", kept.len());
    println!(
        "lost {} at the writer, {} at the reader",
        lost(publisher.status().losses),
        lost(subscription.status().losses)
    );
    kept.clear();
    publisher.publish(&Payload { data: vec![2; 100], ..Payload::default() })?;
    let (message, _) = subscription.take().ok_or("nothing came")??;
    println!("and then sent {} bytes of {}", message.data.len(), message.data[0]);
    Ok(())
}

/// Publishes `count` messages of 1 MB, and keeps all of them that it receives.
fn hoard(count: u32) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("hoard").create()?;
    let publisher = node.publisher::<Payload>("hoard").create()?;
    let subscription = node.subscription::<Payload>("hoard").create()?;
    let (mut kept, mut failed) = (Vec::new(), 0);
    for number in 0..count {
        match publisher.publish(&member::payload(number, 1 << 20)) {
            Ok(()) => kept.extend(subscription.take_sample()),
            Err(_) => failed += 1,
        }
    }
    let changed = kept.iter().filter(|sample| member::number_of(sample).is_err()).count();
    let copied = subscription.status().copied;
    println!("sent={count} failed={failed} kept={} copied={copied} changed={changed}", kept.len());
    Ok(())
}

/// Publishes on `back` what it receives on `there`.
fn echo() -> Result<(), Error> {
    let context = Context::new()?;
    end_with_stdin(&context);
    let node = context.node("echo").create()?;
    let back = node.publisher::<UInt64>("back").create()?;
    let _there = node.subscription::<UInt64>("there").callback(move |message| {
        if let Err(error) = back.publish(&message) {
            eprintln!("{error}");
        }
    })?;
    ready()?;
    saltus::spin(&node)?;
    Ok(())
}

/// Exchanges `count` messages with an `echo`, and prints how many came back.
fn count_messages(count: u64) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("count").create()?;
    let there: Publisher<UInt64> = node.publisher("there").create()?;
    let back: PollSubscription<UInt64> = node.subscription("back").create()?;
    let matched = || there.subscription_count() == 1 && back.publisher_count() == 1;
    if !context.wait_until(Duration::from_secs(5), matched) {
        return Err("no `echo` matched within 5 s".into());
    }
    let mut waiter = context.waiter()?;
    back.set_waker(Some(&waiter.waker(0)));
    let mut came = 0;
    for data in 0..count {
        there.publish(&UInt64 { data })?;
        let reply = loop {
            if let Some(reply) = back.take() {
                break reply?.0;
            }
            waiter.wait(saltus::executor::WaitStrategy::Adaptive, None);
        };
        came += u64::from(reply.data == data);
    }
    println!("{came} came back");
    Ok(())
}

/// Subscribes to `sink`, and takes nothing.
fn sink() -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("sink").create()?;
    let _subscription = node.subscription::<UInt64>("sink").qos(100).create()?;
    ready()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Logs a message of each severity, two of them three times with a macro that shows only the first. Then waits until
/// the standard input closes.
fn speak() -> Result<(), Error> {
    let context = Context::from_args()?;
    let node = context.node("talker").namespace("/robot").create()?;
    let logger = node.logger();
    saltus::debug!(logger, "a detail");
    saltus::info!(logger, "the answer is {}", 42);
    for _ in 0..3 {
        saltus::log::warn_once!(logger, "said once");
        saltus::log::error_throttle!(logger, Duration::from_secs(1000), "said seldom");
    }
    saltus::fatal!(logger.child("arm"), "the end");
    ready()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Ends without dropping its context.
fn forgetful() -> Result<(), Error> {
    let context = Context::new()?;
    std::mem::forget(context.node("forgetful").create()?);
    std::process::exit(0)
}

/// Waits for an `echo`, prints `ready`, and waits until the `echo` is gone. Then reads the time of the kill from the
/// standard input, in monotonic nanoseconds, and prints how long after it the end was known.
fn watch_death() -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("watch").create()?;
    let there = node.publisher::<UInt64>("there").create()?;
    if !context.wait_until(Duration::from_secs(5), || there.subscription_count() == 1) {
        return Err("no `echo` matched within 5 s".into());
    }
    ready()?;
    let gone = context.wait_until(Duration::from_secs(5), || there.subscription_count() == 0);
    let known = saltus::time::monotonic_now();
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let killed: u64 = line.trim().parse()?;
    println!("gone={gone} after_us={}", known.saturating_sub(killed) / 1000);
    Ok(())
}
