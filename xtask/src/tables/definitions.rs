//! Which figures each table shows.

use super::rows::{Column, Row};

/// A table of a document: rows of one scenario of a kept run.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The kind of the run, with which the name of its folder ends.
    pub(super) kind: &'static str,
    pub(super) scenario: &'static str,
    pub(super) shows: fn(&Row) -> bool,
    pub(super) columns: &'static [Column],
}

const B64: u64 = 64;
const KB64: u64 = 64 << 10;
const MB1: u64 = 1 << 20;
const FULL: &str = "full speed";
const P50: &str = "p50_us";
const P99: &str = "p99_us";
const CPU: &str = "cpu_us_per_msg";

const fn column(title: &'static str, size: u64, pace: &'static str, figure: &'static str) -> Column {
    Column { title, size, pace, pin: "apart", figure }
}

/// p50 at full speed by size, then CPU time.
const EXCHANGE: &[Column] = &[
    column("64 B", B64, FULL, P50),
    column("64 KB", KB64, FULL, P50),
    column("1 MB", MB1, FULL, P50),
    column("p99 64 B", B64, FULL, P99),
    column("p99 1 MB", MB1, FULL, P99),
    column("CPU 64 B", B64, FULL, CPU),
    column("CPU 1 MB", MB1, FULL, CPU),
];

const GOALS: &[Column] = &[
    column("mean 64 B", B64, FULL, "mean_us"),
    column("p50 64 B", B64, FULL, P50),
    column("p99 64 B", B64, FULL, P99),
    column("mean 1 MB", MB1, FULL, "mean_us"),
    column("p50 1 MB", MB1, FULL, P50),
    column("p99 1 MB", MB1, FULL, P99),
    column("feedback 64 B", B64, FULL, "feedback"),
];

pub(super) const TABLES: &[Table] = &[
    Table {
        name: "topics-short",
        kind: "topic",
        scenario: "ping-pong",
        shows: |row| is_usual(row) && ["saltus", "iceoryx2", "zenoh", "ros2"].contains(&row.text("peer")),
        columns: &[
            column("64 B", B64, FULL, P50),
            column("1 MB", MB1, FULL, P50),
            column("64 B at 1 kHz", B64, "1 kHz", P50),
            column("1 MB at 1 kHz", MB1, "1 kHz", P50),
            column("CPU 64 B at 1 kHz", B64, "1 kHz", CPU),
        ],
    },
    Table { name: "topics", kind: "topic", scenario: "ping-pong", shows: |_| true, columns: EXCHANGE },
    Table {
        name: "topics-paced",
        kind: "topic",
        scenario: "ping-pong",
        shows: |_| true,
        columns: &[
            column("64 B at 1 kHz", B64, "1 kHz", P50),
            column("p99", B64, "1 kHz", P99),
            column("CPU", B64, "1 kHz", CPU),
            column("1 MB at 1 kHz", MB1, "1 kHz", P50),
            column("64 B at 100 Hz", B64, "100 Hz", P50),
            column("p99", B64, "100 Hz", P99),
            column("CPU", B64, "100 Hz", CPU),
            column("1 MB at 100 Hz", MB1, "100 Hz", P50),
        ],
    },
    Table {
        name: "topics-together",
        kind: "together",
        scenario: "ping-pong",
        shows: |_| true,
        columns: &[
            Column { title: "64 B", size: B64, pace: FULL, pin: "together", figure: P50 },
            Column { title: "64 KB", size: KB64, pace: FULL, pin: "together", figure: P50 },
            Column { title: "1 MB", size: MB1, pace: FULL, pin: "together", figure: P50 },
            Column { title: "CPU 64 B", size: B64, pace: FULL, pin: "together", figure: CPU },
            Column { title: "CPU 1 MB", size: MB1, pace: FULL, pin: "together", figure: CPU },
        ],
    },
    Table { name: "services", kind: "service", scenario: "service", shows: |_| true, columns: EXCHANGE },
    Table {
        name: "actions",
        kind: "action",
        scenario: "action: 2000 goals one by one",
        shows: |row| row.text("mode").contains("action"),
        columns: GOALS,
    },
    Table {
        name: "goals-at-once",
        kind: "action",
        scenario: "action: 1000 goals many at once",
        shows: |_| true,
        columns: &[
            column("done of 64 B", B64, FULL, "n"),
            column("lost", B64, FULL, "lost"),
            column("p50 64 B", B64, FULL, P50),
            column("done of 1 MB", MB1, FULL, "n"),
            column("lost", MB1, FULL, "lost"),
            column("p50 1 MB", MB1, FULL, P50),
        ],
    },
    Table {
        name: "topics-cpp-short",
        kind: "topic-cpp",
        scenario: "ping-pong",
        shows: |_| true,
        columns: &[
            column("64 B", B64, FULL, P50),
            column("1 MB", MB1, FULL, P50),
            column("CPU 64 B", B64, FULL, CPU),
            column("CPU 1 MB", MB1, FULL, CPU),
        ],
    },
    Table {
        name: "topics-cpp",
        kind: "topic-cpp",
        scenario: "ping-pong",
        shows: |_| true,
        columns: EXCHANGE,
    },
    Table {
        name: "services-cpp",
        kind: "service-cpp",
        scenario: "service",
        shows: |_| true,
        columns: EXCHANGE,
    },
    Table {
        name: "actions-cpp",
        kind: "action-cpp",
        scenario: "action: 2000 goals one by one",
        shows: |row| row.text("mode").contains("action"),
        columns: GOALS,
    },
    Table { name: "python", kind: "python", scenario: "python", shows: |_| true, columns: EXCHANGE },
    Table {
        name: "timers",
        kind: "timer",
        scenario: "one-shot timer of 10 ms",
        shows: |_| true,
        columns: TIMERS,
    },
    Table {
        name: "timers-cpp",
        kind: "timer-cpp",
        scenario: "one-shot timer of 10 ms",
        shows: |_| true,
        columns: TIMERS,
    },
    Table {
        name: "bridge",
        kind: "bridge",
        scenario: "ping-pong",
        shows: |_| true,
        columns: &[
            Column { title: "one CPU, 64 B", size: B64, pace: FULL, pin: "together", figure: P50 },
            Column { title: "one CPU, 1 MB", size: MB1, pace: FULL, pin: "together", figure: P50 },
            column("two CPUs, 64 B", B64, FULL, P50),
            column("two CPUs, 1 MB", MB1, FULL, P50),
        ],
    },
];

const TIMERS: &[Column] = &[
    timer("mean", "mean_us"),
    timer("p50", P50),
    timer("p99", P99),
    timer("max", "max_us"),
    timer("CPU", CPU),
];

const fn timer(title: &'static str, figure: &'static str) -> Column {
    Column { title, size: 0, pace: "", pin: "", figure }
}

/// Returns whether a row is one that a program would use: not one that only shows a limit.
fn is_usual(row: &Row) -> bool {
    let mode = row.text("mode");
    !["untouched", "bridged", "in-place/spin"].iter().any(|word| mode.contains(word))
}
