//! Names of nodes and topics, by ROS 2's rules.
//!
//! Source of the rules: "Topic and Service name mapping to DDS" and "Names" in the ROS 2 design
//! documents. The error of a bad name points at the first offending byte, as `rcl`'s validators do.

use std::fmt;

/// The longest fully qualified topic name, in bytes.
const MAX_TOPIC: usize = 247;
/// The longest namespace, in bytes: a topic of one letter still fits behind it.
const MAX_NAMESPACE: usize = MAX_TOPIC - 2;
/// The longest node name, in bytes.
const MAX_NODE: usize = 255;

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameErrorReason {
    /// A name can't be empty.
    Empty,
    /// Only ASCII letters, digits, `_` and (in topics and namespaces) `/` are allowed; `~` only in front.
    Character,
    /// A token can't begin with a digit.
    LeadingDigit,
    /// `//` and a `/` at the end have nothing between or behind them.
    EmptyToken,
    /// A namespace begins with `/`.
    NotAbsolute,
    /// `~` must be followed by `/` or nothing.
    TildeNotFollowedBySlash,
    /// Longer than the wire allows.
    TooLong {
        /// The longest allowed, in bytes.
        max: usize,
    },
}

/// A name that breaks ROS 2's rules, with the place of the first offence.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {kind} `{name}`: {reason} (at byte {position})")]
pub struct NameError {
    /// "node name", "topic name" or "namespace".
    pub kind: &'static str,
    /// The name as given.
    pub name: String,
    /// What is wrong.
    pub reason: NameErrorReason,
    /// The byte where it goes wrong, from 0.
    pub position: usize,
}

crate::debug_as_display!(NameError);

impl fmt::Display for NameErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Character => f.write_str("a token has only ASCII letters, digits and `_`"),
            Self::LeadingDigit => f.write_str("a token must not start with a digit"),
            Self::EmptyToken => f.write_str("a `/` must be followed by a token"),
            Self::NotAbsolute => f.write_str("it must start with `/`"),
            Self::TildeNotFollowedBySlash => f.write_str("`~` must be followed by `/`"),
            Self::TooLong { max } => write!(f, "it is longer than {max} bytes"),
        }
    }
}

/// The name of a node within its namespace.
///
/// **Invariant:** it satisfies [`validate_node_name`], and its namespace [`validate_namespace`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeName {
    namespace: String,
    base: String,
}

impl NodeName {
    /// Checks both parts; a namespace may be given without its leading `/`, an empty one is the root.
    ///
    /// ```
    /// use saltus_types::NodeName;
    /// assert_eq!(NodeName::new("robot1", "talker").unwrap().fully_qualified(), "/robot1/talker");
    /// assert_eq!(NodeName::new("talker", "9lives").unwrap_err().position, 0);
    /// ```
    pub fn new(namespace: &str, base: &str) -> Result<Self, NameError> {
        validate_node_name(base)?;
        let namespace =
            if namespace.starts_with('/') { namespace.to_owned() } else { format!("/{namespace}") };
        validate_namespace(&namespace)?;
        Ok(Self { namespace, base: base.to_owned() })
    }

    /// The namespace, with its leading `/`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name without its namespace.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Namespace and name in one.
    pub fn fully_qualified(&self) -> String {
        join(&self.namespace, &self.base)
    }
}

/// A fully qualified topic name.
///
/// **Invariant:** begins with `/`, contains no `~`, and every token is a valid name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicName(String);

impl TopicName {
    /// Expands a name as a node sees it: `chatter` lies in the node's namespace, `/chatter` in the
    /// root, `~/chatter` below the node.
    ///
    /// ```
    /// use saltus_types::{NodeName, TopicName};
    /// let node = NodeName::new("/robot1", "talker").unwrap();
    /// assert_eq!(TopicName::expand("chatter", &node).unwrap().as_str(), "/robot1/chatter");
    /// assert_eq!(TopicName::expand("/chatter", &node).unwrap().as_str(), "/chatter");
    /// assert_eq!(TopicName::expand("~/chatter", &node).unwrap().as_str(), "/robot1/talker/chatter");
    /// ```
    pub fn expand(name: &str, node: &NodeName) -> Result<Self, NameError> {
        let error = |reason, position| NameError { kind: "topic name", name: name.into(), reason, position };
        if name.is_empty() {
            return Err(error(NameErrorReason::Empty, 0));
        }
        let (full, shift) = if let Some(rest) = name.strip_prefix('~') {
            if !rest.is_empty() && !rest.starts_with('/') {
                return Err(error(NameErrorReason::TildeNotFollowedBySlash, 1));
            }
            let full = node.fully_qualified();
            let shift = full.len() as isize - 1;
            (full + rest, shift)
        } else if name.starts_with('/') {
            (name.to_owned(), 0)
        } else {
            let full = join(&node.namespace, name);
            let shift = full.len() as isize - name.len() as isize;
            (full, shift)
        };
        if let Some((reason, position)) = first_offence(&full) {
            return Err(error(reason, position.saturating_add_signed(-shift)));
        }
        if full.len() > MAX_TOPIC {
            let position = MAX_TOPIC.saturating_add_signed(-shift);
            return Err(error(NameErrorReason::TooLong { max: MAX_TOPIC }, position));
        }
        Ok(Self(full))
    }

    /// The name with its leading `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TopicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks a node's name: one token, at most 255 bytes.
pub fn validate_node_name(name: &str) -> Result<(), NameError> {
    let error = |reason, position| NameError { kind: "node name", name: name.into(), reason, position };
    if name.is_empty() {
        return Err(error(NameErrorReason::Empty, 0));
    }
    if let Some(position) = name.bytes().position(|b| !is_token_byte(b)) {
        return Err(error(NameErrorReason::Character, position));
    }
    if name.as_bytes()[0].is_ascii_digit() {
        return Err(error(NameErrorReason::LeadingDigit, 0));
    }
    if name.len() > MAX_NODE {
        return Err(error(NameErrorReason::TooLong { max: MAX_NODE }, MAX_NODE));
    }
    Ok(())
}

/// Checks a namespace: `/`, or tokens that each have a `/` in front.
pub fn validate_namespace(name: &str) -> Result<(), NameError> {
    let error = |reason, position| NameError { kind: "namespace", name: name.into(), reason, position };
    if !name.starts_with('/') {
        return Err(error(NameErrorReason::NotAbsolute, 0));
    }
    if name == "/" {
        return Ok(());
    }
    if let Some((reason, position)) = first_offence(name) {
        return Err(error(reason, position));
    }
    if name.len() > MAX_NAMESPACE {
        return Err(error(NameErrorReason::TooLong { max: MAX_NAMESPACE }, MAX_NAMESPACE));
    }
    Ok(())
}

/// The first byte of an absolute name that breaks a rule.
fn first_offence(full: &str) -> Option<(NameErrorReason, usize)> {
    let mut start = 1;
    for token in full[1..].split('/') {
        if token.is_empty() {
            return Some((NameErrorReason::EmptyToken, start - 1));
        }
        if let Some(i) = token.bytes().position(|b| !is_token_byte(b)) {
            return Some((NameErrorReason::Character, start + i));
        }
        if token.as_bytes()[0].is_ascii_digit() {
            return Some((NameErrorReason::LeadingDigit, start));
        }
        start += token.len() + 1;
    }
    None
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn join(namespace: &str, name: &str) -> String {
    if namespace == "/" { format!("/{name}") } else { format!("{namespace}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_point_at_the_first_offending_byte_of_what_was_given() {
        use NameErrorReason::*;
        let node = NodeName::new("/ns", "node").unwrap();
        for (name, reason, position) in [
            ("", Empty, 0),
            ("a b", Character, 1),
            ("a/9b", LeadingDigit, 2),
            ("a//b", EmptyToken, 1),
            ("a/", EmptyToken, 1),
            ("/a/", EmptyToken, 2),
            ("~a", TildeNotFollowedBySlash, 1),
            ("~/é", Character, 2),
        ] {
            let error = TopicName::expand(name, &node).unwrap_err();
            assert_eq!((error.reason, error.position), (reason, position), "{error}");
        }
    }

    #[test]
    fn a_topic_name_fits_the_wire() {
        let node = NodeName::new("/", "node").unwrap();
        assert!(TopicName::expand(&"a".repeat(246), &node).is_ok());
        let error = TopicName::expand(&"a".repeat(247), &node).unwrap_err();
        assert_eq!(error.reason, NameErrorReason::TooLong { max: 247 });
    }

    #[test]
    fn node_names_and_namespaces_follow_their_rules() {
        assert!(validate_node_name("_hidden9").is_ok());
        assert_eq!(validate_node_name("a/b").unwrap_err().position, 1);
        assert!(validate_node_name(&"a".repeat(256)).is_err());
        assert!(validate_namespace("/").is_ok());
        assert!(validate_namespace(&"/a".repeat(122)).is_ok());
        assert_eq!(
            validate_namespace(&"/a".repeat(123)).unwrap_err().reason,
            NameErrorReason::TooLong { max: 245 }
        );
        assert_eq!(validate_namespace("a").unwrap_err().reason, NameErrorReason::NotAbsolute);
        assert_eq!(NodeName::new("", "n").unwrap().fully_qualified(), "/n");
    }
}
