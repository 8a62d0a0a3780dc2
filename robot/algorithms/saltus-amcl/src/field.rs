//! A map with the distance of each cell to the nearest obstacle.

use saltus_motion::Pose;

use crate::random::Random;

/// An occupancy grid with the distance of each cell to the nearest obstacle: the likelihood field of the sensor models.
#[derive(Clone, Debug)]
pub struct Field {
    width: usize,
    height: usize,
    resolution: f64,
    origin: [f64; 2],
    is_occupied: Vec<bool>,
    is_known_free: Vec<bool>,
    /// The distance of each cell to the nearest obstacle, in metres, at most `max_distance`.
    distances: Vec<f32>,
    max_distance: f32,
    /// The indices of the free cells.
    free: Vec<u32>,
}

/// The upper limit of `max_distance`, in metres.
pub const DISTANCE_LIMIT: f64 = 100.0;

impl Field {
    /// Computes the field of an occupancy grid of `(width, height)` cells.
    ///
    /// `values` are the cells row by row: 0 is free, 100 is occupied, and any other value is unknown. `resolution` is the edge length
    /// of a cell in metres. `origin` is the lower left corner in the frame of the map, in metres. Distances above `max_distance`, in
    /// metres, are set to `max_distance`. It is limited to 100 m.
    ///
    /// # Panics
    ///
    /// If the number of values is not `width * height`.
    pub fn new(
        (width, height): (u32, u32),
        resolution: f64,
        origin: [f64; 2],
        values: &[i8],
        max_distance: f64,
    ) -> Self {
        let (width, height) = (width as usize, height as usize);
        assert_eq!(values.len(), width * height, "a map has a value for each cell");
        let is_occupied: Vec<bool> = values.iter().map(|value| *value == 100).collect();
        let is_known_free: Vec<bool> = values.iter().map(|value| *value == 0).collect();
        let max_distance = max_distance.clamp(0.0, DISTANCE_LIMIT);
        let reach = (max_distance / resolution).clamp(0.0, 1e4) as usize;
        let squared = squared_distances(&is_occupied, width, reach);
        let distance = |squared: u32| (f64::from(squared).sqrt() * resolution).min(max_distance) as f32;
        let cells = (0_u32..).zip(&is_known_free);
        let free = cells.filter(|(_, is_free)| **is_free).map(|(index, _)| index).collect();
        Self {
            width,
            height,
            resolution,
            origin,
            distances: squared.into_iter().map(distance).collect(),
            max_distance: max_distance as f32,
            is_occupied,
            is_known_free,
            free,
        }
    }

    /// Whether a cell stops a ray: it is occupied, unknown or outside of the map.
    fn is_closed(&self, column: i64, row: i64) -> bool {
        self.index(column, row).is_none_or(|index| self.is_occupied[index] || !self.is_known_free[index])
    }

    /// Returns the column and the row of a point, which may be outside of the map.
    fn cell(&self, [x, y]: [f64; 2]) -> (i64, i64) {
        let cell = |value: f64, origin: f64| {
            let offset = (value - origin) / self.resolution;
            offset as i64 - i64::from(offset < 0.0)
        };
        (cell(x, self.origin[0]), cell(y, self.origin[1]))
    }

    /// Returns the index of a cell; `None` outside of the map.
    fn index(&self, column: i64, row: i64) -> Option<usize> {
        let bounded = |index: i64, count: usize| usize::try_from(index).ok().filter(|index| *index < count);
        Some(bounded(row, self.height)? * self.width + bounded(column, self.width)?)
    }

    /// Returns the distance from the cell of a point to the nearest obstacle, in metres. It is the largest distance outside of the
    /// map.
    pub(crate) fn distance(&self, point: [f64; 2]) -> f32 {
        if !point.iter().all(|part| part.is_finite()) {
            return self.max_distance;
        }
        let (column, row) = self.cell(point);
        self.index(column, row).map_or(self.max_distance, |index| self.distances[index])
    }

    /// Returns the largest distance of the field, in metres.
    pub(crate) fn max_distance(&self) -> f64 {
        f64::from(self.max_distance)
    }

    /// Casts a ray from a point in the direction `angle`, in steps of half a cell. Returns the distance to the first cell that is not
    /// free, in metres, at most `max_range`.
    pub(crate) fn range(&self, [x, y]: [f64; 2], angle: f64, max_range: f64) -> f64 {
        let (sine, cosine) = angle.sin_cos();
        let step = self.resolution / 2.0;
        let steps = (max_range / step) as u32;
        let is_closed = |count: &u32| {
            let distance = f64::from(*count) * step;
            let (column, row) = self.cell([x + distance * cosine, y + distance * sine]);
            self.is_closed(column, row)
        };
        (0..steps).find(is_closed).map_or(max_range, |count| f64::from(count) * step)
    }

    /// Draws a pose in a random free cell with a random heading; `None` if there is no free cell.
    pub(crate) fn free_pose(&self, random: &mut Random) -> Option<Pose> {
        if self.free.is_empty() {
            return None;
        }
        let index = self.free[random.below(self.free.len())] as usize;
        let center = |index: usize, origin: f64| origin + (index as f64 + 0.5) * self.resolution;
        let yaw = (random.uniform() * 2.0 - 1.0) * std::f64::consts::PI;
        Some(Pose::new(
            center(index % self.width, self.origin[0]),
            center(index / self.width, self.origin[1]),
            yaw,
        ))
    }
}

/// Returns the squared distance of each cell to the nearest occupied cell, in cells. The distances are exact up to `reach`.
///
/// The first pass computes the distances within each column, and the second pass combines the columns around each cell.
fn squared_distances(is_occupied: &[bool], width: usize, reach: usize) -> Vec<u32> {
    let far = (reach + 1) as u32;
    let mut columns = vec![far; is_occupied.len()];
    let mut sweep = |index: usize, previous: Option<usize>| {
        let distance = previous.map_or(far, |previous| columns[previous] + 1);
        columns[index] = if is_occupied[index] { 0 } else { columns[index].min(distance) };
    };
    for index in 0..is_occupied.len() {
        sweep(index, index.checked_sub(width));
    }
    for index in (0..is_occupied.len()).rev() {
        sweep(index, Some(index + width).filter(|previous| *previous < is_occupied.len()));
    }
    let mut squared = Vec::with_capacity(columns.len());
    for row in columns.chunks(width.max(1)) {
        for index in 0..row.len() {
            let near = index.saturating_sub(reach)..(index + reach + 1).min(row.len());
            let distance = near.map(|other| {
                let (across, along) = (index.abs_diff(other) as u32, row[other]);
                across * across + along * along
            });
            squared.push(distance.min().unwrap_or(far * far));
        }
    }
    squared
}
