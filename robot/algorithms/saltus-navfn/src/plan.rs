//! The planner: it plans a path between two points.

use saltus_costmap::{Cell, Costmap, FREE};

use crate::potential::{FAR, PotentialField};

/// The settings of the planner. The names are those of the parameters of `nav2_navfn_planner`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NavFnSettings {
    /// Whether A* is used, which visits cells near the goal first. Otherwise it is Dijkstra's algorithm.
    pub use_astar: bool,
    /// Whether paths may go through unknown cells.
    pub allow_unknown: bool,
    /// The largest distance from the goal at which a path may end if the goal cannot be reached, in metres.
    pub tolerance: f64,
}

impl Default for NavFnSettings {
    fn default() -> Self {
        Self { use_astar: false, allow_unknown: true, tolerance: 0.5 }
    }
}

/// The planner NavFn.
///
/// ```
/// use saltus_costmap::{Costmap, LETHAL};
/// use saltus_navfn::{NavFn, NavFnSettings};
/// let mut map = Costmap::new((40, 40), 0.1, [0.0, 0.0], 0);
/// (0..30).for_each(|row| map.set((20, row), LETHAL));
/// let path = NavFn(NavFnSettings::default()).plan(&map, [1.0, 1.0], [3.0, 1.0]).unwrap();
/// // It goes around the wall.
/// assert!(path.iter().any(|[_, y]| *y > 2.9));
/// assert_eq!(path[0], [1.0, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NavFn(pub NavFnSettings);

impl NavFn {
    /// Plans a path from a start to a goal. Returns its points in the frame of the map, in metres; `None` if there is no path. The cell
    /// of the start counts as free. As in Nav2, the point of a cell is its lower left corner.
    pub fn plan(&self, map: &Costmap, start: [f64; 2], goal: [f64; 2]) -> Option<Vec<[f64; 2]>> {
        let (from, to) = (cell(map, start)?, cell(map, goal)?);
        let mut map = map.clone();
        map.set(from, FREE);
        let mut field = PotentialField::new(&map, self.0.allow_unknown);
        field.spread(from, to, self.0.use_astar);
        let end = self.nearest_reached(&map, &field, goal)?;
        let path = field.path(field.index(end), field.index(from));
        let point = |[x, y]: &[f32; 2]| {
            let part = |value: f32, origin: f64| origin + f64::from(value) * map.resolution();
            [part(*x, map.origin()[0]), part(*y, map.origin()[1])]
        };
        Some(path.iter().rev().map(point).collect())
    }

    /// Returns the cell of the goal, or the nearest cell within the tolerance that was reached.
    fn nearest_reached(&self, map: &Costmap, field: &PotentialField, goal: [f64; 2]) -> Option<Cell> {
        let is_reached = |cell: &Cell| field.potentials[field.index(*cell)] < FAR;
        if let Some(cell) = cell(map, goal).filter(is_reached) {
            return Some(cell);
        }
        // The map limits the number of steps.
        let (width, height) = map.size();
        let steps = (self.0.tolerance / map.resolution()).clamp(0.0, f64::from(width.max(height))) as i32;
        let around = (-steps..=steps).flat_map(|row| (-steps..=steps).map(move |column| [column, row]));
        let point = |step: [i32; 2]| {
            let [x, y] = step.map(|step| f64::from(step) * map.resolution());
            [goal[0] + x, goal[1] + y]
        };
        let length = |step: &[i32; 2]| step[0] * step[0] + step[1] * step[1];
        let reached = around.filter(|step| cell(map, point(*step)).is_some_and(|cell| is_reached(&cell)));
        reached.min_by_key(length).and_then(|step| cell(map, point(step)))
    }
}

/// Returns the cell whose lower left corner is nearest to a point; `None` if the cell is at the edge of the map or outside.
fn cell(map: &Costmap, point: [f64; 2]) -> Option<Cell> {
    let (width, height) = map.size();
    let index = |value: f64, origin: f64, count: u32| {
        let rounded = ((value - origin) / map.resolution()).round();
        (rounded >= 1.0 && rounded < f64::from(count) - 1.0).then_some(rounded as u32)
    };
    Some((index(point[0], map.origin()[0], width)?, index(point[1], map.origin()[1], height)?))
}
