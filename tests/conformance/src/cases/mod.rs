//! The cases.

pub(crate) mod goals;
pub(crate) mod parameters;
pub(crate) mod services;
pub(crate) mod topics;
