//! The synchronization types that [`pending`](crate::pending) uses.

pub(crate) use std::sync::Mutex;

pub(crate) use saltus_types::lock;
