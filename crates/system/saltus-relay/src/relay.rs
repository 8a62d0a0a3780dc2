//! A relay: the graphs that it joins, and the flows between them.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
};

use saltus_types::lock;

use crate::{
    exchange::Refresh,
    model::{ChannelName, EndpointChange},
    rule::Rules,
    service::ServiceFlow,
    side::Side,
    topic::{Route, TopicFlow},
};

/// A link from one side to another: what it shows of the first in the second.
///
/// Publishers and servers of `from` are shown in `to`, and subscriptions and clients of `to` in `from`.
#[derive(Clone, Debug)]
pub struct Link {
    /// The number of the side whose publishers and servers are shown.
    pub from: usize,
    /// The number of the other side.
    pub to: usize,
    /// What is shown, and under which names.
    pub rules: Rules,
}

/// The numbers of a link and of one of its rules, and a name in the side `from` of the link.
type FlowKey = (usize, usize, ChannelName);

/// Graphs and the links between them.
pub struct Relay {
    sides: Vec<Arc<dyn Side>>,
    links: Vec<Link>,
    flows: Mutex<Flows>,
}

#[derive(Default)]
struct Flows {
    topics: HashMap<FlowKey, TopicFlow>,
    services: HashMap<FlowKey, ServiceFlow>,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("links", &self.links).finish_non_exhaustive()
    }
}

impl Relay {
    /// Creates a relay. It begins with the first call of [`Relay::refresh`].
    ///
    /// # Panics
    /// Panics if a link names a side that is not there.
    pub fn new(sides: Vec<Arc<dyn Side>>, links: Vec<Link>) -> Arc<Self> {
        assert!(
            links.iter().all(|link| link.from.max(link.to) < sides.len()),
            "a link names an unknown side"
        );
        Arc::new(Self { sides, links, flows: Mutex::default() })
    }

    /// Takes the pending changes of a side's graph, and updates the flows that they affect. Returns whether there were
    /// changes.
    ///
    /// # Panics
    /// Panics if there is no side with this number.
    pub fn refresh(self: &Arc<Self>, side: usize) -> bool {
        let mut flows = lock(&self.flows);
        let Some(mut changes) = self.sides[side].take_changes() else { return false };
        // The endpoint of a client is a publisher, and these are sorted first. So each client that may call a new server is known.
        changes.sort_by_key(|change| change.end.kind);
        for change in &changes {
            let ChannelName { name, .. } = &change.channel_name;
            let channel = change.channel_name.channel();
            for (number, link) in self.links.iter().enumerate() {
                let type_name = &change.end.type_name;
                if link.from == side && change.is_source() {
                    self.apply(&mut flows, number, &change.channel_name, change);
                }
                if link.to == side && !change.is_source() {
                    for name in link.rules.source_names(channel, name, type_name) {
                        let source = ChannelName { name, ..change.channel_name.clone() };
                        self.apply(&mut flows, number, &source, change);
                    }
                }
            }
        }
        true
    }

    /// Ends all flows, which removes all replicas. It is to be called after the last [`Relay::refresh`]: a later change begins a flow
    /// again.
    pub fn end(&self) {
        let flows = std::mem::take(&mut *lock(&self.flows));
        drop(flows);
    }

    /// Applies a change to the flow of a topic or service on one link.
    fn apply(
        self: &Arc<Self>,
        flows: &mut Flows,
        number: usize,
        channel_name: &ChannelName,
        change: &EndpointChange,
    ) {
        let link = &self.links[number];
        let type_name = &change.end.type_name;
        let found = link.rules.to_name(channel_name.channel(), &channel_name.name, type_name);
        let Some((name, rule)) = found else { return };
        let route = Route {
            from: &*self.sides[link.from],
            to: &*self.sides[link.to],
            from_name: &channel_name.name,
            to_name: &name,
            rule: &link.rules.0[rule],
        };
        let key = (number, rule, channel_name.clone());
        if channel_name.is_service {
            let flow = flows
                .services
                .entry(key.clone())
                .or_insert_with(|| ServiceFlow::new(self.refresh_of(link.to), self.refresh_of(link.from)));
            flow.apply(&route, change);
            if flow.is_empty() {
                flows.services.remove(&key);
            }
        } else {
            let flow = flows.topics.entry(key.clone()).or_default();
            flow.apply(&route, change);
            if flow.is_empty() {
                flows.topics.remove(&key);
            }
        }
    }

    fn refresh_of(self: &Arc<Self>, side: usize) -> Refresh {
        let relay = Arc::downgrade(self);
        Box::new(move || {
            if let Some(relay) = relay.upgrade() {
                relay.refresh(side);
            }
        })
    }
}
