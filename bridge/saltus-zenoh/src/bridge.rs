//! A bridge: a domain and a network, and its threads.

use std::{
    io,
    net::{TcpStream, ToSocketAddrs},
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
use saltus_node::{Context, ContextError, ContextOptions, Logger, NodeError, Server};
use saltus_relay::{Domain, Link as RelayLink, Relay, Side};
use saltus_rmw::{tokens_of, tokens_of_session};
use saltus_types::lock;
use zenoh::{
    Session, Wait, liveliness::LivelinessToken, pubsub::Subscriber, sample::SampleKind, session::LinkEvent,
};

use crate::{
    clocks::Clocks,
    link::{BRIDGE, Job, Link, Mark, Task, host_name, marks_of, read_mark},
    lock::{Attempt, BridgeLock, Holder, LockName},
    network::Network,
    peers::OTHERS,
    receiving::Inputs,
    report::Reporter,
    rules::Passing,
    session::{self, DEFAULT_NETWORK, Mode, Options, SessionError},
    sockets,
    table::Table,
    types::Types,
};

/// The numbers of the two sides.
const DOMAIN: usize = 0;
const NETWORK: usize = 1;

/// The longest time within which a router is expected to answer. The bridge tries on after it.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
/// The longest time that an address may take to answer.
const PROBE: Duration = Duration::from_millis(500);
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
        "process {} is a bridge of this domain to this network already; end it, or give this one another --network",
        .0.process()
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
    /// Whether it connects to a router.
    is_peer: bool,
    /// The addresses that were named for that.
    endpoints: Vec<String>,
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
        let session = zenoh::open(config).wait();
        let session = session.map_err(|error| SessionError::Open(error.to_string()))?;
        let is_peer = options.mode == Mode::Peer;
        let (sender, tasks) = mpsc::channel();
        watch_connections(&session, &logger)?;
        let link = Arc::new(Link::new(session, number, logger, sender.clone()));
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
        let reporter =
            Reporter { link: link.clone(), domain: domain.clone(), table: table.clone(), clocks, passing };
        let report = reporter.serve()?;
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
            is_peer,
            endpoints: options.connect.clone(),
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

    /// Logs that no other session answers, after some time.
    fn watch_connection(&self) {
        let (link, endpoints, has_keys) = (self.link.clone(), self.endpoints.clone(), self.asks_for_keys);
        let look = move || {
            let info = link.session.info();
            if info.routers_zid().wait().next().is_some() || info.peers_zid().wait().next().is_some() {
                return;
            }
            let tell = move || match refusal(&endpoints, has_keys) {
                Some(why) => saltus_node::warn!(link.logger, "{why}. Tries on"),
                None => saltus_node::warn!(
                    link.logger,
                    "no router and no other host answers yet; start `saltus bridge --router` or rmw_zenohd, or name an address \
                     with --connect. Tries on"
                ),
            };
            // Names of hosts may take long to look up. Without a thread, the warning is missing, and nothing else.
            let _ = thread::Builder::new().name("connection".into()).spawn(tell);
        };
        // It fails only when the bridge has ended.
        let _ = self.link.tasks.send(Task::RunAfter(ANSWERS_WITHIN, Box::new(look)));
    }

    /// Shows and forwards until the context shuts down, for example on Ctrl-C.
    ///
    /// # Errors
    /// Returns an error if the executor can't start, or if it stops for another reason than a shutdown.
    pub fn run(self) -> Result<(), BridgeError> {
        let _watch = self.domain.watch(&self.relay, DOMAIN);
        if self.is_peer {
            self.watch_connection();
        }
        let Self { domain, link, relay, table, types, tasks, _tokens, _mark, _report, _lock, .. } = self;
        let done = thread::scope(|scope| {
            let _domain_ends = StopOnDrop(domain.context());
            let spinning = scope.spawn(|| {
                let _network_ends = EndOnDrop(&link.tasks);
                spin(&domain)
            });
            follow(&relay, &link, &table, &types, &tasks);
            spinning.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        relay.end();
        // An error is ignored: the session ends with the process in any case.
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

/// Tries to connect to an address.
fn probe(address: &str) -> io::Result<()> {
    let host = address.split_once('/').map_or(address, |(_, rest)| rest);
    let mut result = Err(io::Error::other("its name has no address"));
    for one in host.split(['?', '#']).next().unwrap_or_default().to_socket_addrs()? {
        result = TcpStream::connect_timeout(&one, PROBE).map(drop);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Returns why no host answers at these addresses, as far as that can be known. `None` if there is no address.
fn refusal(endpoints: &[String], has_keys: bool) -> Option<String> {
    let can_be_probed = |address: &&String| address.starts_with("tcp/") || address.starts_with("tls/");
    let causes: Vec<_> =
        endpoints.iter().filter(can_be_probed).map(|address| (address, probe(address))).collect();
    let Some((address, _)) = causes.iter().find(|(_, cause)| cause.is_ok()) else {
        let (address, cause) = causes.into_iter().next()?;
        return Some(format!("{address} does not answer: {}", cause.err()?));
    };
    Some(match (address.starts_with("tls/"), has_keys) {
        (true, true) => format!(
            "{address} does not accept this host: one of the two has a certificate of an authority that the other one does not know, or \
             one that has expired, or nothing there speaks TLS. `saltus bridge keys` makes certificates of one authority"
        ),
        (true, false) => {
            format!("{address} does not accept this host: it asks for a certificate; name one with --keys")
        }
        (false, _) => {
            format!("{address} does not accept this host: it may ask for TLS; connect to tls/ with --keys")
        }
    })
}

/// Prepares each new connection.
fn watch_connections(session: &Session, logger: &Logger) -> Result<(), SessionError> {
    let logger = logger.clone();
    let prepare = move |event: LinkEvent| {
        if event.kind() == SampleKind::Put
            && let Err(error) = sockets::limit_unsent()
        {
            let period = Duration::from_secs(3600);
            saltus_node::warn_throttle!(
                logger,
                period,
                "commands may wait behind images on slow links: {error}"
            );
        }
    };
    let info = session.info();
    let listener = info.link_events_listener().history(true).callback(prepare);
    listener.background().wait().map_err(|error| SessionError::Open(error.to_string()))
}

/// Enters the marks of other bridges into the table.
fn watch_marks(
    link: &Link,
    table: &Arc<Mutex<Table>>,
    inputs: &Arc<Inputs>,
) -> Result<Subscriber<()>, SessionError> {
    let (table, inputs) = (table.clone(), inputs.clone());
    let subscriber = link.session.liveliness().declare_subscriber(marks_of(link.domain)).history(true);
    let subscriber = subscriber.callback(move |sample| {
        let Some((session, mark)) = read_mark(sample.key_expr().as_str()) else { return };
        let is_there = sample.kind() == SampleKind::Put;
        lock(&table).note_mark(session, &mark, is_there);
        if let Mark::Sends { gid, kept, .. } = mark
            && is_there
        {
            inputs.note_sending(gid, kept);
        }
    });
    subscriber.wait().map_err(|error| SessionError::Open(error.to_string()))
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
        if text.contains(&own) {
            return;
        }
        match sample.kind() {
            SampleKind::Put => lock(&table).add(text),
            SampleKind::Delete => lock(&table).remove(text, Instant::now()),
        }
        // It fails only when the bridge ends.
        let _ = tasks.send(Task::Refresh);
    });
    subscriber.wait().map_err(|error| SessionError::Open(error.to_string()))
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
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    match network {
        "" | DEFAULT_NETWORK => BRIDGE.into(),
        _ => format!("{BRIDGE}_{}", network.chars().map(letter).collect::<String>()),
    }
}

/// Applies what others announce, until the bridge ends.
fn follow(
    relay: &Arc<Relay>,
    link: &Link,
    table: &Arc<Mutex<Table>>,
    types: &Arc<Types>,
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
        let (held, refused_now, questions, (again, next_again)) = {
            let mut table = lock(table);
            (table.remove_due(now), table.refused(), table.take_questions(), table.take_again(now))
        };
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
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn bridges_to_different_networks_have_different_node_names() {
        let names = ["", DEFAULT_NETWORK, "fleet", "base station"].map(node_name);
        assert_eq!(
            names,
            ["saltus_bridge", "saltus_bridge", "saltus_bridge_fleet", "saltus_bridge_base_station"]
        );
    }

    #[test]
    fn the_cause_of_no_answer_names_the_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let tls = refusal(&[format!("tls/{address}")], true).unwrap();
        assert!(tls.starts_with(&format!("tls/{address} does not accept this host: ")), "{tls}");
        drop(listener);
        let refused = refusal(&[format!("tcp/{address}")], false).unwrap();
        assert!(refused.starts_with(&format!("tcp/{address} does not answer: ")), "{refused}");
        assert!(refused.contains("refused"), "{refused}");
        assert_eq!(refusal(&["unixsock-stream/x".into()], false), None);
        assert_eq!(refusal(&[], false), None);
    }
}
