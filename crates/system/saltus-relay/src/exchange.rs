//! Requests and responses between two graphs.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, Weak},
};

use saltus_host::RequestId;
use saltus_types::{Gid, lock};

use crate::{
    ends::{ClientEnd, ServerEnd},
    message::Message,
};

/// Applies the pending changes of a graph.
pub(crate) type Refresh = Box<dyn Fn() + Send + Sync>;

/// The replicas by gid: the server for each response, and the client for each request.
pub struct Exchange {
    servers: Mutex<HashMap<Gid, Weak<dyn ServerEnd>>>,
    clients: Mutex<HashMap<Gid, Weak<dyn ClientEnd>>>,
    /// Called if the client of a request is unknown. A client is in the graph before its request comes, so it is known
    /// after this call.
    refresh_clients: Refresh,
    /// The same for the server of a response.
    refresh_servers: Refresh,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").finish_non_exhaustive()
    }
}

impl Exchange {
    pub(crate) fn new(refresh_clients: Refresh, refresh_servers: Refresh) -> Self {
        Self { servers: Mutex::default(), clients: Mutex::default(), refresh_clients, refresh_servers }
    }

    pub(crate) fn add_server(&self, gid: Gid, server: &Arc<dyn ServerEnd>) {
        lock(&self.servers).insert(gid, Arc::downgrade(server));
    }

    pub(crate) fn add_client(&self, gid: Gid, client: &Arc<dyn ClientEnd>) {
        lock(&self.clients).insert(gid, Arc::downgrade(client));
    }

    pub(crate) fn remove_server(&self, gid: Gid, server: &Arc<dyn ServerEnd>) {
        forget(&self.servers, gid, server);
    }

    pub(crate) fn remove_client(&self, gid: Gid, client: &Arc<dyn ClientEnd>) {
        forget(&self.clients, gid, client);
    }

    /// Returns whether requests of a client can be forwarded without a look at the graph.
    pub fn knows(&self, client: Gid) -> bool {
        self.client(client).is_some()
    }

    fn client(&self, gid: Gid) -> Option<Arc<dyn ClientEnd>> {
        lock(&self.clients).get(&gid).and_then(Weak::upgrade)
    }

    fn server(&self, gid: Gid) -> Option<Arc<dyn ServerEnd>> {
        lock(&self.servers).get(&gid).and_then(Weak::upgrade)
    }

    /// Forwards a request of a client. Returns `false` if no server can take it.
    pub fn forward(&self, client: Gid, request: Message) -> bool {
        let known = self.client(client).or_else(|| {
            (self.refresh_clients)();
            self.client(client)
        });
        known.is_some_and(|client| client.forward(request))
    }

    /// Passes on a response, or that there will be none. If `server` is `None`, any replica of a server passes the response on, and all
    /// say that there is none.
    pub fn respond(&self, server: Option<Gid>, response: Option<&Message>, to: RequestId) {
        let known = match server {
            Some(server) => self.server(server).or_else(|| {
                (self.refresh_servers)();
                self.server(server)
            }),
            None => None,
        };
        let servers: Vec<Arc<dyn ServerEnd>> = match (known, response) {
            (Some(server), _) => vec![server],
            (None, Some(_)) => lock(&self.servers).values().find_map(Weak::upgrade).into_iter().collect(),
            (None, None) => lock(&self.servers).values().filter_map(Weak::upgrade).collect(),
        };
        for server in servers {
            // It fails if the client has gone, or if there is no memory. In the second case, the client is told that there will be
            // no response.
            if !server.respond(response, to) {
                server.respond(None, to);
            }
        }
    }
}

/// Forgets a replica that was removed, unless another one has the same gid by now.
fn forget<T: ?Sized>(all: &Mutex<HashMap<Gid, Weak<T>>>, gid: Gid, removed: &Arc<T>) {
    let mut all = lock(all);
    if all.get(&gid).is_some_and(|known| std::ptr::addr_eq(known.as_ptr(), Arc::as_ptr(removed))) {
        all.remove(&gid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_replica_is_forgotten_but_not_one_that_replaces_it() {
        let gid = Gid::from_parts(1, 2);
        let [first, second]: [Arc<i32>; 2] = [1, 2].map(Arc::new);
        let all = Mutex::new(HashMap::from([(gid, Arc::downgrade(&second))]));
        forget(&all, gid, &first);
        assert_eq!(lock(&all).len(), 1);
        forget(&all, gid, &second);
        assert_eq!(lock(&all).len(), 0);
    }
}
