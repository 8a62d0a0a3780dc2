//! Inflation: costs around obstacles.

use crate::{
    area::Area,
    cost::{FREE, INSCRIBED, LETHAL, UNKNOWN},
    grid::Costmap,
};

/// A table of the costs around obstacles by the distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflation {
    /// The largest distance from an obstacle to a cell with a cost, in cells.
    reach: u32,
    /// The costs, by the square of the distance in cells.
    costs: Vec<u8>,
    unknown: UnknownCells,
}

/// The treatment of unknown cells by the inflation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownCells {
    /// Whether any inflated cost replaces them. Otherwise only costs of at least [`INSCRIBED`] do.
    pub are_inflated: bool,
    /// Whether they are inflated like obstacles.
    pub are_obstacles: bool,
}

/// The settings of the inflation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InflationSettings {
    /// The distance from an obstacle within which cells have a cost, in metres.
    pub radius: f64,
    /// The decay rate of costs with the distance, in 1/m.
    pub scaling: f64,
    /// The inscribed radius of the robot, in metres.
    pub inscribed: f64,
}

impl InflationSettings {
    /// Returns the cost at a distance from an obstacle, in metres.
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
            // An exponential decay from 252 to 0.
            (f64::from(INSCRIBED - 1) * (-self.scaling * (distance - self.inscribed)).exp()) as u8
        }
    }
}

/// The upper limit of the reach, in cells. A larger reach would take too much time.
const MAX_REACH: u32 = 1000;

impl Inflation {
    /// Computes the table for cells of this edge length, in metres.
    pub fn new(settings: &InflationSettings, resolution: f64) -> Self {
        // Nav2 rounds up. Rounding errors must not add a cell to a multiple of the resolution.
        let reach = ((settings.radius / resolution - 1e-9).ceil().max(0.0) as u32).min(MAX_REACH);
        let costs = (0..=reach * reach)
            .map(|squared| settings.cost(f64::from(squared).sqrt() * resolution))
            .collect();
        Self { reach, costs, unknown: UnknownCells::default() }
    }

    /// Sets the treatment of unknown cells.
    #[must_use]
    pub(crate) fn with_unknown(self, unknown: UnknownCells) -> Self {
        Self { unknown, ..self }
    }

    /// Returns the largest distance from an obstacle to a cell with a cost, in cells.
    #[cfg(test)]
    pub(crate) fn reach(&self) -> u32 {
        self.reach
    }

    /// Raises the costs of the cells of an area to the costs of the obstacles in and around it. The area must be in the grid.
    ///
    /// The distances are exact. The first pass computes the distances within each column, and the second pass combines the columns
    /// around each cell.
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
            for (index, cell) in cells.iter_mut().enumerate() {
                let column = first + index;
                let near = column.saturating_sub(reach)..(column + reach + 1).min(width);
                let squared = near.map(|other| {
                    let (across, along) = (column.abs_diff(other) as u32, distances[other]);
                    across * across + along * along
                });
                let cost = squared.min().and_then(|squared| self.costs.get(squared as usize)).copied();
                *cell = self.raised(*cell, cost.unwrap_or(FREE));
            }
        }
    }

    /// Returns for each cell of an area, extended to the columns of `around`, the distance to the nearest obstacle in its column, in
    /// cells. A distance above the reach is `reach + 1`.
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

    /// Returns the cost of a cell with the cost `old` under an inflated cost.
    fn raised(&self, old: u8, cost: u8) -> u8 {
        let least = if self.unknown.are_inflated { FREE + 1 } else { INSCRIBED };
        match old {
            UNKNOWN if cost < least => UNKNOWN,
            UNKNOWN => cost,
            old => old.max(cost),
        }
    }
}
