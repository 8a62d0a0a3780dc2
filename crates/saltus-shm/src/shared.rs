//! Who is there and who is matched with whom: what all threads of a context share.
//!
//! Locks are taken in this order, and none is held while user code runs: the state (who is there),
//! a publisher or subscription, then one of the leaves (graves, slabs, arena, registry).

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::{
        Arc, Condvar, Mutex as StdMutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_types::{Gid, LossCause, QoS, Side, TypeHash};

use crate::{
    EndpointInfo, EndpointKind, MemoryError,
    arena::Arena,
    connection::Grave,
    counters::EndpointCounters,
    events::Events,
    graph::{EventHandler, GraphEvent, mismatch},
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
    presence::WeakPresence,
    protocol::membership::MemberInfo,
    publisher::PublisherCore,
    registry::{ConnectionInfo, Entry, Key, RecordId, Registry, RegistryView, TypeInfo, bump},
    resources::{Slabs, WaitingPlace},
    subscription::SubscriptionCore,
    usability::Usability,
};

/// How often opening a member's memory must fail before that is told: its files may be replaced just now.
const TELL_AFTER: u32 = 3;

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

    /// Whether there are members whose memory could not be opened yet.
    pub(crate) fn has_unreachable(&self) -> bool {
        !self.lock().unreachable.is_empty()
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

    /// Brings this process's picture of the domain up to date, and matches what is new.
    pub(crate) fn sync(&self, presence: &WeakPresence) {
        let mut state = self.lock();
        let others = self.membership.others();
        let is_listed = |id: &u64| others.iter().any(|member| member.id == *id);
        state.unreachable.retain(|id, _| is_listed(id));
        let mut gone = Vec::new();
        for member in &others {
            if !state.peers.contains_key(&member.id) && !self.meet(&mut state, member) {
                gone.push(*member);
            }
        }
        // Who is missing from the table may only have lost a file: only its own word counts here.
        let left = |(_, peer): &(&u64, &Peer)| peer.link.header.state.has_left();
        let left: Vec<u64> = state.peers.iter().filter(left).map(|(id, _)| *id).collect();
        left.into_iter().for_each(|process| self.part(&mut state, process));
        let changed = self.refresh(&mut state, presence);
        state.publishers.values().flatten().for_each(|publisher| publisher.notice_matched());
        self.reap();
        state.version += 1;
        if changed {
            self.notify(&mut state);
        }
        self.changed.notify_all();
        drop(state);
        self.membership.remove_dead(&gone);
        self.tell();
    }

    /// Gets to know a member, and makes sure that it gets to know this one's present state. `false` if it is
    /// dead.
    fn meet(&self, state: &mut State, member: &MemberInfo) -> bool {
        match Link::open(&self.membership, member) {
            Ok(Some(link)) => {
                state.unreachable.remove(&member.id);
                link.ring_housekeeping();
                state.peers.insert(
                    member.id,
                    Peer { link: Arc::new(link), view: RegistryView::default(), seen: None },
                );
                true
            }
            // It has left meanwhile.
            Ok(None) => true,
            Err(_) if self.membership.place().is_dead(member, self.membership.process()) => false,
            // It has left meanwhile, or lists itself anew just now.
            Err(_) if !self.membership.is_listed_there(member.id) => true,
            Err(error) => {
                let failures = state.unreachable.entry(member.id).or_default();
                *failures += 1;
                if *failures == TELL_AFTER {
                    self.note_unreachable(member, &error);
                }
                true
            }
        }
    }

    fn note_unreachable(&self, member: &MemberInfo, error: &io::Error) {
        let place = self.membership.place();
        let is_refused = member.descriptor.is_some() && error.kind() == io::ErrorKind::PermissionDenied;
        if is_refused && place.may_open_files() {
            // Others of its owner will not be able to, either: it must know.
            place.report_unreachable(member.id);
        }
        let reason = error.to_string();
        self.tell_later(GraphEvent::Unreachable { process: member.id, pid: member.pid, reason });
    }

    /// Forgets a process that has left or died. Nothing of it is touched any more but what its
    /// mapped memory still holds unread.
    fn part(&self, state: &mut State, process: u64) {
        state.peers.remove(&process);
        for publisher in state.publishers.values().flatten() {
            publisher.release_process(process);
        }
        for subscription in state.by_gid.values() {
            subscription.forget_unsuited(|publisher| publisher.process() == process);
            subscription.end(|_, owner| owner == process);
        }
        self.graves.lock().iter_mut().for_each(|grave| grave.release_process(process, self));
    }

    /// Reads what changed in the registries of all peers. Returns whether this process's own
    /// changed by that: others need not look if it did not.
    fn refresh(&self, state: &mut State, presence: &WeakPresence) -> bool {
        let processes: Vec<u64> = state.peers.keys().copied().collect();
        let mut changed = false;
        for process in processes {
            let Some(peer) = state.peers.get_mut(&process) else { continue };
            let seen = peer.link.header.changes.load(Ordering::Acquire);
            if peer.seen == Some(seen) {
                continue;
            }
            peer.seen = Some(seen);
            let changes = peer.view.refresh(&peer.link.segment);
            let link = peer.link.clone();
            if changes.unreadable > 0 {
                self.tell_later(GraphEvent::Unreadable { process, entries: changes.unreadable });
            }
            // Connections first: what a server said before it went is in a queue that may be new.
            let (mut removed, mut added) = (changes.removed, changes.added);
            let ended: Vec<Key> = removed.extract_if(.., |key| key.is_connection()).collect();
            let is_connection = |entry: &mut Entry| matches!(entry, Entry::Connection(_));
            let begun: Vec<Entry> = added.extract_if(.., is_connection).collect();
            for (gone, new) in [(ended, begun), (removed, added)] {
                for key in gone {
                    changed |= self.forget_missing(state, &link, key);
                }
                for entry in new {
                    changed |= self.learn(state, &link, &entry, presence);
                }
            }
        }
        changed
    }

    /// Takes in a new entry of another process. Whether this process's own registry changed by that.
    fn learn(&self, state: &mut State, link: &Arc<Link>, entry: &Entry, presence: &WeakPresence) -> bool {
        match entry {
            Entry::Node(_) | Entry::Type(_) => false,
            Entry::Connection(connection) => {
                if let Some(subscription) = state.by_gid.get(&connection.subscription) {
                    subscription.attach(connection, link, presence);
                }
                false
            }
            Entry::Endpoint(endpoint) => {
                self.want(state, &endpoint.topic);
                self.learn_endpoint(state, link, endpoint, presence)
            }
        }
    }

    fn learn_endpoint(
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
    fn forget_missing(&self, state: &mut State, link: &Arc<Link>, key: Key) -> bool {
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
    fn leave_graves(&self, key: Key, is_gone: impl Fn(&Gid) -> bool) -> bool {
        self.graves.lock().iter_mut().fold(false, |any, grave| any | grave.leave(key, &is_gone, self))
    }

    /// The peers and what it takes to watch them.
    pub(crate) fn peers(&self) -> Vec<Arc<Link>> {
        self.lock().peers.values().map(|peer| peer.link.clone()).collect()
    }

    /// Forgets members that are proven dead, and removes their files unless somebody else did.
    pub(crate) fn forget_dead(&self, processes: &[u64]) {
        if processes.is_empty() {
            return;
        }
        processes.iter().for_each(|process| self.part(&mut self.lock(), *process));
        let mut listed = self.membership.others();
        listed.retain(|member| processes.contains(&member.id));
        self.membership.remove_dead(&listed);
    }

    pub(crate) fn bury(&self, mut grave: Grave) {
        if !grave.reap(self) {
            self.graves.lock().push(grave);
        }
    }

    fn reap(&self) {
        self.graves.lock().retain_mut(|grave| !grave.reap(self));
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
