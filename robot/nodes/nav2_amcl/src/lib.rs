//! Localizes a robot in a map, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the values of the parameters |
//! | `convert` | conversions between messages and values |
//! | `localization` | the localization while the node is configured |
//! | `component` | the lifecycle node |

mod component;
mod convert;
mod localization;
mod settings;
#[cfg(test)]
mod tests;

pub use component::Amcl;

saltus::component!("nav2_amcl::AmclNode", Amcl);
