//! The bake-off: Saltus and its peers, measured side by side in one run on one machine.
//!
//! Every row is a pair of processes that follow the protocol of `bench/peers/README.md`; the
//! harness starts them, pins them, and works out every figure itself from what they recorded, the
//! same way for all. Rows are interleaved over several runs, and medians reported.

mod fan_out;
mod interrupt;
mod machine;
mod one_process;
mod options;
mod peer;
mod plot;
mod report;
mod role;
mod row;
mod run;
mod whole;

pub use options::{Options, Pin, SIZES};
pub use role::run_role;
pub use run::{RunError, run_topic};
pub use whole::{run_count, run_idle, run_rosout, run_scale, run_start};
