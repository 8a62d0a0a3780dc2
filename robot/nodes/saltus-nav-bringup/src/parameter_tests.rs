//! Each number among the parameters of the nodes of navigation has a range, and no value outside of it is used.
//!
//! The test also writes the table in `docs/parameters.md` (with `SALTUS_BLESS=1`), and checks it otherwise.

use std::{fmt::Write, fs, time::Duration};

use saltus::{
    Context, Node, SingleThreadedExecutor,
    component::{ComponentError, Isolation, ManualComposition, NodeOptions, Plugin},
    context::{ContextOptions, RosArgs},
    msgs::lifecycle_msgs::{
        msg::Transition,
        srv::{ChangeState, ChangeState_Request},
    },
    param::{Parameter, ParameterClient, ParameterDescriptor, ParameterValue},
};

const LONG: Duration = Duration::from_secs(60);
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/parameters.md");
const PLUGINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/all_plugins.yaml");
/// The values that each number is set to.
const NUMBERS: [f64; 7] = [0.0, -5e-324, -1.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
const INTEGERS: [i64; 4] = [0, -1, i64::MAX, i64::MIN];

/// A component that runs.
struct Running {
    context: Context,
    user: Node,
    name: String,
    /// Its thread runs the component.
    _composition: ManualComposition<SingleThreadedExecutor>,
    _folder: tempfile::TempDir,
}

impl Running {
    /// Starts a component with additional parameters, and configures it.
    fn start(plugin: &Plugin, parameters: &[String]) -> Result<Self, ComponentError> {
        let folder = tempfile::tempdir()?;
        let file = ["--ros-args", "--params-file", PLUGINS].map(str::to_owned);
        let own = parameters.iter().flat_map(|parameter| ["-p".to_owned(), parameter.clone()]);
        let args = RosArgs::parse(file.into_iter().chain(own))?;
        let context = ContextOptions::default().folder(folder.path()).args(args).create()?;
        let user = context.node("user").use_global_arguments(false).create()?;
        // The costmap of a server has only the arguments of the program.
        let options = NodeOptions::new(&context).use_global_arguments(true);
        let executor = SingleThreadedExecutor::new(&context)?;
        let mut composition = ManualComposition::new(executor, Isolation::Thread);
        let name = composition.add_from(&plugin.factory(), &options)?.name().fully_qualified();
        let running = Self { context, user, name, _composition: composition, _folder: folder };
        running.configure()?;
        Ok(running)
    }

    /// Configures the node, if it is a lifecycle node.
    fn configure(&self) -> Result<(), ComponentError> {
        let service = format!("{}/change_state", self.name);
        if self.context.graph().servers.iter().all(|server| server.topic != service) {
            return Ok(());
        }
        let client = self.user.client::<ChangeState>(&service).create()?;
        let transition = Transition { id: Transition::TRANSITION_CONFIGURE, ..Transition::default() };
        match client.call(&ChangeState_Request { transition }, LONG)?.success {
            true => Ok(()),
            false => Err("it can't be configured".into()),
        }
    }

    /// Returns the nodes of the component with their parameters.
    fn parameters(&self) -> Vec<(String, ParameterDescriptor, ParameterValue)> {
        // The nodes for logs have no parameters.
        let nodes = self.context.graph().nodes.into_iter().filter(|node| !node.name.starts_with('_'));
        let names = nodes.map(|node| format!("{}/{}", node.namespace.trim_end_matches('/'), node.name));
        let mut all = Vec::new();
        for node in names.filter(|name| name != "/user") {
            let client = ParameterClient::new(&self.user, &node, LONG);
            let names = client.list(&[], 0).unwrap().names;
            let descriptors = client.describe(&names).unwrap();
            let values = client.get(&names).unwrap();
            all.extend(descriptors.into_iter().zip(values).map(|(one, value)| (node.clone(), one, value)));
        }
        all
    }
}

/// A number among the parameters of a component.
struct Number {
    plugin: &'static Plugin,
    node: String,
    descriptor: ParameterDescriptor,
    value: ParameterValue,
}

impl Number {
    /// Returns the values that the parameter is set to.
    fn extremes(&self) -> Vec<ParameterValue> {
        match self.value {
            ParameterValue::Double(_) => NUMBERS.map(ParameterValue::Double).to_vec(),
            _ => INTEGERS.map(ParameterValue::Integer).to_vec(),
        }
    }

    /// Whether the range of the parameter contains a value.
    fn allows(&self, value: &ParameterValue) -> bool {
        match (value, self.descriptor.floating_point_range, self.descriptor.integer_range) {
            (ParameterValue::Double(value), Some(range), _) => range.contains(*value),
            (ParameterValue::Integer(value), _, Some(range)) => range.contains(*value),
            _ => false,
        }
    }

    fn row(&self) -> String {
        let range = match (self.descriptor.floating_point_range, self.descriptor.integer_range) {
            (Some(range), _) => {
                format!("{} to {}", range.from_value, range.to_value)
            }
            (_, Some(range)) => range.to_string().replace("from ", ""),
            _ => "none".into(),
        };
        let value = match &self.value {
            ParameterValue::Double(value) => value.to_string(),
            ParameterValue::Integer(value) => value.to_string(),
            _ => String::new(),
        };
        format!(
            "| `{}` | `{}` | {value} | {range} |",
            self.node.trim_start_matches('/'),
            self.descriptor.name
        )
    }
}

/// Returns all components, by their names.
fn plugins() -> Vec<&'static Plugin> {
    let mut plugins: Vec<_> = Plugin::all().collect();
    plugins.sort_by_key(|plugin| (plugin.package(), plugin.name()));
    plugins
}

/// Returns the numbers among the parameters of a component that runs.
fn numbers_of(plugin: &'static Plugin, running: &Running) -> Vec<Number> {
    let all = running.parameters().into_iter();
    let all = all.map(|(node, descriptor, value)| Number { plugin, node, descriptor, value });
    all.filter(|one| matches!(one.value, ParameterValue::Double(_) | ParameterValue::Integer(_))).collect()
}

#[test]
fn each_number_has_a_range_which_the_document_lists() {
    let mut rows: Vec<String> = Vec::new();
    for plugin in plugins() {
        let running =
            Running::start(plugin, &[]).unwrap_or_else(|error| panic!("{}: {error}", plugin.name()));
        rows.extend(numbers_of(plugin, &running).iter().map(Number::row));
    }
    rows.sort();
    rows.dedup();
    let without: Vec<_> = rows.iter().filter(|row| row.ends_with("| none |")).collect();
    assert!(without.is_empty(), "without a range: {without:#?}");
    let mut text = fs::read_to_string(TABLE).unwrap();
    let begin = text.find("| node |").unwrap();
    text.truncate(begin);
    text.push_str("| node | parameter | default | range |\n|---|---|---|---|\n");
    rows.iter().for_each(|row| writeln!(text, "{row}").unwrap());
    match std::env::var_os("SALTUS_BLESS").is_some() {
        true => fs::write(TABLE, text).unwrap(),
        false => assert_eq!(fs::read_to_string(TABLE).unwrap(), text, "run it with SALTUS_BLESS=1"),
    }
}

#[test]
fn a_value_outside_of_the_range_is_refused_while_the_node_runs() {
    for plugin in plugins() {
        let running = Running::start(plugin, &[]).unwrap();
        for number in numbers_of(plugin, &running) {
            let client = ParameterClient::new(&running.user, &number.node, LONG);
            let set = |value: ParameterValue| {
                client.set(vec![Parameter::new(&number.descriptor.name, value)]).unwrap().remove(0)
            };
            for value in number.extremes() {
                let done = set(value.clone());
                let may_be_set = number.allows(&value) && !number.descriptor.read_only;
                assert!(may_be_set || done.is_err(), "{}: {value:?}", number.row());
            }
            let done = set(number.value.clone());
            assert_eq!(done.is_err(), number.descriptor.read_only, "{}: {done:?}", number.row());
        }
    }
}

#[test]
fn a_value_outside_of_the_range_is_refused_before_the_node_is_configured() {
    let mut count = 0;
    for plugin in plugins() {
        let numbers = numbers_of(plugin, &Running::start(plugin, &[]).unwrap());
        for number in &numbers {
            for value in number.extremes().iter().filter(|value| !number.allows(value)) {
                let node = number.node.rsplit('/').next().unwrap();
                let given = format!("{node}:{}:={}", number.descriptor.name, text(value));
                assert!(Running::start(number.plugin, &[given]).is_err(), "{}: {value:?}", number.row());
                count += 1;
            }
        }
    }
    println!("{count} values refused");
}

/// Returns a value as an argument.
fn text(value: &ParameterValue) -> String {
    match value {
        ParameterValue::Double(value) if value.is_nan() => ".nan".into(),
        ParameterValue::Double(f64::INFINITY) => ".inf".into(),
        ParameterValue::Double(f64::NEG_INFINITY) => "-.inf".into(),
        ParameterValue::Double(value) => format!("{value:?}"),
        ParameterValue::Integer(value) => value.to_string(),
        other => panic!("{other:?} is not a number"),
    }
}
