//! A bridge: a domain and a network, and its threads.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use saltus_executor::{Executor, SingleThreadedExecutor, SpinError, WaitStrategy};
use saltus_host::{OpenError, Origin};
use saltus_msgs::diagnostic_msgs::srv::SelfTest;
use saltus_node::{Context, ContextError, ContextOptions, NodeError, Server};
use saltus_relay::{Domain, Link as RelayLink, Relay, Side};
use saltus_rmw::{tokens_of, tokens_of_session};
use saltus_types::lock;
use zenoh::{Wait, liveliness::LivelinessToken, pubsub::Subscriber, sample::SampleKind};

use crate::{
    clocks::Clocks,
    connections::Connections,
    link::{BRIDGE, Job, Link, Mark, Task, host_name, marks_of, read_mark},
    lock::{Attempt, BridgeLock, Holder, LockName},
    network::Network,
    peers::OTHERS,
    receiving::Inputs,
    report::Reporter,
    rules::Passing,
    session::{self, DEFAULT_NETWORK, Options, SessionError},
    table::Table,
    types::Types,
};

/// The numbers of the two sides.
const DOMAIN: usize = 0;
const NETWORK: usize = 1;

/// The longest time that the thread of the network waits.
const IDLE: Duration = Duration::from_secs(3600);

/// The error that keeps a bridge from starting, or ends it.
#[derive(thiserror::Error)]
pub enum BridgeError {
    /// There is no session.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Another bridge joins this domain to this network. [`Holder::wait`] waits until it ends.
    #[error(
        "{0} is a bridge of this domain to this network already; end it, or give this one another --network"
    )]
    Held(Holder),
    /// It can't be known whether there is another bridge.
    #[error("the lock of the bridge: {0}")]
    Lock(#[from] std::io::Error),
    /// The domain can't be joined.
    #[error(transparent)]
    Join(#[from] ContextError),
    /// The node of the bridge can't be created.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// There is no memory.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The executor stopped.
    #[error(transparent)]
    Spin(#[from] SpinError),
}

saltus_types::debug_as_display!(BridgeError);

/// A bridge that has joined its domain and its network.
///
/// **Invariant:** while it is there, no other bridge of this user joins the domain to the network.
///
/// ```no_run
/// # use saltus_zenoh::{Bridge, Options};
/// let options = Options { connect: vec!["tcp/10.0.0.1:7447".into()], ..Options::default() };
/// Bridge::join(&options)?.run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bridge {
    domain: Domain,
    link: Arc<Link>,
    relay: Arc<Relay>,
    table: Arc<Mutex<Table>>,
    types: Arc<Types>,
    tasks: Receiver<Task>,
    _tokens: [Subscriber<()>; 2],
    _mark: LivelinessToken,
    _report: Server<SelfTest>,
    _lock: BridgeLock,
    connections: Arc<Connections>,
    /// What its configuration keeps it from.
    warnings: Vec<String>,
    asks_for_keys: bool,
}

impl Bridge {
    /// Joins the domain and opens the session. The bridge shows and forwards while [`Bridge::run`] runs.
    ///
    /// # Errors
    /// Returns an error if another bridge joins this domain to this network, if the domain can't be joined, or if the session can't be
    /// opened. A router that is not there is no error.
    pub fn join(options: &Options) -> Result<Self, BridgeError> {
        let context = ContextOptions::default().rosout(false);
        let id = context.domain_id()?;
        let number = id.number;
        let bridge_lock = match LockName::new(&id.folder, number, &options.network)?.take()? {
            Attempt::Taken(taken) => taken,
            Attempt::Held(holder) => return Err(BridgeError::Held(holder)),
        };
        let context = context.create()?;
        let node = context.node(&node_name(&options.network)).start_parameter_services(false).create()?;
        let logger = node.logger();
        let origin = Origin::named(format!("domain {number}"));
        let domain = Domain::new(context, node, origin)?;
        let config = options.session_config(number)?;
        let asks_for_keys = session::asks_for_keys(&config);
        let addresses = session::addresses(&config, session::CONNECT);
        let warnings = options.warnings(&config);
        let session = zenoh::open(config).wait();
        let session = session.map_err(SessionError::open)?;
        let (sender, tasks) = mpsc::channel();
        let link = Arc::new(Link::new(session, number, logger, sender.clone()));
        let connections = Connections::new(link.clone(), addresses, asks_for_keys)?;
        let table = Arc::new(Mutex::new(Table::default()));
        let types = Types::new(&link, &domain, &table)?;
        let network = Network::new(link.clone(), table.clone());
        let mark = link
            .mark(&Mark::Bridge { host: host_name() })
            .map_err(|error| SessionError::Open(error.to_string()))?;
        // Marks come first, so that a publisher behind a bridge is known as such.
        let marks = watch_marks(&link, &table, network.inputs())?;
        let tokens = [marks, watch_tokens(&link, &table, sender)?];
        let sides: Vec<Arc<dyn Side>> = vec![Arc::new(domain.clone()), Arc::new(network)];
        let passing = options.passing.clone();
        let Passing { out, into, .. } = passing.clone();
        let clocks = Clocks::new(&link, &table)?;
        let report = Reporter {
            link: link.clone(),
            domain: domain.clone(),
            table: table.clone(),
            connections: connections.clone(),
            clocks,
            passing,
        }
        .serve()?;
        let links = vec![
            RelayLink { from: DOMAIN, to: NETWORK, rules: out },
            RelayLink { from: NETWORK, to: DOMAIN, rules: into },
        ];
        Ok(Self {
            domain,
            link,
            relay: Relay::new(sides, links),
            table,
            types,
            tasks,
            _tokens: tokens,
            _mark: mark,
            _report: report,
            _lock: bridge_lock,
            connections,
            warnings,
            asks_for_keys,
        })
    }

    /// Returns the addresses at which others reach the session.
    pub fn addresses(&self) -> Vec<String> {
        self.link.session.info().locators().wait().iter().map(ToString::to_string).collect()
    }

    /// Returns whether others must show a certificate where they connect with TLS.
    pub fn asks_for_keys(&self) -> bool {
        self.asks_for_keys
    }

    /// Shows and forwards until the context shuts down, for example on Ctrl-C.
    ///
    /// # Errors
    /// Returns an error if the executor can't start, or if it stops for another reason than a shutdown.
    pub fn run(self) -> Result<(), BridgeError> {
        let _watch = self.domain.watch(&self.relay, DOMAIN);
        self.connections.tell_later();
        for warning in &self.warnings {
            saltus_node::warn!(self.link.logger, "{warning}");
        }
        let Self {
            domain,
            link,
            relay,
            table,
            types,
            connections,
            tasks,
            _tokens,
            _mark,
            _report,
            _lock,
            ..
        } = self;
        let done = thread::scope(|scope| {
            let _domain_ends = StopOnDrop(domain.context());
            let spinning = scope.spawn(|| {
                let _network_ends = EndOnDrop(&link.tasks);
                spin(&domain)
            });
            follow(&relay, &link, &table, &types, &connections, &tasks);
            spinning.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        // Errors are ignored: the session ends with the process in any case.
        let _ends = link.mark(&Mark::Ends);
        relay.end();
        let _ = link.session.close().wait();
        done
    }
}

/// Ends the executor when the thread of the network ends, even by a panic.
struct StopOnDrop<'a>(&'a Context);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.shut_down();
    }
}

/// Ends the thread of the network when the executor ends, even by an error or a panic.
struct EndOnDrop<'a>(&'a Sender<Task>);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        // It fails if that thread has ended.
        let _ = self.0.send(Task::End);
    }
}

fn spin(domain: &Domain) -> Result<(), BridgeError> {
    let mut executor = SingleThreadedExecutor::new(domain.context())?.strategy(WaitStrategy::Block);
    Ok(executor.spin_node(domain.node())?)
}

/// Enters the marks of other bridges into the table.
fn watch_marks(
    link: &Link,
    table: &Arc<Mutex<Table>>,
    inputs: &Arc<Inputs>,
) -> Result<Subscriber<()>, SessionError> {
    let (table, inputs, logger) = (table.clone(), inputs.clone(), link.logger.clone());
    let (own, tasks) = (link.id().to_owned(), link.tasks.clone());
    let subscriber = link.session.liveliness().declare_subscriber(marks_of(link.domain)).history(true);
    let subscriber = subscriber.callback(move |sample| {
        let (text, is_there) = (sample.key_expr().as_str(), sample.kind() == SampleKind::Put);
        let Some((session, mark)) = read_mark(text).filter(|(session, _)| *session != own) else { return };
        let now = Instant::now();
        let told = {
            let mut table = lock(&table);
            let changed = table.note_mark(session, &mark, is_there, now);
            changed.filter(|_| table.may_tell(now))
        };
        if let Some((host, change)) = told {
            saltus_node::info!(logger, "{host} {}", change.text());
        }
        // What is held of it, or of the bridge before, may go now. It fails only when the bridge ends.
        let _ = matches!(mark, Mark::Ends | Mark::Bridge { .. }).then(|| tasks.send(Task::Refresh));
        if let Mark::Sends { gid, kept, .. } = mark
            && is_there
        {
            inputs.note_sending(gid, kept);
        }
    });
    subscriber.wait().map_err(SessionError::open)
}

/// Enters what others announce into the table.
fn watch_tokens(
    link: &Link,
    table: &Arc<Mutex<Table>>,
    tasks: Sender<Task>,
) -> Result<Subscriber<()>, SessionError> {
    let (table, own) = (table.clone(), format!("/{}/", link.id()));
    let subscriber = link.session.liveliness().declare_subscriber(tokens_of(link.domain)).history(true);
    let subscriber = subscriber.callback(move |sample| {
        let text = sample.key_expr().as_str();
        let is_own = text.contains(&own);
        match sample.kind() {
            SampleKind::Put if is_own => lock(&table).note_there(text),
            SampleKind::Delete if is_own => lock(&table).note_gone(text),
            SampleKind::Put => lock(&table).add(text),
            SampleKind::Delete => lock(&table).remove(text, Instant::now()),
        }
        // It fails only when the bridge ends.
        let _ = tasks.send(Task::Refresh);
    });
    subscriber.wait().map_err(SessionError::open)
}

/// Asks for the tokens of a session, of which some have found no place in the table.
fn ask_for_tokens(link: &Link, table: &Arc<Mutex<Table>>, session: &str) {
    let key =
        if session == OTHERS { tokens_of(link.domain) } else { tokens_of_session(link.domain, session) };
    let (asked, tasks) =
        (TokenQuestion { table: table.clone(), session: session.to_owned() }, link.tasks.clone());
    let get = link.session.liveliness().get(key).callback(move |reply| {
        if let Ok(sample) = reply.result() {
            lock(&asked.table).add_asked(&asked.session, sample.key_expr().as_str());
            // It fails only when the bridge ends.
            let _ = tasks.send(Task::Refresh);
        }
    });
    if let Err(error) = get.wait() {
        saltus_node::warn!(link.logger, "can't ask for the tokens of {session}: {error}");
    }
}

/// A question for the tokens of a session. Zenoh drops it when no more answers can come.
struct TokenQuestion {
    table: Arc<Mutex<Table>>,
    session: String,
}

impl Drop for TokenQuestion {
    fn drop(&mut self) {
        lock(&self.table).end_asking(&self.session);
    }
}

/// Returns the name of the node of a bridge to a network.
fn node_name(network: &str) -> String {
    match network {
        "" | DEFAULT_NETWORK => BRIDGE.into(),
        _ => format!("{BRIDGE}_{network}"),
    }
}

/// Applies what others announce, until the bridge ends.
fn follow(
    relay: &Arc<Relay>,
    link: &Link,
    table: &Arc<Mutex<Table>>,
    types: &Arc<Types>,
    connections: &Connections,
    tasks: &Receiver<Task>,
) {
    let mut later: Vec<(Instant, Job)> = Vec::new();
    let mut refused = 0;
    let mut pause = IDLE;
    loop {
        let first = match tasks.recv_timeout(pause) {
            Ok(task) => Some(task),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // All tokens that have come are applied together.
        let waiting: Vec<Task> = first.into_iter().chain(tasks.try_iter()).collect();
        let now = Instant::now();
        let (held, refused_now, gone, questions, (again, next_again)) = {
            let mut table = lock(table);
            let held = table.remove_due(now);
            (held, table.refused(), table.gone(), table.take_questions(), table.take_again(now))
        };
        if connections.renew(gone) {
            lock(table).forget_gone();
        }
        again.iter().for_each(|session| ask_for_tokens(link, table, session));
        if refused_now > std::mem::replace(&mut refused, refused_now) {
            let (period, count) = (Duration::from_secs(1), refused_now);
            saltus_node::warn_throttle!(
                link.logger,
                period,
                "tokens that were not used, because they are not valid or too many: {count}; `saltus doctor` says whose"
            );
        }
        relay.refresh(NETWORK);
        questions.into_iter().for_each(|question| types.want(question));
        for task in waiting {
            match task {
                Task::Refresh => {}
                Task::Run(run) => run(),
                Task::RunAfter(time, run) => later.push((now + time, run)),
                Task::End => return,
            }
        }
        later.extract_if(.., |(at, _)| *at <= now).for_each(|(_, run)| run());
        let next = later.iter().map(|(at, _)| at.saturating_duration_since(now)).min();
        pause = held.into_iter().chain(next).chain(next_again).min().unwrap_or(IDLE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bridges_to_different_networks_have_different_node_names() {
        let names = ["", DEFAULT_NETWORK, "fleet"].map(node_name);
        assert_eq!(names, ["saltus_bridge", "saltus_bridge", "saltus_bridge_fleet"]);
    }
}
