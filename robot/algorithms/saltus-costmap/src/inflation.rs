//! Costs around obstacles.

use crate::{
    area::Area,
    cost::{FREE, INSCRIBED, LETHAL, UNKNOWN},
    grid::Costmap,
};

/// How the costs around obstacles fall with the distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflation {
    /// How many cells away a cell with a cost may be.
    reach: u32,
    /// The costs, by the square of the distance in cells.
    costs: Vec<u8>,
    unknown: UnknownCells,
}

/// What becomes of cells of which nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownCells {
    /// Whether any cost takes their place, and not only that of a cell where the robot would touch an obstacle.
    pub are_inflated: bool,
    /// Whether there are costs around them, as around obstacles.
    pub are_obstacles: bool,
}

/// What costs around obstacles depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflationSettings {
    /// How far from an obstacle cells have a cost, in metres.
    pub radius: f64,
    /// How fast costs fall, in 1/m.
    pub scaling: f64,
    /// The inscribed radius of the robot, in metres.
    pub inscribed: f64,
}

impl InflationSettings {
    /// Returns the cost at a distance in metres.
    ///
    /// ```
    /// use saltus_costmap::{INSCRIBED, InflationSettings, LETHAL};
    /// let settings = InflationSettings { radius: 0.55, scaling: 3.0, inscribed: 0.2255 };
    /// assert_eq!([0.0, 0.2, 0.25, 0.55].map(|distance| settings.cost(distance)), [LETHAL, INSCRIBED, 234, 95]);
    /// ```
    pub fn cost(&self, distance: f64) -> u8 {
        if distance == 0.0 {
            LETHAL
        } else if distance <= self.inscribed {
            INSCRIBED
        } else {
            // It falls below 253 at once, and towards 0.
            (f64::from(INSCRIBED - 1) * (-self.scaling * (distance - self.inscribed)).exp()) as u8
        }
    }
}

/// How many cells away costs may be. More would need too much time.
const FARTHEST: u32 = 1000;

impl Inflation {
    /// Returns the costs for cells with this edge, in metres.
    pub fn new(settings: &InflationSettings, resolution: f64) -> Self {
        // Nav2 rounds up; a multiple of the resolution must not become one more by rounding errors.
        let reach = ((settings.radius / resolution - 1e-9).ceil().max(0.0) as u32).min(FARTHEST);
        let costs = (0..=reach * reach)
            .map(|squared| settings.cost(f64::from(squared).sqrt() * resolution))
            .collect();
        Self { reach, costs, unknown: UnknownCells::default() }
    }

    /// Says what becomes of cells of which nothing is known.
    #[must_use]
    pub fn with_unknown(self, unknown: UnknownCells) -> Self {
        Self { unknown, ..self }
    }

    /// Returns how many cells away cells have a cost.
    pub fn reach(&self) -> u32 {
        self.reach
    }

    /// Raises the costs of the cells of an area, which must be in the grid, to those that obstacles in and around it give. A cell of
    /// which nothing is known changes only if the robot would touch an obstacle there.
    ///
    /// The distances are exact: first those in each column, and then those of the columns around each cell.
    pub fn apply(&self, map: &mut Costmap, area: Area) {
        if area.is_empty() || self.reach == 0 {
            return;
        }
        let around = area.grown(self.reach, map.size());
        let columns = self.distances_in_columns(map, area, around);
        let width = (around.right - around.left) as usize;
        let reach = self.reach as usize;
        for row in area.bottom..area.top {
            let start = (row - area.bottom) as usize * width;
            let distances = &columns[start..start + width];
            if distances.iter().all(|distance| *distance > self.reach) {
                continue;
            }
            let first = (area.left - around.left) as usize;
            let cells = &mut map.row_mut(row)[area.left as usize..area.right as usize];
            for (place, cell) in cells.iter_mut().enumerate() {
                let column = first + place;
                let near = column.saturating_sub(reach)..(column + reach + 1).min(width);
                let squared = near.map(|other| {
                    let (aside, along) = (column.abs_diff(other) as u32, distances[other]);
                    aside * aside + along * along
                });
                let cost = squared.min().and_then(|squared| self.costs.get(squared as usize)).copied();
                *cell = self.raised(*cell, cost.unwrap_or(FREE));
            }
        }
    }

    /// Returns for each cell of some rows how far the nearest obstacle in its column is, in cells; more than the reach if it is
    /// farther.
    fn distances_in_columns(&self, map: &Costmap, area: Area, around: Area) -> Vec<u32> {
        let width = (around.right - around.left) as usize;
        let far = self.reach + 1;
        let mut distances = vec![far; width * (area.top - area.bottom) as usize];
        let mut nearest = vec![far; width];
        let mut sweep = |row: u32, nearest: &mut [u32]| {
            let cells = &map.row(row)[around.left as usize..around.right as usize];
            for (distance, cost) in nearest.iter_mut().zip(cells) {
                *distance = if self.is_obstacle(*cost) { 0 } else { (*distance + 1).min(far) };
            }
            if (area.bottom..area.top).contains(&row) {
                let start = (row - area.bottom) as usize * width;
                for (known, distance) in distances[start..start + width].iter_mut().zip(&*nearest) {
                    *known = (*known).min(*distance);
                }
            }
        };
        (around.bottom..around.top).for_each(|row| sweep(row, &mut nearest));
        nearest.fill(far);
        (around.bottom..around.top).rev().for_each(|row| sweep(row, &mut nearest));
        distances
    }

    fn is_obstacle(&self, cost: u8) -> bool {
        cost == LETHAL || (cost == UNKNOWN && self.unknown.are_obstacles)
    }

    fn raised(&self, old: u8, cost: u8) -> u8 {
        let least = if self.unknown.are_inflated { FREE + 1 } else { INSCRIBED };
        match old {
            UNKNOWN if cost < least => UNKNOWN,
            UNKNOWN => cost,
            old => old.max(cost),
        }
    }
}
