//! Many clients of one agent. Each publishes ten times in a second, and receives as often from the host.

use std::time::Duration;

use super::{
    figures::quantile,
    options::MicroOptions,
    programs::{Program, client, start_agent, value},
    table::{Cell, Table},
};
use crate::{
    error::RunError,
    process::{Folder, Process},
};

const COUNTS: [u64; 4] = [1, 10, 100, 1000];
/// The messages that a client publishes in a second.
const RATE: f64 = 10.0;
/// The longest time that a program may take until all clients are connected, and to end.
const LONG: Duration = Duration::from_secs(120);

/// Measures the agent with each number of clients.
pub(super) fn measure(options: &MicroOptions) -> Result<Vec<Table>, RunError> {
    let title = format!(
        "Clients of one agent over UDP, reliable, each publishing and receiving 64 B ten times in a second, for {} s: the \
         agent's CPU (of one core) and anonymous memory; agent publish is the way from a node of the host to a client, in ms",
        options.seconds
    );
    let columns = [
        "CPU %",
        "agent KB",
        "KB for each",
        "published/s",
        "lost",
        "agent publish/s",
        "lost",
        "p50",
        "p99",
        "max",
    ];
    let mut table = Table::new(&title, &columns);
    let mut empty = f64::NAN;
    for count in COUNTS {
        eprintln!("scale, {count} clients");
        let cells = once(count, options.seconds, &mut empty)?;
        table.row(format!("{count} clients"), cells);
    }
    Ok(vec![table])
}

fn once(count: u64, seconds: u64, empty: &mut f64) -> Result<Vec<Cell>, RunError> {
    let folder = Folder::new()?;
    let (agent, link) = start_agent(None, "udp", folder.path())?;
    let begun = memory(agent.id())?;
    let words = [count.to_string(), seconds.to_string()];
    let mut host = Process::start_in("micro-crowd", &words, folder.path())?;
    let options = [format!("count={count}"), format!("seconds={seconds}"), "reliable=1".to_owned()];
    let mut program = Program::start(&mut client("crowd", &link, &options)?)?;
    program.wait_for_within("ready", LONG)?;
    if empty.is_nan() {
        *empty = begun;
    }
    let before = agent.cpu_seconds();
    program.go_on()?;
    host.go_on()?;
    program.wait_for_within("done", LONG)?;
    let cpu = agent.cpu_seconds() - before;
    // The clients are still there.
    let used = memory(agent.id())?;
    program.go_on()?;
    let mut times = Vec::new();
    let mut last = String::new();
    while let Some(line) = program.line(LONG)? {
        match line.parse::<u64>() {
            Ok(time) => times.push(time),
            Err(_) => last = line,
        }
    }
    if !last.starts_with("sent=") {
        return Err(RunError::Failed("the clients".into(), "they have ended early".into()));
    }
    times.sort_unstable();
    let counted = host.close_and_read();
    let of = |name: &str| value(&last, name);
    let seconds = seconds as f64;
    let (sent, published) = (of("sent") + of("refused"), value(&counted, "published"));
    Ok(vec![
        Cell::fine(100.0 * cpu / seconds),
        Cell::whole(used),
        Cell::fine((used - *empty) / count as f64),
        Cell::whole(sent / seconds),
        Cell::whole(sent - value(&counted, "counted")),
        Cell::whole(published / seconds),
        Cell::whole(published - times.len() as f64),
        Cell::ratio(quantile(&times, 0.5) / 1e6),
        Cell::ratio(quantile(&times, 0.99) / 1e6),
        Cell::ratio(quantile(&times, 1.0) / 1e6),
    ])
}

/// Returns the memory of a process that is its own and no file's, in KB.
fn memory(pid: u32) -> Result<f64, RunError> {
    let path = format!("/proc/{pid}/status");
    let text = std::fs::read_to_string(&path).map_err(|e| RunError::Start(path.clone(), e))?;
    let kb =
        text.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse().ok());
    kb.ok_or_else(|| RunError::Failed(path, "has no RssAnon".into()))
}

/// Returns the time between two messages of the host in nanoseconds.
pub(super) fn pause(count: u64) -> u64 {
    (1e9 / RATE / count as f64) as u64
}
