//! Services of a domain: replicas of servers and clients.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use saltus_host::{OpenError, PublishError, Publisher, RequestId, Stamp, Subscription, Waker};
use saltus_node::{Arrival, Executed, Waitable};
use saltus_types::lock;

use super::joined::{Domain, Shown};
use crate::{
    ends::{ClientEnd, ServerEnd},
    exchange::Exchange,
    message::Message,
};

/// The replica of a server, in the domain of the clients.
#[derive(Debug)]
pub(crate) struct Server {
    requests: Subscription,
    responses: Publisher,
    exchange: Arc<Exchange>,
    /// Keeps the replica of the node in the graph.
    _shown: Shown,
}

impl Server {
    pub(crate) fn open(
        domain: &Domain,
        shown: Shown,
        exchange: &Arc<Exchange>,
    ) -> Result<Arc<dyn ServerEnd>, OpenError> {
        let (requests, responses) = domain.participant().server(&shown.spec())?;
        let server = Arc::new(Self { requests, responses, exchange: exchange.clone(), _shown: shown });
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
        self.send(response, to).is_ok()
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

/// The most requests of a client whose numbers are remembered.
const REMEMBERED: usize = 64;

/// The replica of a client, in the domain of the servers.
#[derive(Debug)]
pub(crate) struct Client {
    requests: Publisher,
    responses: Subscription,
    /// The numbers of the last requests. A request comes through the replica of each server, and is forwarded once.
    forwarded: Mutex<VecDeque<u64>>,
    exchange: Arc<Exchange>,
    /// Keeps the replica of the node in the graph.
    _shown: Shown,
}

impl Client {
    pub(crate) fn open(
        domain: &Domain,
        shown: Shown,
        exchange: &Arc<Exchange>,
    ) -> Result<Arc<dyn ClientEnd>, OpenError> {
        let (requests, responses) = domain.participant().client(&shown.spec())?;
        let (exchange, forwarded) = (exchange.clone(), Mutex::default());
        let client = Arc::new(Self { requests, responses, forwarded, exchange, _shown: shown });
        let waitable: Arc<dyn Waitable> = client.clone();
        domain.0.group.add(Arc::downgrade(&waitable));
        Ok(client)
    }

    fn send(&self, request: &Message) -> bool {
        let len = request.len();
        let Ok(mut loan) = self.requests.loan(len) else { return false };
        request.copy_to(&mut loan[..len]);
        loan.request_stamped(len, Stamp { gid: None, ..request.stamp }).is_ok()
    }
}

impl ClientEnd for Client {
    fn forward(&self, request: Message) -> bool {
        let mut forwarded = lock(&self.forwarded);
        if forwarded.contains(&request.stamp.sequence) {
            return true;
        }
        let is_sent = self.send(&request);
        if is_sent {
            if forwarded.len() == REMEMBERED {
                forwarded.pop_front();
            }
            forwarded.push_back(request.stamp.sequence);
        }
        is_sent
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
