//! Lines and outlines in a grid.

use crate::{
    cost::{FREE, LETHAL},
    footprint::sides,
    grid::{Cell, Costmap},
};

/// Returns the highest cost of the cells under the outline of a polygon; `None` if a corner is outside of the grid. An obstacle counts
/// more than a cell of which nothing is known.
pub fn outline_cost(map: &Costmap, corners: &[[f64; 2]]) -> Option<u8> {
    let rank = |cost: u8| if cost == LETHAL { u16::from(u8::MAX) + 1 } else { u16::from(cost) };
    let mut highest = FREE;
    for (from, to) in sides(corners) {
        let (from, to) = (map.cell_at(from)?, map.cell_at(to)?);
        line(from, to, |cell| highest = std::cmp::max_by_key(highest, map.cost(cell), |cost| rank(*cost)));
    }
    Some(highest)
}

/// Visits the cells of a line from one cell to another one, both included.
pub fn line(from: Cell, to: Cell, mut visit: impl FnMut(Cell)) {
    let wide = |(column, row): Cell| (i64::from(column), i64::from(row));
    walk(wide(from), wide(to), |(column, row)| {
        // Both are between those of the ends.
        visit((column as u32, row as u32));
        true
    });
}

/// Visits the cells of a line from a point to another one, as far as they are in the grid, and nothing if the first one is not. The
/// line is at most as long as the grid is wide and high together.
pub(crate) fn ray(
    grid: &mut Costmap,
    from: [f64; 2],
    to: [f64; 2],
    mut visit: impl FnMut(&mut Costmap, Cell),
) {
    if grid.cell_at(from).is_none() {
        return;
    }
    let (width, height) = grid.size();
    let longest = f64::from(width + height) * grid.resolution();
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let share = if length > longest { longest / length } else { 1.0 };
    let to = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    let (first, last) = (grid.unbounded_cell_at(from), grid.unbounded_cell_at(to));
    walk(first, last, |(column, row)| {
        let is_within = (0..i64::from(width)).contains(&column) && (0..i64::from(height)).contains(&row);
        if is_within {
            visit(grid, (column as u32, row as u32));
        }
        is_within
    });
}

/// Visits the cells of a line, both ends included, until `visit` returns false.
///
/// Source: J. E. Bresenham, "Algorithm for computer control of a digital plotter", 1965.
fn walk((mut x, mut y): (i64, i64), last: (i64, i64), mut visit: impl FnMut((i64, i64)) -> bool) {
    let (width, height) = ((last.0 - x).abs(), (last.1 - y).abs());
    let (step_x, step_y) = ((last.0 - x).signum(), (last.1 - y).signum());
    let mut error = width - height;
    while visit((x, y)) && (x, y) != last {
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
