//! `saltus service`

use std::{
    io::{self, Write},
    time::Duration,
};

use clap::Subcommand;
use saltus::{
    Context,
    graph::EndpointInfo,
    service::CallError,
    time::{monotonic_now, system_now},
};
use saltus_dynamic::{StampedValue, decode, encode, to_json, to_python};

use crate::verb::topic::echo::Printing;
use saltus_verb::{
    arguments::{UnusedClock, Values},
    catalog::{Catalog, with_kind},
    complete,
    error::{Ended, Error},
    graph::{self, absolute},
    output::print_lines,
    reading::hidden_node,
    remote::call_error,
};

/// `saltus service …`
#[derive(Debug, clap::Args)]
pub(crate) struct ServiceArguments {
    /// Also print hidden services in `list` and `find`
    #[arg(long, hide = true)]
    include_hidden_services: bool,
    #[command(subcommand)]
    verb: Service,
}

#[derive(Debug, Subcommand)]
enum Service {
    /// Print the names of all services
    #[command(after_help = "Example:\n  saltus service list -t")]
    List(List),
    /// Print the type of a service
    #[command(after_help = "Example:\n  saltus service type /add_two_ints")]
    Type {
        /// The name of the service
        #[arg(add = complete::service_names())]
        service_name: String,
    },
    /// Print the services of a type
    #[command(after_help = "Example:\n  saltus service find std_srvs/srv/Trigger")]
    Find {
        /// The type, such as std_srvs/srv/Trigger
        #[arg(add = complete::service_types())]
        service_type: String,
        /// Print only the number of services
        #[arg(short, long)]
        count_services: bool,
        /// Also print hidden services (a part of their names begins with `_`)
        #[arg(long)]
        include_hidden_services: bool,
    },
    /// Print the type of a service, and how many clients and servers it has
    #[command(after_help = "Example:\n  saltus service info /add_two_ints")]
    Info {
        /// The name of the service
        #[arg(add = complete::service_names())]
        service_name: String,
        /// Also print the nodes of the clients and servers
        #[arg(short, long)]
        verbose: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        _clock: UnusedClock,
    },
    /// Call a service and print the response
    #[command(
        after_help = "Example:\n  saltus service call /add_two_ints example_interfaces/srv/AddTwoInts \"{a: 2, b: 40}\""
    )]
    Call(Call),
    /// Print the calls of a service; its server or a client must publish them (service introspection)
    #[command(after_help = "Example:\n  saltus service echo /add_two_ints")]
    Echo {
        /// The name of the service
        #[arg(add = complete::service_names())]
        service_name: String,
        /// The type of the service; needed if the service has no server yet
        #[arg(add = complete::service_types())]
        service_type: Option<String>,
        #[command(flatten)]
        printing: Printing,
    },
}

/// `saltus service list`
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Also print the type of each service
    #[arg(short = 't', long)]
    show_types: bool,
    /// Print only the number of services
    #[arg(short, long)]
    count_services: bool,
    /// Also print hidden services (a part of their names begins with `_`)
    #[arg(short = 'a', long, alias = "all")]
    include_hidden_services: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    _clock: UnusedClock,
}

impl ServiceArguments {
    pub(crate) fn run(self) -> Result<(), Error> {
        self.verb.run(self.include_hidden_services)
    }
}

impl Service {
    fn run(self, include_hidden: bool) -> Result<(), Error> {
        match self {
            Self::List(list) => list.run(include_hidden),
            Self::Type { service_name } => {
                let name = absolute(&service_name)?;
                let services = graph::services(&graph::observe()?, true);
                let types = services.get(&name);
                print_lines(types.ok_or_else(|| graph::unknown("service", &name, services.keys()))?)
            }
            Self::Find { service_type, count_services, include_hidden_services } => {
                let all = graph::services(&graph::observe()?, include_hidden_services || include_hidden);
                let ty = with_kind(&service_type, "srv");
                let of_type = all.into_iter().filter(|(_, types)| types.contains(&ty));
                let found: Vec<String> = of_type.map(|one| one.0).collect();
                if count_services {
                    return print_lines([found.len()]);
                }
                if found.is_empty() {
                    graph::none_found("service", &ty)?;
                }
                print_lines(&found)
            }
            Self::Info { service_name, verbose, json, .. } => info(&absolute(&service_name)?, verbose, json),
            Self::Call(call) => call.run(),
            Self::Echo { service_name, service_type, printing } => {
                let topic = format!("{}/_service_event", absolute(&service_name)?);
                let ty = service_type.map(|ty| format!("{}_Event", with_kind(&ty, "srv")));
                printing.echo(&topic, ty.as_deref())
            }
        }
    }
}

impl List {
    fn run(self, include_hidden: bool) -> Result<(), Error> {
        let services = graph::services(&graph::observe()?, self.include_hidden_services || include_hidden);
        if self.json {
            return print_lines([serde_json::to_string_pretty(&services)?]);
        }
        if self.count_services {
            return print_lines([services.len()]);
        }
        if services.is_empty() {
            graph::hint_at_other_graphs();
        }
        let line = |(name, types): (String, Vec<String>)| match self.show_types {
            true => format!("{name} [{}]", types.join(", ")),
            false => name,
        };
        print_lines(services.into_iter().map(line))
    }
}

fn info(name: &str, verbose: bool, json: bool) -> Result<(), Error> {
    let graph = graph::observe()?;
    let of = |ends: &[EndpointInfo]| -> Vec<EndpointInfo> {
        let mut ends: Vec<_> = ends.iter().filter(|end| end.topic == name).cloned().collect();
        ends.sort_by_key(|end| graph::node_name(&graph, end));
        ends
    };
    let (clients, servers) = (of(&graph.clients), of(&graph.servers));
    let mut types: Vec<&str> = servers.iter().chain(&clients).map(|end| &*end.type_name).collect();
    types.sort_unstable();
    types.dedup();
    if types.is_empty() {
        return Err(graph::unknown("service", name, graph::services(&graph, true).keys()));
    }
    let nodes = |ends: &[EndpointInfo]| -> Vec<String> {
        ends.iter().map(|end| graph::node_name(&graph, end)).collect()
    };
    if json {
        let info = serde_json::json!({
            "service": name, "types": types, "clients": nodes(&clients), "servers": nodes(&servers),
        });
        return print_lines([format!("{info:#}")]);
    }
    let mut lines = vec![format!("Type: {}", types.join(", "))];
    for (head, ends) in [("Clients", &clients), ("Services", &servers)] {
        lines.push(format!("{head} count: {}", ends.len()));
        if verbose {
            lines.extend(nodes(ends).into_iter().map(|node| format!("  {node}")));
        }
    }
    print_lines(&lines)
}

/// The time to wait for a server before a message says that the command waits. A running server may need this time
/// to match a new client.
const SILENT_WAIT: Duration = Duration::from_millis(200);

/// Returns the result of a verb that Ctrl-C has ended. It is an error, unless there was a response before.
fn ended(has_called: bool) -> Result<(), Error> {
    if has_called { Ok(()) } else { Err(Ended::Interrupted.into()) }
}

/// `saltus service call`
#[derive(Debug, clap::Args)]
pub(crate) struct Call {
    /// The name of the service
    #[arg(add = complete::service_names())]
    service_name: String,
    /// The type of the service, such as std_srvs/srv/Trigger
    #[arg(add = complete::service_types())]
    service_type: String,
    #[command(flatten)]
    values: Values,
    /// Repeat the call, this many times per second
    #[arg(short, long)]
    rate: Option<f64>,
    /// The longest time to wait for a server, and then for each response, in seconds [default: no limit]
    #[arg(long)]
    timeout: Option<f64>,
    /// Print only the response, as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Call {
    fn run(self) -> Result<(), Error> {
        if self.rate.is_some_and(|rate| rate.is_nan() || rate <= 0.0) {
            return Err("expected a rate above 0".into());
        }
        let service = absolute(&self.service_name)?;
        let context = Context::new()?;
        let ty = with_kind(&self.service_type, "srv");
        let types = Catalog::from_environment().service(&service, &ty, &context.graph())?;
        let mut request = StampedValue::from_yaml(&types.request, &self.values.text()?)
            .map_err(|e| format!("the values: {e}"))?;
        // Values that do not fit are reported before the verb waits for anything.
        encode(&types.request, &request.value)?;
        let client = hidden_node(&context)?.generic_client(&service, &types.ty)?;
        let timeout = self.timeout.map_or(Duration::MAX, |seconds| {
            Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
        });
        let (mut due, mut has_called) = (monotonic_now(), false);
        loop {
            if !client.wait_for_service(SILENT_WAIT.min(timeout)) && !context.is_shut_down() {
                self.print("waiting for service to become available...\n")?;
                graph::tell_meant("service", &service, graph::services(&context.graph(), true).keys())?;
                graph::hint_at_other_graphs();
                if !client.wait_for_service(timeout) && !context.is_shut_down() {
                    return Err(call_error(CallError::NoServer { service }, &context.graph()));
                }
            }
            if context.is_shut_down() {
                return ended(has_called);
            }
            request.stamp(system_now().as_nanos());
            let shown = to_python(&types.request, &request.value);
            self.print(&format!("requester: making request: {shown}\n\n"))?;
            let bytes = encode(&types.request, &request.value)?;
            let response = match client.call(&bytes, timeout) {
                Err(CallError::ShutDown { .. }) => return ended(has_called),
                other => {
                    decode(&types.response, &other.map_err(|error| call_error(error, &context.graph()))?)?
                }
            };
            if self.json {
                print_lines([to_json(&types.response, &response)])?;
            }
            self.print(&format!("response:\n{}\n\n", to_python(&types.response, &response)))?;
            has_called = true;
            let Some(rate) = self.rate else { return Ok(()) };
            due = due.saturating_add((1e9 / rate) as u64);
            context.wait_until(Duration::from_nanos(due.saturating_sub(monotonic_now())), || false);
        }
    }

    /// Prints a text, unless `--json` is given.
    fn print(&self, text: &str) -> Result<(), Error> {
        if !self.json {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
        Ok(())
    }
}
