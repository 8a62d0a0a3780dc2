//! The part of the path that counts.

use std::ops::Range;

use saltus_costmap::Costmap;
use saltus_motion::{Pose, path};

/// The part of the path that counts, relative to the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The distance behind the robot at which it begins, in metres; the edge of the costmap if `None`.
    pub behind: Option<f64>,
    /// The distance before the robot at which it ends, in metres; the edge of the costmap if `None`.
    pub ahead: Option<f64>,
    /// The length of the part of the path in which the robot is searched, in metres; the whole path if it is negative.
    pub search: f64,
}

impl Default for Window {
    fn default() -> Self {
        Self { behind: Some(2.0), ahead: Some(2.0), search: 2.0 }
    }
}

impl Window {
    /// Returns the indices of the poses of a path that count, from the index `start` on. Poses outside of the costmap do not count.
    pub(crate) fn select(&self, map: &Costmap, robot: &Pose, path: &[Pose], start: usize) -> Range<usize> {
        let start = start.min(path.len());
        let rest = &path[start..];
        let (width, height) = map.size();
        let half = f64::from(width.max(height)) * map.resolution() / 2.0;
        let limit = |distance: Option<f64>| distance.map_or(half, |distance| distance.min(half));
        let searched = path::index_after(rest, if self.search < 0.0 { f64::INFINITY } else { self.search });
        let is_near = |pose: &Pose| pose.distance(robot) < limit(self.behind);
        let first = rest[..searched].iter().position(is_near).unwrap_or(searched);
        let is_far = |pose: &Pose| pose.distance(robot) > limit(self.ahead);
        let count = rest[first..].iter().position(is_far).unwrap_or(rest.len() - first);
        start + first..start + first + count
    }
}
