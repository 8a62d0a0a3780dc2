//! Reads a topic: finds its type, chooses the QoS, waits for messages.

use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use clap::builder::PossibleValuesParser;
use saltus::{
    Context, QoS,
    advanced::{Gid, TypeHash, Waiter, Waker},
    executor::WaitStrategy,
    generic::{GenericSubscription, TypeId},
    graph::EndpointKind,
    qos::{Durability, History, Liveliness, Losses, Reliability},
    time::monotonic_now,
    topic::Sample,
    types::Side,
};

use crate::{
    error::{Ended, Error},
    graph,
};

/// The class of the waker that Ctrl-C rings. Messages ring class 0.
const CONTROL: u32 = 1;

/// The time in which this process connects to those that were started together with it.
const SOON: Duration = Duration::from_millis(200);

/// The heading of `--qos-…` in the help.
const QOS_HEADING: &str = "Quality of service";

/// `--qos-…`
#[derive(Clone, Debug, Default, clap::Args)]
pub struct QosArguments {
    /// The QoS profile, which the other QoS options change [default: for a publisher, `default`; for a subscription, a
    /// profile that matches the topic's publishers]
    #[arg(long, next_line_help = true, value_name = "PROFILE", help_heading = QOS_HEADING, value_parser = PossibleValuesParser::new(QoS::PRESETS.map(|(name, _)| name)))]
    qos_profile: Option<String>,
    /// The depth of the queue, in messages
    #[arg(long, next_line_help = true, value_name = "MESSAGES", help_heading = QOS_HEADING)]
    qos_depth: Option<u16>,
    /// The history policy: keep_last, keep_all or system_default
    #[arg(long, next_line_help = true, value_name = "POLICY", help_heading = QOS_HEADING, value_parser = ["keep_last", "keep_all", "system_default"])]
    qos_history: Option<String>,
    /// The reliability policy: reliable, best_effort or best_available
    #[arg(long, next_line_help = true, value_name = "POLICY", help_heading = QOS_HEADING)]
    qos_reliability: Option<Reliability>,
    /// The durability policy: volatile, transient_local or best_available
    #[arg(long, next_line_help = true, value_name = "POLICY", help_heading = QOS_HEADING)]
    qos_durability: Option<Durability>,
    /// The liveliness policy: automatic, manual_by_topic or best_available
    #[arg(long, next_line_help = true, value_name = "POLICY", help_heading = QOS_HEADING)]
    qos_liveliness: Option<Liveliness>,
    /// The liveliness lease: how long a publisher counts as alive after it has last asserted its liveliness, in seconds
    #[arg(long, next_line_help = true, value_name = "SECONDS", help_heading = QOS_HEADING, value_parser = seconds)]
    qos_liveliness_lease_duration_seconds: Option<Duration>,
    /// The deadline: the longest time between two messages, in seconds
    #[arg(long, next_line_help = true, value_name = "SECONDS", help_heading = QOS_HEADING, value_parser = seconds)]
    qos_deadline_seconds: Option<Duration>,
    /// The lifespan: how long a message is valid, in seconds
    #[arg(long, next_line_help = true, value_name = "SECONDS", help_heading = QOS_HEADING, value_parser = seconds)]
    qos_lifespan_seconds: Option<Duration>,
}

/// Parses a duration in seconds that the user gave.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("expected seconds, found `{text}`"))?;
    Duration::try_from_secs_f64(number).map_err(|_| format!("expected seconds from 0 on, found `{text}`"))
}

impl QosArguments {
    /// Returns the profile `other` with the changes that these arguments make.
    pub fn apply(&self, other: QoS) -> QoS {
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

/// Returns the monotonic time `timeout` from now, in nanoseconds.
pub fn deadline_after(timeout: Duration) -> u64 {
    monotonic_now().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
}

/// Creates a node that is hidden in the lists of nodes.
pub fn hidden_node(context: &Context) -> Result<saltus::Node, Error> {
    let name = format!("_saltus_cli_{}", std::process::id());
    Ok(context.node(&name).start_parameter_services(false).create()?)
}

/// Returns the type that the endpoints of a topic have. If there is no endpoint, prints a warning and waits for one.
/// Returns `None` if there is no endpoint until `deadline`, a monotonic time in nanoseconds.
///
/// # Errors
/// Returns [`Ended::Interrupted`] after Ctrl-C, and an error if the endpoints have different types.
pub fn topic_type(
    context: &Context,
    topic: &str,
    deadline: Option<u64>,
) -> Result<Option<(String, TypeHash)>, Error> {
    let mut types = types_of(context, topic);
    if types.is_empty() {
        // A process that was started together with this one is connected soon.
        context.wait_until(SOON, || !types_of(context, topic).is_empty());
        types = types_of(context, topic);
    }
    if types.is_empty() {
        // A member that this process does not connect to is in the graph as it is seen from outside.
        let seen = graph::observe().unwrap_or_else(|_| context.graph());
        let topics = graph::topics(&seen, true);
        if topics.contains_key(topic) {
            let text = "the process that has it does not connect to this one: `saltus doctor` says why";
            writeln!(io::stderr(), "WARNING: no messages of topic [{topic}] come: {text}")?;
        } else {
            let meant = graph::meant(topic, topics.keys());
            writeln!(io::stderr(), "WARNING: topic [{topic}] does not appear to be published yet{meant}")?;
            graph::hint_at_other_graphs();
        }
        let left = deadline.map(|deadline| Duration::from_nanos(deadline.saturating_sub(monotonic_now())));
        context.wait_until(left.unwrap_or(Duration::MAX), || {
            types = types_of(context, topic);
            !types.is_empty()
        });
    }
    types.sort();
    types.dedup();
    match &types[..] {
        [] if context.is_shut_down() => Err(Ended::Interrupted.into()),
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| &**name).collect();
            Err(format!(
                "topic [{topic}] has several types ({}): `saltus topic echo {topic} TYPE` prints the messages of one of \
                 them, and `saltus topic info -v {topic}` shows which node has which",
                names.join(", ")
            )
            .into())
        }
    }
}

fn types_of(context: &Context, topic: &str) -> Vec<(String, TypeHash)> {
    let endpoints = context.graph().endpoints.into_iter().filter(|endpoint| endpoint.topic == topic);
    endpoints.map(|endpoint| (endpoint.type_name, endpoint.type_hash)).collect()
}

/// Returns a profile that matches all present publishers of a topic.
fn suitable_qos(context: &Context, topic: &str, depth: u16) -> QoS {
    let graph = context.graph();
    let publishers: Vec<QoS> =
        graph::endpoints(&graph, topic, EndpointKind::Publisher).iter().map(|end| end.qos).collect();
    // Reliability and durability are as strong as the present publishers allow. But there is no deadline and no lease,
    // because a later publisher might not offer them.
    let qos = QoS::best_available().resolve(Side::Subscription, &publishers);
    let kept = if publishers.is_empty() { Durability::Volatile } else { qos.durability };
    QoS { reliability: qos.reliability, durability: kept, ..QoS::keep_last(depth) }
}

/// A subscription whose messages a verb takes one by one.
pub struct Reading {
    context: Context,
    waiter: Waiter,
    /// Ctrl-C rings it. It is stored here because the context keeps only a weak reference to it.
    _control: Arc<Waker>,
    subscription: GenericSubscription,
}

impl Reading {
    /// Creates a subscription with the QoS of the arguments. The other policies match the publishers that exist.
    pub fn open(
        node: &saltus::Node,
        topic: &str,
        ty: &TypeId,
        arguments: &QosArguments,
        depth: u16,
    ) -> Result<Self, Error> {
        Self::with_qos(node, topic, ty, arguments.apply(suitable_qos(node.context(), topic, depth)))
    }

    /// Creates a subscription like [`Reading::open`] for measurements: it takes no messages from before, unless the arguments
    /// say so. Those would count as traffic.
    pub fn of_traffic(
        node: &saltus::Node,
        topic: &str,
        ty: &TypeId,
        arguments: &QosArguments,
        depth: u16,
    ) -> Result<Self, Error> {
        let suitable = suitable_qos(node.context(), topic, depth);
        Self::with_qos(node, topic, ty, arguments.apply(QoS { durability: Durability::Volatile, ..suitable }))
    }

    fn with_qos(node: &saltus::Node, topic: &str, ty: &TypeId, qos: QoS) -> Result<Self, Error> {
        let context = node.context().clone();
        let subscription = node.generic_subscription(topic, ty, qos)?;
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        subscription.set_waker(Some(&waiter.waker(0)));
        Ok(Self { context, waiter, _control: control, subscription })
    }

    /// Waits for the next message and returns it. Returns `None` after Ctrl-C, or at `deadline`, a monotonic time in
    /// nanoseconds.
    pub fn next(&mut self, deadline: Option<u64>) -> Option<Sample> {
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

    /// Returns the gid of the subscription.
    pub fn gid(&self) -> Gid {
        self.subscription.info().gid
    }

    /// Returns the next message if one is in the queue.
    pub fn take(&mut self) -> Option<Sample> {
        self.subscription.take()
    }

    /// Makes messages of this topic wake the waiter of another reading, instead of its own waiter.
    pub fn ring_for(&self, other: &Self) {
        self.subscription.set_waker(Some(&other.waiter.waker(0)));
    }

    /// Waits until a waker wakes this thread. Returns `false` after Ctrl-C.
    pub fn wait(&mut self) -> bool {
        if !self.is_over() {
            self.waiter.wait(WaitStrategy::Block, None);
        }
        !self.is_over()
    }

    /// Returns how many messages were lost, as far as the subscription can tell.
    pub fn losses(&self) -> Losses {
        self.subscription.status().losses
    }

    /// Returns the result of a verb that ends. It is an error if Ctrl-C ended the verb before it had printed anything.
    pub fn end(&self, has_printed: bool) -> Result<(), Error> {
        if self.is_over() && !has_printed { Err(Ended::Interrupted.into()) } else { Ok(()) }
    }

    /// Returns whether Ctrl-C was pressed.
    pub fn is_over(&self) -> bool {
        self.context.is_shut_down()
    }
}

/// Lets the thread of a verb wait for several things and for Ctrl-C at the same time.
pub struct Waiting {
    waiter: Waiter,
    _control: Arc<Waker>,
    deadline: Option<u64>,
}

impl Waiting {
    /// Creates it. A wait ends when a waker wakes the thread, or `timeout` from now.
    pub fn new(context: &Context, timeout: Duration) -> Result<Self, Error> {
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        Ok(Self { waiter, _control: control, deadline: Some(deadline_after(timeout)) })
    }

    /// Returns a waker that ends the wait.
    pub fn waker(&self) -> Waker {
        self.waiter.waker(0)
    }

    /// Waits until a waker wakes this thread or the timeout has passed.
    pub fn wait(&mut self) {
        self.waiter.wait(WaitStrategy::Block, self.deadline);
    }
}
