//! An occupancy grid.

/// The value of a cell of which nothing is known.
pub const UNKNOWN: i8 = -1;
/// The value of a cell that is certainly occupied. A cell that is certainly free has 0.
pub const OCCUPIED: i8 = 100;

/// A grid of square cells, as in `nav_msgs/msg/OccupancyGrid`.
///
/// **Invariant:** there are `width * height` cells, each from 0 (free) to 100 (occupied), or [`UNKNOWN`].
#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyGrid {
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The edge of a cell, in metres.
    pub resolution: f64,
    /// The position x, y in metres and the angle in radians of the lower left corner in the frame of the map.
    pub origin: [f64; 3],
    /// The cells, row by row, from the lower left corner.
    pub cells: Vec<i8>,
}

impl OccupancyGrid {
    /// Returns the value of a cell; `None` if there is no such cell.
    pub fn cell(&self, column: u32, row: u32) -> Option<i8> {
        if column >= self.width || row >= self.height {
            return None;
        }
        self.cells.get(row as usize * self.width as usize + column as usize).copied()
    }

    /// Returns the centre of a cell in the frame of the map, in metres.
    pub fn center(&self, column: u32, row: u32) -> [f64; 2] {
        let [x, y, angle] = self.origin;
        let [right, up] = [column, row].map(|place| (f64::from(place) + 0.5) * self.resolution);
        let (sine, cosine) = angle.sin_cos();
        [x + cosine * right - sine * up, y + sine * right + cosine * up]
    }

    /// Returns the column and the row of the cell with a point in the frame of the map; `None` if it is outside.
    pub fn cell_at(&self, [x, y]: [f64; 2]) -> Option<(u32, u32)> {
        let [left, bottom, angle] = self.origin;
        let (sine, cosine) = angle.sin_cos();
        let (x, y) = (x - left, y - bottom);
        let place = |value: f64, count: u32| {
            let place = (value / self.resolution).floor();
            (place >= 0.0 && place < f64::from(count)).then_some(place as u32)
        };
        Some((place(cosine * x + sine * y, self.width)?, place(cosine * y - sine * x, self.height)?))
    }
}
