//! The planner NavFn: paths of the lowest cost on a costmap. No I/O.
//!
//! | module | content |
//! |---|---|
//! | `potential` | the potential of each cell: the cost of the way from a cell |
//! | `path` | the path from a cell down to the cell with the potential 0 |
//! | `plan` | the planner |
//!
//! Source: `nav2_navfn_planner`, and O. Brock and O. Khatib, "High-speed navigation using the global dynamic window approach", 1999.

mod path;
mod plan;
mod potential;
#[cfg(test)]
mod tests;

pub use plan::{NavFn, NavFnSettings};
