//! The options of the measurement.

use std::path::PathBuf;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MicroPart {
    /// Memory by symbol, stack, code and instructions on a Cortex-M4.
    Memory,
    /// Round trips through an agent, beside bare exchanges.
    Latency,
    /// Messages sent and delivered.
    Throughput,
    /// 1 to 1,000 clients of one agent.
    Scale,
}

/// The options of the benchmark of microcontrollers.
#[derive(Clone, Debug)]
pub(crate) struct MicroOptions {
    /// The parts that are measured.
    pub(crate) parts: Vec<MicroPart>,
    /// The number of interleaved runs.
    pub(crate) runs: usize,
    /// The number of round trips of each row.
    pub(crate) iterations: u64,
    /// The duration of each row of throughput, in seconds.
    pub(crate) seconds: u64,
    /// Another agent with the same flags, which is measured in the same run.
    pub(crate) other_agent: Option<PathBuf>,
    /// The folder for the tables and the figures.
    pub(crate) out: Option<PathBuf>,
}
