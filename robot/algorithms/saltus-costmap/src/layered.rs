//! A costmap with layers.

use std::time::Duration;

use crate::{
    area::{Area, Bounds},
    footprint::Footprint,
    grid::Costmap,
    inflation::InflationSettings,
    layer::{Layer, Situation},
};

/// A costmap with layers. It covers a fixed area, or moves with the robot.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use saltus_costmap::{
///     Costmap, FREE, Footprint, InflationLayer, LETHAL, LayeredCostmap, Observation, Observations, ObstacleLayer,
///     ObstacleSettings, Reach,
/// };
/// let lidar = Arc::new(Observations::new(Reach::default(), Duration::ZERO, None));
/// let obstacles = ObstacleLayer::new(ObstacleSettings::default(), vec![lidar.clone()]);
/// let layers: Vec<Box<dyn saltus_costmap::Layer>> =
///     vec![Box::new(obstacles), Box::new(InflationLayer::new(0.55, 3.0))];
/// // A window of 3 m x 3 m around the robot.
/// let window = Costmap::new((60, 60), 0.05, [0.0, 0.0], FREE);
/// let mut costmap = LayeredCostmap::new(window, true, Footprint::circle(0.22), layers);
/// let points = vec![[1.02, 0.02, 0.1]];
/// lidar.add(Observation { origin: [0.0, 0.0, 0.1], points, stamp: Duration::ZERO }, Duration::ZERO);
/// costmap.update([0.0, 0.0, 0.0], Duration::ZERO);
/// let map = costmap.map();
/// assert_eq!(map.cost(map.cell_at([1.02, 0.02]).unwrap()), LETHAL);
/// assert_eq!(map.cost(map.cell_at([1.27, 0.02]).unwrap()), 227);
/// ```
pub struct LayeredCostmap {
    map: Costmap,
    is_rolling: bool,
    footprint: Footprint,
    layers: Vec<Box<dyn Layer>>,
    /// Whether there was an update since the last clearing.
    is_written: bool,
}

impl LayeredCostmap {
    /// Creates a costmap with the size, the resolution, the origin and the default cost of `map`. If it `is_rolling`, it moves with the
    /// robot, which stays in its middle.
    pub fn new(map: Costmap, is_rolling: bool, footprint: Footprint, layers: Vec<Box<dyn Layer>>) -> Self {
        let mut costmap = Self { map, is_rolling, footprint, layers, is_written: false };
        costmap.fit();
        costmap
    }

    fn fit(&mut self) {
        self.layers.iter_mut().for_each(|layer| layer.fit(&self.map));
    }

    /// Returns the costs.
    pub fn map(&self) -> &Costmap {
        &self.map
    }

    /// Returns the footprint of the robot.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// Returns the settings of the last inflation layer; `None` without one, or before the first update.
    pub fn inflation(&self) -> Option<InflationSettings> {
        self.layers.iter().rev().find_map(|layer| layer.inflation())
    }

    /// Changes the footprint of the robot.
    pub fn set_footprint(&mut self, footprint: Footprint) {
        self.footprint = footprint;
    }

    /// Replaces the size, the resolution, the origin and the default cost by those of `map`. The costmap is empty until the next update.
    pub fn resize(&mut self, map: Costmap) {
        self.map = map;
        self.fit();
        self.reset();
    }

    /// Whether the input of all layers is as recent as their settings require, and the costmap was updated since it was last cleared.
    pub fn is_current(&self, now: Duration) -> bool {
        self.is_written && self.layers.iter().all(|layer| layer.is_current(now))
    }

    /// Updates the costs from the new input of all layers. `robot` is the pose of the robot: x and y in metres, and the heading in
    /// radians. Returns the area that may have changed.
    pub fn update(&mut self, robot: [f64; 3], now: Duration) -> Area {
        let origin = self.map.origin();
        if self.is_rolling {
            let (width, height) = self.map.size();
            let half = |count: u32| f64::from(count) * self.map.resolution() / 2.0;
            self.map.move_to([robot[0] - half(width), robot[1] - half(height)]);
        }
        let situation = Situation { robot, footprint: &self.footprint, now };
        // Obstacles add costs to the new cells beside them.
        let has_moved = self.map.origin() != origin;
        let mut bounds = if has_moved { self.map.bounds() } else { Bounds::default() };
        for layer in &mut self.layers {
            layer.bounds(&self.map, &situation, &mut bounds);
        }
        let area = self.map.cells_of(&bounds);
        self.map.reset(area);
        for layer in &mut self.layers {
            layer.write(&mut self.map, area);
        }
        self.is_written = true;
        area
    }

    /// Removes all obstacles that sensors saw.
    pub fn reset(&mut self) {
        self.map.reset(self.map.area());
        self.layers.iter_mut().for_each(|layer| layer.reset());
        self.is_written = false;
    }

    /// Removes the obstacles in a square around a point, or outside of it if `is_outside`. `side` is the edge length of the square, in
    /// metres.
    pub fn clear(&mut self, [x, y]: [f64; 2], side: f64, is_outside: bool) {
        let half = side / 2.0;
        let square = Bounds { low: [x - half, y - half], high: [x + half, y + half] };
        let area = self.map.cells_of(&square);
        self.layers.iter_mut().for_each(|layer| layer.clear(area, is_outside));
        self.is_written = false;
    }
}
