//! The operating system: what the rest of this room asks of Linux, behind safe functions.

pub(crate) mod bell;
pub(crate) mod clock;
pub(crate) mod exit;
pub(crate) mod fork;
pub(crate) mod futex;
pub(crate) mod lock;
pub(crate) mod sched;
pub(crate) mod segment;
pub(crate) mod signal;
pub(crate) mod thread;
