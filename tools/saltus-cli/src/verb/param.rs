//! `saltus param`

mod text;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use clap::Subcommand;
use regex_lite::Regex;
use saltus::{
    Context, Node,
    context::read_params_file,
    graph::{EndpointInfo, Graph, NodeInfo},
    param::{
        Parameter, ParameterClient, ParameterType, ParameterValue, RemoteParameterError, parameter_value,
    },
    types::{NodeName, is_hidden},
};

use saltus_verb::{
    arguments::UnusedClock,
    complete,
    error::{Ended, Error},
    graph::{self, absolute, full_name},
    reading::hidden_node,
};

use text::{described, labelled, plain};

/// `saltus param …`
#[derive(Debug, Subcommand)]
pub(crate) enum Param {
    /// Print the names of the parameters of a node, or of all nodes
    #[command(after_help = "Example:\n  saltus param list /driver --param-type")]
    List {
        /// The name of the node; without it, all nodes
        #[arg(add = complete::nodes())]
        node_name: Option<String>,
        /// Print only parameters whose names match this regular expression from the first character
        #[arg(long, value_name = "REGEX")]
        filter: Option<Regex>,
        /// Print only parameters below these prefixes, such as `arm` for `arm.joints`
        #[arg(long, num_args = 1.., value_name = "PREFIX")]
        param_prefixes: Vec<String>,
        /// Also print the types of the parameters
        #[arg(long)]
        param_type: bool,
        #[command(flatten)]
        timing: Timing,
    },
    /// Print the value of a parameter
    #[command(after_help = "Example:\n  saltus param get /driver rate")]
    Get {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// The name of the parameter
        parameter_name: String,
        /// Print only the value
        #[arg(long)]
        hide_type: bool,
        #[command(flatten)]
        timing: Timing,
    },
    /// Set a parameter
    #[command(after_help = "Example:\n  saltus param set /driver rate 20.0")]
    Set {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// The name of the parameter
        parameter_name: String,
        /// The value as YAML: `1` is an integer, `1.0` a double, `[a, b]` an array of strings
        #[arg(allow_hyphen_values = true)]
        value: String,
        #[command(flatten)]
        timing: Timing,
    },
    /// Print the descriptions of parameters
    #[command(after_help = "Example:\n  saltus param describe /driver rate")]
    Describe {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// The names of the parameters
        #[arg(required = true)]
        parameter_names: Vec<String>,
        #[command(flatten)]
        timing: Timing,
    },
    /// Delete a parameter; only parameters of dynamic type can be deleted
    #[command(after_help = "Example:\n  saltus param delete /driver old")]
    Delete {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// The name of the parameter
        parameter_name: String,
        #[command(flatten)]
        timing: Timing,
    },
    /// Print all parameters of a node, in the form of a parameter file
    #[command(after_help = "Example:\n  saltus param dump /driver > driver.yaml")]
    Dump {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        #[command(flatten)]
        timing: Timing,
    },
    /// Set parameters of a node to the values in a parameter file
    #[command(after_help = "Example:\n  saltus param load /driver driver.yaml")]
    Load {
        /// The name of the node
        #[arg(add = complete::nodes())]
        node_name: String,
        /// The parameter file
        parameter_file: PathBuf,
        /// Ignore sections for all or several nodes, such as `/**`
        #[arg(long)]
        no_use_wildcard: bool,
        #[command(flatten)]
        timing: Timing,
    },
}

/// The options for the wait for a node.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Timing {
    /// The longest time to wait for the node and for each of its responses, in seconds
    #[arg(long, default_value_t = 5.0)]
    timeout: f64,
    /// Include hidden nodes (their names begin with `_`); has no effect if a node is given
    #[arg(long)]
    include_hidden_nodes: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

impl Timing {
    fn client(self, node: &Node, remote: &str) -> Result<ParameterClient, Error> {
        let timeout = Duration::try_from_secs_f64(self.timeout.max(0.0)).unwrap_or(Duration::MAX);
        let known = |graph: &saltus::graph::Graph| graph.nodes.iter().any(|one| full_name(one) == remote);
        // The node may just be starting, so it is an error only if the node is still missing after the timeout.
        if !node.context().wait_until(timeout, || known(&node.context().graph())) {
            return match node.context().is_shut_down() {
                true => Err(Ended::Interrupted.into()),
                false => {
                    let meant = graph::meant(remote, &graph::node_names(&node.context().graph()));
                    Err(format!("Node not found{meant}{}", graph::hint()).into())
                }
            };
        }
        Ok(ParameterClient::new(node, remote, timeout))
    }
}

impl Param {
    pub(crate) fn run(self) -> Result<(), Error> {
        let context = Context::new()?;
        let node = hidden_node(&context)?;
        match self {
            Self::List { node_name, filter, param_prefixes, param_type, timing } => {
                let list = Listing { filter, param_prefixes, param_type, timing };
                match node_name {
                    Some(name) => list.print_one(&node, &absolute(&name)?),
                    None => list.print_all(&node),
                }
            }
            Self::Get { node_name, parameter_name, hide_type, timing } => {
                let client = timing.client(&node, &absolute(&node_name)?)?;
                let values = client.get(&[parameter_name]);
                let value = first(values.inspect_err(|error| tell_meant(&client, error))?)?;
                print(&if hide_type { plain(&value) } else { labelled(&value) })
            }
            Self::Set { node_name, parameter_name, value, timing } => {
                let client = timing.client(&node, &absolute(&node_name)?)?;
                let value = value_of(&value);
                match first(client.set(vec![Parameter::new(parameter_name.clone(), value)])?)? {
                    Ok(()) => print("Set parameter successful"),
                    Err(reason) => {
                        tell_similar(&client, &[parameter_name]);
                        Err(format!("Setting parameter failed: {reason}").into())
                    }
                }
            }
            Self::Describe { node_name, parameter_names, timing } => {
                let client = timing.client(&node, &absolute(&node_name)?)?;
                let all = client.describe(&parameter_names);
                let all = all.inspect_err(|error| tell_meant(&client, error))?;
                all.iter().try_for_each(|descriptor| print(&described(descriptor)))
            }
            Self::Delete { node_name, parameter_name, timing } => {
                let client = timing.client(&node, &absolute(&node_name)?)?;
                let gone = Parameter::new(parameter_name.clone(), ParameterValue::NotSet);
                match first(client.set(vec![gone])?)? {
                    Ok(()) => print("Deleted parameter successfully"),
                    Err(reason) => {
                        tell_similar(&client, &[parameter_name]);
                        Err(format!("Deleting parameter failed: {reason}").into())
                    }
                }
            }
            Self::Dump { node_name, timing } => {
                let name = absolute(&node_name)?;
                dump(&timing.client(&node, &name)?, &name)
            }
            Self::Load { node_name, parameter_file, no_use_wildcard, timing } => {
                let name = absolute(&node_name)?;
                let text = fs::read_to_string(&parameter_file);
                let text = text.map_err(|e| format!("{}: {e}", parameter_file.display()))?;
                load(&timing.client(&node, &name)?, &name, &text, !no_use_wildcard)
            }
        }
    }
}

/// Tells the user which parameters of the node are similar to those that it does not have, if the error says so.
fn tell_meant(client: &ParameterClient, error: &RemoteParameterError) {
    if let RemoteParameterError::Unknown { names, .. } = error {
        tell_similar(client, names);
    }
}

/// Tells the user which parameters of the node are similar to those of `names` that it does not have.
fn tell_similar(client: &ParameterClient, names: &[String]) {
    // This only adds to an answer of the node.
    if let Ok(list) = client.list(&[], 0) {
        let _ = names.iter().try_for_each(|name| graph::tell_meant("parameter", name, &list.names));
    }
}

/// Parses a word of the command line as a YAML value. A word that is not a YAML value is a string.
pub(crate) fn value_of(word: &str) -> ParameterValue {
    let text = || ParameterValue::String(word.to_owned());
    // In parameter files these letters are booleans, but ROS 2's command treats them as strings.
    if word.is_empty() || matches!(word, "y" | "Y" | "n" | "N") {
        return text();
    }
    saltus_yaml::parse(word).and_then(|node| parameter_value(&node)).unwrap_or_else(|_| text())
}

fn print(text: &str) -> Result<(), Error> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}

fn first<T>(list: Vec<T>) -> Result<T, Error> {
    list.into_iter().next().ok_or_else(|| "the node's response has nothing about the parameter".into())
}

/// Returns whether a node has the service that lists its parameters, under any name.
fn answers_for_parameters(graph: &Graph, node: &NodeInfo) -> bool {
    let lists = |server: &EndpointInfo| server.type_name == "rcl_interfaces/srv/ListParameters";
    graph.servers.iter().any(|server| server.node == node.gid && lists(server))
}

/// The arguments of `list`.
struct Listing {
    filter: Option<Regex>,
    param_prefixes: Vec<String>,
    param_type: bool,
    timing: Timing,
}

impl Listing {
    fn print_all(&self, node: &Node) -> Result<(), Error> {
        // The graph is complete as soon as the context exists.
        let graph = graph::observe()?;
        let mut names: Vec<String> =
            graph.nodes.iter().filter(|one| answers_for_parameters(&graph, one)).map(full_name).collect();
        names.retain(|name| self.timing.include_hidden_nodes || !is_hidden(name));
        names.sort();
        names.dedup();
        for name in names {
            print(&format!("{name}:"))?;
            // An error of one node must not prevent the output of the other nodes.
            if let Err(error) = self.print_one(node, &name) {
                writeln!(io::stderr(), "{name}: {error}")?;
            }
        }
        Ok(())
    }

    fn print_one(&self, node: &Node, name: &str) -> Result<(), Error> {
        let client = self.timing.client(node, name)?;
        let mut names = client.list(&self.param_prefixes, 0)?.names;
        names.retain(|name| self.filter.as_ref().is_none_or(|filter| matches_start(filter, name)));
        if !self.param_type {
            return names.iter().try_for_each(|name| print(&format!("  {name}")));
        }
        // A parameter that was declared with a type but without a value has a type too.
        let all = client.describe(&names)?;
        all.iter().try_for_each(|one| print(&format!("  {} (type: {})", one.name, one.ty)))
    }
}

/// Returns whether a regular expression matches from the first character on, as Python's `re.match` does.
fn matches_start(filter: &Regex, name: &str) -> bool {
    filter.find(name).is_some_and(|found| found.start() == 0)
}

/// Prints all parameters that have a value, as a section of a parameter file.
fn dump(client: &ParameterClient, node: &str) -> Result<(), Error> {
    let mut tree = Branch::default();
    for name in client.list(&[], 0)?.names {
        match client.get(std::slice::from_ref(&name)) {
            Ok(values) => match first(values)? {
                // A parameter file can't express that a parameter is not set.
                ParameterValue::NotSet => {}
                value => tree.insert(&name, value),
            },
            // The parameter was declared with a type, but without a value.
            Err(RemoteParameterError::Unknown { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let text = tree.text(4);
    // ROS 2's command prints an empty line at the end.
    print(&format!("{node}:\n  ros__parameters:{}\n", if text.is_empty() { " {}" } else { &text }))
}

/// A tree of parameters, by the parts of their names.
#[derive(Default)]
struct Branch {
    value: Option<ParameterValue>,
    below: BTreeMap<String, Branch>,
}

impl Branch {
    fn insert(&mut self, name: &str, value: ParameterValue) {
        let end = name.split('.').fold(self, |branch, part| branch.below.entry(part.into()).or_default());
        end.value = Some(value);
    }

    /// Returns the parameters as indented lines. A parameter that is also the prefix of others is written beside them,
    /// and the others have their full names.
    fn text(&self, indent: usize) -> String {
        let mut lines = String::new();
        self.write(indent, "", &mut lines);
        lines
    }

    fn write(&self, indent: usize, prefix: &str, lines: &mut String) {
        for (key, branch) in &self.below {
            let name = format!("{prefix}{key}");
            if let Some(value) = &branch.value {
                *lines +=
                    &format!("\n{:indent$}{}:{}", "", saltus_dynamic::yaml_text(&name), yaml(value, indent));
                branch.write(indent, &format!("{name}."), lines);
            } else if prefix.is_empty() && !key.is_empty() {
                *lines += &format!("\n{:indent$}{}:", "", saltus_dynamic::yaml_text(&name));
                branch.write(indent + 2, "", lines);
            } else {
                branch.write(indent, &format!("{name}."), lines);
            }
        }
    }
}

/// Returns the text after the colon for a value. Parsing the text gives the same value.
fn yaml(value: &ParameterValue, indent: usize) -> String {
    fn list<T>(items: &[T], indent: usize, one: impl Fn(&T) -> String) -> String {
        if items.is_empty() {
            return " []".into();
        }
        items.iter().map(|item| format!("\n{:indent$}- {}", "", one(item))).collect()
    }
    let text = |text: &String| saltus_dynamic::yaml_text(text);
    let double = |value: &f64| saltus_dynamic::yaml_float(*value);
    match value {
        ParameterValue::NotSet => " null".into(),
        ParameterValue::Bool(value) => format!(" {value}"),
        ParameterValue::Integer(value) => format!(" {value}"),
        ParameterValue::Double(value) => format!(" {}", double(value)),
        ParameterValue::String(value) => format!(" {}", text(value)),
        ParameterValue::ByteArray(bytes) => list(bytes, indent, u8::to_string),
        ParameterValue::BoolArray(values) => list(values, indent, bool::to_string),
        ParameterValue::IntegerArray(values) => list(values, indent, i64::to_string),
        ParameterValue::DoubleArray(values) => list(values, indent, double),
        ParameterValue::StringArray(values) => list(values, indent, text),
    }
}

/// Returns a parameter of a file. If YAML can't tell the type of the value, the value gets the declared type: an empty
/// list may be of any type, and bytes look like integers.
fn typed(client: &ParameterClient, name: String, value: ParameterValue) -> Result<Parameter, Error> {
    let is_unclear = match &value {
        ParameterValue::StringArray(texts) => texts.is_empty(),
        ParameterValue::IntegerArray(numbers) => numbers.iter().all(|n| (0..256).contains(n)),
        _ => false,
    };
    if !is_unclear {
        return Ok(Parameter::new(name, value));
    }
    let declared = match client.describe(std::slice::from_ref(&name)) {
        Ok(all) => first(all)?.ty,
        // Setting the parameter returns the error.
        Err(RemoteParameterError::Unknown { .. }) => return Ok(Parameter::new(name, value)),
        Err(error) => return Err(error.into()),
    };
    let value = match (declared, value) {
        (ParameterType::ByteArray, ParameterValue::IntegerArray(numbers)) => {
            ParameterValue::ByteArray(numbers.into_iter().filter_map(|n| u8::try_from(n).ok()).collect())
        }
        (ParameterType::ByteArray, ParameterValue::StringArray(_)) => ParameterValue::ByteArray(Vec::new()),
        (ParameterType::BoolArray, ParameterValue::StringArray(_)) => ParameterValue::BoolArray(Vec::new()),
        (ParameterType::IntegerArray, ParameterValue::StringArray(_)) => {
            ParameterValue::IntegerArray(Vec::new())
        }
        (ParameterType::DoubleArray, ParameterValue::StringArray(_)) => {
            ParameterValue::DoubleArray(Vec::new())
        }
        (_, value) => value,
    };
    Ok(Parameter::new(name, value))
}

/// Sets the parameters in the sections of a file that apply to the node.
fn load(client: &ParameterClient, node: &str, text: &str, wildcards: bool) -> Result<(), Error> {
    let (namespace, base) = node.rsplit_once('/').unwrap_or(("", node));
    let name = NodeName::new(if namespace.is_empty() { "/" } else { namespace }, base)?;
    let mut parameters = BTreeMap::new();
    for one in read_params_file(text)? {
        if one.node.matches(&name) && (wildcards || !one.node.is_wildcard()) {
            parameters.insert(one.name, one.value);
        }
    }
    if parameters.is_empty() {
        return Err(format!("the file has no parameters for node '{node}'").into());
    }
    let list: Vec<Parameter> =
        parameters.into_iter().map(|(name, value)| typed(client, name, value)).collect::<Result<_, _>>()?;
    let mut failed = 0;
    let results = client.set_in_any_order(list.clone())?;
    for (parameter, result) in list.iter().zip(results) {
        match result {
            Ok(()) => print(&format!("Set parameter {} successful", parameter.name))?,
            Err(reason) => {
                failed += 1;
                writeln!(io::stderr(), "Set parameter {} failed: {reason}", parameter.name)?;
            }
        }
    }
    if failed > 0 {
        Err(format!("{failed} of {} parameters were not set", list.len()).into())
    } else {
        Ok(())
    }
}
