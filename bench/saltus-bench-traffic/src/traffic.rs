//! The component.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus::{
    Node, Publisher, QoS, Subscription, Timer,
    component::{Component, ComponentError, NodeOptions},
    msgs::saltus_bench_msgs::msg::Payload,
    time::monotonic_now,
    types::lock,
};

use crate::{
    Cycle, Forward, Output, System, When,
    record::{Received, Recorder},
};

/// A publisher without a rate sends its message again if the node has received nothing for this time, because the first
/// ones may be lost while the system starts.
const SILENCE: Duration = Duration::from_millis(200);

/// Does what a system says about the node with its name.
///
/// | parameter | content |
/// |---|---|
/// | `system` | the name of a bundled system, or the path of a file |
/// | `record` | the folder in which a file with the name of the node contains what it has received; empty for no file |
/// | `in_place` | whether messages are read and written in place |
pub struct Traffic {
    node: Node,
    _timers: Vec<Timer>,
    _subscriptions: Vec<Subscription<Payload>>,
    recorder: SharedRecorder,
    /// The number of messages that the node has received.
    received: Arc<AtomicU64>,
}

type SharedRecorder = Option<Arc<Mutex<Recorder>>>;

impl std::fmt::Debug for Traffic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Traffic").field("node", &self.node).finish_non_exhaustive()
    }
}

impl Component for Traffic {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("traffic").create()?;
        let system = System::load(&node.declare_parameter("system", String::new())?)?;
        let folder: String = node.declare_parameter("record", String::new())?;
        let in_place: bool = node.declare_parameter("in_place", false)?;
        let name = node.name().base();
        let data = system.node(name).ok_or_else(|| format!("the system has no node `{name}`"))?;
        let recorder = if folder.is_empty() {
            None
        } else {
            Some(Arc::new(Mutex::new(Recorder::new(&Path::new(&folder).join(name))?)))
        };
        let mut traffic = Self {
            node: node.clone(),
            _timers: Vec::new(),
            _subscriptions: Vec::new(),
            recorder,
            received: Arc::default(),
        };
        let mut opening = Opening { system: &system, in_place, traffic: &mut traffic };
        data.subscribe.iter().try_for_each(|topic| opening.subscribe(topic, |_| ()))?;
        data.publish.iter().try_for_each(|cycle| opening.cycle(cycle))?;
        data.forward.iter().try_for_each(|rule| opening.forward(rule))?;
        Ok(traffic)
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        if let Some(recorder) = &self.recorder
            && let Err(error) = lock(recorder).end()
        {
            saltus::error!(self.node.logger(), "can't write what was received: {error}");
        }
    }
}

/// A message that a rule uses.
struct Input<'a> {
    /// When the source sent the message on which this one depends.
    origin: u64,
    data: &'a [u8],
}

/// Opens the publishers, subscriptions and timers of a node.
struct Opening<'a> {
    system: &'a System,
    in_place: bool,
    traffic: &'a mut Traffic,
}

impl Opening<'_> {
    fn sender(&self, output: &Output) -> Result<Sender, ComponentError> {
        let qos = QoS::keep_last(self.system.depth);
        let publisher = self.traffic.node.publisher::<Payload>(&output.topic).qos(qos).create()?;
        let mut message = Payload { topic_id: output.id, ..Payload::default() };
        message.data = vec![0; output.bytes];
        message.data_size = output.bytes as u32;
        let receivers = self.system.receivers(&output.topic);
        Ok(Sender { publisher, message, receivers, in_place: self.in_place })
    }

    /// Opens a subscription, which records each message and then calls `then`.
    fn subscribe(
        &mut self,
        topic: &str,
        mut then: impl FnMut(Input<'_>) + Send + 'static,
    ) -> Result<(), ComponentError> {
        let number = self.traffic._subscriptions.len() as u32;
        let recorder = self.traffic.recorder.clone();
        let logger = self.traffic.node.logger();
        let count = self.traffic.received.clone();
        let mut note = move |(publisher, sequence, sent): (u32, u32, u64), data: &[u8]| {
            let now = monotonic_now();
            count.fetch_add(1, Ordering::Relaxed);
            let origin = data.first_chunk().map_or(sent, |origin| u64::from_le_bytes(*origin));
            let since = |time: u64| u32::try_from(now.saturating_sub(time)).unwrap_or(u32::MAX);
            let (latency, age) = (since(sent), since(origin));
            if let Some(recorder) = &recorder {
                let received = Received { subscription: number, publisher, sequence, sent, latency, age };
                if let Err(error) = lock(recorder).add(received) {
                    saltus::error!(logger, "can't write what was received: {error}");
                }
            }
            then(Input { origin, data });
        };
        let qos = QoS::keep_last(self.system.depth);
        let builder = self.traffic.node.subscription::<Payload>(topic).qos(qos);
        let subscription = if self.in_place {
            builder.view(move |message| {
                let head = (message.topic_id(), message.sequence_number(), message.timestamp());
                note(head, message.data());
            })?
        } else {
            builder.callback(move |message| {
                let head = (message.topic_id, message.sequence_number, message.timestamp);
                note(head, &message.data);
            })?
        };
        self.traffic._subscriptions.push(subscription);
        Ok(())
    }

    /// Opens a publisher with a timer. It begins when all of its subscriptions are there.
    fn cycle(&mut self, cycle: &Cycle) -> Result<(), ComponentError> {
        let mut sender = self.sender(&cycle.output)?;
        let latest = Arc::new(Mutex::new(vec![None; cycle.inputs.len()]));
        for (index, topic) in cycle.inputs.iter().enumerate() {
            let latest = latest.clone();
            self.subscribe(topic, move |input| lock(&latest)[index] = Some(input.origin))?;
        }
        let (work, is_once) = (cycle.work, cycle.hz == 0.0);
        let period = if is_once { SILENCE } else { Duration::from_secs_f64(1.0 / cycle.hz) };
        let received = self.traffic.received.clone();
        let mut received_before = 0;
        let logger = self.traffic.node.logger();
        let mut has_begun = false;
        let timer = self.traffic.node.wall_timer(period).callback(move || {
            let received = received.load(Ordering::Relaxed);
            let is_silent = std::mem::replace(&mut received_before, received) == received;
            if is_once && !is_silent || !has_begun && !sender.is_matched() {
                return;
            }
            has_begun = true;
            count_primes(work);
            let oldest = lock(&latest).iter().copied().flatten().min();
            if let Err(error) = sender.send(oldest, &[]) {
                saltus::error!(logger, "can't publish: {error}");
            }
        })?;
        self.traffic._timers.push(timer);
        Ok(())
    }

    fn forward(&mut self, rule: &Forward) -> Result<(), ComponentError> {
        let sender = rule.output.as_ref().map(|output| self.sender(output)).transpose()?;
        let new = vec![None; rule.inputs.len()];
        let state = Arc::new(Mutex::new(Rule {
            when: rule.when,
            work: rule.work,
            restart: rule.restart,
            sender,
            new,
        }));
        for (index, topic) in rule.inputs.iter().enumerate() {
            let (state, logger) = (state.clone(), self.traffic.node.logger());
            self.subscribe(topic, move |input| {
                if let Err(error) = lock(&state).run(index, &input) {
                    saltus::error!(logger, "can't publish: {error}");
                }
            })?;
        }
        Ok(())
    }
}

/// A rule and the inputs that it waits for.
struct Rule {
    when: When,
    work: u32,
    restart: bool,
    sender: Option<Sender>,
    /// The origin of each input that is new since the rule has run.
    new: Vec<Option<u64>>,
}

impl Rule {
    fn run(&mut self, index: usize, input: &Input<'_>) -> Result<(), ComponentError> {
        self.new[index] = Some(input.origin);
        if self.when == When::All && self.new.iter().any(Option::is_none) {
            return Ok(());
        }
        let oldest = self.new.iter_mut().filter_map(Option::take).min();
        count_primes(self.work);
        let origin = oldest.filter(|_| !self.restart);
        self.sender.as_mut().map_or(Ok(()), |sender| sender.send(origin, input.data))
    }
}

/// A publisher and its message.
struct Sender {
    publisher: Publisher<Payload>,
    message: Payload,
    receivers: usize,
    in_place: bool,
}

impl Sender {
    fn is_matched(&self) -> bool {
        self.publisher.subscription_count() >= self.receivers
    }

    /// Publishes a message with this origin (now if it is `None`) and the rest of `data`, as much of it as fits.
    fn send(&mut self, origin: Option<u64>, data: &[u8]) -> Result<(), ComponentError> {
        let now = monotonic_now();
        let origin = origin.unwrap_or(now).to_le_bytes();
        let fill = |buffer: &mut [u8]| {
            let len = buffer.len().min(data.len());
            buffer[..len].copy_from_slice(&data[..len]);
            buffer[len..].fill(0);
            if let Some(first) = buffer.first_chunk_mut() {
                *first = origin;
            }
        };
        let message = &mut self.message;
        message.timestamp = now;
        let sent = if self.in_place {
            build(&self.publisher, message, fill)
        } else {
            fill(&mut message.data);
            self.publisher.publish(message).map_err(Into::into)
        };
        message.sequence_number = message.sequence_number.wrapping_add(1);
        sent
    }
}

/// Publishes a message that is written in place.
fn build(
    publisher: &Publisher<Payload>,
    message: &Payload,
    fill: impl FnOnce(&mut [u8]),
) -> Result<(), ComponentError> {
    let len = message.data_size as usize;
    let loan = publisher.loan(Payload::size_hint(len))?;
    loan.topic_id(message.topic_id)
        .timestamp(message.timestamp)
        .sequence_number(message.sequence_number)
        .data_size(message.data_size)
        .data(len, fill)
        .publish()?;
    Ok(())
}

/// Counts the primes up to a number, by trial division.
fn count_primes(limit: u32) -> usize {
    let is_prime = |number: &u32| (2..*number).all(|divisor| !number.is_multiple_of(divisor));
    std::hint::black_box((2..=limit).filter(is_prime).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_counted() {
        assert_eq!([0, 1, 2, 10, 4096].map(count_primes), [0, 0, 1, 4, 564]);
    }
}
