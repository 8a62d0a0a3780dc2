//! The cases, by subject area.

pub(crate) mod components;
pub(crate) mod goals;
pub(crate) mod lifecycles;
pub(crate) mod parameters;
pub(crate) mod services;
pub(crate) mod topics;
