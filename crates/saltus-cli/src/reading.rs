//! Reading a topic from the command line: finding its type, choosing the QoS, waiting for messages.

use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use clap::ValueEnum;
use saltus::{
    Context, Durability, EndpointKind, GenericSubscription, QoS, Reliability, Sample, TypeHash, TypeId,
    WaitStrategy, Waiter, Waker,
};

use crate::{Error, graph};

/// The class of the waker that Ctrl-C rings; messages ring class 0.
const CONTROL: u32 = 1;

/// `--qos-…`
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct QosArguments {
    /// Reliability; by default what suits all publishers
    #[arg(long, value_enum)]
    qos_reliability: Option<ReliabilityArgument>,
    /// Durability; by default what suits all publishers
    #[arg(long, value_enum)]
    qos_durability: Option<DurabilityArgument>,
    /// How many messages wait at most
    #[arg(long)]
    qos_depth: Option<u16>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum ReliabilityArgument {
    Reliable,
    BestEffort,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum DurabilityArgument {
    Volatile,
    TransientLocal,
}

impl QosArguments {
    /// The profile that these words make of another.
    pub(crate) fn apply(&self, mut qos: QoS) -> QoS {
        if let Some(depth) = self.qos_depth {
            qos.history = QoS::keep_last(depth).history;
        }
        match self.qos_reliability {
            Some(ReliabilityArgument::Reliable) => qos.reliability = Reliability::Reliable,
            Some(ReliabilityArgument::BestEffort) => qos.reliability = Reliability::BestEffort,
            None => {}
        }
        match self.qos_durability {
            Some(DurabilityArgument::Volatile) => qos.durability = Durability::Volatile,
            Some(DurabilityArgument::TransientLocal) => qos.durability = Durability::TransientLocal,
            None => {}
        }
        qos
    }
}

/// A participant of the graph that tools leave out of their lists.
pub(crate) fn hidden_node(context: &Context) -> Result<saltus::Node, Error> {
    Ok(context.node(&format!("_saltus_cli_{}", std::process::id())).create()?)
}

/// The type of a topic as its endpoints have it; waits, with a word, until there is one. `None` if
/// Ctrl-C came first.
pub(crate) fn topic_type(context: &Context, topic: &str) -> Result<Option<(String, TypeHash)>, Error> {
    let mut types = types_of(context, topic);
    if types.is_empty() {
        writeln!(io::stderr(), "WARNING: topic [{topic}] does not appear to be published yet")?;
        context.wait_until(Duration::MAX, || {
            types = types_of(context, topic);
            !types.is_empty()
        });
    }
    types.sort();
    types.dedup();
    match &types[..] {
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

/// A profile that every publisher of a topic can serve.
fn suitable_qos(context: &Context, topic: &str) -> QoS {
    let graph = context.graph();
    let publishers = graph::endpoints(&graph, topic, EndpointKind::Publisher);
    let all = |holds: fn(&QoS) -> bool| !publishers.is_empty() && publishers.iter().all(|p| holds(&p.qos));
    let mut qos = QoS::keep_last(1000);
    if !publishers.is_empty() && !all(|qos| qos.reliability == Reliability::Reliable) {
        qos = qos.best_effort();
    }
    if all(|qos| qos.durability == Durability::TransientLocal) {
        qos = qos.transient_local();
    }
    qos
}

/// A subscription that a verb takes messages from, one by one.
pub(crate) struct Reading {
    context: Context,
    waiter: Waiter,
    /// Held, not used: rung by Ctrl-C.
    _control: Arc<Waker>,
    subscription: GenericSubscription,
}

impl Reading {
    pub(crate) fn open(
        node: &saltus::Node,
        topic: &str,
        ty: &TypeId,
        arguments: &QosArguments,
    ) -> Result<Self, Error> {
        let context = node.context().clone();
        let qos = arguments.apply(suitable_qos(&context, topic));
        let subscription = node.generic_subscription(topic, ty, qos)?;
        let waiter = context.waiter()?;
        let control = Arc::new(waiter.waker(CONTROL));
        context.on_shutdown(&control);
        subscription.set_waker(Some(&waiter.waker(0)));
        Ok(Self { context, waiter, _control: control, subscription })
    }

    /// The next message; `None` if Ctrl-C or the monotonic `deadline` in nanoseconds came first.
    pub(crate) fn next(&mut self, deadline: Option<u64>) -> Option<Sample> {
        loop {
            if self.context.is_shut_down() {
                return None;
            }
            if let Some(sample) = self.subscription.take() {
                return Some(sample);
            }
            if deadline.is_some_and(|deadline| saltus::monotonic_now() >= deadline) {
                return None;
            }
            self.waiter.wait(WaitStrategy::Block, deadline);
        }
    }

    /// Whether it was ended by Ctrl-C.
    pub(crate) fn is_over(&self) -> bool {
        self.context.is_shut_down()
    }
}
