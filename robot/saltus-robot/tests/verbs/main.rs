//! Runs each verb in a process, as a user does. The nodes of the graph are in the process of the test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod behavior_trees;
mod demos;
mod descriptions;
mod maps;
mod simulators;

use saltus_programs::{LONG, Running, Scene};
