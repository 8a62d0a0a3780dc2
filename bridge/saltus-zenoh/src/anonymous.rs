//! Programs that call a service and announce no client.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex},
};

use saltus_host::{EndpointInfo, RequestId};
use saltus_types::{Gid, lock};

use crate::{
    link::{Link, Task},
    table::Table,
};

/// The most requests that are known. They may come again, and their responses are awaited.
const MAX_REQUESTS: usize = 4096;

/// The client that stands for all programs that call one service and announce no client.
///
/// **Invariant:** the same request of a program is always the same request of this client. So each of several servers executes it once.
pub(crate) struct Anonymous {
    link: Arc<Link>,
    table: Arc<Mutex<Table>>,
    /// One of the servers.
    server: EndpointInfo,
    requests: Mutex<Requests>,
}

#[derive(Default)]
struct Requests {
    /// The client, after the first request.
    client: Option<Gid>,
    /// The requests of programs, by the number that each has as a request of the client.
    originals: BTreeMap<u64, RequestId>,
    numbers: HashMap<(Gid, u64), u64>,
    last: u64,
}

impl fmt::Debug for Anonymous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anonymous").field("service", &self.server.topic).finish_non_exhaustive()
    }
}

impl Anonymous {
    /// Creates the client for the service of a server. It is shown after its first request.
    pub(crate) fn new(link: &Arc<Link>, table: &Arc<Mutex<Table>>, server: &EndpointInfo) -> Self {
        let requests = Mutex::default();
        Self { link: link.clone(), table: table.clone(), server: server.clone(), requests }
    }

    /// Returns the request of the client for one of a program.
    pub(crate) fn request(&self, original: RequestId) -> RequestId {
        let client = lock(&self.table).add_anonymous_client(&self.server);
        let mut requests = lock(&self.requests);
        requests.client = Some(client);
        RequestId { client, sequence: requests.number(original) }
    }

    /// Returns whether a request is one of this client, and of which program's request.
    pub(crate) fn original(&self, request: RequestId) -> Original {
        let requests = lock(&self.requests);
        if requests.client != Some(request.client) {
            return Original::OfAnother;
        }
        requests.originals.get(&request.sequence).map_or(Original::Forgotten, |known| Original::Known(*known))
    }
}

/// What a request of a client is.
pub(crate) enum Original {
    /// It is one of another client.
    OfAnother,
    /// So many others have come that it is not known any more.
    Forgotten,
    /// It is this one of a program.
    Known(RequestId),
}

impl Requests {
    fn number(&mut self, original: RequestId) -> u64 {
        let key = (original.client, original.sequence);
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        self.last += 1;
        self.numbers.insert(key, self.last);
        self.originals.insert(self.last, original);
        if self.originals.len() > MAX_REQUESTS
            && let Some((_, gone)) = self.originals.pop_first()
        {
            self.numbers.remove(&(gone.client, gone.sequence));
        }
        self.last
    }
}

impl Drop for Anonymous {
    fn drop(&mut self) {
        lock(&self.table).remove_anonymous_client(&self.server);
        // It fails if the bridge ends.
        let _ = self.link.tasks.send(Task::Refresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_request_has_the_same_number_until_many_others_have_come() {
        let mut requests = Requests::default();
        let id = |sequence| RequestId { client: Gid::from_parts(1, 2), sequence };
        assert_eq!([1, 2, 1, 2].map(|sequence| requests.number(id(sequence))), [1, 2, 1, 2]);
        (3..=MAX_REQUESTS as u64 + 2).for_each(|sequence| _ = requests.number(id(sequence)));
        assert_eq!((requests.originals.len(), requests.numbers.len()), (MAX_REQUESTS, MAX_REQUESTS));
        assert_eq!(requests.number(id(1)), MAX_REQUESTS as u64 + 3);
    }
}
