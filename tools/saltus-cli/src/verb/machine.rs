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
use view::{Change, ChangeKind};

use saltus_verb::{
    error::{Ended, Error},
    graph::absolute,
    reading::{hidden_node, seconds},
};

/// The longest time that a machine may take to answer with its description.
const DESCRIPTION_TIMEOUT: Duration = Duration::from_secs(5);
/// The time to wait for a machine before a message says that the command waits.
const SILENT_WAIT: Duration = Duration::from_millis(200);

/// `saltus machine …`
#[derive(Debug, Subcommand)]
pub(crate) enum Machine {
    /// Run the state machine in a YAML file as a node, and print its events and states
    #[command(after_help = "Example:\n  saltus machine run door.yaml --namespace door

The file has the form of the Python package `transitions`. Times are in seconds:
  initial: closed
  states: [closed, {name: open, timeout: 5.0, on_timeout: close}]
  transitions: [[open, closed, open], [close, open, closed]]

The machine receives triggers (example_interfaces/msg/String) on the topic NAMESPACE/trigger:
  saltus topic pub --once /door/trigger example_interfaces/msg/String \"{data: open}\"")]
    Run(Run),
    /// Print the events and states of a running machine; its node may be written in any language
    #[command(after_help = "Example:\n  saltus machine watch --machine /door")]
    Watch {
        /// The namespace of the machine
        #[arg(long, default_value = "/machine")]
        machine: String,
    },
    /// Draw the states and transitions of a machine in a file, or of a running machine with its current state
    #[command(
        after_help = "Examples:\n  saltus machine graph door.yaml -o door.svg\n  saltus machine graph --machine /door > door.svg"
    )]
    Graph(Graph),
}

/// `saltus machine run`
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The YAML file with the definition of the machine
    file: PathBuf,
    /// The name of the node
    #[arg(long, default_value = "node")]
    name: String,
    /// The namespace of the node and its topics
    #[arg(long, default_value = "machine")]
    namespace: String,
    /// Wake this long before each timeout and poll until the timeout; timeouts are more precise, but each one uses
    /// this much CPU time
    #[arg(long, default_value = "0", value_name = "SECONDS", value_parser = seconds)]
    spin_tail: Duration,
    /// Run with this real-time priority (SCHED_FIFO, 1 to 99); needs CAP_SYS_NICE or a limit for rtprio
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=99))]
    priority: Option<u8>,
}

/// `saltus machine graph`
#[derive(Debug, clap::Args)]
pub(crate) struct Graph {
    /// The YAML file with the definition of the machine; without it, a running machine is drawn
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

/// The format of a drawing.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// An SVG image
    Svg,
    /// A text file for Graphviz
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

/// Returns a callback that sends a change to the view. The thread that calls it must be on time for timeouts.
fn reporter(sender: &Sender<Change>, kind: fn(String) -> ChangeKind) -> impl Fn(&str) + Send + 'static {
    let sender = sender.clone();
    move |name| {
        // An error means that the view has ended, because its output was closed.
        let _ = sender.send(Change { at: system_now().as_nanos(), kind: kind(name.to_owned()) });
    }
}

impl Run {
    fn run(self) -> Result<(), Error> {
        let definition = read(&self.file)?;
        let context = Context::new()?;
        let (sender, receiver) = channel();
        let (on_event, on_state) =
            (reporter(&sender, ChangeKind::Event), reporter(&sender, ChangeKind::State));
        let on_refused = reporter(&sender, ChangeKind::Refused);
        drop(sender);
        let node = MachineNode::builder(definition.clone()).name(&self.name).namespace(&self.namespace);
        let node = node.on_event(move |_, name| on_event(name)).on_state(move |_, name| on_state(name));
        let node = node.on_refused(move |_, error| on_refused(&error.to_string()));
        let begun = saltus::machine::Machine::new(definition);
        let node = node.create(&context)?;
        // The view prints what the node would log, so the node logs only errors.
        node.node().logger().set_level(Severity::Error);
        let executor = SingleThreadedExecutor::new(&context)?.spin_tail(self.spin_tail);
        executor.add_node(node.node());
        let policy = self.priority.map_or(SchedulingPolicy::Other, |_| SchedulingPolicy::Fifo);
        let priority = self.priority.unwrap_or_default();
        let placement = Placement { policy, priority, ..Placement::default() };
        let title = format!("{}  {}", begun.definition().name(), node.node().name().namespace());
        follow(&context, (title, (begun, true), receiver), placement, (executor, node))
    }
}

/// The contents of the view: a title, the machine, whether the machine starts now, and its changes.
type Shown = (String, (saltus::machine::Machine, bool), Receiver<Change>);

/// Runs callbacks until Ctrl-C on this thread, which must be on time for timeouts. Another thread shows the changes
/// that the callbacks report.
fn follow<N>(
    context: &Context,
    (title, begun, receiver): Shown,
    placement: Placement,
    (mut executor, node): (SingleThreadedExecutor, N),
) -> Result<(), Error> {
    let shown = {
        let context = context.clone();
        thread::spawn(move || view::show(&title, begun, &receiver, &context))
    };
    // The placement is applied after the start of the view's thread, which would otherwise inherit it.
    let spun = placement.apply().map_err(Error::from).and_then(|()| spin(&mut executor, context));
    // These have the senders of the view. The view ends when all of them are dropped.
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

/// Requests the description of a machine. If there is no machine yet, prints a message and waits.
fn describe(context: &Context, namespace: &str) -> Result<Described, Error> {
    let service = format!("{namespace}/describe");
    let client: Client<Trigger> = hidden_node(context)?.client(&service).create()?;
    if !client.wait_for_service(SILENT_WAIT) && !context.is_shut_down() {
        writeln!(io::stderr(), "waiting for a machine at {namespace}...")?;
        client.wait_for_service(Duration::MAX);
    }
    if context.is_shut_down() {
        return Err(Ended::Interrupted.into());
    }
    let response = match client.call(&Trigger_Request::default(), DESCRIPTION_TIMEOUT) {
        Err(CallError::ShutDown { .. }) => return Err(Ended::Interrupted.into()),
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
    let (sender, receiver) = channel();
    let subscribe = |topic: &str, kind: fn(String) -> ChangeKind| {
        let sender = sender.clone();
        let subscription =
            node.subscription::<Text>(&format!("{namespace}/{topic}")).qos(QoS::keep_last(100));
        subscription.serialized(move |sample| {
            let (at, text) = (sample.source_time().as_nanos(), saltus::cdr::decode::<Text>(sample)?);
            // An error means that the view has ended, because its output was closed.
            let _ = sender.send(Change { at, kind: kind(text.data) });
            Ok(())
        })
    };
    // The subscriptions are opened first, so that no change after the description is missed.
    let kept = (subscribe("event", ChangeKind::Event)?, subscribe("state", ChangeKind::State)?);
    drop(sender);
    let Described { definition, state } = describe(&context, namespace)?;
    let state = state.ok_or_else(|| format!("the machine at {namespace} is in several states at once"))?;
    let begun = saltus::machine::Machine::in_state(definition, state);
    let title = format!("{}  {namespace}", begun.definition().name());
    let executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(&node);
    follow(&context, (title, (begun, false), receiver), Placement::default(), (executor, kept))
}

impl Graph {
    fn run(self) -> Result<(), Error> {
        let described = match &self.file {
            Some(file) => Described { definition: read(file)?, state: None },
            None => describe(&Context::new()?, &absolute(&self.machine)?)?,
        };
        let Described { definition, state } = described;
        if self.file.is_none() && state.is_none() {
            writeln!(
                io::stderr(),
                "WARNING: no state is marked, because the machine is in several states at once"
            )?;
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
