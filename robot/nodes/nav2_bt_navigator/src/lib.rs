//! Navigates to poses as a behavior tree says, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `odometry` | how the robot moved lately |
//! | `world` | what the nodes of a tree share |
//! | `nodes` | what the nodes do |
//! | `goals` | the goals of the two actions |
//! | `navigator` | a tree that is ticked for goals |
//! | `component` | the lifecycle node |

mod component;
mod goals;
mod navigator;
mod nodes;
mod odometry;
#[cfg(test)]
mod tests;
mod world;

pub use component::BtNavigator;
pub use nodes::register;
pub use world::World;

saltus::component!("nav2_bt_navigator::BtNavigator", BtNavigator);
