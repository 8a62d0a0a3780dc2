//! The bake-off: Saltus and its peers, measured side by side in one run on one machine.
//!
//! Every row is a pair of processes that follow the protocol of `bench/peers/README.md`; the
//! harness starts them, pins them, and works out every figure itself from what they recorded, the
//! same way for all. Rows are interleaved over several runs, and medians reported.

mod calls;
mod crowd;
mod fan_out;
mod goals;
mod interrupt;
mod machine;
mod one_process;
mod options;
mod peer;
mod plot;
mod priority;
mod published;
mod report;
mod role;
mod row;
mod run;
mod soak;
mod timer;
mod whole;

pub use crowd::run_crowd;
pub use goals::run_action;
pub use options::{Options, Pin, SIZES, Scenario};
pub use priority::run_priority;
pub use role::run_role;
pub use run::{RunError, run_exchange};
pub use soak::run_soak;
pub use timer::run_timer;
pub use whole::{run_count, run_idle, run_rosout, run_scale, run_start};
