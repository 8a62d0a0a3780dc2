//! The flow of a service: its servers in one domain, its clients in another domain, and their replicas.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
};

use saltus_host::{
    EndpointKind, NodeEntry, NodeInfo, Offer, OfferInfo, OfferedService, PublishError, Publisher, RequestId,
    Sample, Stamp, Subscription, Waker,
};
use saltus_node::{Arrival, Executed, Waitable};
use saltus_types::{Gid, lock};

use crate::{
    model::{EndpointChange, EndpointKey, EndpointWithNode, key_of},
    side::{Replica, ShowError},
    topic::Route,
};

/// Applies the pending changes of a domain's graph.
pub(crate) type ApplyChanges = Arc<dyn Fn() + Send + Sync>;

/// A service of one domain, with the replicas of its servers and clients.
pub(crate) struct ServiceFlow {
    exchange: Arc<Exchange>,
    servers: HashMap<EndpointKey, Arc<Server>>,
    clients: HashMap<EndpointKey, Arc<Client>>,
    /// The replicas of servers that are offered and not open, each with the replica of its node.
    offers: HashMap<EndpointKey, (Offer, Arc<NodeEntry>)>,
    /// The endpoints that could not be shown. This is tried again when the graph changes.
    not_shown: HashMap<EndpointKey, EndpointWithNode>,
}

/// The replicas by gid: the server for each response, and the client for each request.
struct Exchange {
    servers: Mutex<HashMap<Gid, Weak<Server>>>,
    clients: Mutex<HashMap<Gid, Weak<Client>>>,
    /// Called if the client of a request is unknown. A client is in the graph before its request comes, so it is known
    /// after this call.
    apply_changes: ApplyChanges,
}

/// The replica of a server, in the domain of the clients.
struct Server {
    requests: Subscription,
    responses: Publisher,
    exchange: Arc<Exchange>,
    /// Keeps the replica of the node in the graph.
    _replica: Replica,
}

/// The replica of a client, in the domain of the servers.
struct Client {
    requests: Publisher,
    responses: Subscription,
    /// The sequence number of the last request that was forwarded. A request comes through the replica of each server,
    /// and is forwarded once.
    last: Mutex<Option<u64>>,
    exchange: Arc<Exchange>,
    /// Keeps the replica of the node in the graph.
    _replica: Replica,
}

impl ServiceFlow {
    pub(crate) fn new(apply_changes: ApplyChanges) -> Self {
        let exchange = Exchange { servers: Mutex::default(), clients: Mutex::default(), apply_changes };
        Self {
            exchange: Arc::new(exchange),
            servers: HashMap::new(),
            clients: HashMap::new(),
            offers: HashMap::new(),
            not_shown: HashMap::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.servers.is_empty()
            && self.clients.is_empty()
            && self.offers.is_empty()
            && self.not_shown.is_empty()
    }

    /// Adds or removes the replica of an endpoint: of a server in the domain `from`, or of a client in the other one. Clients
    /// come first, so that each client that may call a new server is known.
    pub(crate) fn apply(&mut self, route: &Route<'_>, change: &EndpointChange) {
        if !route.rule.applies_to(&change.end.type_name) {
            return;
        }
        let key = key_of(&change.end);
        self.not_shown.remove(&key);
        match &change.node {
            Some(node) => self.add(route, EndpointWithNode { end: change.end.clone(), node: node.clone() }),
            None => self.remove(&key),
        }
        for (_, one) in std::mem::take(&mut self.not_shown) {
            self.add(route, one);
        }
    }

    /// Adds the replica of an endpoint, or notes that it must be tried again.
    fn add(&mut self, route: &Route<'_>, one: EndpointWithNode) {
        let (what, added) = match (one.end.kind, one.end.is_offered()) {
            (EndpointKind::Publisher, _) => ("call as a client of", self.add_client(route, &one)),
            (EndpointKind::Subscription, true) => ("offer", self.add_offer(route, &one)),
            (EndpointKind::Subscription, false) => ("serve", self.add_server(route, &one)),
        };
        if let Err(error) = added {
            route.warn(what, &error);
            self.not_shown.insert(key_of(&one.end), one);
        }
    }

    /// Removes the replica of an endpoint that has gone.
    fn remove(&mut self, key: &EndpointKey) {
        if let Some(server) = self.servers.remove(key) {
            forget(&self.exchange.servers, server.responses.info().gid, &server);
        }
        if let Some(client) = self.clients.remove(key) {
            forget(&self.exchange.clients, client.requests.info().gid, &client);
        }
        self.offers.remove(key);
    }

    fn add_client(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if self.clients.contains_key(&key) {
            return Ok(());
        }
        let replica = Replica::new((route.from, route.to), one, route.from_name, one.end.qos)?;
        let (requests, responses) = replica.client()?;
        let gid = replica.gid();
        let (exchange, last) = (self.exchange.clone(), Mutex::default());
        let client = Arc::new(Client { requests, responses, last, exchange, _replica: replica });
        let waitable: Arc<dyn Waitable> = client.clone();
        route.from.group.add(Arc::downgrade(&waitable));
        lock(&self.exchange.clients).insert(gid, Arc::downgrade(&client));
        self.clients.insert(key, client);
        Ok(())
    }

    fn add_server(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if self.servers.contains_key(&key) {
            return Ok(());
        }
        let replica = Replica::new((route.to, route.from), one, route.to_name, one.end.qos)?;
        let (requests, responses) = replica.server()?;
        let gid = replica.gid();
        let exchange = self.exchange.clone();
        let server = Arc::new(Server { requests, responses, exchange, _replica: replica });
        lock(&self.exchange.servers).insert(gid, Arc::downgrade(&server));
        let waitable: Arc<dyn Waitable> = server.clone();
        route.to.group.add(Arc::downgrade(&waitable));
        self.servers.insert(key, server);
        Ok(())
    }

    /// Offers the replica of a server that is only offered. The original server is opened when the replica of a client
    /// is opened.
    fn add_offer(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if self.offers.contains_key(&key) {
            return Ok(());
        }
        let replica = Replica::new((route.to, route.from), one, route.to_name, one.end.qos)?;
        let NodeInfo { gid, origin, .. } = replica.node().info().clone();
        let service = OfferedService {
            name: replica.topic().as_str().to_owned(),
            type_name: one.end.type_name.clone(),
            type_hash: one.end.type_hash,
        };
        let offered = OfferInfo { node: gid, origin, qos: one.end.qos, services: vec![service] };
        let offer = route.to.participant().offer_services(offered, |_| {})?;
        self.offers.insert(key, (offer, replica.into_node()));
        Ok(())
    }
}

/// Forgets a replica that was removed, unless another one has the same gid by now.
fn forget<T>(all: &Mutex<HashMap<Gid, Weak<T>>>, gid: Gid, removed: &Arc<T>) {
    let mut all = lock(all);
    if all.get(&gid).is_some_and(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(removed))) {
        all.remove(&gid);
    }
}

impl Exchange {
    fn client(&self, gid: Gid) -> Option<Arc<Client>> {
        let known = || lock(&self.clients).get(&gid).and_then(Weak::upgrade);
        known().or_else(|| {
            (self.apply_changes)();
            known()
        })
    }
}

impl Server {
    /// Sends a response to the client. An empty response means that there will be no response.
    fn respond(&self, response: &[u8], to: RequestId, sent: Option<&Sample>) -> Result<(), PublishError> {
        let mut loan = self.responses.loan(response.len())?;
        loan[..response.len()].copy_from_slice(response);
        match sent {
            Some(sample) => loan.respond_stamped(response.len(), to, sample.source_time()),
            None => loan.respond(response.len(), to),
        }
    }
}

impl Waitable for Server {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.requests.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let Some(request) = self.requests.take() else { return Executed::Nothing };
        let arrival = Arrival::from(&request);
        let client = self.exchange.client(request.publisher());
        if !client.is_some_and(|client| client.forward(&request)) {
            // An error is ignored: a client that has gone needs no response.
            let _ = self.respond(&[], request.request_id(), None);
        }
        Executed::Ran(Some(arrival))
    }
}

impl Client {
    /// Forwards a request, unless it was forwarded already. Returns `false` if no server can take it.
    fn forward(&self, request: &Sample) -> bool {
        let mut last = lock(&self.last);
        if last.is_some_and(|last| request.sequence() <= last) {
            return true;
        }
        let Ok(mut loan) = self.requests.loan(request.len()) else { return false };
        loan[..request.len()].copy_from_slice(request);
        let stamp = Stamp { source_time: request.source_time(), sequence: request.sequence(), gid: None };
        let is_sent = loan.request_stamped(request.len(), stamp).is_ok();
        if is_sent {
            *last = Some(request.sequence());
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
        let server = lock(&self.exchange.servers).get(&response.publisher()).and_then(Weak::upgrade);
        if let Some(server) = server {
            let client = self.requests.info().gid;
            let request = RequestId { client, sequence: response.sequence() };
            // This fails if the client has gone, or if there is no memory. In the second case, an empty response ends
            // the wait of the client.
            if server.respond(&response, request, Some(&response)).is_err() {
                let _ = server.respond(&[], request, None);
            }
        }
        Executed::Ran(Some(arrival))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_replica_is_forgotten_but_not_one_that_replaces_it() {
        let gid = Gid::from_parts(1, 2);
        let [first, second] = [1, 2].map(Arc::new);
        let all = Mutex::new(HashMap::from([(gid, Arc::downgrade(&second))]));
        forget(&all, gid, &first);
        assert_eq!(lock(&all).len(), 1);
        forget(&all, gid, &second);
        assert_eq!(lock(&all).len(), 0);
    }
}
