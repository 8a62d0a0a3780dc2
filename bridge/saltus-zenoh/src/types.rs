//! Descriptions of types that only the network knows.
//!
//! A bridge tells other bridges the types of its host. Nodes of ROS 2 tell theirs with their service `get_type_description`. An answer is
//! used if its hash is the one that was asked for, whoever has sent it. Then the domain has it, for `saltus topic echo` and others.

use std::{
    collections::{HashSet, VecDeque},
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use saltus_cdr::{Service, decode, encode};
use saltus_host::system_now;
use saltus_idl::Interfaces;
use saltus_msgs::type_description_interfaces::{
    msg::{IndividualTypeDescription, TypeDescription},
    srv::{GetTypeDescription, GetTypeDescription_Request, GetTypeDescription_Response},
};
use saltus_relay::Domain;
use saltus_rmw::{Attachment, data_key, gid_of};
use saltus_types::{TypeHash, lock};
use serde_json::{Value, json};
use zenoh::{
    Wait,
    query::{Query, QueryTarget, Queryable, Reply},
    sample::Locality,
};

use crate::{
    link::{Link, MARKS, Task},
    session::SessionError,
    table::Table,
};

/// The most types that are asked for.
const MAX_TYPES: usize = 4096;
/// The longest description that is taken, in bytes.
const MAX_LENGTH: usize = 256 << 10;
/// The most bytes of all descriptions. They are in shared memory.
const MAX_BYTES: usize = 16 << 20;
/// The most questions at a time.
const MAX_OPEN: usize = 16;
/// The longest time until an answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// The time until a second question. The service of a node may be announced after its first publisher.
const AGAIN: Duration = Duration::from_secs(1);

/// A type that others announce, and one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) type_name: String,
    pub(crate) type_hash: TypeHash,
    pub(crate) session: String,
    /// The fully qualified name of the node.
    pub(crate) node: String,
}

/// The types that the network knows.
pub(crate) struct Types {
    link: Arc<Link>,
    domain: Domain,
    table: Arc<Mutex<Table>>,
    /// The number of the last question. Each has its own, because a server may repeat the answer of the same one.
    last: AtomicI64,
    state: Mutex<TypesState>,
    /// Answers other bridges.
    _queryable: Queryable<()>,
}

#[derive(Default)]
struct TypesState {
    /// The types that are known, or that an answer is expected for.
    known: HashSet<TypeHash>,
    /// The questions that wait for others, so that not too many answers come at once.
    waiting: VecDeque<Question>,
    /// The number of questions that wait for an answer.
    open: usize,
    /// The types whose descriptions were added, and the bytes of these.
    added: HashSet<TypeHash>,
    bytes: usize,
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Types").field("known", &lock(&self.state).known.len()).finish_non_exhaustive()
    }
}

impl Types {
    /// Answers other bridges from now on.
    pub(crate) fn new(
        link: &Arc<Link>,
        domain: &Domain,
        table: &Arc<Mutex<Table>>,
    ) -> Result<Arc<Self>, SessionError> {
        let key = format!("{MARKS}/{}/{}/type/*", link.domain, link.id());
        let answering = domain.clone();
        let queryable = link.session.declare_queryable(key).allowed_origin(Locality::Remote);
        let queryable = queryable.callback(move |query| answer(&answering, &query)).wait();
        let queryable = queryable.map_err(SessionError::open)?;
        let (link, domain, table) = (link.clone(), domain.clone(), table.clone());
        let (last, state) = (AtomicI64::new(0), Mutex::default());
        Ok(Arc::new(Self { link, domain, table, last, state, _queryable: queryable }))
    }

    /// Asks for the description of a type, if this host does not know it and nobody has been asked yet.
    pub(crate) fn want(self: &Arc<Self>, question: Question) {
        let hash = question.type_hash;
        let is_new = {
            let mut state = lock(&self.state);
            let has_room = state.known.len() < MAX_TYPES && state.bytes < MAX_BYTES;
            has_room && hash != TypeHash::UNKNOWN && state.known.insert(hash)
        };
        if !is_new {
            return;
        }
        match self.domain.context().participant().description(hash) {
            // It stays known if the process that has it ends. Without memory for it, that process still has it.
            Some(text) => _ = self.add(hash, &text),
            None => {
                lock(&self.state).waiting.push_back(question);
                self.ask_next();
            }
        }
    }

    /// Asks the next questions, as far as there may be more.
    fn ask_next(self: &Arc<Self>) {
        loop {
            let mut state = lock(&self.state);
            let Some(question) = (state.open < MAX_OPEN).then(|| state.waiting.pop_front()).flatten() else {
                return;
            };
            state.open += 1;
            drop(state);
            self.ask(question, Some(AGAIN));
        }
    }

    /// Asks. Without an answer, it asks again after some time, or the next one who announces the type is asked.
    fn ask(self: &Arc<Self>, question: Question, again: Option<Duration>) {
        let Question { type_name, type_hash, session, node } = &question;
        let (domain, is_of_bridge) = (self.link.domain, lock(&self.table).is_bridge(session));
        let (key, payload) = if is_of_bridge {
            (Some(format!("{MARKS}/{domain}/{session}/type/{type_hash}")), Vec::new())
        } else {
            let (name, hash) = (GetTypeDescription::TYPE.name, GetTypeDescription::TYPE.hash);
            let request = GetTypeDescription_Request {
                type_name: type_name.clone(),
                type_hash: type_hash.to_string(),
                include_type_sources: false,
            };
            let key = data_key(domain, &format!("{node}/get_type_description"), name, hash);
            (key, encode(&request).unwrap_or_default())
        };
        let asked = TypeQuestion {
            types: self.clone(),
            question: question.clone(),
            is_of_bridge,
            again,
            is_answered: Mutex::default(),
        };
        let Some(key) = key else { return };
        let gid = gid_of(&format!("types of {}", self.link.id()));
        let sequence = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let attachment = Attachment { sequence, source_time: system_now(), gid }.to_bytes();
        let get = self.link.session.get(key).payload(payload).attachment(attachment.to_vec());
        let get = get.target(QueryTarget::All).allowed_destination(Locality::Remote).timeout(ANSWERS_WITHIN);
        // Without an answer, the type stays unknown.
        let _ = get.callback(move |reply| asked.receive(&reply)).wait();
    }

    /// Adds a description to the domain, if it is that of the type.
    fn add(&self, hash: TypeHash, text: &str) -> Result<(), String> {
        let mut interfaces = Interfaces::default();
        let (name, found) = interfaces.add_description(text).map_err(|error| error.to_string())?;
        if found != hash {
            return Err(format!("it has the hash {found}"));
        }
        let text = interfaces.description_json(&name).map_err(|error| error.to_string())?;
        let mut state = lock(&self.state);
        if state.added.contains(&hash) {
            return Ok(());
        }
        if state.bytes + text.len() > MAX_BYTES {
            return Err(format!("there are {MAX_BYTES} bytes of descriptions already"));
        }
        let added = self.domain.context().participant().describe(hash, &text);
        added.map_err(|error| error.to_string())?;
        state.added.insert(hash);
        state.bytes += text.len();
        Ok(())
    }
}

/// Tells another bridge a type of this host.
fn answer(domain: &Domain, query: &Query) {
    let hash = query.key_expr().rsplit('/').next().and_then(|text| text.parse().ok());
    if let Some(text) = hash.and_then(|hash| domain.context().participant().description(hash)) {
        // An error is ignored: who has asked has gone.
        let _ = query.reply(query.key_expr(), text).wait();
    }
}

/// A question that waits for its answer. Zenoh drops it when no more can come.
struct TypeQuestion {
    types: Arc<Types>,
    question: Question,
    is_of_bridge: bool,
    again: Option<Duration>,
    is_answered: Mutex<bool>,
}

impl TypeQuestion {
    fn receive(&self, reply: &Reply) {
        let Ok(sample) = reply.result() else { return };
        let bytes = sample.payload().to_bytes();
        let text = if bytes.len() > MAX_LENGTH {
            Err(format!("it has {} bytes; at most {MAX_LENGTH} are read", bytes.len()))
        } else if self.is_of_bridge {
            String::from_utf8(bytes.into_owned()).map_err(|error| error.to_string())
        } else {
            read_response(&bytes)
        };
        let hash = self.question.type_hash;
        match text.and_then(|text| self.types.add(hash, &text)) {
            Ok(()) => *lock(&self.is_answered) = true,
            Err(error) => {
                let Question { type_name, node, .. } = &self.question;
                let (logger, period) = (&self.types.link.logger, Duration::from_secs(1));
                saltus_node::warn_throttle!(
                    logger,
                    period,
                    "the description of `{type_name}` from '{node}' is not used: {error}"
                );
            }
        }
    }
}

impl Drop for TypeQuestion {
    fn drop(&mut self) {
        let (types, question) = (self.types.clone(), self.question.clone());
        // It fails only when the bridge ends.
        let later = |pause, job| _ = self.types.link.tasks.send(Task::RunAfter(pause, job));
        match (*lock(&self.is_answered), self.again) {
            (false, Some(pause)) => later(pause, Box::new(move || types.ask(question, None))),
            (is_answered, _) => {
                let mut state = lock(&types.state);
                state.open -= 1;
                if !is_answered {
                    state.known.remove(&question.type_hash);
                }
                drop(state);
                // Not on this thread, which is one of zenoh.
                later(Duration::ZERO, Box::new(move || types.ask_next()));
            }
        }
    }
}

/// Returns the description in a response of a node, as JSON.
fn read_response(bytes: &[u8]) -> Result<String, String> {
    let response: GetTypeDescription_Response = decode(bytes).map_err(|error| error.to_string())?;
    if !response.successful {
        return Err(response.failure_reason);
    }
    let TypeDescription { type_description, referenced_type_descriptions } = response.type_description;
    let referenced: Vec<Value> = referenced_type_descriptions.iter().map(individual).collect();
    let text = json!({
        "type_description": individual(&type_description),
        "referenced_type_descriptions": referenced,
    });
    Ok(text.to_string())
}

/// Returns the description of one type. Defaults are left out: a node writes them as texts.
fn individual(one: &IndividualTypeDescription) -> Value {
    let fields = one.fields.iter().map(|field| {
        let ty = &field.r#type;
        json!({
            "name": field.name,
            "type": {
                "type_id": ty.type_id,
                "capacity": ty.capacity,
                "string_capacity": ty.string_capacity,
                "nested_type_name": ty.nested_type_name,
            },
        })
    });
    json!({ "type_name": one.type_name, "fields": fields.collect::<Vec<_>>() })
}
