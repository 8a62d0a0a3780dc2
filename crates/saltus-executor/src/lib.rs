//! Executors: threads that wait for nodes, and run their callbacks.
//!
//! An executor has one doorbell. Everything that a node's entities wait for rings it. While the executor is awake, a
//! ring costs no system call. Its [`WaitStrategy`] says how it waits. Its [`Placement`] says where and how its threads
//! run.
//!
//! | module | what it contains |
//! |---|---|
//! | `handle` | the nodes and callback groups of an executor, and whether it is cancelled; used from any thread |
//! | `entries` | their waitables, and which doorbell class each rings |
//! | `future` | futures that are waited for beside callbacks |
//! | `executor` | what all executors do |
//! | `single` | one thread: what a pass runs, in which order |
//! | `pool`, `multi` | several threads: which thread runs which callback, and which one waits |
//! | `placements` | where and how threads run, from a file |

mod entries;
mod executor;
mod future;
mod handle;
mod multi;
mod placements;
mod pool;
#[cfg(test)]
mod pool_model;
mod single;
mod sync;

pub use executor::{Executor, SpinError};
pub use handle::ExecutorHandle;
pub use multi::MultiThreadedExecutor;
pub use placements::Placements;
pub use saltus_node::{Placement, SchedulingPolicy, WaitStrategy};
pub use saltus_yaml::FileError;
pub use single::{FdHandle, Interest, SingleThreadedExecutor};
