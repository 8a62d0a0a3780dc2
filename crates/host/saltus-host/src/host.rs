//! This process's part in a domain: what all its threads share, and how commands of the graph are carried out.
//!
//! Locks are taken in this order: the state (endpoints and peers); a sender or receiver; then the watch of its times,
//! its events, or one of the other locks. Retired queues are locked before the memory's own locks. No lock is held
//! while user code runs.

mod commands;
mod peers;

use std::{
    any::Any,
    collections::{HashMap, HashSet},
    sync::{
        Arc, Condvar, Mutex as StdMutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_graph::{
    Channel, Due, EndpointId, EndpointInfo, EndpointKind, Entry, GraphEvent, Key, Matcher, OfferId,
};
use saltus_memory::{
    arena::MemoryError,
    link::Link,
    memory::{KeepAlive, Memory},
    os::{clock::monotonic_nanos, mutex::Mutex, segment::Segment},
    records::{RecordId, count_change},
    retired::RetiredQueues,
};
use saltus_types::{TypeHash, lock};

use crate::{
    ends::{PublisherEnd, SubscriptionEnd},
    registry::{self, RegistryView},
    watch::{Watched, Watcher},
};

/// A user's handler of graph events. The housekeeping thread or a thread that opens an endpoint calls it, with no lock
/// held.
pub type EventHandler = Box<dyn Fn(&GraphEvent) + Send + Sync>;

/// Called when the other end of an offered endpoint is opened.
pub(crate) type OfferFn = Arc<dyn Fn(Channel, &str) + Send + Sync>;

pub(crate) struct Host {
    pub(crate) memory: Arc<Memory>,
    pub(crate) retired: Arc<RetiredQueues>,
    pub(crate) stop: AtomicBool,
    /// Whether any endpoint has a deadline or a lease that must be checked.
    timed: AtomicBool,
    /// A mutex of the standard library, because threads wait for its changes. Neither publishing nor taking locks it.
    state: StdMutex<HostState>,
    changed: Condvar,
    next_serial: AtomicU64,
    on_event: EventHandler,
    /// Keeps this process in the domain while it can be upgraded.
    keep_alive: Weak<dyn Any + Send + Sync>,
    /// Events for the user's handler, which is called as soon as no lock is held.
    pending_events: Mutex<Vec<GraphEvent>>,
    /// The keys to open, each with the function to call as soon as no lock is held.
    pending_opens: Mutex<Vec<(OfferFn, String)>>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("process", &self.process()).finish_non_exhaustive()
    }
}

pub(crate) struct HostState {
    pub(crate) peers: HashMap<u64, Peer>,
    pub(crate) matcher: Matcher,
    publishers: HashMap<EndpointId, Arc<PublisherEnd>>,
    subscriptions: HashMap<EndpointId, Arc<SubscriptionEnd>>,
    /// Counts changes, for threads that wait for one.
    pub(crate) version: u64,
    /// The functions that open offered endpoints.
    offers: HashMap<OfferId, OfferFn>,
    /// Types that this process's registry describes.
    pub(crate) described: HashSet<TypeHash>,
    /// The watches of the graph.
    watchers: Vec<Weak<Watcher>>,
    /// This process's own entries, as far as the watches know them; `None` if no watch has them.
    own: Option<RegistryView>,
    /// Members whose memory could not be opened yet, and how often opening it failed. It is tried again.
    unreachable: HashMap<u64, u32>,
}

#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) link: Arc<Link>,
    pub(crate) view: RegistryView,
    seen: Option<u64>,
}

impl HostState {
    /// Returns the endpoints of peers of a kind on a topic, read from the peers' segments.
    fn remote_of(&self, topic: &str, kind: EndpointKind) -> impl Iterator<Item = EndpointInfo> {
        let key = Key::endpoint(kind, topic);
        self.peers.values().flat_map(move |peer| {
            peer.view.with_key(key, &peer.link.segment).filter_map(move |entry| match entry {
                Entry::Endpoint(info) if info.topic == topic && info.kind == kind => Some(info),
                _ => None,
            })
        })
    }

    /// Returns the endpoints of peers on a topic that an endpoint of a kind may be matched with.
    pub(crate) fn others_of(&self, topic: &str, kind: EndpointKind) -> Vec<EndpointInfo> {
        let other = match kind {
            EndpointKind::Publisher => EndpointKind::Subscription,
            EndpointKind::Subscription => EndpointKind::Publisher,
        };
        self.remote_of(topic, other).collect()
    }

    /// Returns whether a peer has any endpoint on a topic.
    fn is_open(&self, topic: &str) -> bool {
        let remote = |kind| self.remote_of(topic, kind).next().is_some();
        remote(EndpointKind::Publisher) || remote(EndpointKind::Subscription)
    }
}

/// Returns the watches that were not dropped.
fn watchers(all: &[Weak<Watcher>]) -> impl Iterator<Item = Arc<Watcher>> {
    all.iter().filter_map(Weak::upgrade)
}

impl Host {
    pub(crate) fn new(
        memory: Arc<Memory>,
        on_event: EventHandler,
        keep_alive: Weak<dyn Any + Send + Sync>,
    ) -> Self {
        let process = memory.link.process;
        Self {
            memory,
            retired: Arc::default(),
            on_event,
            pending_events: Mutex::default(),
            pending_opens: Mutex::default(),
            stop: AtomicBool::new(false),
            timed: AtomicBool::new(false),
            state: StdMutex::new(HostState {
                peers: HashMap::new(),
                matcher: Matcher::new(process),
                publishers: HashMap::new(),
                subscriptions: HashMap::new(),
                version: 0,
                offers: HashMap::new(),
                described: HashSet::new(),
                watchers: Vec::new(),
                own: None,
                unreachable: HashMap::new(),
            }),
            changed: Condvar::new(),
            next_serial: AtomicU64::new(1),
            keep_alive,
        }
    }

    /// Returns what keeps this process in the domain, unless it is leaving.
    fn keep_alive(&self) -> Option<KeepAlive> {
        self.keep_alive.upgrade()
    }

    pub(crate) fn process(&self) -> u64 {
        self.memory.link.process
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HostState> {
        lock(&self.state)
    }

    /// Returns the number of a new entity of this process.
    pub(crate) fn next_serial(&self) -> u64 {
        self.next_serial.fetch_add(1, Ordering::Relaxed)
    }

    /// Removes a record of something that has no other state in this process, and notifies peers and waiting threads.
    pub(crate) fn withdraw_record(&self, record: RecordId) {
        if self.memory.usability.may_release() {
            let mut state = self.lock();
            self.remove_record(record);
            self.notify(&mut state);
        }
    }

    pub(crate) fn remove_record(&self, record: RecordId) {
        self.memory.records.lock().remove(record);
    }

    /// Notifies all peers, and all threads of this process that wait, that something changed.
    pub(crate) fn notify(&self, state: &mut HostState) {
        state.version += 1;
        self.update_own_watchers(state);
        count_change(&self.memory.link.header.changes);
        state.peers.values().for_each(|peer| peer.link.ring_housekeeping());
        self.changed.notify_all();
    }

    /// Passes the changes of this process's own entries to the watches of all entities.
    fn update_own_watchers(&self, state: &mut HostState) {
        let Some(own) = &mut state.own else { return };
        let changes = own.refresh(&self.memory.segment, true).records;
        let all: Vec<_> = watchers(&state.watchers).filter(|one| one.watched == Watched::All).collect();
        all.iter().for_each(|watcher| watcher.update(|watch| watch.update(self.process(), changes.clone())));
        if all.is_empty() {
            state.own = None;
        }
    }

    /// Passes the changes of another process's entries to the watches of the graph.
    fn update_watchers(state: &mut HostState, process: u64, changes: &[(u64, Option<Entry>)]) {
        state.watchers.retain(|watcher| watcher.strong_count() > 0);
        for watcher in watchers(&state.watchers) {
            watcher.update(|watch| watch.update(process, changes.iter().cloned()));
        }
    }

    /// Removes the entries of a process that has left or is dead from the watches of the graph.
    fn remove_from_watchers(state: &HostState, process: u64) {
        for watcher in watchers(&state.watchers) {
            watcher.update(|watch| watch.forget(process));
        }
    }

    /// Creates a watch of the graph.
    pub(crate) fn watch(&self, watched: Watched) -> Arc<Watcher> {
        let watcher = Arc::new(Watcher::new(watched));
        let add = |process: u64, segment: &Segment| {
            let records: Vec<_> = registry::entries_with_offsets(segment, process).collect();
            let records = records.into_iter().map(|(record, entry)| (record, Some(entry)));
            watcher.update(|watch| watch.update(process, records));
        };
        let mut state = self.lock();
        state.watchers.push(Arc::downgrade(&watcher));
        if watched == Watched::All {
            add(self.process(), &self.memory.segment);
            let own = state.own.get_or_insert_with(|| RegistryView::new(self.process()));
            // What the watches know by now is not returned again.
            let changes = own.refresh(&self.memory.segment, true).records;
            for other in watchers(&state.watchers).filter(|other| other.watched == Watched::All) {
                other.update(|watch| watch.update(self.process(), changes.clone()));
            }
        }
        for (process, peer) in &state.peers {
            add(*process, &peer.link.segment);
        }
        watcher
    }

    /// Waits until the version differs from `version`, for ever if `timeout` is `None`. Returns whether it differs.
    pub(crate) fn wait_for_change(&self, version: u64, timeout: Option<Duration>) -> bool {
        let state = self.lock();
        let same = |state: &mut HostState| state.version == version;
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

    /// Calls the user's handler with pending events, and the functions of offers that are to be opened. No lock may be
    /// held, because both may use the graph.
    pub(crate) fn deliver_pending(&self) {
        let events = std::mem::take(&mut *self.pending_events.lock());
        events.iter().for_each(|event| (self.on_event)(event));
        let opens = std::mem::take(&mut *self.pending_opens.lock());
        for (open, key) in opens {
            let (channel, name) = Channel::split(&key);
            open(channel, name);
        }
    }

    /// Adds an event for the user's handler; see [`Host::deliver_pending`].
    pub(crate) fn queue_event(&self, event: GraphEvent) {
        self.pending_events.lock().push(event);
    }

    /// Ends the use of this context, which was expelled from its domain, and wakes all threads that wait in it.
    pub(crate) fn expel(&self, reason: String, may_be_proven_dead: bool) {
        self.memory.usability.expel(&reason, may_be_proven_dead);
        // Without these records, publishers stop waiting for its subscriptions, and receivers learn that its senders
        // are gone. They still read what it has sent.
        self.memory.records.lock().close();
        self.notify(&mut self.lock());
        self.queue_event(GraphEvent::Expelled { reason });
        self.deliver_pending();
        self.memory.wake_all();
        self.wake_waiting();
    }

    pub(crate) fn wake_waiting(&self) {
        self.lock().version += 1;
        self.changed.notify_all();
    }

    /// Adds a publisher that was opened, and matches it. `others` are the endpoints of peers on its topic. It is not
    /// connected to the endpoints of this process if both have `skips_own`.
    pub(crate) fn add_publisher(
        &self,
        state: &mut HostState,
        end: &Arc<PublisherEnd>,
        others: &[EndpointInfo],
        skips_own: bool,
    ) {
        state.publishers.insert(end.info.id, end.clone());
        self.opened(state, &end.info, others, skips_own);
        if end.is_timed() {
            self.watch_times();
        }
    }

    /// Adds a subscription that was opened, as [`Host::add_publisher`] does.
    pub(crate) fn add_subscription(
        &self,
        state: &mut HostState,
        end: &Arc<SubscriptionEnd>,
        others: &[EndpointInfo],
        skips_own: bool,
    ) {
        state.subscriptions.insert(end.info.id, end.clone());
        self.opened(state, &end.info, others, skips_own);
        if end.is_timed() {
            self.watch_times();
        }
    }

    fn opened(
        &self,
        state: &mut HostState,
        info: &Arc<EndpointInfo>,
        others: &[EndpointInfo],
        skips_own: bool,
    ) {
        state.matcher.open(info.clone(), others, skips_own);
        self.carry_out(state);
        self.notify(state);
    }

    /// Lets a publisher connect to no more subscriptions, unless one is connected. Returns whether it did.
    pub(crate) fn retire_publisher(&self, end: &PublisherEnd) -> bool {
        let mut state = self.lock();
        // A subscription whose queue is there will take what is in it.
        let may_retire = !end.sender.has_receivers();
        if may_retire {
            state.matcher.close(end.info.id);
            self.carry_out(&mut state);
        }
        may_retire
    }

    pub(crate) fn remove_publisher(&self, end: &Arc<PublisherEnd>) {
        let mut state = self.lock();
        state.publishers.remove(&end.info.id);
        state.matcher.close(end.info.id);
        end.sender.close();
        self.remove_record(end.record);
        self.carry_out(&mut state);
        self.memory.close_endpoint_counters(end.sender.counters().clone(), end.info.counters);
        self.retired.free_unused(&self.memory);
        self.notify(&mut state);
    }

    pub(crate) fn remove_subscription(&self, end: &Arc<SubscriptionEnd>) {
        let mut state = self.lock();
        state.subscriptions.remove(&end.info.id);
        state.matcher.close(end.info.id);
        let port = end.receiver.close();
        self.remove_record(end.record);
        self.carry_out(&mut state);
        let EndpointId { process, serial } = end.info.id;
        let key = Key::endpoint(EndpointKind::Subscription, &end.info.topic);
        let is_it = |owner, number| (owner, number) == (process, serial);
        self.retired.free_unread(key.number(), is_it, &self.memory);
        self.memory.close_port(port, end.info.port);
        self.memory.close_endpoint_counters(end.receiver.counters().clone(), end.info.counters);
        self.retired.free_unused(&self.memory);
        self.notify(&mut state);
    }

    /// Adds an offer to open the other ends of keys.
    pub(crate) fn offer(&self, keys: &[String], open: OfferFn) -> OfferId {
        let id = OfferId(self.next_serial());
        let mut state = self.lock();
        state.offers.insert(id, open);
        let is_open: HashSet<String> = keys.iter().filter(|key| state.is_open(key)).cloned().collect();
        state.matcher.offer(id, keys, |key| is_open.contains(key));
        self.carry_out(&mut state);
        self.notify(&mut state);
        drop(state);
        self.deliver_pending();
        id
    }

    pub(crate) fn withdraw(&self, offer: OfferId, record: Option<RecordId>) {
        let mut state = self.lock();
        state.offers.remove(&offer);
        state.matcher.withdraw(offer);
        if let Some(record) = record {
            self.remove_record(record);
            self.notify(&mut state);
        }
    }

    /// Starts to check deadlines and leases.
    pub(crate) fn watch_times(&self) {
        self.timed.store(true, Ordering::Release);
        self.memory.link.ring_housekeeping();
    }

    /// Checks every deadline and lease. Returns the time until the next check is due, in nanoseconds.
    pub(crate) fn monitor(&self) -> Option<u64> {
        if !self.timed.load(Ordering::Acquire) {
            return None;
        }
        let now = monotonic_nanos();
        let state = self.lock();
        let publishers = state.publishers.values().map(|publisher| publisher.monitor(now));
        let subscriptions = state.subscriptions.values().map(|subscription| subscription.monitor(now));
        publishers.chain(subscriptions).fold(Due::NEVER, Due::or).after(now)
    }

    /// Adds a record with the description of a type, once for all endpoints.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub(crate) fn describe(
        &self,
        state: &mut HostState,
        hash: TypeHash,
        describe: impl FnOnce() -> Option<String>,
    ) -> Result<(), MemoryError> {
        if state.described.contains(&hash) {
            return Ok(());
        }
        let Some(description) = describe() else { return Ok(()) };
        registry::add(&self.memory, &Entry::Type(saltus_graph::TypeInfo { hash, description }))?;
        state.described.insert(hash);
        Ok(())
    }
}
