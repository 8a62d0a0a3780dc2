//! The topics of the subject. Commands of the suite open, use and close endpoints.

use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use saltus::{
    Node, Publisher, QoS, Subscription,
    cdr::Message,
    msgs::{
        diagnostic_msgs::msg::DiagnosticArray,
        nav_msgs::msg::Odometry,
        sensor_msgs::msg::{JointState, PointCloud2},
        std_msgs::msg::{String as Text, UInt64},
        trajectory_msgs::msg::JointTrajectory,
        visualization_msgs::msg::Marker,
    },
    qos::EndpointEvent,
    types::lock,
};

use crate::given::timeout;

type Outcome = Result<String, String>;

/// The numbers and the events that an endpoint has received so far.
#[derive(Default)]
struct Known {
    received: Mutex<Vec<u64>>,
    events: Mutex<HashMap<&'static str, String>>,
    changed: Condvar,
}

impl Known {
    fn add_number(&self, number: u64) {
        lock(&self.received).push(number);
        self.changed.notify_all();
    }

    fn add_event(&self, event: EndpointEvent) {
        let (kind, text) = match event {
            EndpointEvent::Matched { total, .. } => ("matched", total.to_string()),
            EndpointEvent::IncompatibleQos { policy, .. } => ("incompatible_qos", policy.to_string()),
            EndpointEvent::IncompatibleType { total, .. } => ("incompatible_type", total.to_string()),
            EndpointEvent::DeadlineMissed { .. } => ("deadline", String::new()),
            EndpointEvent::MessageLost { total, .. } => ("message_lost", total.to_string()),
            EndpointEvent::LivelinessLost { .. } => ("liveliness_lost", String::new()),
            EndpointEvent::LivelinessChanged { alive, .. } => ("liveliness_changed", alive.to_string()),
        };
        lock(&self.events).insert(kind, text);
        self.changed.notify_all();
    }
}

enum Endpoint {
    Publisher(Publisher<UInt64>),
    /// Never read. Dropping the subscription ends its callbacks.
    Subscription {
        _kept: Subscription<UInt64>,
    },
}

/// The open endpoints, by name.
#[derive(Default)]
pub(super) struct Topics {
    endpoints: Mutex<HashMap<String, (Endpoint, Arc<Known>)>>,
    relays: Mutex<Vec<Box<dyn Any + Send>>>,
}

impl Topics {
    pub(super) fn run(&self, node: &Node, words: &[&str]) -> Outcome {
        match words {
            ["publisher", name, topic, profile] => {
                let known = Arc::new(Known::default());
                let events = known.clone();
                let publisher =
                    node.publisher(topic).qos(qos(profile)?).on_event(move |event| events.add_event(event));
                let publisher = publisher.create().map_err(|e| e.to_string())?;
                self.keep(name, Endpoint::Publisher(publisher), known)
            }
            ["subscription", name, topic, profile] => {
                let known = Arc::new(Known::default());
                let (events, numbers) = (known.clone(), known.clone());
                let subscription = node
                    .subscription(topic)
                    .qos(qos(profile)?)
                    .on_event(move |event| events.add_event(event));
                let subscription =
                    subscription.callback(move |message: UInt64| numbers.add_number(message.data));
                let subscription = subscription.map_err(|e| e.to_string())?;
                self.keep(name, Endpoint::Subscription { _kept: subscription }, known)
            }
            ["relay", ty, from, to] => self.relay(node, ty, from, to),
            ["send", name, first, count] => self.send(name, number(first)?, number(count)?),
            ["received", name, count, seconds] => {
                self.received(name, number(count)? as usize, timeout(seconds)?)
            }
            ["event", name, kind, seconds] => self.event(name, kind, timeout(seconds)?),
            ["close", name] => {
                lock(&self.endpoints).remove(*name).map(|_| String::new()).ok_or_else(|| missing(name))
            }
            _ => Err(format!("no such command: {words:?}")),
        }
    }

    fn keep(&self, name: &str, endpoint: Endpoint, known: Arc<Known>) -> Outcome {
        lock(&self.endpoints).insert(name.into(), (endpoint, known));
        Ok(String::new())
    }

    fn send(&self, name: &str, first: u64, count: u64) -> Outcome {
        let endpoints = lock(&self.endpoints);
        let Some((Endpoint::Publisher(publisher), _)) = endpoints.get(name) else {
            return Err(missing(name));
        };
        for data in first..first + count {
            publisher.publish(&UInt64 { data }).map_err(|e| e.to_string())?;
        }
        Ok(String::new())
    }

    fn known(&self, name: &str) -> Result<Arc<Known>, String> {
        lock(&self.endpoints).get(name).map(|(_, known)| known.clone()).ok_or_else(|| missing(name))
    }

    fn received(&self, name: &str, count: usize, timeout: Duration) -> Outcome {
        let known = self.known(name)?;
        let waited = known
            .changed
            .wait_timeout_while(lock(&known.received), timeout, |received| received.len() < count);
        let received = waited.unwrap_or_else(PoisonError::into_inner).0;
        let text = received.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        if received.len() >= count { Ok(text) } else { Err(text) }
    }

    fn event(&self, name: &str, kind: &str, timeout: Duration) -> Outcome {
        let known = self.known(name)?;
        let is_missing = |events: &mut HashMap<&str, String>| !events.contains_key(kind);
        let waited = known.changed.wait_timeout_while(lock(&known.events), timeout, is_missing);
        let events = waited.unwrap_or_else(PoisonError::into_inner).0;
        events.get(kind).cloned().ok_or_else(|| "no event".into())
    }

    fn relay(&self, node: &Node, ty: &str, from: &str, to: &str) -> Outcome {
        macro_rules! relays {
            ($($message:ty),+) => {
                match ty {
                    $(<$message as Message>::TYPE_NAME => relay::<$message>(node, from, to)?,)+
                    _ => return Err(format!("no relay for {ty}")),
                }
            };
        }
        let kept = relays!(Text, JointState, PointCloud2, Odometry, Marker, DiagnosticArray, JointTrajectory);
        lock(&self.relays).push(kept);
        Ok(String::new())
    }
}

fn relay<M: Message + Send + 'static>(
    node: &Node,
    from: &str,
    to: &str,
) -> Result<Box<dyn Any + Send>, String> {
    let publisher = node.publisher::<M>(to).create().map_err(|e| e.to_string())?;
    let subscription = node.subscription::<M>(from).callback(move |message: M| {
        if let Err(error) = publisher.publish(&message) {
            eprintln!("relay: {error}");
        }
    });
    Ok(Box::new(subscription.map_err(|e| e.to_string())?))
}

fn missing(name: &str) -> String {
    format!("no such endpoint: {name}")
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a number, found `{text}`"))
}

/// Parses `RELIABILITY/DURABILITY/DEPTH/DEADLINE/LIFESPAN`. The times are in milliseconds, and 0 is no time.
fn qos(text: &str) -> Result<QoS, String> {
    let [reliability, durability, depth, deadline, lifespan] = text.split('/').collect::<Vec<_>>()[..] else {
        return Err(format!("expected RELIABILITY/DURABILITY/DEPTH/DEADLINE/LIFESPAN, found `{text}`"));
    };
    let depth = depth.parse().map_err(|_| format!("expected a depth, found `{depth}`"))?;
    let time = |text| number(text).map(|millis| (millis > 0).then(|| Duration::from_millis(millis)));
    Ok(QoS {
        reliability: reliability
            .parse()
            .map_err(|_| format!("expected a reliability, found `{reliability}`"))?,
        durability: durability.parse().map_err(|_| format!("expected a durability, found `{durability}`"))?,
        deadline: time(deadline)?,
        lifespan: time(lifespan)?,
        ..QoS::keep_last(depth)
    })
}
