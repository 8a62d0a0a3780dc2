//! The connections of a bridge to other sessions, and why there is none.

use std::{
    collections::HashSet,
    io,
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    sync::{Arc, Mutex, mpsc},
    thread,
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
/// The number of names that have gone after which all connections are made anew. For each there are up to six in zenoh: its token, key and mark,
/// two more for what a publisher keeps, and the token of its node. A connection has 65,535 numbers.
const MAX_GONE: usize = 4_000;
/// The same while calls wait for a response, which they would lose.
const MAX_GONE_WITH_CALLS: usize = 10_000;
/// The time from one renewal to the next one, at least.
const MIN_AGE: Duration = Duration::from_secs(10);
/// The longest time until what a connection needed is freed.
const FREED_WITHIN: Duration = Duration::from_secs(1);
/// The most jobs that wait for the thread.
const MAX_JOBS: usize = 1000;

/// The two addresses of a connection by TCP: this one, and the other one.
type Ends = (SocketAddr, SocketAddr);

/// The connections of a session.
#[derive(Debug)]
pub(crate) struct Connections {
    link: Arc<Link>,
    /// The addresses that the session connects to.
    addresses: Vec<String>,
    has_keys: bool,
    /// The addresses that were connected, and are not any more.
    lost: Mutex<HashSet<String>>,
    open: Mutex<Open>,
    /// The thread for what may wait: names of hosts may take long to look up.
    jobs: Arc<Queue<Job>>,
    _worker: Worker,
}

/// The connections by TCP that are there.
#[derive(Debug, Default)]
struct Open {
    connections: HashSet<Ends>,
    /// When they were made anew, and which.
    renewed: Option<(Instant, HashSet<Ends>)>,
}

/// An address without a connection.
#[derive(Debug)]
pub(crate) struct Missing {
    pub(crate) address: String,
    pub(crate) why: String,
    /// Whether it may be one that is not needed: it answers, and there are other connections.
    pub(crate) may_be_well: bool,
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
            let is_planned = connections.note_open(event.link(), is_there);
            let connection = event.link().clone();
            connections.clone().run(Box::new(move || connections.tell(&connection, is_there, is_planned)));
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
        if let Err(error) = sockets::prepare() {
            let period = Duration::from_secs(3600);
            saltus_node::warn_throttle!(
                self.link.logger,
                period,
                "commands may wait behind images on slow links, and longer after a stall: {error}"
            );
        }
    }

    /// Notes that a connection is there, or has gone. Returns whether this bridge has ended it.
    fn note_open(&self, connection: &Connection, is_there: bool) -> bool {
        let Some(ends) = ends(connection) else { return false };
        let Open { connections, renewed } = &mut *lock(&self.open);
        match is_there {
            true => _ = connections.insert(ends),
            false => _ = connections.remove(&ends),
        }
        renewed.as_mut().is_some_and(|(_, ended)| !is_there && ended.remove(&ends))
    }

    /// Ends all connections after `gone` names have gone, so that they are made anew. Returns whether no connection has numbers for these names
    /// any more.
    ///
    /// Zenoh gives each name a number of 16 bits for the time of a connection, and does not take it back. With the last number, the
    /// thread that announces one more name never returns (zenoh 1.10.2, `FaceState::get_next_local_id`). All are ended: a connection that
    /// two peers have made because a router has told them of each other is only made again with the one to the router.
    pub(crate) fn renew(&self, gone: usize) -> bool {
        let max = if self.link.has_calls() { MAX_GONE_WITH_CALLS } else { MAX_GONE };
        let Some(due) = lock(&self.open).take_due(gone, max, Instant::now()) else { return false };
        if due.is_empty() {
            return true;
        }
        saltus_node::info!(self.link.logger, "makes all connections anew, after {gone} names have gone");
        for (here, there) in due {
            match sockets::end(here, there) {
                Ok(true) => {}
                Ok(false) => saltus_node::warn!(self.link.logger, "found no connection with {there} to end"),
                Err(error) => {
                    saltus_node::warn!(self.link.logger, "can't end the connection with {there}: {error}");
                }
            }
        }
        let jobs = self.jobs.clone();
        let give_back = move || _ = jobs.push(Box::new(heap::give_back));
        // It fails only when the bridge has ended.
        let _ = self.link.tasks.send(Task::RunAfter(FREED_WITHIN, Box::new(give_back)));
        true
    }

    /// Logs that a connection to one of the addresses was lost, or is there again.
    fn tell(&self, connection: &Connection, is_there: bool, is_planned: bool) {
        let own = self.own_addresses();
        let is_to = |address: &&String| is_between(connection, &resolve(address).unwrap_or_default(), &own);
        let Some(address) = self.addresses.iter().find(is_to) else { return };
        if is_there {
            if lock(&self.lost).remove(address) {
                saltus_node::info!(self.link.logger, "the connection to {address} is there again");
            }
        } else if !is_planned {
            lock(&self.lost).insert(address.clone());
            saltus_node::warn!(self.link.logger, "the connection to {address} was lost. Tries on");
        }
    }

    fn own_addresses(&self) -> Vec<SocketAddr> {
        let locators = self.link.session.info().locators().wait();
        locators.iter().filter_map(|one| socket_address(one.as_str())).collect()
    }

    /// Logs after some time which addresses do not answer.
    pub(crate) fn tell_later(self: &Arc<Self>) {
        let this = self.clone();
        let look = move || {
            let asking = this.clone();
            this.run(Box::new(move || {
                for Missing { why, .. } in asking.missing() {
                    saltus_node::warn!(asking.link.logger, "{why}. Tries on");
                }
            }));
        };
        // It fails only when the bridge has ended.
        let _ = self.link.tasks.send(Task::RunAfter(ANSWERS_WITHIN, Box::new(look)));
    }

    /// Returns the addresses without a connection, each with the cause. It takes at most a second.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        let connections: Arc<[Connection]> = self.link.session.info().links().wait().collect();
        // If there is only the default, any connection will do.
        if self.addresses == [ROUTER] && !connections.is_empty() {
            return Vec::new();
        }
        let own: Arc<[SocketAddr]> = self.own_addresses().into();
        let (sender, answers) = mpsc::channel();
        for (number, address) in self.addresses.iter().cloned().enumerate() {
            let (sender, connections, own) = (sender.clone(), connections.clone(), own.clone());
            let has_keys = self.has_keys;
            let look = move || {
                // It fails if nobody waits any more.
                let _ = sender.send((number, missing(&address, &connections, &own, has_keys)));
            };
            // Without a thread, the address counts as one that takes too long.
            let _ = thread::Builder::new().name("address".into()).spawn(look);
        }
        drop(sender);
        let late = |address: &String| {
            let why = format!("{address} could not be looked up within a second");
            Some(Missing { address: address.clone(), why, may_be_well: false })
        };
        let mut all: Vec<Option<Missing>> = self.addresses.iter().map(late).collect();
        let end = Instant::now() + ANSWERS_WITHIN;
        while let Ok((number, found)) = answers.recv_timeout(end.saturating_duration_since(Instant::now())) {
            all[number] = found;
        }
        all.into_iter().flatten().collect()
    }
}

impl Open {
    /// Takes all connections if they are due after `gone` names have gone. The result is empty if there are none, so that nothing has numbers for these names.
    fn take_due(&mut self, gone: usize, max: usize, now: Instant) -> Option<HashSet<Ends>> {
        if self.connections.is_empty() {
            return (gone > 0).then(HashSet::new);
        }
        let is_new =
            self.renewed.as_ref().is_some_and(|(at, _)| now.saturating_duration_since(*at) < MIN_AGE);
        if gone < max || is_new {
            return None;
        }
        self.renewed = Some((now, self.connections.clone()));
        Some(std::mem::take(&mut self.connections))
    }
}

/// Returns the two addresses of a connection, if it is one by TCP.
fn ends(connection: &Connection) -> Option<Ends> {
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

/// Returns the address in a locator of zenoh, such as `tcp/10.0.0.1:7447`. One of IPv4 in the form of IPv6 is one of IPv4.
fn socket_address(locator: &str) -> Option<SocketAddr> {
    let address: SocketAddr = locator.split_once('/')?.1.split(['?', '#']).next()?.parse().ok()?;
    Some(SocketAddr::new(address.ip().to_canonical(), address.port()))
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

/// Returns why there is no connection to an address, as far as that can be known. `None` if there is one.
fn missing(address: &str, connections: &[Connection], own: &[SocketAddr], has_keys: bool) -> Option<Missing> {
    let targets = resolve(address);
    let is_there = match &targets {
        // Without an address of the Internet, any connection may be the one.
        None => !connections.is_empty(),
        Some(targets) => connections.iter().any(|one| is_between(one, targets, own)),
    };
    if is_there {
        return None;
    }
    let (why, answers) = why_not(address, &targets.unwrap_or_default(), has_keys);
    Some(Missing { address: address.to_owned(), why, may_be_well: answers && !connections.is_empty() })
}

/// Tries to connect to one of several addresses.
fn probe(targets: &[SocketAddr]) -> io::Result<()> {
    let mut result = Err(io::Error::other("its name has no address"));
    for one in targets {
        result = TcpStream::connect_timeout(one, PROBE).map(drop);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Returns why there is no connection to an address, and whether it answers.
fn why_not(address: &str, targets: &[SocketAddr], has_keys: bool) -> (String, bool) {
    let is_tls = address.starts_with("tls/");
    if !is_tls && !address.starts_with("tcp/") {
        return (format!("{address} does not answer"), false);
    }
    if let Err(error) = probe(targets) {
        let hint = match address {
            ROUTER => {
                "; start `saltus bridge --router` or rmw_zenohd here, or name an address with --connect"
            }
            _ => "",
        };
        return (format!("{address} does not answer: {error}{hint}"), false);
    }
    let cause = match (is_tls, has_keys) {
        (true, true) => {
            "one of the two has a certificate of an authority that the other one does not know, or one that has expired, \
             or nothing there speaks TLS. `saltus bridge keys` makes certificates of one authority"
        }
        (true, false) => "it asks for a certificate; name one with --keys",
        (false, _) => "it may ask for TLS; connect to tls/ with --keys",
    };
    let text = format!(
        "{address} answers, and does not accept this host (or not yet, or its host is connected already): {cause}"
    );
    (text, true)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_cause_of_no_answer_names_the_address() {
        let why = |address: &str, has_keys| why_not(address, &resolve(address).unwrap_or_default(), has_keys);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (tls, answers) = why(&format!("tls/{address}"), true);
        assert!(answers && tls.starts_with(&format!("tls/{address} answers, and does not accept")), "{tls}");
        drop(listener);
        let (refused, answers) = why(&format!("tcp/{address}"), false);
        assert!(!answers && refused.starts_with(&format!("tcp/{address} does not answer: ")), "{refused}");
        assert!(refused.contains("refused"), "{refused}");
        assert_eq!(why("unixsock-stream/x", false).0, "unixsock-stream/x does not answer");
        assert!(why("tcp/no-such-host.invalid:1", false).0.ends_with("its name has no address"));
    }

    #[test]
    fn all_connections_are_made_anew_after_many_names_have_gone() {
        let (mut open, now) = (Open::default(), Instant::now());
        let ends =
            |port| (SocketAddr::from(([127, 0, 0, 1], port)), SocketAddr::from(([127, 0, 0, 1], 7447)));
        assert_eq!(open.take_due(5, 10, now), Some(HashSet::new()), "there is no connection");
        open.connections.extend([ends(1), ends(2)]);
        assert_eq!(open.take_due(9, 10, now), None);
        assert_eq!(open.take_due(10, 10, now), Some(HashSet::from([ends(1), ends(2)])));
        open.connections.insert(ends(3));
        assert_eq!(open.take_due(10, 10, now + MIN_AGE / 2), None, "it is too new");
        assert_eq!(open.take_due(10, 10, now + MIN_AGE), Some(HashSet::from([ends(3)])));
    }

    #[test]
    fn the_address_in_a_locator_is_found() {
        assert_eq!(resolve("tls/127.0.0.1:7447#iface=lo"), Some(vec!["127.0.0.1:7447".parse().unwrap()]));
        assert_eq!(socket_address("tcp/[::1]:80?x=1"), Some("[::1]:80".parse().unwrap()));
        assert_eq!(socket_address("tcp/[::ffff:10.0.0.1]:80"), Some("10.0.0.1:80".parse().unwrap()));
        assert_eq!((resolve("unixsock-stream/x"), socket_address("tcp/localhost:1")), (None, None));
    }
}
