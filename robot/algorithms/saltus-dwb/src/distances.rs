//! How far cells are from others.

use saltus_costmap::{Cell, Costmap, UNKNOWN};
use saltus_motion::Pose;

/// The distances of all cells to the nearest of some, in steps to the four neighbours. Obstacles do not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distances(Vec<u32>);

impl Distances {
    /// Returns the distances to `cells`. There must be one.
    pub(crate) fn to(map: &Costmap, cells: &[Cell]) -> Self {
        let width = map.size().0 as usize;
        // More than any distance, and one more than that is no overflow.
        let mut distances = vec![u32::MAX / 2; map.costs().len()];
        cells.iter().for_each(|cell| distances[map.place(*cell)] = 0);
        let mut lower = |place: usize, neighbour: usize| {
            distances[place] = distances[place].min(distances[neighbour] + 1);
        };
        let count = map.costs().len();
        // From the left and from below, and then from the right and from above.
        for place in 0..count {
            if place % width > 0 {
                lower(place, place - 1);
            }
            if place >= width {
                lower(place, place - width);
            }
        }
        for place in (0..count).rev() {
            if place % width < width - 1 {
                lower(place, place + 1);
            }
            if place + width < count {
                lower(place, place + width);
            }
        }
        Self(distances)
    }

    /// Returns the distance of a cell, by its place in the costmap.
    pub(crate) fn at(&self, place: usize) -> f64 {
        self.0.get(place).copied().map_or(0.0, f64::from)
    }
}

/// Returns the cells of a path, from the first pose in the costmap to the last one before it leaves the costmap or comes to a cell of
/// which nothing is known.
pub(crate) fn cells(map: &Costmap, path: &[Pose]) -> Vec<Cell> {
    let known = |pose: &Pose| map.cell_at([pose.x, pose.y]).filter(|cell| map.cost(*cell) != UNKNOWN);
    let mut cells: Vec<Cell> = resampled(path, map.resolution())
        .iter()
        .map(known)
        .skip_while(Option::is_none)
        .map_while(|cell| cell)
        .collect();
    cells.dedup();
    cells
}

/// Returns a path with poses between those that are far from each other, so that there is one in about each cell.
fn resampled(path: &[Pose], resolution: f64) -> Vec<Pose> {
    let mut all: Vec<Pose> = path.first().copied().into_iter().collect();
    for [from, to] in path.array_windows() {
        let steps = (from.distance(to) / resolution).ceil().clamp(1.0, 1e6) as u32;
        for step in 1..steps {
            let share = f64::from(step) / f64::from(steps);
            all.push(Pose {
                x: from.x + (to.x - from.x) * share,
                y: from.y + (to.y - from.y) * share,
                ..*to
            });
        }
        all.push(*to);
    }
    all
}
