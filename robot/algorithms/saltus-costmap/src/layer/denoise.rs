//! The layer that removes obstacles which are too small.

use super::{Layer, Situation};
use crate::{
    area::{Area, Bounds},
    cells::Cell,
    cost::{FREE, INSCRIBED, UNKNOWN},
    grid::Costmap,
};

/// The layer that removes groups of few obstacles of the layers before it: they are noise of a sensor. It belongs before the
/// inflation.
#[derive(Clone, Copy, Debug)]
pub struct DenoiseLayer {
    fewest: usize,
    has_corners: bool,
}

impl DenoiseLayer {
    /// Returns a layer that removes groups with less than `fewest` cells. With `has_corners`, cells that touch at a corner are in one
    /// group, too.
    pub fn new(fewest: usize, has_corners: bool) -> Self {
        Self { fewest, has_corners }
    }

    /// Returns the cells beside a cell that are in an area.
    fn beside(self, (column, row): Cell, area: Area) -> impl Iterator<Item = Cell> {
        let steps = (-1_i32..=1).flat_map(|dy| (-1_i32..=1).map(move |dx| (dx, dy)));
        let is_step = move |(dx, dy): &(i32, i32)| {
            let count = dx.abs() + dy.abs();
            count == 1 || (count == 2 && self.has_corners)
        };
        steps.filter(is_step).filter_map(move |(dx, dy)| {
            let (column, row) = (column.checked_add_signed(dx)?, row.checked_add_signed(dy)?);
            let is_within =
                (area.left..area.right).contains(&column) && (area.bottom..area.top).contains(&row);
            is_within.then_some((column, row))
        })
    }
}

impl Layer for DenoiseLayer {
    fn fit(&mut self, _map: &Costmap) {}

    fn bounds(&mut self, _map: &Costmap, _situation: &Situation<'_>, _bounds: &mut Bounds) {}

    fn write(&mut self, map: &mut Costmap, area: Area) {
        if self.fewest < 2 || area.is_empty() {
            return;
        }
        // In a costmap that is unknown at first, an unknown cell is no obstacle.
        let has_unknown = map.default_cost() == UNKNOWN;
        let is_obstacle = |cost: u8| cost >= INSCRIBED && !(cost == UNKNOWN && has_unknown);
        let mut seen = vec![false; map.costs().len()];
        for start in
            (area.bottom..area.top).flat_map(|row| (area.left..area.right).map(move |column| (column, row)))
        {
            let (mut group, mut open) = (Vec::new(), vec![start]);
            while let Some(cell) = open.pop() {
                let place = map.place(cell);
                if seen[place] || !is_obstacle(map.cost(cell)) {
                    continue;
                }
                seen[place] = true;
                group.push(cell);
                open.extend(self.beside(cell, area));
            }
            if group.len() < self.fewest {
                group.into_iter().for_each(|cell| map.set(cell, FREE));
            }
        }
    }

    fn reset(&mut self) {}
}
