//! Starts, watches and ends the processes of a launch file.
//!
//! | module | content |
//! |---|---|
//! | `bounded_wait` | waits for a function or a command of a launch file, with a deadline at the end |
//! | `python` | the process that runs launch files in Python |
//! | `world` | the files, packages and programs of this machine |
//! | `supervisor` | decides when processes are started, started again and ended; uses no process and no clock |
//! | `guard` | the processes around the launcher, which end every process that the launcher leaves |
//! | `child`, `commands` | start one process of a launch, and run one command of a substitution |
//! | `lines`, `log_file` | the output of processes |
//! | `sample` | the CPU time and the memory of processes |
//! | `output`, `screen`, `live`, `attach` | the lines and the table that users see |
//! | `requests`, `graph_names` | the requests to containers, and the names in the graph |
//! | `jobs` | jobs that call a service several times |
//! | `graph`, `graph_event` | the part of the launcher in the graph, and the events in the graph |
//! | `run` | runs a plan |

mod attach;
mod bounded_wait;
mod child;
mod commands;
mod graph;
mod graph_event;
mod graph_names;
mod guard;
mod jobs;
mod lines;
mod live;
mod log_file;
mod output;
mod python;
mod requests;
mod run;
mod sample;
mod screen;
mod supervisor;
mod world;

pub use attach::{attach, running};
pub use child::raise_file_limit;
pub use guard::{Role, guard, visible_pid};
pub use run::{Options, run};
pub use sample::pss;
pub use world::{Machine, environment, find_file, parse_arguments};
