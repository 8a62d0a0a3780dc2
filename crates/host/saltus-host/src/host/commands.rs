//! Carries out the commands of the graph in memory.

use std::sync::Arc;

use saltus_graph::{
    Command, ConnectionInfo, EndpointId, EndpointInfo, EndpointKind, Entry, GraphEvent, Key, nanos,
};
use saltus_memory::{link::Link, queue::QueueInfo, sender::QueueSpec};
use saltus_types::{Durability, History, QoS, Reliability};

use super::{Host, HostState};
use crate::{
    ends::{PublisherEnd, SubscriptionEnd},
    registry,
};

impl Host {
    /// Carries out the commands of the matcher. Returns whether this changed this process's own registry.
    pub(super) fn carry_out(&self, state: &mut HostState) -> bool {
        let (mut changed, mut connected) = (false, Vec::new());
        while let Some(command) = state.matcher.next_command() {
            match command {
                Command::Connect { publisher, subscription } => {
                    if let Some(end) = state.publishers.get(&publisher).cloned() {
                        changed |= self.connect(state, &end, *subscription);
                        connected.push(end);
                    }
                }
                Command::Disconnect { publisher, subscription, is_dead } => {
                    if let Some(end) = state.publishers.get(&publisher) {
                        changed |= end.disconnect(subscription.process, subscription.serial, is_dead);
                    }
                }
                Command::Attach(connection) => self.attach(state, &connection),
                Command::End { subscription, publisher } => {
                    if let Some(end) = state.subscriptions.get(&subscription) {
                        end.end(publisher.process, publisher.serial);
                    }
                }
                Command::Mismatch { local, remote, mismatch } => {
                    if let Some(end) = state.publishers.get(&local) {
                        end.add_mismatch(mismatch);
                    } else if let Some(end) = state.subscriptions.get(&local)
                        && let Some(link) = self.link_to(state, remote.id.process)
                    {
                        let cause = mismatch.loss_cause();
                        end.receiver.add_mismatched(remote.id.serial, &link, cause, remote.counters);
                        end.events.note(|events| events.mismatch(mismatch));
                    }
                }
                Command::Forget { local, remote, cause } => {
                    if let Some(end) = state.publishers.get(&local) {
                        end.remove_mismatch(cause);
                    } else if let Some(end) = state.subscriptions.get(&local) {
                        end.receiver.remove_mismatched(remote.serial, remote.process);
                    }
                }
                Command::Open { offer, key } => {
                    if let Some(open) = state.offers.get(&offer) {
                        self.pending_opens.lock().push((open.clone(), key));
                    }
                }
                Command::Tell(event) => self.queue_event(*event),
            }
        }
        connected.iter().for_each(|end| end.note_matched());
        changed
    }

    /// Returns the link to a known process, this one included.
    fn link_to(&self, state: &HostState, process: u64) -> Option<Arc<Link>> {
        if process == self.process() {
            return Some(self.memory.link.clone());
        }
        state.peers.get(&process).map(|peer| peer.link.clone())
    }

    /// Connects a publisher with a subscription. Returns whether that succeeded.
    fn connect(&self, state: &mut HostState, end: &PublisherEnd, subscription: EndpointInfo) -> bool {
        let (publisher, id) = (end.info.id, subscription.id);
        let Some(link) = self.link_to(state, id.process) else { return false };
        let spec = queue_spec(&end.info.qos, &subscription);
        let connected = end.sender.connect(&spec, &link, |queue| {
            let queue = queue.to_bytes().to_vec();
            let connection = ConnectionInfo { publisher, subscription: id, queue };
            registry::add(&self.memory, &Entry::Connection(connection))
        });
        match &connected {
            Ok(queue) => state.matcher.connected(publisher, id, &queue.to_bytes()),
            Err(error) => state.matcher.not_connected(publisher, subscription, error.to_string()),
        }
        connected.is_ok()
    }

    /// Attaches a subscription of this process to a publisher's queue.
    fn attach(&self, state: &HostState, connection: &ConnectionInfo) {
        let EndpointId { process, serial } = connection.publisher;
        let Some(end) = state.subscriptions.get(&connection.subscription) else { return };
        let Some(link) = self.link_to(state, process) else { return };
        // `None`: the process is leaving.
        let Some(keep_alive) = self.keep_alive() else { return };
        let queue = QueueInfo::from_bytes(&connection.queue);
        let attached =
            queue.map(|queue| (queue.lease > 0, end.receiver.attach(serial, &queue, &link, keep_alive)));
        match attached {
            Some((has_lease, Ok(true))) => self.attached(end, has_lease),
            Some((_, Ok(false))) => {}
            Some((_, Err(_))) | None => {
                let reason = "the publisher's queue can't be mapped".into();
                let subscription = EndpointInfo::clone(&end.info);
                self.queue_event(GraphEvent::NotConnected { subscription, reason });
            }
        }
    }

    fn attached(&self, end: &SubscriptionEnd, has_lease: bool) {
        end.attached(has_lease);
        if end.is_timed() {
            self.watch_times();
        }
    }
}

/// Returns the specification of the queue from a publisher that offers `offered` to a subscription.
fn queue_spec(offered: &QoS, subscription: &EndpointInfo) -> QueueSpec {
    let requested = &subscription.qos;
    let depth = requested.history.depth();
    let is_reliable = |qos: &QoS| qos.reliability == Reliability::Reliable;
    let is_kept = requested.durability == Durability::TransientLocal;
    QueueSpec {
        receiver: subscription.gid,
        serial: subscription.id.serial,
        port: subscription.port,
        key: Key::endpoint(EndpointKind::Subscription, &subscription.topic).number(),
        depth: depth.into(),
        keep_all: requested.history == History::KeepAll && is_reliable(requested) && is_reliable(offered),
        max_kept: if is_kept { depth.into() } else { 0 },
        lifespan: nanos(offered.lifespan),
        lease: nanos(offered.lease),
    }
}
