//! Reading a topic from the command line: finding its type, choosing the QoS, waiting for messages.

use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use clap::builder::PossibleValuesParser;
use saltus::{
    Context, QoS,
    advanced::{TypeHash, Waiter, Waker},
    executor::WaitStrategy,
    generic::{GenericSubscription, TypeId},
    graph::EndpointKind,
    qos::{Durability, History, Liveliness, Losses, Reliability},
    time::monotonic_now,
    topic::Sample,
    types::Side,
};

use saltus_bench::RunError;

use crate::{error::Error, graph};

/// The class of the waker that Ctrl-C rings; messages ring class 0.
const CONTROL: u32 = 1;

/// The heading of `--qos-…` in the help.
const QOS_HEADING: &str = "Quality of service";

/// `--qos-…`
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct QosArguments {
    /// Profile to start from; by default, a subscription takes one that matches the topic's publishers
    #[arg(long, help_heading = QOS_HEADING, value_parser = PossibleValuesParser::new(QoS::PRESETS.map(|(name, _)| name)))]
    qos_profile: Option<String>,
    /// How many messages may wait at most
    #[arg(long, help_heading = QOS_HEADING)]
    qos_depth: Option<u16>,
    /// keep_last, keep_all or system_default
    #[arg(long, help_heading = QOS_HEADING, value_parser = ["keep_last", "keep_all", "system_default"])]
    qos_history: Option<String>,
    /// reliable, best_effort or best_available
    #[arg(long, help_heading = QOS_HEADING)]
    qos_reliability: Option<Reliability>,
    /// volatile, transient_local or best_available
    #[arg(long, help_heading = QOS_HEADING)]
    qos_durability: Option<Durability>,
    /// automatic, manual_by_topic or best_available
    #[arg(long, help_heading = QOS_HEADING)]
    qos_liveliness: Option<Liveliness>,
    /// How long a publisher counts as alive after it last asserted its liveliness, in seconds
    #[arg(long, help_heading = QOS_HEADING, value_parser = seconds)]
    qos_liveliness_lease_duration_seconds: Option<Duration>,
    /// The longest time between two messages, in seconds
    #[arg(long, help_heading = QOS_HEADING, value_parser = seconds)]
    qos_deadline_seconds: Option<Duration>,
    /// How long a message is valid, in seconds
    #[arg(long, help_heading = QOS_HEADING, value_parser = seconds)]
    qos_lifespan_seconds: Option<Duration>,
}

/// Reads a duration in seconds that the user gave.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("expected seconds, found `{text}`"))?;
    Duration::try_from_secs_f64(number).map_err(|e| e.to_string())
}

impl QosArguments {
    /// Returns another profile with the changes that these arguments ask for.
    pub(crate) fn apply(&self, other: QoS) -> QoS {
        let preset = QoS::PRESETS.into_iter().find(|(name, _)| Some(*name) == self.qos_profile.as_deref());
        let mut qos = preset.map_or(other, |(_, preset)| preset);
        if let Some(depth) = self.qos_depth {
            qos.history = QoS::keep_last(depth).history;
        }
        if self.qos_history.as_deref() == Some("keep_all") {
            qos.history = History::KeepAll;
        }
        qos.reliability = self.qos_reliability.unwrap_or(qos.reliability);
        qos.durability = self.qos_durability.unwrap_or(qos.durability);
        qos.liveliness = self.qos_liveliness.unwrap_or(qos.liveliness);
        qos.lease = self.qos_liveliness_lease_duration_seconds.or(qos.lease);
        qos.deadline = self.qos_deadline_seconds.or(qos.deadline);
        qos.lifespan = self.qos_lifespan_seconds.or(qos.lifespan);
        qos
    }
}

/// Returns the monotonic time, in nanoseconds, that is so far ahead.
pub(crate) fn deadline_after(timeout: Duration) -> u64 {
    monotonic_now().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
}

/// Creates a node that tools leave out of their lists.
pub(crate) fn hidden_node(context: &Context) -> Result<saltus::Node, Error> {
    let name = format!("_saltus_cli_{}", std::process::id());
    Ok(context.node(&name).start_parameter_services(false).create()?)
}

/// Returns the type of a topic as its endpoints have it. If there is no endpoint, prints a warning and waits for one.
/// Returns `None` if the monotonic `deadline` in nanoseconds comes first.
///
/// # Errors
/// Returns [`RunError::Interrupted`] after Ctrl-C, and an error if the endpoints have different types.
pub(crate) fn topic_type(
    context: &Context,
    topic: &str,
    deadline: Option<u64>,
) -> Result<Option<(String, TypeHash)>, Error> {
    let mut types = types_of(context, topic);
    if types.is_empty() {
        writeln!(io::stderr(), "WARNING: topic [{topic}] does not appear to be published yet")?;
        graph::hint_at_other_graphs();
        let left = deadline.map(|deadline| Duration::from_nanos(deadline.saturating_sub(monotonic_now())));
        context.wait_until(left.unwrap_or(Duration::MAX), || {
            types = types_of(context, topic);
            !types.is_empty()
        });
    }
    types.sort();
    types.dedup();
    match &types[..] {
        [] if context.is_shut_down() => Err(RunError::Interrupted.into()),
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| &**name).collect();
            Err(format!("topic [{topic}] has several types ({}): say which one", names.join(", ")).into())
        }
    }
}

fn types_of(context: &Context, topic: &str) -> Vec<(String, TypeHash)> {
    let endpoints = context.graph().endpoints.into_iter().filter(|endpoint| endpoint.topic == topic);
    endpoints.map(|endpoint| (endpoint.type_name, endpoint.type_hash)).collect()
}

/// Returns a profile that matches every publisher of a topic, present or future.
fn suitable_qos(context: &Context, topic: &str, depth: u16) -> QoS {
    let graph = context.graph();
    let publishers: Vec<QoS> =
        graph::endpoints(&graph, topic, EndpointKind::Publisher).iter().map(|end| end.qos).collect();
    // As strong as the present publishers allow, but without a deadline or lease, which a later publisher might not
    // offer.
    let qos = QoS::best_available().resolve(Side::Subscription, &publishers);
    let kept = if publishers.is_empty() { Durability::Volatile } else { qos.durability };
    QoS { reliability: qos.reliability, durability: kept, ..QoS::keep_last(depth) }
}

/// A subscription that a verb takes messages from, one by one.
pub(crate) struct Reading {
    context: Context,
    waiter: Waiter,
    /// Ctrl-C rings it. It is held only because the context keeps a weak reference to it.
    _control: Arc<Waker>,
    subscription: GenericSubscription,
}

impl Reading {
    pub(crate) fn open(
        node: &saltus::Node,
        topic: &str,
        ty: &TypeId,
        arguments: &QosArguments,
        depth: u16,
    ) -> Result<Self, Error> {
        let context = node.context().clone();
        let qos = arguments.apply(suitable_qos(&context, topic, depth));
        let subscription = node.generic_subscription(topic, ty, qos)?;
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        subscription.set_waker(Some(&waiter.waker(0)));
        Ok(Self { context, waiter, _control: control, subscription })
    }

    /// Waits for the next message and returns it. Returns `None` if Ctrl-C or the monotonic `deadline` in nanoseconds
    /// comes first.
    pub(crate) fn next(&mut self, deadline: Option<u64>) -> Option<Sample> {
        loop {
            if self.context.is_shut_down() {
                return None;
            }
            if let Some(sample) = self.subscription.take() {
                return Some(sample);
            }
            if deadline.is_some_and(|deadline| saltus::time::monotonic_now() >= deadline) {
                return None;
            }
            self.waiter.wait(WaitStrategy::Block, deadline);
        }
    }

    /// Returns the next message, if one is waiting.
    pub(crate) fn take(&mut self) -> Option<Sample> {
        self.subscription.take()
    }

    /// Lets messages of this topic wake the waiter of another reading instead of its own.
    pub(crate) fn ring_for(&self, other: &Self) {
        self.subscription.set_waker(Some(&other.waiter.waker(0)));
    }

    /// Waits until a waker rings. Returns whether to go on, which is `false` after Ctrl-C.
    pub(crate) fn wait(&mut self) -> bool {
        if !self.is_over() {
            self.waiter.wait(WaitStrategy::Block, None);
        }
        !self.is_over()
    }

    /// Returns how many messages were lost, as far as the subscription knows.
    pub(crate) fn losses(&self) -> Losses {
        self.subscription.status().losses
    }

    /// Returns the result of a verb that ends. It was interrupted if Ctrl-C ended it before it had printed anything.
    pub(crate) fn end(&self, has_printed: bool) -> Result<(), Error> {
        if self.is_over() && !has_printed { Err(RunError::Interrupted.into()) } else { Ok(()) }
    }

    /// Whether Ctrl-C has ended it.
    pub(crate) fn is_over(&self) -> bool {
        self.context.is_shut_down()
    }
}

/// Lets a thread of a verb wait for several things at once, and for Ctrl-C.
pub(crate) struct Waiting {
    waiter: Waiter,
    _control: Arc<Waker>,
    deadline: Option<u64>,
}

impl Waiting {
    /// Creates one whose waits end at the latest `timeout` from now.
    pub(crate) fn new(context: &Context, timeout: Duration) -> Result<Self, Error> {
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        Ok(Self { waiter, _control: control, deadline: Some(deadline_after(timeout)) })
    }

    /// Returns a waker that ends a wait.
    pub(crate) fn waker(&self) -> Waker {
        self.waiter.waker(0)
    }

    /// Waits until a waker rings or the time is up.
    pub(crate) fn wait(&mut self) {
        self.waiter.wait(WaitStrategy::Block, self.deadline);
    }
}
