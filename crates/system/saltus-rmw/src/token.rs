//! The tokens with which nodes and endpoints are announced.

use std::fmt;

use saltus_types::{Gid, NameError, NodeName, QoS, TopicName, TypeHash};
use twox_hash::XxHash3_128;

use crate::{
    key::{NO_HASH, hash_text},
    name::{dds_type, demangle, mangle, ros_type},
    qos,
};

/// The first part of each token.
const SPACE: &str = "@ros2_lv";
/// The longest token that is read, in bytes. The parts of valid names are shorter together.
pub const MAX_TOKEN: usize = 1024;
/// The most digits of the id of a session.
const MAX_SESSION: usize = 32;
/// The most digits of the number of an entity.
const MAX_ID: usize = 20;

/// What a token announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityKind {
    /// A node.
    Node,
    /// A publisher of a topic.
    Publisher,
    /// A subscription to a topic.
    Subscription,
    /// A server of a service.
    Server,
    /// A client of a service.
    Client,
}

impl EntityKind {
    const ALL: [Self; 5] = [Self::Node, Self::Publisher, Self::Subscription, Self::Server, Self::Client];

    fn text(self) -> &'static str {
        match self {
            Self::Node => "NN",
            Self::Publisher => "MP",
            Self::Subscription => "MS",
            Self::Server => "SS",
            Self::Client => "SC",
        }
    }
}

/// The announcement of a node or an endpoint.
///
/// ```
/// use saltus_rmw::Token;
/// let text = "@ros2_lv/0/8b20917502ee955ac4476e0266340d5c/0/0/NN/%/%/talker";
/// let token: Token = text.parse()?;
/// assert_eq!((token.node.fully_qualified().as_str(), token.endpoint.is_none()), ("/talker", true));
/// assert_eq!(token.to_string(), text);
/// # Ok::<(), saltus_rmw::TokenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The domain.
    pub domain: u32,
    /// The id of the Zenoh session: hex digits without leading zeros.
    pub session: String,
    /// The number of the node in its session.
    pub node_id: u64,
    /// The number of the entity in its session. For a node it is that of the node.
    pub id: u64,
    /// The security enclave, `/` without one.
    pub enclave: String,
    /// The name of the node.
    pub node: NodeName,
    /// The endpoint; `None` for the token of a node.
    pub endpoint: Option<EndpointToken>,
}

/// The endpoint that a token announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointToken {
    /// What it is. It is not a node.
    pub kind: EntityKind,
    /// The fully qualified name of its topic or service.
    pub name: String,
    /// The type's full name, such as `std_msgs/msg/String`. That of a service is the name of the service.
    pub type_name: String,
    /// The type's hash; [`TypeHash::UNKNOWN`] if it has none, as on Humble.
    pub type_hash: TypeHash,
    /// The profile.
    pub qos: QoS,
    /// The part about buffers of Lyrical and later, without its first word; `None` if there is none.
    pub backends: Option<String>,
}

/// Why a text is no token. It may come from anyone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is longer than [`MAX_TOKEN`].
    #[error("the token has {0} bytes; at most {MAX_TOKEN} are read")]
    Length(usize),
    /// It has too few parts, or an empty one.
    #[error("the token has {0} parts; that of a node has 9, and that of an endpoint 13")]
    Parts(usize),
    /// One of its parts can't be read.
    #[error("the {what} `{found}` of the token can't be read")]
    Part {
        /// What the part is.
        what: &'static str,
        /// The part.
        found: String,
    },
    /// A name is not valid in ROS 2.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Returns the key of all tokens of a domain.
pub fn tokens_of(domain: u32) -> String {
    format!("{SPACE}/{domain}/**")
}

/// Returns the key of all tokens of a session in a domain.
pub fn tokens_of_session(domain: u32, session: &str) -> String {
    format!("{SPACE}/{domain}/{session}/**")
}

/// Returns the key of the tokens of a session's nodes, in any domain.
///
/// ```
/// assert_eq!(saltus_rmw::nodes_of_session("ab12"), "@ros2_lv/*/ab12/*/*/NN/**");
/// ```
pub fn nodes_of_session(session: &str) -> String {
    format!("{SPACE}/*/{session}/*/*/NN/**")
}

/// Returns the gid of the entity that a token announces. It is a hash of the token.
///
/// ```
/// let gid = saltus_rmw::gid_of("@ros2_lv/0/8b20917502ee955ac4476e0266340d5c/0/0/NN/%/%/talker");
/// assert_eq!(gid.to_string(), "82f480988f49d464f0f2c507f2f1a8c6");
/// ```
pub fn gid_of(token: &str) -> Gid {
    Gid::from_bytes(XxHash3_128::oneshot(token.as_bytes()).to_le_bytes())
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, session, node_id, id, enclave, node, endpoint } = self;
        let kind = endpoint.as_ref().map_or(EntityKind::Node, |endpoint| endpoint.kind).text();
        let (enclave, namespace) = (mangle(enclave), mangle(node.namespace()));
        write!(f, "{SPACE}/{domain}/{session}/{node_id}/{id}/{kind}/{enclave}/{namespace}/{}", node.base())?;
        let Some(EndpointToken { name, type_name, type_hash, qos, backends, .. }) = endpoint else {
            return Ok(());
        };
        let (name, hash) = (mangle(name), hash_text(*type_hash));
        write!(f, "/{name}/{}/{hash}/{}", dds_type(type_name).unwrap_or_default(), qos::encode(qos))?;
        backends.as_ref().map_or(Ok(()), |backends| write!(f, "/backends:{backends}"))
    }
}

impl std::str::FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        if text.len() > MAX_TOKEN {
            return Err(TokenError::Length(text.len()));
        }
        let parts: Vec<&str> = text.split('/').collect();
        let error = || TokenError::Parts(parts.len());
        if parts.iter().any(|part| part.is_empty()) {
            return Err(error());
        }
        let [space, domain, session, node_id, id, kind, enclave, namespace, base, rest @ ..] = &parts[..]
        else {
            return Err(error());
        };
        check("first part", space, *space == SPACE)?;
        let is_id = session.len() <= MAX_SESSION && session.bytes().all(|byte| byte.is_ascii_hexdigit());
        check("session", session, is_id)?;
        let known = EntityKind::ALL.into_iter().find(|known| known.text() == *kind);
        let kind = known.ok_or_else(|| part("kind", kind))?;
        let endpoint = match (kind, rest) {
            (EntityKind::Node, _) => None,
            (kind, [name, ty, hash, qos, more @ ..]) => {
                Some(EndpointToken::read(kind, [name, ty, hash, qos], more.first().copied())?)
            }
            _ => return Err(error()),
        };
        Ok(Self {
            domain: number("domain", domain)?.try_into().map_err(|_| part("domain", domain))?,
            session: (*session).to_owned(),
            node_id: number("number of the node", node_id)?,
            id: number("number of the entity", id)?,
            enclave: demangle(enclave),
            node: NodeName::new(&demangle(namespace), base)?,
            endpoint,
        })
    }
}

impl EndpointToken {
    fn read(
        kind: EntityKind,
        [name, ty, hash, qos]: [&str; 4],
        more: Option<&str>,
    ) -> Result<Self, TokenError> {
        let name = demangle(name);
        check("name", &name, name.starts_with('/'))?;
        // Any node serves, because the name is fully qualified.
        let name = TopicName::expand(&name, &NodeName::new("/", "n")?)?.as_str().to_owned();
        let type_hash = match hash {
            NO_HASH => TypeHash::UNKNOWN,
            _ => hash.parse().map_err(|_| part("hash", hash))?,
        };
        Ok(Self {
            kind,
            name,
            type_name: ros_type(ty).ok_or_else(|| part("type", ty))?,
            type_hash,
            qos: qos::decode(qos).ok_or_else(|| part("profile", qos))?,
            backends: more.and_then(|more| more.strip_prefix("backends:")).map(str::to_owned),
        })
    }
}

fn part(what: &'static str, found: &str) -> TokenError {
    TokenError::Part { what, found: found.to_owned() }
}

fn check(what: &'static str, found: &str, is_valid: bool) -> Result<(), TokenError> {
    if is_valid { Ok(()) } else { Err(part(what, found)) }
}

fn number(what: &'static str, found: &str) -> Result<u64, TokenError> {
    let is_number = found.len() <= MAX_ID && found.bytes().all(|byte| byte.is_ascii_digit());
    check(what, found, is_number)?;
    found.parse().map_err(|_| part(what, found))
}
