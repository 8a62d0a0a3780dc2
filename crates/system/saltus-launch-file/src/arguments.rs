//! The command line and the parameters with which a node is started.

use std::{io, path::PathBuf};

use saltus_types::ParameterValue;

use crate::plan::{Names, Node, Parameters};

/// Returns the arguments of a node, from `--ros-args` on. `file` writes the content of a file of parameters and returns its
/// path.
///
/// # Errors
///
/// Returns the error of `file`.
pub fn ros_arguments(
    node: &Node,
    file: &mut dyn FnMut(&str) -> io::Result<PathBuf>,
) -> io::Result<Vec<String>> {
    let mut words = Vec::new();
    if !node.ros_args.is_empty() {
        words.push("--ros-args".into());
        words.extend(node.ros_args.iter().cloned());
    }
    words.push("--ros-args".into());
    let names = &node.names;
    let mut rule = |from: &str, to: &str| words.extend(["-r".into(), format!("{from}:={to}")]);
    if let Some(name) = &names.name {
        rule("__node", name);
    }
    if let Some(namespace) = &names.namespace {
        rule("__ns", namespace);
    }
    for (from, to) in &names.remaps {
        rule(from, to);
    }
    for parameters in &names.parameters {
        let path = match parameters {
            Parameters::File(path) => path.clone(),
            Parameters::Text { content, .. } => file(content)?,
            // ROS 2 refuses a section without parameters.
            Parameters::Values(values) if values.is_empty() => continue,
            Parameters::Values(values) => file(&parameter_file(&owner(names), values))?,
            Parameters::Global(value) => file(&parameter_file(ALL_NODES, std::slice::from_ref(value)))?,
        };
        words.extend(["--params-file".into(), path.display().to_string()]);
    }
    Ok(words)
}

/// The pattern for all nodes of a process.
const ALL_NODES: &str = "/**";

/// Returns the pattern for the nodes that get the parameters of a launch file. As in ROS 2, it is the node itself if its name and
/// its namespace are given. Otherwise it is all nodes of the process.
fn owner(names: &Names) -> String {
    let full = names.namespace.as_ref().and_then(|_| names.full_name());
    full.unwrap_or_else(|| ALL_NODES.into())
}

/// Returns a file of parameters for the nodes of a pattern.
fn parameter_file(pattern: &str, values: &[(String, ParameterValue)]) -> String {
    let mut text = format!("{}:\n  ros__parameters:\n", quoted(pattern));
    for (name, value) in values {
        text.push_str(&format!("    {}: {}\n", quoted(name), parameter_text(value)));
    }
    text
}

/// Returns a value in YAML, on one line.
pub(crate) fn parameter_text(value: &ParameterValue) -> String {
    fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
        format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(", "))
    }
    match value {
        ParameterValue::NotSet => "null".into(),
        ParameterValue::Bool(value) => value.to_string(),
        ParameterValue::Integer(value) => value.to_string(),
        ParameterValue::Double(value) => float(*value),
        ParameterValue::String(value) => quoted(value),
        ParameterValue::ByteArray(items) => list(items, u8::to_string),
        ParameterValue::BoolArray(items) => list(items, bool::to_string),
        ParameterValue::IntegerArray(items) => list(items, i64::to_string),
        ParameterValue::DoubleArray(items) => list(items, |item| float(*item)),
        ParameterValue::StringArray(items) => list(items, |item| quoted(item)),
    }
}

/// Returns a number with a point, so that it does not become an integer.
fn float(value: f64) -> String {
    match value {
        value if value.is_nan() => ".nan".into(),
        f64::INFINITY => ".inf".into(),
        f64::NEG_INFINITY => "-.inf".into(),
        value => {
            let text = format!("{value:?}");
            // YAML 1.1 has no number such as 1e-7.
            match text.split_once('e') {
                Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
                _ => text,
            }
        }
    }
}

/// Returns a text in double quotes, with the escapes that YAML and JSON have in common.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            other if other.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(other))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_gets_its_names_rules_and_parameters() {
        let values = vec![
            ("rate".to_owned(), ParameterValue::Double(1e-7)),
            ("a.b".into(), ParameterValue::Integer(3)),
        ];
        let node = Node {
            names: Names {
                name: Some("talker".into()),
                namespace: Some("/robot".into()),
                parameters: vec![Parameters::File("/etc/p.yaml".into()), Parameters::Values(values)],
                remaps: vec![("chatter".into(), "news".into())],
            },
            ros_args: vec!["--log-level".into(), "debug".into()],
            ..Node::default()
        };
        let mut written = Vec::new();
        let words = ros_arguments(&node, &mut |content| {
            written.push(content.to_owned());
            Ok("/tmp/1.yaml".into())
        });
        let want = "--ros-args --log-level debug --ros-args -r __node:=talker -r __ns:=/robot -r chatter:=news \
                    --params-file /etc/p.yaml --params-file /tmp/1.yaml";
        assert_eq!(words.unwrap().join(" "), want);
        let want = "\"/robot/talker\":\n  ros__parameters:\n    \"rate\": 1.0e-7\n    \"a.b\": 3\n";
        assert_eq!(written, [want]);
    }

    #[test]
    fn values_keep_their_types() {
        for value in [
            ParameterValue::Bool(true),
            ParameterValue::Integer(-3),
            ParameterValue::Double(2.0),
            ParameterValue::Double(1e-300),
            ParameterValue::Double(f64::INFINITY),
            ParameterValue::String("yes".into()),
            ParameterValue::String("a \"b\" \\ \u{1} \n é 🤖, [x]: #".into()),
            ParameterValue::IntegerArray(vec![1, 2]),
            ParameterValue::DoubleArray(vec![1.0, -2.5]),
            ParameterValue::BoolArray(vec![true, false]),
            ParameterValue::StringArray(vec!["1".into(), "a, b".into()]),
        ] {
            let node = saltus_yaml::parse(&parameter_text(&value)).unwrap();
            assert_eq!(saltus_node::parameter_value(&node).unwrap(), value);
        }
    }

    #[test]
    fn parameters_are_for_all_nodes_of_a_process_unless_its_node_has_a_namespace() {
        let values = |name: &str| vec![(name.to_owned(), ParameterValue::Integer(1))];
        let written = |namespace: Option<&str>| {
            let parameters = vec![
                Parameters::Global(("g".into(), ParameterValue::Bool(true))),
                Parameters::Values(values("x")),
                Parameters::Values(Vec::new()),
            ];
            let names = Names {
                name: Some("one".into()),
                namespace: namespace.map(str::to_owned),
                parameters,
                remaps: Vec::new(),
            };
            let mut written = Vec::new();
            let node = Node { names, ..Node::default() };
            let words = ros_arguments(&node, &mut |content| {
                written.push(content.split(':').next().unwrap_or_default().to_owned());
                Ok("/tmp/1.yaml".into())
            });
            (written, words.unwrap().iter().filter(|word| *word == "--params-file").count())
        };
        assert_eq!(written(None), (vec!["\"/**\"".to_owned(), "\"/**\"".into()], 2));
        assert_eq!(written(Some("/ns")), (vec!["\"/**\"".to_owned(), "\"/ns/one\"".into()], 2));
    }
}
