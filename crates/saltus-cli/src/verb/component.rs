//! `saltus component`

use std::io::{self, Write};

use clap::Subcommand;
use saltus::{
    cdr::Service,
    graph::Graph,
    log::Severity,
    msgs::{
        composition_interfaces::srv::{
            ListNodes, ListNodes_Request, LoadNode, LoadNode_Request, UnloadNode, UnloadNode_Request,
        },
        rcl_interfaces::msg,
    },
    param::{Parameter, parameter_message},
};

use crate::{
    arguments::UnusedClock,
    complete,
    error::Error,
    graph::{self, absolute, full_name},
    output::print_lines,
    remote::{Patience, Remote},
    verb::param::value_of,
};

/// `saltus component …`
#[derive(Debug, Subcommand)]
pub(crate) enum Component {
    /// Print the components that are loaded in a container, or in all containers
    #[command(after_help = "Example:\n  saltus component list /ComponentManager")]
    List {
        /// The name of the container's node; without it, all containers
        #[arg(add = complete::nodes())]
        container_node_name: Option<String>,
        /// Print only the names of the containers
        #[arg(long)]
        containers_only: bool,
        #[command(flatten)]
        timing: Timing,
    },
    /// Load a component into a container
    #[command(
        after_help = "Example:\n  saltus component load /ComponentManager demo demo::Talker -r chatter:=news"
    )]
    Load(Load),
    /// Unload components from a container
    #[command(after_help = "Example:\n  saltus component unload /ComponentManager 1 2")]
    Unload {
        /// The name of the container's node
        #[arg(add = complete::nodes())]
        container_node_name: String,
        /// The ids of the components
        #[arg(required = true)]
        component_uid: Vec<u64>,
        /// Print only the ids
        #[arg(short, long)]
        quiet: bool,
        #[command(flatten)]
        timing: Timing,
    },
}

/// How long to wait for a container.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Timing {
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// The arguments of `load`.
#[derive(Debug, clap::Args)]
pub(crate) struct Load {
    /// The name of the container's node
    #[arg(add = complete::nodes())]
    container_node_name: String,
    /// The name of the package of the component
    package_name: String,
    /// The plugin name of the component, such as `demo::Talker`
    plugin_name: String,
    /// The name of the component's node
    #[arg(short, long)]
    node_name: Option<String>,
    /// The namespace of the component's node
    #[arg(long)]
    node_namespace: Option<String>,
    /// The log level of the component's node
    #[arg(long)]
    log_level: Option<Severity>,
    /// A remapping rule for the component's node, as `from:=to`; may be repeated
    #[arg(short, long = "remap-rule", value_name = "RULE")]
    remap_rules: Vec<String>,
    /// A parameter of the component's node, as `name:=value`; may be repeated
    #[arg(short, long = "parameter", value_name = "PARAMETER")]
    parameters: Vec<String>,
    /// An argument for the container, as `name:=value`; may be repeated
    #[arg(short, long = "extra-argument", value_name = "ARGUMENT")]
    extra_arguments: Vec<String>,
    /// Print only the id and the name of the component
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    timing: Timing,
}

impl Component {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::List { container_node_name: Some(name), containers_only, timing } => {
                let container = Container::find(&name, timing)?;
                if containers_only { Ok(()) } else { print_lines(container.list()?) }
            }
            Self::List { container_node_name: None, containers_only, timing } => {
                list_all(containers_only, timing)
            }
            Self::Load(load) => load.run(),
            Self::Unload { container_node_name, component_uid, quiet, timing } => {
                let container = Container::find(&container_node_name, timing)?;
                component_uid.into_iter().try_for_each(|id| container.unload(id, quiet))
            }
        }
    }
}

/// Whether a node has the services of a container.
fn is_container(graph: &Graph, name: &str) -> bool {
    let types = [
        ("load_node", "composition_interfaces/srv/LoadNode"),
        ("unload_node", "composition_interfaces/srv/UnloadNode"),
        ("list_nodes", "composition_interfaces/srv/ListNodes"),
    ];
    types.iter().all(|(service, ty)| {
        let full = format!("{name}/_container/{service}");
        graph.servers.iter().any(|server| server.topic == full && server.type_name == *ty)
    })
}

fn list_all(containers_only: bool, timing: Timing) -> Result<(), Error> {
    let graph = graph::observe()?;
    let mut names: Vec<String> =
        graph.nodes.iter().map(full_name).filter(|name| is_container(&graph, name)).collect();
    names.sort();
    names.dedup();
    for name in names {
        print_lines([&name])?;
        if containers_only {
            continue;
        }
        // An error of one container must not prevent the output of the others.
        match Container::find(&name, timing).and_then(|container| container.list()) {
            Ok(lines) => print_lines(lines.iter().map(|line| format!("  {line}")))?,
            Err(error) => writeln!(io::stderr(), "{error}")?,
        }
    }
    Ok(())
}

/// A container of the graph.
struct Container(Remote);

impl Container {
    /// Waits until the container is in the graph.
    fn find(name: &str, timing: Timing) -> Result<Self, Error> {
        let found = Remote::find(absolute(name)?, timing.patience, is_container)?;
        found
            .map(Self)
            .ok_or_else(|| format!("Unable to find container node '{name}'{}", graph::hint()).into())
    }

    fn call<S: Service>(&self, service: &str, request: &S::Request) -> Result<S::Response, Error> {
        let missing = || format!("No '{service}' service found for '{}' container", self.0.name).into();
        self.0.call::<S>(&format!("_container/{service}"), request)?.ok_or_else(missing)
    }

    /// Returns a line for each component.
    fn list(&self) -> Result<Vec<String>, Error> {
        let response = self.call::<ListNodes>("list_nodes", &ListNodes_Request {})?;
        let components = response.unique_ids.iter().zip(response.full_node_names);
        Ok(components.map(|(id, name)| format!("{id}  {name}")).collect())
    }

    fn unload(&self, unique_id: u64, quiet: bool) -> Result<(), Error> {
        let response = self.call::<UnloadNode>("unload_node", &UnloadNode_Request { unique_id })?;
        let name = &self.0.name;
        match (response.success, quiet) {
            (true, true) => print_lines([unique_id.to_string()]),
            (true, false) => {
                print_lines([format!("Unloaded component {unique_id} from '{name}' container node")])
            }
            (false, _) => Err(format!(
                "Failed to unload component {unique_id} from '{name}' container node\n    {}",
                response.error_message
            )
            .into()),
        }
    }
}

impl Load {
    fn run(self) -> Result<(), Error> {
        let container = Container::find(&self.container_node_name, self.timing)?;
        let request = LoadNode_Request {
            package_name: self.package_name,
            plugin_name: self.plugin_name,
            node_name: self.node_name.unwrap_or_default(),
            node_namespace: self.node_namespace.unwrap_or_default(),
            log_level: self.log_level.map_or(0, |level| level as u8),
            remap_rules: self.remap_rules,
            parameters: parameters(&self.parameters)?,
            extra_arguments: parameters(&self.extra_arguments)?,
        };
        let response = container.call::<LoadNode>("load_node", &request)?;
        if !response.success {
            return Err(format!("Failed to load component: {}", response.error_message).into());
        }
        let (id, name) = (response.unique_id, response.full_node_name);
        let container = container.0.name;
        print_lines([match self.quiet {
            true => format!("{id}  {name}"),
            false => format!("Loaded component {id} into '{container}' container node as '{name}'"),
        }])
    }
}

/// Parses parameters of the form `name:=value`. The value is YAML.
fn parameters(texts: &[String]) -> Result<Vec<msg::Parameter>, Error> {
    let parse = |text: &String| -> Result<msg::Parameter, Error> {
        let split = text.split_once(":=");
        let (name, value) = split.ok_or_else(|| format!("expected `name:=value`, found `{text}`"))?;
        Ok(parameter_message(Parameter::new(name, value_of(value))))
    };
    texts.iter().map(parse).collect()
}
