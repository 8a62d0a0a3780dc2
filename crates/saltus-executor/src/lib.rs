//! Waiting for nodes, and running their callbacks on the threads that wait.
//!
//! An executor has one doorbell. Whatever a node's entities wait for rings it, and while the
//! executor is awake a ring costs no system call. How it waits is its [`WaitStrategy`]; where and how its
//! threads run is its [`Placement`].
//!
//! | module | what it knows |
//! |---|---|
//! | `handle` | what an executor was given, by whatever thread, and whether it is cancelled |
//! | `entries` | the waitables of that, and which doorbell class each rings |
//! | `future` | futures that are waited for beside callbacks |
//! | `executor` | what all executors do |
//! | `single` | one thread: what a pass runs, in which order |
//! | `pool`, `multi` | several threads: who picks what, who waits |
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
