//! The planner NavFn: paths of the lowest cost on a costmap. No I/O.
//!
//! | module | content |
//! |---|---|
//! | `potential` | what it costs to come from a cell to all others |
//! | `path` | the path from a cell down to the lowest potential |
//! | `plan` | plans a path between two points |
//!
//! Source: `nav2_navfn_planner`, and O. Brock and O. Khatib, "High-speed navigation using the global dynamic window approach", 1999.

mod path;
mod plan;
mod potential;
#[cfg(test)]
mod tests;

pub use plan::{NavFn, NavFnSettings};
