//! The layers of a costmap. Each layer has one source of costs, and writes them into the costmap.

mod denoise;
mod inflation;
mod observations;
mod obstacle;
mod range;
mod static_map;
#[cfg(test)]
mod tests;
mod voxel;

pub use denoise::DenoiseLayer;
pub use inflation::InflationLayer;
pub use observations::{Observation, Observations, Reach};
pub use obstacle::{Combination, ObstacleLayer, ObstacleSettings};
pub use range::{RangeLayer, RangeReading, RangeReadings, RangeSettings};
pub use static_map::{MapInput, StaticLayer, StaticSettings};
pub use voxel::{MAX_VOXELS, VoxelLayer, VoxelSettings};

use crate::{
    area::{Area, Bounds},
    cost::UNKNOWN,
    footprint::Footprint,
    grid::Costmap,
    inflation::InflationSettings,
};

/// The input of all layers at an update.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The pose of the robot in the frame of the costmap: x and y in metres, and the heading in radians.
    pub robot: [f64; 3],
    /// The footprint of the robot.
    pub footprint: &'a Footprint,
    /// The time of the update, since a fixed start.
    pub now: std::time::Duration,
}

/// A layer of a costmap.
///
/// An update has two steps. First, each layer extends the [`bounds`](Self::bounds) of the update. Then the costmap is reset within the
/// bounds, and each layer [writes](Self::write) its costs there, in the order of the layers.
pub trait Layer: Send {
    /// Adapts the layer to the size, the resolution and the origin of the costmap. The layer loses its obstacles if the size changes.
    fn fit(&mut self, map: &Costmap);

    /// Reads new input, and extends `bounds` by the area that it changes. `map` is already at its new origin.
    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds);

    /// Writes the costs of the layer into an area of the costmap.
    fn write(&mut self, map: &mut Costmap, area: Area);

    /// Removes all obstacles from sensors. A layer with a map keeps the map, and writes it again.
    fn reset(&mut self);

    /// Removes the obstacles from sensors in an area, or outside of it if `is_outside`. Other layers do nothing.
    fn clear(&mut self, _area: Area, _is_outside: bool) {}

    /// Returns the settings of the inflation if this is the inflation layer.
    fn inflation(&self) -> Option<InflationSettings> {
        None
    }

    /// Whether the input is as recent as the settings require.
    fn is_current(&self, _now: std::time::Duration) -> bool {
        true
    }
}

/// Moves the grid of a layer to the origin of the costmap. If the sizes or the resolutions differ, the grid is replaced by an empty one.
fn follow(grid: &mut Costmap, map: &Costmap, default: u8) {
    let is_same = grid.size() == map.size() && grid.resolution() == map.resolution();
    if !is_same {
        *grid = Costmap::new(map.size(), map.resolution(), map.origin(), default);
    } else if grid.origin() != map.origin() {
        grid.move_onto(map);
    }
}

/// Sets the cells of an area, or all others, to unknown. The area must be in the grid.
fn forget(grid: &mut Costmap, area: Area, is_outside: bool) {
    let (width, height) = grid.size();
    for row in 0..height {
        let is_row = (area.bottom..area.top).contains(&row);
        for column in 0..width {
            let is_within = is_row && (area.left..area.right).contains(&column);
            if is_within != is_outside {
                grid.set((column, row), UNKNOWN);
            }
        }
    }
}
