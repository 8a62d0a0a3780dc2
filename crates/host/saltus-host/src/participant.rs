//! This process's part in a domain: joining, leaving, and opening nodes and endpoints.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use saltus_graph::{Channel, EndpointInfo, EndpointKind, Entry, Graph, OfferId, OfferInfo};
use saltus_memory::{
    counters::EndpointCounters,
    header::SegmentHeader,
    membership::{DomainId, Membership},
    memory::Memory,
    os::segment::{Mapped, Segment},
    records::{self, RecordId},
    sender::{PublishError, Sender, Stamp},
    waiter::Waiter,
};
use saltus_types::{Gid, TopicName, TypeHash};

use crate::{
    batch::{Batch, NodeEntry, Shown, endpoint_info, new_gid},
    endpoint::{EndpointSpec, NodeSpec, OpenError},
    ends::{PublisherEnd, SubscriptionEnd},
    host::{EventHandler, Host, HostState},
    housekeeping,
    join_error::JoinError,
    presence::{Presence, PresenceInner, WeakPresence},
    publisher::Publisher,
    registry::{self, description, entries},
    subscription::Subscription,
    watch::{GraphWatch, Watched},
};

/// This process's part in a domain. The process leaves the domain when all clones of the participant, and all handles
/// that were opened with it, are dropped.
#[derive(Clone, Debug)]
pub struct Participant(Presence);

/// A participant that does not keep the process in the domain.
#[derive(Clone, Debug)]
pub struct WeakParticipant(WeakPresence);

impl WeakParticipant {
    /// Returns the participant, if the process has not left.
    pub fn upgrade(&self) -> Option<Participant> {
        self.0.upgrade().map(Participant)
    }
}

/// An offer to open endpoints when their other ends are opened; see [`Participant::offer`]. Dropping it withdraws the
/// offer.
#[derive(Debug)]
pub struct Offer {
    id: OfferId,
    record: Option<RecordId>,
    presence: WeakPresence,
}

impl Drop for Offer {
    fn drop(&mut self) {
        let presence = self.presence.upgrade();
        if let Some(presence) = presence.filter(|one| one.host.memory.usability.may_release()) {
            presence.host.withdraw(self.id, self.record);
        }
    }
}

/// A publisher that is not connected yet: see [`Participant::publisher_that_kept`].
#[derive(Debug)]
pub struct Past<'a>(&'a Sender);

impl Past<'_> {
    /// Publishes a serialized message that was first sent elsewhere. The stamp holds its original time and number.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub fn publish_stamped(&self, bytes: &[u8], stamp: Stamp) -> Result<(), PublishError> {
        self.0.send_bytes(bytes, Some(stamp))
    }
}

/// The channel and the gid of an endpoint to open. A client has two endpoints with one gid, and so has a server.
#[derive(Clone, Copy, Debug)]
struct Identity {
    channel: Channel,
    gid: Gid,
}

/// Prepares a new segment, before other processes can find it. Everything that they read first has memory then.
fn prepare_segment(segment: &Segment) -> io::Result<()> {
    segment.commit(0, size_of::<SegmentHeader>() as u64)?;
    records::prepare(segment)?;
    let header =
        segment.get::<SegmentHeader>(0).ok_or_else(|| io::Error::other("its segment can't be mapped"))?;
    header.publish();
    Ok(())
}

impl Participant {
    /// Joins a domain, after removing the files of dead processes.
    pub fn join(domain: DomainId, on_event: EventHandler) -> Result<Self, JoinError> {
        let failed = |cause| JoinError::new(&domain, cause);
        let system = |source: io::Error| failed(source.into());
        let (membership, pipe) = Membership::join(&domain, prepare_segment).map_err(failed)?;
        let pipe = Arc::new(pipe);
        let memory = Arc::new(Memory::new(membership, &pipe).map_err(system)?);
        let presence = Arc::new_cyclic(|presence: &WeakPresence| {
            PresenceInner::new(Arc::new(Host::new(memory, on_event, presence.clone())))
        });
        let host = presence.host.clone();
        host.sync();
        let thread = housekeeping::spawn(host, pipe).map_err(system)?;
        presence.set_thread(thread);
        Ok(Self(presence))
    }

    /// Returns the same participant as one that does not keep the process in the domain.
    pub fn downgrade(&self) -> WeakParticipant {
        WeakParticipant(Arc::downgrade(&self.0))
    }

    pub(crate) fn presence(&self) -> &Presence {
        &self.0
    }

    /// Returns what all threads share, if this context may be used.
    pub(crate) fn host(&self) -> Result<&Arc<Host>, OpenError> {
        self.0.host.memory.usability.check()?;
        Ok(&self.0.host)
    }

    /// Returns a gid that no other entity has.
    pub fn new_gid(&self) -> Gid {
        new_gid(&self.0.host)
    }

    /// Adds a node to the graph.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn node(&self, spec: &NodeSpec<'_>) -> Result<NodeEntry, OpenError> {
        self.batch()?.node(spec)
    }

    /// Opens a publisher and connects it to every compatible subscription.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn publisher(&self, spec: &EndpointSpec<'_>) -> Result<Publisher, OpenError> {
        self.publisher_that_kept(spec, |_| {})
    }

    /// Opens a publisher as [`Participant::publisher`] does. Calls `publish` before any subscription is connected. The
    /// messages that it publishes are only kept for subscriptions that connect later.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn publisher_that_kept(
        &self,
        spec: &EndpointSpec<'_>,
        publish: impl FnOnce(&Past<'_>),
    ) -> Result<Publisher, OpenError> {
        let identity = self.identity(spec, Channel::Topic)?;
        self.open_publisher(spec, identity, publish)
    }

    /// Opens a subscription. Every compatible publisher connects to it.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn subscription(&self, spec: &EndpointSpec<'_>) -> Result<Subscription, OpenError> {
        let identity = self.identity(spec, Channel::Topic)?;
        self.open_subscription(spec, identity)
    }

    /// Shows an endpoint of another system in the graph. Its messages go another way, or are not needed. Other
    /// endpoints are checked for compatibility with it, but are not connected to it.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn show(&self, kind: EndpointKind, spec: &EndpointSpec<'_>) -> Result<Shown, OpenError> {
        self.batch()?.show(kind, spec)
    }

    /// Opens a service client: a publisher of its requests, and a subscription to its responses. Both have the
    /// client's gid.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn client(&self, spec: &EndpointSpec<'_>) -> Result<(Publisher, Subscription), OpenError> {
        let responses = self.identity(spec, Channel::Response)?;
        // In this order: a server that knows the publisher of the requests also knows the subscription to the
        // responses.
        let subscription = self.open_subscription(spec, responses)?;
        let requests = Identity { channel: Channel::Request, ..responses };
        Ok((self.open_publisher(spec, requests, |_| {})?, subscription))
    }

    /// Opens a service server: a subscription to requests, and a publisher of responses. Both have the server's gid.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn server(&self, spec: &EndpointSpec<'_>) -> Result<(Subscription, Publisher), OpenError> {
        let responses = self.identity(spec, Channel::Response)?;
        let publisher = self.open_publisher(spec, responses, |_| {})?;
        let requests = Identity { channel: Channel::Request, ..responses };
        Ok((self.open_subscription(spec, requests)?, publisher))
    }

    /// Returns the channel and the gid with which an endpoint is opened.
    fn identity(&self, spec: &EndpointSpec<'_>, channel: Channel) -> Result<Identity, OpenError> {
        let host = self.host()?;
        let gid = spec.foreign.map_or_else(|| new_gid(host), |foreign| foreign.gid);
        Ok(Identity { channel, gid })
    }

    fn open_publisher(
        &self,
        spec: &EndpointSpec<'_>,
        identity: Identity,
        publish: impl FnOnce(&Past<'_>),
    ) -> Result<Publisher, OpenError> {
        let host = self.host()?;
        let mut state = host.lock();
        let opening = Opening::new(host, &mut state, EndpointKind::Publisher, spec, identity, 0)?;
        let Opening { info, others, counters, record } = opening;
        let end = Arc::new(PublisherEnd::new(info, record, &host.memory, &host.retired, counters));
        publish(&Past(&end.sender));
        host.add_publisher(&mut state, &end, &others, spec.skips_own);
        drop(state);
        host.deliver_pending();
        Ok(Publisher::new(end, self.0.clone()))
    }

    fn open_subscription(
        &self,
        spec: &EndpointSpec<'_>,
        identity: Identity,
    ) -> Result<Subscription, OpenError> {
        let host = self.host()?;
        let mut state = host.lock();
        let (port, offset) = host.memory.open_port()?;
        let opening = Opening::new(host, &mut state, EndpointKind::Subscription, spec, identity, offset)
            .inspect_err(|_| host.memory.close_port(port.clone(), offset))?;
        let Opening { info, others, counters, record } = opening;
        let end = Arc::new(SubscriptionEnd::new(info, record, &host.memory, counters, port));
        host.add_subscription(&mut state, &end, &others, spec.skips_own);
        drop(state);
        host.deliver_pending();
        Ok(Subscription::new(end, self.0.clone()))
    }

    /// Offers to open endpoints of the given channels and names. When the other end of such an endpoint is opened,
    /// `open` is called with the channel and the name. It is called on any thread, with no lock held, and possibly more
    /// than once. Until then the endpoints cost nothing.
    ///
    /// # Errors
    /// Returns an error if this context may not be used.
    pub fn offer(
        &self,
        wanted: impl IntoIterator<Item = (Channel, TopicName)>,
        open: impl Fn(Channel, &str) + Send + Sync + 'static,
    ) -> Result<Offer, OpenError> {
        let keys = wanted.into_iter().map(|(channel, name)| channel.key(name.as_str())).collect();
        self.open_offer(keys, None, open)
    }

    /// Offers services of a node, as [`Participant::offer`] does. The graph shows them as if they were open.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn offer_services(
        &self,
        services: OfferInfo,
        open: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Offer, OpenError> {
        let keys = services.services.iter().map(|service| Channel::Request.key(&service.name)).collect();
        self.open_offer(keys, Some(services), move |_, name| open(name))
    }

    fn open_offer(
        &self,
        keys: Vec<String>,
        shown: Option<OfferInfo>,
        open: impl Fn(Channel, &str) + Send + Sync + 'static,
    ) -> Result<Offer, OpenError> {
        let host = self.host()?;
        let record = shown.map(|offer| registry::add(&host.memory, &Entry::Offer(offer))).transpose()?;
        let id = host.offer(&keys, Arc::new(open));
        Ok(Offer { id, record, presence: Arc::downgrade(&self.0) })
    }

    /// Returns a watch of the graph. It first returns all present entities, and then what changes.
    ///
    /// # Errors
    /// Returns an error if this context may not be used.
    pub fn watch(&self) -> Result<GraphWatch, OpenError> {
        Ok(GraphWatch(self.host()?.watch(Watched::All)))
    }

    /// Returns a watch of the entities of other processes. For a process that shows many entities, it costs less than
    /// [`Participant::watch`].
    ///
    /// # Errors
    /// Returns an error if this context may not be used.
    pub fn watch_others(&self) -> Result<GraphWatch, OpenError> {
        Ok(GraphWatch(self.host()?.watch(Watched::Others)))
    }

    /// Begins changes of the graph that other processes are told of together.
    ///
    /// # Errors
    /// Returns an error if this context may not be used.
    pub fn batch(&self) -> Result<Batch<'_>, OpenError> {
        Ok(Batch::new(&self.0, self.host()?))
    }

    /// Creates a waiter, with which a thread waits for messages.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it, or if this context may not be used.
    pub fn waiter(&self) -> Result<Waiter, OpenError> {
        let memory = self.host()?.memory.clone();
        Ok(Waiter::new(memory, self.0.clone())?)
    }

    /// Waits until `is_so` returns true or the timeout has passed. Calls `is_so` whenever the graph changes, and
    /// returns its last result.
    pub fn wait_until(&self, timeout: Duration, mut is_so: impl FnMut() -> bool) -> bool {
        let Ok(host) = self.host() else { return is_so() };
        let deadline = Instant::now().checked_add(timeout);
        loop {
            let version = host.lock().version;
            if is_so() {
                return true;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) || !host.wait_for_change(version, left) {
                return is_so();
            }
        }
    }

    /// Makes each thread that waits in [`Participant::wait_until`] check its condition again.
    pub fn wake_waiting(&self) {
        if let Ok(host) = self.host() {
            host.wake_waiting();
        }
    }

    /// Returns the description of a type that a process of the domain uses, as canonical JSON (REP 2016). The text is
    /// untrusted: it may come from another process.
    pub fn description(&self, hash: TypeHash) -> Option<String> {
        let host = self.host().ok()?;
        let peers = host.peers();
        let mut segments =
            std::iter::once(&host.memory.segment).chain(peers.iter().map(|link| &link.segment));
        segments.find_map(|segment| description(segment, hash))
    }

    /// Adds the description of a type as canonical JSON (REP 2016), for types that no endpoint here has described. It is there as
    /// long as this process.
    ///
    /// # Errors
    /// Returns an error if there is no memory for it.
    pub fn describe(&self, hash: TypeHash, description: &str) -> Result<(), OpenError> {
        let host = self.host()?;
        host.describe(&mut host.lock(), hash, || Some(description.to_owned()))?;
        Ok(())
    }

    /// Returns everything that this process knows of the domain. The endpoints of other processes in it have been
    /// matched with the endpoints of this process.
    pub fn graph(&self) -> Graph {
        let Ok(host) = self.host() else { return Graph::default() };
        let state = host.lock();
        let remote = state.peers.values().flat_map(|peer| peer.view.entries(&peer.link.segment));
        let own = entries(&host.memory.segment, host.process());
        own.into_iter().chain(remote).collect()
    }
}

/// An endpoint that other processes can see, and that is not matched yet.
struct Opening {
    info: EndpointInfo,
    /// The endpoints of other processes that it may be matched with.
    others: Vec<EndpointInfo>,
    counters: Mapped<EndpointCounters>,
    record: RecordId,
}

impl Opening {
    fn new(
        host: &Host,
        state: &mut HostState,
        kind: EndpointKind,
        spec: &EndpointSpec<'_>,
        Identity { channel, gid }: Identity,
        port: u64,
    ) -> Result<Self, OpenError> {
        host.describe(state, spec.type_hash, || spec.description.to_json())?;
        let topic = channel.key(spec.topic.as_str());
        let others = state.others_of(&topic, kind);
        let (counters, offset) = host.memory.open_endpoint_counters()?;
        let qos = state.matcher.resolve(kind, &topic, &spec.qos, &others);
        let info =
            EndpointInfo { topic, qos, port, counters: offset, ..endpoint_info(host, kind, spec, gid) };
        counters.open(info.id.serial);
        let record = registry::add(&host.memory, &Entry::Endpoint(info.clone()))
            .inspect_err(|_| host.memory.close_endpoint_counters(counters.clone(), offset))?;
        Ok(Self { info, others, counters, record })
    }
}
