//! The flow of a topic: its publishers in one domain, and their replicas in another domain.

use std::{collections::HashMap, sync::Arc};

use saltus_host::{EndpointInfo, EndpointKind, NodeInfo, Shown, monotonic_now};
use saltus_types::{History, Liveliness, QoS, Reliability};

use crate::{
    forwarder::{Forwarder, Input, Output},
    rule::Rule,
    side::{EndpointKey, Replica, ShowError, Side, key_of, open_input},
};

/// An endpoint and its node.
pub(crate) type EndpointWithNode<'a> = (&'a EndpointInfo, &'a NodeInfo);

/// A name in one domain, the corresponding name in another domain, and the rule that maps one to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route<'a> {
    pub(crate) from: &'a Arc<Side>,
    pub(crate) to: &'a Arc<Side>,
    /// The name in `from`.
    pub(crate) from_name: &'a str,
    /// The name in `to`.
    pub(crate) to_name: &'a str,
    pub(crate) rule: &'a Rule,
}

impl Route<'_> {
    /// Logs that an operation failed. The operation is tried again when the graph changes.
    pub(crate) fn warn(&self, what: &str, error: &dyn std::fmt::Display) {
        let logger = self.from.node.logger();
        saltus_node::warn!(logger, "can't {what} '{}': {error}", self.from_name);
    }
}

/// A topic of one domain, and the replicas of its publishers and subscriptions.
#[derive(Default)]
pub(crate) struct TopicFlow {
    publishers: HashMap<EndpointKey, BridgedPublisher>,
    /// The replicas of subscriptions, each with its entry in the graph.
    subscriptions: HashMap<EndpointKey, (Shown, Replica)>,
}

/// The replica of a publisher.
struct BridgedPublisher {
    output: Arc<Output>,
    /// The forwarder and its history, while there is a compatible subscription in the other domain.
    forwarder: Option<(Arc<Forwarder>, History)>,
}

impl BridgedPublisher {
    /// Ends the forwarding, because the publisher has gone.
    fn end(&self) {
        self.forwarder.iter().for_each(|(forwarder, _)| forwarder.end());
    }
}

impl Drop for TopicFlow {
    fn drop(&mut self) {
        let forwarders = self.publishers.values().filter_map(|bridged| bridged.forwarder.as_ref());
        forwarders.for_each(|(forwarder, _)| forwarder.stop());
    }
}

impl TopicFlow {
    pub(crate) fn is_empty(&self) -> bool {
        self.publishers.is_empty() && self.subscriptions.is_empty()
    }

    /// Updates the flow: adds and removes replicas, so that they match the present endpoints of both domains.
    pub(crate) fn update(
        &mut self,
        route: &Route<'_>,
        publishers: &[EndpointWithNode<'_>],
        subscriptions: &[EndpointWithNode<'_>],
    ) {
        let is_wanted = |(end, _): &&EndpointWithNode<'_>| route.rule.applies_to(&end.type_name);
        let publishers: Vec<EndpointWithNode<'_>> = publishers.iter().filter(is_wanted).copied().collect();
        let subscriptions: Vec<EndpointWithNode<'_>> =
            subscriptions.iter().filter(is_wanted).copied().collect();
        let is_present = |ends: &[EndpointWithNode<'_>], key: &EndpointKey| {
            ends.iter().any(|(end, _)| key_of(end) == *key)
        };
        let gone = self.publishers.extract_if(|key, _| !is_present(&publishers, key));
        gone.for_each(|(_, bridged)| bridged.end());
        self.subscriptions.retain(|key, _| is_present(&subscriptions, key));
        for end in &publishers {
            self.add_publisher(route, end).unwrap_or_else(|e| route.warn("forward a publisher of", &e));
        }
        for end in &subscriptions {
            self.add_subscription(route, end).unwrap_or_else(|e| route.warn("show a subscription to", &e));
        }
        for (end, _) in &publishers {
            self.connect(route, end, &subscriptions)
                .unwrap_or_else(|e| route.warn("forward messages of", &e));
        }
    }

    fn add_publisher(&mut self, route: &Route<'_>, end: &EndpointWithNode<'_>) -> Result<(), ShowError> {
        let key = key_of(end.0);
        if self.publishers.contains_key(&key) {
            return Ok(());
        }
        let qos = route.rule.change(&end.0.qos);
        let output = Arc::new(Output::new(Replica::new((route.to, route.from), *end, route.to_name, qos)?)?);
        self.publishers.insert(key, BridgedPublisher { output, forwarder: None });
        Ok(())
    }

    fn add_subscription(&mut self, route: &Route<'_>, end: &EndpointWithNode<'_>) -> Result<(), ShowError> {
        let key = key_of(end.0);
        if self.subscriptions.contains_key(&key) {
            return Ok(());
        }
        let replica = Replica::new((route.from, route.to), *end, route.from_name, end.0.qos)?;
        self.subscriptions.insert(key, (replica.show(EndpointKind::Subscription)?, replica));
        Ok(())
    }

    /// Starts, replaces or stops the forwarder of a publisher. It runs while there is a compatible subscription.
    fn connect(
        &mut self,
        route: &Route<'_>,
        end: &EndpointInfo,
        others: &[EndpointWithNode<'_>],
    ) -> Result<(), ShowError> {
        let Some(bridged) = self.publishers.get_mut(&key_of(end)) else { return Ok(()) };
        let wanted = wanted_history(end, bridged.output.replica().qos(), others);
        let present = bridged.forwarder.as_ref().map(|(_, history)| *history);
        match (present, wanted) {
            (Some(_), None) => {
                bridged.forwarder.take().iter().for_each(|(forwarder, _)| forwarder.stop());
                bridged.output.close()?;
            }
            (_, Some(history)) if present.is_none_or(|present| !has_room_of(present, history)) => {
                let before = bridged.forwarder.as_ref().map(|(forwarder, _)| forwarder.clone());
                let opened_at = monotonic_now() as i64;
                let subscription = open_input(route.from, end, route.to, input_qos(&end.qos, history))?;
                let input = Input { subscription, opened_at };
                let waiter = match history {
                    History::KeepAll => Some(route.from.context.waiter()?),
                    History::KeepLast(_) => None,
                };
                let forwarder = Forwarder::start(input, &bridged.output, before, &route.from.group, waiter)?;
                bridged.forwarder = Some((forwarder, history));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the history that the bridge's subscription to `publisher` needs for the subscriptions `others` of another
/// domain. `shown` is the profile of the publisher's replica. Returns `None` if no subscription is compatible.
fn wanted_history(publisher: &EndpointInfo, shown: &QoS, others: &[EndpointWithNode<'_>]) -> Option<History> {
    let is_compatible = |(other, _): &&EndpointWithNode<'_>| {
        other.type_name == publisher.type_name && shown.offers(&other.qos).is_ok()
    };
    let compatible: Vec<&QoS> = others.iter().filter(is_compatible).map(|(other, _)| &other.qos).collect();
    if compatible.is_empty() {
        return None;
    }
    let keeps_all = |qos: &&QoS| qos.history == History::KeepAll && qos.reliability == Reliability::Reliable;
    if publisher.qos.reliability == Reliability::Reliable && compatible.iter().any(keeps_all) {
        return Some(History::KeepAll);
    }
    let depths = compatible.iter().map(|qos| qos.history.depth()).chain([shown.history.depth()]);
    depths.max().map(History::KeepLast)
}

fn has_room_of(present: History, wanted: History) -> bool {
    match (present, wanted) {
        (History::KeepAll, _) => true,
        (History::KeepLast(_), History::KeepAll) => false,
        (History::KeepLast(present), History::KeepLast(wanted)) => present >= wanted,
    }
}

/// Returns the profile of a subscription that receives everything that a publisher offers.
fn input_qos(offered: &QoS, history: History) -> QoS {
    QoS {
        history,
        deadline: None,
        lifespan: None,
        liveliness: Liveliness::Automatic,
        lease: None,
        ..*offered
    }
}
