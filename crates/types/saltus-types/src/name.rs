//! Names of nodes and topics, with ROS 2's rules.
//!
//! Source of the rules: "Topic and Service name mapping to DDS" and "Names" in the ROS 2 design
//! documents. The error for an invalid name has the position of the first byte that breaks a rule, as in `rcl`.

use std::fmt;

/// The longest fully qualified topic name, in bytes.
const MAX_TOPIC: usize = 247;
/// The longest namespace, in bytes. It leaves 2 bytes for a `/` and a topic of one letter.
const MAX_NAMESPACE: usize = MAX_TOPIC - 2;
/// The longest node name, in bytes.
const MAX_NODE: usize = 255;

/// The reason why a name is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameErrorReason {
    /// The name is empty.
    Empty,
    /// A character is not allowed. The allowed ones are ASCII letters, digits, `_`, `/` in topics and
    /// namespaces, and `~` as the first byte of a topic.
    Character,
    /// A token begins with a digit.
    LeadingDigit,
    /// A token is empty, as in `//` or after a `/` at the end.
    EmptyToken,
    /// A namespace does not begin with `/`.
    NotAbsolute,
    /// `~` is followed by something other than `/`.
    TildeNotFollowedBySlash,
    /// The name contains `__`, which is reserved for names that ROS 2 creates itself.
    RepeatedUnderscore,
    /// A `{` has no `}`, a `}` has no `{`, or a pair of braces is within another pair.
    UnbalancedBrace,
    /// A word in braces is not `node`, `ns` or `namespace`.
    UnknownSubstitution,
    /// The name is too long.
    TooLong {
        /// The largest allowed length, in bytes.
        max: usize,
    },
}

/// The error for a name that breaks ROS 2's rules, with the position of the first wrong byte.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {kind} `{name}`: {reason} (at byte {position})")]
pub struct NameError {
    /// The kind of name: "node name", "topic name", "service name", "parameter name" or
    /// "namespace".
    pub kind: &'static str,
    /// The name that was given.
    pub name: String,
    /// The reason why the name is invalid.
    pub reason: NameErrorReason,
    /// The index of the first wrong byte, from 0.
    pub position: usize,
}

crate::debug_as_display!(NameError);

impl fmt::Display for NameErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Character => f.write_str("a token may contain only ASCII letters, digits and `_`"),
            Self::LeadingDigit => f.write_str("a token must not start with a digit"),
            Self::EmptyToken => f.write_str("a token before, between or after separators is empty"),
            Self::NotAbsolute => f.write_str("it must start with `/`"),
            Self::TildeNotFollowedBySlash => f.write_str("`~` must be followed by `/`"),
            Self::RepeatedUnderscore => f.write_str("it must not have two underscores in a row"),
            Self::UnbalancedBrace => f.write_str("each `{` must be followed by a matching `}`"),
            Self::UnknownSubstitution => {
                f.write_str("only `{node}`, `{ns}` and `{namespace}` can be replaced")
            }
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
    /// Checks both parts and creates the name. The leading `/` of the namespace may be omitted. An empty
    /// namespace is the root.
    ///
    /// ```
    /// use saltus::types::NodeName;
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

    /// Returns the namespace, with its leading `/`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name without its namespace.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the namespace and the name in one string.
    pub fn fully_qualified(&self) -> String {
        join(&self.namespace, &self.base)
    }
}

/// A fully qualified topic or service name.
///
/// **Invariant:** it begins with `/`, contains no `~`, `{` or `}`, and every token is a valid name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicName(String);

impl TopicName {
    /// Expands a name that is used in a node. `chatter` is in the node's namespace, `/chatter` is in the root,
    /// and `~/chatter` is below the node. `{node}` is replaced by the node's name, and `{ns}` and `{namespace}`
    /// are replaced by its namespace.
    ///
    /// ```
    /// use saltus::types::{NodeName, TopicName};
    /// let node = NodeName::new("/robot1", "talker").unwrap();
    /// assert_eq!(TopicName::expand("chatter", &node).unwrap().as_str(), "/robot1/chatter");
    /// assert_eq!(TopicName::expand("/chatter", &node).unwrap().as_str(), "/chatter");
    /// assert_eq!(TopicName::expand("~/chatter", &node).unwrap().as_str(), "/robot1/talker/chatter");
    /// assert_eq!(TopicName::expand("{node}/x", &node).unwrap().as_str(), "/robot1/talker/x");
    /// ```
    pub fn expand(name: &str, node: &NodeName) -> Result<Self, NameError> {
        let error =
            |(reason, position)| NameError { kind: "topic name", name: name.into(), reason, position };
        validate_unexpanded(name).map_err(error)?;
        let inner = match name.strip_prefix('~') {
            Some(rest) => node.fully_qualified() + rest,
            None => name.to_owned(),
        };
        let replaced = substitute(&inner, node);
        let full = if replaced.starts_with('/') { replaced } else { join(&node.namespace, &replaced) };
        // A substitution can make the name invalid: in the root, `{ns}/x` becomes `//x`.
        if let Some((reason, _)) = first_wrong_byte(&full) {
            return Err(error((reason, name.find('{').unwrap_or(0))));
        }
        if full.len() > MAX_TOPIC {
            return Err(error((NameErrorReason::TooLong { max: MAX_TOPIC }, too_long_at(name, &full))));
        }
        Ok(Self(full))
    }

    /// Returns the name with its leading `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name is hidden: one of its tokens begins with `_`. Tools list hidden names only on
    /// request.
    ///
    /// ```
    /// # use saltus::types::{NodeName, TopicName};
    /// # let node = NodeName::new("/", "n").unwrap();
    /// assert!(TopicName::expand("/a/_b", &node).unwrap().is_hidden());
    /// ```
    pub fn is_hidden(&self) -> bool {
        is_hidden(&self.0)
    }
}

/// Whether a fully qualified name is hidden: one of its tokens begins with `_`.
pub fn is_hidden(name: &str) -> bool {
    name.contains("/_")
}

/// Returns the index of the byte in `name` at which the expanded name becomes too long. The bytes that
/// the expansion adds are counted first.
fn too_long_at(name: &str, full: &str) -> usize {
    let added = full.len().saturating_sub(name.len());
    MAX_TOPIC.saturating_sub(added).min(name.len() - 1)
}

/// Checks a name before it is expanded, with the rules of `rcl_validate_topic_name`.
fn validate_unexpanded(name: &str) -> Result<(), (NameErrorReason, usize)> {
    use NameErrorReason::*;
    if name.is_empty() {
        return Err((Empty, 0));
    }
    let rest = match name.strip_prefix('~') {
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') => return Err((TildeNotFollowedBySlash, 1)),
        Some("") => return Ok(()),
        Some(rest) => rest,
        None => name,
    };
    let tokens = rest.strip_prefix('/').unwrap_or(rest);
    let mut start = name.len() - tokens.len();
    for token in tokens.split('/') {
        if token.is_empty() {
            return Err((EmptyToken, start - 1));
        }
        validate_token(token).map_err(|(reason, at)| (reason, start + at))?;
        start += token.len() + 1;
    }
    Ok(())
}

/// Checks one token before it is expanded: letters, digits, underscores and substitutions. The token
/// must not be empty.
fn validate_token(token: &str) -> Result<(), (NameErrorReason, usize)> {
    use NameErrorReason::*;
    let mut open = None;
    for (i, byte) in token.bytes().enumerate() {
        match (byte, open) {
            (b'{', None) => open = Some(i),
            (b'}', Some(start)) => {
                if !SUBSTITUTIONS.contains(&&token[start + 1..i]) {
                    return Err((UnknownSubstitution, start));
                }
                open = None;
            }
            (b'{' | b'}', _) => return Err((UnbalancedBrace, i)),
            (byte, _) if !is_token_byte(byte) => return Err((Character, i)),
            _ => {}
        }
    }
    match (open, token.find("__")) {
        (Some(start), _) => Err((UnbalancedBrace, start)),
        (None, Some(at)) => Err((RepeatedUnderscore, at)),
        (None, None) if token.as_bytes()[0].is_ascii_digit() => Err((LeadingDigit, 0)),
        (None, None) => Ok(()),
    }
}

/// The words that are allowed in braces.
const SUBSTITUTIONS: [&str; 3] = ["node", "ns", "namespace"];

fn substitute(name: &str, node: &NodeName) -> String {
    let [base, ns, namespace] = SUBSTITUTIONS.map(|word| format!("{{{word}}}"));
    name.replace(&base, &node.base).replace(&ns, &node.namespace).replace(&namespace, &node.namespace)
}

/// Checks a parameter's name: it must not be empty. ROS 2 has no other rule.
///
/// ```
/// use saltus::types::validate_parameter_name;
/// assert!(validate_parameter_name("controller.gains[0]").is_ok());
/// assert!(validate_parameter_name("").is_err());
/// ```
pub fn validate_parameter_name(name: &str) -> Result<(), NameError> {
    let error = |reason| NameError { kind: "parameter name", name: name.into(), reason, position: 0 };
    if name.is_empty() { Err(error(NameErrorReason::Empty)) } else { Ok(()) }
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

/// Checks a namespace: `/` alone, or tokens that each follow a `/`.
pub fn validate_namespace(name: &str) -> Result<(), NameError> {
    let error = |reason, position| NameError { kind: "namespace", name: name.into(), reason, position };
    if !name.starts_with('/') {
        return Err(error(NameErrorReason::NotAbsolute, 0));
    }
    if name == "/" {
        return Ok(());
    }
    if let Some((reason, position)) = first_wrong_byte(name) {
        return Err(error(reason, position));
    }
    if name.len() > MAX_NAMESPACE {
        return Err(error(NameErrorReason::TooLong { max: MAX_NAMESPACE }, MAX_NAMESPACE));
    }
    Ok(())
}

/// Returns the index of the first byte that breaks a rule in an absolute name, and the rule.
fn first_wrong_byte(full: &str) -> Option<(NameErrorReason, usize)> {
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
    fn errors_have_the_position_of_the_first_wrong_byte_of_the_name() {
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
            ("a~", Character, 1),
            ("~/é", Character, 2),
            ("~/", EmptyToken, 1),
            ("/", EmptyToken, 0),
            ("a__b", RepeatedUnderscore, 1),
            ("a/b{node", UnbalancedBrace, 3),
            ("a}b", UnbalancedBrace, 1),
            ("{{node}}", UnbalancedBrace, 1),
            ("x/{robot}", UnknownSubstitution, 2),
            ("{}", UnknownSubstitution, 0),
        ] {
            let error = TopicName::expand(name, &node).unwrap_err();
            assert_eq!((error.reason, error.position), (reason, position), "{error}");
        }
    }

    #[test]
    fn substitutions_are_replaced_by_the_nodes_names() {
        let node = NodeName::new("/a", "n").unwrap();
        for (name, want) in [
            ("{node}/x", "/a/n/x"),
            ("/{node}", "/n"),
            ("{ns}/x", "/a/x"),
            ("{namespace}/x", "/a/x"),
            ("~/{node}_x", "/a/n/n_x"),
            ("~", "/a/n"),
        ] {
            assert_eq!(TopicName::expand(name, &node).unwrap().as_str(), want, "{name}");
        }
        let root = NodeName::new("/", "n").unwrap();
        let error = TopicName::expand("{ns}/x", &root).unwrap_err();
        assert_eq!((error.reason, error.position), (NameErrorReason::EmptyToken, 0), "`//x` is not valid");
    }

    #[test]
    fn hidden_names_have_a_token_that_begins_with_an_underscore() {
        for (name, hidden) in [("/a/_b", true), ("/_a/b", true), ("/a/b_", false), ("/a_b", false)] {
            assert_eq!(is_hidden(name), hidden, "{name}");
        }
    }

    #[test]
    fn only_the_empty_parameter_name_is_refused() {
        for name in ["float.param..", ".x", "a b", "a:b", "ä", "wheel[0]", "a-b", "x/y"] {
            assert!(validate_parameter_name(name).is_ok(), "{name}");
        }
        assert!(validate_parameter_name("").is_err());
    }

    #[test]
    fn a_topic_name_has_at_most_247_bytes() {
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
