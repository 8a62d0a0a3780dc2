//! Requests and responses: queryables for local servers, and queries for local clients.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, Weak},
    time::{Duration, Instant},
};

use saltus_host::{EndpointInfo, RequestId, Stamp, system_now};
use saltus_relay::{ClientEnd, Exchange, Message, Priority, Replica, ServerEnd, ShowError, Window};
use saltus_rmw::{Answers, Attachment, EntityKind, Known};
use saltus_types::{Gid, TypeHash, lock};
use zenoh::{
    Wait,
    bytes::ZBytes,
    key_expr::KeyExpr,
    query::{ConsolidationMode, Querier, Query, QueryTarget, Queryable, Reply},
    sample::Locality,
};

use crate::{
    anonymous::{Anonymous, Original},
    by_hash::ByHash,
    link::{Announced, Link, Task, Waiting, attachment, message, other, read_attachment, zenoh_priority},
    table::Table,
};

/// The most requests to one server that wait for a response. The oldest is told that there will be none.
const MAX_PENDING: usize = 4096;
/// The time for which a server is still announced after it was closed. A server of parameters is opened for its first client, and
/// closed after its last one; others must not see it go.
const LINGER: Duration = Duration::from_millis(300);
/// The time from the end of a query without a reply to the answer that there is none. The client learns earlier from the graph,
/// where entities are held for 5 s, that its server has gone.
const GONE: Duration = Duration::from_secs(6);
/// The longest time that a query for the result of an action may last. Zenoh keeps about 1.1 KB for each query until its time is over,
/// also if it has ended (1.10.2, `Session::query`), so it is not endless.
const RESULT_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// The longest time that other queries may last, as in rmw_zenoh.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The local servers that are announced, by node and name.
#[derive(Debug)]
pub(crate) struct Servers {
    link: Arc<Link>,
    table: Arc<Mutex<Table>>,
    open: Mutex<HashMap<(Gid, String), Weak<Server>>>,
    /// The clients that stand for programs without one, by the name and the type of the service.
    anonymous: Mutex<HashMap<(String, String, TypeHash), Weak<Anonymous>>>,
}

impl Servers {
    pub(crate) fn new(link: Arc<Link>, table: Arc<Mutex<Table>>) -> Self {
        Self { link, table, open: Mutex::default(), anonymous: Mutex::default() }
    }

    /// Announces a server. Whether it is open or only offered makes no difference to others.
    pub(crate) fn open(
        &self,
        replica: &Replica,
        exchange: &Arc<Exchange>,
    ) -> Result<NetworkServer, ShowError> {
        let mut open = lock(&self.open);
        let key = (replica.node.gid, replica.end.topic.clone());
        // One of another type, or of a flow that has ended, can't be used again.
        let is_same = |server: &Arc<Server>| {
            let (own, new) = (&server.calls.end, &replica.end);
            Arc::ptr_eq(&server.calls.exchange, exchange)
                && (&own.type_name, own.type_hash) == (&new.type_name, new.type_hash)
        };
        if let Some(server) = open.get(&key).and_then(Weak::upgrade).filter(is_same) {
            return Ok(NetworkServer(Some(server)));
        }
        let server = Server::declare(&self.link, replica, exchange, self.anonymous(&replica.end))?;
        open.retain(|_, server| server.strong_count() > 0);
        open.insert(key, Arc::downgrade(&server));
        Ok(NetworkServer(Some(server)))
    }

    /// Returns the client that stands for programs without one, for the service of a server.
    fn anonymous(&self, server: &EndpointInfo) -> Arc<Anonymous> {
        let mut all = lock(&self.anonymous);
        let key = (server.topic.clone(), server.type_name.clone(), server.type_hash);
        if let Some(known) = all.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        let new = Arc::new(Anonymous::new(&self.link, &self.table, server));
        all.retain(|_, one| one.strong_count() > 0);
        all.insert(key, Arc::downgrade(&new));
        new
    }
}

/// A local server in the network. When it is dropped, it is announced for a short time still.
#[derive(Debug)]
pub(crate) struct NetworkServer(Option<Arc<Server>>);

impl Drop for NetworkServer {
    fn drop(&mut self) {
        if let Some(server) = self.0.take() {
            let tasks = server.calls.link.tasks.clone();
            // It fails if the bridge ends. Then nothing lingers.
            let _ = tasks.send(Task::RunAfter(LINGER, Box::new(move || drop(server))));
        }
    }
}

impl ServerEnd for NetworkServer {
    fn respond(&self, response: Option<&Message>, to: RequestId) -> bool {
        self.0.iter().for_each(|server| server.calls.respond(response, to));
        true
    }

    fn reach(&self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        self.0.iter().try_for_each(|server| server.reach(hashes))
    }
}

/// A queryable and its token.
struct Server {
    calls: Arc<Calls>,
    _queryables: Vec<Queryable<()>>,
    others: ByHash<Vec<Queryable<()>>>,
    _announced: Announced,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("end", &self.calls.end).finish_non_exhaustive()
    }
}

/// The calls of a server.
struct Calls {
    link: Arc<Link>,
    /// The server.
    end: EndpointInfo,
    anonymous: Arc<Anonymous>,
    exchange: Arc<Exchange>,
    state: Mutex<CallState>,
}

/// A query, with the key to which it came.
#[derive(Clone)]
struct KeyedQuery {
    query: Query,
    key: KeyExpr<'static>,
    _waiting: Arc<Waiting>,
}

#[derive(Default)]
struct CallState {
    /// The requests of the last seconds, with their responses. A client may send a request again.
    answers: Answers<Option<Arc<[u8]>>>,
    /// The queries that wait for a response. Several may wait for the same.
    pending: VecDeque<(RequestId, KeyedQuery)>,
}

impl Server {
    fn declare(
        link: &Arc<Link>,
        replica: &Replica,
        exchange: &Arc<Exchange>,
        anonymous: Arc<Anonymous>,
    ) -> Result<Arc<Self>, ShowError> {
        let calls = Arc::new(Calls {
            link: link.clone(),
            end: replica.end.clone(),
            anonymous,
            exchange: exchange.clone(),
            state: Mutex::default(),
        });
        let own = calls.end.type_hash;
        let queryables = calls.declare(own)?;
        let announced = link.announce(EntityKind::Server, replica)?;
        let others = ByHash::new(&calls.end, &link.logger);
        Ok(Arc::new(Self { calls, _queryables: queryables, others, _announced: announced }))
    }

    fn reach(&self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        self.others.reach(hashes, |hash| self.calls.declare(hash))
    }
}

impl Calls {
    /// Declares the queryables for clients whose type has this hash.
    fn declare(self: &Arc<Self>, type_hash: TypeHash) -> Result<Vec<Queryable<()>>, ShowError> {
        let keys = self.link.keys_with(&self.end, type_hash)?;
        keys.into_iter().map(|key| self.declare_one(key)).collect()
    }

    fn declare_one(self: &Arc<Self>, key: KeyExpr<'static>) -> Result<Queryable<()>, ShowError> {
        let calls = self.clone();
        let queryable = self.link.session.declare_queryable(key.clone()).complete(true);
        let queryable = queryable.allowed_origin(Locality::Remote);
        let receive = move |query| {
            let waiting = Arc::new(calls.link.count_call());
            calls.receive(KeyedQuery { query, key: key.clone(), _waiting: waiting });
        };
        queryable.callback(receive).wait().map_err(other)
    }

    fn receive(self: &Arc<Self>, asked: KeyedQuery) {
        let query = &asked.query;
        let Some(sent) = read_attachment(query.attachment()) else {
            let why = "expected an attachment with the number of the request and the gid of the client";
            refuse(&self.link, asked.query, why);
            return;
        };
        let to = RequestId { client: sent.gid, sequence: sent.sequence.unsigned_abs() };
        let request = message(query.payload().unwrap_or(&ZBytes::default()), &sent);
        let (known, oldest) = {
            let mut state = lock(&self.state);
            let known = state.answers.ask(sent.gid, sent.sequence, Instant::now());
            if !matches!(known, Known::Answered(_)) {
                state.pending.push_back((to, asked.clone()));
            }
            let is_full = state.pending.len() > MAX_PENDING;
            (known, is_full.then(|| state.pending.pop_front()).flatten())
        };
        if let Some((_, oldest)) = oldest {
            refuse(&self.link, oldest.query, "too many requests wait for this server");
        }
        match known {
            Known::Pending => {}
            Known::Answered(answer) => self.reply(asked, to, answer.clone()),
            Known::New if self.exchange.knows(to.client) => self.forward(to, request),
            // The client's token may be in the table, and not applied yet. The thread of the network applies it.
            Known::New => {
                let calls = self.clone();
                // It fails only when the bridge ends.
                let _ = self.link.tasks.send(Task::Run(Box::new(move || calls.forward_unknown(to, request))));
            }
        }
    }

    fn forward(&self, to: RequestId, request: Message) {
        if !self.exchange.forward(to.client, request) {
            self.respond(None, to);
        }
    }

    /// Forwards a request whose client was not known. It runs on the thread of the network, so that all tokens are applied.
    fn forward_unknown(self: &Arc<Self>, to: RequestId, mut request: Message) {
        if self.exchange.knows(to.client) {
            self.forward(to, request);
            return;
        }
        let own = self.anonymous.request(to);
        request.stamp.sequence = own.sequence;
        self.forward(own, request);
    }

    /// Answers the queries of a request.
    fn respond(&self, response: Option<&Message>, mut to: RequestId) {
        match self.anonymous.original(to) {
            Original::OfAnother => {}
            Original::Known(original) => to = original,
            // So many others have come since that nobody waits for it any more.
            Original::Forgotten => return,
        }
        let bytes: Option<Arc<[u8]>> = response.map(|message| message.to_vec().into());
        let queries: Vec<KeyedQuery> = {
            let mut state = lock(&self.state);
            let sequence = i64::try_from(to.sequence).unwrap_or(i64::MAX);
            state.answers.answer(to.client, sequence, bytes.clone(), Instant::now());
            let (due, rest): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(&mut state.pending).into_iter().partition(|(id, _)| *id == to);
            state.pending = rest;
            due.into_iter().map(|(_, query)| query).collect()
        };
        queries.into_iter().for_each(|query| self.reply(query, to, bytes.clone()));
    }

    /// Answers a query. That may have to wait for a link, so another thread does it.
    fn reply(
        &self,
        KeyedQuery { query, key, _waiting: waiting }: KeyedQuery,
        to: RequestId,
        response: Option<Arc<[u8]>>,
    ) {
        let Some(bytes) = response else {
            refuse(&self.link, query, "the server gives no response");
            return;
        };
        let stamp = Stamp { source_time: system_now(), sequence: to.sequence, gid: None };
        self.link.calls.push(Box::new(move || {
            // An error is ignored: a client that has gone needs no response.
            let _waiting = waiting;
            let _ = query.reply(&key, &*bytes).attachment(attachment(&stamp, to.client)).wait();
        }));
    }
}

/// Answers a query with an error, so that its client does not send it again.
fn refuse(link: &Link, query: Query, why: &'static str) {
    link.calls.push(Box::new(move || {
        // An error is ignored: a client that has gone needs no answer.
        let _ = query.reply_err(why).wait();
    }));
}

type Queriers = Vec<Arc<Querier<'static>>>;

/// A local client in the network.
pub(crate) struct NetworkClient {
    queriers: Queriers,
    others: ByHash<Queriers>,
    replica: Replica,
    announced: Announced,
    exchange: Arc<Exchange>,
    /// The numbers of the last requests. A request comes through the replica of each server, and is sent once.
    sent: Arc<Mutex<Window>>,
    link: Arc<Link>,
}

impl NetworkClient {
    pub(crate) fn open(
        link: &Arc<Link>,
        replica: &Replica,
        exchange: &Arc<Exchange>,
    ) -> Result<Self, ShowError> {
        let own = replica.end.type_hash;
        let queriers = declare_queriers(link, replica, own)?;
        let announced = link.announce(EntityKind::Client, replica)?;
        Ok(Self {
            queriers,
            others: ByHash::new(&replica.end, &link.logger),
            replica: replica.clone(),
            announced,
            exchange: exchange.clone(),
            sent: Arc::default(),
            link: link.clone(),
        })
    }
}

/// Declares what queries servers whose type has this hash.
fn declare_queriers(link: &Link, replica: &Replica, type_hash: TypeHash) -> Result<Queriers, ShowError> {
    let keys = link.keys_with(&replica.end, type_hash)?;
    keys.into_iter().map(|key| declare_querier(link, replica, key)).collect()
}

fn declare_querier(
    link: &Link,
    replica: &Replica,
    key: KeyExpr<'static>,
) -> Result<Arc<Querier<'static>>, ShowError> {
    let is_result = replica.end.topic.ends_with("/_action/get_result");
    let querier = link
        .session
        .declare_querier(key)
        .target(QueryTarget::AllComplete)
        // Servers of this host have the request already.
        .allowed_destination(Locality::Remote)
        .consolidation(ConsolidationMode::None)
        .timeout(if is_result { RESULT_TIMEOUT } else { TIMEOUT });
    let priority =
        replica.passage.priority.map_or(Priority::Data, |priority| priority.max(Priority::DataHigh));
    let querier = querier.priority(zenoh_priority(priority)).express(replica.passage.is_express);
    Ok(Arc::new(querier.wait().map_err(other)?))
}

impl ClientEnd for NetworkClient {
    fn forward(&self, request: Message) -> bool {
        let sequence = request.stamp.sequence;
        if !lock(&self.sent).insert(sequence) {
            return true;
        }
        let to = RequestId { client: self.replica.end.gid, sequence };
        let state = Mutex::new(CallProgress::Waiting);
        let (exchange, link) = (self.exchange.clone(), self.link.clone());
        let call = Arc::new(Call { exchange, _waiting: link.count_call(), link, to, state });
        let attachment = attachment(&request.stamp, self.announced.gid);
        let (payload, mut queriers) = (ZBytes::from(request.to_vec()), self.queriers.clone());
        self.others.for_each(|other| queriers.extend_from_slice(other));
        let sent = self.sent.clone();
        // It may have to wait for a link, so another thread sends it.
        self.link.calls.push(Box::new(move || {
            let mut is_sent = false;
            for querier in queriers {
                let receiver = call.clone();
                let get = querier.get().payload(payload.clone()).attachment(attachment.clone());
                match get.callback(move |reply| receiver.receive(&reply)).wait() {
                    Ok(()) => is_sent = true,
                    Err(error) => {
                        let (logger, key) = (&call.link.logger, querier.key_expr());
                        saltus_node::warn!(logger, "can't call '{key}': {error}");
                    }
                }
            }
            if !is_sent {
                lock(&sent).remove(sequence);
                call.exchange.respond(None, None, to);
            }
        }));
        true
    }

    fn reach(&self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        self.others.reach(hashes, |hash| declare_queriers(&self.link, &self.replica, hash))
    }
}

/// A call that waits for its replies. Zenoh drops it when no more can come.
struct Call {
    exchange: Arc<Exchange>,
    link: Arc<Link>,
    to: RequestId,
    state: Mutex<CallProgress>,
    _waiting: Waiting,
}

/// What has come of a call.
#[derive(Clone, Copy)]
enum CallProgress {
    Waiting,
    /// A server has said that there will be no response.
    Refused,
    Answered,
}

impl Call {
    fn receive(&self, reply: &Reply) {
        let Ok(sample) = reply.result() else {
            let mut state = lock(&self.state);
            if matches!(*state, CallProgress::Waiting) {
                *state = CallProgress::Refused;
            }
            return;
        };
        let Some(Attachment { source_time, .. }) = read_attachment(sample.attachment()) else {
            let logger = &self.link.logger;
            saltus_node::warn!(
                logger,
                "a response on '{}' is dropped: it has no attachment",
                sample.key_expr()
            );
            return;
        };
        let answer = Attachment {
            sequence: i64::try_from(self.to.sequence).unwrap_or(i64::MAX),
            source_time,
            gid: self.to.client,
        };
        *lock(&self.state) = CallProgress::Answered;
        self.exchange.respond(None, Some(&message(sample.payload(), &answer)), self.to);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let (exchange, to) = (self.exchange.clone(), self.to);
        let end = move || exchange.respond(None, None, to);
        match *lock(&self.state) {
            CallProgress::Answered => {}
            CallProgress::Refused => end(),
            CallProgress::Waiting => {
                // It fails if the bridge ends. Then the client loses its server.
                let _ = self.link.tasks.send(Task::RunAfter(GONE, Box::new(end)));
            }
        }
    }
}
