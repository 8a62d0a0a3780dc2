//! Plans paths, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `planner` | what a planner is, and why it has no path |
//! | `navfn` | the planner NavFn with its parameters |
//! | `planning` | how a goal becomes a path |
//! | `component` | the lifecycle node |

mod component;
mod navfn;
mod planner;
mod planning;

pub use component::{PlannerServer, standard_planners};
pub use planner::{PlanError, Planner};

saltus::component!("nav2_planner::PlannerServer", PlannerServer);
