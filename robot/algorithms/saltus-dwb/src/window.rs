//! The part of the path near the robot.

use std::ops::Range;

use saltus_costmap::Costmap;
use saltus_motion::{Pose, path};

/// Which part of the path counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// How far behind the robot it begins, in metres; without limit if `None`.
    pub behind: Option<f64>,
    /// How far before the robot it ends, in metres; at the edge of the costmap if `None`.
    pub ahead: Option<f64>,
    /// How far along the path the robot is looked for, in metres; everywhere if it is negative.
    pub search: f64,
}

impl Default for Window {
    fn default() -> Self {
        Self { behind: Some(2.0), ahead: Some(2.0), search: 2.0 }
    }
}

impl Window {
    /// Returns the part of a path that counts, from `start` on. Nothing outside of the costmap counts.
    pub(crate) fn of(&self, map: &Costmap, robot: &Pose, path: &[Pose], start: usize) -> Range<usize> {
        let start = start.min(path.len());
        let rest = &path[start..];
        let (width, height) = map.size();
        let half = f64::from(width.max(height)) * map.resolution() / 2.0;
        let limit = |distance: Option<f64>| distance.map_or(half, |distance| distance.min(half));
        let searched = path::place_after(rest, if self.search < 0.0 { f64::INFINITY } else { self.search });
        let is_near = |pose: &Pose| pose.distance(robot) < limit(self.behind);
        let first = rest[..searched].iter().position(is_near).unwrap_or(searched);
        let is_far = |pose: &Pose| pose.distance(robot) > limit(self.ahead);
        let count = rest[first..].iter().position(is_far).unwrap_or(rest.len() - first);
        start + first..start + first + count
    }
}
