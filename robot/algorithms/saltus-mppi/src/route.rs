//! The part of the path that counts.

use saltus_costmap::Costmap;
use saltus_motion::{Pose, path::place_after, wrapped};

use crate::settings::{Inversion, MppiSettings};

/// Where on its path the robot is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// The place on the path where the robot was last.
    passed: usize,
    /// Where the part begins that leads in one direction.
    leg: usize,
}

impl Route {
    /// Returns the part of a path that counts: from the pose nearest to the robot, as far as the settings and the costmap reach. It is
    /// empty if the robot is outside of the costmap.
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
        let seen = &leg[..place_after(leg, search).max(1).min(leg.len())];
        let nearest = saltus_motion::path::nearest(seen, robot).unwrap_or(0);
        self.passed = begin + nearest;
        let ahead = &leg[nearest..];
        let ahead = &ahead[..place_after(ahead, settings.prune_distance)];
        let outside = ahead.iter().position(|pose| map.cell_at([pose.x, pose.y]).is_none());
        &ahead[..outside.unwrap_or(ahead.len())]
    }

    /// Returns the place after the last pose of the part that leads in one direction.
    fn end_of_leg(&self, path: &[Pose]) -> usize {
        let turns = |[before, at, after]: &[Pose; 3]| {
            (at.x - before.x) * (after.x - at.x) + (at.y - before.y) * (after.y - at.y) < 0.0
        };
        let begin = self.leg.min(path.len());
        path[begin..].array_windows().position(turns).map_or(path.len(), |place| begin + place + 2)
    }
}

fn is_at(pose: &Pose, robot: &Pose, near: Inversion) -> bool {
    pose.distance(robot) <= near.xy && wrapped(robot.yaw - pose.yaw).abs() <= near.yaw
}
