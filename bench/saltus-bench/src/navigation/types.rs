//! The options of the measurement, and its figures.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde::Serialize;

use crate::{error::RunError, interrupt};

/// A way to run the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Each node in a process.
    Separate,
    /// In a container with a thread for each node.
    Isolated,
    /// The same, as the experiment's own container.
    Isolated2,
    /// In a container with several threads for all nodes.
    MultiThreaded,
    /// In a program that has the nodes compiled in.
    Manual,
    /// Behind a container, each node in a process.
    CrashIsolated,
}

impl Case {
    /// All ways, in the order of the published table.
    pub(crate) const ALL: [Self; 6] = [
        Self::Separate,
        Self::Isolated,
        Self::Isolated2,
        Self::MultiThreaded,
        Self::Manual,
        Self::CrashIsolated,
    ];

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Separate => "separate",
            Self::Isolated => "isolated",
            Self::Isolated2 => "isolated2",
            Self::MultiThreaded => "mt",
            Self::Manual => "manual",
            Self::CrashIsolated => "crash-isolated",
        }
    }

    /// Returns the name of its container.
    pub(super) fn container(self) -> &'static str {
        match self {
            Self::Separate | Self::Manual | Self::Isolated => "component_container_isolated",
            Self::Isolated2 => "component_container_isolated2",
            Self::MultiThreaded => "component_container_mt",
            Self::CrashIsolated => "component_container_crash_isolated",
        }
    }
}

/// The options of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct NavOptions {
    /// The ways to run the stack.
    pub(crate) cases: Vec<Case>,
    /// The number of repetitions of each.
    pub(crate) runs: usize,
    /// The file of parameters of the stack.
    pub(crate) params: PathBuf,
    /// The file of the map.
    pub(crate) map: PathBuf,
    /// A folder for the table and the figures.
    pub(crate) out: Option<PathBuf>,
}

/// The figures of one repetition. Memory is in MiB.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Repetition {
    /// From the acceptance of the goal to the poll that sees its end, in seconds, as published.
    pub(super) time: f64,
    /// From the acceptance of the goal to its end.
    pub(super) exact_time: f64,
    /// In percent of a CPU.
    pub(super) cpu: f64,
    pub(super) memory: f64,
    pub(super) rss: f64,
    pub(super) pss: f64,
    pub(super) uss: f64,
    /// From the request of a goal to the first velocity, in seconds.
    pub(super) start: f64,
    /// From the end of the request to cancel to the velocity 0.
    pub(super) cancel: f64,
    /// The robot's own estimate of its distance from the goal when it is told to stop: metres, and radians.
    pub(super) estimate: [f64; 2],
    /// The true distance after it has stopped.
    pub(super) error: [f64; 2],
    pub(super) recoveries: i16,
    /// Where the robot really was, every few centimetres.
    pub(super) path: Vec<[f64; 2]>,
    pub(super) samples: usize,
    /// The CPU time of each process or thread while the robot drives, in percent of a CPU.
    pub(super) shares: BTreeMap<String, f64>,
}

/// Sleeps, until Ctrl-C.
pub(super) fn sleep(time: Duration) -> Result<(), RunError> {
    interrupt::sleep_until(saltus::time::monotonic_now() + time.as_nanos() as u64)
}
