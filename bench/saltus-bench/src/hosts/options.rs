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
#[derive(Clone, Debug)]
pub(crate) struct HostsOptions {
    pub(crate) parts: Vec<HostsPart>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) runs: u64,
    pub(crate) iterations: u64,
    pub(crate) seconds: u64,
    pub(crate) out: Option<PathBuf>,
}
