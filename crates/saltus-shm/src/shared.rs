//! Who is there and who is matched with whom: what all threads of a context share.
//!
//! Locks are taken in this order, and none is held while user code runs: the state (who is there),
//! a publisher or subscription, then its events or one of the leaves (graves before slabs, arena and registry).

mod matching;
mod peers;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Condvar, Mutex as StdMutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_types::{Gid, QoS, Side, TypeHash};

use crate::{
    EndpointInfo, EndpointKind, MemoryError,
    arena::Arena,
    connection::Grave,
    counters::EndpointCounters,
    graph::{EventHandler, GraphEvent},
    header::HOUSEKEEPING_PIPE,
    link::Link,
    membership::Membership,
    monitor::Due,
    os::{
        clock::monotonic_nanos,
        mutex::Mutex,
        segment::{Mapped, Segment},
    },
    participant::{Channel, EndpointSpec, Identity, OfferFn, OpenError, TypeText},
    publisher::PublisherCore,
    registry::{ConnectionInfo, Entry, Key, RecordId, Registry, RegistryView, TypeInfo, bump},
    resources::{Slabs, WaitingPlace},
    subscription::SubscriptionCore,
    usability::Usability,
};

pub(crate) struct Shared {
    pub(crate) membership: Arc<Membership>,
    pub(crate) segment: Arc<Segment>,
    pub(crate) link: Arc<Link>,
    pub(crate) arena: Arena,
    pub(crate) stop: AtomicBool,
    /// Whether any endpoint has a deadline or lease to be watched.
    timed: AtomicBool,
    pub(crate) usability: Usability,
    registry: Mutex<Registry>,
    pub(crate) slabs: Mutex<Slabs>,
    graves: Mutex<Vec<Grave>>,
    /// Of the standard library, because threads wait for its changes. Neither publishing nor taking needs it.
    state: StdMutex<State>,
    changed: Condvar,
    next_entity: AtomicU64,
    pub(crate) next_generation: AtomicU64,
    pub(crate) next_pipe: AtomicU32,
    /// Where threads of this context wait.
    pub(crate) waiting_places: Mutex<Vec<WaitingPlace>>,
    on_event: EventHandler,
    /// Publishers and subscriptions that could not be connected, for want of memory as a rule.
    unconnected: Mutex<HashSet<(Gid, Gid)>>,
    /// What the user is to be told as soon as no lock is held.
    untold: Mutex<Vec<GraphEvent>>,
    /// Who is to open what, as soon as no lock is held.
    wanted: Mutex<Vec<(OfferFn, String)>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("process", &self.link.process).finish_non_exhaustive()
    }
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) peers: HashMap<u64, Peer>,
    publishers: HashMap<String, Vec<Arc<PublisherCore>>>,
    subscriptions: HashMap<String, Vec<Arc<SubscriptionCore>>>,
    pub(crate) by_gid: HashMap<Gid, Arc<SubscriptionCore>>,
    /// Counts changes, for those who wait for one.
    pub(crate) version: u64,
    /// What is opened as soon as its other end is.
    pub(crate) offers: HashMap<String, Vec<OfferFn>>,
    /// Types that this process's registry describes.
    described: HashSet<TypeHash>,
    /// Members whose memory could not be opened yet, and how often that failed. They are tried again.
    unreachable: HashMap<u64, u32>,
}

#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) link: Arc<Link>,
    pub(crate) view: RegistryView,
    pub(crate) seen: Option<u64>,
}

impl State {
    /// The publishers of this process on a topic.
    pub(crate) fn publishers_of(&self, topic: &str) -> &[Arc<PublisherCore>] {
        self.publishers.get(topic).map_or(&[], Vec::as_slice)
    }

    /// The subscriptions of this process on a topic.
    pub(crate) fn subscriptions_of(&self, topic: &str) -> &[Arc<SubscriptionCore>] {
        self.subscriptions.get(topic).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add_publisher(&mut self, core: &Arc<PublisherCore>) {
        self.publishers.entry(core.info.topic.clone()).or_default().push(core.clone());
    }

    pub(crate) fn add_subscription(&mut self, core: &Arc<SubscriptionCore>) {
        self.by_gid.insert(core.info.gid, core.clone());
        self.subscriptions.entry(core.info.topic.clone()).or_default().push(core.clone());
    }

    /// The endpoints of peers of a kind on a topic, read from where they lie.
    fn remote_of(&self, topic: &str, kind: EndpointKind) -> impl Iterator<Item = (&Arc<Link>, EndpointInfo)> {
        let key = Key::endpoint(kind, topic);
        self.peers.values().flat_map(move |peer| {
            peer.view.with_key(key, &peer.link.segment).filter_map(move |entry| match entry {
                Entry::Endpoint(info) if info.topic == topic && info.kind == kind => Some((&peer.link, info)),
                _ => None,
            })
        })
    }

    /// The endpoints of a kind on a topic, in this process (for publishers that look for
    /// subscriptions) and in others.
    pub(crate) fn others(
        &self,
        topic: &str,
        kind: EndpointKind,
        own: &Arc<Link>,
    ) -> Vec<(Arc<Link>, EndpointInfo)> {
        let local = self.subscriptions_of(topic).iter().filter(|_| kind == EndpointKind::Subscription);
        let local = local.map(|core| (own.clone(), core.info.clone()));
        let remote = self.remote_of(topic, kind).map(|(link, info)| (link.clone(), info));
        local.chain(remote).collect()
    }

    /// Whether there is any endpoint on a topic.
    pub(crate) fn is_open(&self, topic: &str) -> bool {
        let remote = |kind| self.remote_of(topic, kind).next().is_some();
        !self.publishers_of(topic).is_empty()
            || !self.subscriptions_of(topic).is_empty()
            || remote(EndpointKind::Publisher)
            || remote(EndpointKind::Subscription)
    }

    /// The profiles of all endpoints of a kind on a topic.
    fn profiles(&self, topic: &str, kind: EndpointKind) -> Vec<QoS> {
        let own: Vec<QoS> = match kind {
            EndpointKind::Publisher => self.publishers_of(topic).iter().map(|core| core.info.qos).collect(),
            EndpointKind::Subscription => {
                self.subscriptions_of(topic).iter().map(|core| core.info.qos).collect()
            }
        };
        self.remote_of(topic, kind).map(|(_, info)| info.qos).chain(own).collect()
    }

    fn forget_publisher(&mut self, core: &Arc<PublisherCore>) {
        if let Some(publishers) = self.publishers.get_mut(&core.info.topic) {
            publishers.retain(|other| !Arc::ptr_eq(other, core));
            if publishers.is_empty() {
                self.publishers.remove(&core.info.topic);
            }
        }
    }

    fn forget_subscription(&mut self, core: &Arc<SubscriptionCore>) {
        self.by_gid.remove(&core.info.gid);
        if let Some(subscriptions) = self.subscriptions.get_mut(&core.info.topic) {
            subscriptions.retain(|other| !Arc::ptr_eq(other, core));
            if subscriptions.is_empty() {
                self.subscriptions.remove(&core.info.topic);
            }
        }
    }
}

impl Shared {
    pub(crate) fn new(membership: Arc<Membership>, link: Link, on_event: EventHandler) -> Self {
        let segment = membership.segment().clone();
        Self {
            arena: Arena::new(segment.clone()),
            registry: Mutex::new(Registry::new(segment.clone())),
            link: Arc::new(link),
            membership,
            segment,
            on_event,
            untold: Mutex::default(),
            wanted: Mutex::default(),
            usability: Usability::new(),
            stop: AtomicBool::new(false),
            timed: AtomicBool::new(false),
            slabs: Mutex::default(),
            graves: Mutex::default(),
            state: StdMutex::default(),
            changed: Condvar::new(),
            unconnected: Mutex::default(),
            next_entity: AtomicU64::new(1),
            next_generation: AtomicU64::new(1),
            next_pipe: AtomicU32::new(HOUSEKEEPING_PIPE + 1),
            waiting_places: Mutex::default(),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new_gid(&self) -> Gid {
        Gid::from_parts(self.link.process, self.next_entity.fetch_add(1, Ordering::Relaxed))
    }

    /// An endpoint as it enters the graph: identified, and with a profile that says what it is.
    pub(crate) fn endpoint(
        &self,
        state: &State,
        kind: EndpointKind,
        spec: &EndpointSpec<'_>,
        identity: Identity,
        port: u64,
        counters: &(Mapped<EndpointCounters>, u64),
    ) -> EndpointInfo {
        let Identity { channel, gid } = identity;
        counters.0.open(gid);
        let topic = channel.key(spec.topic.as_str());
        let (side, other) = match kind {
            EndpointKind::Publisher => (Side::Publisher, EndpointKind::Subscription),
            EndpointKind::Subscription => (Side::Subscription, EndpointKind::Publisher),
        };
        EndpointInfo {
            kind,
            gid,
            node: spec.node.info().gid,
            type_name: spec.type_name.into(),
            type_hash: spec.type_hash,
            qos: spec.qos.resolve(side, &state.profiles(&topic, other)),
            topic,
            port,
            counters: counters.1,
        }
    }

    /// Tells others of a node, an endpoint or a type.
    pub(crate) fn add_own(&self, entry: &Entry) -> Result<RecordId, MemoryError> {
        self.registry.lock().add(entry)
    }

    /// Keeps the description of an endpoint's type for others, once for all endpoints.
    pub(crate) fn describe(&self, state: &mut State, spec: &EndpointSpec<'_>) -> Result<(), MemoryError> {
        let hash = spec.type_hash;
        if state.described.contains(&hash) {
            return Ok(());
        }
        let description = match spec.description {
            TypeText::Unknown => return Ok(()),
            TypeText::Pieces(pieces) => pieces.to_json(),
            TypeText::Whole(text) => text.to_owned(),
        };
        self.add_own(&Entry::Type(TypeInfo { hash, description }))?;
        state.described.insert(hash);
        Ok(())
    }

    pub(crate) fn add_connection(&self, info: &ConnectionInfo) -> Result<RecordId, MemoryError> {
        self.registry.lock().add(&Entry::Connection(info.clone()))
    }

    pub(crate) fn remove_record(&self, record: RecordId) {
        self.registry.lock().remove(record);
    }

    /// Tells all peers, and all who wait in this process, that something changed.
    pub(crate) fn notify(&self, state: &mut State) {
        state.version += 1;
        bump(&self.link.header.changes);
        state.peers.values().for_each(|peer| peer.link.ring_housekeeping());
        self.changed.notify_all();
    }

    /// Waits for a version other than that, for ever if `timeout` is `None`. Whether it came.
    pub(crate) fn wait_for_change(&self, version: u64, timeout: Option<Duration>) -> bool {
        let state = self.lock();
        let same = |state: &mut State| state.version == version;
        match timeout {
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(state, timeout, same);
                !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
            }
            None => {
                drop(self.changed.wait_while(state, same).unwrap_or_else(PoisonError::into_inner));
                true
            }
        }
    }

    /// Tells the user what there is to tell. No lock may be held: the handler may use the graph.
    pub(crate) fn tell(&self) {
        let events = std::mem::take(&mut *self.untold.lock());
        events.iter().for_each(|event| (self.on_event)(event));
        let wanted = std::mem::take(&mut *self.wanted.lock());
        for (open, key) in wanted {
            let (channel, name) = Channel::split(&key);
            open(channel, name);
        }
    }

    /// The other end of that was opened: whoever offered it is to open it, as soon as no lock is held.
    pub(crate) fn want(&self, state: &State, key: &str) {
        for offer in state.offers.get(key).into_iter().flatten() {
            self.wanted.lock().push((offer.clone(), key.to_owned()));
        }
    }

    pub(crate) fn tell_later(&self, event: GraphEvent) {
        self.untold.lock().push(event);
    }

    /// Whether handles of this context may be used.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        if self.usability.may_use() { Ok(()) } else { Err(self.usability.why_not().into()) }
    }

    /// Ends the use of this context, which can't take part any more, and wakes everybody who waits in it.
    pub(crate) fn expel(&self, reason: String, is_taken_back: bool) {
        self.usability.expel(&reason, is_taken_back);
        // Publishers that wait for its subscriptions need not, and readers of what it has sent read the rest.
        self.registry.lock().close();
        self.notify(&mut self.lock());
        self.tell_later(GraphEvent::Expelled { reason });
        self.tell();
        self.wake_all();
        self.wake_waiting();
    }

    pub(crate) fn wake_waiting(&self) {
        self.lock().version += 1;
        self.changed.notify_all();
    }

    pub(crate) fn remove_publisher(&self, core: &Arc<PublisherCore>) {
        let mut state = self.lock();
        state.forget_publisher(core);
        core.close();
        self.remove_record(core.record);
        for subscription in state.subscriptions_of(&core.info.topic) {
            subscription.forget_unsuited(|publisher| *publisher == core.info.gid);
            subscription.end(|publisher, _| *publisher == core.info.gid);
        }
        self.close_endpoint_counters(core.counters.clone(), core.info.counters);
        self.reap();
        self.notify(&mut state);
    }

    pub(crate) fn remove_subscription(&self, core: &Arc<SubscriptionCore>) {
        let mut state = self.lock();
        state.forget_subscription(core);
        let port = core.close();
        self.remove_record(core.record);
        for publisher in state.publishers_of(&core.info.topic) {
            publisher.forget_unsuited(|subscription| *subscription == core.info.gid);
            publisher.disconnect(|connection| connection.info.subscription == core.info.gid, false);
        }
        let key = Key::endpoint(EndpointKind::Subscription, &core.info.topic);
        self.leave_graves(key, |gid| *gid == core.info.gid);
        self.close_port(port, core.info.port);
        self.close_endpoint_counters(core.counters.clone(), core.info.counters);
        self.reap();
        self.notify(&mut state);
    }

    pub(crate) fn bury(&self, mut grave: Grave) {
        grave.withdraw(self);
        if !grave.reap(self) {
            self.graves.lock().push(grave);
        }
    }

    /// Frees what closed publishers have left and nobody uses any more. Returns whether this process's registry changed.
    /// Then peers must be notified, because their subscriptions learn from it that a publisher is gone.
    fn reap(&self) -> bool {
        let mut graves = self.graves.lock();
        let changed = graves.iter_mut().fold(false, |any, grave| any | grave.withdraw(self));
        graves.retain_mut(|grave| !grave.reap(self));
        changed
    }

    #[cfg(test)]
    pub(crate) fn has_graves(&self) -> bool {
        !self.graves.lock().is_empty()
    }

    /// From now on deadlines and leases are watched.
    pub(crate) fn watch_times(&self) {
        self.timed.store(true, Ordering::Release);
        self.link.ring_housekeeping();
    }

    /// Looks at every deadline and lease. How long until the next is due, in nanoseconds.
    pub(crate) fn monitor(&self) -> Option<u64> {
        if !self.timed.load(Ordering::Acquire) {
            return None;
        }
        let now = monotonic_nanos();
        let state = self.lock();
        let publishers = state.publishers.values().flatten().map(|publisher| publisher.monitor(now));
        let subscriptions = state.by_gid.values().map(|subscription| subscription.monitor(now));
        publishers.chain(subscriptions).fold(Due::NEVER, Due::or).after(now)
    }
}
