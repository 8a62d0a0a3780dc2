//! What critics are told.

use std::{cell::OnceCell, time::Duration};

use saltus_costmap::{Cell, Costmap, Footprint};
use saltus_motion::{Pose, Velocity};

use crate::distances::{Distances, cells};

/// What critics are told in each cycle. Poses are in the frame of the costmap.
#[derive(Debug)]
pub struct Context<'a> {
    /// The costs around the robot.
    pub map: &'a Costmap,
    /// What the robot covers on the ground.
    pub footprint: &'a Footprint,
    /// Where the robot is.
    pub robot: Pose,
    /// How the robot moves.
    pub velocity: Velocity,
    /// The end of the whole path.
    pub goal: Pose,
    /// The part of the path near the robot.
    pub path: &'a [Pose],
    /// The time since any start.
    pub now: Duration,
    to_path: OnceCell<Option<Distances>>,
    to_end: OnceCell<Option<Distances>>,
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
            to_path: OnceCell::new(),
            to_end: OnceCell::new(),
        }
    }

    /// Returns the distances to the path; `None` if no part of it is in the costmap.
    pub(crate) fn to_path(&self) -> Option<&Distances> {
        let distances = || {
            let cells = cells(self.map, self.path);
            (!cells.is_empty()).then(|| Distances::to(self.map, &cells))
        };
        self.to_path.get_or_init(distances).as_ref()
    }

    /// Returns the distances to the end of the path in the costmap; `None` if no part of it is there.
    pub(crate) fn to_end(&self) -> Option<&Distances> {
        self.to_end.get_or_init(|| self.to_last(self.path)).as_ref()
    }

    /// Returns the distances to the last cell of a path.
    pub(crate) fn to_last(&self, path: &[Pose]) -> Option<Distances> {
        let last: Cell = *cells(self.map, path).last()?;
        Some(Distances::to(self.map, &[last]))
    }
}
