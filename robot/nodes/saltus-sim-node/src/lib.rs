//! The node of the simulator: it publishes what robots measure, takes commands for them, and serves requests to simulators.
//!
//! | module | content |
//! |---|---|
//! | `files` | worlds and robots in files, and those that are built in |
//! | `messages` | the messages of a simulation |
//! | `topics` | the topics of a robot |
//! | `digest` | a hash of all messages |
//! | `runner` | the simulation in time: real time, faster, or step by step |
//! | `services` | the services of `simulation_interfaces` |
//! | `steps` | the action `simulate_steps` |
//! | `run` | the node, until its end |

mod digest;
mod files;
mod messages;
mod run;
mod runner;
mod services;
mod steps;
#[cfg(test)]
mod tests;
mod topics;

pub use files::{BUILT_IN, FileError, load_model, load_world};
pub use run::{Options, RunError, Summary, run};
pub use runner::Factor;
