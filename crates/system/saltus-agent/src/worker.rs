//! The thread of a transport: waits for messages of clients and of the graph, and passes them on.

use std::{collections::HashSet, io};

use saltus_host::monotonic_now;
use saltus_node::Logger;
use saltus_types::{LinkCounts, LinkLoss, Severity};
use saltus_xrce::{
    Agent, AgentConfig, AgentHost, ClientKey, DeliverError, Departure, GraphObject, Locator, ObjectId,
    Profiles, ReadRequest, Refusal, Request, Status, Stray, Written,
};

use crate::{
    domains::EndpointKey,
    graph::Graph,
    transport::{FIRST_NUMBER, LONGEST_MESSAGE, Poller, Transport, TransportEvent, locator},
};

/// The name of the logger of the bytes of messages.
pub const BYTES: &str = "agent.bytes";
/// The number of messages of clients that are handled before the messages of the graph get their turn.
const BATCH: usize = 64;
/// The number of messages of an endpoint that are delivered before the others get their turn.
const DELIVERIES: usize = 32;
/// The time between two updates of the counts that tools read, in nanoseconds.
const REPORT_PERIOD: u64 = 200_000_000;
/// The time between two attempts to deliver to a client that limits the rate, in nanoseconds.
const RETRY_PERIOD: u64 = 5_000_000;

/// A transport, its clients, and their objects in the graph.
#[derive(Debug)]
pub(crate) struct Worker<T: Transport> {
    agent: Agent<T::Address>,
    host: Host<T>,
    poller: Poller,
    buffer: Vec<u8>,
    /// When the counts are updated next, in monotonic nanoseconds.
    report_at: u64,
    /// The endpoints that may have more messages to deliver.
    pending: Vec<EndpointKey>,
    /// The endpoints whose clients limit the rate, and when they are tried again, in monotonic nanoseconds.
    limited: (u64, Vec<EndpointKey>),
    /// Whether the transport may have more messages, although no descriptor is ready.
    has_more: bool,
    /// The agent itself as a device, with the counts of senders that have no session.
    own: saltus_host::Device,
}

/// The program around the clients' sessions: the transport and the graph.
#[derive(Debug)]
struct Host<T> {
    transport: T,
    graph: Graph,
    logger: Logger,
    /// The logger of the bytes of messages.
    bytes: Logger,
    /// The clients that have room for more messages, or ask for messages.
    unblocked: Vec<EndpointKey>,
}

/// The time between two lines about data or messages that can't be used.
const LOG_PERIOD: std::time::Duration = std::time::Duration::from_secs(1);

impl<T: Transport> Host<T> {
    /// Logs a message, if the level asks for it: with its bytes, or only its length.
    fn log_message(&self, verb: &str, address: &T::Address, message: &[u8]) {
        if self.bytes.is_enabled(Severity::Debug) {
            let bytes: Vec<String> = message.iter().map(|byte| format!("{byte:02x}")).collect();
            let link = self.transport.link(address);
            saltus_node::debug!(self.bytes, "{verb} {link}, {} bytes: {}", message.len(), bytes.join(" "));
        } else {
            saltus_node::debug!(
                self.logger,
                "{verb} {}, {} bytes",
                self.transport.link(address),
                message.len()
            );
        }
    }
}

impl<T: Transport> AgentHost for Host<T> {
    type Address = T::Address;

    fn send(&mut self, to: &T::Address, message: &[u8]) -> bool {
        self.log_message("to", to, message);
        self.transport.send(to, message)
    }

    fn system_time(&mut self) -> i64 {
        saltus_node::system_now().as_nanos()
    }

    fn connected(&mut self, client: ClientKey, address: &T::Address) {
        self.graph.connected(client, self.transport.link(address));
    }

    fn departed(&mut self, client: ClientKey, reason: Departure) {
        let is_back_later = matches!(reason, Departure::Silent | Departure::Disconnected);
        let text = match reason {
            Departure::EndedSession => "ended its session",
            Departure::BeganAnotherSession => "began another session",
            Departure::Silent => "does not answer; its nodes come back when it is heard again",
            Departure::Disconnected => "disconnected; its nodes come back when it connects again",
            Departure::Replaced => "was replaced by another client at its address",
            Departure::Forgotten => "was forgotten to make room for another client",
        };
        saltus_node::info!(self.logger, "client {client} {text}");
        if !is_back_later {
            self.graph.forget(client);
        }
    }

    fn create(&mut self, client: ClientKey, id: ObjectId, object: GraphObject<'_>) -> Status {
        self.graph.create(client, id, object)
    }

    fn delete(&mut self, client: ClientKey, id: ObjectId) {
        self.graph.delete(client, id);
    }

    fn read(&mut self, client: ClientKey, request: ReadRequest) {
        self.unblocked.push((client, request.request.object));
    }

    fn write(&mut self, client: ClientKey, request: Request, data: &[u8]) -> Written {
        self.graph.write(client, request, data)
    }

    fn has_room(&mut self, client: ClientKey) {
        self.unblocked.extend(self.graph.ends_of(client));
    }

    fn shares_key(&mut self, client: ClientKey, addresses: [&T::Address; 2]) {
        let [a, b] = addresses.map(|address| self.transport.link(address));
        saltus_node::warn!(
            self.logger,
            "two devices seem to have the key {client}: {a} and {b}; each ends the session of the other: give each a key of its own"
        );
    }

    fn refused(&mut self, client: ClientKey, object: Option<ObjectId>, refusal: &Refusal) {
        match (object, refusal) {
            // Data and damaged messages come at any rate.
            (Some(object), Refusal::Unusable | Refusal::NoObject | Refusal::Missing(_)) => {
                saltus_node::warn_throttle!(self.logger, LOG_PERIOD, "client {client}: {object}: {refusal}");
            }
            (Some(object), _) => saltus_node::warn!(self.logger, "client {client}: {object}: {refusal}"),
            (None, _) => saltus_node::warn_throttle!(self.logger, LOG_PERIOD, "client {client}: {refusal}"),
        }
    }

    fn stray(&mut self, from: &T::Address, stray: Stray) {
        // Anybody can send from any number of addresses.
        saltus_node::warn_throttle!(self.logger, LOG_PERIOD, "{}: {stray}", self.transport.link(from));
    }

    fn reachable_at(&mut self, client: &T::Address) -> Option<Vec<Locator>> {
        let addresses = self.transport.reachable_at(client)?;
        Some(addresses.into_iter().map(locator).collect())
    }
}

impl<T: Transport> Worker<T> {
    pub(crate) fn new(
        mut transport: T,
        mut graph: Graph,
        mut config: AgentConfig,
        profiles: Profiles,
        (domain, logger): (u32, Logger),
    ) -> Result<Self, WorkerError> {
        let poller = Poller::new()?;
        transport.register(poller.clone())?;
        config.mtu = config.mtu.min(transport.mtu());
        let name = transport.name();
        let own = graph.domains.join(domain)?.participant().device("agent", &name)?;
        Ok(Self {
            agent: Agent::new(config, profiles),
            host: Host { bytes: Logger::new(BYTES), transport, graph, logger, unblocked: Vec::new() },
            poller,
            buffer: vec![0; LONGEST_MESSAGE],
            report_at: 0,
            pending: Vec::new(),
            limited: (0, Vec::new()),
            has_more: false,
            own,
        })
    }

    /// Passes messages on until the agent ends.
    pub(crate) fn run(mut self) -> Result<(), WorkerError> {
        let mut ready: Vec<u64> = Vec::new();
        let mut watched = HashSet::new();
        let mut classes = Vec::new();
        loop {
            classes.clear();
            let mut is_rung = self.has_more || !self.pending.is_empty();
            for (number, domain) in self.host.graph.domains.iter_mut() {
                let is_new = watched.insert(number);
                if is_new {
                    self.poller.add(domain.waiter.fd()?, u64::from(number))?;
                }
                let is_readable = is_new || ready.contains(&u64::from(number));
                let rung = if is_readable { domain.waiter.arm() } else { domain.waiter.arm_unreadable() }?;
                is_rung |= rung != 0;
                classes.push((number, rung));
            }
            if self.host.graph.domains.is_shut_down() {
                return Ok(());
            }
            let now = monotonic_now();
            let due = [self.agent.due(), Some(self.report_at), self.retry_at()].into_iter().flatten().min();
            let timeout = if is_rung { 0 } else { due.unwrap_or(now).saturating_sub(now) };
            self.poller.wait(&mut ready, Some(timeout))?;
            for number in &ready {
                if *number >= FIRST_NUMBER {
                    self.host.transport.note_ready(*number);
                }
            }
            self.pass(&mut classes)?;
        }
    }

    /// Handles what is ready, and what is rung in the classes of each domain.
    fn pass(&mut self, classes: &mut [(u32, u32)]) -> Result<(), WorkerError> {
        let now = monotonic_now();
        // The waiters count as awake from here on. Otherwise each message that comes back to a client would ring a pipe.
        self.collect(classes);
        self.has_more = self.receive(now, true)?;
        self.answer(now, classes);
        if self.has_more {
            self.has_more = self.receive(now, false)?;
            self.answer(now, classes);
        }
        if self.agent.due().is_some_and(|due| due <= now) {
            self.agent.check(now, &mut self.host);
            self.host.transport.flush();
        }
        if now >= self.report_at {
            self.report(now);
        }
        Ok(())
    }

    /// Takes what is rung in the classes of each domain.
    fn collect(&mut self, classes: &mut [(u32, u32)]) {
        for (number, rung) in classes {
            if let Some(domain) = self.host.graph.domains.get_mut(*number) {
                *rung |= domain.waiter.collect();
            }
        }
    }

    /// Delivers the messages of the graph to the clients, and sends what waits for them. The classes are empty afterwards.
    fn answer(&mut self, now: u64, classes: &mut [(u32, u32)]) {
        self.collect(classes);
        let mut ends: Vec<EndpointKey> = std::mem::take(&mut self.pending);
        if self.retry_at().is_some_and(|at| at <= now) {
            ends.append(&mut self.limited.1);
        }
        for (number, rung) in classes {
            if let Some(domain) = self.host.graph.domains.get_mut(*number) {
                ends.extend(domain.ends(std::mem::take(rung)));
            }
        }
        ends.append(&mut self.host.unblocked);
        for end in ends {
            self.deliver(now, end);
        }
        self.agent.flush(now, &mut self.host);
        self.host.transport.flush();
    }

    /// Handles messages of clients. Returns whether there may be more.
    ///
    /// With `answers`, it returns as soon as a client gets a message: looking for another message of a client is a system call,
    /// which would delay that one.
    fn receive(&mut self, now: u64, answers: bool) -> io::Result<bool> {
        for _ in 0..BATCH {
            match self.host.transport.receive(&mut self.buffer)? {
                Some(TransportEvent::Message { from, len }) => {
                    self.host.log_message("from", &from, &self.buffer[..len]);
                    self.agent.handle(now, &from, &self.buffer[..len], &mut self.host);
                    if answers
                        && self.host.graph.domains.iter_mut().any(|(_, domain)| domain.waiter.is_rung())
                    {
                        return Ok(true);
                    }
                }
                Some(TransportEvent::Closed(address)) => self.agent.disconnected(&address, &mut self.host),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Delivers the messages of an endpoint to its client, as many as the client takes.
    fn deliver(&mut self, now: u64, end: EndpointKey) {
        for _ in 0..DELIVERIES {
            let Some(taken) = self.host.graph.take(end) else { return };
            if self.agent.delivers_to_itself(end.0) && self.host.graph.is_own(end.0, taken.publisher()) {
                continue;
            }
            let delivered = self.agent.deliver(now, end, taken.prefix(), taken.content(), &mut self.host);
            match delivered {
                Ok(()) => {}
                Err(DeliverError::TooLong { size, largest }) => {
                    self.agent.count_too_long(end.0);
                    saltus_node::warn_throttle!(
                        self.host.logger,
                        std::time::Duration::from_secs(1),
                        "client {}: a message of {size} bytes is lost: the client takes at most {largest}; \
                         if it has a longer history, tell it with --client-history",
                        end.0
                    );
                }
                Err(DeliverError::Full | DeliverError::NotRequested) => {
                    return self.host.graph.put_back(end, taken);
                }
                Err(DeliverError::Limited) => {
                    self.limited.0 = now + RETRY_PERIOD;
                    self.limited.1.push(end);
                    return self.host.graph.put_back(end, taken);
                }
            }
        }
        self.pending.push(end);
    }

    /// Returns when the endpoints are tried again whose clients limit the rate, in monotonic nanoseconds.
    fn retry_at(&self) -> Option<u64> {
        let (at, ends) = &self.limited;
        (!ends.is_empty()).then_some(*at)
    }

    /// Updates the counts that tools read.
    fn report(&mut self, now: u64) {
        self.report_at = now + REPORT_PERIOD;
        self.host.transport.maintain();
        for report in self.agent.clients() {
            self.host.graph.set_counts(&report);
        }
        let unknown = self.agent.unknown_sources();
        let mut counts = LinkCounts { is_present: true, heard_at: now, ..LinkCounts::default() };
        counts.lost[LinkLoss::Malformed as usize] = unknown.malformed + self.host.transport.damaged();
        counts.lost[LinkLoss::Unusable as usize] = unknown.unknown_session;
        counts.lost[LinkLoss::SocketFull as usize] = self.host.transport.dropped();
        self.own.set(&counts);
    }
}

/// Why a worker could not start, or has ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Domain(#[from] crate::domains::DomainError),
    #[error(transparent)]
    Open(#[from] saltus_host::OpenError),
}
