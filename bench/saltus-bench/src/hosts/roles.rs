//! The processes that send and receive streams with Saltus.

use std::{
    io::Read,
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus::{
    Context, Executor, Publisher, QoS, SingleThreadedExecutor,
    executor::WaitStrategy,
    msgs::saltus_bench_msgs::msg::Payload,
    qos::{LossCause, Losses},
    types::lock,
};
use saltus_bench_pingpong::{Arrivals, Stream, send_streams};

use crate::{
    child::number,
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
            "stream={} sent={sent}{}",
            stream.name,
            write_losses(&publisher.status().losses)
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
        let losses = write_losses(&subscription.status().losses);
        print_line(&format!("{}{losses}", lock(arrivals).report(&stream.name)))?;
    }
    Ok(())
}

/// Writes counts of losses for [`read_losses`].
fn write_losses(losses: &Losses) -> String {
    losses.iter().map(|(cause, count)| format!(" {}={count}", key(cause))).collect()
}

/// Reads counts of losses from a line of a role. Returns `None` if the line has none.
pub(super) fn read_losses(line: &str) -> Option<Losses> {
    let mut losses = Losses::default();
    for cause in LossCause::ALL {
        losses.add(cause, number(line, &key(cause)).ok()?);
    }
    Some(losses)
}

/// Returns the name of a cause as one word.
fn key(cause: LossCause) -> String {
    cause.to_string().replace(' ', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_read_as_they_were_written() {
        let mut losses = Losses::default();
        losses.add(LossCause::Congestion, 3);
        losses.add(LossCause::QueueOverflow, 4);
        let line = format!("stream=a sent=7{}", write_losses(&losses));
        assert_eq!(read_losses(&line), Some(losses));
        assert_eq!(read_losses("stream=a sent=7"), None);
    }
}
