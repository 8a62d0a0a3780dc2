//! The processes that end-to-end tests start: `actor ROLE [ARGUMENT…]`. Each prints `ready` when it is ready, and ends
//! when its standard input is closed. Tests kill most of them before that.

mod bridging;
mod callers;
mod member;
mod stdio;
mod survivor;

use std::{io::Read, time::Duration};

use saltus::{
    Context, Publisher, QoS,
    msgs::{saltus_bench_msgs::msg::Payload, std_msgs::msg::UInt64},
    qos::LossCause,
    topic::PollSubscription,
};
use stdio::{Error, ready, shut_down_at_end_of_stdin};

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
        ["keep-all", count] => keep_all(count.parse()?),
        ["echo"] => echo(),
        ["count", count] => count_messages(count.parse()?),
        ["watch-death"] => watch_death(),
        ["exit-without-drop"] => exit_without_drop(),
        ["member", name] => member::run(name),
        ["sink"] => sink(),
        ["log", ..] => log_messages(),
        _ => callers::run(&words),
    }
}

/// Publishes messages of changing sizes as fast as it can.
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

/// Takes messages as fast as it can, and keeps some of them for a while.
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
    shut_down_at_end_of_stdin(&context);
    let node = context.node("idle").create()?;
    ready()?;
    saltus::spin(&node)?;
    Ok(())
}

/// Publishes until memory is full, and prints the error. Then checks that publishing works again.
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
        "lost {} at the publisher, {} at the subscription",
        lost(publisher.status().losses),
        lost(subscription.status().losses)
    );
    kept.clear();
    publisher.publish(&Payload { data: vec![2; 100], ..Payload::default() })?;
    let (message, _) = subscription.take().ok_or("no message was received")??;
    println!("and then sent {} bytes of {}", message.data.len(), message.data[0]);
    Ok(())
}

/// Publishes `count` messages of 1 MB, and keeps all of them after it has received them.
fn keep_all(count: u32) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("keep_all").create()?;
    let publisher = node.publisher::<Payload>("keep_all").create()?;
    let subscription = node.subscription::<Payload>("keep_all").create()?;
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

/// Publishes the messages of the topic `there` on the topic `back`.
fn echo() -> Result<(), Error> {
    let context = Context::new()?;
    shut_down_at_end_of_stdin(&context);
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

/// Exchanges `count` messages with an `echo`. Prints how many were returned.
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
    let mut returned = 0;
    for data in 0..count {
        there.publish(&UInt64 { data })?;
        let reply = loop {
            if let Some(reply) = back.take() {
                break reply?.0;
            }
            waiter.wait(saltus::executor::WaitStrategy::Adaptive, None);
        };
        returned += u64::from(reply.data == data);
    }
    println!("{returned} were returned");
    Ok(())
}

/// Subscribes to `sink`, but takes no messages.
fn sink() -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("sink").create()?;
    let _subscription = node.subscription::<UInt64>("sink").qos(100).create()?;
    ready()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Logs a message of each severity. Logs two of them three times, with macros that log only the first. Then waits until
/// the standard input is closed.
fn log_messages() -> Result<(), Error> {
    let context = Context::from_args()?;
    let node = context.node("talker").namespace("/robot").create()?;
    let logger = node.logger();
    saltus::debug!(logger, "a detail");
    saltus::info!(logger, "the answer is {}", 42);
    for _ in 0..3 {
        saltus::log::warn_once!(logger, "logged once");
        saltus::log::error_throttle!(logger, Duration::from_secs(1000), "logged seldom");
    }
    saltus::fatal!(logger.child("arm"), "the end");
    ready()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Ends the process without dropping the context.
fn exit_without_drop() -> Result<(), Error> {
    let context = Context::new()?;
    std::mem::forget(context.node("exit_without_drop").create()?);
    std::process::exit(0)
}

/// Waits for an `echo`, prints `ready`, and waits until the `echo` has left the graph. Then reads from the standard
/// input when the `echo` was killed, in monotonic nanoseconds. Prints how much later it learned of that.
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
