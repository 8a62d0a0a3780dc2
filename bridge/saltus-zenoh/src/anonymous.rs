//! Programs that call a service and announce no client.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus_host::{EndpointInfo, RequestId};
use saltus_types::{Gid, lock};

use crate::{
    link::{Link, Task},
    table::Table,
};

/// The most requests that are known. They may come again, and their responses are awaited.
const MAX_REQUESTS: usize = 4096;
/// How long a request is known after its first response. Another server may respond later, and the program may ask again.
const KEPT_FOR: Duration = Duration::from_secs(10);
/// The time between two looks for requests that are known for too long.
const LOOK: Duration = Duration::from_secs(1);

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
    originals: BTreeMap<u64, ProgramRequest>,
    numbers: HashMap<(Gid, u64), u64>,
    last: u64,
    /// When old requests were looked for.
    looked: Option<Instant>,
}

/// A request of a program.
struct ProgramRequest {
    original: RequestId,
    /// When the first response has come.
    answered: Option<Instant>,
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
        RequestId { client, sequence: requests.number(original, Instant::now()) }
    }

    /// Returns whether a response is for this client, and for which request of a program.
    pub(crate) fn original(&self, request: RequestId) -> Original {
        let mut requests = lock(&self.requests);
        if requests.client != Some(request.client) {
            return Original::OfAnother;
        }
        let Some(known) = requests.originals.get_mut(&request.sequence) else { return Original::Forgotten };
        known.answered.get_or_insert_with(Instant::now);
        Original::Known(known.original)
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
    fn number(&mut self, original: RequestId, now: Instant) -> u64 {
        self.forget_old(now);
        let key = (original.client, original.sequence);
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        self.last += 1;
        self.numbers.insert(key, self.last);
        self.originals.insert(self.last, ProgramRequest { original, answered: None });
        if self.originals.len() > MAX_REQUESTS
            && let Some((_, gone)) = self.originals.pop_first()
        {
            self.numbers.remove(&(gone.original.client, gone.original.sequence));
        }
        self.last
    }

    /// Forgets the requests that were answered some time ago. The same request may be meant as a new one then.
    fn forget_old(&mut self, now: Instant) {
        if self.looked.is_some_and(|looked| now.saturating_duration_since(looked) < LOOK) {
            return;
        }
        self.looked = Some(now);
        let is_old = |asked: &ProgramRequest| {
            asked.answered.is_some_and(|answered| now.saturating_duration_since(answered) >= KEPT_FOR)
        };
        let numbers = &mut self.numbers;
        self.originals.retain(|_, asked| {
            let is_kept = !is_old(asked);
            if !is_kept {
                numbers.remove(&(asked.original.client, asked.original.sequence));
            }
            is_kept
        });
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
        let (id, now) = (|sequence| RequestId { client: Gid::from_parts(1, 2), sequence }, Instant::now());
        assert_eq!([1, 2, 1, 2].map(|sequence| requests.number(id(sequence), now)), [1, 2, 1, 2]);
        (3..=MAX_REQUESTS as u64 + 2).for_each(|sequence| _ = requests.number(id(sequence), now));
        assert_eq!((requests.originals.len(), requests.numbers.len()), (MAX_REQUESTS, MAX_REQUESTS));
        assert_eq!(requests.number(id(1), now), MAX_REQUESTS as u64 + 3);
    }

    #[test]
    fn a_request_that_was_answered_long_ago_is_a_new_one() {
        let mut requests = Requests::default();
        let (id, now) = (RequestId { client: Gid::from_parts(1, 2), sequence: 1 }, Instant::now());
        assert_eq!(requests.number(id, now), 1);
        assert_eq!(requests.number(id, now + 2 * KEPT_FOR), 1, "it waits for its response");
        requests.originals.get_mut(&1).unwrap().answered = Some(now);
        assert_eq!(requests.number(id, now + 3 * KEPT_FOR), 2);
        assert_eq!((requests.originals.len(), requests.numbers.len()), (1, 1));
    }
}
