//! Parameters of a node: their types, descriptors and ranges, and the rules for declaring and setting them.
//!
//! Pure: who calls back, publishes events or answers services does so around a [`ParameterStore`], which
//! only ever says whether something may be done, and does it.
//!
//! Source: `rcl_interfaces`' definitions, and what `rclcpp` and `rclpy` do where those are silent.

mod descriptor;
mod error;
mod store;
mod variant;

pub use descriptor::{FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterType};
pub use error::ParameterError;
pub use saltus_types::ParameterValue;
pub use store::{Changes, Declaration, Listed, Parameter, ParameterStore};
pub use variant::ParameterVariant;
