//! The operating system: what the rest of this room asks of Linux, behind safe functions.

pub(crate) mod clock;
pub(crate) mod exit;
pub(crate) mod folder;
pub(crate) mod fork;
pub(crate) mod futex;
pub(crate) mod group;
pub(crate) mod lock;
pub(crate) mod mapping;
pub(crate) mod mutex;
pub(crate) mod private_fd;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod sched;
pub(crate) mod segment;
pub(crate) mod signal;
pub(crate) mod thread;
pub(crate) mod wake_pipe;
