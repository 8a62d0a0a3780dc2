//! Lets a robot follow waypoints, and do a task at each, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `task` | the tasks of a robot at waypoints |
//! | `following` | the waypoints that are followed |
//! | `component` | the lifecycle node |

mod component;
mod following;
mod task;

pub use component::{WaypointFollower, standard_tasks};
pub use task::WaypointTask;

saltus::component!("nav2_waypoint_follower::WaypointFollower", WaypointFollower);
