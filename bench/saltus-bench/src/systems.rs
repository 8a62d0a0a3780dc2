//! Systems of many nodes, as one process or many: what each way to run them costs.

mod composition;
mod cost;
mod figures;
mod installed;
mod launch;
mod measured;
mod middleware;
mod on_rclcpp;
mod role;
mod setup;
mod subject;
mod table;
mod topology;
mod ways;

pub(crate) use composition::{CompositionOptions, Workload, run_composition};
pub(crate) use cost::with_children;
pub(crate) use launch::{LaunchOptions, run_launch};
pub(crate) use middleware::Middleware;
pub(crate) use role::run_role;
pub(crate) use topology::{TopologyOptions, run_topology};
