//! Cells, and lines of cells.

/// The column and the row of a cell.
pub type Cell = (u32, u32);

/// Visits the cells of a line from one cell to another one, both included.
pub(crate) fn line(from: Cell, to: Cell, mut visit: impl FnMut(Cell)) {
    let wide = |(column, row): Cell| (i64::from(column), i64::from(row));
    walk(wide(from), wide(to), |(column, row)| {
        // A line does not leave the rectangle of its ends, so the numbers fit.
        visit((column as u32, row as u32));
        true
    });
}

/// Visits the cells of a line, both ends included, until `visit` returns false.
///
/// Source: J. E. Bresenham, "Algorithm for computer control of a digital plotter", 1965.
pub(crate) fn walk((mut x, mut y): (i64, i64), last: (i64, i64), mut visit: impl FnMut((i64, i64)) -> bool) {
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
