//! Plans paths, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `planner` | the trait of planners, and the reasons why there is no path |
//! | `navfn` | the planner NavFn with its parameters |
//! | `planning` | the planning of a path for a goal |
//! | `actions` | the two actions |
//! | `component` | the lifecycle node |

mod actions;
mod component;
mod navfn;
mod planner;
mod planning;

pub use component::{PlannerServer, standard_planners};
pub use planner::{PlanError, Planner};

saltus::component!("nav2_planner::PlannerServer", PlannerServer);
