//! The options of a run.

use std::path::PathBuf;

/// The sizes of the topic test that Segar published, in bytes of data.
pub(crate) const SIZES: [usize; 8] = [64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// The CPUs that the two processes run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pin {
    /// Each process on its own CPU.
    Apart,
    /// Both processes on one CPU.
    Together,
    /// The scheduler chooses the CPUs.
    Free,
}

impl Pin {
    /// Returns the name on the command line and in results.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Together => "together",
            Self::Free => "free",
        }
    }

    /// Returns the CPUs of ping and pong; -1 is any CPU.
    pub(crate) const fn cpus(self) -> (i32, i32) {
        match self {
            Self::Apart => (0, 1),
            Self::Together => (0, 0),
            Self::Free => (-1, -1),
        }
    }
}

/// The rate at which round trips start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Each round trip starts when the previous one has ended.
    FullSpeed,
    /// This number of round trips starts per second. It is fewer if a round trip takes longer than a period.
    Hertz(u32),
}

impl Pace {
    /// Returns the name in results, such as `full speed`, `100 Hz` or `1 kHz`.
    pub(crate) fn name(self) -> String {
        match self {
            Self::FullSpeed => "full speed".into(),
            Self::Hertz(rate) if rate.is_multiple_of(1000) => format!("{} kHz", rate / 1000),
            Self::Hertz(rate) => format!("{rate} Hz"),
        }
    }

    /// Returns the time from the start of a round trip to the start of the next one, in microseconds; 0 at full speed.
    pub(crate) fn period_us(self) -> u64 {
        match self {
            Self::FullSpeed => 0,
            Self::Hertz(rate) => u64::from(1_000_000 / rate.clamp(1, 1_000_000)),
        }
    }

    /// Returns how many of `iterations` round trips fit into `seconds`.
    pub(crate) fn iterations(self, iterations: u64, seconds: u64) -> u64 {
        match self {
            Self::FullSpeed => iterations,
            Self::Hertz(rate) => iterations.min(seconds * u64::from(rate)).max(1),
        }
    }
}

/// The kind of data that the two processes exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Messages on a topic, sent and sent back.
    Topic,
    /// Calls of a service.
    Service,
    /// Goals of an action.
    Action,
    /// Messages and calls between Python programs.
    Python,
    /// Timers, and timeouts of a state machine. The process has a timer, and exchanges nothing with another process.
    Timer,
}

impl Scenario {
    /// Returns the name in results.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Topic => "ping-pong",
            Self::Service => "service",
            Self::Action => "action",
            Self::Python => "python",
            Self::Timer => "timer",
        }
    }
}

/// The measurements to make, and where the results are written.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The kind of data that the processes exchange.
    pub(crate) scenario: Scenario,
    /// The CPUs that the processes run on.
    pub(crate) pins: Vec<Pin>,
    /// Bytes of data per message.
    pub(crate) sizes: Vec<usize>,
    /// Round trips per row and run. For timers, the largest number of timeouts.
    pub(crate) iterations: u64,
    /// The number of interleaved runs. Medians over the runs are reported.
    pub(crate) runs: usize,
    /// Only rows whose name contains one of these words are measured. If empty, all rows are measured.
    pub(crate) peers: Vec<String>,
    /// The longest time that one measurement may take, in seconds.
    pub(crate) seconds: u64,
    /// The rates at which round trips start. Actions and timers are measured at full speed only.
    pub(crate) paces: Vec<Pace>,
    /// Whether fan-out and two nodes in one process are measured too.
    pub(crate) extras: bool,
    /// Whether the peers from package registries are installed and built first.
    pub(crate) install_peers: bool,
    /// An additional file for the results, as JSON.
    pub(crate) json: Option<PathBuf>,
    /// The folder for the table, CSV, JSON and plots.
    pub(crate) out: Option<PathBuf>,
    /// The folder of the sources of the peers (`bench/peers`).
    pub(crate) peers_folder: PathBuf,
}
