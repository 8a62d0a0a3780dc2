//! Lines and outlines in a grid.

use crate::{
    cells::{Cell, line, walk},
    cost::{FREE, LETHAL},
    footprint::sides,
    grid::Costmap,
};

/// Returns the highest cost of the cells under the outline of a polygon; `None` if a corner is outside of the grid. [`LETHAL`] counts as
/// higher than [`UNKNOWN`](crate::UNKNOWN).
pub fn outline_cost(map: &Costmap, corners: &[[f64; 2]]) -> Option<u8> {
    let rank = |cost: u8| if cost == LETHAL { u16::from(u8::MAX) + 1 } else { u16::from(cost) };
    let mut highest = FREE;
    for (from, to) in sides(corners) {
        let (from, to) = (map.cell_at(from)?, map.cell_at(to)?);
        line(from, to, |cell| highest = std::cmp::max_by_key(highest, map.cost(cell), |cost| rank(*cost)));
    }
    Some(highest)
}

/// Visits the cells of a line from a point to another one, up to the edge of the grid; no cell if the first point is outside. The length
/// of the line is limited to the sum of the width and the height of the grid.
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
