//! `saltus component`

use std::{
    io::{self, Write},
    os::unix::process::ExitStatusExt,
    process::Command,
    thread,
    time::Duration,
};

use clap::Subcommand;
use rustix::process::{Pid, Signal, kill_process};
use saltus::{
    cdr::Service,
    component::LoadError,
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
use saltus_container::{Container as Kind, Role};
use saltus_package::{Language, PackagePath, Prefix};
use uuid::Uuid;

use crate::verb::{param::value_of, pkg};
use saltus_verb::{
    arguments::UnusedClock,
    complete,
    error::{Ended, Error},
    graph::{self, absolute, full_name},
    output::{print_lines, tell},
    packages::{container_command, cpp_command, python_command},
    remote::{Remote, ResponseTimeout},
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
    /// Print the components of a package, or of all packages
    #[command(after_help = "Example:\n  saltus component types demo")]
    Types {
        /// The name of the package; without it, all packages that have components
        #[arg(add = complete::installed())]
        package_name: Option<String>,
    },
    /// Start a container, and load one component into it
    #[command(after_help = "Example:\n  saltus component standalone demo demo::Talker -r chatter:=news")]
    Standalone(Standalone),
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

/// The options for the wait for a container.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Timing {
    #[command(flatten)]
    timeout: ResponseTimeout,
    #[command(flatten)]
    _clock: UnusedClock,
}

/// The arguments of `load`.
#[derive(Debug, clap::Args)]
pub(crate) struct Load {
    /// The name of the container's node
    #[arg(add = complete::nodes())]
    container_node_name: String,
    #[command(flatten)]
    component: Wanted,
    /// Print only the id and the name of the component
    #[arg(short, long)]
    quiet: bool,
}

/// The arguments of `standalone`.
#[derive(Debug, clap::Args)]
pub(crate) struct Standalone {
    #[command(flatten)]
    component: Wanted,
    /// The name of the container's node [default: standalone_container_ and a random number]
    #[arg(short, long)]
    container_node_name: Option<String>,
}

/// A component to load.
#[derive(Debug, clap::Args)]
struct Wanted {
    /// The name of the package of the component
    #[arg(add = complete::installed())]
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
            Self::Types { package_name } => types(package_name.as_deref()),
            Self::Standalone(standalone) => standalone.run(),
            Self::Unload { container_node_name, component_uid, quiet, timing } => {
                let container = Container::find(&container_node_name, timing)?;
                component_uid.into_iter().try_for_each(|id| container.unload(id, quiet))
            }
        }
    }
}

/// Whether a node has the services of a container.
pub(crate) fn is_container(graph: &Graph, name: &str) -> bool {
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
        let full = absolute(name)?;
        let found = Remote::find(full.clone(), timing.timeout, is_container)?;
        let names = || graph::observe().map(|graph| graph::node_names(&graph)).unwrap_or_default();
        found.map(Self).ok_or_else(|| {
            let meant = graph::meant(&full, &names());
            format!("Unable to find container node '{name}'{meant}{}", graph::hint()).into()
        })
    }

    fn call<S: Service>(&self, service: &str, request: &S::Request) -> Result<S::Response, Error> {
        self.call_for::<S>(service, request, self.0.timeout())
    }

    /// Waits at most `timeout` for the response.
    fn call_for<S: Service>(
        &self,
        service: &str,
        request: &S::Request,
        timeout: Duration,
    ) -> Result<S::Response, Error> {
        let missing = || format!("No '{service}' service found for '{}' container", self.0.name).into();
        self.0.call_for::<S>(&format!("_container/{service}"), request, timeout)?.ok_or_else(missing)
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

impl Wanted {
    fn request(&self) -> Result<LoadNode_Request, Error> {
        Ok(LoadNode_Request {
            package_name: self.package_name.clone(),
            plugin_name: self.plugin_name.clone(),
            node_name: self.node_name.clone().unwrap_or_default(),
            node_namespace: self.node_namespace.clone().unwrap_or_default(),
            log_level: self.log_level.map_or(0, |level| level as u8),
            remap_rules: self.remap_rules.clone(),
            parameters: parameters(&self.parameters)?,
            extra_arguments: parameters(&self.extra_arguments)?,
        })
    }

    /// Returns a command that starts a container for the component.
    fn container(&self) -> Result<Command, Error> {
        let role = Role::Container(Kind::Single);
        let path = PackagePath::from_environment();
        let entries = path.find(&self.package_name).map(|prefix| prefix.components(&self.package_name));
        let entries = entries.transpose()?.flatten().unwrap_or_default();
        match entries.iter().find(|entry| entry.plugin == self.plugin_name).map(|entry| entry.language) {
            Some(Language::Python) => Ok(python_command(&role)),
            Some(Language::Cpp) => cpp_command(&role),
            Some(Language::Rust) | None => container_command(&role),
        }
    }

    /// Returns what the user can do if a container does not find the component.
    fn hint(&self, reason: &str) -> Option<String> {
        let is_unknown = reason == LoadError::UnknownPackage.to_string();
        if !is_unknown && reason != LoadError::UnknownPlugin.to_string() {
            return None;
        }
        let path = PackagePath::from_environment();
        let prefix = path.find(&self.package_name);
        let known = prefix.and_then(|prefix| prefix.components(&self.package_name).ok()?);
        let known: Vec<String> = known.unwrap_or_default().into_iter().map(|entry| entry.plugin).collect();
        let is_here = if is_unknown { prefix.is_some() } else { known.contains(&self.plugin_name) };
        Some(match (is_unknown, is_here) {
            (_, true) => "set SALTUS_PREFIX_PATH for the container, too, and start it again".into(),
            (true, false) => "install the package (`saltus install`), and set SALTUS_PREFIX_PATH to its prefix for the \
                              container and for this command; `saltus component types` lists what is installed"
                .to_owned()
                + &pkg::installed_meant(&path, &self.package_name),
            (false, false) => format!(
                "`saltus component types {}` lists the names of its components{}",
                self.package_name,
                graph::meant(&self.plugin_name, &known)
            ),
        })
    }

    /// Loads the component. Returns its id and its full name.
    fn load_into(&self, container: &Container) -> Result<(u64, String), Error> {
        // A constructor may take any time. The call fails at once if the container ends.
        let response = container.call_for::<LoadNode>("load_node", &self.request()?, Duration::MAX)?;
        match response.success {
            true => Ok((response.unique_id, response.full_node_name)),
            false => {
                if let Some(hint) = self.hint(&response.error_message) {
                    tell!("{hint}");
                }
                Err(format!("Failed to load component: {}", response.error_message).into())
            }
        }
    }
}

impl Load {
    fn run(self) -> Result<(), Error> {
        let container = Container::find(&self.container_node_name, self.component.timing)?;
        let (id, name) = self.component.load_into(&container)?;
        print_lines([match self.quiet {
            true => format!("{id}  {name}"),
            false => loaded(id, &container, &name),
        }])
    }
}

fn loaded(id: u64, container: &Container, name: &str) -> String {
    format!("Loaded component {id} into '{}' container node as '{name}'", container.0.name)
}

impl Standalone {
    fn run(self) -> Result<(), Error> {
        let random = Uuid::new_v4().simple().to_string();
        let name =
            self.container_node_name.unwrap_or_else(|| format!("standalone_container_{}", &random[..12]));
        let mut command = self.component.container()?;
        command.args(["--ros-args", "-r", &format!("__node:={name}")]);
        let mut child = command.spawn().map_err(|error| format!("can't start a container: {error}"))?;
        let pid = Pid::from_child(&child);
        let container = Container::find(&name, self.component.timing);
        let context = container.as_ref().ok().map(|container| container.0.context().clone());
        let result = container.and_then(|container| {
            // Ctrl-C in a terminal reaches the container too. A signal for this process alone does not.
            let context = container.0.context().clone();
            thread::spawn(move || {
                context.wait_until(Duration::MAX, || false);
                interrupt(pid);
            });
            let (id, name) = self.component.load_into(&container)?;
            print_lines([loaded(id, &container, &name)])
        });
        if result.is_err() {
            interrupt(pid);
        }
        let status = child.wait()?;
        result.map_err(|error| match error.is::<Ended>() {
            true => error,
            false => format!("{error}, interrupting container node").into(),
        })?;
        // Ctrl-C in a terminal reaches the container twice, so it may end by the signal itself.
        let by_signal = status.signal() == Some(Signal::INT.as_raw()) || status.code() == Some(130);
        let is_interrupted = context.is_some_and(|context| context.is_shut_down());
        match status.success() || (is_interrupted && by_signal) {
            true => Ok(()),
            false => Err(format!("the container failed: {status}").into()),
        }
    }
}

/// Requests the end of a process.
fn interrupt(pid: Pid) {
    // An error means that the process has ended already.
    let _ = kill_process(pid, Signal::INT);
}

/// Prints the components of a package, or of all packages.
fn types(package: Option<&str>) -> Result<(), Error> {
    let path = PackagePath::from_environment();
    let plugins = |name: &str, prefix: &Prefix| -> Result<Vec<String>, Error> {
        let entries = prefix.components(name)?.unwrap_or_default();
        Ok(entries.into_iter().map(|entry| entry.plugin).collect())
    };
    if let Some(name) = package {
        let prefix = path.find(name);
        let prefix = prefix
            .ok_or_else(|| format!("Unable to find package '{name}'{}", pkg::installed_meant(&path, name)))?;
        return print_lines(plugins(name, prefix)?);
    }
    for (name, prefix) in path.packages() {
        let plugins = plugins(&name, prefix)?;
        if !plugins.is_empty() {
            print_lines(std::iter::once(name).chain(plugins.iter().map(|plugin| format!("  {plugin}"))))?;
        }
    }
    Ok(())
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
