//! The publishers of a topic of one domain, in another.

use std::{collections::HashMap, sync::Arc};

use saltus_host::{EndpointInfo, EndpointKind, NodeInfo, Shown, monotonic_now};
use saltus_types::{History, Liveliness, QoS, Reliability};

use crate::{
    pump::{Away, Carrier, Pump},
    rule::Rule,
    side::{EndKey, Replica, ShowError, Side, carrier, key_of},
};

/// An endpoint and its node.
pub(crate) type End<'a> = (&'a EndpointInfo, &'a NodeInfo);

/// What joins a name of one domain with one of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way<'a> {
    pub(crate) from: &'a Arc<Side>,
    pub(crate) to: &'a Arc<Side>,
    /// The name in `from`.
    pub(crate) here: &'a str,
    /// The name in `to`.
    pub(crate) there: &'a str,
    pub(crate) rule: &'a Rule,
}

impl Way<'_> {
    /// Tells the user what could not be done; it is tried again when something changes.
    pub(crate) fn warn(&self, what: &str, error: &dyn std::fmt::Display) {
        let logger = self.from.node.logger();
        saltus_node::warn!(logger, "can't {what} '{}': {error}", self.here);
    }
}

/// A topic of one domain, and what stands for it in another.
#[derive(Default)]
pub(crate) struct TopicFlow {
    publishers: HashMap<EndKey, Bridged>,
    /// What stands for subscriptions, with what it stands on.
    subscriptions: HashMap<EndKey, (Shown, Replica)>,
}

/// A publisher, and what stands for it.
struct Bridged {
    away: Arc<Away>,
    /// Where there is somebody to send to.
    pump: Option<(Arc<Pump>, History)>,
}

impl Bridged {
    /// The publisher has gone.
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

    /// Makes it what it should be, given what both domains have.
    pub(crate) fn update(&mut self, way: &Way<'_>, publishers: &[End<'_>], subscriptions: &[End<'_>]) {
        let is_wanted = |(end, _): &&End<'_>| way.rule.is_about(&end.type_name);
        let publishers: Vec<End<'_>> = publishers.iter().filter(is_wanted).copied().collect();
        let subscriptions: Vec<End<'_>> = subscriptions.iter().filter(is_wanted).copied().collect();
        let is_there = |ends: &[End<'_>], key: &EndKey| ends.iter().any(|(end, _)| key_of(end) == *key);
        let gone = self.publishers.extract_if(|key, _| !is_there(&publishers, key));
        gone.for_each(|(_, bridged)| bridged.end());
        self.subscriptions.retain(|key, _| is_there(&subscriptions, key));
        for end in &publishers {
            self.add_publisher(way, end).unwrap_or_else(|e| way.warn("pass on a publisher of", &e));
        }
        for end in &subscriptions {
            self.add_subscription(way, end).unwrap_or_else(|e| way.warn("show a subscription to", &e));
        }
        for (end, _) in &publishers {
            self.connect(way, end, &subscriptions).unwrap_or_else(|e| way.warn("pass on messages of", &e));
        }
    }

    fn add_publisher(&mut self, way: &Way<'_>, end: &End<'_>) -> Result<(), ShowError> {
        let key = key_of(end.0);
        if self.publishers.contains_key(&key) {
            return Ok(());
        }
        let qos = way.rule.change(&end.0.qos);
        let away = Arc::new(Away::new(Replica::new((way.to, way.from), *end, way.there, qos)?)?);
        self.publishers.insert(key, Bridged { away, pump: None });
        Ok(())
    }

    fn add_subscription(&mut self, way: &Way<'_>, end: &End<'_>) -> Result<(), ShowError> {
        let key = key_of(end.0);
        if self.subscriptions.contains_key(&key) {
            return Ok(());
        }
        let replica = Replica::new((way.from, way.to), *end, way.here, end.0.qos)?;
        self.subscriptions.insert(key, (replica.show(EndpointKind::Subscription)?, replica));
        Ok(())
    }

    /// Lets messages through while there is somebody to send to.
    fn connect(&mut self, way: &Way<'_>, end: &EndpointInfo, others: &[End<'_>]) -> Result<(), ShowError> {
        let Some(bridged) = self.publishers.get_mut(&key_of(end)) else { return Ok(()) };
        let wanted = wanted_history(end, bridged.away.replica().qos(), others);
        let present = bridged.pump.as_ref().map(|(_, history)| *history);
        match (present, wanted) {
            (Some(_), None) => {
                bridged.pump.take().iter().for_each(|(pump, _)| pump.stop());
                bridged.away.close()?;
            }
            (_, Some(history)) if present.is_none_or(|present| !has_room_of(present, history)) => {
                let before = bridged.pump.as_ref().map(|(pump, _)| pump.clone());
                let opened_at = monotonic_now() as i64;
                let subscription = carrier(way.from, end, way.to, carrier_qos(&end.qos, history))?;
                let carrier = Carrier { subscription, opened_at };
                let waiter = match history {
                    History::KeepAll => Some(way.from.context.waiter()?),
                    History::KeepLast(_) => None,
                };
                let pump = Pump::start(carrier, &bridged.away, before, &way.from.group, waiter)?;
                bridged.pump = Some((pump, history));
            }
            _ => {}
        }
        Ok(())
    }
}

/// How many messages must fit on their way from a publisher, shown with that profile, to subscriptions of another domain;
/// `None` if nobody takes any.
fn wanted_history(publisher: &EndpointInfo, shown: &QoS, others: &[End<'_>]) -> Option<History> {
    let suits =
        |(other, _): &&End<'_>| other.type_name == publisher.type_name && shown.offers(&other.qos).is_ok();
    let suited: Vec<&QoS> = others.iter().filter(suits).map(|(other, _)| &other.qos).collect();
    if suited.is_empty() {
        return None;
    }
    let keeps_all = |qos: &&QoS| qos.history == History::KeepAll && qos.reliability == Reliability::Reliable;
    if publisher.qos.reliability == Reliability::Reliable && suited.iter().any(keeps_all) {
        return Some(History::KeepAll);
    }
    let depths = suited.iter().map(|qos| qos.history.depth()).chain([shown.history.depth()]);
    depths.max().map(History::KeepLast)
}

fn has_room_of(present: History, wanted: History) -> bool {
    match (present, wanted) {
        (History::KeepAll, _) => true,
        (History::KeepLast(_), History::KeepAll) => false,
        (History::KeepLast(present), History::KeepLast(wanted)) => present >= wanted,
    }
}

/// What takes everything that a publisher offers.
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
