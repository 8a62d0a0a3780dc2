//! What is to be measured.

use std::path::PathBuf;

/// The sizes of the published table, in bytes of data.
pub const SIZES: [usize; 8] = [64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Where the two processes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Each on a CPU of its own.
    Apart,
    /// Both on one CPU.
    Together,
    /// Where the scheduler puts them.
    Free,
}

impl Pin {
    /// Its name on the command line and in results.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Together => "together",
            Self::Free => "free",
        }
    }

    /// The CPUs of ping and pong, -1 for any.
    pub(crate) const fn cpus(self) -> (i32, i32) {
        match self {
            Self::Apart => (0, 1),
            Self::Together => (0, 0),
            Self::Free => (-1, -1),
        }
    }
}

/// How fast round trips follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Each starts when the one before has ended.
    FullSpeed,
    /// So many start per second, or fewer if one takes longer than a period.
    Hertz(u32),
}

impl Pace {
    /// Its name in results, such as `full speed`, `100 Hz` or `1 kHz`.
    pub fn name(self) -> String {
        match self {
            Self::FullSpeed => "full speed".into(),
            Self::Hertz(rate) if rate.is_multiple_of(1000) => format!("{} kHz", rate / 1000),
            Self::Hertz(rate) => format!("{rate} Hz"),
        }
    }

    /// The time from the start of a round trip to that of the next one, in microseconds; 0 at full speed.
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

/// What two processes exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Messages of a topic, there and back.
    Topic,
    /// Calls of a service.
    Service,
    /// Goals of an action.
    Action,
    /// Messages and calls between Python programs.
    Python,
    /// Time-outs of a state machine that a timer drives.
    Timer,
}

impl Scenario {
    /// Its name in results.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Topic => "ping-pong",
            Self::Service => "service",
            Self::Action => "action",
            Self::Python => "python",
            Self::Timer => "timer",
        }
    }
}

/// What is to be measured, and where the results go.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is exchanged.
    pub scenario: Scenario,
    /// Where the processes run.
    pub pins: Vec<Pin>,
    /// Bytes of data per message.
    pub sizes: Vec<usize>,
    /// Round trips per row and run. For timers, the largest number of time-outs.
    pub iterations: u64,
    /// How often everything is repeated, interleaved; medians are reported.
    pub runs: usize,
    /// Rows whose name contains one of these; all if empty.
    pub peers: Vec<String>,
    /// The longest that one measurement may take, in seconds.
    pub seconds: u64,
    /// How fast round trips follow each other. Actions and timers are measured at full speed only.
    pub paces: Vec<Pace>,
    /// Whether fan-out and one process are measured too.
    pub extras: bool,
    /// Whether peers from the package registries are installed and built first.
    pub install_peers: bool,
    /// An additional file for the results as JSON.
    pub json: Option<PathBuf>,
    /// The folder for table, CSV, JSON and plots.
    pub out: Option<PathBuf>,
    /// The folder of the peers' sources (`bench/peers`).
    pub peers_folder: PathBuf,
}
