//! `saltus doctor --report`: prints all that is known of the domain, in the form of ROS 2's command.

use std::io::{self, Write};

use saltus::{
    context::DomainId,
    graph::{EndpointKind, Report},
};

use saltus_verb::{
    graph::{endpoints, node_name, topics},
    output::bytes,
};

/// A title, and the names and values below it.
type Section = (&'static str, Vec<(String, String)>);

/// Writes the platform, the version, the topics and their QoS.
pub(super) fn write(out: &mut impl Write, report: &Report, domain: &DomainId) -> io::Result<()> {
    for (head, rows) in [platform(), version(report, domain), topic_list(report), compatibility(report)] {
        writeln!(out, "\n   {head}")?;
        let width = rows.iter().map(|(name, _)| name.len() + 4).max().unwrap_or(0).max(8);
        for (name, value) in rows {
            writeln!(out, "{name:width$}: {value}")?;
        }
    }
    Ok(())
}

fn row(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

fn platform() -> Section {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let release = read("/etc/os-release");
    let system = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or("unknown");
    let rows = vec![
        row("system", system.trim_matches('"')),
        row("release", read("/proc/sys/kernel/osrelease").trim()),
        row("processor", std::env::consts::ARCH),
        row("processors", std::thread::available_parallelism().map_or(0, usize::from)),
    ];
    ("PLATFORM INFORMATION", rows)
}

fn version(report: &Report, domain: &DomainId) -> Section {
    let (free, all) = report.space;
    let rows = vec![
        row("version", env!("CARGO_PKG_VERSION")),
        row("domain", domain.number),
        row("owner", domain.owner),
        row("folder", domain.folder.join(domain.owner.folder_name()).display()),
        row("processes", report.processes.len()),
        row("nodes, also hidden", report.graph.nodes.len()),
        row("free shared memory", format!("{} of {}", bytes(free), bytes(all))),
    ];
    ("SALTUS INFORMATION", rows)
}

fn topic_list(report: &Report) -> Section {
    let mut rows = Vec::new();
    for topic in topics(&report.graph, true).into_keys() {
        let count = |kind| endpoints(&report.graph, &topic, kind).len();
        rows.extend([
            row("topic", &topic),
            row("publisher count", count(EndpointKind::Publisher)),
            row("subscriber count", count(EndpointKind::Subscription)),
        ]);
    }
    ("TOPIC LIST", rows)
}

fn compatibility(report: &Report) -> Section {
    let mut rows = Vec::new();
    for (topic, types) in topics(&report.graph, true) {
        for publisher in endpoints(&report.graph, &topic, EndpointKind::Publisher) {
            for subscription in endpoints(&report.graph, &topic, EndpointKind::Subscription) {
                let pair = (publisher.gid, subscription.gid);
                let mismatch =
                    report.mismatches.iter().find(|one| (one.publisher.gid, one.subscription.gid) == pair);
                let status = mismatch.map_or("OK".into(), |one| format!("{}, {}", one.cause, one.reason));
                rows.extend([
                    row("topic [type]", format!("{topic} [{}]", types.join(", "))),
                    row("publisher node", node_name(&report.graph, publisher)),
                    row("subscriber node", node_name(&report.graph, subscription)),
                    row("compatibility status", status),
                ]);
            }
        }
    }
    if rows.is_empty() {
        rows.push(row("compatibility status", "No publisher/subscriber pairs found"));
    }
    ("QOS COMPATIBILITY LIST", rows)
}
