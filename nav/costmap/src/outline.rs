//! Lines and outlines in a grid.

use crate::{
    footprint::sides,
    grid::{Cell, Costmap},
};

/// Returns the highest cost of the cells under the outline of a polygon; `None` if a corner is outside of the grid.
pub fn outline_cost(map: &Costmap, corners: &[[f64; 2]]) -> Option<u8> {
    let mut highest = 0;
    for (from, to) in sides(corners) {
        let (from, to) = (map.cell_at(from)?, map.cell_at(to)?);
        line(from, to, |cell| highest = highest.max(map.cost(cell)));
    }
    Some(highest)
}

/// Visits the cells of a line from one cell to another one, both included.
///
/// Source: J. E. Bresenham, "Algorithm for computer control of a digital plotter", 1965.
pub fn line(from: Cell, to: Cell, mut visit: impl FnMut(Cell)) {
    let [(x, y), (last_x, last_y)] = [from, to].map(|(x, y)| (i64::from(x), i64::from(y)));
    let (width, height) = ((last_x - x).abs(), (last_y - y).abs());
    let (step_x, step_y) = ((last_x - x).signum(), (last_y - y).signum());
    let (mut x, mut y, mut error) = (x, y, width - height);
    loop {
        // Both are between those of the ends.
        visit((x as u32, y as u32));
        if (x, y) == (last_x, last_y) {
            return;
        }
        let twice = 2 * error;
        if twice > -height {
            error -= height;
            x += step_x;
        }
        if twice < width {
            error += width;
            y += step_y;
        }
    }
}
