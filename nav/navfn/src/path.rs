//! The path from a cell down to the lowest potential.

use crate::potential::{FAR, Field};

/// How far a step goes, in cells.
const STEP: f32 = 0.5;
/// Below this potential, the path has arrived.
const ARRIVED: f32 = 50.0;
/// How hard the path is pushed out of a cell without a potential.
const PUSH: f32 = 254.0;

/// Whether two points are the same, but for rounding: two steps that are opposite differ by a little.
fn is_near([x, y]: [f32; 2], [other_x, other_y]: [f32; 2]) -> bool {
    (x - other_x).abs() < 1e-3 && (y - other_y).abs() < 1e-3
}

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
            let nearest =
                place as i64 + offset[0].round() as i64 + self.width as i64 * offset[1].round() as i64;
            let nearest = nearest.clamp(0, self.potentials.len() as i64 - 1) as usize;
            if self.potentials[nearest] < ARRIVED {
                path.push(end);
                return Some(path);
            }
            if place <= self.width || place + self.width + 1 >= self.potentials.len() {
                return None;
            }
            let [x, y] = self.point(place);
            path.push([x + offset[0], y + offset[1]]);
            let is_oscillating = matches!(path[..], [.., before, _, last] if is_near(before, last));
            let is_known = |place: &usize| self.potentials[*place] < FAR;
            if is_oscillating || !self.around(place).iter().all(is_known) {
                (place, offset) = (self.lowest_around(place)?, [0.0; 2]);
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

    /// Returns a cell and the eight around it.
    fn around(&self, place: usize) -> [usize; 9] {
        let width = self.width;
        let row = |middle: usize| [middle - 1, middle, middle + 1];
        let [below, own, above] = [row(place - width), row(place), row(place + width)];
        [below[0], below[1], below[2], own[0], own[1], own[2], above[0], above[1], above[2]]
    }

    /// Returns the cell with the lowest potential of a cell and those around it, if there is a lower one.
    fn lowest_around(&self, place: usize) -> Option<usize> {
        let lowest = self
            .around(place)
            .into_iter()
            .min_by(|left, right| self.potentials[*left].total_cmp(&self.potentials[*right]))?;
        (self.potentials[lowest] < FAR && lowest != place).then_some(lowest)
    }

    /// Returns the direction in which the potential falls at a point between four cells.
    fn slope(&self, place: usize, [dx, dy]: [f32; 2]) -> [f32; 2] {
        let corners =
            [place, place + 1, place + self.width, place + self.width + 1].map(|place| self.gradient(place));
        let mixed = |part: usize| {
            let below = (1.0 - dx) * corners[0][part] + dx * corners[1][part];
            let above = (1.0 - dx) * corners[2][part] + dx * corners[3][part];
            (1.0 - dy) * below + dy * above
        };
        [mixed(0), mixed(1)]
    }

    /// Returns the direction in which the potential falls at a cell, with the length 1, or 0 if it falls nowhere.
    fn gradient(&self, place: usize) -> [f32; 2] {
        if place <= self.width || place + self.width >= self.potentials.len() {
            return [0.0; 2];
        }
        let own = self.potentials[place];
        let along = |before: usize, after: usize| {
            let [before, after] = [before, after].map(|place| self.potentials[place]);
            if own >= FAR {
                return if before < FAR {
                    -PUSH
                } else if after < FAR {
                    PUSH
                } else {
                    0.0
                };
            }
            let fall = |difference: f32, is_known: bool| if is_known { difference } else { 0.0 };
            fall(before - own, before < FAR) + fall(own - after, after < FAR)
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
