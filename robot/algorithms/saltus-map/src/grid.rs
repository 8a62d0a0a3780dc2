//! An occupancy grid.

/// The value of an unknown cell.
pub const UNKNOWN: i8 = -1;
/// The value of a cell that is certainly occupied. The value 0 is certainly free.
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
    /// The edge length of a cell, in metres.
    pub resolution: f64,
    /// The position x, y in metres and the angle in radians of the lower left corner in the frame of the map.
    pub origin: [f64; 3],
    /// The values of the cells, row by row from the lower left corner.
    pub cells: Vec<i8>,
}

impl OccupancyGrid {
    /// Returns the value of a cell; `None` if the cell is not in the grid.
    pub fn cell(&self, column: u32, row: u32) -> Option<i8> {
        if column >= self.width || row >= self.height {
            return None;
        }
        self.cells.get(row as usize * self.width as usize + column as usize).copied()
    }

    /// Returns the centre of a cell in the frame of the map, in metres.
    pub fn center(&self, column: u32, row: u32) -> [f64; 2] {
        let [x, y, angle] = self.origin;
        let [right, up] = [column, row].map(|index| (f64::from(index) + 0.5) * self.resolution);
        let (sine, cosine) = angle.sin_cos();
        [x + cosine * right - sine * up, y + sine * right + cosine * up]
    }

    /// Returns the column and the row of the cell that contains a point in the frame of the map; `None` if the point is outside.
    pub fn cell_at(&self, [x, y]: [f64; 2]) -> Option<(u32, u32)> {
        let [left, bottom, angle] = self.origin;
        let (sine, cosine) = angle.sin_cos();
        let (x, y) = (x - left, y - bottom);
        let index = |value: f64, count: u32| {
            let index = (value / self.resolution).floor();
            (index >= 0.0 && index < f64::from(count)).then_some(index as u32)
        };
        Some((index(cosine * x + sine * y, self.width)?, index(cosine * y - sine * x, self.height)?))
    }
}
