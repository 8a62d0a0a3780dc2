//! The operating system: what the rest of this crate needs from Linux, behind safe functions.

pub mod clock;
pub mod exit;
pub mod folder;
pub mod fork;
pub mod futex;
pub mod group;
pub mod lock;
pub mod mapping;
pub mod mutex;
pub mod private_fd;
pub mod process;
pub mod random;
pub mod sched;
pub mod segment;
pub mod signal;
pub mod socket;
pub mod thread;
pub mod wake_pipe;
