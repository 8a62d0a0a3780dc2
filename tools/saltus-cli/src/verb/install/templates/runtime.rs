//! The dynamic library of Saltus, which the container and the components of a prefix share.

pub use saltus;
pub use saltus_container;
