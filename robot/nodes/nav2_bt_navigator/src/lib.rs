//! Navigates to poses with a behavior tree, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `odometry` | the last velocities of the robot |
//! | `world` | the parts that the nodes of a tree share |
//! | `nodes` | the behavior of the nodes |
//! | `goals` | the goals of the two actions |
//! | `navigator` | the work of the actions: a tree that is ticked for a goal |
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
