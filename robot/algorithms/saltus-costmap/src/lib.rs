//! Costmaps: grids with the cost of each cell for a robot. No I/O.
//!
//! Lengths are in metres, and angles in radians.
//!
//! | module | content |
//! |---|---|
//! | `cost` | the costs of cells |
//! | `area` | rectangles of cells, and rectangles in the frame of a map |
//! | `cells` | cells, and lines of cells |
//! | `footprint` | the footprint of a robot: the area that it covers on the ground |
//! | `grid` | a grid of costs |
//! | `outline` | lines and outlines in a grid |
//! | `inflation` | inflation: costs around obstacles |
//! | `layer` | the layers of a costmap: the map, obstacles, voxels, ranges, denoising and inflation |
//! | `layered` | a costmap with layers |

mod area;
mod cells;
mod cost;
mod footprint;
mod grid;
mod inflation;
mod layer;
mod layered;
mod outline;
#[cfg(test)]
mod tests;

pub use area::{Area, Bounds};
pub use cells::Cell;
pub use cost::{FREE, INSCRIBED, LETHAL, UNKNOWN, occupancy};
pub use footprint::Footprint;
pub use grid::Costmap;
pub use inflation::{Inflation, InflationSettings, UnknownCells};
pub use layer::{
    Combination, DenoiseLayer, InflationLayer, Layer, MAX_VOXELS, MapInput, Observation, Observations,
    ObstacleLayer, ObstacleSettings, RangeLayer, RangeReading, RangeReadings, RangeSettings, Reach,
    Situation, StaticLayer, StaticSettings, VoxelLayer, VoxelSettings,
};
pub use layered::LayeredCostmap;
pub use outline::outline_cost;
