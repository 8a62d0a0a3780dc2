//! Parameter overrides: values that a user gives from outside the program. Their node patterns, and the reader of
//! parameter files.
//!
//! Source: `rcl_yaml_param_parser`, as far as it is documented.

use saltus_types::{NameError, NodeName, ParameterValue, validate_node_name, validate_parameter_name};
use saltus_yaml::{Node, YamlError};

/// The key of the parameters in a section of a parameter file.
const PARAMETERS: &str = "ros__parameters";

/// A value for a parameter, and the nodes that it applies to.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterOverride {
    /// The nodes that the value applies to.
    pub node: NodePattern,
    /// The name of the parameter.
    pub name: String,
    /// The value of the parameter.
    pub value: ParameterValue,
}

/// A pattern for the full names of nodes. A name consists of tokens, separated by `/`. The token `*` matches any one
/// token, and `**` matches any number of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePattern(Vec<String>);

impl NodePattern {
    /// Returns a pattern that matches every node.
    pub fn any() -> Self {
        Self(vec!["**".into()])
    }

    /// Returns a pattern that matches every node with that name, in any namespace.
    pub fn named(name: &str) -> Result<Self, NameError> {
        validate_node_name(name)?;
        Ok(Self(vec!["**".into(), name.into()]))
    }

    /// Whether the pattern has a wildcard, and so may match several nodes.
    pub fn is_wildcard(&self) -> bool {
        self.0.iter().any(|token| token == "*" || token == "**")
    }

    /// Whether the pattern matches a node.
    pub fn matches(&self, node: &NodeName) -> bool {
        let name = node.fully_qualified();
        let tokens: Vec<&str> = name.split('/').filter(|token| !token.is_empty()).collect();
        matches(&self.0, &tokens)
    }
}

fn matches(pattern: &[String], tokens: &[&str]) -> bool {
    match (pattern, tokens) {
        ([], []) => true,
        ([any, rest @ ..], _) if any == "**" => {
            matches(rest, tokens) || (!tokens.is_empty() && matches(pattern, &tokens[1..]))
        }
        ([word, rest @ ..], [token, others @ ..]) => (word == "*" || word == token) && matches(rest, others),
        _ => false,
    }
}

/// Reads a parameter file. Returns the values in the order of the file.
///
/// # Errors
/// Returns an error if the text is not YAML, has a section without `ros__parameters`, or has a value that no parameter
/// can have.
pub fn read_params_file(text: &str) -> Result<Vec<ParameterOverride>, YamlError> {
    let document = saltus_yaml::parse(text)?;
    let mut overrides = Vec::new();
    if !document.is_null() {
        sections(&document, &mut Vec::new(), &mut overrides)?;
    }
    Ok(overrides)
}

/// Reads a mapping from node names or namespaces. Each value is a section, or another such mapping.
fn sections(
    node: &Node,
    path: &mut Vec<String>,
    overrides: &mut Vec<ParameterOverride>,
) -> Result<(), YamlError> {
    let pairs = node.as_mapping().ok_or_else(|| {
        node.error(format!("expected node names with `{PARAMETERS}` below them, found {}", node.kind()))
    })?;
    for (key, below) in pairs {
        if key == PARAMETERS {
            parameters(below, path, "", overrides)?;
            continue;
        }
        let before = path.len();
        path.extend(key.split('/').filter(|token| !token.is_empty()).map(str::to_owned));
        sections(below, path, overrides)?;
        path.truncate(before);
    }
    Ok(())
}

/// Reads the parameters of a section. Joins the names of nested mappings with dots.
fn parameters(
    node: &Node,
    path: &[String],
    prefix: &str,
    overrides: &mut Vec<ParameterOverride>,
) -> Result<(), YamlError> {
    let pairs = node
        .as_mapping()
        .ok_or_else(|| node.error(format!("expected parameters with values, found {}", node.kind())))?;
    for (key, value) in pairs {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        validate_parameter_name(&name).map_err(|e| value.error(e.to_string()))?;
        if value.as_mapping().is_some() {
            parameters(value, path, &name, overrides)?;
        } else {
            let node = NodePattern(path.to_vec());
            overrides.push(ParameterOverride { node, name, value: parameter_value(value)? });
        }
    }
    Ok(())
}

/// Reads the value of a parameter: a scalar, or a list of scalars of one type.
pub fn parameter_value(node: &Node) -> Result<ParameterValue, YamlError> {
    let Some(items) = node.as_sequence() else { return scalar(node) };
    let Some(first) = items.first() else { return Ok(ParameterValue::StringArray(Vec::new())) };
    fn all<T>(items: &[Node], what: &str, read: impl Fn(&Node) -> Option<T>) -> Result<Vec<T>, YamlError> {
        let one = |item: &Node| {
            read(item).ok_or_else(|| {
                item.error(format!("expected {what}, like the first item of the list, found {}", item.kind()))
            })
        };
        items.iter().map(one).collect()
    }
    match scalar(first)? {
        ParameterValue::Bool(_) => all(items, "a bool", boolean).map(ParameterValue::BoolArray),
        ParameterValue::Integer(_) => all(items, "a whole number", integer).map(ParameterValue::IntegerArray),
        ParameterValue::Double(_) => {
            all(items, "a number with a point", Node::as_float).map(ParameterValue::DoubleArray)
        }
        _ => {
            let text = |item: &Node| match scalar(item) {
                Ok(ParameterValue::String(text)) => Some(text),
                _ => None,
            };
            all(items, "text", text).map(ParameterValue::StringArray)
        }
    }
}

fn integer(node: &Node) -> Option<i64> {
    node.as_integer().and_then(|value| i64::try_from(value).ok())
}

/// Reads a bool of YAML 1.1. This includes single letters, which rcl accepts and PyYAML does not.
fn boolean(node: &Node) -> Option<bool> {
    match node.as_word()? {
        "y" | "Y" => Some(true),
        "n" | "N" => Some(false),
        _ => node.as_bool(),
    }
}

fn scalar(node: &Node) -> Result<ParameterValue, YamlError> {
    let text =
        node.as_text().ok_or_else(|| node.error(format!("expected a value, found {}", node.kind())))?;
    if node.is_null() {
        return Err(node.error("expected a value, found nothing"));
    }
    Ok(if let Some(value) = boolean(node) {
        ParameterValue::Bool(value)
    } else if let Some(value) = integer(node) {
        ParameterValue::Integer(value)
    } else if let Some(value) = node.as_float() {
        ParameterValue::Double(value)
    } else {
        ParameterValue::String(text.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values in a file that apply to a node.
    fn of(text: &str, namespace: &str, name: &str) -> Vec<(String, ParameterValue)> {
        let node = NodeName::new(namespace, name).unwrap();
        let all = read_params_file(text).unwrap();
        all.into_iter().filter(|one| one.node.matches(&node)).map(|one| (one.name, one.value)).collect()
    }

    #[test]
    fn a_section_applies_to_the_nodes_that_its_key_matches() {
        for (key, namespace, name, is) in [
            ("talker", "/", "talker", true),
            ("talker", "/ns", "talker", false),
            ("/ns/talker", "/ns", "talker", true),
            ("ns/talker", "/ns", "talker", true),
            ("/**", "/", "talker", true),
            ("/**", "/a/b", "talker", true),
            ("/*", "/", "talker", true),
            ("/*", "/a", "talker", false),
            ("/**/talker", "/", "talker", true),
            ("/**/talker", "/a/b", "talker", true),
            ("/ns/**", "/ns/deep", "talker", true),
            ("/*/talker", "/a", "talker", true),
            ("/*/talker", "/", "talker", false),
        ] {
            let text = format!("{key}:\n  {PARAMETERS}:\n    x: 1\n");
            assert_eq!(!of(&text, namespace, name).is_empty(), is, "{key} for {namespace} {name}");
        }
        let nested = "ns:\n  talker:\n    ros__parameters: {x: 1}\n";
        assert_eq!(of(nested, "/ns", "talker").len(), 1);
    }

    #[test]
    fn the_text_of_a_value_determines_its_type() {
        use ParameterValue::*;
        let text = "n:\n  ros__parameters:\n    b: yes\n    i: 0x10\n    d: 1.0\n    s: hello\n    q: '1'\n    \
                    group: {sub: {x: 2}}\n    axes: ['x', 'y']\n    bs: [true, n]\n    ds: [1.0, .inf]\n    ss: ['1', a]\n";
        let want = [
            ("b", Bool(true)),
            ("i", Integer(16)),
            ("d", Double(1.0)),
            ("s", String("hello".into())),
            ("q", String("1".into())),
            ("group.sub.x", Integer(2)),
            ("axes", StringArray(vec!["x".into(), "y".into()])),
            ("bs", BoolArray(vec![true, false])),
            ("ds", DoubleArray(vec![1.0, f64::INFINITY])),
            ("ss", StringArray(vec!["1".into(), "a".into()])),
        ];
        let want: Vec<_> = want.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(of(text, "/", "n"), want);
    }

    #[test]
    fn the_error_for_an_invalid_file_has_the_location() {
        for (text, want) in [
            ("n: 1", "line 1, column 4: expected node names with `ros__parameters` below them, found `1`"),
            ("n:\n  ros__parameters:", "expected parameters with values"),
            ("n:\n  ros__parameters:\n    x: [1, 1.5]", "line 3, column 12: expected a whole number"),
            ("n:\n  ros__parameters:\n    x:", "expected a value, found nothing"),
            ("n:\n  ros__parameters:\n    x: [[1]]", "expected a value, found a list"),
            ("n:\n  ros__parameters:\n    a b: 1", "invalid parameter name `a b`"),
        ] {
            let error = read_params_file(text).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
        assert!(read_params_file("").unwrap().is_empty());
    }
}
