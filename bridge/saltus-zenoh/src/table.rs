//! What others announce, as changes for the relay.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use saltus_host::{EndpointId, EndpointInfo, EndpointKind, NodeInfo, Origin};
use saltus_node::MAX_REQUESTS_IN_FLIGHT;
use saltus_relay::{ChannelName, EndpointChange};
use saltus_rmw::{EndpointToken, EntityKind, Held, Token, gid_of};
use saltus_types::{Gid, NetworkLoss, QoS, TypeHash};

use crate::{
    hosts::{self, Change, Hosts},
    link::Mark,
    peers::{Counts, MAX_OF_SESSION, OTHERS, Peer, Peers},
    types::Question,
};

/// The most endpoints of all sessions.
const MAX: usize = 50_000;
/// How long after the return of a link a missing message counts as lost with it.
const AFTER_RETURN: Duration = Duration::from_secs(5);
/// The first part of the names of an action's topics and services.
const ACTION: &str = "/_action/";

/// The endpoints that other sessions announce.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entities: HashMap<String, Remote>,
    peers: Peers,
    /// The session of each endpoint and the hash of its type, by its gid.
    gids: HashMap<Gid, (String, TypeHash)>,
    hosts: Hosts,
    /// The publishers behind bridges whose messages are sent, with the number of the last message that was kept before, and
    /// whether only some pass.
    sending: HashMap<Gid, (i64, bool)>,
    held: Held<String>,
    /// When endpoints that were held were announced again. What is missing soon after it was lost with their link.
    came_back: HashMap<Gid, Instant>,
    /// The changes that were not taken yet.
    pending: Vec<EndpointChange>,
    /// The types of endpoints that have come since they were taken.
    questions: Vec<Question>,
    /// How many tokens were not used: not valid, or too many.
    refused: u64,
    /// The names that have gone and are not there again, by their hashes.
    gone: HashSet<u64>,
    /// The sessions whose tokens are asked for, with the tokens that have gone meanwhile.
    asking: HashMap<String, HashSet<String>>,
}

/// An endpoint that was announced.
#[derive(Debug)]
struct Remote {
    session: String,
    channel_name: ChannelName,
    end: Arc<EndpointInfo>,
    node: Arc<NodeInfo>,
    /// Whether its token has gone.
    is_held: bool,
}

impl Table {
    /// Notes that a token is there.
    pub(crate) fn add(&mut self, text: &str) {
        self.note_there(text);
        let Ok(token) = text.parse::<Token>() else {
            self.refused += 1;
            self.peers.refuse(session_in(text), false);
            return;
        };
        let Some(endpoint) = &token.endpoint else { return };
        let session = &token.session;
        if let Some(known) = self.entities.get_mut(text) {
            if std::mem::take(&mut known.is_held) {
                self.came_back.insert(known.end.gid, Instant::now());
                self.held.appeared(session, &text.to_owned());
            }
            return;
        }
        if self.entities.len() >= MAX || self.peers.endpoints(session) >= MAX_OF_SESSION {
            self.refused += 1;
            self.peers.refuse(session, true);
            return;
        }
        self.peers.add_endpoint(session);
        self.held.appeared(session, &text.to_owned());
        let node = Arc::new(node_of(&token, self.hosts.host_of(session)));
        let end = Arc::new(end_of(text, &node, endpoint));
        let is_service = matches!(endpoint.kind, EntityKind::Server | EntityKind::Client);
        self.questions.push(Question {
            type_name: endpoint.type_name.clone(),
            type_hash: endpoint.type_hash,
            session: session.clone(),
            node: token.node.fully_qualified(),
        });
        self.gids.insert(end.gid, (session.clone(), end.type_hash));
        let channel_name = ChannelName { is_service, name: endpoint.name.clone() };
        let change =
            EndpointChange { channel_name: channel_name.clone(), end: end.clone(), node: Some(node.clone()) };
        self.pending.push(change);
        let remote = Remote { session: session.clone(), channel_name, end, node, is_held: false };
        self.entities.insert(text.to_owned(), remote);
    }

    /// Notes that a token has gone. Its entity is held for some time.
    pub(crate) fn remove(&mut self, text: &str, now: Instant) {
        for (session, gone) in &mut self.asking {
            if session == OTHERS || session == session_in(text) {
                gone.insert(text.to_owned());
            }
        }
        match self.entities.get_mut(text) {
            Some(remote) if !remote.is_held => {
                remote.is_held = true;
                self.held.disappeared(&remote.session, text.to_owned(), now);
            }
            Some(_) => {}
            None => {
                self.note_gone(text);
                let token = text.parse::<Token>();
                // That of a node is not counted.
                if !token.as_ref().is_ok_and(|token| token.endpoint.is_none()) {
                    self.peers.remove_refused(session_in(text), token.is_ok());
                }
            }
        }
    }

    /// Removes the entities that were held for long enough. Returns how long it is until the next ones.
    pub(crate) fn remove_due(&mut self, now: Instant) -> Option<Duration> {
        for text in self.held.take_due(now) {
            let was_full = self.entities.len() >= MAX;
            let Some(remote) = self.entities.remove(&text) else { continue };
            self.note_gone(&text);
            self.peers.remove_endpoint(&remote.session, was_full, now);
            let Remote { channel_name, end, .. } = remote;
            self.gids.remove(&end.gid);
            self.came_back.remove(&end.gid);
            self.pending.push(EndpointChange { channel_name, end, node: None });
        }
        self.held.next_due().map(|due| due.saturating_duration_since(now))
    }

    /// Adds a client that stands for all programs that call a service and announce no client. Returns its gid. The service is that of
    /// a local server.
    pub(crate) fn add_anonymous_client(&mut self, server: &EndpointInfo) -> Gid {
        let text = anonymous(server);
        let gid = gid_of(&text);
        if self.entities.contains_key(&text) {
            return gid;
        }
        let node = Arc::new(NodeInfo {
            gid: gid_of(&format!("node of the {text}")),
            namespace: "/".into(),
            name: "_zenoh_client".into(),
            origin: Origin::named("zenoh".into()),
        });
        let end = Arc::new(EndpointInfo {
            kind: EndpointKind::Publisher,
            id: id_of(gid),
            gid,
            node: node.gid,
            origin: node.origin.clone(),
            qos: QoS::keep_last(MAX_REQUESTS_IN_FLIGHT),
            ..server.clone()
        });
        let channel_name = ChannelName { is_service: true, name: server.topic.clone() };
        let remote = Remote {
            session: String::new(),
            channel_name: channel_name.clone(),
            end: end.clone(),
            node: node.clone(),
            is_held: false,
        };
        self.pending.push(EndpointChange { channel_name, end, node: Some(node) });
        self.entities.insert(text, remote);
        gid
    }

    /// Removes the client that stands for others, if there is one.
    pub(crate) fn remove_anonymous_client(&mut self, server: &EndpointInfo) {
        if let Some(Remote { channel_name, end, .. }) = self.entities.remove(&anonymous(server)) {
            self.pending.push(EndpointChange { channel_name, end, node: None });
        }
    }

    /// Returns the hash of an endpoint's type, if it is announced.
    pub(crate) fn hash_of(&self, gid: Gid) -> Option<TypeHash> {
        self.gids.get(&gid).map(|(_, hash)| *hash)
    }

    /// Notes that a mark of a session is there, or has gone. Returns the host for which something has changed, and what.
    pub(crate) fn note_mark(
        &mut self,
        session: &str,
        mark: &Mark,
        is_there: bool,
        now: Instant,
    ) -> Option<(String, Change)> {
        match mark {
            Mark::Bridge { .. } if is_there && self.hosts.is_full() => self.refused += 1,
            Mark::Bridge { host } if is_there => {
                // What is held of the bridge before does not come back.
                if let Some(before) = self.hosts.lost_session(session, host.as_deref()) {
                    self.held.ends(&before, now);
                }
                let change = self.hosts.add(session, host.clone())?;
                return Some((hosts::name(session, host.as_deref()), change));
            }
            Mark::Bridge { .. } => return self.hosts.remove(session, now),
            Mark::Ends if is_there => {
                self.hosts.ends(session);
                self.held.ends(session, now);
            }
            // It goes with all other tokens of its session, in any order.
            Mark::Ends => {}
            Mark::Sends { .. } if is_there && self.sending.len() >= MAX => self.refused += 1,
            Mark::Sends { gid, kept, is_limited } if is_there => {
                self.sending.insert(*gid, (*kept, *is_limited));
            }
            Mark::Sends { gid, .. } => _ = self.sending.remove(gid),
        }
        None
    }

    /// Returns whether a publisher of a bridge is not known to send yet.
    pub(crate) fn will_send(&self, gid: Gid) -> bool {
        let is_bridge = self.gids.get(&gid).is_some_and(|(session, _)| self.hosts.is_bridge(session));
        is_bridge && !self.sending.contains_key(&gid)
    }

    /// Returns the number of the last message that a publisher behind a bridge had kept when its messages were sent first.
    pub(crate) fn kept_by(&self, gid: Gid) -> Option<i64> {
        self.sending.get(&gid).map(|(kept, _)| *kept)
    }

    /// Returns why messages of a publisher are missing. A link that was lost explains only what is missing at its return.
    pub(crate) fn why_missing(&mut self, gid: Gid, now: Instant) -> NetworkLoss {
        let came_back = self.came_back.remove(&gid);
        if came_back.is_some_and(|at| now.saturating_duration_since(at) < AFTER_RETURN) {
            NetworkLoss::LinkLost
        } else if self.sending.get(&gid).is_some_and(|(_, is_limited)| *is_limited) {
            NetworkLoss::RateLimit
        } else {
            NetworkLoss::Congestion
        }
    }

    /// Returns the session of an endpoint.
    pub(crate) fn session_of(&self, gid: Gid) -> Option<String> {
        self.gids.get(&gid).map(|(session, _)| session.clone())
    }

    /// Takes the sessions whose tokens are asked for again now, and returns how long it is until the next one. Until
    /// [`Table::end_asking`], tokens that go are noted.
    pub(crate) fn take_again(&mut self, now: Instant) -> (Vec<String>, Option<Duration>) {
        let (sessions, next) = self.peers.take_again(now);
        self.asking.extend(sessions.iter().map(|session| (session.clone(), HashSet::new())));
        (sessions, next)
    }

    /// Notes that a token is there, as an answer. It may have gone since the answer was made.
    pub(crate) fn add_asked(&mut self, session: &str, text: &str) {
        if self.asking.get(session).is_some_and(|gone| !gone.contains(text)) {
            self.add(text);
        }
    }

    /// Notes that all answers have come.
    pub(crate) fn end_asking(&mut self, session: &str) {
        self.asking.remove(session);
    }

    /// Returns the sessions that have announced something, those with the most endpoints first, with where they are.
    pub(crate) fn peers(&self) -> Vec<(String, Origin, Peer)> {
        let all = self.peers.sorted().into_iter();
        all.map(|(session, peer)| (session.clone(), self.origin_of(&session), peer)).collect()
    }

    /// Returns where the entities of a session are said to be.
    pub(crate) fn origin_of(&self, session: &str) -> Origin {
        if session == OTHERS {
            return Origin::named("other sessions".into());
        }
        origin(session, self.hosts.host_of(session))
    }

    /// Returns whether a session is that of a bridge.
    pub(crate) fn is_bridge(&self, session: &str) -> bool {
        self.hosts.is_bridge(session)
    }

    /// Returns whether a change of a host is told now.
    pub(crate) fn may_tell(&mut self, now: Instant) -> bool {
        self.hosts.may_tell(now)
    }

    /// Returns the hosts of other bridges.
    pub(crate) fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// Returns the counts of the messages that come from the session of an endpoint.
    pub(crate) fn counts_of(&self, gid: Gid) -> Option<Arc<Counts>> {
        let (session, _) = self.gids.get(&gid)?;
        Some(self.peers.get(session)?.received.clone())
    }

    /// Returns the endpoints that are announced.
    pub(crate) fn endpoints(&self) -> Vec<EndpointChange> {
        let change = |remote: &Remote| EndpointChange {
            channel_name: remote.channel_name.clone(),
            end: remote.end.clone(),
            node: Some(remote.node.clone()),
        };
        self.entities.values().map(change).collect()
    }

    /// Returns how many tokens were not used: not valid, or too many.
    pub(crate) fn refused(&self) -> u64 {
        self.refused
    }

    /// Notes that a token has gone for good.
    pub(crate) fn note_gone(&mut self, text: &str) {
        if self.gone.len() < MAX {
            self.gone.insert(hash(text));
        }
    }

    /// Notes that a token is there.
    pub(crate) fn note_there(&mut self, text: &str) {
        if !self.gone.is_empty() {
            self.gone.remove(&hash(text));
        }
    }

    /// Returns how many names have gone and are not there again.
    pub(crate) fn gone(&self) -> usize {
        self.gone.len()
    }

    /// Forgets the names that have gone.
    pub(crate) fn forget_gone(&mut self) {
        self.gone = HashSet::new();
    }

    /// Takes the types of endpoints that have come since the last call.
    pub(crate) fn take_questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.questions)
    }

    /// Takes the changes since the last call.
    pub(crate) fn take(&mut self) -> Option<Vec<EndpointChange>> {
        (!self.pending.is_empty()).then(|| std::mem::take(&mut self.pending))
    }
}

/// Returns a hash of a name. It differs from process to process, so that nobody can make names with the same hash.
fn hash(name: &str) -> u64 {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEYS.hash_one(name)
}

/// Returns the session in a text that may be no token; empty if there is none.
fn session_in(text: &str) -> &str {
    text.split('/').nth(2).filter(|session| is_session(session)).unwrap_or_default()
}

/// Whether a text can be the id of a session: it is shown to users, and others may write anything.
pub(crate) fn is_session(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the node of an endpoint. Its gid is that of the token that announces it.
fn node_of(token: &Token, host: Option<&str>) -> NodeInfo {
    let announced = Token { id: token.node_id, endpoint: None, ..token.clone() };
    NodeInfo {
        gid: gid_of(&announced.to_string()),
        namespace: token.node.namespace().to_owned(),
        name: token.node.base().to_owned(),
        origin: origin(&token.session, host),
    }
}

/// Returns where the entities of a session are said to be: on a host, if a bridge has told its name.
fn origin(session: &str, host: Option<&str>) -> Origin {
    Origin::named(hosts::name(session, host))
}

fn end_of(text: &str, node: &NodeInfo, endpoint: &EndpointToken) -> EndpointInfo {
    let gid = gid_of(text);
    let EndpointToken { kind, name, type_name, type_hash, .. } = endpoint;
    EndpointInfo {
        kind: match kind {
            EntityKind::Publisher | EntityKind::Client => EndpointKind::Publisher,
            EntityKind::Subscription | EntityKind::Server | EntityKind::Node => EndpointKind::Subscription,
        },
        id: id_of(gid),
        gid,
        node: node.gid,
        origin: node.origin.clone(),
        topic: name.clone(),
        type_name: type_name.clone(),
        type_hash: *type_hash,
        qos: lenient(endpoint),
        only_from: None,
        port: 0,
        counters: 0,
    }
}

/// Returns what stands in place of a token for the client of a service that stands for others.
fn anonymous(server: &EndpointInfo) -> String {
    format!("clients of {} {} {}", server.topic, server.type_name, server.type_hash)
}

/// Returns the id of an endpoint. One with the number 0 would stand for a server that is not open.
fn id_of(gid: Gid) -> EndpointId {
    EndpointId { process: gid.process(), serial: gid.entity().max(1) }
}

/// Returns the profile with which an endpoint is shown.
///
/// On Zenoh no profile keeps services and actions from working, and some clients announce theirs as best effort. Here, servers
/// and clients are reliable. So these endpoints are shown with the profiles that all others have.
fn lenient(endpoint: &EndpointToken) -> QoS {
    let is_service = matches!(endpoint.kind, EntityKind::Server | EntityKind::Client);
    let is_publisher = endpoint.kind == EntityKind::Publisher;
    match endpoint.name.rsplit_once(ACTION).map(|(_, part)| part) {
        // A client may have so many requests in flight.
        _ if is_service => QoS::keep_last(MAX_REQUESTS_IN_FLIGHT),
        Some("status") if is_publisher => QoS::action_status_default(),
        Some("feedback") if is_publisher => endpoint.qos.reliable(),
        _ => endpoint.qos,
    }
}
