//! The options of `saltus bench bridge`.

use std::path::PathBuf;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HostsPart {
    /// Round trips, on one CPU and on two
    Latency,
    /// Round trips over links with losses and a delay
    Links,
    /// Messages in one direction on 1, 10 and 100 topics
    Topics,
    /// Commands beside cameras, which offer ten times what the link takes
    Slow,
    /// A bridge without messages
    Idle,
    /// 200 topics at 50 Hz for a long time
    Soak,
}

/// The options of `saltus bench bridge`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct HostsOptions {
    /// The parts that are measured; separate several values by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "latency,links,topics,slow,idle")]
    pub(crate) parts: Vec<HostsPart>,
    /// The sizes of round trips in bytes; separate several values by commas
    #[arg(long, value_delimiter = ',', default_value = "64,1000,65536,1048576,4194304")]
    pub(crate) sizes: Vec<usize>,
    /// The number of interleaved runs of round trips; medians over the runs are printed
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..1000))]
    pub(crate) runs: u64,
    /// The round trips of each row with small messages; with large ones there are fewer
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(50..))]
    pub(crate) iterations: u64,
    /// The longest time of a row in seconds, and how long streams are sent
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seconds: u64,
    /// A folder for the table
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}
