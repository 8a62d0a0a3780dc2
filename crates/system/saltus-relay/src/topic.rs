//! The flow of a topic: its publishers in one graph, and their replicas in another graph.

use std::{collections::HashMap, sync::Arc};

use saltus_host::{EndpointInfo, EndpointKind};
use saltus_types::{History, QoS, Reliability, TypeHash};

use crate::{
    ends::{Entry, ShowError, Source},
    model::{EndpointChange, EndpointKey, EndpointWithNode, key_of},
    output::Output,
    rule::Rule,
    side::{Side, replica_of},
};

/// A name in one graph, the corresponding name in another graph, and the rule that maps one to the other.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) from: &'a dyn Side,
    pub(crate) to: &'a dyn Side,
    /// The name in `from`.
    pub(crate) from_name: &'a str,
    /// The name in `to`.
    pub(crate) to_name: &'a str,
    pub(crate) rule: &'a Rule,
}

impl Route<'_> {
    /// Logs that an operation failed. The operation is tried again when the graph changes.
    pub(crate) fn warn(&self, what: &str, error: &dyn std::fmt::Display) {
        saltus_node::warn!(self.from.logger(), "can't {what} '{}': {error}", self.from_name);
    }
}

/// A topic of one graph, and the replicas of its publishers and subscriptions.
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

/// What a subscription wants.
#[derive(Clone, Debug, PartialEq)]
struct Demand {
    type_name: String,
    type_hash: TypeHash,
    qos: QoS,
}

/// What a relay needs of a publisher for the subscriptions of another graph.
#[derive(Debug, PartialEq)]
struct Wanted {
    history: History,
    /// The hashes that the types of the subscriptions have.
    hashes: Vec<TypeHash>,
}

/// The replica of a publisher, and what takes its messages.
struct BridgedPublisher {
    original: Arc<EndpointInfo>,
    output: Arc<Output>,
    source: Box<dyn Source>,
    /// The hashes that the output reaches.
    reached: Vec<TypeHash>,
}

impl BridgedPublisher {
    /// Tells the output which hashes its subscriptions have, if they have changed: a thread that waits for a subscription may hold
    /// the output for long.
    fn reach(&mut self, hashes: Vec<TypeHash>) -> Result<(), ShowError> {
        if hashes != self.reached {
            self.output.lock().reach(&hashes)?;
            self.reached = hashes;
        }
        Ok(())
    }
}

/// A subscription, and its replica.
struct BridgedSubscription {
    demand: Demand,
    /// `None` if it could not be shown yet. Its demand counts all the same.
    shown: Option<Entry>,
}

impl TopicFlow {
    pub(crate) fn is_empty(&self) -> bool {
        self.publishers.is_empty() && self.subscriptions.is_empty() && self.not_shown.is_empty()
    }

    /// Adds or removes the replica of an endpoint: of a publisher in the graph `from`, or of a subscription in the other one.
    pub(crate) fn apply(&mut self, route: &Route<'_>, change: &EndpointChange) {
        self.not_shown.remove(&key_of(&change.end));
        match (change.end.kind, &change.node) {
            (_, Some(node)) => {
                self.add(route, EndpointWithNode { end: change.end.clone(), node: node.clone() });
            }
            (EndpointKind::Publisher, None) => {
                let gone = self.publishers.remove(&key_of(&change.end));
                gone.into_iter().for_each(|bridged| bridged.source.end());
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
            let (qos, passage) = (route.rule.change(&one.end.qos), *route.rule.passage());
            let target = route.to.target(replica_of(route.from, one, route.to_name, qos, passage))?;
            let output = Output::new(target, qos, passage, route.to_name.to_owned(), route.to.logger());
            let output = Arc::new(output);
            let source = route.from.source(route.to.origin(), &output);
            let bridged = BridgedPublisher { original: one.end.clone(), output, source, reached: Vec::new() };
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
            let replica = replica_of(route.to, one, route.from_name, one.end.qos, *route.rule.passage());
            result = route.from.subscription(&replica).map(|entry| shown = Some(entry));
        }
        let EndpointInfo { type_name, type_hash, qos, .. } = &*one.end;
        let demand = Demand { type_name: type_name.clone(), type_hash: *type_hash, qos: *qos };
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
        let wanted = Wanted::of(&bridged.original, bridged.output.qos(), &self.demands);
        let (history, hashes) = wanted.map_or((None, Vec::new()), |one| (Some(one.history), one.hashes));
        // Before it is opened, so that what was kept goes to all.
        if let Err(error) =
            bridged.reach(hashes).and_then(|()| bridged.source.want(&bridged.original, history))
        {
            route.warn("forward messages of", &error);
            self.is_not_connected = true;
        }
    }
}

impl Wanted {
    /// Returns what a relay needs of `publisher` for the demands of another graph. `shown` is the profile of the publisher's replica.
    /// Returns `None` if no subscription is compatible.
    fn of(publisher: &EndpointInfo, shown: &QoS, demands: &[(Demand, usize)]) -> Option<Self> {
        // If only the hashes differ, the subscription counts each message as lost.
        let is_compatible =
            |demand: &&Demand| demand.type_name == publisher.type_name && shown.offers(&demand.qos).is_ok();
        let compatible: Vec<&Demand> =
            demands.iter().map(|(demand, _)| demand).filter(is_compatible).collect();
        if compatible.is_empty() {
            return None;
        }
        let mut hashes: Vec<TypeHash> = compatible.iter().map(|demand| demand.type_hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let keeps_all = |demand: &&Demand| {
            demand.qos.history == History::KeepAll && demand.qos.reliability == Reliability::Reliable
        };
        let depths = compatible.iter().map(|demand| demand.qos.history.depth());
        let history =
            if publisher.qos.reliability == Reliability::Reliable && compatible.iter().any(keeps_all) {
                History::KeepAll
            } else {
                History::KeepLast(depths.fold(shown.history.depth(), Ord::max))
            };
        Some(Self { history, hashes })
    }
}
