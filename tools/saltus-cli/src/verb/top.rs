//! `saltus top`

mod rows;
mod sample;

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal, Write},
    time::Duration,
};

use rustix::termios::tcgetwinsize;
use saltus::{Context, context::ContextOptions};
use serde_json::Value as Json;

use rows::Row;
use saltus_verb::{
    error::{Ended, Error},
    reading::seconds,
};
use sample::Sample;

/// `saltus top`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  saltus top\n  saltus top -H --delay 5\n  saltus top -b -n 1\n\n\
    CPU %      share of one CPU since the last table\n\
    PSS MB     memory; what several processes share is divided among them\n\
    P99 µs     from `publish` until a message was taken, of the messages since the last table\n\
    LOST       messages that the subscriptions have lost since they exist\n\
    RESTARTS   how many times a container has started the process of a component again")]
pub(crate) struct Top {
    /// The time between two tables in seconds
    #[arg(short, long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    delay: Duration,
    /// Print this number of tables one below the other, and end
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Print the tables one below the other, as for a file
    #[arg(short, long)]
    batch: bool,
    /// Also show the threads
    #[arg(short = 'H', long)]
    threads: bool,
    /// Print each table as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Top {
    pub(crate) fn run(self) -> Result<(), Error> {
        if self.delay < Duration::from_millis(50) {
            return Err("the delay must be at least 0.05 seconds".into());
        }
        let context = Context::new()?;
        let own = context.participant().new_gid().process();
        let is_live = !self.batch && !self.json && self.iterations.is_none() && io::stdout().is_terminal();
        let _screen = is_live.then(Screen::open).transpose()?;
        let mut before = Sample::take(own)?;
        for count in 1.. {
            context.wait_until(self.delay, || false);
            if context.is_shut_down() {
                return if count > 1 || is_live { Ok(()) } else { Err(Ended::Interrupted.into()) };
            }
            let now = Sample::take(own)?;
            let rows = rows::rows(&before, &now, self.threads);
            if self.json {
                let rows: Vec<Json> = rows.iter().map(Row::json).collect();
                print(&format!("{}\n", Json::from(rows)))?;
            } else {
                let title = title(&rows)?;
                let lines: Vec<String> =
                    [title, rows::HEAD.into()].into_iter().chain(rows.iter().map(Row::line)).collect();
                if is_live { draw(&lines)? } else { print(&format!("{}\n\n", lines.join("\n")))? }
            }
            if self.iterations == Some(count) {
                return Ok(());
            }
            before = now;
        }
        Ok(())
    }
}

/// Returns the first line of a table.
fn title(rows: &[Row]) -> Result<String, Error> {
    let domain = ContextOptions::default().domain_id()?.number;
    let nodes: usize = rows.iter().map(|row| row.nodes).sum();
    // A process that has joined the domain several times has several rows.
    let by_pid: BTreeMap<i32, &Row> = rows.iter().filter_map(|row| Some((row.pid?, row))).collect();
    let processes = by_pid.len();
    let cpu: f64 = by_pid.values().filter_map(|row| row.cpu).sum();
    let pss: u64 = by_pid.values().filter_map(|row| row.pss).sum();
    let pss = pss as f64 / 1e6;
    let count = |count: usize, one: &str, several: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {several}"),
    };
    let (processes, nodes) = (count(processes, "process", "processes"), count(nodes, "node", "nodes"));
    Ok(format!("domain {domain}: {processes}, {nodes}; CPU {cpu:.1} %, PSS {pss:.1} MB"))
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Draws lines from the top of the terminal, as many as fit.
fn draw(lines: &[String]) -> io::Result<()> {
    let size = tcgetwinsize(io::stdout());
    let (height, width) = size.map_or((24, 80), |size| (usize::from(size.ws_row), usize::from(size.ws_col)));
    let cut = |line: &String| line.chars().take(width.max(1)).collect::<String>();
    let shown: Vec<String> = lines.iter().take(height.max(1)).map(cut).collect();
    print(&format!("\x1b[H{}\x1b[K\x1b[J", shown.join("\x1b[K\r\n")))
}

/// The second screen of a terminal. The first one comes back when this value is dropped.
struct Screen;

impl Screen {
    fn open() -> io::Result<Self> {
        print("\x1b[?1049h\x1b[?25l")?;
        Ok(Self)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone, nothing can be done.
        let _ = print("\x1b[?25h\x1b[?1049l");
    }
}
