//! Which publishers and subscriptions exchange messages.

use std::{collections::HashSet, sync::Arc};

use saltus_types::{Gid, LossCause};

use super::{Shared, State};
use crate::{
    EndpointInfo, EndpointKind,
    events::Events,
    graph::{GraphEvent, mismatch},
    link::Link,
    os::segment::Mapped,
    presence::WeakPresence,
    publisher::PublisherCore,
    registry::{Entry, Key},
    subscription::SubscriptionCore,
};

impl Shared {
    /// Connects a publisher of this process to a subscription of any, if they suit each other.
    /// Whether it is connected now and was not before.
    pub(crate) fn try_connect(
        &self,
        state: &State,
        publisher: &PublisherCore,
        subscription: &EndpointInfo,
        link: &Arc<Link>,
        presence: &WeakPresence,
    ) -> bool {
        let local = state.by_gid.get(&subscription.gid);
        if let Some(event) = mismatch(&publisher.info, subscription) {
            note_mismatch(&publisher.events, &event);
            publisher.count_unsuited(subscription.gid, cause_of(&event));
            self.tell_later(event);
            local.inspect(|local| self.check_subscription(local, &publisher.info, &self.link));
            return false;
        }
        match publisher.connect(subscription, link) {
            Ok(Some(info)) => {
                self.unconnected.lock().remove(&(publisher.info.gid, subscription.gid));
                local.inspect(|local| local.attach(&info, &self.link, presence));
                publisher.notice_matched();
                true
            }
            Ok(None) => false,
            Err(error) => {
                if self.unconnected.lock().insert((publisher.info.gid, subscription.gid)) {
                    let (subscription, reason) = (subscription.clone(), error.to_string());
                    self.tell_later(GraphEvent::NotConnected { subscription, reason });
                }
                false
            }
        }
    }

    /// Connects what could not be connected before: meanwhile there may be memory.
    pub(crate) fn retry_connections(&self, presence: &WeakPresence) {
        let missing = self.unconnected.lock().clone();
        if missing.is_empty() {
            return;
        }
        let mut state = self.lock();
        let mut changed = false;
        for (publisher, subscription) in missing {
            let own = state.publishers.values().flatten().find(|core| core.info.gid == publisher);
            let ends = own.and_then(|core| {
                let others = state.others(&core.info.topic, EndpointKind::Subscription, &self.link);
                Some((core, others.into_iter().find(|(_, other)| other.gid == subscription)?))
            });
            match ends {
                Some((core, (link, other))) => {
                    changed |= self.try_connect(&state, core, &other, &link, presence);
                }
                None => drop(self.unconnected.lock().remove(&(publisher, subscription))),
            }
        }
        if changed {
            self.notify(&mut state);
        }
    }

    /// A subscription is connected by its publishers; but that one of them does not suit it is told here too.
    pub(crate) fn check_subscription(
        &self,
        subscription: &SubscriptionCore,
        publisher: &EndpointInfo,
        link: &Link,
    ) {
        if let Some(event) = mismatch(&subscription.info, publisher) {
            let counters = Mapped::new(&link.segment, publisher.counters);
            note_mismatch(&subscription.events, &event);
            subscription.count_unsuited(publisher.gid, cause_of(&event), counters);
            self.tell_later(event);
        }
    }

    pub(super) fn learn_endpoint(
        &self,
        state: &State,
        link: &Arc<Link>,
        endpoint: &EndpointInfo,
        presence: &WeakPresence,
    ) -> bool {
        let mut connected = false;
        match endpoint.kind {
            EndpointKind::Subscription => {
                for publisher in state.publishers_of(&endpoint.topic) {
                    connected |= self.try_connect(state, publisher, endpoint, link, presence);
                }
            }
            EndpointKind::Publisher => {
                for subscription in state.subscriptions_of(&endpoint.topic) {
                    self.check_subscription(subscription, endpoint, link);
                }
            }
        }
        connected
    }

    /// Forgets entries of another process that had a key and are not there any more. Whether this process's own
    /// registry changed by that.
    pub(super) fn forget_missing(&self, state: &mut State, link: &Arc<Link>, key: Key) -> bool {
        let Some(peer) = state.peers.get(&link.process) else { return false };
        let (mut endpoints, mut connections) = (HashSet::new(), HashSet::new());
        for entry in peer.view.with_key(key, &link.segment) {
            match entry {
                Entry::Endpoint(endpoint) => drop(endpoints.insert(endpoint.gid)),
                Entry::Connection(one) => drop(connections.insert((one.publisher, one.subscription))),
                Entry::Node(_) | Entry::Type(_) => {}
            }
        }
        if key.is_connection() {
            for (gid, subscription) in state.by_gid.iter().filter(|(gid, _)| Key::connection(**gid) == key) {
                let is_gone = |publisher: &Gid| !connections.contains(&(*publisher, *gid));
                subscription.end(|publisher, owner| owner == link.process && is_gone(publisher));
            }
            return false;
        }
        let is_gone = |gid: &Gid| gid.process() == link.process && !endpoints.contains(gid);
        self.forget_endpoints(state, key, is_gone)
    }

    /// Forgets endpoints that had a key. Whether this process's own registry changed by that.
    fn forget_endpoints(&self, state: &State, key: Key, is_gone: impl Fn(&Gid) -> bool) -> bool {
        let mut disconnected = self.leave_graves(key, &is_gone);
        let of_publishers = |topic: &str| Key::endpoint(EndpointKind::Publisher, topic) == key;
        for (_, subscriptions) in state.subscriptions.iter().filter(|(topic, _)| of_publishers(topic)) {
            subscriptions.iter().for_each(|subscription| subscription.forget_unsuited(&is_gone));
        }
        let of_subscriptions = |topic: &str| Key::endpoint(EndpointKind::Subscription, topic) == key;
        for (_, publishers) in state.publishers.iter().filter(|(topic, _)| of_subscriptions(topic)) {
            for publisher in publishers {
                publisher.forget_unsuited(&is_gone);
                disconnected |=
                    publisher.disconnect(|connection| is_gone(&connection.info.subscription), false);
            }
        }
        disconnected
    }

    /// Subscriptions have gone: what closed publishers still hold for them, nobody will read.
    pub(super) fn leave_graves(&self, key: Key, is_gone: impl Fn(&Gid) -> bool) -> bool {
        self.graves.lock().iter_mut().fold(false, |any, grave| any | grave.leave(key, &is_gone, self))
    }
}

/// Tells an endpoint that another does not suit it.
fn note_mismatch(events: &Events, event: &GraphEvent) {
    match event {
        GraphEvent::IncompatibleQos { policy, .. } => events.incompatible_qos(*policy),
        _ => events.incompatible_type(),
    }
}

fn cause_of(event: &GraphEvent) -> LossCause {
    match event {
        GraphEvent::IncompatibleQos { .. } => LossCause::QosMismatch,
        _ => LossCause::TypeMismatch,
    }
}
