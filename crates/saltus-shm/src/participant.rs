//! This process in a domain: its segment, its peers, and who is matched with whom.
//!
//! Locks are taken in this order, and none is held while user code runs: the state (who is there),
//! a publisher or subscription, then one of the leaves (graves, slabs, arena, registry).

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::rand::{GetRandomFlags, getrandom};
use saltus_types::{Gid, NodeName, QoS, QosMismatch, TopicName, TypeHash};

use crate::{
    EndpointInfo, EndpointKind, MemoryError, NodeInfo, Publisher, Subscription,
    arena::{Arena, Block},
    domain::{Domain, DomainId, is_locked},
    housekeeping,
    link::{HOUSEKEEPING_BELL, Link, Port, SegmentHeader},
    os::{
        bell::Bell,
        exit::at_exit,
        fork, lock,
        segment::{Mapped, Segment},
    },
    protocol::{doorbell::Doorbell, ring::RingHeader},
    publisher::{Grave, PublisherCore},
    registry::{ConnectionInfo, Entry, RecordId, Registry, RegistryView, bump},
    slab::Slab,
    subscription::SubscriptionCore,
    waiter::Waiter,
};

/// The contexts of this process, whose files it must not open a second time (see [`lock`]).
static OWN: LazyLock<Mutex<HashMap<u64, Own>>> = LazyLock::new(Mutex::default);

#[derive(Debug)]
struct Own {
    segment: Arc<Segment>,
    domain: DomainId,
}

/// How often an exiting process asks for the domain's lock, a millisecond apart, before it leaves
/// its files to the next.
const EXIT_ATTEMPTS: u32 = 100;

/// Why a process can't take part.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The domain's file or this process's own can't be made or used.
    #[error("can't join domain {number} in {folder}: {source}")]
    System {
        /// The number of the domain.
        number: u32,
        /// Where its files are.
        folder: String,
        /// What the system said.
        source: io::Error,
    },
    /// Shared memory is full.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// Why an endpoint or node can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Shared memory is full.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The handle was inherited over `fork`.
    #[error("this context was opened before fork(): open one of your own in the child")]
    Forked,
}

/// Something about the graph that a user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphEvent {
    /// Two endpoints of one topic can't exchange messages, for their QoS.
    IncompatibleQos {
        /// The one of this process.
        local: EndpointInfo,
        /// The other.
        remote: EndpointInfo,
        /// The policy that falls short.
        policy: QosMismatch,
    },
    /// Two endpoints of one topic can't exchange messages, for their types.
    IncompatibleType {
        /// The one of this process.
        local: EndpointInfo,
        /// The other.
        remote: EndpointInfo,
    },
    /// A subscription can't be connected.
    NotConnected {
        /// The subscription.
        subscription: EndpointInfo,
        /// Why not.
        reason: String,
    },
}

/// Who is told of graph events; called from the housekeeping thread or from one that opens an endpoint.
pub type EventHandler = Box<dyn Fn(&GraphEvent) + Send + Sync>;

/// This process's part in a domain. Leaves it when the last handle that came of it is dropped.
#[derive(Clone, Debug)]
pub struct Participant(Arc<Lifeline>);

/// Keeps the process in the domain.
#[derive(Debug)]
pub(crate) struct Lifeline {
    pub(crate) shared: Arc<Shared>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

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
struct State {
    peers: HashMap<u64, Peer>,
    publishers: HashMap<String, Vec<Arc<PublisherCore>>>,
    subscriptions: HashMap<String, Vec<Arc<SubscriptionCore>>>,
    by_gid: HashMap<Gid, Arc<SubscriptionCore>>,
    remote: HashMap<String, Vec<(u64, EndpointInfo)>>,
    own: HashMap<RecordId, Entry>,
    /// Counts syncs, for those who wait for a change.
    version: u64,
}

#[derive(Debug)]
struct Peer {
    link: Arc<Link>,
    view: RegistryView,
    seen: Option<u64>,
}

/// Everything that is known of a domain at one moment.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Every node.
    pub nodes: Vec<NodeInfo>,
    /// Every publisher and subscription.
    pub endpoints: Vec<EndpointInfo>,
}

/// A node's place in the graph; leaves it when dropped.
#[derive(Debug)]
pub struct NodeEntry {
    info: NodeInfo,
    record: RecordId,
    lifeline: Arc<Lifeline>,
}

impl NodeEntry {
    /// What the graph says of it.
    pub fn info(&self) -> &NodeInfo {
        &self.info
    }
}

impl Drop for NodeEntry {
    fn drop(&mut self) {
        if !fork::is_child() {
            let shared = &self.lifeline.shared;
            shared.lock().own.remove(&self.record);
            shared.remove_record(self.record);
            shared.notify(&shared.lock());
        }
    }
}

/// What an endpoint is to be: everything but its gid.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSpec<'a> {
    /// The node that it belongs to.
    pub node: &'a NodeEntry,
    /// Where it sends to or receives from.
    pub topic: &'a TopicName,
    /// The type's full name.
    pub type_name: &'a str,
    /// The type's hash.
    pub type_hash: TypeHash,
    /// What it offers or requests.
    pub qos: QoS,
}

impl Participant {
    /// Joins a domain, after removing what dead processes left in it.
    pub fn join(domain: DomainId, on_event: EventHandler) -> Result<Self, JoinError> {
        fork::mark_parent();
        let (number, folder) = (domain.number, domain.folder.display().to_string());
        let system = |source| JoinError::System { number, folder: folder.clone(), source };
        let domain = Domain::open(domain).map_err(system)?;
        let process = random_id().map_err(system)?;
        let bell_path = domain.id().bell_path(process, HOUSEKEEPING_BELL);
        let (segment, bell) = {
            let lock = domain.lock().map_err(system)?;
            lock.sweep(|process| is_alive(domain.id(), process));
            lock.enter(process).map_err(system)?;
            make_segment(domain.id(), process)
                .and_then(|segment| Ok((segment, Bell::create(bell_path)?)))
                .inspect_err(|_| lock.remove(process))
                .map_err(system)?
        };
        let link = Link::new(process, segment.clone(), domain.id().clone())
            .ok_or_else(|| system(io::Error::other("its own segment is not readable")))?;
        let shared = Arc::new(Shared::new(domain, segment, link, on_event));
        let lifeline = Arc::new(Lifeline { shared, thread: Mutex::default() });
        lifeline.shared.sync(&lifeline);
        let thread = housekeeping::spawn(&lifeline, bell).map_err(system)?;
        *lifeline.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(Self(lifeline))
    }

    /// Enters a node into the graph.
    pub fn node(&self, name: &NodeName) -> Result<NodeEntry, OpenError> {
        if fork::is_child() {
            return Err(OpenError::Forked);
        }
        let shared = &self.0.shared;
        let info =
            NodeInfo { gid: shared.new_gid(), namespace: name.namespace().into(), name: name.base().into() };
        let mut state = shared.lock();
        let record = shared.add_own(&mut state, Entry::Node(info.clone()))?;
        shared.notify(&state);
        Ok(NodeEntry { info, record, lifeline: self.0.clone() })
    }

    /// Opens a publisher and connects it to every subscription that it suits.
    pub fn publisher(&self, spec: &EndpointSpec<'_>) -> Result<Publisher, OpenError> {
        if fork::is_child() {
            return Err(OpenError::Forked);
        }
        let shared = &self.0.shared;
        let info = shared.endpoint(EndpointKind::Publisher, spec, 0);
        let mut state = shared.lock();
        let record = shared.add_own(&mut state, Entry::Endpoint(info.clone()))?;
        let core = Arc::new(PublisherCore::new(info, record, shared.clone()));
        state.publishers.entry(core.info.topic.clone()).or_default().push(core.clone());
        for (link, subscription) in state.others(&core.info.topic, EndpointKind::Subscription, &shared.link) {
            shared.try_connect(&state, &core, &subscription, &link, &self.0);
        }
        shared.notify(&state);
        Ok(Publisher { core, lifeline: self.0.clone() })
    }

    /// Opens a subscription; every publisher that suits it will connect.
    pub fn subscription(&self, spec: &EndpointSpec<'_>) -> Result<Subscription, OpenError> {
        if fork::is_child() {
            return Err(OpenError::Forked);
        }
        let shared = &self.0.shared;
        let (port, offset) = shared.open_port()?;
        let info = shared.endpoint(EndpointKind::Subscription, spec, offset);
        let mut state = shared.lock();
        let record = shared.add_own(&mut state, Entry::Endpoint(info.clone()))?;
        let core = Arc::new(SubscriptionCore::new(info, record, shared.clone(), port));
        let topic = core.info.topic.clone();
        state.by_gid.insert(core.info.gid, core.clone());
        state.subscriptions.entry(topic.clone()).or_default().push(core.clone());
        for (_, publisher) in state.others(&topic, EndpointKind::Publisher, &shared.link) {
            shared.check_subscription(&core, &publisher);
        }
        for publisher in state.publishers.get(&topic).cloned().unwrap_or_default() {
            shared.try_connect(&state, &publisher, &core.info, &shared.link, &self.0);
        }
        shared.notify(&state);
        Ok(Subscription { core, _lifeline: self.0.clone() })
    }

    /// A place to wait for messages.
    pub fn waiter(&self) -> Result<Waiter, OpenError> {
        if fork::is_child() { Err(OpenError::Forked) } else { Ok(Waiter::new(self.0.clone())?) }
    }

    /// Waits until `is_so` or the time is up; looks whenever the graph changes. Returns what held last.
    pub fn wait_until(&self, timeout: Duration, mut is_so: impl FnMut() -> bool) -> bool {
        if fork::is_child() {
            return is_so();
        }
        let deadline = Instant::now() + timeout;
        loop {
            let version = self.0.shared.lock().version;
            if is_so() {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.0.shared.wait_for_change(version, left) {
                return is_so();
            }
        }
    }

    /// Everything that this process knows of the domain.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        if !fork::is_child() {
            let state = self.0.shared.lock();
            let remote = state.peers.values().flat_map(|peer| peer.view.entries());
            state.own.values().chain(remote).for_each(|entry| graph.add(entry));
        }
        graph
    }
}

impl Graph {
    /// Looks at a domain from outside, without taking part in it.
    pub fn observe(domain: DomainId) -> io::Result<Self> {
        let domain = match Domain::open_existing(domain) {
            Ok(domain) => domain,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let mut graph = Self::default();
        for process in domain.processes().into_iter().filter(|process| is_alive(domain.id(), *process)) {
            // One that leaves meanwhile is as good as gone.
            let Ok(segment) = open_segment(domain.id(), process) else { continue };
            let mut view = RegistryView::default();
            view.refresh(&segment).added.iter().for_each(|entry| graph.add(entry));
        }
        Ok(graph)
    }

    fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::Node(node) => self.nodes.push(node.clone()),
            Entry::Endpoint(endpoint) => self.endpoints.push(endpoint.clone()),
            Entry::Connection(_) => {}
        }
    }
}

impl State {
    /// The endpoints of a kind on a topic, in this process (for publishers that look for
    /// subscriptions) and in others.
    fn others(&self, topic: &str, kind: EndpointKind, own: &Arc<Link>) -> Vec<(Arc<Link>, EndpointInfo)> {
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
    fn new(domain: Domain, segment: Arc<Segment>, link: Link, on_event: EventHandler) -> Self {
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

    fn lock(&self) -> MutexGuard<'_, State> {
        lock_of(&self.state)
    }

    fn new_gid(&self) -> Gid {
        Gid::from_parts(self.link.process, self.next_entity.fetch_add(1, Ordering::Relaxed))
    }

    fn endpoint(&self, kind: EndpointKind, spec: &EndpointSpec<'_>, port: u64) -> EndpointInfo {
        EndpointInfo {
            kind,
            gid: self.new_gid(),
            node: spec.node.info.gid,
            topic: spec.topic.as_str().into(),
            type_name: spec.type_name.into(),
            type_hash: spec.type_hash,
            qos: spec.qos,
            port,
        }
    }

    fn add_own(&self, state: &mut State, entry: Entry) -> Result<RecordId, MemoryError> {
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
    fn notify(&self, state: &State) {
        bump(&self.link.header.changes);
        state.peers.values().for_each(|peer| peer.link.ring_housekeeping());
        self.changed.notify_all();
    }

    fn wait_for_change(&self, version: u64, timeout: Duration) -> bool {
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, timeout, |state| state.version == version);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Connects a publisher of this process to a subscription of any, if they suit each other.
    fn try_connect(
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
    fn check_subscription(&self, subscription: &SubscriptionCore, publisher: &EndpointInfo) {
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

    fn open_port(&self) -> Result<(Mapped<Port>, u64), MemoryError> {
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

impl Lifeline {
    /// Whether the calling thread is its housekeeping.
    fn is_housekeeping(thread: &std::thread::JoinHandle<()>) -> bool {
        thread.thread().id() == std::thread::current().id()
    }
}

/// Leaves the domain.
impl Drop for Lifeline {
    fn drop(&mut self) {
        if fork::is_child() {
            return;
        }
        let shared = &self.shared;
        shared.stop.store(true, Ordering::Release);
        shared.link.ring_housekeeping();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(|thread| !Self::is_housekeeping(thread)) {
            // It never panics by intention; if it did, leaving goes on all the same.
            let _ = thread.join();
        }
        let process = shared.link.process;
        if let Ok(lock) = shared.domain.lock() {
            lock.remove(process);
            // One that was killed before anybody knew it is known to nobody but the table.
            lock.sweep(|process| is_alive(shared.domain.id(), process));
        }
        lock_of(&OWN).remove(&process);
        shared.lock().peers.values().for_each(|peer| peer.link.ring_housekeeping());
    }
}

/// Why two endpoints of one topic can't exchange messages, as seen from the local one.
fn mismatch(local: &EndpointInfo, remote: &EndpointInfo) -> Option<GraphEvent> {
    if (&local.type_name, local.type_hash) != (&remote.type_name, remote.type_hash) {
        return Some(GraphEvent::IncompatibleType { local: local.clone(), remote: remote.clone() });
    }
    let (offered, requested) = match local.kind {
        EndpointKind::Publisher => (&local.qos, &remote.qos),
        EndpointKind::Subscription => (&remote.qos, &local.qos),
    };
    let policy = offered.offers(requested).err()?;
    Some(GraphEvent::IncompatibleQos { local: local.clone(), remote: remote.clone(), policy })
}

/// Makes this process's own segment, and locks it for as long as the process lives.
fn make_segment(domain: &DomainId, process: u64) -> io::Result<Arc<Segment>> {
    let segment = Arc::new(Segment::create(&domain.segment_path(process))?);
    lock_of(&OWN).insert(process, Own { segment: segment.clone(), domain: domain.clone() });
    at_exit(leave_all);
    let made = lock::acquire(segment.file()).and_then(|()| {
        segment.commit(0, size_of::<SegmentHeader>() as u64)?;
        let header = segment.get::<SegmentHeader>(0).ok_or_else(|| io::Error::other("can't be mapped"))?;
        header.publish(std::process::id(), housekeeping::pid_namespace());
        Ok(())
    });
    if let Err(error) = made {
        lock_of(&OWN).remove(&process);
        return Err(error);
    }
    Ok(segment)
}

/// Opens another process's segment, or finds that of another context of this process.
fn open_segment(domain: &DomainId, process: u64) -> io::Result<Arc<Segment>> {
    if let Some(own) = lock_of(&OWN).get(&process) {
        return Ok(own.segment.clone());
    }
    Segment::open(&domain.segment_path(process)).map(Arc::new)
}

/// Whether the owner of a process id lives.
pub(crate) fn is_alive(domain: &DomainId, process: u64) -> bool {
    lock_of(&OWN).contains_key(&process) || is_locked(&domain.segment_path(process))
}

/// Whether a process id is a context of this process.
pub(crate) fn is_own(process: u64) -> bool {
    lock_of(&OWN).contains_key(&process)
}

/// Removes the files of contexts that nobody dropped before the process exits.
extern "C" fn leave_all() {
    if fork::is_child() {
        return;
    }
    // Another thread may be leaving at the same time, so nothing here waits for a lock, and none is
    // held while another is asked for.
    let own = OWN.try_lock().map(|mut own| std::mem::take(&mut *own)).unwrap_or_default();
    for (process, Own { domain, .. }) in own {
        let Ok(domain) = Domain::open_existing(domain) else { continue };
        // Dropping it would wait; the process ends anyway.
        let domain = std::mem::ManuallyDrop::new(domain);
        for _ in 0..EXIT_ATTEMPTS {
            if let Some(lock) = domain.try_lock() {
                lock.remove(process);
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn random_id() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    // 0 marks a free place in the table.
    Ok(u64::from_le_bytes(bytes).max(1))
}

fn lock_of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) type WeakLifeline = Weak<Lifeline>;
