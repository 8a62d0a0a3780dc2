//! Answers to requests that a client may send again.
//!
//! A client of rmw_zenoh sends a request again, with the same number, if its query ends without a reply. A service must not
//! execute it twice.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use saltus_types::Gid;

/// How long an answer is kept. Clients send a request again for at most 5 s.
const KEPT_FOR: Duration = Duration::from_secs(10);
/// The most requests of one client that are kept. A client with more of them in flight may be executed twice.
const MAX_REQUESTS: usize = 64;
/// The most clients that are kept, so that a flood of invented clients needs no more memory. The one that has asked first goes.
const MAX_CLIENTS: usize = 4096;

/// What is known of a request that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known<A> {
    /// It has not come before.
    New,
    /// It has come before, and its answer has not.
    Pending,
    /// It was answered.
    Answered(A),
}

/// The requests of some seconds, and their answers.
///
/// ```
/// use saltus_rmw::{Answers, Known};
/// use saltus_types::Gid;
/// use std::time::Instant;
/// let (mut answers, client, now) = (Answers::default(), Gid::from_parts(1, 2), Instant::now());
/// assert_eq!(answers.ask(client, 1, now), Known::New);
/// assert_eq!(answers.ask(client, 1, now), Known::Pending);
/// answers.answer(client, 1, "42", now);
/// assert_eq!(answers.ask(client, 1, now), Known::Answered("42"));
/// ```
#[derive(Debug)]
pub struct Answers<A> {
    clients: HashMap<Gid, VecDeque<Request<A>>>,
    /// The clients in the order in which they have first asked.
    order: VecDeque<Gid>,
    /// When old clients were looked for.
    looked: Option<Instant>,
}

#[derive(Debug)]
struct Request<A> {
    sequence: i64,
    at: Instant,
    /// `None` until it is answered.
    answer: Option<A>,
}

impl<A> Default for Answers<A> {
    fn default() -> Self {
        Self { clients: HashMap::new(), order: VecDeque::new(), looked: None }
    }
}

impl<A: Clone> Answers<A> {
    /// Notes that a request has come. Returns what is known of it.
    pub fn ask(&mut self, client: Gid, sequence: i64, now: Instant) -> Known<A> {
        let requests = self.requests_of(client, now);
        if let Some(known) = requests.iter().find(|request| request.sequence == sequence) {
            return known.answer.clone().map_or(Known::Pending, Known::Answered);
        }
        add(requests, Request { sequence, at: now, answer: None });
        Known::New
    }

    /// Keeps the answer of a request. It may come before the request: a server may have it from another one who has asked.
    pub fn answer(&mut self, client: Gid, sequence: i64, answer: A, now: Instant) {
        let requests = self.requests_of(client, now);
        match requests.iter_mut().find(|request| request.sequence == sequence) {
            Some(request) => request.answer = Some(answer),
            None => add(requests, Request { sequence, at: now, answer: Some(answer) }),
        }
    }

    /// Returns the requests of a client, without old ones.
    fn requests_of(&mut self, client: Gid, now: Instant) -> &mut VecDeque<Request<A>> {
        if !self.clients.contains_key(&client) {
            self.forget_old(now);
            self.order.push_back(client);
            if self.order.len() > MAX_CLIENTS
                && let Some(first) = self.order.pop_front()
            {
                self.clients.remove(&first);
            }
        }
        let requests = self.clients.entry(client).or_default();
        requests.retain(|request| now.saturating_duration_since(request.at) < KEPT_FOR);
        requests
    }

    /// Forgets the clients that have asked nothing for so long that no answer is needed again. It looks at most once in that time.
    fn forget_old(&mut self, now: Instant) {
        if self.looked.is_some_and(|looked| now.saturating_duration_since(looked) < KEPT_FOR) {
            return;
        }
        self.looked = Some(now);
        let is_new = |request: &Request<A>| now.saturating_duration_since(request.at) < KEPT_FOR;
        self.clients.retain(|_, requests| requests.back().is_some_and(is_new));
        self.order.retain(|client| self.clients.contains_key(client));
    }
}

/// Adds a request. The oldest one goes if there are too many.
fn add<A>(requests: &mut VecDeque<Request<A>>, request: Request<A>) {
    if requests.len() == MAX_REQUESTS {
        requests.pop_front();
    }
    requests.push_back(request);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_new_once_and_its_answer_is_repeated() {
        let (mut answers, now) = (Answers::default(), Instant::now());
        let [one, two] = [1, 2].map(|number| Gid::from_parts(number, number));
        assert_eq!(answers.ask(one, 1, now), Known::New);
        assert_eq!(answers.ask(two, 1, now), Known::New, "another client counts for itself");
        answers.answer(one, 1, 42, now);
        answers.answer(one, 9, 43, now);
        assert_eq!(answers.ask(one, 9, now), Known::Answered(43), "the answer may come first");
        assert_eq!(answers.ask(one, 1, now), Known::Answered(42));
        assert_eq!(answers.ask(two, 1, now), Known::Pending);
        assert_eq!(answers.ask(one, 1, now + KEPT_FOR), Known::New, "it is forgotten");
    }

    #[test]
    fn clients_that_ask_no_more_are_forgotten() {
        let (mut answers, now) = (Answers::<u8>::default(), Instant::now());
        for number in 0..10 {
            answers.ask(Gid::from_parts(number, 0), 1, now);
        }
        answers.ask(Gid::from_parts(0, 0), 2, now + KEPT_FOR);
        answers.ask(Gid::from_parts(10, 0), 1, now + KEPT_FOR);
        assert_eq!((answers.clients.len(), answers.order.len()), (2, 2));
    }

    #[test]
    fn a_flood_needs_no_more_memory() {
        let (mut answers, now) = (Answers::<u8>::default(), Instant::now());
        for number in 0..3 * MAX_CLIENTS as u64 {
            answers.ask(Gid::from_parts(number, 0), 1, now);
        }
        assert_eq!((answers.clients.len(), answers.order.len()), (MAX_CLIENTS, MAX_CLIENTS));
        let client = Gid::from_parts(u64::MAX, 0);
        for sequence in 0..1000 {
            answers.ask(client, sequence, now);
        }
        assert_eq!(answers.clients[&client].len(), MAX_REQUESTS);
        assert_eq!(answers.ask(client, 999, now), Known::Pending);
        assert_eq!(answers.ask(client, 0, now), Known::New);
    }
}
