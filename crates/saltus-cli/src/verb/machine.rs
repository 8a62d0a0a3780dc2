//! `saltus machine`

mod drawing;
mod view;

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

use clap::{Subcommand, ValueEnum};
use saltus::{
    Client, Context, Executor, QoS, SingleThreadedExecutor,
    executor::{Placement, SchedulingPolicy},
    log::Severity,
    machine::{Definition, MachineNode, StateId, state_of_description},
    msgs::{
        example_interfaces::msg::String as Text,
        std_srvs::srv::{Trigger, Trigger_Request},
    },
    service::CallError,
    time::system_now,
};
use saltus_bench::RunError;
use view::{Happened, What};

use crate::{
    error::Error,
    graph::absolute,
    reading::{hidden_node, seconds},
};

/// How long a machine may take to describe itself.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait for a machine before a message says so.
const SILENT_WAIT: Duration = Duration::from_millis(200);

/// `saltus machine …`
#[derive(Debug, Subcommand)]
pub(crate) enum Machine {
    /// Run the state machine in a YAML file as a node, and show what it does
    #[command(after_help = "Example:\n  saltus machine run door.yaml --namespace door

The file has the form of the Python package `transitions`; times are in seconds:
  initial: closed
  states: [closed, {name: open, timeout: 5.0, on_timeout: close}]
  transitions: [[open, closed, open], [close, open, closed]]

The machine takes triggers (example_interfaces/msg/String) on NAMESPACE/trigger:
  saltus topic pub --once /door/trigger example_interfaces/msg/String \"{data: open}\"")]
    Run(Run),
    /// Show what a running machine does; its node may be written in any language
    #[command(after_help = "Example:\n  saltus machine watch --machine /door")]
    Watch {
        /// Its namespace
        #[arg(long, default_value = "/machine")]
        machine: String,
    },
    /// Draw the states and transitions of a file or of a running machine, whose current state is marked
    #[command(
        after_help = "Example:\n  saltus machine graph door.yaml -o door.svg\n  saltus machine graph --machine /door > door.svg"
    )]
    Graph(Graph),
}

/// `saltus machine run`
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The file
    file: PathBuf,
    /// The node's name
    #[arg(long, default_value = "node")]
    name: String,
    /// The node's namespace, in which its topics are
    #[arg(long, default_value = "machine")]
    namespace: String,
    /// Spin instead of sleeping for this long before a time-out, which is then punctual but costs that much CPU time
    #[arg(long, default_value = "0", value_name = "SECONDS", value_parser = seconds)]
    spin_tail: Duration,
    /// Run with this real-time priority, before all threads of a lower one (SCHED_FIFO, 1 to 99); needs a privilege
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=99))]
    priority: Option<u8>,
}

/// `saltus machine graph`
#[derive(Debug, clap::Args)]
pub(crate) struct Graph {
    /// The file; without it, a running machine is drawn
    file: Option<PathBuf>,
    /// The namespace of the running machine
    #[arg(long, default_value = "/machine", conflicts_with = "file")]
    machine: String,
    /// The format of the drawing
    #[arg(long, value_enum, default_value_t = Format::Svg)]
    format: Format,
    /// Write the drawing to this file instead of printing it
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// How a machine is drawn.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A picture
    Svg,
    /// Text for Graphviz
    Dot,
}

impl Machine {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Run(run) => run.run(),
            Self::Watch { machine } => watch(&absolute(&machine)?),
            Self::Graph(graph) => graph.run(),
        }
    }
}

fn read(file: &PathBuf) -> Result<Definition, Error> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(Definition::from_yaml(&text).map_err(|e| format!("{}: {e}", file.display()))?)
}

/// Returns a callback that reports a change to the view, from the thread that must meet its time-outs.
fn reporter(happened: &Sender<Happened>, what: fn(String) -> What) -> impl Fn(&str) + Send + 'static {
    let happened = happened.clone();
    move |name| {
        // The view ends before the machine if its output is closed.
        let _ = happened.send(Happened { at: system_now().as_nanos(), what: what(name.to_owned()) });
    }
}

impl Run {
    fn run(self) -> Result<(), Error> {
        let definition = read(&self.file)?;
        let context = Context::new()?;
        let (happened, happenings) = channel();
        let (on_event, on_state) = (reporter(&happened, What::Event), reporter(&happened, What::State));
        let on_refused = reporter(&happened, What::Refused);
        drop(happened);
        let node = MachineNode::builder(definition.clone()).name(&self.name).namespace(&self.namespace);
        let node = node.on_event(move |_, name| on_event(name)).on_state(move |_, name| on_state(name));
        let node = node.on_refused(move |_, error| on_refused(&error.to_string()));
        let begun = saltus::machine::Machine::new(definition);
        let node = node.create(&context)?;
        // The view shows what the node would log.
        node.node().logger().set_level(Severity::Error);
        let executor = SingleThreadedExecutor::new(&context)?.spin_tail(self.spin_tail);
        executor.add_node(node.node());
        let policy = self.priority.map_or(SchedulingPolicy::Other, |_| SchedulingPolicy::Fifo);
        let priority = self.priority.unwrap_or_default();
        let placement = Placement { policy, priority, ..Placement::default() };
        let title = format!("{}  {}", begun.definition().name(), node.node().name().namespace());
        follow(&context, (title, (begun, true), happenings), placement, (executor, node))
    }
}

/// What is shown: a title, the machine at the beginning and whether it starts then, and what it does.
type Shown = (String, (saltus::machine::Machine, bool), Receiver<Happened>);

/// Runs callbacks until Ctrl-C on this thread, which must meet its time-outs. Another thread shows what they report.
fn follow<N>(
    context: &Context,
    (title, begun, happenings): Shown,
    placement: Placement,
    (mut executor, node): (SingleThreadedExecutor, N),
) -> Result<(), Error> {
    let shown = {
        let context = context.clone();
        thread::spawn(move || view::show(&title, begun, &happenings, &context))
    };
    // The placement is applied after the start of the thread that shows, which would otherwise inherit it.
    let spun = placement.apply().map_err(Error::from).and_then(|()| spin(&mut executor, context));
    // They hold the senders of the view, which ends when all of them are dropped.
    drop((executor, node));
    shown.join().map_err(|_| "the thread that shows the machine panicked")??;
    spun
}

/// Runs callbacks until Ctrl-C.
fn spin(executor: &mut SingleThreadedExecutor, context: &Context) -> Result<(), Error> {
    while !context.is_shut_down() {
        executor.spin_once(None)?;
    }
    Ok(())
}

/// The description of a running machine.
struct Described {
    definition: Definition,
    state: Option<StateId>,
}

/// Asks a machine for its description. If there is no machine yet, prints that it waits, and waits.
fn describe(context: &Context, namespace: &str) -> Result<Described, Error> {
    let service = format!("{namespace}/describe");
    let client: Client<Trigger> = hidden_node(context)?.client(&service).create()?;
    if !client.wait_for_service(SILENT_WAIT) && !context.is_shut_down() {
        writeln!(io::stderr(), "waiting for a machine at {namespace}...")?;
        client.wait_for_service(Duration::MAX);
    }
    if context.is_shut_down() {
        return Err(RunError::Interrupted.into());
    }
    let response = match client.call(&Trigger_Request::default(), PATIENCE) {
        Err(CallError::ShutDown { .. }) => return Err(RunError::Interrupted.into()),
        other => other?,
    };
    if !response.success {
        return Err(format!("the machine at {namespace} can't describe itself: {}", response.message).into());
    }
    let wrong = |error| format!("the description of the machine at {namespace} is invalid: {error}");
    let definition = Definition::from_yaml(&response.message).map_err(wrong)?;
    let state = state_of_description(&response.message).map_err(wrong)?;
    let state = state.and_then(|name| definition.find(&name));
    Ok(Described { definition, state })
}

fn watch(namespace: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let node = hidden_node(&context)?;
    let (happened, happenings) = channel();
    let subscribe = |topic: &str, what: fn(String) -> What| {
        let happened = happened.clone();
        let subscription =
            node.subscription::<Text>(&format!("{namespace}/{topic}")).qos(QoS::keep_last(100));
        subscription.serialized(move |sample| {
            let (at, text) = (sample.source_time().as_nanos(), saltus::cdr::decode::<Text>(sample)?);
            // The view ends before this does if its output is closed.
            let _ = happened.send(Happened { at, what: what(text.data) });
            Ok(())
        })
    };
    // The subscriptions come first, so that nothing that happens after the description is missed.
    let kept = (subscribe("event", What::Event)?, subscribe("state", What::State)?);
    drop(happened);
    let Described { definition, state } = describe(&context, namespace)?;
    let state = state.ok_or_else(|| format!("the machine at {namespace} is in several states at once"))?;
    let begun = saltus::machine::Machine::in_state(definition, state);
    let title = format!("{}  {namespace}", begun.definition().name());
    let executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    follow(&context, (title, (begun, false), happenings), Placement::default(), (executor, kept))
}

impl Graph {
    fn run(self) -> Result<(), Error> {
        let described = match &self.file {
            Some(file) => Described { definition: read(file)?, state: None },
            None => describe(&Context::new()?, &absolute(&self.machine)?)?,
        };
        let Described { definition, state } = described;
        if self.file.is_none() && state.is_none() {
            writeln!(io::stderr(), "WARNING: no state is marked: the machine is in several at once")?;
        }
        let text = match self.format {
            Format::Svg => drawing::svg(&definition, state),
            Format::Dot => drawing::dot(&definition, state),
        };
        match self.output {
            Some(path) => Ok(fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?),
            None => Ok(io::stdout().lock().write_all(text.as_bytes())?),
        }
    }
}
