//! Random worlds.

use std::collections::VecDeque;

use saltus_costmap::{Cell, Costmap, FREE, Inflation, InflationSettings, LETHAL};
use saltus_motion::Pose;

use crate::{random::Random, setup::footprint};

/// A square room with walls and boxes.
#[derive(Clone, Debug)]
pub struct World {
    /// The costs of the cells: obstacles or free.
    pub map: Costmap,
}

/// The edge length of a cell, in metres.
pub(crate) const RESOLUTION: f64 = 0.05;

impl World {
    /// Creates a room of `size` x `size` cells with some random boxes.
    pub fn random(random: &mut Random, size: u32) -> Self {
        let mut map = Costmap::new((size, size), RESOLUTION, [0.0, 0.0], FREE);
        let mut fill = |left: u32, bottom: u32, width: u32, height: u32| {
            for row in bottom..(bottom + height).min(size) {
                (left..(left + width).min(size)).for_each(|column| map.set((column, row), LETHAL));
            }
        };
        for index in [0, size - 1] {
            fill(index, 0, 1, size);
            fill(0, index, size, 1);
        }
        for _ in 0..3 + random.below(12) {
            let (left, bottom) = (random.below(size), random.below(size));
            fill(left, bottom, 1 + random.below(30), 1 + random.below(30));
        }
        Self { map }
    }

    /// Returns the values of an occupancy grid: 100 for obstacles, and 0 for all other cells.
    pub fn values(&self) -> Vec<i8> {
        self.map.costs().iter().map(|cost| if *cost == LETHAL { 100 } else { 0 }).collect()
    }

    /// Draws a start and a goal between which there is a path of 1.5 times the width of the robot; `None` if the poses do not fit.
    pub fn task(&self, random: &mut Random) -> Option<(Pose, Pose)> {
        let wide = self.inflated(&InflationSettings {
            // Each cell within this distance of an obstacle is blocked.
            radius: 1.5 * footprint().circumscribed_radius() + RESOLUTION,
            scaling: 0.0,
            inscribed: 1.5 * footprint().circumscribed_radius(),
        });
        let mut pick = || {
            let (width, height) = self.map.size();
            let cell = (random.below(width), random.below(height));
            let [x, y] = self.map.center(cell);
            (cell, Pose::new(x, y, random.between(-3.1, 3.1)))
        };
        let ((from, start), (to, goal)) = (pick(), pick());
        let is_far = start.distance(&goal) > 2.0;
        (is_far && connected(&wide, from, to)).then_some((start, goal))
    }

    /// Returns the costs around the obstacles.
    pub fn inflated(&self, settings: &InflationSettings) -> Costmap {
        let mut map = self.map.clone();
        let area = map.area();
        Inflation::new(settings, RESOLUTION).apply(&mut map, area);
        map
    }
}

/// Whether two cells are connected by cells below the cost of a collision, in steps along the axes.
fn connected(map: &Costmap, from: Cell, to: Cell) -> bool {
    let is_open = |cell: Cell| map.cost(cell) < 253;
    let mut seen = vec![false; map.costs().len()];
    let mut queue = VecDeque::from([from]);
    while let Some(cell) = queue.pop_front() {
        if !is_open(cell) || std::mem::replace(&mut seen[map.index(cell)], true) {
            continue;
        }
        if cell == to {
            return true;
        }
        // The room has walls, so no neighbour is outside of the map.
        queue.extend([
            (cell.0 - 1, cell.1),
            (cell.0 + 1, cell.1),
            (cell.0, cell.1 - 1),
            (cell.0, cell.1 + 1),
        ]);
    }
    false
}
