//! `saltus doctor`

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use saltus::{
    context::ContextOptions,
    graph::{Channel, EndpointInfo, Graph, GraphOwner, Mismatch, ProcessReport, Report, UnreachableMember},
    qos::{LossCause, Losses},
    types::is_hidden,
};
use serde_json::{Value as Json, json};

use crate::{
    error::Error,
    graph::{self, full_name, node_name},
};

/// `saltus doctor`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus doctor || echo something is wrong\n\n\
    The exit status is 0 if all is well, and 3 if not: endpoints of one topic that don't match,\n\
    messages lost for other reasons than a full queue, an expired lifespan or a closed subscription, memory that\n\
    can't be read, files that dead processes or other users left, processes of another version, and file descriptors\n\
    that are nearly used up.")]
pub(crate) struct Doctor {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// `doctor` found problems, and has printed them.
#[derive(Debug, thiserror::Error)]
#[error("{0} found")]
pub(crate) struct ProblemsFound(String);

/// Losses that the QoS allows, or that come from closing a subscription.
const NORMAL: [LossCause; 3] = [LossCause::QueueOverflow, LossCause::LifespanExpired, LossCause::Closed];

/// The share of its file descriptors that a process may have open before that is a problem, in percent.
const MOST_DESCRIPTORS: usize = 90;

/// One part in this many of the memory file system should be free.
const LEAST_FREE: u64 = 20;

impl Doctor {
    pub(crate) fn run(self) -> Result<(), Error> {
        let domain = ContextOptions::default().domain_id()?;
        let examined = Examined::new(graph::report()?);
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{:#}", examined.as_json())?;
        } else {
            let (version, folder) = (env!("CARGO_PKG_VERSION"), domain.folder.display());
            let owner = match domain.owner {
                GraphOwner::User(_) => String::new(),
                group @ GraphOwner::Group(_) => format!(" of {group}"),
            };
            writeln!(out, "Saltus {version}, domain {}{owner} in {folder}", domain.number)?;
            examined.print(&mut out)?;
        }
        match examined.problems.len() {
            0 => Ok(()),
            1 => Err(ProblemsFound("1 problem".into()).into()),
            count => Err(ProblemsFound(format!("{count} problems")).into()),
        }
    }
}

/// A report and the problems in it.
struct Examined {
    report: Report,
    /// What was lost, by topic and node.
    losses: BTreeMap<(String, String), Losses>,
    problems: Vec<String>,
}

impl Examined {
    fn new(report: Report) -> Self {
        let mut losses = BTreeMap::<(String, String), Losses>::new();
        for end in ends(&report.graph) {
            let lost = report.endpoints.get(&end.gid).map(|counted| counted.losses).unwrap_or_default();
            if lost.total() > 0 {
                let place = (end.topic.clone(), node_name(&report.graph, end));
                losses.entry(place).or_default().add_all(&lost);
            }
        }
        let mut problems: Vec<String> =
            report.mismatches.iter().map(|one| mismatch_text(&report, one)).collect();
        problems.extend(losses.iter().filter_map(|(place, losses)| loss_problem(place, losses)));
        problems.extend(report.unreachable.iter().map(|member| {
            let UnreachableMember { id, pid, reason } = member;
            format!("the shared memory of process {pid} (member {id:016x}) can't be read: {reason}")
        }));
        problems.extend(report.locked.clone());
        problems.extend(report.foreign.iter().map(|(path, reason)| {
            format!("{} is not used: {reason}; remove it, or find out which user made it", path.display())
        }));
        problems.extend(report.other_versions.iter().map(|path| {
            format!(
                "{} belongs to another version of Saltus, whose processes have a graph of their own; run one \
                 version, or remove it if none of those processes runs",
                path.display()
            )
        }));
        problems.extend(report.processes.iter().filter_map(descriptor_problem));
        problems.extend(report.orphans.iter().map(|path| {
            format!(
                "{} belongs to a dead process; the next process that joins the domain removes it",
                path.display()
            )
        }));
        let (free, all) = report.space;
        if free < all / LEAST_FREE {
            problems.push(format!(
                "only {} of {} of shared memory is free; give it more (`mount -o remount,size=…`, \
                 `--shm-size`) or end the process that uses most",
                bytes(free),
                bytes(all)
            ));
        }
        Self { report, losses, problems }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Report { processes, space: (free, all), .. } = &self.report;
        let used: u64 = processes.iter().map(|process| process.memory).sum();
        writeln!(out, "Nodes: {}", self.node_count())?;
        for (origin, names) in self.foreign_nodes() {
            writeln!(out, "  of {origin}: {}", names.join(" "))?;
        }
        writeln!(out, "Shared memory: {} in use, {} of {} free", bytes(used), bytes(*free), bytes(*all))?;
        for process in self.by_memory() {
            writeln!(out, "  {}: pid {}: {}", bytes(process.memory), process.pid, self.nodes_of(process))?;
        }
        writeln!(out, "Messages lost: {}", self.all_losses())?;
        for ((topic, node), losses) in &self.losses {
            writeln!(out, "  {topic} at {node}: {losses}")?;
        }
        for (topic, node, count) in self.copied() {
            writeln!(
                out,
                "Copied: {count} messages of {topic} at {node}, which keeps more than its borrow limit"
            )?;
        }
        match self.problems.is_empty() {
            true => writeln!(out, "All is well"),
            false => {
                writeln!(out, "Problems:")?;
                self.problems.iter().try_for_each(|problem| writeln!(out, "  {problem}"))
            }
        }
    }

    /// Returns the subscriptions whose messages were copied: topic, node, and number of messages.
    fn copied(&self) -> impl Iterator<Item = (&str, String, u64)> {
        ends(&self.report.graph).filter_map(|end| {
            let copied = self.report.endpoints.get(&end.gid)?.copied;
            (copied > 0).then(|| (end.name(), node_name(&self.report.graph, end), copied))
        })
    }

    /// Returns the number of nodes, without hidden ones.
    fn node_count(&self) -> usize {
        self.report.graph.nodes.iter().filter(|node| !is_hidden(&full_name(node))).count()
    }

    /// Returns the names of the nodes of other systems, by their origin.
    fn foreign_nodes(&self) -> BTreeMap<&str, Vec<String>> {
        let mut by_origin = BTreeMap::<&str, Vec<String>>::new();
        for node in self.report.graph.nodes.iter().filter(|node| !node.origin.name().is_empty()) {
            by_origin.entry(node.origin.name()).or_default().push(full_name(node));
        }
        by_origin.values_mut().for_each(|names| names.sort());
        by_origin
    }

    /// Returns the processes. Those that use the most memory come first.
    fn by_memory(&self) -> Vec<&ProcessReport> {
        let mut processes: Vec<&ProcessReport> = self.report.processes.iter().collect();
        processes.sort_by_key(|process| (std::cmp::Reverse(process.memory), process.pid));
        processes
    }

    /// Returns the names of a process's nodes. Hidden ones are included only if there are no others.
    fn nodes_of(&self, process: &ProcessReport) -> String {
        let own = self.report.graph.nodes.iter().filter(|node| node.gid.process() == process.id);
        let (hidden, mut names): (Vec<_>, Vec<_>) = own.map(full_name).partition(|name| is_hidden(name));
        if names.is_empty() {
            names = hidden;
        }
        names.sort();
        if names.is_empty() { "no nodes".into() } else { names.join(" ") }
    }

    /// Returns the losses of all topics. The publishers and the subscriptions of a topic may both count the same
    /// message, so for each topic and cause the larger of the two counts is used.
    fn all_losses(&self) -> Losses {
        let mut by_topic = BTreeMap::<&str, [Losses; 2]>::new();
        for end in ends(&self.report.graph) {
            let lost = self.report.endpoints.get(&end.gid).map(|counted| counted.losses).unwrap_or_default();
            by_topic.entry(&end.topic).or_default()[end.kind as usize].add_all(&lost);
        }
        let mut all = Losses::default();
        for [one, other] in by_topic.into_values() {
            one.iter().for_each(|(cause, count)| all.add(cause, count.max(other[cause])));
        }
        all
    }

    fn as_json(&self) -> Json {
        let lost = |((topic, node), losses): (&(String, String), &Losses)| {
            let causes: serde_json::Map<String, Json> = losses
                .iter()
                .filter(|(_, n)| *n > 0)
                .map(|(cause, n)| (cause.to_string(), n.into()))
                .collect();
            json!({ "topic": topic, "node": node, "causes": causes })
        };
        let copied = |(topic, node, count): (&str, String, u64)| json!({ "topic": topic, "node": node, "messages": count });
        let process = |process: &ProcessReport| json!({ "pid": process.pid, "bytes": process.memory, "nodes": self.nodes_of(process) });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "nodes": self.node_count(),
            "nodes_of_others": self.foreign_nodes(),
            "processes": self.by_memory().into_iter().map(process).collect::<Vec<_>>(),
            "free_bytes": self.report.space.0,
            "total_bytes": self.report.space.1,
            "lost": self.losses.iter().map(lost).collect::<Vec<_>>(),
            "copied": self.copied().map(copied).collect::<Vec<_>>(),
            "problems": self.problems,
        })
    }
}

/// Returns all endpoints that can lose messages: of topics, and of services.
fn ends(graph: &Graph) -> impl Iterator<Item = &EndpointInfo> {
    graph.endpoints.iter().chain(&graph.servers).chain(&graph.clients)
}

fn mismatch_text(report: &Report, mismatch: &Mismatch) -> String {
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
    format!("{}: {from} {verb} that {to} can't take ({cause}, {reason}): {fix}", publisher.name())
}

/// Whether a process has nearly used up its file descriptors.
fn descriptor_problem(process: &ProcessReport) -> Option<String> {
    let (open, limit) = process.descriptors?;
    let is_near = open.saturating_mul(100) >= limit.saturating_mul(MOST_DESCRIPTORS);
    is_near.then(|| {
        format!(
            "process {} has {open} of {limit} file descriptors open; a process needs about three per other process \
             of the graph: give it more (`ulimit -n`)",
            process.pid
        )
    })
}

/// Returns the text of a problem, if messages were lost at an endpoint for causes that are not normal.
fn loss_problem((topic, node): &(String, String), losses: &Losses) -> Option<String> {
    // Mismatches are reported on lines of their own.
    let reported_elsewhere = [LossCause::TypeMismatch, LossCause::QosMismatch];
    let serious = losses.iter().filter(|(cause, count)| {
        *count > 0 && !NORMAL.contains(cause) && !reported_elsewhere.contains(cause)
    });
    let causes: Vec<String> = serious.map(|(cause, count)| format!("{cause} {count}")).collect();
    (!causes.is_empty()).then(|| format!("{topic}: messages lost at {node}: {}", causes.join(", ")))
}

fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{:.1} KB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
