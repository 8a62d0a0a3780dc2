//! The layer with what sensors see at each height.

use std::{sync::Arc, time::Duration};

use super::{Layer, Observation, Observations, ObstacleSettings, Reach, Situation, follow, forget};
use crate::{
    area::{Area, Bounds},
    cells::Cell,
    cost::{FREE, LETHAL, UNKNOWN},
    grid::Costmap,
};

/// How many voxels may be above each other.
const MOST: u32 = 16;

/// How observations become voxels, and voxels become costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelSettings {
    /// As in the layer without heights.
    pub obstacles: ObstacleSettings,
    /// The height of the lowest voxel's lower end, in metres.
    pub origin_z: f64,
    /// The height of a voxel, in metres.
    pub z_resolution: f64,
    /// How many voxels are above each other, at most 16.
    pub z_voxels: u32,
    /// How many unknown voxels a known column may have.
    pub unknown_threshold: u32,
    /// How many marked voxels a free column may have.
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

/// The voxels of a [`VoxelLayer`], to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelGrid {
    /// For each cell, row by row: bits 16 to 31 are the marked voxels, the lowest first. A bit of 0 to 15 is set, too, if the voxel
    /// is marked, or if nothing is known of it.
    pub columns: Vec<u32>,
    /// The columns, the rows, and the voxels above each other.
    pub size: [u32; 3],
    /// The lower left corner of the lowest voxels, in metres.
    pub origin: [f64; 3],
    /// The size of a voxel, in metres.
    pub resolution: [f64; 3],
}

/// The layer that marks voxels, and clears those that rays pass.
#[derive(Debug)]
pub struct VoxelLayer {
    settings: VoxelSettings,
    sources: Vec<Arc<Observations>>,
    grid: Costmap,
    columns: Vec<u32>,
    footprint: Vec<[f64; 2]>,
    cleared: Bounds,
}

/// A column of which nothing is known.
const UNKNOWN_COLUMN: u32 = 0xffff;

impl VoxelLayer {
    /// Returns a layer with the observations of some sensors. More than 16 voxels above each other are not used.
    pub fn new(settings: VoxelSettings, sources: Vec<Arc<Observations>>) -> Self {
        let settings = VoxelSettings { z_voxels: settings.z_voxels.min(MOST), ..settings };
        let grid = Costmap::new((0, 0), 1.0, [0.0; 2], settings.obstacles.default_cost());
        let (footprint, cleared) = (Vec::new(), Bounds::default());
        Self { settings, sources, grid, columns: Vec::new(), footprint, cleared }
    }

    /// Returns its voxels.
    pub fn voxels(&self) -> VoxelGrid {
        let (width, height) = self.grid.size();
        let [x, y] = self.grid.origin();
        let resolution = self.grid.resolution();
        VoxelGrid {
            columns: self.columns.clone(),
            size: [width, height, self.settings.z_voxels],
            origin: [x, y, self.settings.origin_z],
            resolution: [resolution, resolution, self.settings.z_resolution],
        }
    }

    /// Returns the place of a point in voxels, as if there was no end.
    fn voxel_at(&self, [x, y, z]: [f64; 3]) -> [i64; 3] {
        let (column, row) = self.grid.unbounded_cell_at([x, y]);
        let level = ((z - self.settings.origin_z) / self.settings.z_resolution).floor() as i64;
        [column, row, level]
    }

    /// Returns the cell and the level of a voxel, if it is in the grid.
    fn within(&self, [column, row, level]: [i64; 3]) -> Option<(Cell, u32)> {
        let (width, height) = self.grid.size();
        let place = |value: i64, count: u32| u32::try_from(value).ok().filter(|value| *value < count);
        Some(((place(column, width)?, place(row, height)?), place(level, self.settings.z_voxels)?))
    }

    fn mark(&mut self, seen: &Observation, reach: &Reach, bounds: &mut Bounds) {
        let [near, far] = reach.obstacles;
        for point in seen.points.iter().filter(|point| reach.marks_at(point[2])) {
            let offset = [0, 1, 2].map(|axis| point[axis] - seen.origin[axis]);
            let squared: f64 = offset.iter().map(|part| part * part).sum();
            if squared < near * near || squared >= far * far {
                continue;
            }
            // What is below the lowest voxel counts as in it.
            let point = [point[0], point[1], point[2].max(self.settings.origin_z)];
            let Some((cell, level)) = self.within(self.voxel_at(point)) else { continue };
            let place = self.grid.place(cell);
            self.columns[place] |= bits(level);
            if marked(self.columns[place]) > self.settings.mark_threshold {
                self.grid.set(cell, LETHAL);
            }
            bounds.include([point[0], point[1]]);
        }
    }

    /// Clears the voxels between a sensor and the ends of its rays, but for the last two cells of each.
    fn clear_rays(&mut self, seen: &Observation, [near, far]: [f64; 2], bounds: &mut Bounds) {
        if self.within(self.voxel_at(seen.origin)).is_none() {
            return;
        }
        bounds.include([seen.origin[0], seen.origin[1]]);
        for point in &seen.points {
            let along = [0, 1, 2].map(|axis| point[axis] - seen.origin[axis]);
            let length = along.iter().map(|part| part * part).sum::<f64>().sqrt();
            let (width, height) = self.grid.size();
            let longest = f64::from(width + height) * self.grid.resolution();
            let end = (length - 2.0 * self.grid.resolution()).min(far).min(longest);
            if end <= near {
                continue;
            }
            let at =
                |distance: f64| [0, 1, 2].map(|axis| seen.origin[axis] + along[axis] * distance / length);
            self.clear_ray(self.voxel_at(at(near)), self.voxel_at(at(end)));
            bounds.include([at(end)[0], at(end)[1]]);
        }
    }

    /// Clears the voxels of a line, as far as they are in the grid.
    fn clear_ray(&mut self, from: [i64; 3], to: [i64; 3]) {
        let along = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        let steps = along.iter().map(|part| part.abs()).max().unwrap_or(0);
        for step in 0..=steps {
            // The nearest voxel, with halves rounded up.
            let part =
                |axis: usize| from[axis] + (2 * along[axis] * step + steps).div_euclid(2 * steps.max(1));
            let Some((cell, level)) = self.within([part(0), part(1), part(2)]) else { return };
            let place = self.grid.place(cell);
            self.columns[place] &= !bits(level);
            let column = self.columns[place];
            if marked(column) <= self.settings.mark_threshold {
                // Those above the highest voxel are never known.
                let unused = MOST - self.settings.z_voxels;
                let is_known = unknown(column) <= self.settings.unknown_threshold.saturating_add(unused);
                self.grid.set(cell, if is_known { FREE } else { UNKNOWN });
            }
        }
    }

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
                    self.columns[map.place((column, row))] = columns[before.place(old)];
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
        let seen: Vec<_> =
            self.sources.iter().map(|source| (source.clone(), source.at(situation.now))).collect();
        for (source, seen) in seen.iter().filter(|(source, _)| source.is_clearing) {
            seen.iter().for_each(|seen| self.clear_rays(seen, source.reach.clearing, bounds));
        }
        for (source, seen) in seen.iter().filter(|(source, _)| source.is_marking) {
            seen.iter().for_each(|seen| self.mark(seen, &source.reach, bounds));
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
        self.settings.obstacles.combination.join(&self.grid, map, area);
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

/// Returns the bits of a voxel in its column.
fn bits(level: u32) -> u32 {
    (1 << level) | (1 << (level + 16))
}

/// Returns how many voxels of a column are marked.
fn marked(column: u32) -> u32 {
    (column >> 16).count_ones()
}

/// Returns how many voxels of a column are unknown.
fn unknown(column: u32) -> u32 {
    ((column >> 16) ^ (column & 0xffff)).count_ones()
}
