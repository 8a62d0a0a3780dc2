//! Finds out where a robot is in a map, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what the parameters say |
//! | `convert` | messages become values, and values become messages |
//! | `localization` | what the node knows while it is configured |
//! | `component` | the lifecycle node |

mod component;
mod convert;
mod localization;
mod settings;
#[cfg(test)]
mod tests;

pub use component::Amcl;

saltus::component!("nav2_amcl::AmclNode", Amcl);
