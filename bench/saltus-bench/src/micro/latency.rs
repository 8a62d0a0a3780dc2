//! Round trips: through an agent and back to the client, beside the bare exchange of the same bytes; and to a node of
//! the host and back.

use std::{collections::BTreeMap, path::Path, process::Command, time::Duration};

use super::{
    figures::{median, quantile},
    options::MicroOptions,
    programs::{AGENT_CPU, Link, Program, client, free_port, root, start_agent},
    table::{Cell, Table},
};
use crate::{
    error::RunError,
    process::{Folder, Process},
};

const TRANSPORTS: [&str; 3] = ["udp", "tcp", "serial"];
/// The bytes of a message.
const SIZE: u32 = 64;
/// The number of bytes that the protocol adds to a message: two headers and a request.
const HEADERS: u32 = 12;
/// The number of bytes that the framing of a serial line adds.
const FRAMING: u32 = 7;
/// The round trips of another agent that are measured over TCP, at most: some wait 40 ms each.
const SLOW: u64 = 200;
const LONG: Duration = Duration::from_secs(60);

/// The times of a row in nanoseconds, of one run.
type Times = Vec<u64>;

/// Measures all rows, interleaved over the runs.
pub(super) fn measure(options: &MicroOptions) -> Result<Vec<Table>, RunError> {
    let mut trips: BTreeMap<(usize, String), Vec<Times>> = BTreeMap::new();
    let mut ways: BTreeMap<(usize, String), Vec<[f64; 3]>> = BTreeMap::new();
    for run in 0..options.runs {
        for (at, transport) in TRANSPORTS.into_iter().enumerate() {
            eprintln!("[{}/{}] latency, {transport}", run + 1, options.runs);
            let mut add = |name: &str, times: Times| {
                trips.entry((at, format!("{transport}, {name}"))).or_default().push(times);
            };
            add("0 bare", bare(transport, options)?);
            let folder = Folder::new()?;
            for (name, reliable) in [("best effort", "0"), ("reliable", "1")] {
                let (_agent, link) = start_agent(None, transport, folder.path())?;
                add(&format!("1 Saltus, {name}"), through_agent(&link, reliable, options.iterations)?);
                let key = (at, format!("{transport}, {name}"));
                ways.entry(key).or_default().push(to_host(&link, reliable, folder.path(), options)?);
                // The other agent's pseudo-terminal does not print its name in the same way.
                if let Some(other) = options.other_agent.as_deref().filter(|_| transport != "serial") {
                    let (_agent, link) = start_agent(Some(other), transport, folder.path())?;
                    let iterations =
                        if transport == "tcp" { SLOW.min(options.iterations) } else { options.iterations };
                    add(&format!("2 other agent, {name}"), through_agent(&link, reliable, iterations)?);
                }
            }
        }
    }
    Ok(vec![trips_table(options, &trips), ways_table(&ways)])
}

fn read_times(output: &str) -> Times {
    let mut times: Times = output.lines().filter_map(|line| line.parse().ok()).collect();
    times.sort_unstable();
    times
}

/// The bare exchange of as many bytes.
fn bare(transport: &'static str, options: &MicroOptions) -> Result<Times, RunError> {
    let port = free_port()?;
    let mut server = Command::new("taskset");
    server.args(["-c", AGENT_CPU]).arg(root()?.join("target/micro/host/bench"));
    let mut server = Program::start(server.args(["pong", transport, "127.0.0.1", &port]))?;
    let (address, port) = if transport == "serial" {
        let line = server.wait_for("terminal=")?;
        (line.trim_start_matches("terminal=").to_owned(), "115200".to_owned())
    } else {
        ("127.0.0.1".to_owned(), port)
    };
    server.wait_for("ready")?;
    let size = SIZE + HEADERS + if transport == "serial" { FRAMING } else { 0 };
    let options = [format!("size={size}"), format!("count={}", options.iterations)];
    let link = Link { transport, address, port };
    let output = super::programs::run(&mut client("ping", &link, &options)?)?;
    Ok(read_times(&output))
}

/// Returns an error unless a client has ended as it should, without a lost message.
fn check_losses(last: &str) -> Result<(), RunError> {
    match last.strip_prefix("lost=") {
        Some("0") => Ok(()),
        Some(count) => {
            Err(RunError::Failed("the client".into(), format!("{count} round trips had no answer")))
        }
        None => Err(RunError::Failed("the client".into(), "it has ended early".into())),
    }
}

fn options_of(reliable: &str, iterations: u64) -> [String; 3] {
    [format!("size={SIZE}"), format!("count={iterations}"), format!("reliable={reliable}")]
}

fn through_agent(link: &Link, reliable: &str, iterations: u64) -> Result<Times, RunError> {
    let options = options_of(reliable, iterations);
    let mut program = Program::start(&mut client("rtt", link, &options)?)?;
    let mut times = Times::new();
    let mut last = String::new();
    while let Some(line) = program.line(LONG)? {
        times.extend(line.parse::<u64>());
        last = line;
    }
    check_losses(&last)?;
    times.sort_unstable();
    Ok(times)
}

/// Exchanges messages with a node of the host. Returns the medians of the ways to it, from it, and of both, in
/// nanoseconds.
fn to_host(link: &Link, reliable: &str, folder: &Path, options: &MicroOptions) -> Result<[f64; 3], RunError> {
    let reliability = if reliable == "1" { "reliable" } else { "best-effort" };
    let _host = Process::start_in("micro-host", &[reliability.to_owned()], folder)?;
    let count = options.iterations.min(2000);
    let mut program = Program::start(&mut client("latency", link, &options_of(reliable, count))?)?;
    let mut columns: [Times; 3] = Default::default();
    let mut last = String::new();
    while let Some(line) = program.line(LONG)? {
        let figures: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        if figures.len() == columns.len() {
            columns.iter_mut().zip(figures).for_each(|(column, figure)| column.push(figure));
        }
        last = line;
    }
    check_losses(&last)?;
    columns.iter_mut().for_each(|column| column.sort_unstable());
    Ok(columns.map(|column| quantile(&column, 0.5)))
}

fn trips_table(options: &MicroOptions, trips: &BTreeMap<(usize, String), Vec<Times>>) -> Table {
    let title = format!(
        "Round trips of {SIZE} B in µs: a client publishes and receives through an agent; bare: the same bytes without \
         one. Both block; CPUs apart; reliable rows wait for the acknowledgement between round trips; medians of {} \
         interleaved runs of {} round trips, of the other agent over TCP at most {SLOW}",
        options.runs, options.iterations
    );
    let mut table =
        Table::new(&title, &["p50", "p90", "p99", "max", "mean", "p50 / bare", "p50 / other agent", "count"]);
    let of = |runs: &[Times], figure: &dyn Fn(&Times) -> f64| median(runs.iter().map(figure).collect());
    let p50 = |runs: &[Times]| of(runs, &|times| quantile(times, 0.5));
    for ((at, name), runs) in trips {
        let transport = TRANSPORTS[*at];
        let bare = trips.get(&(*at, format!("{transport}, 0 bare"))).map_or(f64::NAN, |runs| p50(runs));
        let same = name.replace("1 Saltus", "2 other agent");
        let other =
            trips.get(&(*at, same)).filter(|_| name.contains("Saltus")).map_or(f64::NAN, |runs| p50(runs));
        let mean = |times: &Times| times.iter().sum::<u64>() as f64 / times.len() as f64;
        let micro = |nanos: f64| Cell::fine(nanos / 1e3);
        let cells = vec![
            micro(p50(runs)),
            micro(of(runs, &|times| quantile(times, 0.9))),
            micro(of(runs, &|times| quantile(times, 0.99))),
            micro(of(runs, &|times| quantile(times, 1.0))),
            micro(of(runs, &mean)),
            Cell::ratio(p50(runs) / bare),
            Cell::ratio(p50(runs) / other),
            Cell::whole(runs.iter().map(Vec::len).sum::<usize>() as f64),
        ];
        table.row(name.replace(", 0 ", ", ").replace(", 1 ", ", ").replace(", 2 ", ", "), cells);
    }
    table
}

fn ways_table(ways: &BTreeMap<(usize, String), Vec<[f64; 3]>>) -> Table {
    let title = "Between a client and a node of the host, p50 in µs, as published: client publish is the way to the \
                 node, agent publish the way back. Published for a Cortex-M33 board (ms): UDP 0.52, 0.70, 1.22; TCP 1.55, \
                 2.04, 3.59; serial 3.77, 5.04, 8.81";
    let mut table = Table::new(title, &["client publish", "agent publish", "round trip"]);
    for ((_, name), runs) in ways {
        let of = |column: usize| Cell::fine(median(runs.iter().map(|run| run[column]).collect()) / 1e3);
        table.row(name.clone(), vec![of(0), of(1), of(2)]);
    }
    table
}
