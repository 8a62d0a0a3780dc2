//! The input of critics.

use std::{cell::OnceCell, time::Duration};

use saltus_costmap::{Cell, Costmap, Footprint};
use saltus_motion::{Pose, Velocity};

use crate::distances::{CellDistances, path_cells};

/// The input of critics in each cycle. Poses are in the frame of the costmap.
#[derive(Debug)]
pub struct Context<'a> {
    /// The costs around the robot.
    pub map: &'a Costmap,
    /// The footprint of the robot.
    pub footprint: &'a Footprint,
    /// The pose of the robot.
    pub robot: Pose,
    /// The velocity of the robot.
    pub velocity: Velocity,
    /// The end of the whole path.
    pub goal: Pose,
    /// The part of the path near the robot.
    pub path: &'a [Pose],
    /// The time of the cycle, since a fixed start.
    pub now: Duration,
    path_distances: OnceCell<Option<CellDistances>>,
    end_distances: OnceCell<Option<CellDistances>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(situation: &saltus_motion::Situation<'a>, goal: Pose, path: &'a [Pose]) -> Self {
        Self {
            map: situation.map,
            footprint: situation.footprint,
            robot: situation.robot,
            velocity: situation.velocity,
            goal,
            path,
            now: situation.now,
            path_distances: OnceCell::new(),
            end_distances: OnceCell::new(),
        }
    }

    /// Returns the distance of each cell to the path; `None` if no part of it is in the costmap.
    pub(crate) fn path_distances(&self) -> Option<&CellDistances> {
        let distances = || {
            let cells = path_cells(self.map, self.path);
            (!cells.is_empty()).then(|| CellDistances::new(self.map, &cells))
        };
        self.path_distances.get_or_init(distances).as_ref()
    }

    /// Returns the distance of each cell to the last cell of the path in the costmap; `None` if no part of the path is in it.
    pub(crate) fn end_distances(&self) -> Option<&CellDistances> {
        self.end_distances.get_or_init(|| self.distances_to_last(self.path)).as_ref()
    }

    /// Returns the distance of each cell to the last cell of a path in the costmap.
    pub(crate) fn distances_to_last(&self, path: &[Pose]) -> Option<CellDistances> {
        let last: Cell = *path_cells(self.map, path).last()?;
        Some(CellDistances::new(self.map, &[last]))
    }
}
