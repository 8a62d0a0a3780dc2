//! The rows of the table: processes, the components or nodes in them, and threads.

use std::collections::{BTreeMap, HashMap};

use saltus::{
    advanced::Gid,
    graph::{EndpointKind, Latency, NodeInfo},
    types::is_hidden,
};
use serde_json::{Value as Json, json};

use super::sample::{Sample, SampledProcess};
use crate::verb::component::is_container;
use saltus_verb::graph::full_name;

/// The head of the table.
pub(super) const HEAD: &str = "    PID  CPU %  PSS MB    P99 µs      LOST  RESTARTS  NAME";

/// A row of the table. What does not apply to it is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) kind: &'static str,
    pub(super) name: String,
    /// The level of indentation of the name.
    depth: usize,
    pub(super) pid: Option<i32>,
    /// The number of nodes that the row stands for.
    pub(super) nodes: usize,
    /// In percent of one CPU.
    pub(super) cpu: Option<f64>,
    /// In bytes.
    pub(super) pss: Option<u64>,
    latency: Latency,
    lost: Option<u64>,
    restarts: Option<u64>,
}

impl Row {
    pub(super) fn line(&self) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let pid = self.pid.map_or(String::new(), |pid| pid.to_string());
        let cpu = or_dash(self.cpu.map(|cpu| format!("{cpu:.1}")));
        let pss = or_dash(self.pss.map(|pss| format!("{:.1}", pss as f64 / 1e6)));
        let p99 =
            or_dash(self.latency.quantile(0.99).map(|time| format!("{:.1}", time.as_nanos() as f64 / 1e3)));
        let lost = or_dash(self.lost.map(|lost| lost.to_string()));
        let restarts = or_dash(self.restarts.map(|restarts| restarts.to_string()));
        let name = match self.kind {
            "node" | "component" => self.name.clone(),
            kind => format!("{kind} {}", self.name),
        };
        let indent = "  ".repeat(self.depth);
        format!("{pid:>7} {cpu:>6} {pss:>7} {p99:>9} {lost:>9} {restarts:>9}  {indent}{name}")
    }

    pub(super) fn json(&self) -> Json {
        json!({
            "kind": self.kind,
            "name": self.name,
            "depth": self.depth,
            "pid": self.pid,
            "cpu_percent": self.cpu,
            "pss": self.pss,
            "p99_ns": self.latency.quantile(0.99).map(|time| time.as_nanos() as u64),
            "lost": self.lost,
            "restarts": self.restarts,
        })
    }
}

/// Returns the rows of the time between two samples. The processes with the most CPU time are first. The processes of a
/// container follow it.
pub(super) fn rows(before: &Sample, now: &Sample, threads: bool) -> Vec<Row> {
    let table = Table { before, now, threads, figures: Figures::between(before, now) };
    let parent_of = |process: &SampledProcess| {
        now.processes
            .iter()
            .find(|(id, other)| other.pid == process.parent && table.container(**id).is_some())
    };
    let mut groups: BTreeMap<u64, Vec<Vec<Row>>> = BTreeMap::new();
    for (id, process) in &now.processes {
        let parent = parent_of(process).map(|(id, _)| *id);
        let rows = table.process(*id, process, parent.is_some());
        let group = groups.entry(parent.unwrap_or(*id)).or_default();
        let index = if parent.is_some() { group.len() } else { 0 };
        group.insert(index, rows);
    }
    let mut groups: Vec<Vec<Row>> = groups.into_values().map(|group| group.concat()).collect();
    let cpu = |group: &Vec<Row>| -> f64 {
        group.iter().filter(|row| row.pid.is_some()).filter_map(|row| row.cpu).sum()
    };
    groups.sort_by(|a, b| cpu(b).total_cmp(&cpu(a)));
    groups.concat()
}

struct Table<'a> {
    before: &'a Sample,
    now: &'a Sample,
    threads: bool,
    figures: Figures,
}

impl Table<'_> {
    /// Returns the nodes of a process that are not hidden.
    fn nodes(&self, id: u64) -> Vec<&NodeInfo> {
        let is_shown = |node: &&NodeInfo| node.gid.process() == id && !is_hidden(&full_name(node));
        let mut nodes: Vec<&NodeInfo> = self.now.report.graph.nodes.iter().filter(is_shown).collect();
        nodes.sort_by_key(|node| full_name(node));
        nodes
    }

    /// Returns the node of the container in a process.
    fn container(&self, id: u64) -> Option<&NodeInfo> {
        self.nodes(id).into_iter().find(|node| is_container(&self.now.report.graph, &full_name(node)))
    }

    /// Returns the rows of a process: the process, its nodes, its threads.
    fn process(&self, id: u64, process: &SampledProcess, is_worker: bool) -> Vec<Row> {
        let nodes = self.nodes(id);
        let container = self.container(id);
        let depth = usize::from(is_worker);
        let own = match nodes[..] {
            [only] => Some(only),
            _ => container,
        };
        let kind = match (container, own) {
            (Some(_), _) => "container",
            (None, Some(_)) if is_worker => "component",
            (None, Some(_)) => "node",
            (None, None) => "process",
        };
        let mut first = own.map_or_else(Row::default, |node| self.node(node, kind, depth));
        if own.is_none() {
            first = Row { kind, name: process.program.clone(), depth, ..first };
        }
        first.pid = Some(process.pid);
        first.pss = process.pss;
        first.restarts = process.restarts;
        first.cpu = self.cpu_of(id, process);
        let others = nodes.iter().filter(|node| own.is_none_or(|own| own.gid != node.gid));
        let kind = if container.is_some() { "component" } else { "node" };
        let nodes = others.map(|node| self.node(node, kind, depth + 1));
        [first].into_iter().chain(nodes).chain(self.threads_of(id, process, depth + 1)).collect()
    }

    /// Returns the CPU time of all threads of a process that run now.
    fn cpu_of(&self, id: u64, process: &SampledProcess) -> Option<f64> {
        let before = self.before.processes.get(&id)?;
        let of_thread = |(tid, (_, now)): (&i32, &(String, f64))| {
            let earlier = before.threads.get(tid).map_or(0.0, |(_, earlier)| *earlier);
            self.percent(earlier, *now)
        };
        // A kernel without the times of threads has none of them.
        let is_known = !process.threads.is_empty();
        is_known.then(|| process.threads.iter().map(of_thread).sum())
    }

    fn node(&self, node: &NodeInfo, kind: &'static str, depth: usize) -> Row {
        let latency = self.figures.latencies.get(&node.gid).cloned().unwrap_or_default();
        let lost = self.figures.lost.get(&node.gid).copied();
        Row { kind, name: full_name(node), depth, nodes: 1, latency, lost, ..Row::default() }
    }

    fn threads_of(&self, id: u64, process: &SampledProcess, depth: usize) -> Vec<Row> {
        let before = self.before.processes.get(&id);
        let thread = |(tid, (name, cpu)): (&i32, &(String, f64))| Row {
            kind: "thread",
            name: name.clone(),
            depth,
            cpu: before.and_then(|before| Some(self.percent(before.threads.get(tid)?.1, *cpu))),
            ..Row::default()
        };
        if self.threads { process.threads.iter().map(thread).collect() } else { Vec::new() }
    }

    /// Returns the share of one CPU between the samples, from CPU times in seconds.
    fn percent(&self, before: f64, now: f64) -> f64 {
        (now - before).max(0.0) / (self.now.at - self.before.at).as_secs_f64() * 100.0
    }
}

/// The counters of the subscriptions, by node.
struct Figures {
    /// From `publish` until a message was taken, between the samples.
    latencies: HashMap<Gid, Latency>,
    lost: HashMap<Gid, u64>,
}

impl Figures {
    fn between(before: &Sample, now: &Sample) -> Self {
        let subscriptions =
            now.report.graph.endpoints.iter().filter(|end| end.kind == EndpointKind::Subscription);
        let node_of: HashMap<Gid, Gid> = subscriptions.map(|end| (end.gid, end.node)).collect();
        let earlier: HashMap<(Gid, Gid), &Latency> = before
            .report
            .connections
            .iter()
            .map(|connection| ((connection.publisher, connection.subscription), &connection.transport))
            .collect();
        let mut latencies: HashMap<Gid, Latency> = HashMap::new();
        for connection in &now.report.connections {
            let Some(node) = node_of.get(&connection.subscription) else { continue };
            let earlier = earlier.get(&(connection.publisher, connection.subscription));
            let recent = earlier
                .map_or_else(|| connection.transport.clone(), |earlier| connection.transport.since(earlier));
            latencies.entry(*node).or_default().merge(&recent);
        }
        let mut lost: HashMap<Gid, u64> = HashMap::new();
        for (subscription, node) in &node_of {
            let counts = now.report.endpoints.get(subscription);
            *lost.entry(*node).or_default() += counts.map_or(0, |counts| counts.losses.total());
        }
        Self { latencies, lost }
    }
}
