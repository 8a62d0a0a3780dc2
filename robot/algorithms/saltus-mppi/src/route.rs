//! The part of the path that counts.

use saltus_costmap::Costmap;
use saltus_motion::{Pose, path::index_after, wrapped};

use crate::settings::{Inversion, MppiSettings};

/// The progress of the robot along its path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// The index of the nearest pose to the robot in the last cycle.
    passed: usize,
    /// The index of the first pose of the current leg. A leg is a part of the path without a reversal.
    leg: usize,
}

impl Route {
    /// Returns the part of a path that counts: from the nearest pose to the robot to the limit of the settings or the edge of the costmap.
    /// It is empty if the robot is outside of the costmap.
    pub(crate) fn ahead<'a>(
        &mut self,
        path: &'a [Pose],
        robot: &Pose,
        map: &Costmap,
        settings: &MppiSettings,
    ) -> &'a [Pose] {
        let mut end = path.len();
        if let Some(inversion) = settings.inversion {
            end = self.end_of_leg(path);
            let is_passed = |end: usize, passed: usize| {
                end < path.len() && (end <= passed || is_at(&path[end - 1], robot, inversion))
            };
            while is_passed(end, self.passed) {
                self.leg = end;
                end = self.end_of_leg(path);
            }
            self.passed = self.passed.max(self.leg);
        }
        let begin = self.passed.min(end);
        let leg = &path[begin..end];
        let (width, height) = map.size();
        let half = f64::from(width.max(height)) * map.resolution() / 2.0;
        let search = settings.max_robot_pose_search_dist.unwrap_or(half);
        let searched = &leg[..index_after(leg, search).max(1).min(leg.len())];
        let nearest = saltus_motion::path::nearest(searched, robot).unwrap_or(0);
        self.passed = begin + nearest;
        let ahead = &leg[nearest..];
        let ahead = &ahead[..index_after(ahead, settings.prune_distance)];
        let outside = ahead.iter().position(|pose| map.cell_at([pose.x, pose.y]).is_none());
        &ahead[..outside.unwrap_or(ahead.len())]
    }

    /// Returns the index after the last pose of the current leg.
    fn end_of_leg(&self, path: &[Pose]) -> usize {
        let reverses = |[before, current, after]: &[Pose; 3]| {
            (current.x - before.x) * (after.x - current.x) + (current.y - before.y) * (after.y - current.y)
                < 0.0
        };
        let begin = self.leg.min(path.len());
        path[begin..].array_windows().position(reverses).map_or(path.len(), |index| begin + index + 2)
    }
}

/// Whether the robot is at a pose, within the tolerance.
fn is_at(pose: &Pose, robot: &Pose, tolerance: Inversion) -> bool {
    pose.distance(robot) <= tolerance.xy && wrapped(robot.yaw - pose.yaw).abs() <= tolerance.yaw
}
