//! The parameters of a node: their types, descriptors and ranges, and the rules for declaring and setting them.
//!
//! This crate does no input or output. A [`ParameterStore`] only checks whether a change is allowed, and applies it.
//! The caller runs callbacks, publishes events and serves parameters.
//!
//! Source: the definitions of `rcl_interfaces`. Behaviour that they do not define is that of `rclcpp` and `rclpy`.

mod descriptor;
mod error;
mod store;
mod variant;

pub use descriptor::{FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterType};
pub use error::ParameterError;
pub use saltus_types::ParameterValue;
pub use store::{Changes, Declaration, Parameter, ParameterList, ParameterStore};
pub use variant::ParameterVariant;
