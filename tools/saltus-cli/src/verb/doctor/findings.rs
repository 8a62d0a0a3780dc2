//! The problems that `saltus doctor` finds in a report, each with its fix.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use saltus::{
    advanced::{Gid, TypeHash},
    graph::{
        Channel, ConnectionReport, DeviceReport, EndpointInfo, EndpointKind, EndpointReport, Graph, LinkLoss,
        Mismatch, NodeInfo, OtherGraph, ProcessReport, Report, UnreachableMember,
    },
    qos::LossCause,
    types::is_hidden,
};

use saltus_idl::{Difference, Interfaces};
use saltus_verb::graph::{description, ends, full_name, node_name, topics};

use super::{
    finding::{Finding, finding},
    memory::{self, MORE_MEMORY},
};

/// The causes of losses that are not problems: the QoS or a rule allows the loss, or the subscription was closed.
const NORMAL: [LossCause; 4] =
    [LossCause::QueueOverflow, LossCause::LifespanExpired, LossCause::Closed, LossCause::RateLimit];
/// The causes of losses for which there are separate findings.
const REPORTED_ELSEWHERE: [LossCause; 2] = [LossCause::TypeMismatch, LossCause::QosMismatch];
/// A process has a problem if it has at least this percentage of its file descriptors open.
const DESCRIPTORS_PERCENT: usize = 90;
/// The longest time that a message may wait before it is a problem.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Topics that every node publishes, whether they have subscriptions or not.
const TOPICS_OF_EVERY_NODE: [&str; 2] = ["/rosout", "/parameter_events"];

/// Returns the problems of a domain. Ignores losses and copies that are longer ago than `window`.
pub(super) fn find(report: &Report, others: &[OtherGraph], window: Duration) -> Vec<Finding> {
    let mut all: Vec<Finding> = report.mismatches.iter().map(|one| mismatch(report, one)).collect();
    all.extend(several_types(report));
    all.extend(same_names(report));
    all.extend(missing_time(report));
    all.extend(failing_publishers(report, window));
    all.extend(losses(report, window));
    all.extend(waiting_messages(report));
    all.extend(idle_subscriptions(report));
    all.extend(report.processes.iter().filter_map(|process| stopped(report, process)));
    all.extend(subscriptions_over_limit(report, window));
    all.extend(report.devices.iter().flat_map(|device| device_losses(device, window)));
    all.extend(files(report));
    all.extend(report.processes.iter().filter_map(descriptors));
    all.extend(memory::little_space(report));
    all.extend(memory::folder(report));
    all.extend(other_times(report));
    all.extend(other_graph(report, others));
    all
}

/// Returns the names of the nodes of a process. Hidden nodes are included only if there are no others.
pub(super) fn nodes_of(report: &Report, process: &ProcessReport) -> String {
    let own = report.graph.nodes.iter().filter(|node| node.gid.process() == process.id);
    let (hidden, mut names): (Vec<_>, Vec<_>) = own.map(full_name).partition(|name| is_hidden(name));
    if names.is_empty() {
        names = hidden;
    }
    names.sort();
    if names.is_empty() { "no nodes".into() } else { names.join(" ") }
}

/// Returns a finding if a process is stopped.
fn stopped(report: &Report, process: &ProcessReport) -> Option<Finding> {
    let names = nodes_of(report, process);
    process.is_stopped.then(|| {
        let own = ends(&report.graph).filter(|end| end.gid.process() == process.id);
        let subscriptions = own.filter(|end| end.kind == EndpointKind::Subscription);
        let last = subscriptions.filter_map(|end| counted(report, end.gid).last_taken).min();
        let time =
            last.map_or_else(String::new, |ago| format!("; the last one {:.0} s ago", ago.as_secs_f64()));
        let problem = format!("process {} ({names}) is stopped, so it takes no messages{time}", process.pid);
        finding(problem, format!("continue it (`kill -CONT {}`), or end it", process.pid))
    })
}

/// The type of simulated time.
const CLOCK: &str = "rosgraph_msgs/msg/Clock";

/// Returns findings about simulated time that nodes wait for, and that nobody has published.
fn missing_time(report: &Report) -> impl Iterator<Item = Finding> {
    let clocks = |kind| ends(&report.graph).filter(move |end| end.type_name == CLOCK && end.kind == kind);
    let mut waiting = BTreeMap::<&str, BTreeSet<String>>::new();
    for end in clocks(EndpointKind::Subscription) {
        waiting.entry(&end.topic).or_default().insert(node_name(&report.graph, end));
    }
    let has_time = |topic: &str| {
        // The publisher may have ended, and the subscriptions have taken its messages.
        let mut ends = clocks(EndpointKind::Publisher).chain(clocks(EndpointKind::Subscription));
        ends.any(|end| end.topic == topic && counted(report, end.gid).messages > 0)
    };
    waiting.retain(|topic, nodes| {
        nodes.retain(|name| !is_hidden(name));
        !nodes.is_empty() && !has_time(topic)
    });
    waiting.into_iter().map(|(topic, nodes)| {
        let nodes = Vec::from_iter(nodes).join(", ");
        finding(
            format!("{topic}: nobody has published a time, and these nodes wait for it: {nodes}"),
            "start the simulator, or set `use_sim_time` to false if a node uses it",
        )
    })
}

/// Returns the losses of a device's link. A best-effort message that the link lost is not a problem.
fn device_losses(device: &DeviceReport, window: Duration) -> impl Iterator<Item = Finding> {
    LinkLoss::ALL.into_iter().filter_map(move |cause| {
        let fix = match cause {
            LinkLoss::Link => return None,
            // The counts of the agent itself are those of senders that have no session.
            LinkLoss::Malformed | LinkLoss::Unusable if device.name == "agent" => {
                "look for a program that sends to this transport without a session, or a device that does not connect again"
            }
            LinkLoss::GivenUp => "give the device a longer history, or a faster link",
            LinkLoss::Malformed => "check the program of the device, and whether its link damages data",
            LinkLoss::Unusable => {
                "create the objects on the device before it publishes with them; start the server of the service that it calls"
            }
            LinkLoss::TooLongFromDevice => "send shorter messages, or raise --max-message-size of the agent",
            LinkLoss::TooLongForDevice => {
                "use a reliable subscription, and a longer history or MTU on the device; tell the agent a longer history with --client-history"
            }
            LinkLoss::OverRate => "publish less often, or raise --max-rate of the agent",
            LinkLoss::SocketFull => {
                "send less often, or raise net.core.rmem_max with sysctl and start the agent again"
            }
            LinkLoss::Unacknowledged => "let the program of the device run its session more often",
        };
        let count = device.counts.lost[cause as usize];
        let ago = device.since_loss(cause)?;
        let text = format!("{}: {count} messages {cause}, the last {} s ago", device.name, ago.as_secs());
        (count > 0 && ago <= window).then(|| finding(text, fix))
    })
}

fn mismatch(report: &Report, mismatch: &Mismatch) -> Finding {
    let Mismatch { publisher, subscription, cause, reason } = mismatch;
    let (from, to) = (node_name(&report.graph, publisher), node_name(&report.graph, subscription));
    let fix = match (cause, &**reason) {
        (LossCause::TypeMismatch, _) => "give both the same type, and build both from the same definition",
        (_, "RELIABILITY") => "make the publisher reliable, or the subscription best effort",
        (_, "DURABILITY") => "make the publisher transient local, or the subscription volatile",
        (_, "DEADLINE") => {
            "make the publisher's deadline as short as the subscription's, or remove the subscription's"
        }
        _ => {
            "make the publisher's liveliness and lease as strict as the subscription's, or relax the subscription's"
        }
    };
    let verb = if publisher.channel() == Channel::Request { "sends requests" } else { "publishes messages" };
    let differs = difference(publisher, subscription).map_or_else(String::new, |found| format!("; {found}"));
    let problem =
        format!("{}: {from} {verb} that {to} can't take ({cause}, {reason}{differs})", publisher.name());
    finding(problem, fix)
}

/// Returns the first field that differs between the types of two endpoints, if their types have one name and the graph has a
/// description of both.
fn difference(publisher: &EndpointInfo, subscription: &EndpointInfo) -> Option<Difference> {
    let name = &publisher.type_name;
    if *name != subscription.type_name || publisher.type_hash == subscription.type_hash {
        return None;
    }
    let read = |hash| {
        let mut interfaces = Interfaces::default();
        let text = description(hash).ok()??;
        interfaces.add_description(&text).ok()?;
        Some(interfaces)
    };
    Difference::between(&read(publisher.type_hash)?, &read(subscription.type_hash)?, name)
}

/// Returns topics whose endpoints have different types. Ignores publishers and subscriptions that do not match, because
/// they have a separate finding.
fn several_types(report: &Report) -> impl Iterator<Item = Finding> {
    let mut types = BTreeMap::<&str, BTreeSet<(&str, TypeHash)>>::new();
    for end in report.graph.endpoints.iter().filter(|end| end.type_hash != TypeHash::UNKNOWN) {
        types.entry(&end.topic).or_default().insert((&end.type_name, end.type_hash));
    }
    let is_reported = |topic: &str| {
        report
            .mismatches
            .iter()
            .any(|one| one.cause == LossCause::TypeMismatch && one.publisher.topic == topic)
    };
    types.retain(|topic, types| types.len() > 1 && !is_reported(topic));
    types.into_iter().map(|(topic, types)| {
        let names: BTreeSet<&str> = types.iter().map(|(name, _)| *name).collect();
        let problem = match names.len() {
            1 => format!(
                "{topic} has {} definitions of the type {}",
                types.len(),
                types.first().map_or("", |one| one.0)
            ),
            _ => format!("{topic} has the types {}", names.into_iter().collect::<Vec<_>>().join(" and ")),
        };
        finding(problem, "give all its publishers and subscriptions the same type, or use two topics")
    })
}

fn same_names(report: &Report) -> impl Iterator<Item = Finding> {
    let mut nodes = BTreeMap::<String, Vec<&NodeInfo>>::new();
    for node in report.graph.nodes.iter().filter(|node| node.origin.name().is_empty()) {
        nodes.entry(full_name(node)).or_default().push(node);
    }
    nodes.retain(|name, nodes| nodes.len() > 1 && !is_hidden(name));
    nodes.into_iter().map(|(name, nodes)| {
        let pid = |node: &&NodeInfo| {
            let process = report.processes.iter().find(|process| process.id == node.gid.process())?;
            Some(process.pid.to_string())
        };
        let pids: BTreeSet<String> = nodes.iter().filter_map(pid).collect();
        let pids = pids.into_iter().collect::<Vec<_>>().join(", ");
        finding(
            format!("{} nodes have the name {name} (pid {pids})", nodes.len()),
            "give each node its own name (`--ros-args -r __node:=NAME`), or end one of them",
        )
    })
}

/// Returns the counters of an endpoint.
fn counted(report: &Report, gid: Gid) -> EndpointReport {
    report.endpoints.get(&gid).copied().unwrap_or_default()
}

/// Returns the time since an event, as the end of a sentence.
fn ago(time: Option<Duration>) -> String {
    time.map_or_else(String::new, |time| format!(", the last {:.0} s ago", time.as_secs_f64()))
}

fn failing_publishers(report: &Report, window: Duration) -> impl Iterator<Item = Finding> {
    ends(&report.graph).filter_map(move |end| {
        let counted = counted(report, end.gid);
        let last = counted.last_loss(LossCause::OutOfMemory);
        let is_recent = last.is_some_and(|ago| ago <= window);
        (counted.failed > 0 && is_recent).then(|| {
            let node = node_name(&report.graph, end);
            let messages = if counted.failed == 1 { "message" } else { "messages" };
            let problem = format!(
                "{}: {node} could not publish {} {messages} because shared memory was full{}",
                end.name(),
                counted.failed,
                ago(last)
            );
            finding(problem, MORE_MEMORY)
        })
    })
}

fn losses(report: &Report, window: Duration) -> impl Iterator<Item = Finding> {
    let mut serious = BTreeMap::<(String, String, LossCause), (u64, Option<Duration>)>::new();
    for end in ends(&report.graph) {
        let counted = counted(report, end.gid);
        for (cause, count) in counted.losses.iter().filter(|(_, count)| *count > 0) {
            let last = counted.last_loss(cause);
            let is_recent = last.is_none_or(|ago| ago <= window);
            // Topics on which a publisher fails have a separate finding.
            let is_reported = cause == LossCause::OutOfMemory && is_failing(report, &end.topic);
            if is_recent && !is_reported && !NORMAL.contains(&cause) && !REPORTED_ELSEWHERE.contains(&cause) {
                let key = (end.topic.clone(), node_name(&report.graph, end), cause);
                let known = serious.entry(key).or_default();
                known.0 += count;
                known.1 = [known.1, last].into_iter().flatten().min();
            }
        }
    }
    serious.into_iter().map(|((topic, node, cause), (count, last))| {
        finding(format!("{topic}: messages lost at {node}: {cause} {count}{}", ago(last)), fix_of(cause))
    })
}

fn is_failing(report: &Report, topic: &str) -> bool {
    ends(&report.graph).any(|end| end.topic == topic && counted(report, end.gid).failed > 0)
}

fn fix_of(cause: LossCause) -> &'static str {
    match cause {
        LossCause::Deserialization => "build both sides from the same definition of the type",
        LossCause::OutOfMemory => MORE_MEMORY,
        LossCause::ProcessDied => "find out why the process died (its output, `dmesg`), and start it again",
        LossCause::Refused => "take messages faster, or use `keep_last` instead of `keep_all`",
        LossCause::Corrupt => {
            "a process has overwritten shared memory: start the processes of this topic again"
        }
        LossCause::Congestion => {
            "use a faster link, or let less pass with the rules of the bridge (docs/bridge.md): fewer or smaller messages"
        }
        LossCause::LinkLost => {
            "find out why the connection between the hosts ends: its cable, radio or router"
        }
        LossCause::RateLimit
        | LossCause::TypeMismatch
        | LossCause::QosMismatch
        | LossCause::QueueOverflow
        | LossCause::LifespanExpired
        | LossCause::Closed => "see the topic's endpoints with `saltus topic info -v`",
    }
}

/// Returns findings about subscriptions that take nothing although messages wait, and that have lost some to newer ones.
fn idle_subscriptions(report: &Report) -> impl Iterator<Item = Finding> {
    let idle = |end: &&EndpointInfo| {
        if !has_same_time(report, end.gid) {
            return false;
        }
        let of_end = report.connections.iter().filter(|connection| connection.subscription == end.gid);
        let (mut waiting, mut replaced) = (0, 0);
        for connection in
            of_end.filter(|connection| connection.oldest.is_none_or(|oldest| oldest <= LONGEST_WAIT))
        {
            waiting += connection.waiting;
            replaced += connection.losses[LossCause::QueueOverflow];
        }
        waiting > 0 && replaced > 0
    };
    let subscriptions = ends(&report.graph).filter(|end| end.kind == EndpointKind::Subscription);
    subscriptions.filter(idle).filter_map(|end| {
        let (topic, node) = (end.name(), node_name(&report.graph, end));
        let ago = counted(report, end.gid).last_taken.filter(|ago| *ago > LONGEST_WAIT)?.as_secs_f64();
        Some(finding(
            format!("{topic}: {node} has taken no message for {ago:.0} s, and newer messages have replaced others"),
            "spin the node or take the messages, see whether its process is stopped, or close the subscription",
        ))
    })
}

fn waiting_messages(report: &Report) -> impl Iterator<Item = Finding> {
    let key = |connection: &ConnectionReport| {
        let end = ends(&report.graph).find(|end| end.gid == connection.subscription)?;
        let is_comparable = has_same_time(report, connection.publisher) && has_same_time(report, end.gid);
        is_comparable.then(|| (end.name().to_owned(), node_name(&report.graph, end)))
    };
    let mut waiting = BTreeMap::<(String, String), (u64, Duration)>::new();
    for connection in &report.connections {
        let Some(oldest) = connection.oldest.filter(|oldest| *oldest > LONGEST_WAIT) else { continue };
        if let Some(key) = key(connection) {
            let known = waiting.entry(key).or_default();
            *known = (known.0 + connection.waiting, known.1.max(oldest));
        }
    }
    waiting.into_iter().map(|((topic, node), (count, oldest))| {
        let words = if count == 1 { "1 message waits".into() } else { format!("{count} messages wait") };
        finding(
            format!("{topic}: {words} at {node}, the oldest for {:.0} s", oldest.as_secs_f64()),
            "spin the node or take the messages, see whether its process is stopped, or close the subscription",
        )
    })
}

fn subscriptions_over_limit(report: &Report, window: Duration) -> impl Iterator<Item = Finding> {
    ends(&report.graph).filter_map(move |end| {
        let EndpointReport { copied, last_copy, .. } = counted(report, end.gid);
        let is_recent = last_copy.is_some_and(|ago| ago <= window);
        (copied > 0 && is_recent).then(|| {
            let (topic, node) = (end.name(), node_name(&report.graph, end));
            finding(
                format!(
                    "{topic}: {node} keeps more messages than its borrow limit, so {copied} were copied{}",
                    ago(last_copy)
                ),
                "drop messages sooner, or increase the limit with `borrow_limit`",
            )
        })
    })
}

/// Returns findings about files and processes that other processes can't use.
fn files(report: &Report) -> Vec<Finding> {
    let unreachable = report.unreachable.iter().map(|UnreachableMember { id, pid, reason }| {
        finding(
            format!("the shared memory of process {pid} (member {id:016x}) can't be read: {reason}"),
            "start that process again",
        )
    });
    let locked = report.locked.iter().map(|text| finding(text.clone(), "continue that process, or end it"));
    let foreign = report.foreign.iter().map(|(path, reason)| {
        finding(
            format!("{} is not used: {reason}", path.display()),
            "remove it, or find out which user created it",
        )
    });
    let versions = report.other_versions.iter().map(|path| {
        finding(
            format!(
                "{} belongs to another version of Saltus, whose processes have a separate graph",
                path.display()
            ),
            "run one version, or remove the folder if none of those processes runs",
        )
    });
    let orphans = report.orphans.iter().map(|path| {
        finding(
            format!("{} belongs to a dead process", path.display()),
            "the next process that joins the domain removes it",
        )
    });
    unreachable.chain(locked).chain(foreign).chain(versions).chain(orphans).collect()
}

/// Returns a finding if a process has nearly used up its file descriptors.
fn descriptors(process: &ProcessReport) -> Option<Finding> {
    let (open, limit) = process.descriptors?;
    let is_near = open.saturating_mul(100) >= limit.saturating_mul(DESCRIPTORS_PERCENT);
    is_near.then(|| {
        finding(
            format!("process {} has {open} of {limit} file descriptors open", process.pid),
            "increase its limit (`ulimit -n`); about three are needed for each other process of the graph",
        )
    })
}

/// Returns whether times of an endpoint's process can be compared with the clock of this process.
fn has_same_time(report: &Report, end: Gid) -> bool {
    let process = report.processes.iter().find(|process| process.id == end.process());
    process.is_none_or(|process| process.time_namespace == report.time_namespace)
}

/// Returns findings about processes in other time namespaces.
fn other_times(report: &Report) -> impl Iterator<Item = Finding> {
    let others = report.processes.iter().filter(|process| process.time_namespace != report.time_namespace);
    others.map(|process| {
        finding(
            format!(
                "process {} ({}) is in another time namespace than this command, so it does not connect to processes here",
                process.pid,
                nodes_of(report, process)
            ),
            "start all processes in the same time namespace (`unshare --time` creates another one)",
        )
    })
}

/// Returns a finding if this graph is empty and another user has a graph. The user probably expects that graph.
fn other_graph(report: &Report, others: &[OtherGraph]) -> Option<Finding> {
    let is_empty = report.graph.nodes.iter().all(|node| is_hidden(&full_name(node)));
    let other = others.iter().find(|other| match other {
        OtherGraph::Nodes { is_own, .. } => !is_own,
        OtherGraph::Unreadable { .. } => true,
    })?;
    is_empty.then(|| finding("this graph has no nodes, but there is another one", other.to_string()))
}

/// Returns findings about topics that have only publishers or only subscriptions.
pub(super) fn one_sided_topics(graph: &Graph) -> Vec<Finding> {
    let has = |topic: &str, kind| {
        let matches = |end: &&EndpointInfo| end.topic == topic && end.kind == kind;
        graph.endpoints.iter().any(|end| matches(&end))
    };
    let one_sided =
        |topic: String| match (has(&topic, EndpointKind::Publisher), has(&topic, EndpointKind::Subscription))
        {
            (true, false) => Some(finding(
                format!("{topic} has a publisher and no subscription"),
                "start the node that subscribes to it, or compare the names (`saltus topic list -v`)",
            )),
            (false, true) => Some(finding(
                format!("{topic} has a subscription and no publisher"),
                "start the node that publishes it, or compare the names (`saltus topic list -v`)",
            )),
            _ => None,
        };
    topics(graph, false)
        .into_keys()
        .filter(|topic| !TOPICS_OF_EVERY_NODE.contains(&&**topic))
        .filter_map(one_sided)
        .collect()
}

#[cfg(test)]
mod tests;
