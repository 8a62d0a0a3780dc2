//! CellDistances between cells.

use saltus_costmap::{Cell, Costmap, UNKNOWN};
use saltus_motion::Pose;

/// The distance of each cell to the nearest one of some cells, in steps between neighbours along the axes. Obstacles do not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellDistances(Vec<u32>);

impl CellDistances {
    /// Computes the distances to `cells`, which must not be empty.
    pub(crate) fn new(map: &Costmap, cells: &[Cell]) -> Self {
        let width = map.size().0 as usize;
        // Larger than any distance, and adding one does not overflow.
        let mut distances = vec![u32::MAX / 2; map.costs().len()];
        cells.iter().for_each(|cell| distances[map.index(*cell)] = 0);
        let mut lower = |index: usize, neighbour: usize| {
            distances[index] = distances[index].min(distances[neighbour] + 1);
        };
        let count = map.costs().len();
        // The first pass spreads distances to the right and upward, and the second pass to the left and downward.
        for index in 0..count {
            if index % width > 0 {
                lower(index, index - 1);
            }
            if index >= width {
                lower(index, index - width);
            }
        }
        for index in (0..count).rev() {
            if index % width < width - 1 {
                lower(index, index + 1);
            }
            if index + width < count {
                lower(index, index + width);
            }
        }
        Self(distances)
    }

    /// Returns the distance of a cell, by its index in the costmap.
    pub(crate) fn get(&self, index: usize) -> f64 {
        self.0.get(index).copied().map_or(0.0, f64::from)
    }
}

/// Returns the cells of a path, from the first pose in a known cell of the costmap to the last pose before the path leaves the costmap or
/// enters an unknown cell.
pub(crate) fn path_cells(map: &Costmap, path: &[Pose]) -> Vec<Cell> {
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

/// Inserts poses into a path, so that neighbours are at most about one cell apart. `resolution` is the edge length of a cell, in metres.
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
