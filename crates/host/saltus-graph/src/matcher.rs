//! Matches the endpoints of this process with each other and with the endpoints of other processes.
//!
//! The inputs of a [`Matcher`] are the endpoints that this process opens and closes, and the entries of other
//! processes. Its output is a queue of [`Command`]s. The caller, who has the shared memory, carries them out in
//! order, and reports whether a connection was made. The matcher reads no shared memory and no clock. Of other
//! processes it keeps only the pairs that their endpoints form with endpoints of this process. So the caller passes
//! the endpoints of other processes again when this process opens an endpoint.

mod pairs;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use saltus_types::{LossCause, QoS, Side};

use crate::{
    compatibility::{Mismatch, may_meet},
    entity::{ConnectionInfo, EndpointId, EndpointInfo, EndpointKind},
    event::GraphEvent,
    key::Key,
};
use pairs::{Pair, Pairs};

/// An action that the caller of a [`Matcher`] must take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Connect a publisher of this process with a subscription, and report the result with
    /// [`Matcher::connected`] or [`Matcher::not_connected`].
    Connect {
        /// The publisher.
        publisher: EndpointId,
        /// The subscription.
        subscription: Box<EndpointInfo>,
    },
    /// End the connection of a publisher of this process with a subscription that has gone.
    Disconnect {
        /// The publisher.
        publisher: EndpointId,
        /// The subscription.
        subscription: EndpointId,
        /// Whether the subscription's process is dead or has left.
        is_dead: bool,
    },
    /// Begin to read from a publisher that has made a connection with a subscription of this process.
    Attach(ConnectionInfo),
    /// A publisher has gone. A subscription of this process reads the messages that are left, and no more.
    End {
        /// The subscription.
        subscription: EndpointId,
        /// The publisher.
        publisher: EndpointId,
    },
    /// An endpoint of this process can't exchange messages with another endpoint. What is sent from now on is lost.
    Mismatch {
        /// The endpoint of this process.
        local: EndpointId,
        /// The other endpoint.
        remote: Box<EndpointInfo>,
        /// Why they can't exchange messages.
        mismatch: Mismatch,
    },
    /// An endpoint that was incompatible with one of this process has gone.
    Forget {
        /// The endpoint of this process.
        local: EndpointId,
        /// The other endpoint.
        remote: EndpointId,
        /// Why it was incompatible.
        cause: LossCause,
    },
    /// Open what was offered under a key, because the other end was opened.
    Open {
        /// The offer.
        offer: OfferId,
        /// The key.
        key: String,
    },
    /// Report an event to the user.
    Tell(Box<GraphEvent>),
}

/// The id of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OfferId(pub u64);

/// An endpoint of this process.
#[derive(Debug)]
struct Local {
    info: Arc<EndpointInfo>,
    pairs: Pairs,
    /// Whether it is not connected to other endpoints of this process that have this, too.
    skips_own: bool,
}

/// Matches the endpoints of this process. See the module's documentation.
#[derive(Debug)]
pub struct Matcher {
    process: u64,
    /// Boxed, because a hash table with many endpoints has about as many free slots as used ones.
    endpoints: HashMap<EndpointId, Box<Local>>,
    /// The endpoints of this process on each topic, in the order in which they were opened. Most topics have one.
    topics: HashMap<String, Vec<EndpointId>>,
    offers: HashMap<String, Vec<OfferId>>,
    /// The pairs that are [`Pair::Failed`].
    failed: HashSet<(EndpointId, EndpointId)>,
    commands: VecDeque<Command>,
}

impl Matcher {
    /// Creates the matcher of a process without endpoints.
    pub fn new(process: u64) -> Self {
        Self {
            process,
            endpoints: HashMap::new(),
            topics: HashMap::new(),
            offers: HashMap::new(),
            failed: HashSet::new(),
            commands: VecDeque::new(),
        }
    }

    /// Takes the next command.
    pub fn next_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// Returns an endpoint of this process.
    pub(crate) fn endpoint(&self, id: EndpointId) -> Option<&EndpointInfo> {
        self.endpoints.get(&id).map(|local| &*local.info)
    }

    /// Returns the endpoints of this process of a kind on a topic.
    pub(crate) fn local(&self, topic: &str, kind: EndpointKind) -> impl Iterator<Item = &EndpointInfo> {
        let ids = self.topics.get(topic).into_iter().flatten();
        ids.filter_map(|id| self.endpoint(*id)).filter(move |info| info.kind == kind)
    }

    /// Returns a profile as it enters the graph: each "best available" is resolved with what the endpoints on the
    /// other side offer or request. `remote` are the endpoints of other processes on the topic.
    pub fn resolve(&self, kind: EndpointKind, topic: &str, qos: &QoS, remote: &[EndpointInfo]) -> QoS {
        let (side, other) = match kind {
            EndpointKind::Publisher => (Side::Publisher, EndpointKind::Subscription),
            EndpointKind::Subscription => (Side::Subscription, EndpointKind::Publisher),
        };
        let remote = remote.iter().filter(|info| info.kind == other && info.topic == topic);
        let profiles: Vec<QoS> = remote.chain(self.local(topic, other)).map(|info| info.qos).collect();
        qos.resolve(side, &profiles)
    }

    /// Adds an endpoint that this process has opened. `remote` are the endpoints of other processes on its topic. Two
    /// endpoints of this process with `skips_own` are not connected, because the program passes messages between them
    /// itself.
    pub fn open(&mut self, info: impl Into<Arc<EndpointInfo>>, remote: &[EndpointInfo], skips_own: bool) {
        let info = info.into();
        let (id, kind, topic) = (info.id, info.kind, info.topic.clone());
        self.topics.entry(topic.clone()).or_insert_with(|| Vec::with_capacity(1)).push(id);
        self.endpoints.insert(id, Box::new(Local { info: info.clone(), pairs: Pairs::default(), skips_own }));
        self.open_offers(&topic);
        let of_others = remote.iter().filter(|other| other.topic == topic && other.kind != kind);
        let others: Vec<EndpointInfo> = match kind {
            EndpointKind::Publisher => {
                self.local(&topic, EndpointKind::Subscription).chain(of_others).cloned().collect()
            }
            EndpointKind::Subscription => of_others.cloned().collect(),
        };
        others.iter().for_each(|other| self.pair(id, other));
        if kind == EndpointKind::Subscription {
            let own: Vec<EndpointId> =
                self.local(&topic, EndpointKind::Publisher).map(|publisher| publisher.id).collect();
            own.into_iter().for_each(|publisher| self.pair(publisher, &info));
        }
    }

    /// Removes an endpoint that this process closes, and gives commands for the endpoints of this process that were
    /// paired with it. The caller closes the endpoint itself and ends its connections.
    pub fn close(&mut self, id: EndpointId) {
        let Some(local) = self.endpoints.remove(&id) else { return };
        if let Some(ids) = self.topics.get_mut(&local.info.topic) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.topics.remove(&local.info.topic);
            }
        }
        self.failed.retain(|(publisher, subscription)| *publisher != id && *subscription != id);
        let others = self.topics.get(&local.info.topic).cloned().unwrap_or_default();
        others.into_iter().for_each(|other| self.unpair(other, id, false));
    }

    /// Pairs a new endpoint of another process with the endpoints of this process.
    pub fn learn(&mut self, info: &EndpointInfo) {
        self.open_offers(&info.topic);
        let other = match info.kind {
            EndpointKind::Publisher => EndpointKind::Subscription,
            EndpointKind::Subscription => EndpointKind::Publisher,
        };
        let own: Vec<EndpointId> = self.local(&info.topic, other).map(|local| local.id).collect();
        own.into_iter().for_each(|local| self.pair(local, info));
    }

    /// Notes that a publisher sends to a subscription. If the subscription belongs to this process, gives the
    /// command to read from the publisher.
    pub fn learn_connection(&mut self, connection: &ConnectionInfo) {
        if let Some(local) = self.endpoints.get_mut(&connection.subscription) {
            local.pairs.insert(connection.publisher, Pair::Connected);
            self.commands.push_back(Command::Attach(connection.clone()));
        }
    }

    /// Returns whether there may be pairs with entries of another process that have a key. If there are none, nothing is to be
    /// removed when such an entry goes.
    pub fn has_pairs(&self, process: u64, key: Key) -> bool {
        let is_of_key = |local: &Local| match local.info.kind {
            _ if !local.pairs.iter().any(|(remote, _)| remote.process == process) => false,
            EndpointKind::Subscription if key.is_connection() => Key::connection(local.info.id) == key,
            EndpointKind::Subscription => Key::endpoint(EndpointKind::Publisher, &local.info.topic) == key,
            EndpointKind::Publisher => Key::endpoint(EndpointKind::Subscription, &local.info.topic) == key,
        };
        self.endpoints.values().any(|local| is_of_key(local))
    }

    /// Removes the pairs with entries of another process that have a key and are gone. `present` contains all
    /// entries with that key that still exist: connections if it is a key of connections, endpoints otherwise.
    pub fn retain(&mut self, process: u64, key: Key, present: &Present) {
        if key.is_connection() {
            let of_key = |local: &&Local| {
                local.info.kind == EndpointKind::Subscription && Key::connection(local.info.id) == key
            };
            let locals = self.endpoints.values().map(Box::as_ref);
            let subscriptions = locals.filter(of_key).map(|local| local.info.id);
            for subscription in subscriptions.collect::<Vec<EndpointId>>() {
                let is_there = |publisher| present.connections.contains(&(publisher, subscription));
                self.unpair_gone(subscription, |publisher, pair| {
                    publisher.process == process && matches!(pair, Pair::Connected) && !is_there(publisher)
                });
            }
            return;
        }
        for (kind, other) in [
            (EndpointKind::Publisher, EndpointKind::Subscription),
            (EndpointKind::Subscription, EndpointKind::Publisher),
        ] {
            let topics = self.topics.iter().filter(|(topic, _)| Key::endpoint(other, topic) == key);
            let of_kind = |id: &&EndpointId| self.endpoint(**id).is_some_and(|info| info.kind == kind);
            let own: Vec<EndpointId> = topics.flat_map(|(_, ids)| ids).filter(of_kind).copied().collect();
            for local in own {
                self.unpair_gone(local, |remote, pair| {
                    // A connected publisher has gone when the entry of its connection is gone.
                    let is_connection = kind == EndpointKind::Subscription && matches!(pair, Pair::Connected);
                    remote.process == process && !present.endpoints.contains(&remote) && !is_connection
                });
            }
        }
    }

    /// Removes all pairs with another process, which is dead or has left.
    pub fn forget_process(&mut self, process: u64) {
        let all: Vec<EndpointId> = self.endpoints.keys().copied().collect();
        for local in all {
            let gone: Vec<EndpointId> = self.paired_with(local, |remote, _| remote.process == process);
            gone.into_iter().for_each(|remote| self.unpair(local, remote, true));
        }
    }

    /// Notes that a command to connect was carried out. `queue` describes the queue between the two.
    pub fn connected(&mut self, publisher: EndpointId, subscription: EndpointId, queue: &[u8]) {
        self.failed.remove(&(publisher, subscription));
        self.set_pair(publisher, subscription, Pair::Connected);
        if subscription.process == self.process {
            self.learn_connection(&ConnectionInfo { publisher, subscription, queue: queue.to_vec() });
        }
    }

    /// Notes that a command to connect failed. [`Matcher::retry`] gives the command again. The failure is reported
    /// to the user once.
    pub fn not_connected(&mut self, publisher: EndpointId, subscription: EndpointInfo, reason: String) {
        let is_new = self.failed.insert((publisher, subscription.id));
        self.set_pair(publisher, subscription.id, Pair::Failed(Box::new(subscription.clone())));
        if is_new {
            self.commands
                .push_back(Command::Tell(Box::new(GraphEvent::NotConnected { subscription, reason })));
        }
    }

    /// Repeats the commands to connect that failed.
    pub fn retry(&mut self) {
        for (publisher, subscription) in self.failed.clone() {
            let pair = self.endpoints.get(&publisher).and_then(|local| local.pairs.get(subscription));
            if let Some(Pair::Failed(info)) = pair {
                let subscription = info.clone();
                self.commands.push_back(Command::Connect { publisher, subscription });
            }
        }
    }

    /// Adds an offer to open the other ends of `keys`. `is_open` returns whether another process has an endpoint
    /// with a key.
    pub fn offer(&mut self, offer: OfferId, keys: &[String], is_open: impl Fn(&str) -> bool) {
        for key in keys {
            self.offers.entry(key.clone()).or_insert_with(|| Vec::with_capacity(1)).push(offer);
            if self.topics.contains_key(key) || is_open(key) {
                self.commands.push_back(Command::Open { offer, key: key.clone() });
            }
        }
    }

    /// Withdraws an offer.
    pub fn withdraw(&mut self, offer: OfferId) {
        self.offers.retain(|_, offers| {
            offers.retain(|other| *other != offer);
            !offers.is_empty()
        });
    }

    /// Gives the command to open each offer for a topic, because an endpoint on the topic was opened.
    fn open_offers(&mut self, topic: &str) {
        for offer in self.offers.get(topic).into_iter().flatten() {
            self.commands.push_back(Command::Open { offer: *offer, key: topic.to_owned() });
        }
    }

    /// Pairs an endpoint of this process with another endpoint on its topic, unless they are connected or mismatched
    /// already.
    fn pair(&mut self, local: EndpointId, other: &EndpointInfo) {
        let is_skipped =
            [local, other.id].iter().all(|id| self.endpoints.get(id).is_some_and(|one| one.skips_own));
        let Some(own) = self.endpoints.get_mut(&local) else { return };
        if matches!(own.pairs.get(other.id), Some(Pair::Connected | Pair::Mismatched(_))) {
            return;
        }
        let (publisher, subscription) = match own.info.kind {
            EndpointKind::Publisher => (&*own.info, other),
            EndpointKind::Subscription => (other, &*own.info),
        };
        if !may_meet(publisher, subscription) {
            return;
        }
        match Mismatch::between(publisher, subscription) {
            Some(mismatch) => {
                own.pairs.insert(other.id, Pair::Mismatched(mismatch.loss_cause()));
                let event = mismatch.event(&own.info, other);
                self.commands.push_back(Command::Mismatch {
                    local,
                    remote: Box::new(other.clone()),
                    mismatch,
                });
                self.commands.push_back(Command::Tell(Box::new(event)));
                if let Some(other) = self.endpoints.get_mut(&other.id) {
                    // The other endpoint belongs to this process, too, so the mismatch is also reported for it.
                    if other.pairs.insert(local, Pair::Mismatched(mismatch.loss_cause())).is_none() {
                        let (id, own) = (other.info.id, other.info.clone());
                        self.add_mismatch(id, &own, local, mismatch);
                    }
                }
            }
            None if own.info.kind == EndpointKind::Publisher && !other.is_only_shown() && !is_skipped => {
                own.pairs.insert(other.id, Pair::Connected);
                let subscription = Box::new(other.clone());
                self.commands.push_back(Command::Connect { publisher: local, subscription });
            }
            // The process of the publisher connects the subscription, or no connection is needed.
            None => {}
        }
    }

    fn add_mismatch(&mut self, id: EndpointId, own: &EndpointInfo, remote: EndpointId, mismatch: Mismatch) {
        let Some(remote) = self.endpoint(remote).cloned() else { return };
        let event = mismatch.event(own, &remote);
        self.commands.push_back(Command::Mismatch { local: id, remote: Box::new(remote), mismatch });
        self.commands.push_back(Command::Tell(Box::new(event)));
    }

    fn set_pair(&mut self, local: EndpointId, remote: EndpointId, pair: Pair) {
        if let Some(local) = self.endpoints.get_mut(&local) {
            local.pairs.insert(remote, pair);
        }
    }

    fn paired_with(&self, local: EndpointId, is_it: impl Fn(EndpointId, &Pair) -> bool) -> Vec<EndpointId> {
        let pairs = self.endpoints.get(&local).into_iter().flat_map(|local| local.pairs.iter());
        pairs.filter(|(remote, pair)| is_it(*remote, pair)).map(|(remote, _)| *remote).collect()
    }

    fn unpair_gone(&mut self, local: EndpointId, is_gone: impl Fn(EndpointId, &Pair) -> bool) {
        let gone = self.paired_with(local, is_gone);
        gone.into_iter().for_each(|remote| self.unpair(local, remote, false));
    }

    /// Removes the pair of a local endpoint with one that has gone, if there is one, and gives the command for it.
    fn unpair(&mut self, local: EndpointId, remote: EndpointId, is_dead: bool) {
        let Some(own) = self.endpoints.get_mut(&local) else { return };
        let kind = own.info.kind;
        let command = match own.pairs.remove(remote) {
            None => return,
            Some(Pair::Failed(_)) => {
                self.failed.remove(&(local, remote));
                return;
            }
            Some(Pair::Mismatched(cause)) => Command::Forget { local, remote, cause },
            Some(Pair::Connected) => match kind {
                EndpointKind::Publisher => {
                    Command::Disconnect { publisher: local, subscription: remote, is_dead }
                }
                EndpointKind::Subscription => Command::End { subscription: local, publisher: remote },
            },
        };
        self.commands.push_back(command);
    }
}

/// The entries of a process that still exist. See [`Matcher::retain`].
#[derive(Clone, Debug, Default)]
pub struct Present {
    /// The ids of endpoints.
    pub endpoints: HashSet<EndpointId>,
    /// The publisher and subscription of each connection.
    pub connections: HashSet<(EndpointId, EndpointId)>,
}

#[cfg(test)]
mod tests;
