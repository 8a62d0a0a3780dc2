//! This process's part in a domain: joining, leaving, and opening what takes part.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError, Weak, atomic::Ordering},
    time::{Duration, Instant},
};

use saltus_types::{NodeName, QoS, TopicName, TypeHash};

use crate::{
    EndpointKind, MemoryError, NodeInfo, Publisher, Subscription,
    domain::{Domain, DomainId},
    graph::{EventHandler, Graph},
    housekeeping,
    link::{HOUSEKEEPING_BELL, Link},
    os::{bell::Bell, fork},
    own::{forget, is_alive, make_segment, random_id},
    publisher::PublisherCore,
    registry::{Entry, RecordId},
    shared::Shared,
    subscription::SubscriptionCore,
    waiter::Waiter,
};

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

/// This process's part in a domain. Leaves it when the last handle that came of it is dropped.
#[derive(Clone, Debug)]
pub struct Participant(Arc<Lifeline>);

/// A participant that does not keep the process in the domain.
#[derive(Clone, Debug)]
pub struct WeakParticipant(Weak<Lifeline>);

impl WeakParticipant {
    /// The participant, if the process has not left.
    pub fn upgrade(&self) -> Option<Participant> {
        self.0.upgrade().map(Participant)
    }
}

/// Keeps the process in the domain.
#[derive(Debug)]
pub(crate) struct Lifeline {
    pub(crate) shared: Arc<Shared>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
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

    /// The same participant, without keeping the process in the domain.
    pub fn downgrade(&self) -> WeakParticipant {
        WeakParticipant(Arc::downgrade(&self.0))
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

    /// Makes everybody who waits in [`Participant::wait_until`] look again.
    pub fn wake_waiting(&self) {
        if !fork::is_child() {
            self.0.shared.wake_waiting();
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
        forget(process);
        shared.lock().peers.values().for_each(|peer| peer.link.ring_housekeeping());
    }
}

pub(crate) type WeakLifeline = Weak<Lifeline>;
