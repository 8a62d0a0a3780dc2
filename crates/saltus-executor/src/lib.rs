//! Waiting for nodes, and running their callbacks on the threads that wait.
//!
//! An executor has one doorbell. Whatever a node's entities wait for rings it, and while the
//! executor is awake a ring costs no system call. How it waits is its [`WaitStrategy`]; where and how its
//! threads run is its [`Placement`].

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
pub use placements::{Placements, PlacementsError};
pub use saltus_node::{Placement, SchedulingPolicy, WaitStrategy};
pub use single::{FdHandle, Interest, SingleThreadedExecutor};
