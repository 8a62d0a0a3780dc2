//! Starts, watches and ends the processes of a launch file.
//!
//! | module | content |
//! |---|---|
//! | `patience` | how long a function or a command of a launch file is awaited |
//! | `python` | the process that runs launch files in Python |
//! | `world` | the files, packages and programs of this machine |
//! | `supervisor` | when processes are started, started again and ended; without processes and clocks |
//! | `guard` | the processes around the launcher, which leave no process behind |
//! | `child`, `commands` | start one process, and one command of a substitution |
//! | `lines`, `log_file` | the output of processes |
//! | `sample` | what processes cost |
//! | `output`, `screen`, `live`, `attach` | what users see |
//! | `requests`, `present` | the requests to containers, and the names in the graph |
//! | `jobs` | calls of services that need several steps |
//! | `graph`, `graph_event` | what the launcher does in the graph, and what it learns from it |
//! | `run` | runs a plan |

mod attach;
mod child;
mod commands;
mod graph;
mod graph_event;
mod guard;
mod jobs;
mod lines;
mod live;
mod log_file;
mod output;
mod patience;
mod present;
mod python;
mod requests;
mod run;
mod sample;
mod screen;
mod supervisor;
mod world;

pub use attach::{attach, running};
pub use guard::{Role, guard, visible_pid};
pub use run::{Options, run};
pub use sample::pss;
pub use world::{Machine, environment, find_file, parse_arguments};
