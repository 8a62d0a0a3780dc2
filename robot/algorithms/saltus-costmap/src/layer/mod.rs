//! The layers of a costmap: each knows one kind of obstacles, and writes it into the costmap.

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
pub use voxel::{VoxelGrid, VoxelLayer, VoxelSettings};

use crate::{
    area::{Area, Bounds},
    cost::UNKNOWN,
    footprint::Footprint,
    grid::Costmap,
    inflation::InflationSettings,
};

/// What a layer is told at each update.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Where the robot is: x and y in metres, and the heading in radians.
    pub robot: [f64; 3],
    /// What the robot covers on the ground.
    pub footprint: &'a Footprint,
    /// The time of the update, since any start.
    pub now: std::time::Duration,
}

/// A layer of a costmap.
///
/// An update has two parts. First, [`bounds`](Self::bounds) of all layers are joined. Then the costmap is reset within them, and
/// each layer writes there, in order.
pub trait Layer: Send {
    /// Adapts to the size, the resolution and the origin of the costmap. What the layer knows is lost if the size changed.
    fn fit(&mut self, map: &Costmap);

    /// Reads what is new, and extends `bounds` by the places where it changes something. `map` is already at its new origin.
    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds);

    /// Writes its costs into an area of the costmap.
    fn write(&mut self, map: &mut Costmap, area: Area);

    /// Forgets what it knows. What a map says is not forgotten, but written again.
    fn reset(&mut self);

    /// Forgets obstacles in an area, or those outside of it. Layers that only pass on a map do nothing.
    fn clear(&mut self, _area: Area, _is_outside: bool) {}

    /// Returns how costs fall around obstacles, if it is the layer that adds them.
    fn inflation(&self) -> Option<InflationSettings> {
        None
    }

    /// Whether its input is as new as its settings ask for.
    fn is_current(&self, _now: std::time::Duration) -> bool {
        true
    }
}

/// Makes a grid of a layer as large as the costmap, and empty, or moves it to the origin of the costmap.
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
