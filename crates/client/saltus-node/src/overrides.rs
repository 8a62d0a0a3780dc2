//! Parameter overrides: values that a user gives from outside the program. Their node patterns, and the reader of
//! parameter files.
//!
//! Source: `rcl_yaml_param_parser`, as far as it is documented.

use std::fmt;

use saltus_types::{NameError, NodeName, ParameterValue, validate_node_name, validate_parameter_name};
use saltus_yaml::{Node, ParameterWord, YamlError};

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
    /// The place where the user has given it, such as `params.yaml, line 3`, if it is known.
    pub location: Option<String>,
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

    /// Reads the name of a section of a parameter file, such as `/robot/*`.
    ///
    /// # Errors
    /// Returns an error if a token of the name is neither a wildcard nor a valid name.
    fn of_section(name: &str) -> Result<Self, String> {
        if name.is_empty() {
            return Err(format!("expected the name of a node above `{PARAMETERS}`"));
        }
        let token = |token: &str| match token {
            "*" | "**" => Ok(token.to_owned()),
            _ => validate_node_name(token).map(|()| token.to_owned()),
        };
        let tokens = name.strip_prefix('/').unwrap_or(name).split('/').map(token).collect::<Result<_, _>>();
        tokens.map(Self).map_err(|error: NameError| format!("invalid node name `{name}`: {}", error.reason))
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

/// Writes the tokens with `/` between them.
impl fmt::Display for NodePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("/"))
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

/// Reads a parameter file. Returns the values in the order of the file. Their locations are the lines.
///
/// # Errors
/// Returns an error if the text is not YAML, has a section without `ros__parameters`, has a name that no node can have, or
/// has a value that no parameter can have.
pub fn read_params_file(text: &str) -> Result<Vec<ParameterOverride>, YamlError> {
    let document = saltus_yaml::parse(text)?;
    let mut overrides = Vec::new();
    if !document.is_null() {
        sections(&document, "", &mut overrides)?;
    }
    Ok(overrides)
}

/// Reads a parameter file for a component. As in ROS 2's launch files, it may have no sections. Then all its parameters are
/// for the component.
///
/// # Errors
/// Returns the same errors as [`read_params_file`].
pub fn read_component_params_file(text: &str) -> Result<Vec<ParameterOverride>, YamlError> {
    let document = saltus_yaml::parse(text)?;
    if document.is_null() || has_section(&document) {
        return read_params_file(text);
    }
    let mut overrides = Vec::new();
    parameters(&document, &NodePattern::any(), "", &mut overrides)?;
    Ok(overrides)
}

/// Whether there is a section at any depth.
fn has_section(node: &Node) -> bool {
    let mut pairs = node.as_mapping().unwrap_or_default().iter();
    pairs.any(|(key, below)| key == PARAMETERS || has_section(below))
}

/// Reads a mapping from node names or namespaces. Each value is a section, or another such mapping. `name` consists of the
/// names above the mapping.
fn sections(node: &Node, name: &str, overrides: &mut Vec<ParameterOverride>) -> Result<(), YamlError> {
    let pairs = node.as_mapping().ok_or_else(|| {
        let text = format!("expected node names with `{PARAMETERS}` below them, found {}", node.kind());
        in_section(node.error(text), name)
    })?;
    for (key, below) in pairs {
        if key.is_empty() {
            return Err(below.error("expected the name of a node or a namespace, found an empty text"));
        }
        if key != PARAMETERS {
            sections(below, &joined(name, key), overrides)?;
            continue;
        }
        let pattern = NodePattern::of_section(name).map_err(|message| node.error(message))?;
        // A section without parameters is common in files that are edited.
        if !below.is_null() {
            parameters(below, &pattern, "", overrides).map_err(|error| in_section(error, name))?;
        }
    }
    Ok(())
}

/// Adds the section to an error: the name of its node, as the file has it.
fn in_section(error: YamlError, name: &str) -> YamlError {
    match name {
        "" => error,
        _ => YamlError { message: format!("{}, in the section `{name}`", error.message), ..error },
    }
}

/// Joins a name and a key below it, as rcl does.
fn joined(name: &str, key: &str) -> String {
    let separator = if name.is_empty() || name.ends_with('/') { "" } else { "/" };
    format!("{name}{separator}{key}")
}

/// Reads the parameters of a section. Joins the names of nested mappings with dots.
fn parameters(
    node: &Node,
    pattern: &NodePattern,
    prefix: &str,
    overrides: &mut Vec<ParameterOverride>,
) -> Result<(), YamlError> {
    let pairs = node
        .as_mapping()
        .ok_or_else(|| node.error(format!("expected parameters with values, found {}", node.kind())))?;
    for (key, value) in pairs {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        validate_parameter_name(&name).map_err(|e| value.error(e.to_string()))?;
        match nested(value) {
            Some(mappings) => {
                mappings.iter().try_for_each(|one| parameters(one, pattern, &name, overrides))?;
            }
            None => {
                let (node, location) = (pattern.clone(), Some(format!("line {}", value.line)));
                overrides.push(ParameterOverride { node, name, value: override_value(value)?, location });
            }
        }
    }
    Ok(())
}

/// Returns the mappings that have parameters below a name: a mapping, or all items of a list. rcl does not see the dashes
/// of such a list.
fn nested(value: &Node) -> Option<&[Node]> {
    let is_mapping = |node: &Node| node.as_mapping().is_some();
    if is_mapping(value) {
        return Some(std::slice::from_ref(value));
    }
    value.as_sequence().filter(|items| !items.is_empty() && items.iter().all(is_mapping))
}

/// Reads the value of a parameter: a scalar, or a list of scalars of one type. The scalars have the types that they have in
/// YAML 1.1, as in launch files.
///
/// # Errors
/// Returns an error if no parameter can have the value.
pub fn parameter_value(node: &Node) -> Result<ParameterValue, YamlError> {
    value_of(node, yaml_scalar)
}

/// Reads the value of a parameter in a parameter file or in an argument. The scalars have the types that rcl gives them.
pub(crate) fn override_value(node: &Node) -> Result<ParameterValue, YamlError> {
    value_of(node, rcl_scalar)
}

/// Reads a scalar, or a list of scalars of one type.
fn value_of(
    node: &Node,
    scalar: fn(&Node) -> Result<ParameterValue, YamlError>,
) -> Result<ParameterValue, YamlError> {
    use ParameterValue::{Bool, BoolArray, Double, DoubleArray, Integer, IntegerArray, String, StringArray};
    fn all<T>(items: &[Node], what: &str, read: impl Fn(&Node) -> Option<T>) -> Result<Vec<T>, YamlError> {
        let one = |item: &Node| {
            read(item).ok_or_else(|| {
                item.error(format!("expected {what}, like the first item of the list, found {}", item.kind()))
            })
        };
        items.iter().map(one).collect()
    }
    let Some(items) = node.as_sequence() else { return scalar(node) };
    let Some(first) = items.first() else { return Ok(StringArray(Vec::new())) };
    let read = |item: &Node| scalar(item).ok();
    match scalar(first)? {
        Bool(_) => {
            all(items, "a bool", |item| if let Bool(value) = read(item)? { Some(value) } else { None })
                .map(BoolArray)
        }
        Integer(_) => {
            all(
                items,
                "a whole number",
                |item| if let Integer(value) = read(item)? { Some(value) } else { None },
            )
            .map(IntegerArray)
        }
        Double(_) => all(items, "a number with a point", |item| {
            if let Double(value) = read(item)? { Some(value) } else { None }
        })
        .map(DoubleArray),
        _ => all(items, "text", |item| if let String(text) = read(item)? { Some(text) } else { None })
            .map(StringArray),
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

/// Reads a scalar as in launch files of ROS 2: PyYAML reads the file, and rcl reads what PyYAML writes. So `y` is a bool.
fn yaml_scalar(node: &Node) -> Result<ParameterValue, YamlError> {
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

/// Reads a scalar as rcl does.
fn rcl_scalar(node: &Node) -> Result<ParameterValue, YamlError> {
    let text =
        node.as_text().ok_or_else(|| node.error(format!("expected a value, found {}", node.kind())))?;
    Ok(match node.as_word_or_block().map(ParameterWord::of) {
        Some(_) if text.is_empty() => return Err(node.error("expected a value, found nothing")),
        Some(ParameterWord::Bool(value)) => ParameterValue::Bool(value),
        Some(ParameterWord::Integer(value)) => ParameterValue::Integer(value),
        Some(ParameterWord::Double(value)) => ParameterValue::Double(value),
        Some(ParameterWord::Text) | None => ParameterValue::String(text.into()),
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
            ("'**'", "/a", "b", true),
            ("'*'", "/", "talker", true),
            ("/ns/*", "/ns", "talker", true),
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
                    group: {sub: {x: 2}}\n    axes: ['x', 'y']\n    bs: [true, n]\n    none: null\n    eight: 08\n    big: inf\n    tagged: !!str 12.34\n    block: >-\n      2\n    lines: |\n      2\n    ds: [1.0, .inf]\n    ss: ['1', a]\n";
        let want = [
            ("b", Bool(true)),
            ("i", Integer(16)),
            ("d", Double(1.0)),
            ("s", String("hello".into())),
            ("q", String("1".into())),
            ("group.sub.x", Integer(2)),
            ("axes", StringArray(vec!["x".into(), "y".into()])),
            ("bs", BoolArray(vec![true, false])),
            ("none", String("null".into())),
            ("eight", Double(8.0)),
            ("big", Double(f64::INFINITY)),
            ("tagged", String("12.34".into())),
            ("block", Integer(2)),
            ("lines", String("2\n".into())),
            ("ds", DoubleArray(vec![1.0, f64::INFINITY])),
            ("ss", StringArray(vec!["1".into(), "a".into()])),
        ];
        let want: Vec<_> = want.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(of(text, "/", "n"), want);
    }

    #[test]
    fn a_section_may_have_no_parameters() {
        let text = "map_saver:\n  ros__parameters:\namcl:\n  ros__parameters:\n    alpha1: 0.3\n";
        assert_eq!(of(text, "/", "amcl"), [("alpha1".to_owned(), ParameterValue::Double(0.3))]);
        assert_eq!(of(text, "/", "map_saver"), []);
    }

    #[test]
    fn a_list_of_mappings_is_a_section() {
        let text =
            "n:\n  ros__parameters:\n    outputs:\n    - names: [a]\n      ports: [1]\n    - rates: [2.0]\n";
        let names: Vec<_> = of(text, "/", "n").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["outputs.names", "outputs.ports", "outputs.rates"]);
        assert!(read_params_file("n:\n  ros__parameters:\n    x: [1, {a: 2}]").is_err());
    }

    #[test]
    fn the_error_for_an_invalid_file_has_the_location() {
        for (text, want) in [
            ("n: 1", "line 1, column 4: expected node names with `ros__parameters` below them, found `1`"),
            (
                "a:\n  n:\n    ros__parameters: 1",
                "expected parameters with values, found `1`, in the section `a/n`",
            ),
            ("n:\n  ros__parameters:\n    x: [1, 1.5]", "line 3, column 12: expected a whole number"),
            ("n:\n  ros__parameters:\n    x:", "expected a value, found nothing"),
            (
                "foo*:\n  ros__parameters: {x: 1}",
                "line 2, column 3: invalid node name `foo*`: a token may contain only",
            ),
            ("a//b:\n  ros__parameters: {x: 1}", "invalid node name `a//b`: it is empty"),
            ("a:\n  /b:\n    ros__parameters: {x: 1}", "invalid node name `a//b`"),
            ("ros__parameters: {x: 1}", "expected the name of a node above `ros__parameters`"),
            ("'':\n  n:\n    ros__parameters: {x: 1}", "expected the name of a node or a namespace"),
            ("n:\n  ros__parameters:\n    x: [[1]]", "expected a value, found a list"),
        ] {
            let error = read_params_file(text).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
        assert!(read_params_file("").unwrap().is_empty());
    }
}
