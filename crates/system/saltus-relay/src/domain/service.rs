//! Services of a domain: replicas of servers and clients.

use std::{
    sync::{Arc, Mutex, Weak},
    thread,
    time::Duration,
};

use saltus_host::{OpenError, Participant, PublishError, Publisher, RequestId, Stamp, Subscription, Waker};
use saltus_node::{Arrival, Executed, Waitable};
use saltus_types::lock;

use super::joined::{Domain, Shown};
use crate::{
    ends::{ClientEnd, ServerEnd},
    exchange::Exchange,
    message::Message,
    side::Side,
    window::Window,
};

/// The replica of a server, in the domain of the clients.
#[derive(Debug)]
pub(crate) struct Server {
    requests: Subscription,
    responses: Publisher,
    exchange: Arc<Exchange>,
    domain: Domain,
    /// Keeps the replica of the node in the graph.
    shown: Shown,
}

impl Server {
    pub(crate) fn open(
        domain: &Domain,
        shown: Shown,
        exchange: &Arc<Exchange>,
    ) -> Result<Arc<dyn ServerEnd>, OpenError> {
        let (requests, responses) = domain.participant().server(&shown.spec())?;
        let (exchange, joined) = (exchange.clone(), domain.clone());
        let server = Arc::new(Self { requests, responses, exchange, domain: joined, shown });
        let waitable: Arc<dyn Waitable> = server.clone();
        domain.0.group.add(Arc::downgrade(&waitable));
        Ok(server)
    }

    /// Sends a response to the client. An empty response means that there will be no response.
    fn send(&self, response: Option<&Message>, to: RequestId) -> Result<(), PublishError> {
        let len = response.map_or(0, Message::len);
        let mut loan = self.responses.loan(len)?;
        match response {
            Some(message) => {
                message.copy_to(&mut loan[..len]);
                loan.respond_stamped(len, to, message.stamp.source_time)
            }
            None => loan.respond(0, to),
        }
    }
}

impl ServerEnd for Server {
    fn respond(&self, response: Option<&Message>, to: RequestId) -> bool {
        let sent = self.send(response, to);
        sent.inspect_err(|error| warn(&self.domain, "respond on", &self.shown, error)).is_ok()
    }
}

/// The shortest time between two warnings.
const WARN_PERIOD: Duration = Duration::from_secs(1);

/// Logs why a request or response can't be passed on. It is usual that the other end has gone.
fn warn(domain: &Domain, what: &str, service: &Shown, error: &PublishError) {
    if !matches!(error, PublishError::Unmatched) {
        let name = service.topic.as_str();
        saltus_node::warn_throttle!(domain.logger(), WARN_PERIOD, "can't {what} '{name}': {error}");
    }
}

impl Waitable for Server {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.requests.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let Some(request) = self.requests.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&request);
        let id = request.request_id();
        if !self.exchange.forward(id.client, request.into()) {
            // An error is ignored: a client that has gone needs no response.
            self.respond(None, id);
        }
        Executed::Ran(Some(arrival))
    }
}

/// How long a request waits until a server is connected.
const CONNECTING: Duration = Duration::from_secs(1);

/// The replica of a client, in the domain of the servers.
#[derive(Debug)]
pub(crate) struct Client {
    requests: Publisher,
    responses: Subscription,
    state: Mutex<Requests>,
    exchange: Arc<Exchange>,
    domain: Domain,
    this: Weak<Self>,
    /// Keeps the replica of the node in the graph.
    shown: Shown,
}

#[derive(Debug, Default)]
struct Requests {
    /// The numbers of the last requests. A request comes through the replica of each server, and is forwarded once.
    forwarded: Window,
    /// The requests that wait until a server is connected. A thread waits for it while there are some.
    waiting: Vec<Message>,
}

impl Client {
    pub(crate) fn open(
        domain: &Domain,
        shown: Shown,
        exchange: &Arc<Exchange>,
    ) -> Result<Arc<dyn ClientEnd>, OpenError> {
        let (requests, responses) = domain.participant().client(&shown.spec())?;
        let client = Arc::new_cyclic(|this| Self {
            requests,
            responses,
            state: Mutex::default(),
            exchange: exchange.clone(),
            domain: domain.clone(),
            this: this.clone(),
            shown,
        });
        let waitable: Arc<dyn Waitable> = client.clone();
        domain.0.group.add(Arc::downgrade(&waitable));
        Ok(client)
    }

    fn is_connected(&self) -> bool {
        self.requests.status().matched > 0
    }

    fn send(&self, request: &Message) -> bool {
        let len = request.len();
        let sent = self.requests.loan(len).and_then(|mut loan| {
            request.copy_to(&mut loan[..len]);
            loan.request_stamped(len, Stamp { gid: None, ..request.stamp }).map_err(|(_, error)| error)
        });
        sent.inspect_err(|error| warn(&self.domain, "call", &self.shown, error)).is_ok()
    }

    /// Keeps a request until a server is connected: a server that was only offered is opened for its first client. Returns
    /// whether it may be sent.
    fn keep(&self, state: &mut Requests, request: Message) -> bool {
        if state.waiting.is_empty() {
            let (this, participant) = (self.this.clone(), self.domain.participant().clone());
            let wait = move || send_when_connected(&this, &participant);
            if thread::Builder::new().name("connecting".into()).spawn(wait).is_err() {
                return false;
            }
        }
        state.waiting.push(request);
        true
    }

    /// Sends what has waited. What can't be sent is answered with nothing.
    fn send_waiting(&self) {
        let waiting = std::mem::take(&mut lock(&self.state).waiting);
        let client = self.requests.info().gid;
        for request in waiting {
            if !self.is_connected() || !self.send(&request) {
                let to = RequestId { client, sequence: request.stamp.sequence };
                self.exchange.respond(None, None, to);
            }
        }
    }
}

/// Sends the requests of a client that wait, when a server is connected, or when none is for too long.
fn send_when_connected(client: &Weak<Client>, participant: &Participant) {
    let is_done = || client.upgrade().is_none_or(|client| client.is_connected());
    participant.wait_until(CONNECTING, is_done);
    if let Some(client) = client.upgrade() {
        client.send_waiting();
    }
}

impl ClientEnd for Client {
    fn forward(&self, request: Message) -> bool {
        let mut state = lock(&self.state);
        let sequence = request.stamp.sequence;
        if !state.forwarded.insert(sequence) {
            return true;
        }
        let must_wait = !state.waiting.is_empty() || !self.is_connected();
        let is_taken = if must_wait { self.keep(&mut state, request) } else { self.send(&request) };
        if !is_taken {
            state.forwarded.remove(sequence);
        }
        is_taken
    }
}

impl Waitable for Client {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.responses.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let Some(response) = self.responses.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&response);
        let to = RequestId { client: self.requests.info().gid, sequence: response.sequence() };
        let server = response.publisher();
        // An empty response says that there will be none.
        let response = (!response.is_empty()).then(|| Message::from(response));
        self.exchange.respond(Some(server), response.as_ref(), to);
        Executed::Ran(Some(arrival))
    }
}
