//! The table that a run prints, and the files that it writes.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use serde::Serialize;

use crate::{
    error::RunError,
    machine::{Machine, Provenance},
    options::{Options, Scenario},
    peer::Peer,
    plot, published,
    row::{Key, Recorded, Row, histogram},
    timer_table,
};

/// A measurement that succeeded or failed.
pub(crate) struct Measured {
    pub(crate) key: Key,
    pub(crate) outcome: Result<Recorded, String>,
}

/// The results of a run.
pub(crate) struct Report {
    machine: Machine,
    run: Provenance,
    measured: Vec<Measured>,
    /// The peers that can't run, each with the reason.
    absent: Vec<String>,
    /// Figures from other sources. They are printed after the measured figures.
    pub(crate) context: String,
    /// Whether Ctrl-C ended the run early.
    pub(crate) interrupted: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    machine: &'a Machine,
    run: &'a Provenance,
    #[serde(skip_serializing_if = "<[Row]>::is_empty")]
    rows: &'a [Row],
    absent: &'a [String],
    failed: Vec<String>,
}

#[derive(Serialize)]
struct RawDocument<'a> {
    machine: &'a Machine,
    run: &'a Provenance,
    runs: Vec<RawRun>,
}

#[derive(Serialize)]
struct RawRun {
    #[serde(flatten)]
    row: Row,
    /// Pairs of an upper bound in nanoseconds and the number of messages. See [`histogram`].
    histogram: Vec<(u32, u64)>,
}

impl Report {
    pub(crate) fn new(peers: &[Peer], options: &Options) -> Self {
        let absent =
            |peer: &Peer| Some(format!("{} ({}): {}", peer.name, peer.mode, peer.available.as_ref().err()?));
        Self {
            machine: Machine::describe(),
            run: Provenance::describe(options),
            measured: Vec::new(),
            absent: peers.iter().filter_map(absent).collect(),
            context: String::new(),
            interrupted: false,
        }
    }

    pub(crate) fn add(&mut self, key: Key, outcome: Result<Recorded, String>) {
        self.measured.push(Measured { key, outcome });
    }

    /// Writes the files that the options select, then prints the table. Returns an error if a row that could run
    /// failed, or if no row was measured.
    pub(crate) fn write(&self, options: &Options) -> Result<(), RunError> {
        let rows = self.rows();
        let table = self.table(options, &rows);
        self.write_files(options, &rows, &table)?;
        print(&table)?;
        if let Some(folder) = &options.out {
            print(&format!("\nwritten to {}\n", folder.display()))?;
        }
        match (self.interrupted, self.failed().len(), rows.len()) {
            (true, ..) => Err(RunError::Interrupted),
            (_, 0, 1..) => Ok(()),
            (_, 0, 0) => Err(RunError::Failed("bench".into(), "no row was measured".into())),
            (_, failed, _) => Err(RunError::Failed("bench".into(), format!("{failed} measurements failed"))),
        }
    }

    fn write_files(&self, options: &Options, rows: &[Row], table: &str) -> Result<(), RunError> {
        if let Some(path) = &options.json {
            write_json(path, &self.document(rows))?;
        }
        let Some(folder) = &options.out else { return Ok(()) };
        fs::create_dir_all(folder).map_err(|e| RunError::Start(folder.display().to_string(), e))?;
        write_file(&folder.join("table.txt"), table.as_bytes())?;
        write_file(&folder.join("rows.csv"), csv(rows).as_bytes())?;
        write_json(&folder.join("machine.json"), &self.document(&[]))?;
        write_json(&folder.join("raw.json"), &self.raw())?;
        if options.scenario == Scenario::Action {
            let text = format!("{}\n\n{}", self.machine.one_line(), published::compare(rows));
            write_file(&folder.join("published.md"), text.as_bytes())?;
        }
        let plotted = if options.scenario == Scenario::Timer { &[][..] } else { &options.pins };
        let scenario = match options.scenario {
            Scenario::Action => published::one_by_one(2000),
            other => other.word().into(),
        };
        for pin in plotted {
            for pace in &options.paces {
                let (pin, pace) = (pin.word(), pace.name());
                let title = format!("RTT p50 by size, CPUs {pin}, {pace} ({})", self.machine.one_line());
                let shown = |row: &&Row| row.scenario == scenario && row.pin == pin && row.pace == pace;
                let shown: Vec<&Row> = rows.iter().filter(shown).collect();
                let name = format!("rtt-{pin}-{}", pace.replace(' ', "-"));
                plot::write(folder, &name, &title, &shown).map_err(|e| RunError::Failed("plot".into(), e))?;
            }
        }
        Ok(())
    }

    /// Returns the medians of each row over all runs, in the order in which the rows were first measured.
    fn rows(&self) -> Vec<Row> {
        let mut keys: Vec<&Key> = Vec::new();
        for measured in &self.measured {
            if !keys.contains(&&measured.key) {
                keys.push(&measured.key);
            }
        }
        let runs = |key: &Key| -> Vec<Row> {
            let of_key = self.measured.iter().filter(|measured| measured.key == *key);
            of_key.filter_map(|m| Some(Row::new(key, m.outcome.as_ref().ok()?))).collect()
        };
        keys.into_iter().filter_map(|key| Row::median(&runs(key))).collect()
    }

    fn failed(&self) -> Vec<String> {
        let failure = |m: &Measured| {
            let error = m.outcome.as_ref().err()?;
            let Key { peer, mode, size, pin, pace, .. } = &m.key;
            Some(format!("{peer} ({mode}) {size} B, {pin}, {pace}: {error}"))
        };
        self.measured.iter().filter_map(failure).collect()
    }

    fn document<'a>(&'a self, rows: &'a [Row]) -> Document<'a> {
        Document { machine: &self.machine, run: &self.run, rows, absent: &self.absent, failed: self.failed() }
    }

    fn raw(&self) -> RawDocument<'_> {
        let run = |measured: &Measured| {
            let recorded = measured.outcome.as_ref().ok()?;
            Some(RawRun { row: Row::new(&measured.key, recorded), histogram: histogram(&recorded.nanos) })
        };
        let machine = &self.machine;
        RawDocument { machine, run: &self.run, runs: self.measured.iter().filter_map(run).collect() }
    }

    fn table(&self, options: &Options, rows: &[Row]) -> String {
        let mut text = format!("{}\n{}\n", self.machine.one_line(), self.run.one_line());
        if self.interrupted {
            text += "interrupted: these are the results until then\n";
        }
        text += &match options.scenario {
            Scenario::Timer => timer_table::table(rows),
            _ => exchanges(rows),
        };
        let notes = [("absent", self.absent.clone()), ("failed", self.failed())];
        if self.measured.iter().any(|one| one.key.scenario == Scenario::Service.word()) {
            text += "\nCyclone DDS, Fast DDS and ZeroMQ have no services: they use a topic or socket in each direction\n";
        }
        text += &self.context;
        for (what, which) in notes.iter().filter(|(_, which)| !which.is_empty()) {
            text += &format!("\n{what}:\n");
            which.iter().for_each(|note| text += &format!("  {note}\n"));
        }
        text
    }
}

/// Formats the rows of an exchange, grouped by scenario, placement, pace and size.
fn exchanges(rows: &[Row]) -> String {
    let (mut text, mut group) = (String::new(), None);
    for row in sorted_for_reading(rows) {
        let this = (row.scenario.clone(), row.pin.clone(), row.pace.clone(), row.size);
        if group.as_ref() != Some(&this) {
            let (scenario, pin, pace, _) = &this;
            text += &format!("\n{scenario}, {pin}, {pace}, {}\n{HEAD}\n", size(row.size));
            group = Some(this);
        }
        text += &line(row);
    }
    text
}

const HEAD: &str = "  peer            mode                        data      wait          msg/s       MB/s     mean      min      p50      p90      p99       max  lost  CPU us/msg  ctxsw/msg  same CPU";

/// The longest time that can be recorded, in microseconds. Longer times are recorded as this one.
const LONGEST_US: f64 = u32::MAX as f64 / 1e3;

fn line(row: &Row) -> String {
    let share = row.same_cpu_share.map_or("-".into(), |share| format!("{:.0} %", share * 100.0));
    let time = |micros: f64, decimals: usize| match micros >= LONGEST_US {
        true => "> 4.29 s".to_owned(),
        false => format!("{micros:.decimals$}"),
    };
    format!(
        "  {:<15} {:<27} {:<9} {:<8} {:>10.0} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>5} {:>11} {:>10} {:>9}{}\n",
        row.peer,
        row.mode,
        row.data,
        row.wait,
        row.msg_s,
        figure(row.mb_s, 1),
        if row.max_us >= LONGEST_US { "-".into() } else { time(row.mean_us, 2) },
        time(row.min_us, 2),
        time(row.p50_us, 2),
        time(row.p90_us, 2),
        time(row.p99_us, 2),
        time(row.max_us, 1),
        row.lost,
        figure(row.cpu_us_per_msg, 2),
        figure(row.ctxsw_per_msg, 3),
        share,
        row.feedback.map_or(String::new(), |count| format!("  {count} feedback"))
    )
}

/// Formats a figure, or returns a dash if there is none.
fn figure(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.decimals$}"))
}

fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 20) => format!("{} MB", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{} KB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// Sorts rows by scenario (in the order of measurement), placement, pace and size. The rows of a group keep their
/// order.
fn sorted_for_reading(rows: &[Row]) -> Vec<&Row> {
    let first = |row: &Row| rows.iter().position(|other| other.scenario == row.scenario);
    let pace = |row: &Row| rows.iter().position(|other| other.pace == row.pace);
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| (first(a), &a.pin, pace(a), a.size).cmp(&(first(b), &b.pin, pace(b), b.size)));
    sorted
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "scenario,peer,version,mode,data,wait,pin,pace,size,n,lost,msg_s,mb_s,mean_us,min_us,p50_us,p90_us,p99_us,max_us,cpu_us_per_msg,ctxsw_per_msg,feedback\n",
    );
    for r in rows {
        text += &format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            r.scenario,
            r.peer,
            r.version,
            r.mode,
            r.data,
            r.wait,
            r.pin,
            r.pace,
            r.size,
            r.n,
            r.lost,
            r.msg_s,
            csv_figure(r.mb_s),
            r.mean_us,
            r.min_us,
            r.p50_us,
            r.p90_us,
            r.p99_us,
            r.max_us,
            csv_figure(r.cpu_us_per_msg),
            csv_figure(r.ctxsw_per_msg),
            r.feedback.map(|count| count.to_string()).unwrap_or_default()
        );
    }
    text
}

/// Formats a figure, or returns an empty string if there is none.
fn csv_figure(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Prints text. Returns an error if the standard output can't be written to, for example because the reader closed it.
pub(crate) fn print(text: &str) -> Result<(), RunError> {
    io::stdout().write_all(text.as_bytes()).map_err(|e| RunError::Start("standard output".into(), e))
}

fn write_json(path: &Path, document: &impl Serialize) -> Result<(), RunError> {
    let bytes = serde_json::to_vec_pretty(document)
        .map_err(|e| RunError::Failed(path.display().to_string(), e.to_string()))?;
    write_file(path, &bytes)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let written = fs::File::create(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|e| RunError::Start(path.display().to_string(), e))
}
