//! Benchmarks that compare Saltus with its peers, side by side in one run on one machine.
//!
//! Every row is a pair of processes that follow the protocol of `bench/peers/README.md`. The harness starts them and
//! pins them to CPUs. It computes every figure itself from the recorded times, in the same way for all rows. The rows
//! are interleaved over several runs, and medians are reported.

mod bridged;
mod calls;
mod child;
mod crowd;
mod ends;
mod error;
mod fan_out;
mod goals;
mod interrupt;
mod machine;
mod micro;
mod navigation;
mod one_process;
mod options;
mod peer;
mod plot;
mod priority;
mod process;
mod progress;
mod published;
mod report;
mod role;
mod roles;
mod ros2;
mod row;
mod run;
mod soak;
mod systems;
mod timer;
mod timer_table;
mod transforms;
mod whole;

pub use crowd::run_crowd;
pub use error::RunError;
pub use goals::run_action;
pub use micro::{MicroOptions, MicroPart, run_micro};
pub use navigation::{Case, NavOptions, run_nav};
pub use options::{Options, Pace, Pin, SIZES, Scenario};
pub use priority::run_priority;
pub use roles::run_role;
pub use ros2::Rmw;
pub use run::run_exchange;
pub use soak::run_soak;
pub use systems::{
    CompositionOptions, LaunchOptions, TopologyOptions, Workload, run_composition, run_launch, run_topology,
};
pub use timer::run_timer;
pub use transforms::run_transforms;
pub use whole::{run_count, run_idle, run_rosout, run_scale, run_start};
