//! Who is there and who is matched with whom: what all threads of a context share.
//!
//! Locks are taken in this order, and none is held while user code runs: the state (who is there),
//! a publisher or subscription, then one of the leaves (graves, slabs, arena, registry).

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_types::Gid;

use crate::{
    EndpointInfo, EndpointKind, MemoryError,
    arena::{Arena, Block},
    domain::Domain,
    graph::{EventHandler, GraphEvent, mismatch},
    link::{HOUSEKEEPING_BELL, Link, Port},
    os::{
        bell::Bell,
        segment::{Mapped, Segment},
    },
    own::{is_alive, open_segment},
    participant::{EndpointSpec, Lifeline},
    protocol::{doorbell::Doorbell, ring::RingHeader},
    publisher::{Grave, PublisherCore},
    registry::{ConnectionInfo, Entry, RecordId, Registry, RegistryView, bump},
    slab::Slab,
    subscription::SubscriptionCore,
};

pub(crate) struct Shared {
    pub(crate) domain: Domain,
    pub(crate) segment: Arc<Segment>,
    pub(crate) link: Arc<Link>,
    pub(crate) arena: Mutex<Arena>,
    pub(crate) stop: AtomicBool,
    registry: Mutex<Registry>,
    slabs: Mutex<Slabs>,
    graves: Mutex<Vec<Grave>>,
    state: Mutex<State>,
    changed: Condvar,
    next_entity: AtomicU64,
    next_generation: AtomicU64,
    next_bell: AtomicU32,
    on_event: EventHandler,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("process", &self.link.process).finish_non_exhaustive()
    }
}

/// Shared objects that are reused only as what they are.
#[derive(Debug, Default)]
struct Slabs {
    ports: Slab<Port>,
    doorbells: Slab<Doorbell>,
    rings: Slab<RingHeader>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) peers: HashMap<u64, Peer>,
    pub(crate) publishers: HashMap<String, Vec<Arc<PublisherCore>>>,
    pub(crate) subscriptions: HashMap<String, Vec<Arc<SubscriptionCore>>>,
    pub(crate) by_gid: HashMap<Gid, Arc<SubscriptionCore>>,
    pub(crate) remote: HashMap<String, Vec<(u64, EndpointInfo)>>,
    pub(crate) own: HashMap<RecordId, Entry>,
    /// Counts syncs, for those who wait for a change.
    pub(crate) version: u64,
}

#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) link: Arc<Link>,
    pub(crate) view: RegistryView,
    pub(crate) seen: Option<u64>,
}

impl State {
    /// The endpoints of a kind on a topic, in this process (for publishers that look for
    /// subscriptions) and in others.
    pub(crate) fn others(
        &self,
        topic: &str,
        kind: EndpointKind,
        own: &Arc<Link>,
    ) -> Vec<(Arc<Link>, EndpointInfo)> {
        let local = match kind {
            EndpointKind::Subscription => self.subscriptions.get(topic).map_or(&[][..], Vec::as_slice),
            EndpointKind::Publisher => &[],
        };
        let local = local.iter().map(|core| (own.clone(), core.info.clone()));
        let remote = self.remote.get(topic).into_iter().flatten().filter(|(_, info)| info.kind == kind);
        let remote = remote.filter_map(|(id, info)| Some((self.peers.get(id)?.link.clone(), info.clone())));
        local.chain(remote).collect()
    }
}

impl Shared {
    pub(crate) fn new(domain: Domain, segment: Arc<Segment>, link: Link, on_event: EventHandler) -> Self {
        Self {
            arena: Mutex::new(Arena::new(segment.clone())),
            registry: Mutex::new(Registry::new(segment.clone())),
            link: Arc::new(link),
            domain,
            segment,
            on_event,
            stop: AtomicBool::new(false),
            slabs: Mutex::default(),
            graves: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            next_entity: AtomicU64::new(1),
            next_generation: AtomicU64::new(1),
            next_bell: AtomicU32::new(HOUSEKEEPING_BELL + 1),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        lock_of(&self.state)
    }

    pub(crate) fn new_gid(&self) -> Gid {
        Gid::from_parts(self.link.process, self.next_entity.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn endpoint(&self, kind: EndpointKind, spec: &EndpointSpec<'_>, port: u64) -> EndpointInfo {
        EndpointInfo {
            kind,
            gid: self.new_gid(),
            node: spec.node.info().gid,
            topic: spec.topic.as_str().into(),
            type_name: spec.type_name.into(),
            type_hash: spec.type_hash,
            qos: spec.qos,
            port,
        }
    }

    pub(crate) fn add_own(&self, state: &mut State, entry: Entry) -> Result<RecordId, MemoryError> {
        let record = lock_of(&self.registry).add(&entry)?;
        state.own.insert(record, entry);
        Ok(record)
    }

    pub(crate) fn add_connection(&self, info: &ConnectionInfo) -> Result<RecordId, MemoryError> {
        lock_of(&self.registry).add(&Entry::Connection(info.clone()))
    }

    pub(crate) fn remove_record(&self, record: RecordId) {
        lock_of(&self.registry).remove(record);
    }

    /// Tells all peers, and all who wait in this process, that something changed.
    pub(crate) fn notify(&self, state: &State) {
        bump(&self.link.header.changes);
        state.peers.values().for_each(|peer| peer.link.ring_housekeeping());
        self.changed.notify_all();
    }

    pub(crate) fn wait_for_change(&self, version: u64, timeout: Duration) -> bool {
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, timeout, |state| state.version == version);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    pub(crate) fn wake_waiting(&self) {
        self.lock().version += 1;
        self.changed.notify_all();
    }

    /// Connects a publisher of this process to a subscription of any, if they suit each other.
    pub(crate) fn try_connect(
        &self,
        state: &State,
        publisher: &PublisherCore,
        subscription: &EndpointInfo,
        link: &Arc<Link>,
        lifeline: &Arc<Lifeline>,
    ) {
        if let Some(event) = mismatch(&publisher.info, subscription) {
            publisher.incompatible.fetch_add(1, Ordering::Relaxed);
            return (self.on_event)(&event);
        }
        match publisher.connect(subscription, link) {
            Ok(Some(info)) => {
                if let Some(local) = state.by_gid.get(&subscription.gid) {
                    local.attach(&info, &self.link, lifeline);
                }
            }
            Ok(None) => {}
            Err(error) => (self.on_event)(&GraphEvent::NotConnected {
                subscription: subscription.clone(),
                reason: error.to_string(),
            }),
        }
    }

    /// A subscription is connected by its publishers; but that one of them does not suit it is told here too.
    pub(crate) fn check_subscription(&self, subscription: &SubscriptionCore, publisher: &EndpointInfo) {
        if let Some(event) = mismatch(&subscription.info, publisher) {
            subscription.incompatible.fetch_add(1, Ordering::Relaxed);
            (self.on_event)(&event);
        }
    }

    pub(crate) fn remove_publisher(&self, core: &Arc<PublisherCore>) {
        let mut state = self.lock();
        if let Some(publishers) = state.publishers.get_mut(&core.info.topic) {
            publishers.retain(|other| !Arc::ptr_eq(other, core));
        }
        state.own.remove(&core.record);
        core.close();
        self.remove_record(core.record);
        for subscription in state.subscriptions.get(&core.info.topic).into_iter().flatten() {
            subscription.end(|publisher, _| *publisher == core.info.gid);
        }
        self.reap();
        self.notify(&state);
    }

    pub(crate) fn remove_subscription(&self, core: &Arc<SubscriptionCore>) {
        let mut state = self.lock();
        if let Some(subscriptions) = state.subscriptions.get_mut(&core.info.topic) {
            subscriptions.retain(|other| !Arc::ptr_eq(other, core));
        }
        state.by_gid.remove(&core.info.gid);
        state.own.remove(&core.record);
        let port = core.close();
        self.remove_record(core.record);
        for publisher in state.publishers.get(&core.info.topic).into_iter().flatten() {
            publisher.disconnect(|connection| connection.info.subscription == core.info.gid, false);
        }
        lock_of(&self.slabs).ports.give_back(port, core.info.port);
        self.notify(&state);
    }

    /// Brings this process's picture of the domain up to date, and matches what is new.
    pub(crate) fn sync(&self, lifeline: &Arc<Lifeline>) {
        let present = self.domain.processes();
        let mut state = self.lock();
        for process in present.iter().filter(|process| **process != self.link.process) {
            if !state.peers.contains_key(process) {
                self.meet(&mut state, *process);
            }
        }
        let gone: Vec<u64> =
            state.peers.keys().copied().filter(|process| !present.contains(process)).collect();
        gone.into_iter().for_each(|process| self.part(&mut state, process));
        let changed = self.refresh(&mut state, lifeline);
        self.reap();
        state.version += 1;
        if changed {
            self.notify(&state);
        }
        self.changed.notify_all();
    }

    /// Gets to know a process, and makes sure that it gets to know this one's present state.
    fn meet(&self, state: &mut State, process: u64) {
        // One that is still joining, or gone already, rings when there is something to see.
        let Ok(segment) = open_segment(self.domain.id(), process) else { return };
        let Some(link) = Link::new(process, segment, self.domain.id().clone()) else { return };
        link.ring_housekeeping();
        state.peers.insert(process, Peer { link: Arc::new(link), view: RegistryView::default(), seen: None });
    }

    /// Forgets a process that has left or died. Nothing of it is touched any more but what its
    /// mapped memory still holds unread.
    fn part(&self, state: &mut State, process: u64) {
        state.peers.remove(&process);
        for endpoints in state.remote.values_mut() {
            endpoints.retain(|(owner, _)| *owner != process);
        }
        state.remote.retain(|_, endpoints| !endpoints.is_empty());
        for publisher in state.publishers.values().flatten() {
            publisher.release_process(process);
        }
        for subscription in state.by_gid.values() {
            subscription.end(|_, owner| owner == process);
        }
        lock_of(&self.graves).iter_mut().for_each(|grave| grave.release_process(process, self));
    }

    /// Reads what changed in the registries of all peers. Returns whether this process's own
    /// changed by that.
    fn refresh(&self, state: &mut State, lifeline: &Arc<Lifeline>) -> bool {
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
            changed |= !changes.added.is_empty() || !changes.removed.is_empty();
            changes.removed.into_iter().for_each(|entry| self.forget(state, &link, &entry));
            changes.added.into_iter().for_each(|entry| self.learn(state, &link, entry, lifeline));
        }
        changed
    }

    fn learn(&self, state: &mut State, link: &Arc<Link>, entry: Entry, lifeline: &Arc<Lifeline>) {
        match entry {
            Entry::Node(_) => {}
            Entry::Connection(connection) => {
                if let Some(subscription) = state.by_gid.get(&connection.subscription) {
                    subscription.attach(&connection, link, lifeline);
                }
            }
            Entry::Endpoint(endpoint) => {
                state
                    .remote
                    .entry(endpoint.topic.clone())
                    .or_default()
                    .push((link.process, endpoint.clone()));
                self.learn_endpoint(state, link, &endpoint, lifeline);
            }
        }
    }

    fn learn_endpoint(
        &self,
        state: &State,
        link: &Arc<Link>,
        endpoint: &EndpointInfo,
        lifeline: &Arc<Lifeline>,
    ) {
        match endpoint.kind {
            EndpointKind::Subscription => {
                for publisher in state.publishers.get(&endpoint.topic).into_iter().flatten() {
                    self.try_connect(state, publisher, endpoint, link, lifeline);
                }
            }
            EndpointKind::Publisher => {
                for subscription in state.subscriptions.get(&endpoint.topic).into_iter().flatten() {
                    self.check_subscription(subscription, endpoint);
                }
            }
        }
    }

    fn forget(&self, state: &mut State, link: &Arc<Link>, entry: &Entry) {
        match entry {
            Entry::Node(_) => {}
            Entry::Connection(connection) => {
                if let Some(subscription) = state.by_gid.get(&connection.subscription) {
                    subscription.end(|publisher, _| *publisher == connection.publisher);
                }
            }
            Entry::Endpoint(endpoint) => {
                if let Some(endpoints) = state.remote.get_mut(&endpoint.topic) {
                    endpoints.retain(|(owner, other)| (*owner, other.gid) != (link.process, endpoint.gid));
                }
                for publisher in state.publishers.get(&endpoint.topic).into_iter().flatten() {
                    publisher.disconnect(|connection| connection.info.subscription == endpoint.gid, false);
                }
            }
        }
    }

    /// The peers and what it takes to watch them.
    pub(crate) fn peers(&self) -> Vec<Arc<Link>> {
        self.lock().peers.values().map(|peer| peer.link.clone()).collect()
    }

    /// Forgets a process that died, and removes its files unless somebody else did.
    pub(crate) fn bury_process(&self, process: u64) {
        self.part(&mut self.lock(), process);
        if let Ok(lock) = self.domain.lock()
            && !is_alive(self.domain.id(), process)
        {
            lock.remove(process);
        }
    }

    pub(crate) fn bury(&self, mut grave: Grave) {
        if !grave.reap(self) {
            lock_of(&self.graves).push(grave);
        }
    }

    fn reap(&self) {
        lock_of(&self.graves).retain_mut(|grave| !grave.reap(self));
    }

    pub(crate) fn allocate(&self, len: u64) -> Result<Block, MemoryError> {
        lock_of(&self.arena).allocate(len)
    }

    pub(crate) fn free(&self, block: Block) {
        lock_of(&self.arena).free(block);
    }

    pub(crate) fn open_port(&self) -> Result<(Mapped<Port>, u64), MemoryError> {
        lock_of(&self.slabs).ports.take(&self.segment, &self.arena)
    }

    pub(crate) fn open_doorbell(&self) -> Result<(Mapped<Doorbell>, u64), MemoryError> {
        lock_of(&self.slabs).doorbells.take(&self.segment, &self.arena)
    }

    pub(crate) fn close_doorbell(&self, doorbell: Mapped<Doorbell>, offset: u64) {
        lock_of(&self.slabs).doorbells.give_back(doorbell, offset);
    }

    /// An empty queue that is offered under a new generation.
    pub(crate) fn open_ring(&self) -> Result<(Mapped<RingHeader>, u64, u64), MemoryError> {
        let (header, offset) = lock_of(&self.slabs).rings.take(&self.segment, &self.arena)?;
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        header.open(generation);
        Ok((header, offset, generation))
    }

    pub(crate) fn close_ring(&self, header: Mapped<RingHeader>, slots: Block, offset: u64) {
        self.free(slots);
        lock_of(&self.slabs).rings.give_back(header, offset);
    }

    /// A pipe of this process and its number.
    pub(crate) fn open_bell(&self) -> io::Result<(Bell, u32)> {
        let number = self.next_bell.fetch_add(1, Ordering::Relaxed);
        Ok((Bell::create(self.domain.id().bell_path(self.link.process, number))?, number))
    }
}

/// A mutex locked, whoever panicked while holding it: no invariant spans a panic here.
pub(crate) fn lock_of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
