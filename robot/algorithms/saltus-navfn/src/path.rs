//! The path from a cell down to the lowest potential.

use crate::potential::{FAR, Field};

/// How far a step goes, in cells.
const STEP: f32 = 0.5;
/// How near the path must come to its end, in cells. The slopes beside the end lead past it.
const ARRIVED: f32 = 1.2;

impl Field {
    /// Returns the points of a path from a cell that has a potential to the cell where the potential is 0, in cells.
    pub(crate) fn path(&self, from: usize, end: usize) -> Vec<[f32; 2]> {
        // The slopes between cells may lead in a circle, where the potentials of the cells do not.
        self.descend(from, self.point(end)).unwrap_or_else(|| self.descend_by_cells(from))
    }

    /// Returns the path that goes from each cell to the lowest one around it. One beside each cell with a potential is lower.
    fn descend_by_cells(&self, from: usize) -> Vec<[f32; 2]> {
        let next = |place: &usize| self.lowest_around(*place);
        std::iter::successors(Some(from), next).map(|place| self.point(place)).collect()
    }

    fn point(&self, place: usize) -> [f32; 2] {
        [(place % self.width) as f32, (place / self.width) as f32]
    }

    /// Returns the points of a path from a cell to the cell where the potential is 0, in cells; `None` if there is no path.
    fn descend(&self, from: usize, end: [f32; 2]) -> Option<Vec<[f32; 2]>> {
        let height = self.potentials.len() / self.width;
        let mut path = Vec::<[f32; 2]>::new();
        let (mut place, mut offset) = (from, [0.0_f32; 2]);
        for _ in 0..4 * self.width.max(height) {
            let [x, y] = self.point(place);
            let point = [x + offset[0], y + offset[1]];
            if (point[0] - end[0]).hypot(point[1] - end[1]) < ARRIVED {
                if point != end {
                    path.push(point);
                }
                path.push(end);
                return Some(path);
            }
            if self.is_at_edge(place) {
                return None;
            }
            path.push(point);
            // A path that goes on is a whole cell away from where it was two steps ago.
            let turns_back = matches!(path[..], [.., before, _, last]
                if (before[0] - last[0]).hypot(before[1] - last[1]) < STEP);
            let is_known = |place: usize| self.potentials[place] < FAR;
            if turns_back || !self.corners(place).into_iter().all(is_known) {
                (place, offset) = (self.lowest_around(self.nearest(point))?, [0.0; 2]);
            } else {
                let [x, y] = self.slope(place, offset);
                let length = x.hypot(y);
                if length == 0.0 {
                    return None;
                }
                offset = [offset[0] + x / length * STEP, offset[1] + y / length * STEP];
                place = self.settle(place, &mut offset);
            }
        }
        None
    }

    /// Returns the cell that is the nearest to a point inside of the grid.
    fn nearest(&self, [x, y]: [f32; 2]) -> usize {
        y.round() as usize * self.width + x.round() as usize
    }

    /// Whether a cell is in the first or the last row, or beside them. The first and the last cells of the other rows have no
    /// potential.
    fn is_at_edge(&self, place: usize) -> bool {
        place <= self.width || place + self.width + 1 >= self.potentials.len()
    }

    /// Returns a cell and the three that are right of it, above it, and both.
    fn corners(&self, place: usize) -> [usize; 4] {
        [place, place + 1, place + self.width, place + self.width + 1]
    }

    /// Returns a cell and the eight around it.
    fn around(&self, place: usize) -> [usize; 9] {
        let width = self.width;
        let row = |middle: usize| [middle - 1, middle, middle + 1];
        let [below, own, above] = [row(place - width), row(place), row(place + width)];
        [below[0], below[1], below[2], own[0], own[1], own[2], above[0], above[1], above[2]]
    }

    /// Returns the cell with the lowest potential of a cell and those around it, if there is a lower one.
    fn lowest_around(&self, place: usize) -> Option<usize> {
        if self.is_at_edge(place) {
            return None;
        }
        let lowest = self
            .around(place)
            .into_iter()
            .min_by(|left, right| self.potentials[*left].total_cmp(&self.potentials[*right]))?;
        (self.potentials[lowest] < FAR && lowest != place).then_some(lowest)
    }

    /// Returns the direction in which the potential falls at a point between four cells.
    fn slope(&self, place: usize, [dx, dy]: [f32; 2]) -> [f32; 2] {
        let corners = self.corners(place).map(|place| self.gradient(place));
        let mixed = |part: usize| {
            let below = (1.0 - dx) * corners[0][part] + dx * corners[1][part];
            let above = (1.0 - dx) * corners[2][part] + dx * corners[3][part];
            (1.0 - dy) * below + dy * above
        };
        [mixed(0), mixed(1)]
    }

    /// Returns the direction in which the potential falls at a cell, with the length 1, or 0 if it falls nowhere. Only cells with a
    /// lower potential count: those are the ones that the potential came from.
    fn gradient(&self, place: usize) -> [f32; 2] {
        if place <= self.width || place + self.width >= self.potentials.len() {
            return [0.0; 2];
        }
        let own = self.potentials[place];
        let along = |before: usize, after: usize| {
            let [before, after] = [before, after].map(|place| self.potentials[place]);
            match before < after {
                _ if before.min(after) >= own => 0.0,
                true => before - own,
                false => own - after,
            }
        };
        let (x, y) = (along(place - 1, place + 1), along(place - self.width, place + self.width));
        let length = x.hypot(y);
        if length > 0.0 { [x / length, y / length] } else { [0.0; 2] }
    }

    /// Returns the cell of a point that has left its cell, and changes the offset accordingly.
    fn settle(&self, place: usize, offset: &mut [f32; 2]) -> usize {
        let mut settled = place;
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
