//! The flow of a topic: its publishers in one domain, and their replicas in another domain.

use std::{collections::HashMap, sync::Arc};

use saltus_host::{EndpointInfo, EndpointKind, Shown, monotonic_now};
use saltus_types::{History, Liveliness, QoS, Reliability};

use crate::{
    forwarder::{Forwarder, Input, Output},
    model::{EndpointChange, EndpointKey, EndpointWithNode, key_of},
    rule::Rule,
    side::{Replica, ShowError, Side, open_input},
};

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
///
/// A change of one endpoint costs as much as there are publishers, or different demands, but not both for each.
#[derive(Default)]
pub(crate) struct TopicFlow {
    publishers: HashMap<EndpointKey, BridgedPublisher>,
    subscriptions: HashMap<EndpointKey, BridgedSubscription>,
    /// What the subscriptions want, with the number of those that want it. Many subscriptions want the same.
    demands: Vec<(Demand, usize)>,
    /// The endpoints that could not be shown. This is tried again when the graph changes.
    not_shown: HashMap<EndpointKey, EndpointWithNode>,
    /// Whether a publisher could not be connected. This is tried again, too.
    is_not_connected: bool,
}

/// The type and the profile of a subscription.
type Demand = (String, QoS);

/// The replica of a publisher.
struct BridgedPublisher {
    original: Arc<EndpointInfo>,
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

/// A subscription, and its replica with its entry in the graph.
struct BridgedSubscription {
    demand: Demand,
    /// `None` if it could not be shown yet. Its demand counts all the same.
    shown: Option<(Shown, Replica)>,
}

impl Drop for TopicFlow {
    fn drop(&mut self) {
        let forwarders = self.publishers.values().filter_map(|bridged| bridged.forwarder.as_ref());
        forwarders.for_each(|(forwarder, _)| forwarder.stop());
    }
}

impl TopicFlow {
    pub(crate) fn is_empty(&self) -> bool {
        self.publishers.is_empty() && self.subscriptions.is_empty() && self.not_shown.is_empty()
    }

    /// Adds or removes the replica of an endpoint: of a publisher in the domain `from`, or of a subscription in the other one.
    pub(crate) fn apply(&mut self, route: &Route<'_>, change: &EndpointChange) {
        if !route.rule.applies_to(&change.end.type_name) {
            return;
        }
        self.not_shown.remove(&key_of(&change.end));
        match (change.end.kind, &change.node) {
            (_, Some(node)) => {
                self.add(route, EndpointWithNode { end: change.end.clone(), node: node.clone() });
            }
            (EndpointKind::Publisher, None) => {
                self.publishers.remove(&key_of(&change.end)).iter().for_each(BridgedPublisher::end);
            }
            (EndpointKind::Subscription, None) => self.remove_subscription(route, &change.end),
        }
        self.retry(route);
    }

    /// Adds the replica of an endpoint, or notes that it must be tried again.
    fn add(&mut self, route: &Route<'_>, one: EndpointWithNode) {
        let (what, added) = match one.end.kind {
            EndpointKind::Publisher => ("forward a publisher of", self.add_publisher(route, &one)),
            EndpointKind::Subscription => ("show a subscription to", self.add_subscription(route, &one)),
        };
        if let Err(error) = added {
            route.warn(what, &error);
            self.not_shown.insert(key_of(&one.end), one);
        }
    }

    /// Tries again what has failed.
    fn retry(&mut self, route: &Route<'_>) {
        for (_, one) in std::mem::take(&mut self.not_shown) {
            self.add(route, one);
        }
        if std::mem::take(&mut self.is_not_connected) {
            self.connect_all(route);
        }
    }

    fn add_publisher(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if let Some(known) = self.publishers.get_mut(&key) {
            known.original = one.end.clone();
        } else {
            let qos = route.rule.change(&one.end.qos);
            let output = Output::new(Replica::new((route.to, route.from), one, route.to_name, qos)?)?;
            let bridged =
                BridgedPublisher { original: one.end.clone(), output: Arc::new(output), forwarder: None };
            self.publishers.insert(key, bridged);
        }
        self.connect(route, &key);
        Ok(())
    }

    fn add_subscription(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        let before = self.subscriptions.remove(&key);
        let (old, mut shown) = before.map_or((None, None), |one| (Some(one.demand), one.shown));
        let mut result = Ok(());
        if shown.is_none() {
            let replica = Replica::new((route.from, route.to), one, route.from_name, one.end.qos);
            let replica =
                replica.and_then(|replica| Ok((replica.show(EndpointKind::Subscription)?, replica)));
            result = replica.map(|replica| shown = Some(replica));
        }
        let demand = (one.end.type_name.clone(), one.end.qos);
        let has_changed = self.add_demand(&demand) | old.is_some_and(|old| self.remove_demand(&old));
        self.subscriptions.insert(key, BridgedSubscription { demand, shown });
        if has_changed {
            self.connect_all(route);
        }
        result
    }

    fn remove_subscription(&mut self, route: &Route<'_>, end: &EndpointInfo) {
        let removed = self.subscriptions.remove(&key_of(end));
        if removed.is_some_and(|one| self.remove_demand(&one.demand)) {
            self.connect_all(route);
        }
    }

    /// Counts a demand. Returns whether it is new.
    fn add_demand(&mut self, demand: &Demand) -> bool {
        match self.demands.iter_mut().find(|(known, _)| known == demand) {
            Some((_, count)) => {
                *count += 1;
                false
            }
            None => {
                self.demands.push((demand.clone(), 1));
                true
            }
        }
    }

    /// Removes a demand. Returns whether no other subscription has the same.
    fn remove_demand(&mut self, demand: &Demand) -> bool {
        let Some(at) = self.demands.iter().position(|(known, _)| known == demand) else { return false };
        self.demands[at].1 -= 1;
        let is_gone = self.demands[at].1 == 0;
        if is_gone {
            self.demands.swap_remove(at);
        }
        is_gone
    }

    fn connect_all(&mut self, route: &Route<'_>) {
        let keys: Vec<EndpointKey> = self.publishers.keys().copied().collect();
        keys.iter().for_each(|key| self.connect(route, key));
    }

    /// Connects a publisher with what is wanted of it, or notes that it must be tried again.
    fn connect(&mut self, route: &Route<'_>, key: &EndpointKey) {
        let Some(bridged) = self.publishers.get_mut(key) else { return };
        if let Err(error) = bridged.connect(route, &self.demands) {
            route.warn("forward messages of", &error);
            self.is_not_connected = true;
        }
    }
}

impl BridgedPublisher {
    /// Starts, replaces or stops the forwarder. It runs while there is a compatible subscription.
    fn connect(&mut self, route: &Route<'_>, demands: &[(Demand, usize)]) -> Result<(), ShowError> {
        let wanted = wanted_history(&self.original, self.output.replica().qos(), demands);
        let present = self.forwarder.as_ref().map(|(_, history)| *history);
        match (present, wanted) {
            (Some(_), None) => {
                self.forwarder.take().iter().for_each(|(forwarder, _)| forwarder.stop());
                self.output.close()?;
            }
            (_, Some(history)) if present.is_none_or(|present| !has_room_of(present, history)) => {
                let before = self.forwarder.as_ref().map(|(forwarder, _)| forwarder.clone());
                let opened_at = monotonic_now() as i64;
                let qos = input_qos(&self.original.qos, history);
                let subscription = open_input(route.from, &self.original, route.to, qos)?;
                let input = Input { subscription, opened_at };
                let waiter = match history {
                    History::KeepAll => Some(route.from.context.waiter()?),
                    History::KeepLast(_) => None,
                };
                let forwarder = Forwarder::start(input, &self.output, before, &route.from.group, waiter)?;
                self.forwarder = Some((forwarder, history));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the history that the bridge's subscription to `publisher` needs for the demands of another domain. `shown` is the
/// profile of the publisher's replica. Returns `None` if no subscription is compatible.
fn wanted_history(publisher: &EndpointInfo, shown: &QoS, demands: &[(Demand, usize)]) -> Option<History> {
    let is_compatible =
        |(type_name, qos): &&Demand| *type_name == publisher.type_name && shown.offers(qos).is_ok();
    let compatible: Vec<&QoS> =
        demands.iter().map(|(demand, _)| demand).filter(is_compatible).map(|(_, qos)| qos).collect();
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
