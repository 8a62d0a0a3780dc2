//! Costmaps: what it costs a robot to be in a cell of a grid. No I/O.
//!
//! Lengths are in metres, and angles in radians.
//!
//! | module | content |
//! |---|---|
//! | `cost` | the costs of cells |
//! | `area` | rectangles: of cells, and in the frame of a map |
//! | `footprint` | the footprint of a robot: what it covers on the ground |
//! | `grid` | a grid of costs |
//! | `outline` | lines and outlines in a grid |
//! | `inflation` | costs around obstacles |

mod area;
mod cost;
mod footprint;
mod grid;
mod inflation;
mod outline;
#[cfg(test)]
mod tests;

pub use area::{Area, Bounds};
pub use cost::{FREE, INSCRIBED, LETHAL, UNKNOWN, occupancy};
pub use footprint::Footprint;
pub use grid::{Cell, Costmap};
pub use inflation::{Inflation, InflationSettings};
pub use outline::{line, outline_cost};
