//! The connections of a bridge to other sessions, and why there is none.

use std::{
    collections::HashSet,
    io,
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    sync::{Arc, Mutex},
    time::Duration,
};

use saltus_types::lock;
use zenoh::{
    Wait,
    sample::SampleKind,
    session::{Link as Connection, LinkEvent},
};

use crate::{
    link::{Job, Link, Task},
    session::{ROUTER, SessionError},
    sockets,
    worker::{Queue, Worker},
};

/// The longest time within which an address is expected to answer. The session tries on after it.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
/// The longest time that an attempt to connect may take.
const PROBE: Duration = Duration::from_millis(500);
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
        let lost = Mutex::default();
        let connections = Arc::new(Self { link, addresses, has_keys, lost, jobs, _worker: worker });
        let weak = Arc::downgrade(&connections);
        let on_event = move |event: LinkEvent| {
            let Some(connections) = weak.upgrade() else { return };
            let is_there = event.kind() == SampleKind::Put;
            if is_there {
                connections.prepare();
            }
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
    fn the_address_in_a_locator_is_found() {
        assert_eq!(resolve("tls/127.0.0.1:7447#iface=lo"), Some(vec!["127.0.0.1:7447".parse().unwrap()]));
        assert_eq!(socket_address("tcp/[::1]:80?x=1"), Some("[::1]:80".parse().unwrap()));
        assert_eq!((resolve("unixsock-stream/x"), socket_address("tcp/localhost:1")), (None, None));
    }
}
