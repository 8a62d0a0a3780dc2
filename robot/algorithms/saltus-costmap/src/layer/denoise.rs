//! The layer that removes small groups of obstacles.

use super::{Layer, Situation};
use crate::{
    area::{Area, Bounds},
    cells::Cell,
    cost::{FREE, INSCRIBED, UNKNOWN},
    grid::Costmap,
};

/// The layer that removes small groups of obstacle cells of the layers before it, which are sensor noise. It belongs before the
/// inflation layer.
///
/// Source: `nav2_costmap_2d::DenoiseLayer`.
#[derive(Clone, Copy, Debug)]
pub struct DenoiseLayer {
    min_group: usize,
    has_corners: bool,
}

impl DenoiseLayer {
    /// Creates a layer that removes groups of fewer than `min_group` cells. With `has_corners`, cells that touch only at a corner belong
    /// to the same group.
    pub fn new(min_group: usize, has_corners: bool) -> Self {
        Self { min_group, has_corners }
    }

    /// Returns the neighbours of a cell within an area.
    fn neighbours(self, (column, row): Cell, area: Area) -> impl Iterator<Item = Cell> {
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
        if self.min_group < 2 || area.is_empty() {
            return;
        }
        // In a costmap whose default is unknown, an unknown cell is no obstacle.
        let has_unknown = map.default_cost() == UNKNOWN;
        let is_obstacle = |cost: u8| cost >= INSCRIBED && !(cost == UNKNOWN && has_unknown);
        let mut visited = vec![false; map.costs().len()];
        for start in
            (area.bottom..area.top).flat_map(|row| (area.left..area.right).map(move |column| (column, row)))
        {
            let (mut group, mut open) = (Vec::new(), vec![start]);
            while let Some(cell) = open.pop() {
                let index = map.index(cell);
                if visited[index] || !is_obstacle(map.cost(cell)) {
                    continue;
                }
                visited[index] = true;
                group.push(cell);
                open.extend(self.neighbours(cell, area));
            }
            if group.len() < self.min_group {
                group.into_iter().for_each(|cell| map.set(cell, FREE));
            }
        }
    }

    fn reset(&mut self) {}
}
