//! Parameter files, values and ROS arguments, read as rcl reads them.
//!
//! A case and the answer to it are JSON. rcl's answers come from a program that calls the real libraries and is not part
//! of this project:
//!
//! | case | what reads it |
//! |---|---|
//! | `{"kind": "file", "text": …}` | `rcl_parse_yaml_file` |
//! | `{"kind": "value", "text": …}` | `rcl_parse_yaml_value`, for the parameter `p` of the node `n` |
//! | `{"kind": "args", "argv": […], "files": {…}, "node": …, "namespace": …, "topics": […], "services": […]}` | `rcl_parse_arguments`, then the functions that remap |
//!
//! An answer has `ok`. If it is true, it has `nodes`, with the type and value of each parameter. The answer to arguments
//! also has the rest of the arguments, the enclave, the levels of loggers and the names after remapping. Doubles are texts
//! in the form of C's `%a`.

pub mod generate;

use std::{collections::BTreeMap, fs, path::Path};

use saltus::{
    context::{ParameterOverride, RosArgs, read_params_file},
    types::{NodeName, ParameterValue, TopicName},
};
use saltus_yaml::Node;
use serde_json::{Map, Value, json};

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Both answers are the same, or both are errors.
    Same,
    /// The answers differ, for a reason that is listed.
    Listed(&'static str),
    /// The answers differ. These are both, in the form in which they were compared.
    Different(Value, Value),
}

/// Compares Saltus's answer to a case with rcl's.
pub fn compare(case: &Value, rcl: &Value) -> Verdict {
    let ours = answer(case);
    let theirs = comparable(case, rcl);
    if ours["ok"] == theirs["ok"]
        && (ours["ok"] == json!(false) || without_text(&ours) == without_text(&theirs))
    {
        return Verdict::Same;
    }
    match reason(case, &ours, &theirs) {
        Some(reason) => Verdict::Listed(reason),
        None => Verdict::Different(ours, theirs),
    }
}

/// Returns an answer without the fields that are not compared.
fn without_text(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for field in ["error", "twice", "spelled_twice"] {
        answer.as_object_mut().map(|fields| fields.remove(field));
    }
    answer
}

/// Returns the nodes and names of the parameters that have values of two types. In rcl an empty list has none.
fn given_twice(all: &[ParameterOverride], case: &Value) -> Vec<(String, String)> {
    let mut types = BTreeMap::new();
    let mut twice = Vec::new();
    for one in all {
        let identity = (key(&one.node.to_string(), case), one.name.clone());
        let value = typed(&one.value);
        let ty = if is_empty_list(&value) { Value::Null } else { value[0].clone() };
        if *types.entry(identity.clone()).or_insert_with(|| ty.clone()) != ty {
            twice.push(identity);
        }
    }
    twice
}

/// Whether a value of Saltus is a list without values.
fn is_empty_list(value: &Value) -> bool {
    *value == json!(["string_array", []])
}

/// Returns Saltus's answer to a case.
pub fn answer(case: &Value) -> Value {
    let text = case["text"].as_str().unwrap_or_default();
    let result = match case["kind"].as_str() {
        Some("file") => read_params_file(text)
            .map(|all| json!({"ok": true, "nodes": nodes(&all, case), "twice": given_twice(&all, case)}))
            .map_err(|e| e.to_string()),
        Some("value") => value(text),
        _ => arguments(case),
    };
    result.unwrap_or_else(|error| json!({"ok": false, "error": error}))
}

fn value(text: &str) -> Result<Value, String> {
    let args = RosArgs::parse(["prog".to_owned(), "--ros-args".into(), "-p".into(), format!("p:={text}")]);
    let args = args.map_err(|error| error.to_string())?;
    Ok(json!({"ok": true, "nodes": {"n": nodes(&args.parameters, &Value::Null)["**"]}}))
}

fn arguments(case: &Value) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let empty = Map::new();
    let files = case["files"].as_object().unwrap_or(&empty);
    for (name, text) in files {
        let text = text.as_str().unwrap_or_default();
        fs::write(folder.path().join(name), text).map_err(|error| error.to_string())?;
    }
    let in_folder = |argument: &str| match files.contains_key(argument) {
        true => Path::join(folder.path(), argument).display().to_string(),
        false => argument.to_owned(),
    };
    let argv = texts(&case["argv"]);
    let args = RosArgs::parse(argv.iter().map(|argument| in_folder(argument)));
    let args = args.map_err(|error| error.to_string())?;
    Ok(json!({
        "ok": true,
        "nodes": nodes(&args.parameters, case),
        "twice": given_twice(&args.parameters, case),
        "unparsed": args.rest,
        "enclave": args.enclave,
        "levels": levels(&args),
        "remap": remapped(&args, case),
    }))
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Returns the levels by logger. The level of all other loggers has an empty name.
fn levels(args: &RosArgs) -> BTreeMap<String, String> {
    let level = |(logger, level): &(Option<String>, _)| {
        (logger.clone().unwrap_or_default(), format!("{level:?}").to_lowercase())
    };
    let mut levels: BTreeMap<String, String> = args.log_levels.iter().map(level).collect();
    // As in rcl, this level of all loggers says nothing.
    levels.retain(|logger, level| !logger.is_empty() || level != "unset");
    levels
}

/// Returns the names of the node, and of its topics and services, after remapping.
fn remapped(args: &RosArgs, case: &Value) -> Value {
    let (node, namespace) = (case["node"].as_str().unwrap_or("n"), case["namespace"].as_str().unwrap_or("/"));
    let Ok(node) = NodeName::new(namespace, node) else { return json!("invalid") };
    let of = |list: &Value, is_topic: bool| -> BTreeMap<String, Value> {
        let one = |name: String| {
            let expanded = TopicName::expand(&name, &node).ok()?;
            let new = match is_topic {
                true => args.remaps.topic(expanded, &node),
                false => args.remaps.service(expanded, &node),
            };
            Some((name, json!(new.ok().map(|new| new.as_str().to_owned()))))
        };
        texts(list).into_iter().filter_map(one).collect()
    };
    let new = args.remaps.node_name(node.namespace(), node.base());
    json!({
        "node": new.as_ref().map(NodeName::base).unwrap_or_default(),
        "namespace": new.as_ref().map(NodeName::namespace).unwrap_or_default(),
        "topics": of(&case["topics"], true),
        "services": of(&case["services"], false),
    })
}

/// Returns the type and value of each parameter, by pattern and name. The last value of a name counts.
fn nodes(all: &[ParameterOverride], case: &Value) -> Map<String, Value> {
    let mut nodes = Map::new();
    for one in all {
        let of_node = nodes.entry(key(&one.node.to_string(), case)).or_insert_with(|| json!({}));
        of_node[&*one.name] = typed(&one.value);
    }
    nodes
}

fn typed(value: &ParameterValue) -> Value {
    let hexadecimals = |list: &[f64]| list.iter().map(|number| hexadecimal(*number)).collect::<Vec<_>>();
    match value {
        ParameterValue::NotSet => json!(["not_set", null]),
        ParameterValue::Bool(value) => json!(["bool", value]),
        ParameterValue::Integer(value) => json!(["integer", value]),
        ParameterValue::Double(value) => json!(["double", hexadecimal(*value)]),
        ParameterValue::String(value) => json!(["string", value]),
        ParameterValue::ByteArray(values) => json!(["byte_array", values]),
        ParameterValue::BoolArray(values) => json!(["bool_array", values]),
        ParameterValue::IntegerArray(values) => json!(["integer_array", values]),
        ParameterValue::DoubleArray(values) => json!(["double_array", hexadecimals(values)]),
        ParameterValue::StringArray(values) => json!(["string_array", values]),
    }
}

/// Writes a number as Python's `float.hex` does. The text has all bits.
fn hexadecimal(number: f64) -> String {
    let bits = number.to_bits();
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    match (number, exponent) {
        _ if number.is_nan() => "nan".into(),
        _ if number.is_infinite() => format!("{sign}inf"),
        (0.0, _) => format!("{sign}0x0.0p+0"),
        (_, 0) => format!("{sign}0x0.{fraction:013x}p-1022"),
        _ => format!("{sign}0x1.{fraction:013x}p{:+}", exponent as i64 - 1023),
    }
}

/// Returns rcl's answer in the form of Saltus's.
fn comparable(case: &Value, rcl: &Value) -> Value {
    let mut result = json!({"ok": rcl["ok"], "error": rcl["error"]});
    if rcl["ok"] != json!(true) {
        return result;
    }
    let mut nodes: Map<String, Value> = Map::new();
    let mut spelled_twice = Vec::new();
    for (name, parameters) in rcl["nodes"].as_object().into_iter().flatten() {
        // A node without parameters is nothing to Saltus. The first `/` says nothing.
        let own = parameters.as_object().into_iter().flatten();
        for (name_of_parameter, value) in own {
            let own = &mut nodes.entry(key(name, case)).or_insert_with(|| json!({}))[name_of_parameter];
            if !own.is_null() {
                spelled_twice.push((key(name, case), name_of_parameter.clone()));
            }
            *own = value.clone();
        }
    }
    result["spelled_twice"] = json!(spelled_twice);
    result["nodes"] = json!(nodes);
    if case["kind"] == json!("args") {
        arguments_of_rcl(case, rcl, &mut result);
    }
    result
}

/// Returns the name of a node without what says nothing: the first `/`, and `**/` among arguments. There, rcl gives only the
/// base name of a node, which Saltus keeps as a pattern.
fn key(name: &str, case: &Value) -> String {
    let name = name.strip_prefix('/').unwrap_or(name);
    let is_argument = case["kind"] == json!("args");
    name.strip_prefix("**/").filter(|_| is_argument).unwrap_or(name).to_owned()
}

fn arguments_of_rcl(case: &Value, rcl: &Value, result: &mut Value) {
    let argv = texts(&case["argv"]);
    let at = |index: &Value| Some(argv.get(usize::try_from(index.as_u64()?).ok()?)?.clone());
    let indices = |key: &str| rcl[key].as_array().into_iter().flatten().filter_map(at).collect::<Vec<_>>();
    if let [unknown, ..] = &indices("unparsed_ros")[..] {
        // rclcpp and rclpy refuse such arguments.
        *result = json!({"ok": false, "error": format!("unknown ROS argument {unknown}")});
        return;
    }
    let levels = &rcl["log_levels"];
    let loggers = levels["loggers"].as_array().into_iter().flatten();
    let mut of: BTreeMap<String, Value> =
        loggers.map(|one| (one[0].as_str().unwrap_or_default().to_owned(), one[1].clone())).collect();
    if levels["default"] != json!("unset") {
        of.insert(String::new(), levels["default"].clone());
    }
    result["unparsed"] = json!(indices("unparsed"));
    result["enclave"] = rcl["enclave"].clone();
    result["levels"] = json!(of);
    result["remap"] = remapped_by_rcl(case, rcl);
}

/// Returns rcl's names after remapping. It gives null for a name that no rule matches.
fn remapped_by_rcl(case: &Value, rcl: &Value) -> Value {
    let (node, namespace) = (case["node"].as_str().unwrap_or("n"), case["namespace"].as_str().unwrap_or("/"));
    let Ok(name) = NodeName::new(namespace, node) else { return json!("invalid") };
    let of = |key: &str| -> BTreeMap<String, Value> {
        let one = |wanted: String| {
            // rcl is asked for the expanded name, as a node does.
            let expanded = TopicName::expand(&wanted, &name).ok()?.as_str().to_owned();
            let new = rcl["remap"][key].get(&wanted).cloned().unwrap_or(Value::Null);
            Some((wanted, if new.is_null() { json!(expanded) } else { new }))
        };
        texts(&case[key]).into_iter().filter_map(one).collect()
    };
    let or = |key: &str, old: &str| match &rcl["remap"][key] {
        Value::Null => json!(old),
        new => new.clone(),
    };
    json!({"node": or("node", node), "namespace": or("namespace", namespace), "topics": of("topics"), "services": of("services")})
}

/// Returns why two answers differ, if it is listed.
fn reason(case: &Value, ours: &Value, theirs: &Value) -> Option<&'static str> {
    if ours["ok"] == theirs["ok"] {
        return reason_of_values(case, ours, theirs);
    }
    let (list, text) = match (ours["error"].as_str(), theirs["error"].as_str()) {
        (Some(error), _) => (&ONLY_SALTUS_REFUSES[..], error),
        (None, error) => (&ONLY_RCL_REFUSES[..], error.unwrap_or_default()),
    };
    let is_about_node =
        ["node name must", "repeated forward slash", "namespace must"].iter().any(|part| text.contains(part));
    if is_about_node && ours["nodes"] == json!({}) {
        return Some("rcl refuses invalid names of nodes above a section that is not there");
    }
    if text.contains("Sequence should be of same type") && is_in_file(case, has_mapping_in_list) {
        return Some("rcl reads a value in a mapping in a list as a list");
    }
    let is_it = |(parts, _): &&(&[&str], &str)| parts.iter().all(|part| text.contains(part));
    list.iter().find(is_it).map(|(_, reason)| *reason)
}

/// Parts of an error text, and why only one of the two refuses.
type Listed = (&'static [&'static str], &'static str);

const ONLY_SALTUS_REFUSES: [Listed; 14] = [
    (&["expected node names with"], "a file without a section has no parameters; Saltus says so"),
    (&["expected one document"], "rcl merges the documents of a file"),
    (
        &["expected a value, found nothing"],
        "an argument without a value has no type in rcl; Saltus refuses it",
    ),
    (&["expected a value, found a list"], "rcl takes the last list within a list for the value"),
    (&["like the first item", "found a mapping"], "rcl does not see that a mapping is in a list"),
    (&["expected parameters with values, found a list"], "rcl does not see that a section is a list"),
    (&["expected parameters with values, found `"], "rcl loses its place behind `{}`"),
    (&["like the first item", "found a list"], "rcl takes the last list within a list for the value"),
    (&["expected a value, found a mapping"], "rcl does not see that a mapping is in a list"),
    (&["invalid namespace"], "rcl takes a namespace that no node can have"),
    (&["comments must be"], "the YAML parser of Saltus follows YAML 1.2, libyaml YAML 1.1"),
    (&["while "], "the YAML parser of Saltus follows YAML 1.2, libyaml YAML 1.1"),
    (&["plain scalar cannot start"], "the YAML parser of Saltus follows YAML 1.2, libyaml YAML 1.1"),
    (&["did not find"], "the YAML parser of Saltus follows YAML 1.2, libyaml YAML 1.1"),
];

const ONLY_RCL_REFUSES: [Listed; 14] = [
    (&["Unknown YAML event"], "the YAML parser of Saltus follows YAML 1.2, libyaml YAML 1.1"),
    (
        &["parameter override rule", "Wildcard"],
        "in rcl's arguments a name has letters, digits and `_` only, in files any",
    ),
    (&["remap rule", "lexeme"], "in rcl's rules a name has no `__`"),
    (&["No key at line"], "rcl refuses a document without content"),
    (
        &["parameter override rule", "Expecting token"],
        "in rcl's arguments a name has letters, digits and `_` only, in files any",
    ),
    (
        &["parameter override rule", "lexeme"],
        "in rcl's arguments a name has letters, digits and `_` only, in files any",
    ),
    (&["remap rule", "error not set"], "rcl's rules have no `~` alone, `{node}` and `{ns}`"),
    (&["remap rule", "Expecting token"], "rcl's rules have no `~` alone, `{node}` and `{ns}`"),
    (&["Cannot have a value before ros__parameters"], "rcl refuses an empty section, and what follows `{}`"),
    (&["Sequences can only be values"], "rcl refuses an empty section, and what follows `{}`"),
    (&["There are no node names before"], "rcl refuses the second section of a node"),
    (&["Internal error creating param namespace"], "rcl refuses a node below another one"),
    (&["No value at line"], "an empty text with a tag or in a block is a text"),
    (&["Error parsing a"], "the YAML parser of Saltus follows YAML 1.2, libyaml YAML 1.1"),
];

/// Returns why two answers without an error differ, if it is listed.
fn reason_of_values(case: &Value, ours: &Value, theirs: &Value) -> Option<&'static str> {
    let is_same = |key: &str| ours[key] == theirs[key];
    if !["unparsed", "enclave", "levels", "remap"].into_iter().all(is_same) {
        let is_of_rules = ["enclave", "levels", "nodes"].into_iter().all(is_same)
            && without_rules(ours) == without_rules(theirs)
            && ours["unparsed"] != theirs["unparsed"];
        return is_of_rules.then_some(
            "rcl also takes rules outside of `--ros-args`, with a warning that this is deprecated",
        );
    }
    let doubtful = doubtful(ours, theirs);
    let nodes = |answer: &Value| {
        let mut nodes = answer["nodes"].as_object().cloned().unwrap_or_default();
        remove(&mut nodes, &doubtful);
        nodes
    };
    if nodes(ours) == nodes(theirs) {
        return doubtful.last().map(|one| one.reason);
    }
    if ours["nodes"].as_object().into_iter().flatten().any(|(_, own)| has_value_and_names(own)) {
        return Some("rcl renames a parameter whose name is also the beginning of others");
    }
    if is_in_file(case, has_dots_above) {
        return Some("rcl gives wrong names to what follows a mapping below a name with a dot");
    }
    if nodes(ours) == nodes(&without_lists(ours, theirs)) {
        return Some("rcl reads a value in a mapping in a list as a list");
    }
    if is_in_file(case, has_path_below_name) {
        return Some("rcl gives wrong names to what follows a node `a/b` below another name");
    }
    let has_empty_mapping = files(case).any(|text| text.contains("{}"));
    has_empty_mapping.then_some("rcl gives wrong names to what follows `{}`")
}

/// Returns the texts of the parameter files of a case.
fn files(case: &Value) -> impl Iterator<Item = &str> {
    let named = case["files"].as_object().into_iter().flatten().map(|(_, text)| text);
    named.chain([&case["text"]]).filter_map(Value::as_str)
}

/// Whether this is true of a parameter file of a case.
fn is_in_file(case: &Value, is_it: impl Fn(&Node) -> bool) -> bool {
    files(case).any(|text| saltus_yaml::parse(text).is_ok_and(|file| is_it(&file)))
}

/// Returns the arguments that were not parsed, without rules.
fn without_rules(answer: &Value) -> Vec<&Value> {
    let rest = answer["unparsed"].as_array().into_iter().flatten();
    rest.filter(|argument| argument.as_str().is_none_or(|argument| !argument.contains(":="))).collect()
}

/// A parameter whose values may differ, and the reason.
struct Doubtful {
    node: String,
    name: String,
    reason: &'static str,
}

/// Returns the parameters whose values may differ.
fn doubtful(ours: &Value, theirs: &Value) -> Vec<Doubtful> {
    let mut found = Vec::new();
    let given = |list: &Value, reason: &'static str| -> Vec<Doubtful> {
        let pairs = list.as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        pairs.map(|pair| Doubtful { node: text(&pair[0]), name: text(&pair[1]), reason }).collect()
    };
    let twice = "rcl keeps the first type, or both, of a name that is given twice";
    for (node, name, value) in parameters(theirs) {
        let mut add =
            |name: &str, reason| found.push(Doubtful { node: node.clone(), name: name.to_owned(), reason });
        let own = &ours["nodes"][node][name];
        let is_nothing = own.is_null() || is_empty_list(own);
        if value[0] == json!("not_set") && is_nothing {
            add(name, "an empty list or mapping has no type in rcl, which its libraries refuse");
        }
        if own[1].as_str().is_some_and(|text| text.contains('\0')) {
            add(name, "rcl cuts a text at its first zero");
        }
        if value.get(2).is_some() {
            add(name, twice);
        }
        if let Some((first, _)) = name.split_once('#') {
            add(first, twice);
            add(name, twice);
        }
    }
    for (node, name, value) in parameters(ours) {
        if is_empty_list(value) && theirs["nodes"][node][name].is_null() {
            let reason = "an empty list or mapping has no type in rcl, which its libraries refuse";
            found.push(Doubtful { node: node.clone(), name: name.clone(), reason });
        }
    }
    found.extend(given(&ours["twice"], twice));
    let spelled =
        "the name of a node is there with and without its first `/`, and JSON does not keep their order";
    found.extend(given(&theirs["spelled_twice"], spelled));
    found
}

/// Returns the parameters of an answer, with their nodes.
fn parameters(answer: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let nodes = answer["nodes"].as_object().into_iter().flatten();
    nodes.flat_map(|(node, own)| {
        own.as_object().into_iter().flatten().map(move |(name, value)| (node, name, value))
    })
}

/// Returns rcl's nodes. A list with one value is that value where Saltus has no list.
fn without_lists(ours: &Value, theirs: &Value) -> Value {
    let mut nodes = theirs["nodes"].clone();
    for (node, parameters) in nodes.as_object_mut().into_iter().flatten() {
        for (name, value) in parameters.as_object_mut().into_iter().flatten() {
            let own = &ours["nodes"][node][name];
            let ty = own[0].as_str().map(|ty| format!("{ty}_array"));
            if ty.is_some_and(|ty| *value == json!([ty, [own[1]]])) {
                *value = own.clone();
            }
        }
    }
    json!({"nodes": nodes})
}

/// Whether a mapping is below a name with a dot.
fn has_dots_above(node: &Node) -> bool {
    let is_it = |(name, below): &(String, Node)| {
        name.contains('.') && below.as_text().is_none() || has_dots_above(below)
    };
    node.as_mapping().unwrap_or_default().iter().any(is_it)
        || node.as_sequence().unwrap_or_default().iter().any(has_dots_above)
}

/// Whether a list has a mapping in it.
fn has_mapping_in_list(node: &Node) -> bool {
    let items = node.as_sequence().unwrap_or_default();
    let below = node.as_mapping().unwrap_or_default().iter().map(|(_, below)| below);
    items.iter().any(|item| item.as_mapping().is_some()) || below.chain(items).any(has_mapping_in_list)
}

/// Whether a node is below another name, and its own name has a `/`.
fn has_path_below_name(file: &Node) -> bool {
    let first = file.as_mapping().unwrap_or_default().iter();
    let below = first.flat_map(|(_, below)| below.as_mapping().unwrap_or_default());
    below.into_iter().any(|(name, _)| name.contains('/'))
}

/// Whether a node has a parameter whose name is also the beginning of others.
fn has_value_and_names(parameters: &Value) -> bool {
    let names: Vec<&String> = parameters.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let is_below =
        |name: &str, above: &str| name.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'));
    names.iter().any(|above| names.iter().any(|name| is_below(name, above)))
}

/// Removes parameters, and nodes without parameters.
fn remove(nodes: &mut Map<String, Value>, parameters: &[Doubtful]) {
    for Doubtful { node, name, .. } in parameters {
        let own = nodes.get_mut(node).and_then(Value::as_object_mut);
        own.map(|own| own.remove(name));
    }
    nodes.retain(|_, own| own.as_object().is_some_and(|own| !own.is_empty()));
}
