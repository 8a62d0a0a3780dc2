//! The layer with the obstacles that sensors see.

use std::{sync::Arc, time::Duration};

use super::{Layer, Observation, Observations, Reach, Situation, follow, forget};
use crate::{
    area::{Area, Bounds},
    cost::{FREE, LETHAL, UNKNOWN},
    grid::Costmap,
    outline::ray,
};

/// The combination of the costs of a layer with those of the layers before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combination {
    /// The known costs of the layer replace the others.
    Overwrite,
    /// The higher cost wins, and unknown cells take the cost of the layer.
    #[default]
    Maximum,
    /// The higher cost wins, and unknown cells stay unknown.
    MaximumOfKnown,
}

impl Combination {
    /// Combines the costs of a layer with an area of a costmap. Unknown cells of the layer change nothing.
    pub(super) fn combine(self, layer: &Costmap, map: &mut Costmap, area: Area) {
        for row in area.bottom..area.top {
            let (left, right) = (area.left as usize, area.right as usize);
            let costs = &layer.row(row)[left..right];
            for (old, cost) in map.row_mut(row)[left..right].iter_mut().zip(costs) {
                *old = self.combined(*old, *cost);
            }
        }
    }

    fn combined(self, old: u8, cost: u8) -> u8 {
        match (self, old) {
            _ if cost == UNKNOWN => old,
            (Self::Overwrite, _) | (Self::Maximum, UNKNOWN) => cost,
            (Self::MaximumOfKnown, UNKNOWN) => UNKNOWN,
            (_, old) => old.max(cost),
        }
    }
}

/// The settings of the obstacle layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleSettings {
    /// Whether cells that no ray has passed are unknown. Otherwise they are free.
    pub track_unknown: bool,
    /// Whether cells under the footprint of the robot are free.
    pub clear_footprint: bool,
    /// The combination with the costs of the layers before it.
    pub combination: Combination,
}

impl Default for ObstacleSettings {
    fn default() -> Self {
        Self { track_unknown: false, clear_footprint: true, combination: Combination::Maximum }
    }
}

impl ObstacleSettings {
    /// Returns the cost of a cell that no ray has passed.
    pub(super) fn default_cost(&self) -> u8 {
        if self.track_unknown { UNKNOWN } else { FREE }
    }
}

/// The layer that marks the ends of rays as obstacles, and clears the cells that rays pass.
///
/// Source: `nav2_costmap_2d::ObstacleLayer`.
#[derive(Debug)]
pub struct ObstacleLayer {
    settings: ObstacleSettings,
    sources: Vec<Arc<Observations>>,
    grid: Costmap,
    footprint: Vec<[f64; 2]>,
    /// The bounds of the cells that were cleared since the last update.
    cleared: Bounds,
}

impl ObstacleLayer {
    /// Creates a layer with the observations of some sensors.
    pub fn new(settings: ObstacleSettings, sources: Vec<Arc<Observations>>) -> Self {
        let grid = Costmap::new((0, 0), 1.0, [0.0; 2], settings.default_cost());
        Self { settings, sources, grid, footprint: Vec::new(), cleared: Bounds::default() }
    }

    /// Clears the cells between a sensor and the ends of its rays.
    fn clear_rays(&mut self, observation: &Observation, [near, far]: [f64; 2], bounds: &mut Bounds) {
        let [x, y, _] = observation.origin;
        bounds.include([x, y]);
        for point in &observation.points {
            let along = [point[0] - x, point[1] - y];
            let length = along[0].hypot(along[1]);
            if length <= near {
                continue;
            }
            let at = |distance: f64| [x + along[0] * distance / length, y + along[1] * distance / length];
            let end = at(length.min(far));
            ray(&mut self.grid, at(near), end, |grid, cell| grid.set(cell, FREE));
            bounds.include(end);
        }
    }

    /// Marks the cells of the ends of rays.
    fn mark(&mut self, observation: &Observation, reach: &Reach, bounds: &mut Bounds) {
        let [x, y, _] = observation.origin;
        if self.grid.cell_at([x, y]).is_none() {
            return;
        }
        let [near, far] = reach.obstacles;
        for point in observation.points.iter().filter(|point| reach.marks_at(point[2])) {
            let distance = (point[0] - x).hypot(point[1] - y);
            if distance < near || distance >= far {
                continue;
            }
            let point = [point[0], point[1]];
            if let Some(cell) = self.grid.cell_at(point) {
                self.grid.set(cell, LETHAL);
                bounds.include(point);
            }
        }
    }
}

impl Layer for ObstacleLayer {
    fn fit(&mut self, map: &Costmap) {
        self.grid = Costmap::new(map.size(), map.resolution(), map.origin(), self.settings.default_cost());
    }

    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds) {
        follow(&mut self.grid, map, self.settings.default_cost());
        bounds.merge(&std::mem::take(&mut self.cleared));
        let inputs: Vec<_> =
            self.sources.iter().map(|source| (source.clone(), source.recent(situation.now))).collect();
        for (source, observations) in inputs.iter().filter(|(source, _)| source.is_clearing) {
            let reach = source.reach.clearing;
            observations.iter().for_each(|observation| self.clear_rays(observation, reach, bounds));
        }
        for (source, observations) in inputs.iter().filter(|(source, _)| source.is_marking) {
            observations.iter().for_each(|observation| self.mark(observation, &source.reach, bounds));
        }
        if self.settings.clear_footprint {
            self.footprint = situation.footprint.at(situation.robot);
            self.footprint.iter().for_each(|corner| bounds.include(*corner));
        }
    }

    fn write(&mut self, map: &mut Costmap, area: Area) {
        if self.settings.clear_footprint {
            self.grid.clear(&self.footprint);
        }
        self.settings.combination.combine(&self.grid, map, area);
    }

    fn reset(&mut self) {
        self.sources.iter().for_each(|source| source.clear());
        self.grid.reset(self.grid.area());
        self.cleared = self.grid.bounds();
    }

    fn clear(&mut self, area: Area, is_outside: bool) {
        forget(&mut self.grid, area, is_outside);
        self.cleared = self.grid.bounds();
    }

    fn is_current(&self, now: Duration) -> bool {
        self.sources.iter().all(|source| source.is_current(now))
    }
}
