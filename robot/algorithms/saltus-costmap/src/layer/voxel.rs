//! The layer with the obstacles that sensors see at each height.

use std::{sync::Arc, time::Duration};

use super::{Layer, Observation, Observations, ObstacleSettings, Reach, Situation, follow, forget};
use crate::{
    area::{Area, Bounds},
    cells::Cell,
    cost::{FREE, LETHAL, UNKNOWN},
    grid::Costmap,
};

/// The maximum number of voxels in a column.
pub const MAX_VOXELS: u32 = 16;

/// The settings of the voxel layer. The names are those of the parameters of Nav2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelSettings {
    /// The settings that the voxel layer shares with the obstacle layer.
    pub obstacles: ObstacleSettings,
    /// The height of the lower end of the lowest voxel, in metres.
    pub origin_z: f64,
    /// The height of a voxel, in metres.
    pub z_resolution: f64,
    /// The number of voxels in a column, at most 16.
    pub z_voxels: u32,
    /// The maximum number of unknown voxels in a known column.
    pub unknown_threshold: u32,
    /// The maximum number of marked voxels in a free column.
    pub mark_threshold: u32,
}

impl Default for VoxelSettings {
    fn default() -> Self {
        Self {
            obstacles: ObstacleSettings::default(),
            origin_z: 0.0,
            z_resolution: 0.2,
            z_voxels: 10,
            unknown_threshold: 15,
            mark_threshold: 0,
        }
    }
}

/// The layer that marks voxels at the ends of rays, and clears the voxels that rays pass.
///
/// Source: `nav2_costmap_2d::VoxelLayer`.
#[derive(Debug)]
pub struct VoxelLayer {
    settings: VoxelSettings,
    sources: Vec<Arc<Observations>>,
    grid: Costmap,
    /// The voxels of each cell, row by row, the lowest voxel in the lowest bit. Bits 16 to 31 are the marked voxels. Bits 0 to 15 are the
    /// voxels that are marked or unknown.
    pub(super) columns: Vec<u32>,
    footprint: Vec<[f64; 2]>,
    cleared: Bounds,
}

/// A column whose voxels are all unknown.
const UNKNOWN_COLUMN: u32 = 0xffff;

impl VoxelLayer {
    /// Creates a layer with the observations of some sensors.
    pub fn new(settings: VoxelSettings, sources: Vec<Arc<Observations>>) -> Self {
        let settings = VoxelSettings { z_voxels: settings.z_voxels.min(MAX_VOXELS), ..settings };
        let grid = Costmap::new((0, 0), 1.0, [0.0; 2], settings.obstacles.default_cost());
        let (footprint, cleared) = (Vec::new(), Bounds::default());
        Self { settings, sources, grid, columns: Vec::new(), footprint, cleared }
    }

    /// Returns the column, the row and the level of a point, as if the grid was infinite.
    fn voxel_at(&self, [x, y, z]: [f64; 3]) -> [i64; 3] {
        let (column, row) = self.grid.unbounded_cell_at([x, y]);
        let level = ((z - self.settings.origin_z) / self.settings.z_resolution).floor() as i64;
        [column, row, level]
    }

    /// Returns the cell and the level of a voxel, if it is in the grid.
    fn bounded(&self, [column, row, level]: [i64; 3]) -> Option<(Cell, u32)> {
        let (width, height) = self.grid.size();
        let index = |value: i64, count: u32| u32::try_from(value).ok().filter(|value| *value < count);
        Some(((index(column, width)?, index(row, height)?), index(level, self.settings.z_voxels)?))
    }

    /// Marks the voxels of the ends of rays.
    fn mark(&mut self, observation: &Observation, reach: &Reach, bounds: &mut Bounds) {
        let [near, far] = reach.obstacles;
        for point in observation.points.iter().filter(|point| reach.marks_at(point[2])) {
            let offset = [0, 1, 2].map(|axis| point[axis] - observation.origin[axis]);
            let squared: f64 = offset.iter().map(|part| part * part).sum();
            if squared < near * near || squared >= far * far {
                continue;
            }
            // Points below the lowest voxel count as in it.
            let point = [point[0], point[1], point[2].max(self.settings.origin_z)];
            let Some((cell, level)) = self.bounded(self.voxel_at(point)) else { continue };
            let index = self.grid.index(cell);
            self.columns[index] |= bits(level);
            if marked(self.columns[index]) > self.settings.mark_threshold {
                self.grid.set(cell, LETHAL);
            }
            bounds.include([point[0], point[1]]);
        }
    }

    /// Clears the voxels between a sensor and the ends of its rays, except for the last two cells of each ray.
    fn clear_rays(&mut self, observation: &Observation, [near, far]: [f64; 2], bounds: &mut Bounds) {
        if self.bounded(self.voxel_at(observation.origin)).is_none() {
            return;
        }
        bounds.include([observation.origin[0], observation.origin[1]]);
        for point in &observation.points {
            let along = [0, 1, 2].map(|axis| point[axis] - observation.origin[axis]);
            let length = along.iter().map(|part| part * part).sum::<f64>().sqrt();
            let (width, height) = self.grid.size();
            let longest = f64::from(width + height) * self.grid.resolution();
            let end = (length - 2.0 * self.grid.resolution()).min(far).min(longest);
            if end <= near {
                continue;
            }
            let at = |distance: f64| {
                [0, 1, 2].map(|axis| observation.origin[axis] + along[axis] * distance / length)
            };
            self.clear_ray(self.voxel_at(at(near)), self.voxel_at(at(end)));
            bounds.include([at(end)[0], at(end)[1]]);
        }
    }

    /// Clears the voxels of a line up to the first one that is not in the grid.
    fn clear_ray(&mut self, from: [i64; 3], to: [i64; 3]) {
        let along = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        let steps = along.iter().map(|part| part.abs()).max().unwrap_or(0);
        for step in 0..=steps {
            // The nearest voxel, with halves rounded up.
            let part =
                |axis: usize| from[axis] + (2 * along[axis] * step + steps).div_euclid(2 * steps.max(1));
            let Some((cell, level)) = self.bounded([part(0), part(1), part(2)]) else { return };
            let index = self.grid.index(cell);
            self.columns[index] &= !bits(level);
            let column = self.columns[index];
            if marked(column) <= self.settings.mark_threshold {
                // The bits above the highest voxel always count as unknown.
                let unused = MAX_VOXELS - self.settings.z_voxels;
                let is_known = unknown(column) <= self.settings.unknown_threshold.saturating_add(unused);
                self.grid.set(cell, if is_known { FREE } else { UNKNOWN });
            }
        }
    }

    /// Moves the columns to the origin of the costmap.
    fn move_with(&mut self, map: &Costmap) {
        if self.grid.size() != map.size() || self.grid.origin() == map.origin() {
            return;
        }
        let before = self.grid.clone();
        let columns = std::mem::replace(&mut self.columns, vec![UNKNOWN_COLUMN; map.costs().len()]);
        let (width, height) = map.size();
        for row in 0..height {
            for column in 0..width {
                if let Some(old) = before.cell_at(map.center((column, row))) {
                    self.columns[map.index((column, row))] = columns[before.index(old)];
                }
            }
        }
    }
}

impl Layer for VoxelLayer {
    fn fit(&mut self, map: &Costmap) {
        let default = self.settings.obstacles.default_cost();
        self.grid = Costmap::new(map.size(), map.resolution(), map.origin(), default);
        self.columns = vec![UNKNOWN_COLUMN; map.costs().len()];
    }

    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds) {
        self.move_with(map);
        follow(&mut self.grid, map, self.settings.obstacles.default_cost());
        bounds.merge(&std::mem::take(&mut self.cleared));
        let inputs: Vec<_> =
            self.sources.iter().map(|source| (source.clone(), source.recent(situation.now))).collect();
        for (source, observations) in inputs.iter().filter(|(source, _)| source.is_clearing) {
            observations
                .iter()
                .for_each(|observation| self.clear_rays(observation, source.reach.clearing, bounds));
        }
        for (source, observations) in inputs.iter().filter(|(source, _)| source.is_marking) {
            observations.iter().for_each(|observation| self.mark(observation, &source.reach, bounds));
        }
        if self.settings.obstacles.clear_footprint {
            self.footprint = situation.footprint.at(situation.robot);
            self.footprint.iter().for_each(|corner| bounds.include(*corner));
        }
    }

    fn write(&mut self, map: &mut Costmap, area: Area) {
        if self.settings.obstacles.clear_footprint {
            self.grid.clear(&self.footprint);
        }
        self.settings.obstacles.combination.combine(&self.grid, map, area);
    }

    fn reset(&mut self) {
        self.sources.iter().for_each(|source| source.clear());
        self.grid.reset(self.grid.area());
        self.columns.fill(UNKNOWN_COLUMN);
        self.cleared = self.grid.bounds();
    }

    fn clear(&mut self, area: Area, is_outside: bool) {
        forget(&mut self.grid, area, is_outside);
        for (column, cost) in self.columns.iter_mut().zip(self.grid.costs()) {
            if *cost == UNKNOWN {
                *column = UNKNOWN_COLUMN;
            }
        }
        self.cleared = self.grid.bounds();
    }

    fn is_current(&self, now: Duration) -> bool {
        self.sources.iter().all(|source| source.is_current(now))
    }
}

/// Returns both bits of a voxel in its column.
fn bits(level: u32) -> u32 {
    (1 << level) | (1 << (level + 16))
}

/// Returns the number of marked voxels of a column.
fn marked(column: u32) -> u32 {
    (column >> 16).count_ones()
}

/// Returns the number of unknown voxels of a column.
fn unknown(column: u32) -> u32 {
    ((column >> 16) ^ (column & 0xffff)).count_ones()
}
