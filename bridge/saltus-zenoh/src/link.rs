//! The session of a bridge, and what all its entities share: their tokens and keys.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::Sender,
    },
    time::Duration,
};

use saltus_host::{EndpointInfo, NodeInfo, Stamp};
use saltus_node::Logger;
use saltus_relay::{Message, Parts, Priority, Replica, ShowError};
use saltus_rmw::{Attachment, EndpointToken, EntityKind, Token, data_key, gid_of, key_with_zeros};
use saltus_types::{Gid, NodeName, QoS, TypeHash, lock};
use zenoh::{Session, Wait, bytes::ZBytes, key_expr::KeyExpr, liveliness::LivelinessToken};

use crate::{
    peers::Counts,
    session::text_of,
    table::is_session,
    worker::{Queue, Worker},
};

/// The name of the node of a bridge, or its first part.
pub(crate) const BRIDGE: &str = "saltus_bridge";

/// A function that another thread calls.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// What the thread of the network does next.
pub(crate) enum Task {
    /// The table has changed.
    Refresh,
    /// Calls a function after the table was applied.
    Run(Job),
    /// Calls a function after a time.
    RunAfter(Duration, Job),
    /// The bridge ends.
    End,
}

/// The session of a bridge.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) session: Session,
    pub(crate) domain: u32,
    pub(crate) logger: Logger,
    pub(crate) tasks: Sender<Task>,
    /// The messages that were sent.
    pub(crate) sent: Counts,
    /// The thread for messages that may have to wait for a link.
    pub(crate) large: Worker,
    /// The queue for requests and responses. It has a thread of its own.
    pub(crate) calls: Arc<Queue<Job>>,
    _calls: Worker,
    /// The id of the session, as tokens have it.
    id: String,
    next: AtomicU64,
    /// How many calls wait for a response, in either direction.
    waiting: Arc<AtomicUsize>,
    /// The local nodes that are announced.
    nodes: Mutex<HashMap<Gid, Weak<AnnouncedNode>>>,
}

/// A local node that is announced until this is dropped.
#[derive(Debug)]
pub(crate) struct AnnouncedNode {
    id: u64,
    name: NodeName,
    _token: LivelinessToken,
}

/// What one bridge of Saltus tells others, besides what ROS 2 nodes read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The session is that of a bridge on a host with this name, if it says so.
    Bridge { host: Option<String> },
    /// The bridge ends.
    Ends,
    /// The messages of a publisher are sent: from now on a subscription misses none. Those up to the number `kept` were kept
    /// before.
    Sends {
        gid: Gid,
        kept: i64,
        /// Whether a rule lets only some of its messages pass.
        is_limited: bool,
    },
}

/// The most requests and responses that wait for a link. A request that is dropped is answered with an error.
const MAX_CALLS: usize = 1 << 16;
/// The first part of the tokens of bridges, and of their keys.
pub(crate) const MARKS: &str = "@saltus";
/// The last part of the mark of a publisher of which only some messages pass.
const LIMITED: &str = "limited";

/// Returns the key of all marks of a domain.
pub(crate) fn marks_of(domain: u32) -> String {
    format!("{MARKS}/{domain}/**")
}

/// Returns the key of the marks that say, in any domain, that a session is that of a bridge.
pub(crate) fn bridges_of_session(session: &str) -> String {
    format!("{MARKS}/*/{session}/bridge/**")
}

/// Reads a mark and its session. `None` if the text is none, or one of a later version.
pub(crate) fn read_mark(text: &str) -> Option<(&str, Mark)> {
    let mut parts = text.split('/').skip(2);
    let (session, kind) = (parts.next().filter(|session| is_session(session))?, parts.next()?);
    match (kind, parts.next()) {
        ("bridge", _) => {
            // It is shown to users with each entity, and others may write anything.
            let host = parts.next().filter(|host| is_host_name(host)).map(str::to_owned);
            Some((session, Mark::Bridge { host }))
        }
        ("ends", None) => Some((session, Mark::Ends)),
        ("sends", Some(gid)) => {
            let bytes = u128::from_str_radix(gid, 16).ok().filter(|_| gid.len() == 32)?.to_be_bytes();
            let kept = parts.next()?.parse().ok()?;
            let is_limited = parts.next() == Some(LIMITED);
            Some((session, Mark::Sends { gid: Gid::from_bytes(bytes), kept, is_limited }))
        }
        _ => None,
    }
}

/// A local endpoint that is announced until this is dropped, unless a rule hides it.
#[derive(Debug)]
pub(crate) struct Announced {
    pub(crate) gid: Gid,
    /// `None` if a rule hides it.
    _shown: Option<(LivelinessToken, Arc<AnnouncedNode>)>,
}

/// A call that waits for a response.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Link {
    pub(crate) fn new(session: Session, domain: u32, logger: Logger, tasks: Sender<Task>) -> Self {
        let id = session.zid().to_string();
        let worker = Worker::new("calls");
        Self {
            session,
            domain,
            logger,
            tasks,
            sent: Counts::default(),
            large: Worker::new("large messages"),
            calls: worker.queue(MAX_CALLS, None, |job: Job| job()),
            _calls: worker,
            id,
            next: AtomicU64::new(0),
            waiting: Arc::default(),
            nodes: Mutex::default(),
        }
    }

    /// Counts a call that waits for a response, until the result is dropped.
    pub(crate) fn count_call(&self) -> Waiting {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting(self.waiting.clone())
    }

    /// Returns whether calls wait for a response, in either direction.
    pub(crate) fn has_calls(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Returns the id of the session, as tokens have it.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Announces an endpoint, after its node.
    pub(crate) fn announce(&self, kind: EntityKind, replica: &Replica) -> Result<Announced, ShowError> {
        self.announce_with(kind, replica, None)
    }

    /// Announces an endpoint, and what it says about buffers.
    pub(crate) fn announce_with(
        &self,
        kind: EntityKind,
        replica: &Replica,
        backends: Option<&str>,
    ) -> Result<Announced, ShowError> {
        if replica.passage.is_hidden {
            return Ok(Announced { gid: replica.end.gid, _shown: None });
        }
        let node = self.announce_node(&replica.node)?;
        let EndpointInfo { topic, type_name, type_hash, qos, .. } = &replica.end;
        let endpoint = EndpointToken {
            kind,
            name: topic.clone(),
            type_name: type_name.clone(),
            type_hash: *type_hash,
            qos: *qos,
            backends: backends.map(str::to_owned),
        };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let text = self.token(id, &node.name, node.id, Some(endpoint)).to_string();
        let token = self.declare(&text)?;
        Ok(Announced { gid: gid_of(&text), _shown: Some((token, node)) })
    }

    fn announce_node(&self, node: &NodeInfo) -> Result<Arc<AnnouncedNode>, ShowError> {
        let mut nodes = lock(&self.nodes);
        if let Some(known) = nodes.get(&node.gid).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let name = NodeName::new(&node.namespace, &node.name)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let token = self.declare(&self.token(id, &name, id, None).to_string())?;
        let announced = Arc::new(AnnouncedNode { id, name, _token: token });
        nodes.retain(|_, node| node.strong_count() > 0);
        nodes.insert(node.gid, Arc::downgrade(&announced));
        Ok(announced)
    }

    fn token(&self, id: u64, node: &NodeName, node_id: u64, endpoint: Option<EndpointToken>) -> Token {
        let (session, enclave) = (self.id.clone(), "/".to_owned());
        Token { domain: self.domain, session, node_id, id, enclave, node: node.clone(), endpoint }
    }

    /// Declares a mark, which is there until the result is dropped.
    pub(crate) fn mark(&self, mark: &Mark) -> Result<LivelinessToken, ShowError> {
        let about = match mark {
            Mark::Bridge { host } => {
                let host = host.iter().flat_map(|host| ["/", host]).collect::<String>();
                format!("bridge/{}{host}", env!("CARGO_PKG_VERSION"))
            }
            Mark::Ends => "ends".to_owned(),
            Mark::Sends { gid, kept, is_limited: false } => format!("sends/{gid}/{kept}"),
            Mark::Sends { gid, kept, is_limited: true } => format!("sends/{gid}/{kept}/{LIMITED}"),
        };
        self.declare(&format!("{MARKS}/{}/{}/{about}", self.domain, self.id))
    }

    fn declare(&self, text: &str) -> Result<LivelinessToken, ShowError> {
        self.session.liveliness().declare_token(text.to_owned()).wait().map_err(other)
    }

    /// Returns the key of an endpoint's messages or calls.
    pub(crate) fn key(&self, end: &EndpointInfo) -> Result<KeyExpr<'static>, ShowError> {
        self.key_with(end, end.type_hash)
    }

    /// Returns the key of an endpoint's messages or calls for nodes whose type has another hash.
    pub(crate) fn key_with(
        &self,
        end: &EndpointInfo,
        type_hash: TypeHash,
    ) -> Result<KeyExpr<'static>, ShowError> {
        read_key(data_key(self.domain, &end.topic, &end.type_name, type_hash), end)
    }

    /// Returns the keys on which messages or calls come from nodes whose type has this hash. If they know none, there are two.
    pub(crate) fn keys_with(
        &self,
        end: &EndpointInfo,
        type_hash: TypeHash,
    ) -> Result<Vec<KeyExpr<'static>>, ShowError> {
        let zeros = (type_hash == TypeHash::UNKNOWN)
            .then(|| read_key(key_with_zeros(self.domain, &end.topic, &end.type_name), end));
        std::iter::once(self.key_with(end, type_hash)).chain(zeros).collect()
    }
}

fn read_key(key: Option<String>, end: &EndpointInfo) -> Result<KeyExpr<'static>, ShowError> {
    let key = key.ok_or_else(|| ShowError::Other(format!("`{}` is no name of a type", end.type_name)))?;
    KeyExpr::new(key).map_err(other)
}

/// Returns an error of zenoh as one of the relay.
pub(crate) fn other(error: zenoh::Error) -> ShowError {
    ShowError::Other(text_of(&error))
}

/// Returns the priority of zenoh for one of a rule.
pub(crate) fn zenoh_priority(priority: Priority) -> zenoh::qos::Priority {
    match priority {
        Priority::RealTime => zenoh::qos::Priority::RealTime,
        Priority::InteractiveHigh => zenoh::qos::Priority::InteractiveHigh,
        Priority::InteractiveLow => zenoh::qos::Priority::InteractiveLow,
        Priority::DataHigh => zenoh::qos::Priority::DataHigh,
        Priority::Data => zenoh::qos::Priority::Data,
        Priority::DataLow => zenoh::qos::Priority::DataLow,
        Priority::Background => zenoh::qos::Priority::Background,
    }
}

/// Returns the name of this host, as a part of a key.
pub(crate) fn host_name() -> Option<String> {
    let system = rustix::system::uname();
    let name = system.nodename().to_string_lossy();
    let letter = |letter| if is_of_host_name(letter) { letter } else { '_' };
    let name: String = name.chars().map(letter).collect();
    is_host_name(&name).then_some(name)
}

fn is_of_host_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_.".contains(letter)
}

/// Whether a text can be the name of a host. Linux has at most 64 letters for it.
fn is_host_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.chars().all(is_of_host_name)
}

/// Returns whether a publisher with this profile keeps messages for late subscriptions.
pub(crate) fn keeps(qos: &QoS) -> bool {
    qos.durability == saltus_types::Durability::TransientLocal
}

/// The bytes of a message that was received.
struct Received(ZBytes);

impl Parts for Received {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn copy_to(&self, into: &mut [u8]) {
        let mut rest = into;
        for slice in self.0.slices() {
            let (part, after) = rest.split_at_mut(slice.len());
            part.copy_from_slice(slice);
            rest = after;
        }
    }
}

/// Returns a received message with the time and the number of its attachment.
pub(crate) fn message(payload: &ZBytes, attachment: &Attachment) -> Message {
    let stamp = Stamp {
        source_time: attachment.source_time,
        sequence: attachment.sequence.unsigned_abs(),
        gid: None,
    };
    Message { stamp, body: saltus_relay::Body::Parts(Box::new(Received(payload.clone()))) }
}

/// Reads an attachment, if there is a valid one.
pub(crate) fn read_attachment(bytes: Option<&ZBytes>) -> Option<Attachment> {
    Attachment::from_bytes(&bytes?.to_bytes()).ok()
}

/// Returns the number of a message as attachments have it.
pub(crate) fn number_of(stamp: &Stamp) -> i64 {
    i64::try_from(stamp.sequence).unwrap_or(i64::MAX)
}

/// Returns the attachment of a message of a local entity that is announced with `gid`.
pub(crate) fn attachment(stamp: &Stamp, gid: Gid) -> ZBytes {
    let sequence = number_of(stamp);
    Attachment { sequence, source_time: stamp.source_time, gid }.to_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_again_and_others_are_none() {
        let gid = Gid::from_parts(0x0102_0304, 0xFF);
        let text = format!("@saltus/0/ab12/sends/{gid}/7");
        assert_eq!(read_mark(&text), Some(("ab12", Mark::Sends { gid, kept: 7, is_limited: false })));
        let text = format!("@saltus/0/ab12/sends/{gid}/0/limited");
        assert_eq!(read_mark(&text), Some(("ab12", Mark::Sends { gid, kept: 0, is_limited: true })));
        assert_eq!(read_mark("@saltus/0/ab12/bridge/0.1.0"), Some(("ab12", Mark::Bridge { host: None })));
        assert_eq!(read_mark("@saltus/0/ab12/ends"), Some(("ab12", Mark::Ends)));
        let of_host = Mark::Bridge { host: Some("robot1".into()) };
        assert_eq!(read_mark("@saltus/0/ab12/bridge/0.1.0/robot1"), Some(("ab12", of_host)));
        for hostile in ["\u{1b}[2J".to_owned(), "x".repeat(65)] {
            let text = format!("@saltus/0/ab12/bridge/0.1.0/{hostile}");
            assert_eq!(read_mark(&text), Some(("ab12", Mark::Bridge { host: None })));
        }
        for text in
            ["", "@saltus", "@saltus/0/a", "@saltus/0/a/sends", "@saltus/0/a/sends/12/1", "@saltus/0/a/x/y"]
        {
            assert_eq!(read_mark(text), None, "{text}");
        }
    }
}
