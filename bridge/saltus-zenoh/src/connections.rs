//! The connections of a bridge to other sessions, and why there is none.

use std::{
    collections::{HashMap, HashSet},
    io,
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus_types::lock;
use zenoh::{
    Wait,
    sample::SampleKind,
    session::{Link as Connection, LinkEvent},
};

use crate::{
    heap,
    link::{Job, Link, Task},
    session::{ROUTER, SessionError},
    sockets,
    worker::{Queue, Worker},
};

/// The longest time within which an address is expected to answer. The session tries on after it.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
/// The longest time that an attempt to connect may take.
const PROBE: Duration = Duration::from_millis(500);
/// The number of names that have gone after which a connection is made anew. For each there are up to four in zenoh: a token, a key, and for
/// what a publisher keeps two more. A connection has 65,535 numbers.
const MAX_GONE: u64 = 4_000;
/// How long a connection is there at least. A host that announces in vain can't make others connect all the time.
const MIN_AGE: Duration = Duration::from_secs(10);
/// The longest time until what a connection needed is freed.
const FREED_WITHIN: Duration = Duration::from_secs(1);
/// The most jobs that wait for the thread.
const MAX_JOBS: usize = 1000;

/// The connections of a session.
#[derive(Debug)]
pub(crate) struct Connections {
    link: Arc<Link>,
    /// The addresses that the session connects to.
    addresses: Vec<String>,
    has_keys: bool,
    /// The addresses that were connected, and are not any more.
    lost: Mutex<HashSet<String>>,
    /// The connections by TCP that are there.
    open: Mutex<Open>,
    /// The thread for what may wait: names of hosts may take long to look up.
    jobs: Arc<Queue<Job>>,
    _worker: Worker,
}

impl Connections {
    /// Watches the connections of a session. `addresses` are those that it connects to.
    pub(crate) fn new(
        link: Arc<Link>,
        addresses: Vec<String>,
        has_keys: bool,
    ) -> Result<Arc<Self>, SessionError> {
        let worker = Worker::new("connections");
        let jobs = worker.queue(MAX_JOBS, None, |job: Job| job());
        let (lost, open) = (Mutex::default(), Mutex::default());
        let connections = Arc::new(Self { link, addresses, has_keys, lost, open, jobs, _worker: worker });
        let weak = Arc::downgrade(&connections);
        let on_event = move |event: LinkEvent| {
            let Some(connections) = weak.upgrade() else { return };
            let is_there = event.kind() == SampleKind::Put;
            if is_there {
                connections.prepare();
            }
            connections.note_age(event.link(), is_there);
            let connection = event.link().clone();
            connections.clone().run(Box::new(move || connections.note(&connection, is_there)));
        };
        let info = connections.link.session.info();
        let listener = info.link_events_listener().history(true).callback(on_event);
        listener.background().wait().map_err(SessionError::open)?;
        Ok(connections)
    }

    /// Calls a function in the thread for what may wait.
    pub(crate) fn run(&self, job: Job) {
        self.jobs.push(job);
    }

    /// Prepares a new connection.
    fn prepare(&self) {
        if let Err(error) = sockets::limit_unsent() {
            let period = Duration::from_secs(3600);
            saltus_node::warn_throttle!(
                self.link.logger,
                period,
                "commands may wait behind images on slow links: {error}"
            );
        }
    }

    fn note_age(&self, connection: &Connection, is_there: bool) {
        let Some(ends) = ends(connection) else { return };
        let Open { connections, gone } = &mut *lock(&self.open);
        match is_there {
            true => _ = connections.insert(ends, Age { gone: *gone, at: Instant::now() }),
            false => _ = connections.remove(&ends),
        }
    }

    /// Ends connections over which many names have passed that have gone, so that they are made anew.
    ///
    /// Zenoh gives each name a number of 16 bits for the time of a connection, and does not take it back. With the last number, the
    /// thread that announces one more name never returns (zenoh 1.10.2, `FaceState::get_next_local_id`).
    pub(crate) fn renew(&self, gone: u64) {
        let due = lock(&self.open).take_due(gone, Instant::now());
        if due.is_empty() {
            return;
        }
        for (here, there) in due {
            saltus_node::info!(self.link.logger, "connects with {there} anew, after many names have gone");
            if let Err(error) = sockets::end(here, there) {
                saltus_node::warn!(self.link.logger, "can't end the connection with {there}: {error}");
            }
        }
        let jobs = self.jobs.clone();
        let give_back = move || _ = jobs.push(Box::new(heap::give_back));
        // It fails only when the bridge has ended.
        let _ = self.link.tasks.send(Task::RunAfter(FREED_WITHIN, Box::new(give_back)));
    }

    /// Logs that a connection to one of the addresses was lost, or is there again.
    fn note(&self, connection: &Connection, is_there: bool) {
        let is_to = |address: &&String| is_between(connection, &resolve(address).unwrap_or_default(), &[]);
        let Some(address) = self.addresses.iter().find(is_to) else { return };
        if !is_there {
            lock(&self.lost).insert(address.clone());
            saltus_node::warn!(self.link.logger, "the connection to {address} was lost. Tries on");
        } else if lock(&self.lost).remove(address) {
            saltus_node::info!(self.link.logger, "the connection to {address} is there again");
        }
    }

    /// Logs after some time which addresses do not answer. If there are none, and no other session has connected, that is said.
    pub(crate) fn tell_later(self: &Arc<Self>) {
        let this = self.clone();
        let look = move || {
            let asking = this.clone();
            this.run(Box::new(move || {
                for (_, why) in asking.missing() {
                    saltus_node::warn!(asking.link.logger, "{why}. Tries on");
                }
            }));
        };
        // It fails only when the bridge has ended.
        let _ = self.link.tasks.send(Task::RunAfter(ANSWERS_WITHIN, Box::new(look)));
    }

    /// Returns the addresses without a connection, each with the cause. It may take a second for each of them.
    pub(crate) fn missing(&self) -> Vec<(&str, String)> {
        let info = self.link.session.info();
        let connections: Vec<Connection> = info.links().wait().collect();
        let own: Vec<SocketAddr> =
            info.locators().wait().iter().filter_map(|one| socket_address(one.as_str())).collect();
        let missing = |address: &&String| match resolve(address) {
            // Without an address of the Internet, any connection may be the one.
            None => connections.is_empty(),
            Some(targets) => !connections.iter().any(|one| is_between(one, &targets, &own)),
        };
        let all = self.addresses.iter().filter(missing);
        all.map(|address| (address.as_str(), why_not(address, self.has_keys))).collect()
    }
}

/// The connections by TCP, by their two addresses.
#[derive(Debug, Default)]
struct Open {
    connections: HashMap<(SocketAddr, SocketAddr), Age>,
    /// How many names had gone when this was last told.
    gone: u64,
}

/// When a connection was made.
#[derive(Clone, Copy, Debug)]
struct Age {
    gone: u64,
    at: Instant,
}

impl Open {
    /// Takes the connections that must be made anew after `gone` names have gone.
    fn take_due(&mut self, gone: u64, now: Instant) -> Vec<(SocketAddr, SocketAddr)> {
        self.gone = gone;
        let is_due = |age: &Age| {
            gone.saturating_sub(age.gone) >= MAX_GONE && now.saturating_duration_since(age.at) >= MIN_AGE
        };
        self.connections.extract_if(|_, age| is_due(age)).map(|(ends, _)| ends).collect()
    }
}

/// Returns the two addresses of a connection, if it is one by TCP.
fn ends(connection: &Connection) -> Option<(SocketAddr, SocketAddr)> {
    let end = |locator: &str| {
        let is_tcp = locator.starts_with("tcp/") || locator.starts_with("tls/");
        is_tcp.then(|| socket_address(locator)).flatten()
    };
    Some((end(connection.src().as_str())?, end(connection.dst().as_str())?))
}

/// Returns whether a connection is one to an address. If the other side has made it, to one of the addresses `own`, its host counts.
fn is_between(connection: &Connection, targets: &[SocketAddr], own: &[SocketAddr]) -> bool {
    let Some(there) = socket_address(connection.dst().as_str()) else { return false };
    let here = socket_address(connection.src().as_str());
    let is_from_there = here.is_some_and(|here| own.iter().any(|own| own.port() == here.port()));
    targets.iter().any(|target| *target == there || is_from_there && target.ip() == there.ip())
}

/// Returns the address in a locator of zenoh, such as `tcp/10.0.0.1:7447`.
fn socket_address(locator: &str) -> Option<SocketAddr> {
    locator.split_once('/')?.1.split(['?', '#']).next()?.parse().ok()
}

/// Returns the addresses of a locator, whose host may have a name: none if the name has none. `None` if it is not one of the Internet.
fn resolve(locator: &str) -> Option<Vec<SocketAddr>> {
    let (protocol, rest) = locator.split_once('/')?;
    let host = rest.split(['?', '#']).next()?;
    if protocol.starts_with("unix") {
        return None;
    }
    Some(host.to_socket_addrs().map(Iterator::collect).unwrap_or_default())
}

/// Tries to connect to an address.
fn probe(address: &str) -> io::Result<()> {
    let mut result = Err(io::Error::other("its name has no address"));
    for one in resolve(address).unwrap_or_default() {
        result = TcpStream::connect_timeout(&one, PROBE).map(drop);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Returns why there is no connection to an address, as far as that can be known.
fn why_not(address: &str, has_keys: bool) -> String {
    let is_tls = address.starts_with("tls/");
    if !is_tls && !address.starts_with("tcp/") {
        return format!("{address} does not answer");
    }
    if let Err(error) = probe(address) {
        let hint = match address {
            ROUTER => {
                "; start `saltus bridge --router` or rmw_zenohd here, or name an address with --connect"
            }
            _ => "",
        };
        return format!("{address} does not answer: {error}{hint}");
    }
    match (is_tls, has_keys) {
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
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_cause_of_no_answer_names_the_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let tls = why_not(&format!("tls/{address}"), true);
        assert!(tls.starts_with(&format!("tls/{address} does not accept this host: ")), "{tls}");
        drop(listener);
        let refused = why_not(&format!("tcp/{address}"), false);
        assert!(refused.starts_with(&format!("tcp/{address} does not answer: ")), "{refused}");
        assert!(refused.contains("refused"), "{refused}");
        assert_eq!(why_not("unixsock-stream/x", false), "unixsock-stream/x does not answer");
        assert_eq!(why_not("tcp/no-such-host.invalid:1", false).split(": ").count(), 2);
    }

    #[test]
    fn a_connection_is_made_anew_after_many_names_have_gone() {
        let (mut open, now) = (Open::default(), Instant::now());
        let ends =
            |port| (SocketAddr::from(([127, 0, 0, 1], port)), SocketAddr::from(([127, 0, 0, 1], 7447)));
        open.connections.insert(ends(1), Age { gone: 0, at: now });
        assert!(open.take_due(MAX_GONE - 1, now + MIN_AGE).is_empty());
        open.connections.insert(ends(2), Age { gone: open.gone, at: now });
        assert!(open.take_due(MAX_GONE, now).is_empty(), "it is too new");
        assert_eq!(open.take_due(MAX_GONE, now + MIN_AGE), [ends(1)]);
        assert!(open.take_due(MAX_GONE, now + MIN_AGE).is_empty(), "it is closed already");
        assert_eq!(open.take_due(2 * MAX_GONE, now + MIN_AGE), [ends(2)]);
    }

    #[test]
    fn the_address_in_a_locator_is_found() {
        assert_eq!(resolve("tls/127.0.0.1:7447#iface=lo"), Some(vec!["127.0.0.1:7447".parse().unwrap()]));
        assert_eq!(socket_address("tcp/[::1]:80?x=1"), Some("[::1]:80".parse().unwrap()));
        assert_eq!((resolve("unixsock-stream/x"), socket_address("tcp/localhost:1")), (None, None));
    }
}
