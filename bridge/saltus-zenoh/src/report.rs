//! What a bridge tells about itself: its links, what others have announced in vain, and which names its rules stop.
//!
//! It is the response of the service `~/self_test` (`diagnostic_msgs/srv/SelfTest`) of its node, which `saltus doctor` calls.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use saltus_host::{NodeInfo, Origin};
use saltus_msgs::diagnostic_msgs::{
    msg::{DiagnosticStatus, KeyValue},
    srv::{SelfTest, SelfTest_Response},
};
use saltus_node::{NodeError, Server};
use saltus_relay::{
    ChannelName, Domain, EndpointChange, Rules, Verdict,
    diagnostics::{CLOCK_AHEAD, CLOCK_ERROR, FIX},
};
use saltus_rmw::nodes_of_session;
use saltus_types::{NodeName, lock};
use zenoh::{Wait, query::Reply, session::Link as Connection};

use crate::{
    clocks::{Clocks, Offset},
    connections::{Connections, Missing},
    link::{BRIDGE, Link, bridges_of_session},
    peers::{MAX_OF_SESSION, Peer},
    rules::Passing,
    table::Table,
};

/// Why a name does not pass that no rule matches.
const NOT_NAMED: &str = "no rule lets it pass";
const NOT_THIS_WAY: &str = "a rule lets it pass in the other direction only";
/// The most sessions, and the most names, in a report.
const MAX: usize = 100;
/// The most sessions that are asked for their domains, and for how long.
const MAX_ASKED: usize = 10;
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);
/// How far a clock may be ahead or behind. Transforms and time stamps of other hosts are of little use with more.
const MAX_AHEAD: Duration = Duration::from_millis(100);

/// What a report is about.
pub(crate) struct Reporter {
    pub(crate) link: Arc<Link>,
    pub(crate) domain: Domain,
    pub(crate) table: Arc<Mutex<Table>>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) clocks: Arc<Clocks>,
    pub(crate) passing: Passing,
}

impl Reporter {
    /// Opens the service. The thread of the connections makes the reports, so that no message waits for one.
    pub(crate) fn serve(self) -> Result<Server<SelfTest>, NodeError> {
        let (node, reporter) = (self.domain.node().clone(), Arc::new(self));
        node.service::<SelfTest>("~/self_test").deferred(move |_, responder| {
            let asked = reporter.clone();
            let tell = move || {
                // An error is ignored: who has asked has gone.
                let _ = responder.send(&asked.report());
            };
            reporter.connections.run(Box::new(tell));
        })
    }

    fn report(&self) -> SelfTest_Response {
        let (remote, peers, lost) = {
            let table = lock(&self.table);
            (table.endpoints(), table.peers(), table.hosts().lost(Instant::now()))
        };
        let mut status = vec![self.own_status()];
        status.extend(self.connections.missing().into_iter().map(missing_status));
        status.extend(lost.into_iter().map(lost_status));
        status.extend(self.sessions(peers));
        status.extend(stopped(&self.domain.endpoints(), &remote, &self.passing));
        let passed = u8::from(status.iter().all(|one| one.level != DiagnosticStatus::ERROR));
        SelfTest_Response { id: self.link.id().into(), passed, status }
    }

    fn own_status(&self) -> DiagnosticStatus {
        let (messages, bytes) = self.link.sent.get();
        let info = self.link.session.info();
        let addresses: Vec<String> = info.locators().wait().iter().map(ToString::to_string).collect();
        DiagnosticStatus {
            level: DiagnosticStatus::OK,
            name: "this bridge".into(),
            message: format!("domain {}, at {}", self.link.domain, addresses.join(" ")),
            hardware_id: self.link.id().into(),
            values: values([("messages sent", messages), ("bytes sent", bytes)]),
        }
    }

    /// Returns the sessions that have announced something, and those that are connected.
    fn sessions(&self, peers: Vec<(String, Origin, Peer)>) -> impl Iterator<Item = DiagnosticStatus> {
        let links = self.link.session.info().links().wait();
        let mut addresses: BTreeMap<String, String> =
            links.map(|link| (link.zid().to_string(), address_of(&link))).collect();
        let announced: Vec<_> = peers
            .into_iter()
            .map(|(session, origin, peer)| (addresses.remove(&session), session, origin, peer))
            .collect();
        let mut elsewhere = domains_of(&self.link, addresses.keys());
        let is_alone = !announced.iter().any(|(.., peer)| peer.endpoints > 0);
        let silent: Vec<_> = {
            let table = lock(&self.table);
            let silent = |(session, address): (String, String)| {
                let origin = table.origin_of(&session);
                (Some(address), session, origin, Peer::default())
            };
            addresses.into_iter().map(silent).collect()
        };
        let left_out = (announced.len() + silent.len()).saturating_sub(MAX);
        let all: Vec<DiagnosticStatus> = announced
            .into_iter()
            .chain(silent)
            .take(MAX)
            .map(|(address, session, origin, peer)| {
                let clock = self.clocks.offset(&session);
                let domains = elsewhere.remove(&session);
                let mut status = session_status(session, &origin, &peer, address, clock);
                if let Some(domains) = domains {
                    add_domains(&mut status, &domains, self.link.domain, is_alone);
                }
                status
            })
            .collect();
        let rest = (left_out > 0).then(|| DiagnosticStatus {
            level: DiagnosticStatus::OK,
            name: "more sessions".into(),
            message: format!("{left_out} are left out here"),
            hardware_id: String::new(),
            values: Vec::new(),
        });
        all.into_iter().chain(rest)
    }
}

/// Returns the address of the other side of a connection, with the name in its certificate if it has shown one.
fn address_of(connection: &Connection) -> String {
    match connection.auth_identifier() {
        Some(name) => format!("{} with the certificate of `{name}`", connection.dst()),
        None => connection.dst().to_string(),
    }
}

fn missing_status(Missing { address, why, may_be_well }: Missing) -> DiagnosticStatus {
    let fix = "start a bridge or a router there, look at the network between the hosts, or name another address with --connect";
    DiagnosticStatus {
        level: if may_be_well { DiagnosticStatus::WARN } else { DiagnosticStatus::ERROR },
        name: format!("connection to {address}"),
        message: why,
        hardware_id: String::new(),
        values: vec![value(FIX, fix.into())],
    }
}

fn lost_status((host, at): (String, Instant)) -> DiagnosticStatus {
    DiagnosticStatus {
        level: DiagnosticStatus::WARN,
        name: host,
        message: format!("was lost {} s ago, and has not come back", at.elapsed().as_secs()),
        hardware_id: String::new(),
        values: Vec::new(),
    }
}

/// The domains of sessions.
type Domains = BTreeMap<String, BTreeSet<u32>>;

/// Returns the domains in which sessions announce nodes or bridges, of those sessions that do so in any. At most [`MAX_NODES`] for each.
fn domains_of<'a>(link: &Link, sessions: impl Iterator<Item = &'a String>) -> Domains {
    let found = Arc::<Mutex<Domains>>::default();
    // The last sender goes when no more answers can come.
    let (sender, end) = mpsc::channel::<()>();
    for session in sessions.take(MAX_ASKED) {
        for key in [nodes_of_session(session), bridges_of_session(session)] {
            let (found, sender) = (found.clone(), sender.clone());
            let note = move |reply: Reply| {
                let _sender = &sender;
                let domain = reply.result().ok().and_then(|sample| domain_in(sample.key_expr().as_str()));
                let Some((session, domain)) = domain else { return };
                let mut found = lock(&found);
                let domains = found.entry(session).or_default();
                if domains.len() < MAX_NODES {
                    domains.insert(domain);
                }
            };
            // An error means that the session is closed.
            let _ = link.session.liveliness().get(key).timeout(ANSWERS_WITHIN).callback(note).wait();
        }
    }
    drop(sender);
    // An error is the end, or that it takes too long.
    let _ = end.recv_timeout(ANSWERS_WITHIN);
    std::mem::take(&mut lock(&found))
}

/// Returns the session and the domain in a token or a mark.
fn domain_in(text: &str) -> Option<(String, u32)> {
    let mut parts = text.split('/').skip(1);
    let domain = parts.next()?.parse().ok()?;
    Some((parts.next()?.to_owned(), domain))
}

/// Adds that a session announces something, but not in the domain of this bridge. It is an error if nobody does so in this domain.
fn add_domains(status: &mut DiagnosticStatus, domains: &BTreeSet<u32>, own: u32, is_alone: bool) {
    if domains.contains(&own) {
        return;
    }
    let list = domains.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    status.message.push_str(&format!("; it is in domain {list}, and this bridge is in domain {own}"));
    if is_alone {
        status.level = DiagnosticStatus::ERROR;
        status.values.push(value(FIX, "start both with the same ROS_DOMAIN_ID".into()));
    }
}

fn session_status(
    session: String,
    origin: &Origin,
    peer: &Peer,
    address: Option<String>,
    clock: Option<Offset>,
) -> DiagnosticStatus {
    let (messages, bytes) = peer.received.get();
    let mut parts = vec![address.unwrap_or_else(|| "through another session".into())];
    let mut fixes = Vec::new();
    if peer.too_many > 0 {
        let count = peer.too_many;
        parts.push(format!(
            "endpoints that are not shown (at most {MAX_OF_SESSION} of a session are): {count}"
        ));
        fixes.push("let that host announce less (rules of its bridge, or a domain of its own)");
    }
    if peer.invalid > 0 {
        parts.push(format!("tokens that can't be read: {}", peer.invalid));
        fixes.push("look for a program that announces what no node announces");
    }
    let mut values = values([
        ("endpoints", peer.endpoints as u64),
        ("messages received", messages),
        ("bytes received", bytes),
    ]);
    if let Some(Offset { ahead, error, .. }) = clock {
        let milliseconds = |nanoseconds: f64| format!("{:.3}", nanoseconds / 1e6);
        values.push(value(CLOCK_AHEAD, milliseconds(ahead as f64)));
        values.push(value(CLOCK_ERROR, milliseconds(error.as_nanos() as f64)));
        if u128::from(ahead.unsigned_abs()) > (MAX_AHEAD + error).as_nanos() {
            let direction = if ahead > 0 { "ahead" } else { "behind" };
            parts.push(format!("its clock is {} s {direction}", ahead.unsigned_abs() as f64 / 1e9));
            fixes.push("synchronize the clocks of both hosts (`chronyd`)");
        }
    }
    let level = if fixes.is_empty() { DiagnosticStatus::OK } else { DiagnosticStatus::ERROR };
    values.extend((!fixes.is_empty()).then(|| value(FIX, fixes.join("; "))));
    DiagnosticStatus {
        level,
        name: origin.name().into(),
        message: parts.join("; "),
        hardware_id: session,
        values,
    }
}

fn value(key: &str, value: String) -> KeyValue {
    KeyValue { key: key.into(), value }
}

fn values<const N: usize>(values: [(&str, u64); N]) -> Vec<KeyValue> {
    values.map(|(key, number)| value(key, number.to_string())).into()
}

/// The most nodes that are named for a name that is stopped.
const MAX_NODES: usize = 5;
/// The topics of every node. That no rule lets them pass needs no words.
const OF_EVERY_NODE: [&str; 2] = ["/rosout", "/parameter_events"];

/// A name that rules stop, as this host has it, whether it does not leave this host, and why.
type Stop = (ChannelName, bool, String);

/// Returns the names that rules stop although both sides use them: from a publisher or server to a subscription or client.
fn stopped(
    local: &[EndpointChange],
    remote: &[EndpointChange],
    passing: &Passing,
) -> impl Iterator<Item = DiagnosticStatus> + use<> {
    let mut found = BTreeMap::<Stop, [BTreeSet<String>; 2]>::new();
    let namespace = &passing.namespace;
    find(
        local,
        remote,
        [&passing.out, &passing.into],
        |name| Some(format!("{namespace}{name}")),
        |stop, from, to| {
            note(&mut found, (from.channel_name.clone(), true, stop), from, to);
        },
    );
    find(
        remote,
        local,
        [&passing.into, &passing.out],
        |name| name.strip_prefix(&**namespace).map(str::to_owned),
        |stop, from, to| {
            note(&mut found, (to.channel_name.clone(), false, stop), from, to);
        },
    );
    let is_told = |((channel, _, why), _): &(Stop, _)| {
        let is_common = OF_EVERY_NODE.contains(&&*channel.name) && why == NOT_NAMED;
        !is_common && !channel.name.trim_start_matches('/').starts_with(BRIDGE)
    };
    found.into_iter().filter(is_told).take(MAX).map(|((channel, _, why), [from, to])| {
        let list = |names: BTreeSet<String>| {
            let more = names.len().saturating_sub(MAX_NODES);
            let more = (more > 0).then(|| format!("{more} more"));
            names.into_iter().take(MAX_NODES).chain(more).collect::<Vec<_>>().join(", ")
        };
        DiagnosticStatus {
            level: DiagnosticStatus::WARN,
            name: channel.name,
            message: format!("does not pass from {} to {}: {why}", list(from), list(to)),
            hardware_id: String::new(),
            values: Vec::new(),
        }
    })
}

fn note(
    found: &mut BTreeMap<Stop, [BTreeSet<String>; 2]>,
    stop: Stop,
    from: &EndpointChange,
    to: &EndpointChange,
) {
    let [sources, sinks] = found.entry(stop).or_default();
    sources.extend(from.node.as_deref().map(node_name));
    sinks.extend(to.node.as_deref().map(node_name));
}

/// Calls `note` for each publisher or server of `from` that rules stop, with each subscription or client of `to` that has its name there.
/// The second rules are those for the other direction. `to_name` is the name there if no rule matches.
fn find(
    from: &[EndpointChange],
    to: &[EndpointChange],
    [rules, back]: [&Rules; 2],
    to_name: impl Fn(&str) -> Option<String>,
    mut note: impl FnMut(String, &EndpointChange, &EndpointChange),
) {
    let mut sinks = HashMap::<&ChannelName, Vec<&EndpointChange>>::new();
    for sink in to.iter().filter(|one| !one.is_source()) {
        sinks.entry(&sink.channel_name).or_default().push(sink);
    }
    for source in from.iter().filter(|one| one.is_source()) {
        let ChannelName { is_service, name } = &source.channel_name;
        let verdict = rules.verdict(source.channel_name.channel(), name, &source.end.type_name);
        let (name, why) = match verdict {
            Verdict::Passes(..) => continue,
            Verdict::Stopped(name, rule) => (Some(name), format!("stopped by {}", rule.label())),
            Verdict::NotNamed => {
                let there = to_name(name);
                let passes_back = there.as_ref().is_some_and(|name| {
                    let verdict = back.verdict(source.channel_name.channel(), name, &source.end.type_name);
                    matches!(verdict, Verdict::Passes(..))
                });
                (there, if passes_back { NOT_THIS_WAY } else { NOT_NAMED }.to_owned())
            }
        };
        let channel = name.map(|name| ChannelName { is_service: *is_service, name });
        for sink in channel.and_then(|channel| sinks.get(&channel)).into_iter().flatten() {
            note(why.clone(), source, sink);
        }
    }
}

/// Returns the name of a node, and where it is if that is not here.
fn node_name(node: &NodeInfo) -> String {
    let name =
        NodeName::new(&node.namespace, &node.name).map_or(node.name.clone(), |name| name.fully_qualified());
    match node.origin.name() {
        "" => name,
        origin => format!("{name} ({origin})"),
    }
}
