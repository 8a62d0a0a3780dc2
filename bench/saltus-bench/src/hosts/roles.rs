//! The processes that send and receive streams with Saltus.

use std::{
    io::Read,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Context, Executor, Publisher, QoS, SingleThreadedExecutor, executor::WaitStrategy,
    msgs::saltus_bench_msgs::msg::Payload, types::lock,
};
use saltus_bench_pingpong::{Arrivals, Stream, send_streams};

use crate::{
    ends::MATCH,
    process::{at_end_of_stdin, print_line},
};

type Error = Box<dyn std::error::Error>;

/// The number of messages that a queue holds.
const DEPTH: u16 = 10;

/// Runs `send SECONDS STREAM…` or `receive STREAM…`.
pub(crate) fn run_role(words: &[String]) -> Result<(), Error> {
    match words.split_first().map(|(role, rest)| (role.as_str(), rest)) {
        Some(("send", [seconds, streams @ ..])) => send(seconds.parse()?, &parse(streams)?),
        Some(("receive", streams)) => receive(&parse(streams)?),
        _ => Err("expected `send SECONDS STREAM…` or `receive STREAM…`".into()),
    }
}

fn parse(words: &[String]) -> Result<Vec<Stream>, String> {
    words.iter().map(|word| word.parse()).collect()
}

fn qos(stream: &Stream) -> QoS {
    let qos = QoS::keep_last(DEPTH);
    if stream.is_best_effort { qos.best_effort() } else { qos }
}

fn send(seconds: u64, streams: &[Stream]) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("sender").start_parameter_services(false).create()?;
    let publishers: Vec<Publisher<Payload>> = streams
        .iter()
        .map(|stream| node.publisher::<Payload>(&stream.name).qos(qos(stream)).create())
        .collect::<Result<_, _>>()?;
    let are_matched = || publishers.iter().all(|publisher| publisher.subscription_count() > 0);
    if !context.wait_until(MATCH, are_matched) {
        return Err("no subscription was found".into());
    }
    print_line("ready")?;
    let sent = send_streams(streams, Duration::from_secs(seconds), |stream, data| {
        let len = data.len();
        let loan = publishers[stream].loan(Payload::size_hint(len))?;
        let message = loan.topic_id(0).timestamp(0).sequence_number(0).data_size(len as u32);
        message.data(len, |buffer| buffer.copy_from_slice(data)).publish()?;
        Ok::<(), Error>(())
    })?;
    for ((stream, sent), publisher) in streams.iter().zip(sent).zip(&publishers) {
        print_line(&format!(
            "stream={} sent={sent} losses={}",
            stream.name,
            publisher.status().losses.total()
        ))?;
    }
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn receive(streams: &[Stream]) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("receiver").start_parameter_services(false).create()?;
    let mut subscriptions = Vec::new();
    let all: Vec<Arc<Mutex<Arrivals>>> = streams.iter().map(|_| Arc::default()).collect();
    for (stream, arrivals) in streams.iter().zip(&all) {
        let arrivals = arrivals.clone();
        let subscription = node.subscription::<Payload>(&stream.name).qos(qos(stream));
        subscriptions.push(subscription.view(move |message| lock(&arrivals).note(message.data()))?);
    }
    let shut_down = context.clone();
    at_end_of_stdin(move || shut_down.shut_down());
    print_line("ready")?;
    SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block).spin_node(&node)?;
    for ((stream, arrivals), subscription) in streams.iter().zip(&all).zip(&subscriptions) {
        let counted = subscription.status().losses.total();
        print_line(&format!("{} counted={counted}", lock(arrivals).report(&stream.name)))?;
    }
    Ok(())
}
