//! This process's part in a domain: joining, leaving, and opening what takes part.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use saltus_cdr::Description;
use saltus_types::{Gid, NodeName, QoS, TopicName, TypeHash};

use crate::{
    EndpointKind, MemoryError, NodeInfo, Publisher, Subscription,
    graph::{EventHandler, Graph},
    header::{HOUSEKEEPING_PIPE, SegmentHeader},
    housekeeping,
    link::Link,
    membership::{DomainId, LockError, Membership},
    os::segment::Segment,
    presence::{Lifeline, Presence, WeakPresence},
    publisher::PublisherCore,
    registry::{Entry, FIRST_PAGE, REGISTRY_START, RecordId, description, entries},
    shared::{Peer, Shared},
    subscription::SubscriptionCore,
    usability::Unusable,
    waiter::Waiter,
};

/// Why a process can't take part.
#[derive(thiserror::Error)]
pub enum JoinError {
    /// The domain's file or this process's own can't be made or used.
    #[error("can't join domain {number} in {folder}: {source}{}", remedy(.source))]
    System {
        /// The number of the domain.
        number: u32,
        /// Where its files are.
        folder: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has locked the domain's member table for too long.
    #[error("can't join domain {number} in {folder}: {reason}")]
    Locked {
        /// The number of the domain.
        number: u32,
        /// Where its files are.
        folder: String,
        /// Who, and for how long.
        reason: String,
    },
}

impl JoinError {
    fn new(domain: &DomainId, cause: LockError) -> Self {
        let (number, folder) = (domain.number, domain.folder.display().to_string());
        match cause {
            LockError::System(source) => Self::System { number, folder, source },
            held @ LockError::Held { .. } => Self::Locked { number, folder, reason: held.to_string() },
        }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match error.kind() {
        NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem => {
            "; SALTUS_SHM_DIR must name a folder on a memory file system that you may write to, and \
             SALTUS_GROUP a group that you are in"
        }
        StorageFull => "; it has no room left",
        _ => "",
    }
}

/// Why an endpoint or node can't be opened.
#[derive(thiserror::Error)]
pub enum OpenError {
    /// Shared memory is full.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The handle was inherited over `fork`.
    #[error("this context was opened before fork(): open one of your own in the child")]
    Forked,
    /// The context can't take part in its domain any more.
    #[error("this context was expelled from its domain: {reason}; open a new one")]
    Expelled {
        /// Why.
        reason: Arc<str>,
    },
}

impl From<Unusable> for OpenError {
    fn from(cause: Unusable) -> Self {
        match cause {
            Unusable::Forked => Self::Forked,
            Unusable::Expelled(reason) => Self::Expelled { reason },
        }
    }
}

saltus_types::debug_as_display!(JoinError, OpenError);

/// This process's part in a domain. Leaves it when the last handle that came of it is dropped.
#[derive(Clone, Debug)]
pub struct Participant(Presence);

/// A participant that does not keep the process in the domain.
#[derive(Clone, Debug)]
pub struct WeakParticipant(WeakPresence);

impl WeakParticipant {
    /// The participant, if the process has not left.
    pub fn upgrade(&self) -> Option<Participant> {
        self.0.upgrade().map(Participant)
    }
}

/// A node's place in the graph; leaves it when dropped.
#[derive(Debug)]
pub struct NodeEntry {
    info: NodeInfo,
    record: RecordId,
    presence: Presence,
}

impl NodeEntry {
    /// What the graph says of it.
    pub fn info(&self) -> &NodeInfo {
        &self.info
    }
}

impl Drop for NodeEntry {
    fn drop(&mut self) {
        let shared = &self.presence.shared;
        if shared.usability.may_release() {
            let mut state = shared.lock();
            shared.remove_record(self.record);
            shared.notify(&mut state);
        }
    }
}

/// What is opened as soon as somebody wants it; see [`Participant::offer`]. Withdrawn when dropped.
pub struct Offer {
    keys: Vec<String>,
    offer: OfferFn,
    presence: WeakPresence,
}

/// What is called when the other end of something offered is opened.
pub(crate) type OfferFn = Arc<dyn Fn(Channel, &str) + Send + Sync>;

impl std::fmt::Debug for Offer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Offer").field(&self.keys).finish()
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        let Some(presence) = self.presence.upgrade().filter(|one| one.shared.usability.may_release()) else {
            return;
        };
        let mut state = presence.shared.lock();
        for key in &self.keys {
            if let Some(offers) = state.offers.get_mut(key) {
                offers.retain(|other| !Arc::ptr_eq(other, &self.offer));
                if offers.is_empty() {
                    state.offers.remove(key);
                }
            }
        }
    }
}

/// Which endpoint of a spec is meant: a client and a server are two each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) channel: Channel,
    pub(crate) gid: Gid,
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
    /// The type's description, for those who meet it at run time.
    pub description: TypeText<'a>,
}

/// What an endpoint carries. Requests and responses are queued as the messages of a topic are; their
/// topics have names that no user can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Messages of a topic.
    Topic,
    /// Requests, from clients to servers.
    Request,
    /// Responses, from servers to clients.
    Response,
}

impl Channel {
    const REQUEST: &'static str = "rq";
    const RESPONSE: &'static str = "rr";

    /// The topic under which its endpoints find each other. The prefixes are those of ROS 2 over DDS.
    pub(crate) fn key(self, name: &str) -> String {
        match self {
            Self::Topic => name.to_owned(),
            Self::Request => format!("{}{name}", Self::REQUEST),
            Self::Response => format!("{}{name}", Self::RESPONSE),
        }
    }

    /// The channel and the name of a key.
    pub(crate) fn split(key: &str) -> (Self, &str) {
        let prefixed = |prefix, channel| key.strip_prefix(prefix).map(|name| (channel, name));
        prefixed(Self::REQUEST, Self::Request)
            .or_else(|| prefixed(Self::RESPONSE, Self::Response))
            .unwrap_or((Self::Topic, key))
    }
}

/// The description of a type, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub enum TypeText<'a> {
    /// Not at all.
    #[default]
    Unknown,
    /// In the pieces that generated code has.
    Pieces(Description),
    /// As canonical JSON (REP 2016).
    Whole(&'a str),
}

/// Fills in a new segment. It is whole before anybody can find it: whatever others look at has memory.
fn prepare_segment(segment: &Segment) -> io::Result<()> {
    segment.commit(0, size_of::<SegmentHeader>() as u64)?;
    segment.commit(REGISTRY_START, FIRST_PAGE)?;
    let header = segment.get::<SegmentHeader>(0).ok_or_else(|| io::Error::other("can't be mapped"))?;
    header.publish();
    Ok(())
}

impl Participant {
    /// Joins a domain, after removing what dead processes left in it.
    pub fn join(domain: DomainId, on_event: EventHandler) -> Result<Self, JoinError> {
        let failed = |cause| JoinError::new(&domain, cause);
        let system = |source: io::Error| failed(source.into());
        let (membership, pipe) = Membership::join(&domain, prepare_segment).map_err(failed)?;
        let link = Link::own(&membership).map_err(system)?;
        let pipe = Arc::new(pipe);
        link.add_own_pipe(HOUSEKEEPING_PIPE, &pipe);
        let shared = Arc::new(Shared::new(membership, link, on_event));
        let presence = Arc::new(Lifeline::new(shared));
        presence.shared.sync(&Arc::downgrade(&presence));
        let thread = housekeeping::spawn(&presence, pipe).map_err(system)?;
        presence.set_thread(thread);
        Ok(Self(presence))
    }

    /// The same participant, without keeping the process in the domain.
    pub fn downgrade(&self) -> WeakParticipant {
        WeakParticipant(Arc::downgrade(&self.0))
    }

    /// What all threads share, if this context may be used.
    fn shared(&self) -> Result<&Arc<Shared>, OpenError> {
        self.0.shared.check().map(|()| &self.0.shared)
    }

    /// Enters a node into the graph, which is told whether it answers for its parameters.
    pub fn node(&self, name: &NodeName, has_parameters: bool) -> Result<NodeEntry, OpenError> {
        let shared = self.shared()?;
        let (gid, namespace, name) = (shared.new_gid(), name.namespace().into(), name.base().into());
        let info = NodeInfo { gid, namespace, name, has_parameters };
        let mut state = shared.lock();
        let record = shared.add_own(&Entry::Node(info.clone()))?;
        shared.notify(&mut state);
        Ok(NodeEntry { info, record, presence: self.0.clone() })
    }

    /// Opens a publisher and connects it to every subscription that it suits.
    pub fn publisher(&self, spec: &EndpointSpec<'_>) -> Result<Publisher, OpenError> {
        let identity = Identity { channel: Channel::Topic, gid: self.shared()?.new_gid() };
        self.open_publisher(spec, identity)
    }

    /// Opens a subscription; every publisher that suits it will connect.
    pub fn subscription(&self, spec: &EndpointSpec<'_>) -> Result<Subscription, OpenError> {
        let identity = Identity { channel: Channel::Topic, gid: self.shared()?.new_gid() };
        self.open_subscription(spec, identity)
    }

    /// Opens a service client: what sends its requests, and what receives the responses to them. Both have
    /// the client's gid.
    pub fn client(&self, spec: &EndpointSpec<'_>) -> Result<(Publisher, Subscription), OpenError> {
        let gid = self.shared()?.new_gid();
        // In this order: a server that knows where requests come from also knows where responses go.
        let responses = self.open_subscription(spec, Identity { channel: Channel::Response, gid })?;
        let requests = self.open_publisher(spec, Identity { channel: Channel::Request, gid })?;
        Ok((requests, responses))
    }

    /// Opens a service server: what receives requests, and what sends the responses. Both have the server's
    /// gid.
    pub fn server(&self, spec: &EndpointSpec<'_>) -> Result<(Subscription, Publisher), OpenError> {
        let gid = self.shared()?.new_gid();
        let responses = self.open_publisher(spec, Identity { channel: Channel::Response, gid })?;
        let requests = self.open_subscription(spec, Identity { channel: Channel::Request, gid })?;
        Ok((requests, responses))
    }

    fn open_publisher(&self, spec: &EndpointSpec<'_>, identity: Identity) -> Result<Publisher, OpenError> {
        let shared = self.shared()?;
        let mut state = shared.lock();
        shared.describe(&mut state, spec)?;
        let counters = shared.open_endpoint_counters()?;
        let info = shared.endpoint(&state, EndpointKind::Publisher, spec, identity, 0, &counters);
        let is_timed = info.qos.deadline.or(info.qos.lease).is_some();
        let record = shared
            .add_own(&Entry::Endpoint(info.clone()))
            .inspect_err(|_| shared.close_endpoint_counters(counters.0.clone(), counters.1))?;
        let core = Arc::new(PublisherCore::new(info, record, shared.clone(), counters.0));
        state.add_publisher(&core);
        for (link, subscription) in state.others(&core.info.topic, EndpointKind::Subscription, &shared.link) {
            shared.try_connect(&state, &core, &subscription, &link, &Arc::downgrade(&self.0));
        }
        shared.want(&state, &core.info.topic);
        shared.notify(&mut state);
        drop(state);
        if is_timed {
            shared.watch_times();
        }
        shared.tell();
        Ok(Publisher::new(core, self.0.clone()))
    }

    fn open_subscription(
        &self,
        spec: &EndpointSpec<'_>,
        identity: Identity,
    ) -> Result<Subscription, OpenError> {
        let shared = self.shared()?;
        let mut state = shared.lock();
        shared.describe(&mut state, spec)?;
        let counters = shared.open_endpoint_counters()?;
        let unused = || shared.close_endpoint_counters(counters.0.clone(), counters.1);
        let (port, offset) = shared.open_port().inspect_err(|_| unused())?;
        let info = shared.endpoint(&state, EndpointKind::Subscription, spec, identity, offset, &counters);
        let is_timed = info.qos.deadline.is_some();
        let record = shared.add_own(&Entry::Endpoint(info.clone())).inspect_err(|_| {
            unused();
            shared.close_port(port.clone(), offset);
        })?;
        let core = Arc::new(SubscriptionCore::new(info, record, shared.clone(), counters.0, port));
        let topic = core.info.topic.clone();
        state.add_subscription(&core);
        for (link, publisher) in state.others(&topic, EndpointKind::Publisher, &shared.link) {
            shared.check_subscription(&core, &publisher, &link);
        }
        for publisher in state.publishers_of(&topic) {
            shared.try_connect(&state, publisher, &core.info, &shared.link, &Arc::downgrade(&self.0));
        }
        shared.want(&state, &topic);
        shared.notify(&mut state);
        drop(state);
        if is_timed {
            shared.watch_times();
        }
        shared.tell();
        Ok(Subscription { core, _presence: self.0.clone() })
    }

    /// Offers to open endpoints of those channels and names as soon as somebody opens their other end:
    /// `open` is then called with the channel and the name, on any thread, with no lock held, perhaps more
    /// than once. Until then they cost nothing, and the graph does not show them.
    pub fn offer(
        &self,
        wanted: impl IntoIterator<Item = (Channel, TopicName)>,
        open: impl Fn(Channel, &str) + Send + Sync + 'static,
    ) -> Result<Offer, OpenError> {
        let shared = self.shared()?;
        let keys: Vec<String> =
            wanted.into_iter().map(|(channel, name)| channel.key(name.as_str())).collect();
        let offer: OfferFn = Arc::new(open);
        let mut state = shared.lock();
        for key in &keys {
            state.offers.entry(key.clone()).or_default().push(offer.clone());
            if state.is_open(key) {
                shared.want(&state, key);
            }
        }
        drop(state);
        shared.tell();
        Ok(Offer { keys, offer, presence: Arc::downgrade(&self.0) })
    }

    /// A place to wait for messages.
    pub fn waiter(&self) -> Result<Waiter, OpenError> {
        self.shared()?;
        Ok(Waiter::new(self.0.clone())?)
    }

    /// Waits until `is_so` or the time is up; looks whenever the graph changes. Returns what held last.
    pub fn wait_until(&self, timeout: Duration, mut is_so: impl FnMut() -> bool) -> bool {
        let Ok(shared) = self.shared() else { return is_so() };
        let deadline = Instant::now().checked_add(timeout);
        loop {
            let version = shared.lock().version;
            if is_so() {
                return true;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) || !shared.wait_for_change(version, left) {
                return is_so();
            }
        }
    }

    /// Makes everybody who waits in [`Participant::wait_until`] look again.
    pub fn wake_waiting(&self) {
        if let Ok(shared) = self.shared() {
            shared.wake_waiting();
        }
    }

    /// The description of a type that somebody in the domain uses, as canonical JSON (REP 2016); text of another
    /// process, who may be wrong.
    pub fn description(&self, hash: TypeHash) -> Option<String> {
        let shared = self.shared().ok()?;
        let peers = shared.peers();
        let mut segments = std::iter::once(&shared.segment).chain(peers.iter().map(|link| &link.segment));
        segments.find_map(|segment| description(segment, hash))
    }

    /// Everything that this process knows of the domain. What it shows of others has been matched with what this
    /// process has.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        if let Ok(shared) = self.shared() {
            let state = shared.lock();
            let known = |peer: &Peer| peer.view.entries(&peer.link.segment);
            let remote = state.peers.values().flat_map(known);
            entries(&shared.segment).into_iter().chain(remote).for_each(|entry| graph.add(entry));
        }
        graph
    }
}
