//! Waiting for nodes, and running their callbacks on the thread that waits.
//!
//! An executor has one doorbell. Whatever a node's entities wait for rings it, and while the
//! executor is awake a ring costs no system call. How it waits is its [`WaitStrategy`].

mod single;

pub use saltus_node::WaitStrategy;
pub use single::{Canceller, FdHandle, Interest, SingleThreadedExecutor, SpinError};
