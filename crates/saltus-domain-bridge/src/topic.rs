//! The publishers of a topic of one domain, and their replicas in another.

use std::{collections::HashMap, sync::Arc};

use saltus_host::{EndpointInfo, EndpointKind, NodeInfo, Shown, monotonic_now};
use saltus_types::{History, Liveliness, QoS, Reliability};

use crate::{
    pump::{Carrier, Output, Pump},
    rule::Rule,
    side::{EndKey, Replica, ShowError, Side, carrier, key_of},
};

/// An endpoint and its node.
pub(crate) type End<'a> = (&'a EndpointInfo, &'a NodeInfo);

/// A name of one domain, the corresponding name of another domain, and the rule between them.
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
    /// Logs what failed. It is tried again when something changes.
    pub(crate) fn warn(&self, what: &str, error: &dyn std::fmt::Display) {
        let logger = self.from.node.logger();
        saltus_node::warn!(logger, "can't {what} '{}': {error}", self.from_name);
    }
}

/// A topic of one domain, and its replicas in another.
#[derive(Default)]
pub(crate) struct TopicFlow {
    publishers: HashMap<EndKey, Bridged>,
    /// The replicas of subscriptions: the shown endpoint, and what it needs to exist.
    subscriptions: HashMap<EndKey, (Shown, Replica)>,
}

/// The replica of a publisher.
struct Bridged {
    output: Arc<Output>,
    /// Present while there is a subscription to send to.
    pump: Option<(Arc<Pump>, History)>,
}

impl Bridged {
    /// Ends it because the publisher has gone.
    fn end(&self) {
        self.pump.iter().for_each(|(pump, _)| pump.end());
    }
}

impl Drop for TopicFlow {
    fn drop(&mut self) {
        let pumps = self.publishers.values().filter_map(|bridged| bridged.pump.as_ref());
        pumps.for_each(|(pump, _)| pump.stop());
    }
}

impl TopicFlow {
    pub(crate) fn is_empty(&self) -> bool {
        self.publishers.is_empty() && self.subscriptions.is_empty()
    }

    /// Updates the flow to the present endpoints of both domains.
    pub(crate) fn update(&mut self, route: &Route<'_>, publishers: &[End<'_>], subscriptions: &[End<'_>]) {
        let is_wanted = |(end, _): &&End<'_>| route.rule.is_about(&end.type_name);
        let publishers: Vec<End<'_>> = publishers.iter().filter(is_wanted).copied().collect();
        let subscriptions: Vec<End<'_>> = subscriptions.iter().filter(is_wanted).copied().collect();
        let is_present = |ends: &[End<'_>], key: &EndKey| ends.iter().any(|(end, _)| key_of(end) == *key);
        let gone = self.publishers.extract_if(|key, _| !is_present(&publishers, key));
        gone.for_each(|(_, bridged)| bridged.end());
        self.subscriptions.retain(|key, _| is_present(&subscriptions, key));
        for end in &publishers {
            self.add_publisher(route, end).unwrap_or_else(|e| route.warn("pass on a publisher of", &e));
        }
        for end in &subscriptions {
            self.add_subscription(route, end).unwrap_or_else(|e| route.warn("show a subscription to", &e));
        }
        for (end, _) in &publishers {
            self.connect(route, end, &subscriptions)
                .unwrap_or_else(|e| route.warn("pass on messages of", &e));
        }
    }

    fn add_publisher(&mut self, route: &Route<'_>, end: &End<'_>) -> Result<(), ShowError> {
        let key = key_of(end.0);
        if self.publishers.contains_key(&key) {
            return Ok(());
        }
        let qos = route.rule.change(&end.0.qos);
        let output = Arc::new(Output::new(Replica::new((route.to, route.from), *end, route.to_name, qos)?)?);
        self.publishers.insert(key, Bridged { output, pump: None });
        Ok(())
    }

    fn add_subscription(&mut self, route: &Route<'_>, end: &End<'_>) -> Result<(), ShowError> {
        let key = key_of(end.0);
        if self.subscriptions.contains_key(&key) {
            return Ok(());
        }
        let replica = Replica::new((route.from, route.to), *end, route.from_name, end.0.qos)?;
        self.subscriptions.insert(key, (replica.show(EndpointKind::Subscription)?, replica));
        Ok(())
    }

    /// Passes messages on while there is a subscription to send to.
    fn connect(
        &mut self,
        route: &Route<'_>,
        end: &EndpointInfo,
        others: &[End<'_>],
    ) -> Result<(), ShowError> {
        let Some(bridged) = self.publishers.get_mut(&key_of(end)) else { return Ok(()) };
        let wanted = wanted_history(end, bridged.output.replica().qos(), others);
        let present = bridged.pump.as_ref().map(|(_, history)| *history);
        match (present, wanted) {
            (Some(_), None) => {
                bridged.pump.take().iter().for_each(|(pump, _)| pump.stop());
                bridged.output.close()?;
            }
            (_, Some(history)) if present.is_none_or(|present| !has_room_of(present, history)) => {
                let before = bridged.pump.as_ref().map(|(pump, _)| pump.clone());
                let opened_at = monotonic_now() as i64;
                let subscription = carrier(route.from, end, route.to, carrier_qos(&end.qos, history))?;
                let carrier = Carrier { subscription, opened_at };
                let waiter = match history {
                    History::KeepAll => Some(route.from.context.waiter()?),
                    History::KeepLast(_) => None,
                };
                let pump = Pump::start(carrier, &bridged.output, before, &route.from.group, waiter)?;
                bridged.pump = Some((pump, history));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the history that the carrier needs, for a publisher that is shown with the profile `shown`, and subscriptions
/// of another domain. `None` if no subscription is compatible.
fn wanted_history(publisher: &EndpointInfo, shown: &QoS, others: &[End<'_>]) -> Option<History> {
    let is_compatible =
        |(other, _): &&End<'_>| other.type_name == publisher.type_name && shown.offers(&other.qos).is_ok();
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

/// Returns the profile of a subscription that takes everything that a publisher offers.
fn carrier_qos(offered: &QoS, history: History) -> QoS {
    QoS {
        history,
        deadline: None,
        lifespan: None,
        liveliness: Liveliness::Automatic,
        lease: None,
        ..*offered
    }
}
