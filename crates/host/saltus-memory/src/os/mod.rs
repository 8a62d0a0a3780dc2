//! The operating system: what the rest of this crate needs from Linux, behind safe functions.

pub(crate) mod cache;
pub mod clock;
pub(crate) mod exit;
pub mod folder;
pub(crate) mod fork;
pub(crate) mod futex;
pub mod group;
pub(crate) mod lock;
pub(crate) mod mapping;
pub mod mutex;
pub(crate) mod private_fd;
pub mod process;
pub(crate) mod random;
pub mod sched;
pub mod segment;
pub mod signal;
pub mod socket;
pub mod thread;
pub mod wake_pipe;
