//! `saltus doctor`

mod finding;
mod findings;
mod lost;
mod memory;
mod report;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Write},
    time::Duration,
};

use saltus::{
    context::ContextOptions,
    graph::{
        DeviceReport, GraphOwner, LinkCounts, LinkLoss, OtherGraph, ProcessReport, Report, other_graphs,
    },
    qos::Losses,
    types::is_hidden,
};
use serde_json::{Value as Json, json};

use crate::bridges::Bridge;
use finding::{Finding, finding};
use lost::Lost;
use saltus_verb::{
    error::{Ended, Error},
    graph::{self, ends, full_name, node_name},
    output::bytes,
    reading::seconds,
};

/// `saltus doctor`
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus doctor || echo there are problems\n\n\
    The exit status is 0 if there are no problems, and 3 if there are. These are problems:\n  \
    - endpoints of one topic that do not match, or have different types\n  \
    - lost messages, except those lost because of a full queue, an expired lifespan or a closed subscription\n  \
    - publishes that failed because shared memory was full\n  \
    - messages that wait in a queue for a long time\n  \
    - processes that are stopped\n  \
    - simulated time that nodes use and nobody publishes\n  \
    - subscriptions that keep more messages than their borrow limit\n  \
    - several nodes with the same name\n  \
    - little free shared memory, or memory that can't be read\n  \
    - files of dead processes or of other users, and processes of another version of Saltus\n  \
    - messages that a device and its agent could not exchange, except those that the link lost\n  \
    - a bridge that does not answer, other hosts whose clocks differ, and sessions that announce too much or what no node announces\n  \
    - processes that have nearly used up their file descriptors\n  \
    - an empty graph, if another user has a graph in the same domain\n\
    Events that are too old for --since are included in the totals, but are not problems.")]
pub(crate) struct Doctor {
    /// Ignore events that happened more than this many seconds ago
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    since: Duration,
    /// Print the platform, version, topics and QoS instead of checking them
    #[arg(short, long)]
    report: bool,
    /// Print the platform, version, topics and QoS if there are problems [alias: -rf]
    #[arg(long, conflicts_with = "report")]
    report_failed: bool,
    /// Also report topics without publishers or without subscriptions [alias: -iw]
    #[arg(long)]
    include_warnings: bool,
    /// Accepted because scripts pass it. There are no packages to check [alias: -ep]
    #[arg(long, hide = true)]
    exclude_packages: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// ROS 2's flags of `doctor` that have two letters after one dash, and the flags of this command for them.
const TWO_LETTERS: [(&str, &str); 3] =
    [("-rf", "--report-failed"), ("-iw", "--include-warnings"), ("-ep", "--exclude-packages")];

/// Replaces ROS 2's flags that have two letters after one dash, because the parser can't express them.
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

impl Doctor {
    pub(crate) fn run(self) -> Result<(), Error> {
        let domain = ContextOptions::default().domain_id()?;
        let others = other_graphs(&domain);
        let (report, devices_before) = observe()?;
        let examined = Examined::new(report, devices_before, others, &self);
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
            1 => Err(Ended::ProblemsFound("1 problem".into()).into()),
            count => Err(Ended::ProblemsFound(format!("{count} problems")).into()),
        }
    }
}

/// A report, and the problems in it.
struct Examined {
    report: Report,
    others: Vec<OtherGraph>,
    lost: Lost,
    /// The devices as they were [`OBSERVED`] earlier.
    devices_before: Vec<DeviceReport>,
    bridges: Vec<Bridge>,
    problems: Vec<Finding>,
}

/// The time for which devices are observed, to determine their rates.
const OBSERVED: Duration = Duration::from_millis(500);

/// Reads the domain, and reads it again if there are devices. Returns the devices as they were first.
fn observe() -> Result<(Report, Vec<DeviceReport>), Error> {
    let first = graph::report()?;
    if first.devices.is_empty() {
        return Ok((first, Vec::new()));
    }
    std::thread::sleep(OBSERVED);
    Ok((graph::report()?, first.devices))
}

fn link_losses(counts: &LinkCounts) -> String {
    let lost = LinkLoss::ALL.into_iter().map(|cause| (cause, counts.lost[cause as usize]));
    let parts: Vec<String> =
        lost.filter(|(_, count)| *count > 0).map(|(cause, count)| format!("{cause} {count}")).collect();
    match counts.total_lost() {
        0 => "0".into(),
        total => format!("{total} ({})", parts.join(", ")),
    }
}

impl Examined {
    fn new(
        report: Report,
        devices_before: Vec<DeviceReport>,
        others: Vec<OtherGraph>,
        options: &Doctor,
    ) -> Self {
        let lost = Lost::of(&report);
        let mut problems = findings::find(&report, &others, options.since);
        if options.include_warnings {
            problems.extend(findings::one_sided_topics(&report.graph));
        }
        let bridges = if options.report { Vec::new() } else { Bridge::ask_all(&report.graph) };
        let told = bridges.iter().flat_map(Bridge::problems);
        problems.extend(told.map(|(problem, fix)| finding(problem, fix)));
        Self { report, others, lost, devices_before, bridges, problems }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Report { processes, space: (free, all), .. } = &self.report;
        let used: u64 = processes.iter().map(|process| process.memory).sum();
        writeln!(out, "Nodes: {}", self.node_count())?;
        for (origin, names) in self.foreign_nodes() {
            writeln!(out, "  of {origin}: {}", names.join(" "))?;
        }
        if !self.bridges.is_empty() {
            writeln!(
                out,
                "Bridges: join other hosts and nodes on rmw_zenoh. Nodes on Fast DDS or Cyclone DDS do not join: start them \
                 with RMW_IMPLEMENTATION=rmw_zenoh_cpp"
            )?;
            self.bridges.iter().try_for_each(|bridge| bridge.print(out))?;
        }
        for other in &self.others {
            writeln!(out, "Another graph: {other}")?;
        }
        writeln!(out, "Shared memory: {} in use, {} of {} free", bytes(used), bytes(*free), bytes(*all))?;
        for process in self.by_memory() {
            writeln!(
                out,
                "  {}: pid {}: {}",
                bytes(process.memory),
                process.pid,
                findings::nodes_of(&self.report, process)
            )?;
        }
        self.print_devices(out)?;
        writeln!(out, "Messages lost: {}", self.lost.all)?;
        for ((topic, node), losses) in &self.lost.by_node {
            writeln!(out, "  {topic} at {node}: {losses}")?;
        }
        if self.lost.replaced > 0 {
            writeln!(out, "Messages replaced by newer ones (keep_last 1): {}", self.lost.replaced)?;
        }
        match self.problems.is_empty() {
            true => writeln!(out, "No problems found"),
            false => {
                writeln!(out, "Problems:")?;
                self.problems.iter().try_for_each(|problem| writeln!(out, "  {problem}"))
            }
        }
    }

    fn print_devices(&self, out: &mut impl Write) -> io::Result<()> {
        if self.report.devices.is_empty() {
            return Ok(());
        }
        writeln!(out, "Devices: {}", self.report.devices.len())?;
        for device in &self.report.devices {
            let DeviceReport { name, link, counts, .. } = device;
            let away = if counts.is_present { "" } else { ", away" };
            let silence = device.silence().as_secs_f64();
            writeln!(out, "  {name}: {link}{away}, last heard {silence:.1} s ago")?;
            writeln!(
                out,
                "    from it: {}; to it: {}, {} repeated; lost: {}",
                self.rate(device, |counts| (counts.received, counts.received_bytes)),
                self.rate(device, |counts| (counts.sent, counts.sent_bytes)),
                counts.repeated,
                link_losses(counts)
            )?;
        }
        Ok(())
    }

    /// Returns the number of messages of a device's link, and how many there were per second while the devices were
    /// observed.
    fn rate(&self, device: &DeviceReport, of: impl Fn(&LinkCounts) -> (u64, u64)) -> String {
        let (messages, size) = of(&device.counts);
        let before = self.devices_before.iter().find(|before| before.name == device.name);
        let (messages_before, size_before) = before.map_or((messages, size), |before| of(&before.counts));
        let per_second = |count: u64, before| count.saturating_sub(before) as f64 / OBSERVED.as_secs_f64();
        let size_rate = bytes(per_second(size, size_before) as u64);
        format!("{messages} messages ({:.0}/s, {size_rate}/s)", per_second(messages, messages_before))
    }

    /// Returns the subscriptions whose messages were copied: the topic, the node and the number of messages.
    fn copied(&self) -> impl Iterator<Item = (&str, String, u64)> {
        ends(&self.report.graph).filter_map(|end| {
            let copied = self.report.endpoints.get(&end.gid)?.copied;
            (copied > 0).then(|| (end.name(), node_name(&self.report.graph, end), copied))
        })
    }

    /// Returns the number of nodes that are not hidden.
    fn node_count(&self) -> usize {
        self.report.graph.nodes.iter().filter(|node| !is_hidden(&full_name(node))).count()
    }

    /// Returns the names of the nodes of other systems, by origin.
    fn foreign_nodes(&self) -> BTreeMap<&str, Vec<String>> {
        let mut by_origin = BTreeMap::<&str, Vec<String>>::new();
        for node in self.report.graph.nodes.iter().filter(|node| !node.origin.name().is_empty()) {
            by_origin.entry(node.origin.name()).or_default().push(full_name(node));
        }
        by_origin.values_mut().for_each(|names| names.sort());
        by_origin
    }

    /// Returns the processes, sorted by memory, the largest first.
    fn by_memory(&self) -> Vec<&ProcessReport> {
        let mut processes: Vec<&ProcessReport> = self.report.processes.iter().collect();
        processes.sort_by_key(|process| (std::cmp::Reverse(process.memory), process.pid));
        processes
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
        let process = |process: &ProcessReport| json!({ "pid": process.pid, "bytes": process.memory, "nodes": findings::nodes_of(&self.report, process) });
        let problem = |finding: &Finding| json!({ "problem": finding.problem, "fix": finding.fix });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "nodes": self.node_count(),
            "nodes_of_others": self.foreign_nodes(),
            "other_graphs": self.others.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "processes": self.by_memory().into_iter().map(process).collect::<Vec<_>>(),
            "free_bytes": self.report.space.0,
            "total_bytes": self.report.space.1,
            "lost": self.lost.by_node.iter().map(lost).collect::<Vec<_>>(),
            "replaced": self.lost.replaced,
            "copied": self.copied().map(copied).collect::<Vec<_>>(),
            "bridges": self.bridges.iter().map(Bridge::as_json).collect::<Vec<_>>(),
            "devices": self.report.devices.iter().map(device_json).collect::<Vec<_>>(),
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    }
}

fn device_json(device: &DeviceReport) -> Json {
    let counts = &device.counts;
    let lost = LinkLoss::ALL.into_iter().map(|cause| (cause.to_string(), counts.lost[cause as usize].into()));
    json!({
        "name": device.name,
        "link": device.link,
        "present": counts.is_present,
        "last_heard_seconds": device.silence().as_secs_f64(),
        "received": counts.received,
        "received_bytes": counts.received_bytes,
        "sent": counts.sent,
        "sent_bytes": counts.sent_bytes,
        "repeated": counts.repeated,
        "lost": lost.collect::<serde_json::Map<String, Json>>(),
    })
}
