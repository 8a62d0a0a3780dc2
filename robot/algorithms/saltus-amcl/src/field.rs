//! A map, and how far each of its cells is from an obstacle.

use saltus_motion::Pose;

use crate::random::Random;

/// A map, and how far each of its cells is from the nearest obstacle.
#[derive(Clone, Debug)]
pub struct Field {
    width: usize,
    height: usize,
    resolution: f64,
    origin: [f64; 2],
    is_occupied: Vec<bool>,
    is_known_free: Vec<bool>,
    /// The distances in metres, at most the largest one.
    distances: Vec<f32>,
    farthest: f32,
    /// The places of free cells.
    free: Vec<u32>,
}

/// Distances are never counted farther than this, in metres.
const FARTHEST: f64 = 100.0;

impl Field {
    /// Returns the field of an occupancy grid: `values` has 0 for free cells, 100 for occupied ones, and anything else if that is not
    /// known. `resolution` is the edge of a cell in metres, and `origin` the lower left corner. Distances are counted up to `farthest`
    /// in metres, at most 100 m.
    ///
    /// # Panics
    ///
    /// If the number of values is not `width * height`.
    pub fn new(
        (width, height): (u32, u32),
        resolution: f64,
        origin: [f64; 2],
        values: &[i8],
        farthest: f64,
    ) -> Self {
        let (width, height) = (width as usize, height as usize);
        assert_eq!(values.len(), width * height, "a map has a value for each cell");
        let is_occupied: Vec<bool> = values.iter().map(|value| *value == 100).collect();
        let is_known_free: Vec<bool> = values.iter().map(|value| *value == 0).collect();
        let farthest = farthest.clamp(0.0, FARTHEST);
        let reach = (farthest / resolution).clamp(0.0, 1e4) as usize;
        let squared = squared_distances(&is_occupied, width, reach);
        let distance = |squared: u32| (f64::from(squared).sqrt() * resolution).min(farthest) as f32;
        let places = (0_u32..).zip(&is_known_free);
        let free = places.filter(|(_, is_free)| **is_free).map(|(place, _)| place).collect();
        Self {
            width,
            height,
            resolution,
            origin,
            distances: squared.into_iter().map(distance).collect(),
            farthest: farthest as f32,
            is_occupied,
            is_known_free,
            free,
        }
    }

    /// Returns the edge of a cell, in metres.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Whether there is an obstacle in a cell. Outside of the map there is one, and in unknown cells, too.
    pub(crate) fn is_closed(&self, column: i64, row: i64) -> bool {
        self.place(column, row).is_none_or(|place| self.is_occupied[place] || !self.is_known_free[place])
    }

    /// Returns the column and the row of a point, which may be outside.
    pub(crate) fn cell(&self, [x, y]: [f64; 2]) -> (i64, i64) {
        let cell = |value: f64, origin: f64| {
            let place = (value - origin) / self.resolution;
            place as i64 - i64::from(place < 0.0)
        };
        (cell(x, self.origin[0]), cell(y, self.origin[1]))
    }

    fn place(&self, column: i64, row: i64) -> Option<usize> {
        let within = |place: i64, count: usize| usize::try_from(place).ok().filter(|place| *place < count);
        Some(within(row, self.height)? * self.width + within(column, self.width)?)
    }

    /// Returns how far a point is from the nearest obstacle, in metres.
    ///
    /// ```
    /// let field = saltus_amcl::Field::new((5, 1), 1.0, [0.0, 0.0], &[0, 0, 0, 100, -1], 2.0);
    /// assert_eq!([0.5, 1.5, 2.5, 3.5, 9.0].map(|x| field.distance([x, 0.5])), [2.0, 2.0, 1.0, 0.0, 2.0]);
    /// ```
    pub fn distance(&self, point: [f64; 2]) -> f32 {
        if !point.iter().all(|part| part.is_finite()) {
            return self.farthest;
        }
        let (column, row) = self.cell(point);
        self.place(column, row).map_or(self.farthest, |place| self.distances[place])
    }

    /// Returns the largest distance that is counted, in metres.
    pub(crate) fn farthest(&self) -> f64 {
        f64::from(self.farthest)
    }

    /// Returns how far a ray would go from a point to the first cell that is not free, at most `farthest`. It goes in steps of half a
    /// cell.
    pub(crate) fn range(&self, [x, y]: [f64; 2], angle: f64, farthest: f64) -> f64 {
        let (sine, cosine) = angle.sin_cos();
        let step = self.resolution / 2.0;
        let steps = (farthest / step) as u32;
        let is_closed = |count: &u32| {
            let way = f64::from(*count) * step;
            let (column, row) = self.cell([x + way * cosine, y + way * sine]);
            self.is_closed(column, row)
        };
        (0..steps).find(is_closed).map_or(farthest, |count| f64::from(count) * step)
    }

    /// Returns a pose in a free cell with any heading; `None` if there is no free cell.
    pub(crate) fn free_pose(&self, random: &mut Random) -> Option<Pose> {
        if self.free.is_empty() {
            return None;
        }
        let place = self.free[random.below(self.free.len())] as usize;
        let center = |place: usize, origin: f64| origin + (place as f64 + 0.5) * self.resolution;
        let yaw = (random.share() * 2.0 - 1.0) * std::f64::consts::PI;
        Some(Pose::new(
            center(place % self.width, self.origin[0]),
            center(place / self.width, self.origin[1]),
            yaw,
        ))
    }
}

/// Returns the squared distances of all cells to the nearest one that is occupied, in cells: first those in each column, and then
/// those of the columns around each cell. They are exact up to `reach`.
fn squared_distances(is_occupied: &[bool], width: usize, reach: usize) -> Vec<u32> {
    let far = (reach + 1) as u32;
    let mut columns = vec![far; is_occupied.len()];
    let mut sweep = |place: usize, before: Option<usize>| {
        let from = before.map_or(far, |before| columns[before] + 1);
        columns[place] = if is_occupied[place] { 0 } else { columns[place].min(from) };
    };
    for place in 0..is_occupied.len() {
        sweep(place, place.checked_sub(width));
    }
    for place in (0..is_occupied.len()).rev() {
        sweep(place, Some(place + width).filter(|before| *before < is_occupied.len()));
    }
    let mut squared = Vec::with_capacity(columns.len());
    for row in columns.chunks(width.max(1)) {
        for place in 0..row.len() {
            let near = place.saturating_sub(reach)..(place + reach + 1).min(row.len());
            let distance = near.map(|other| {
                let (aside, along) = (place.abs_diff(other) as u32, row[other]);
                aside * aside + along * along
            });
            squared.push(distance.min().unwrap_or(far * far));
        }
    }
    squared
}
