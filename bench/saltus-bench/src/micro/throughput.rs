//! Messages sent by a client and delivered to a node of the host, on each transport.

use std::time::Duration;

use super::{
    figures::median,
    options::MicroOptions,
    programs::{Link, Program, client, start_agent, start_bus, value},
    table::{Cell, Table},
};
use crate::{
    error::RunError,
    process::{Folder, Process},
};

const SIZES: [u32; 5] = [16, 64, 256, 1024, 4096];
/// The number of bytes that a serial line carries for a message besides its own: headers, a request, and framing.
const SERIAL_OVERHEAD: f64 = 19.0;

/// A way to send.
struct Row {
    name: &'static str,
    transport: &'static str,
    /// The options of the C program.
    options: &'static [&'static str],
    /// The speed of the line in bits per second, if the client keeps to one.
    bits_per_second: Option<f64>,
    sizes: &'static [u32],
}

const MTU: &str = "mtu=8192";
const ROWS: [Row; 10] = [
    Row { name: "UDP, best effort", transport: "udp", options: &[MTU], bits_per_second: None, sizes: &SIZES },
    Row {
        name: "UDP, best effort, 100,000/s",
        transport: "udp",
        options: &[MTU, "rate=100000"],
        bits_per_second: None,
        sizes: &[64],
    },
    Row {
        name: "UDP, reliable",
        transport: "udp",
        options: &[MTU, "reliable=1", "history=16"],
        bits_per_second: None,
        sizes: &SIZES,
    },
    Row {
        name: "UDP, reliable, packed",
        transport: "udp",
        options: &["mtu=1400", "reliable=1", "history=16", "packs=1"],
        bits_per_second: None,
        sizes: &SIZES,
    },
    Row { name: "TCP, best effort", transport: "tcp", options: &[MTU], bits_per_second: None, sizes: &SIZES },
    Row {
        name: "pty, unpaced (as USB-CDC)",
        transport: "serial",
        options: &[MTU],
        bits_per_second: None,
        sizes: &SIZES,
    },
    Row {
        name: "pty, 115,200 baud",
        transport: "serial",
        options: &[MTU, "baud=115200"],
        bits_per_second: Some(115_200.0),
        sizes: &SIZES,
    },
    Row {
        name: "pty, 921,600 baud",
        transport: "serial",
        options: &[MTU, "baud=921600"],
        bits_per_second: Some(921_600.0),
        sizes: &SIZES,
    },
    Row {
        name: "CAN-FD, 0.5 and 2 Mbit/s, best effort",
        transport: "can",
        options: &["mtu=63", "baud=2000000"],
        bits_per_second: None,
        sizes: &[16, 32, 48],
    },
    Row {
        name: "CAN-FD, 0.5 and 2 Mbit/s, reliable",
        transport: "can",
        options: &["mtu=63", "baud=2000000", "reliable=1", "history=16"],
        bits_per_second: None,
        sizes: &[16, 48, 256],
    },
];

/// The figures of a run.
struct Figures {
    sent: f64,
    delivered: f64,
    /// Lost in the queue of the node.
    overflowed: f64,
    seconds: f64,
    /// The CPU time of the agent in seconds.
    cpu: f64,
}

/// Measures all rows, interleaved over the runs.
pub(super) fn measure(options: &MicroOptions) -> Result<Vec<Table>, RunError> {
    let title = format!(
        "Messages per second, for {} s: sent by a client, and delivered to a node of the host; the share of the payload \
         that the line can carry; CPU: of the agent, of one core. Client and agent on different CPUs, the node on any; \
         medians of {} runs",
        options.seconds, options.runs
    );
    let mut table = Table::new(
        &title,
        &[
            "size",
            "sent/s",
            "delivered/s",
            "lost at the node",
            "lost elsewhere",
            "MB/s",
            "% of the line",
            "CPU %",
        ],
    );
    for row in &ROWS {
        for size in row.sizes {
            let mut runs = Vec::new();
            for run in 0..options.runs {
                eprintln!("[{}/{}] throughput, {}, {size} B", run + 1, options.runs, row.name);
                runs.push(once(row, *size, options.seconds)?);
            }
            table.row(row.name, cells(row, *size, &runs));
        }
    }
    Ok(vec![table])
}

fn cells(row: &Row, size: u32, runs: &[Figures]) -> Vec<Cell> {
    let of = |figure: &dyn Fn(&Figures) -> f64| median(runs.iter().map(figure).collect());
    let delivered = of(&|run| run.delivered / run.seconds);
    let largest = row.bits_per_second.map(|bits| bits / 10.0 / (f64::from(size) + SERIAL_OVERHEAD));
    vec![
        Cell::whole(size.into()),
        Cell::whole(of(&|run| run.sent / run.seconds)),
        Cell::whole(delivered),
        Cell::whole(of(&|run| run.overflowed)),
        Cell::whole(of(&|run| run.sent - run.delivered - run.overflowed)),
        Cell::ratio(delivered * f64::from(size) / 1e6),
        Cell::fine(largest.map_or(f64::NAN, |largest| 100.0 * delivered / largest)),
        Cell::whole(of(&|run| 100.0 * run.cpu / run.seconds)),
    ]
}

fn once(row: &Row, size: u32, seconds: u64) -> Result<Figures, RunError> {
    let folder = Folder::new()?;
    let _bus = if row.transport == "can" { Some(start_bus(folder.path())?) } else { None };
    let (agent, link) = start_agent(None, row.transport, folder.path())?;
    let reliable = row.options.contains(&"reliable=1");
    let mut host = Process::start_in(
        "micro-host",
        &[if reliable { "reliable" } else { "best-effort" }.to_owned()],
        folder.path(),
    )?;
    let (line, cpu) = flood(row, size, seconds, &link, &agent)?;
    let counted = host.close_and_read();
    Ok(Figures {
        sent: value(&line, "sent"),
        delivered: value(&counted, "counted"),
        overflowed: value(&counted, "lost"),
        seconds: value(&line, "nanoseconds") / 1e9,
        cpu,
    })
}

/// Lets a client publish. Returns the line that it prints, and the CPU time of the agent.
fn flood(
    row: &Row,
    size: u32,
    seconds: u64,
    link: &Link,
    agent: &Program,
) -> Result<(String, f64), RunError> {
    let mut options = vec![format!("size={size}"), format!("seconds={seconds}")];
    options.extend(row.options.iter().map(|option| (*option).to_owned()));
    let mut program = Program::start(&mut client("flood", link, &options)?)?;
    program.wait_for("ready")?;
    let before = agent.cpu_seconds();
    program.go_on()?;
    let line = program.wait_for_within("sent=", Duration::from_secs(seconds + 30))?;
    let cpu = agent.cpu_seconds() - before;
    // What is still on the way is not lost. Nothing tells a late best-effort message from a lost one, so only time does.
    std::thread::sleep(Duration::from_millis(500));
    program.go_on()?;
    Ok((line, cpu))
}
