//! `saltus doctor`

mod findings;
mod report;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Write},
    time::Duration,
};

use saltus::{
    context::ContextOptions,
    graph::{GraphOwner, OtherGraph, ProcessReport, Report, other_graphs},
    qos::Losses,
    types::is_hidden,
};
use serde_json::{Value as Json, json};

use crate::{
    error::Error,
    graph::{self, ends, full_name, node_name},
    output::bytes,
    reading::seconds,
};
use findings::Finding;

/// `saltus doctor`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus doctor || echo something is wrong\n\n\
    The exit status is 0 if all is well, and 3 if not. These are problems: endpoints of one topic that don't match or\n\
    have different types; messages lost for other reasons than a full queue, an expired lifespan or a closed\n\
    subscription; publishes that failed for want of memory; messages that nobody takes; subscriptions that keep too many\n\
    messages; nodes with the same name; little free shared memory; memory that can't be read; files that dead processes\n\
    or other users left; processes of another version; nearly no free file descriptors; and an empty graph beside that\n\
    of another user. What happened longer ago than --since is in the totals, but is no problem.")]
pub(crate) struct Doctor {
    /// How long ago a loss may be to count as a problem, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    since: Duration,
    /// Print what there is, instead of checking it [-r]
    #[arg(short, long)]
    report: bool,
    /// Print what there is, if something is wrong [-rf]
    #[arg(long, conflicts_with = "report")]
    report_failed: bool,
    /// Count topics without publishers or without subscriptions as problems [-iw]
    #[arg(long)]
    include_warnings: bool,
    /// Accepted because scripts pass it: there are no packages to check [-ep]
    #[arg(long, hide = true)]
    exclude_packages: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// ROS 2's flags of `doctor` with two letters after one dash, and what they stand for.
const TWO_LETTERS: [(&str, &str); 3] =
    [("-rf", "--report-failed"), ("-iw", "--include-warnings"), ("-ep", "--exclude-packages")];

/// Replaces ROS 2's flags of two letters after one dash, which the parser can't express.
pub(crate) fn long_flags(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    if words.get(1).is_some_and(|verb| verb == "doctor" || verb == "wtf") {
        for word in &mut words[2..] {
            if let Some((_, long)) = TWO_LETTERS.iter().find(|(short, _)| word == short) {
                *word = long.into();
            }
        }
    }
    words
}

/// `doctor` found problems, and has printed them.
#[derive(Debug, thiserror::Error)]
#[error("{0} found")]
pub(crate) struct ProblemsFound(String);

impl Doctor {
    pub(crate) fn run(self) -> Result<(), Error> {
        let domain = ContextOptions::default().domain_id()?;
        let others = other_graphs(&domain);
        let examined = Examined::new(graph::report()?, others, &self);
        let mut out = io::stdout().lock();
        if self.report {
            return Ok(report::write(&mut out, &examined.report, &domain)?);
        }
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
        if self.report_failed && !examined.problems.is_empty() {
            report::write(&mut out, &examined.report, &domain)?;
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
    others: Vec<OtherGraph>,
    /// What was lost, by topic and node.
    losses: BTreeMap<(String, String), Losses>,
    problems: Vec<Finding>,
}

impl Examined {
    fn new(report: Report, others: Vec<OtherGraph>, options: &Doctor) -> Self {
        let mut losses = BTreeMap::<(String, String), Losses>::new();
        for end in ends(&report.graph) {
            let lost = report.endpoints.get(&end.gid).map(|counted| counted.losses).unwrap_or_default();
            if lost.total() > 0 {
                let place = (end.topic.clone(), node_name(&report.graph, end));
                losses.entry(place).or_default().add_all(&lost);
            }
        }
        let mut problems = findings::find(&report, &others, options.since);
        if options.include_warnings {
            problems.extend(findings::one_sided_topics(&report.graph));
        }
        Self { report, others, losses, problems }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Report { processes, space: (free, all), .. } = &self.report;
        let used: u64 = processes.iter().map(|process| process.memory).sum();
        writeln!(out, "Nodes: {}", self.node_count())?;
        for (origin, names) in self.foreign_nodes() {
            writeln!(out, "  of {origin}: {}", names.join(" "))?;
        }
        for other in &self.others {
            writeln!(out, "Another graph: {other}")?;
        }
        writeln!(out, "Shared memory: {} in use, {} of {} free", bytes(used), bytes(*free), bytes(*all))?;
        for process in self.by_memory() {
            writeln!(out, "  {}: pid {}: {}", bytes(process.memory), process.pid, self.nodes_of(process))?;
        }
        writeln!(out, "Messages lost: {}", self.all_losses())?;
        for ((topic, node), losses) in &self.losses {
            writeln!(out, "  {topic} at {node}: {losses}")?;
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
        let problem = |finding: &Finding| json!({ "problem": finding.problem, "fix": finding.fix });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "nodes": self.node_count(),
            "nodes_of_others": self.foreign_nodes(),
            "other_graphs": self.others.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "processes": self.by_memory().into_iter().map(process).collect::<Vec<_>>(),
            "free_bytes": self.report.space.0,
            "total_bytes": self.report.space.1,
            "lost": self.losses.iter().map(lost).collect::<Vec<_>>(),
            "copied": self.copied().map(copied).collect::<Vec<_>>(),
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    }
}
