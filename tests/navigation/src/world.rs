//! Random worlds.

use std::collections::VecDeque;

use saltus_costmap::{Cell, Costmap, FREE, Inflation, InflationSettings, LETHAL};
use saltus_motion::Pose;

use crate::{random::Random, setup::footprint};

/// A room with walls around, and boxes in it.
#[derive(Clone, Debug)]
pub struct World {
    /// The cells: obstacles, or free.
    pub map: Costmap,
}

/// The edge of a cell.
pub(crate) const RESOLUTION: f64 = 0.05;

impl World {
    /// Returns a room with as many cells in each direction, and some boxes in it.
    pub fn random(random: &mut Random, size: u32) -> Self {
        let mut map = Costmap::new((size, size), RESOLUTION, [0.0, 0.0], FREE);
        let mut fill = |left: u32, bottom: u32, width: u32, height: u32| {
            for row in bottom..(bottom + height).min(size) {
                (left..(left + width).min(size)).for_each(|column| map.set((column, row), LETHAL));
            }
        };
        for place in [0, size - 1] {
            fill(place, 0, 1, size);
            fill(0, place, size, 1);
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

    /// Returns two poses between which there is a path that is as wide as 1.5 times the robot; `None` if none was found.
    pub fn task(&self, random: &mut Random) -> Option<(Pose, Pose)> {
        let wide = self.inflated(&InflationSettings {
            // Each cell with a distance up to this one is closed.
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

/// Whether there is a way from a cell to another one over cells beside each other that are free of costs.
fn connected(map: &Costmap, from: Cell, to: Cell) -> bool {
    let is_open = |cell: Cell| map.cost(cell) < 253;
    let mut seen = vec![false; map.costs().len()];
    let mut queue = VecDeque::from([from]);
    while let Some(cell) = queue.pop_front() {
        if !is_open(cell) || std::mem::replace(&mut seen[map.place(cell)], true) {
            continue;
        }
        if cell == to {
            return true;
        }
        // The walls are around, so no neighbour is outside.
        queue.extend([
            (cell.0 - 1, cell.1),
            (cell.0 + 1, cell.1),
            (cell.0, cell.1 - 1),
            (cell.0, cell.1 + 1),
        ]);
    }
    false
}
