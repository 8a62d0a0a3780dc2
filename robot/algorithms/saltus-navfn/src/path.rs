//! The path from a cell down to the cell with the potential 0.

use crate::potential::{FAR, PotentialField};

/// The length of a step, in cells.
const STEP: f32 = 0.5;
/// The distance to the end at which the path is complete, in cells. The slopes beside the end lead past it.
const END_DISTANCE: f32 = 1.2;

impl PotentialField {
    /// Returns the points of a path in cells, from a cell that was reached to the cell `end` with the potential 0.
    pub(crate) fn path(&self, from: usize, end: usize) -> Vec<[f32; 2]> {
        // The slopes between cells may lead in a circle. The potentials of the cells never do.
        self.descend(from, self.point(end)).unwrap_or_else(|| self.descend_by_cells(from))
    }

    /// Returns the path that goes from each cell to the lowest cell around it. Each cell that was reached has a lower neighbour, except
    /// for the cell with the potential 0.
    fn descend_by_cells(&self, from: usize) -> Vec<[f32; 2]> {
        let next = |index: &usize| self.lowest_around(*index);
        std::iter::successors(Some(from), next).map(|index| self.point(index)).collect()
    }

    /// Returns the column and the row of a cell.
    fn point(&self, index: usize) -> [f32; 2] {
        [(index % self.width) as f32, (index / self.width) as f32]
    }

    /// Follows the slope of the potential from a cell to the point `end`. Returns the points of the path in cells; `None` if the slope
    /// does not lead to the end.
    fn descend(&self, from: usize, end: [f32; 2]) -> Option<Vec<[f32; 2]>> {
        let height = self.potentials.len() / self.width;
        let mut path = Vec::<[f32; 2]>::new();
        let (mut index, mut offset) = (from, [0.0_f32; 2]);
        for _ in 0..4 * self.width.max(height) {
            let [x, y] = self.point(index);
            let point = [x + offset[0], y + offset[1]];
            if (point[0] - end[0]).hypot(point[1] - end[1]) < END_DISTANCE {
                if point != end {
                    path.push(point);
                }
                path.push(end);
                return Some(path);
            }
            if self.is_at_edge(index) {
                return None;
            }
            path.push(point);
            // A path that makes progress is a whole cell away from its point two steps before.
            let turns_back = matches!(path[..], [.., before, _, last]
                if (before[0] - last[0]).hypot(before[1] - last[1]) < STEP);
            let is_known = |index: usize| self.potentials[index] < FAR;
            if turns_back || !self.corners(index).into_iter().all(is_known) {
                (index, offset) = (self.lowest_around(self.nearest(point))?, [0.0; 2]);
            } else {
                let [x, y] = self.slope(index, offset);
                let length = x.hypot(y);
                if length == 0.0 {
                    return None;
                }
                offset = [offset[0] + x / length * STEP, offset[1] + y / length * STEP];
                index = self.settle(index, &mut offset);
            }
        }
        None
    }

    /// Returns the nearest cell to a point in the grid.
    fn nearest(&self, [x, y]: [f32; 2]) -> usize {
        y.round() as usize * self.width + x.round() as usize
    }

    /// Whether a cell has neighbours outside of the grid: it is in the first or the last row, or next to it in the order of the cells. The
    /// first and the last cells of the other rows are never reached.
    fn is_at_edge(&self, index: usize) -> bool {
        index <= self.width || index + self.width + 1 >= self.potentials.len()
    }

    /// Returns a cell and the cells to the right, above, and above to the right of it.
    fn corners(&self, index: usize) -> [usize; 4] {
        [index, index + 1, index + self.width, index + self.width + 1]
    }

    /// Returns a cell and its eight neighbours.
    fn neighborhood(&self, index: usize) -> [usize; 9] {
        let width = self.width;
        let row = |middle: usize| [middle - 1, middle, middle + 1];
        let [below, middle, above] = [row(index - width), row(index), row(index + width)];
        [below[0], below[1], below[2], middle[0], middle[1], middle[2], above[0], above[1], above[2]]
    }

    /// Returns the neighbour of a cell with the lowest potential; `None` if no neighbour is lower than the cell.
    fn lowest_around(&self, index: usize) -> Option<usize> {
        if self.is_at_edge(index) {
            return None;
        }
        let lowest = self
            .neighborhood(index)
            .into_iter()
            .min_by(|left, right| self.potentials[*left].total_cmp(&self.potentials[*right]))?;
        (self.potentials[lowest] < FAR && lowest != index).then_some(lowest)
    }

    /// Returns the direction of descent at a point between four cells, by bilinear interpolation.
    fn slope(&self, index: usize, [dx, dy]: [f32; 2]) -> [f32; 2] {
        let corners = self.corners(index).map(|index| self.gradient(index));
        let mixed = |part: usize| {
            let below = (1.0 - dx) * corners[0][part] + dx * corners[1][part];
            let above = (1.0 - dx) * corners[2][part] + dx * corners[3][part];
            (1.0 - dy) * below + dy * above
        };
        [mixed(0), mixed(1)]
    }

    /// Returns the direction of descent at a cell, with the length 1, or 0 if no neighbour is lower. Only lower cells count, because the
    /// potential spread from them.
    fn gradient(&self, index: usize) -> [f32; 2] {
        if index <= self.width || index + self.width >= self.potentials.len() {
            return [0.0; 2];
        }
        let potential = self.potentials[index];
        let along = |before: usize, after: usize| {
            let [before, after] = [before, after].map(|index| self.potentials[index]);
            match before < after {
                _ if before.min(after) >= potential => 0.0,
                true => before - potential,
                false => potential - after,
            }
        };
        let (x, y) = (along(index - 1, index + 1), along(index - self.width, index + self.width));
        let length = x.hypot(y);
        if length > 0.0 { [x / length, y / length] } else { [0.0; 2] }
    }

    /// Returns the cell of a point that may have left its cell, and makes the offset relative to that cell.
    fn settle(&self, index: usize, offset: &mut [f32; 2]) -> usize {
        let mut settled = index;
        for (part, stride) in offset.iter_mut().zip([1, self.width]) {
            if *part > 1.0 {
                (settled, *part) = (settled + stride, *part - 1.0);
            } else if *part < -1.0 {
                (settled, *part) = (settled - stride, *part + 1.0);
            }
        }
        settled
    }
}
