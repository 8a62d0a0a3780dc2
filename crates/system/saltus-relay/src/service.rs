//! The flow of a service: its servers in one graph, its clients in another graph, and their replicas.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use saltus_host::EndpointKind;
use saltus_types::{Gid, TypeHash};

use crate::{
    ends::{ClientEnd, Offered, ServerEnd, ShowError},
    exchange::{Exchange, Refresh},
    model::{EndpointChange, EndpointKey, EndpointWithNode, key_of},
    side::replica_of,
    topic::Route,
};

/// A service of one graph, with the replicas of its servers and clients.
pub(crate) struct ServiceFlow {
    exchange: Arc<Exchange>,
    servers: HashMap<EndpointKey, Bridged<Arc<dyn ServerEnd>>>,
    clients: HashMap<EndpointKey, Bridged<Arc<dyn ClientEnd>>>,
    /// The replicas of servers that are offered and not open.
    offers: HashMap<EndpointKey, Bridged<Offered>>,
    /// The endpoints that could not be shown. This is tried again when the graph changes.
    not_shown: HashMap<EndpointKey, EndpointWithNode>,
    client_hashes: Hashes,
    server_hashes: Hashes,
}

/// The hashes of the types of endpoints, with the number of endpoints of each.
#[derive(Default)]
struct Hashes {
    counts: BTreeMap<TypeHash, usize>,
    /// Whether there are others since they were told.
    has_changed: bool,
}

impl Hashes {
    fn add(&mut self, hash: TypeHash) {
        let count = self.counts.entry(hash).or_default();
        self.has_changed |= *count == 0;
        *count += 1;
    }

    fn remove(&mut self, hash: TypeHash) {
        if let Some(count) = self.counts.get_mut(&hash) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&hash);
                self.has_changed = true;
            }
        }
    }

    fn all(&self) -> Vec<TypeHash> {
        self.counts.keys().copied().collect()
    }

    /// Returns all of them, if there are others since the last call.
    fn take_changed(&mut self) -> Option<Vec<TypeHash>> {
        std::mem::take(&mut self.has_changed).then(|| self.all())
    }
}

/// The replica of an endpoint, with the gid of the original and the hash of its type.
struct Bridged<T> {
    gid: Gid,
    type_hash: TypeHash,
    replica: T,
}

impl<T> Bridged<T> {
    fn new(EndpointWithNode { end, .. }: &EndpointWithNode, replica: T) -> Self {
        Self { gid: end.gid, type_hash: end.type_hash, replica }
    }
}

impl ServiceFlow {
    pub(crate) fn new(refresh_clients: Refresh, refresh_servers: Refresh) -> Self {
        Self {
            exchange: Arc::new(Exchange::new(refresh_clients, refresh_servers)),
            servers: HashMap::new(),
            clients: HashMap::new(),
            offers: HashMap::new(),
            not_shown: HashMap::new(),
            client_hashes: Hashes::default(),
            server_hashes: Hashes::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.servers.is_empty()
            && self.clients.is_empty()
            && self.offers.is_empty()
            && self.not_shown.is_empty()
    }

    /// Adds or removes the replica of an endpoint: of a server in the graph `from`, or of a client in the other one. Clients
    /// come first, so that each client that may call a new server is known.
    pub(crate) fn apply(&mut self, route: &Route<'_>, change: &EndpointChange) {
        let key = key_of(&change.end);
        self.not_shown.remove(&key);
        match &change.node {
            Some(node) => self.add(route, EndpointWithNode { end: change.end.clone(), node: node.clone() }),
            None => self.remove(&key),
        }
        for (_, one) in std::mem::take(&mut self.not_shown) {
            self.add(route, one);
        }
        self.reach_others(route);
    }

    /// Tells each end which hashes the types of the others have, if there are other ones.
    fn reach_others(&mut self, route: &Route<'_>) {
        let offered = self.offers.values().filter_map(|offer| offer.replica.server.as_ref());
        let serving = self.servers.values().map(|server| &server.replica).chain(offered);
        let calling = self.clients.values().map(|client| &client.replica);
        let clients = self.client_hashes.take_changed();
        let servers = self.server_hashes.take_changed();
        let served = clients.iter().flat_map(|hashes| serving.clone().map(|server| server.reach(hashes)));
        let called = servers.iter().flat_map(|hashes| calling.clone().map(|client| client.reach(hashes)));
        for error in served.chain(called).filter_map(Result::err) {
            route.warn("call", &error);
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
        if let Some(Bridged { gid, type_hash, replica }) = self.servers.remove(key) {
            self.server_hashes.remove(type_hash);
            self.exchange.remove_server(gid, &replica);
        }
        if let Some(Bridged { gid, type_hash, replica }) = self.clients.remove(key) {
            self.client_hashes.remove(type_hash);
            self.exchange.remove_client(gid, &replica);
        }
        if let Some(Bridged { gid, type_hash, replica }) = self.offers.remove(key) {
            self.server_hashes.remove(type_hash);
            if let Some(server) = replica.server {
                self.exchange.remove_server(gid, &server);
            }
        }
    }

    fn add_client(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if self.clients.contains_key(&key) {
            return Ok(());
        }
        let replica = replica_of(route.to, one, route.from_name, one.end.qos, *route.rule.passage());
        let client = route.from.client(replica, &self.exchange)?;
        client.reach(&self.server_hashes.all())?;
        self.exchange.add_client(one.end.gid, &client);
        self.client_hashes.add(one.end.type_hash);
        self.clients.insert(key, Bridged::new(one, client));
        Ok(())
    }

    fn add_server(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if self.servers.contains_key(&key) {
            return Ok(());
        }
        let replica = replica_of(route.from, one, route.to_name, one.end.qos, *route.rule.passage());
        let server = route.to.server(replica, &self.exchange)?;
        server.reach(&self.client_hashes.all())?;
        self.exchange.add_server(one.end.gid, &server);
        self.server_hashes.add(one.end.type_hash);
        self.servers.insert(key, Bridged::new(one, server));
        Ok(())
    }

    /// Offers the replica of a server that is only offered. The original server is opened when the replica of a client
    /// is opened.
    fn add_offer(&mut self, route: &Route<'_>, one: &EndpointWithNode) -> Result<(), ShowError> {
        let key = key_of(&one.end);
        if self.offers.contains_key(&key) {
            return Ok(());
        }
        let replica = replica_of(route.from, one, route.to_name, one.end.qos, *route.rule.passage());
        let offered = route.to.offer(replica, &self.exchange)?;
        if let Some(server) = &offered.server {
            server.reach(&self.client_hashes.all())?;
            self.exchange.add_server(one.end.gid, server);
        }
        self.server_hashes.add(one.end.type_hash);
        self.offers.insert(key, Bridged::new(one, offered));
        Ok(())
    }
}
