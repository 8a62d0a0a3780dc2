//! A grid of costs.

use crate::{
    area::{Area, Bounds},
    cells::Cell,
    cost::FREE,
};

/// A grid of costs. Its axes are parallel to those of the frame of its map.
///
/// **Invariant:** there are `width * height` costs, row by row, from the lower left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Costmap {
    width: u32,
    height: u32,
    resolution: f64,
    origin: [f64; 2],
    default: u8,
    costs: Vec<u8>,
}

impl Costmap {
    /// Creates a grid of `(width, height)` cells with the cost `default`. `resolution` is the edge length of a cell in metres, and
    /// `origin` the lower left corner in the frame of the map.
    pub fn new((width, height): (u32, u32), resolution: f64, origin: [f64; 2], default: u8) -> Self {
        let costs = vec![default; width as usize * height as usize];
        Self { width, height, resolution, origin, default, costs }
    }

    /// Returns the number of columns and rows.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Returns the cost of cells without a value.
    pub fn default_cost(&self) -> u8 {
        self.default
    }

    /// Returns the edge length of a cell, in metres.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Returns the lower left corner in the frame of the map, in metres.
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// Returns all costs, row by row from the lower left corner.
    pub fn costs(&self) -> &[u8] {
        &self.costs
    }

    /// Returns the area of all cells.
    pub fn area(&self) -> Area {
        Area { left: 0, bottom: 0, right: self.width, top: self.height }
    }

    /// Returns the bounds of the grid in the frame of the map.
    pub fn bounds(&self) -> Bounds {
        // Half a cell inside of the edge, so that no cell beyond it is touched.
        let high = |axis: usize, count: u32| self.origin[axis] + (f64::from(count) - 0.5) * self.resolution;
        Bounds { low: self.origin, high: [high(0, self.width), high(1, self.height)] }
    }

    /// Returns the index of a cell in [`costs`](Self::costs). The cell must be in the grid.
    #[inline]
    pub fn index(&self, (column, row): Cell) -> usize {
        row as usize * self.width as usize + column as usize
    }

    /// Returns the cost of a cell. The cell must be in the grid.
    #[inline]
    pub fn cost(&self, cell: Cell) -> u8 {
        self.costs[self.index(cell)]
    }

    /// Sets the cost of a cell. The cell must be in the grid.
    pub fn set(&mut self, cell: Cell, cost: u8) {
        let index = self.index(cell);
        self.costs[index] = cost;
    }

    /// Returns the costs of a row. The row must be in the grid.
    pub fn row(&self, row: u32) -> &[u8] {
        let start = row as usize * self.width as usize;
        &self.costs[start..start + self.width as usize]
    }

    /// Returns the costs of a row for changes. The row must be in the grid.
    pub(crate) fn row_mut(&mut self, row: u32) -> &mut [u8] {
        let start = row as usize * self.width as usize;
        &mut self.costs[start..start + self.width as usize]
    }

    /// Returns the cell that contains a point; `None` if the point is outside of the grid, or not finite.
    ///
    /// ```
    /// use saltus_costmap::Costmap;
    /// let map = Costmap::new((4, 2), 0.5, [-1.0, 0.0], 0);
    /// assert_eq!(map.cell_at([-0.4, 0.6]), Some((1, 1)));
    /// assert_eq!(map.cell_at([1.0, 0.6]), None);
    /// ```
    #[inline]
    pub fn cell_at(&self, [x, y]: [f64; 2]) -> Option<Cell> {
        let index = |value: f64, origin: f64, count: u32| {
            let index = (value - origin) / self.resolution;
            // Nothing that is not a number is in this range. In it, the conversion rounds down.
            (index >= 0.0 && index < f64::from(count)).then_some(index as u32)
        };
        Some((index(x, self.origin[0], self.width)?, index(y, self.origin[1], self.height)?))
    }

    /// Returns the column and the row of a point, as if the grid was infinite.
    pub(crate) fn unbounded_cell_at(&self, [x, y]: [f64; 2]) -> (i64, i64) {
        let index = |value: f64, origin: f64| floor((value - origin) / self.resolution);
        (index(x, self.origin[0]), index(y, self.origin[1]))
    }

    /// Returns the centre of a cell in the frame of the map, in metres.
    pub fn center(&self, (column, row): Cell) -> [f64; 2] {
        let center = |index: u32, origin: f64| origin + (f64::from(index) + 0.5) * self.resolution;
        [center(column, self.origin[0]), center(row, self.origin[1])]
    }

    /// Returns the area of the cells that bounds touch.
    pub(crate) fn cells_of(&self, bounds: &Bounds) -> Area {
        if bounds.is_empty() {
            return Area::default();
        }
        let ((left, bottom), (right, top)) =
            (self.unbounded_cell_at(bounds.low), self.unbounded_cell_at(bounds.high));
        let clamp = |index: i64, count: u32| index.clamp(0, i64::from(count)) as u32;
        Area {
            left: clamp(left, self.width),
            bottom: clamp(bottom, self.height),
            right: clamp(right.saturating_add(1), self.width),
            top: clamp(top.saturating_add(1), self.height),
        }
    }

    /// Sets the cells of an area to the default cost. The area must be in the grid.
    pub(crate) fn reset(&mut self, area: Area) {
        for row in area.bottom..area.top {
            let default = self.default;
            self.row_mut(row)[area.left as usize..area.right as usize].fill(default);
        }
    }

    /// Sets the cells of an area to `costs`, row by row. Returns `false`, and changes nothing, if the area is empty or not in the grid,
    /// or if the number of costs is not its number of cells.
    pub fn fill(&mut self, area: Area, costs: &[u8]) -> bool {
        let is_within = area.right <= self.width && area.top <= self.height && !area.is_empty();
        let width = area.right.saturating_sub(area.left) as usize;
        if !is_within || costs.len() != width * (area.top - area.bottom) as usize {
            return false;
        }
        for (row, costs) in (area.bottom..area.top).zip(costs.chunks(width)) {
            self.row_mut(row)[area.left as usize..area.right as usize].copy_from_slice(costs);
        }
        true
    }

    /// Moves the grid by whole cells, so that its lower left corner is in the cell of `origin`, which must be finite. Cells that are in
    /// the grid before and after the move keep their costs.
    pub(crate) fn move_to(&mut self, origin: [f64; 2]) {
        let (columns, rows) = self.unbounded_cell_at(origin);
        if (columns, rows) == (0, 0) {
            return;
        }
        self.shift(columns, rows);
        self.origin[0] += columns as f64 * self.resolution;
        self.origin[1] += rows as f64 * self.resolution;
    }

    /// Moves the grid to the origin of a grid of the same size and resolution, whose cells are aligned with the cells of this one. Cells
    /// that are in the grid before and after the move keep their costs.
    pub(crate) fn move_onto(&mut self, map: &Self) {
        let cells = |axis: usize| ((map.origin[axis] - self.origin[axis]) / self.resolution).round() as i64;
        let (columns, rows) = (cells(0), cells(1));
        self.shift(columns, rows);
        self.origin = map.origin;
    }

    /// Shifts the costs by columns and rows. Cells without a cost get the default one.
    fn shift(&mut self, columns: i64, rows: i64) {
        let mut moved = vec![self.default; self.costs.len()];
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let (left, right) = (columns.max(0), width.min(width.saturating_add(columns)));
        for row in rows.max(0)..height.min(height.saturating_add(rows)) {
            // The indices are in range only if the grids overlap.
            if left < right {
                let (from, to) = (row * width + left, (row - rows) * width + left - columns);
                let length = (right - left) as usize;
                let kept = &self.costs[from as usize..from as usize + length];
                moved[to as usize..to as usize + length].copy_from_slice(kept);
            }
        }
        self.costs = moved;
    }

    /// Sets the cells whose centres are in a convex polygon, and the cells under its outline, to [`FREE`].
    pub(crate) fn clear(&mut self, polygon: &[[f64; 2]]) {
        let mut bounds = Bounds::default();
        polygon.iter().for_each(|corner| bounds.include(*corner));
        let area = self.cells_of(&bounds);
        for row in area.bottom..area.top {
            for column in area.left..area.right {
                if crate::footprint::contains(polygon, self.center((column, row))) {
                    self.set((column, row), FREE);
                }
            }
        }
        for (from, to) in crate::footprint::sides(polygon) {
            if let (Some(from), Some(to)) = (self.cell_at(from), self.cell_at(to)) {
                crate::cells::line(from, to, |cell| self.set(cell, FREE));
            }
        }
    }
}

/// Returns the largest integer that is not above `value`. On processors without SSE 4.1, `f64::floor` is a function call and slower.
fn floor(value: f64) -> i64 {
    let whole = value as i64;
    whole.saturating_sub(i64::from(value < whole as f64))
}
