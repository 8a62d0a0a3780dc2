//! Lets a robot follow waypoints, and do something at each, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `task` | what the robot does at a waypoint |
//! | `following` | the waypoints that are followed |
//! | `component` | the lifecycle node |

mod component;
mod following;
mod task;

pub use component::{WaypointFollower, standard_tasks};
pub use task::WaypointTask;

saltus::component!("nav2_waypoint_follower::WaypointFollower", WaypointFollower);
