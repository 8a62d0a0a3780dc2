//! Critics for the path.

use std::f32::consts::{FRAC_PI_2, PI};

use super::{Critic, Weight, add_costs, angle_between};
use crate::{
    Trajectory,
    scene::{RelativePose, Scene},
};

/// The critic for the mean distance between the points of a motion and the points at the same length along the path. It does not count if
/// too much of the path is blocked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAlignCritic {
    /// The weight.
    pub weight: Weight,
    /// The distance to the goal above which the critic counts, in metres.
    pub threshold: f64,
    /// The share of the path that may be blocked, from 0 to 1.
    pub max_path_occupancy_ratio: f64,
    /// The number of points of the path that the motions must pass for the critic to count.
    pub offset_from_furthest: usize,
    /// The number of steps between two points of a motion that count.
    pub trajectory_point_step: usize,
    /// Whether the headings of the path count.
    pub use_path_orientations: bool,
}

impl Default for PathAlignCritic {
    fn default() -> Self {
        Self {
            weight: Weight::linear(10.0),
            threshold: 0.5,
            max_path_occupancy_ratio: 0.07,
            offset_from_furthest: 20,
            trajectory_point_step: 4,
            use_path_orientations: false,
        }
    }
}

/// The number of blocked points that are always allowed.
const ALLOWED_BLOCKED: f32 = 2.0;

impl PathAlignCritic {
    fn is_blocked(&self, valid: &[bool]) -> bool {
        let blocked = valid.iter().filter(|is_valid| !**is_valid).count() as f32;
        blocked / valid.len() as f32 > self.max_path_occupancy_ratio as f32 && blocked > ALLOWED_BLOCKED
    }

    /// Returns the mean distance of a motion from a path. `along` has the length of the path up to each point, in metres, and `valid` whether
    /// each point is free.
    fn distance(&self, motion: &Trajectory<'_>, path: &[RelativePose], along: &[f32], valid: &[bool]) -> f32 {
        let (mut driven, mut index, mut sum, mut count) = (0.0, 0, 0.0, 0.0);
        let mut last: Option<(f32, f32)> = None;
        for step in (0..motion.x.len()).step_by(self.trajectory_point_step.max(1)) {
            let (x, y) = (motion.x[step], motion.y[step]);
            if let Some((from_x, from_y)) = last.replace((x, y)) {
                driven += (x - from_x).hypot(y - from_y);
                index = nearest_along(along, driven, index);
                if valid[index] {
                    let turn = if self.use_path_orientations {
                        angle_between(path[index].yaw, motion.yaw[step])
                    } else {
                        0.0
                    };
                    sum += path[index].distance(x, y).hypot(turn);
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// Returns the index of the value of `along` that is nearest to `distance`, from the index `from` on.
fn nearest_along(along: &[f32], distance: f32, from: usize) -> usize {
    let next = along[from..].iter().position(|known| *known > distance).map(|index| from + index);
    match next {
        None => along.len() - 1,
        Some(0) => 0,
        Some(index) if index > from && distance - along[index - 1] < along[index] - distance => index - 1,
        Some(index) => index,
    }
}

impl Critic for PathAlignCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        let count = scene.furthest();
        if count < self.offset_from_furthest.max(1) || self.is_blocked(&scene.valid()[..count]) {
            return true;
        }
        let (path, valid) = (&scene.path[..count], &scene.valid()[..count]);
        let mut along = vec![0.0_f32];
        for [from, to] in path.array_windows() {
            along.push(along.last().copied().unwrap_or_default() + to.distance(from.x, from.y));
        }
        add_costs(scene, costs, self.weight, |motion| self.distance(&motion, path, &along, valid))
    }
}

/// The critic for the distance between the end of a motion and a point ahead on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathFollowCritic {
    /// The weight.
    pub weight: Weight,
    /// The distance to the goal above which the critic counts, in metres.
    pub threshold: f64,
    /// The number of points from the furthest point that a motion reaches to the point ahead.
    pub offset_from_furthest: usize,
}

impl Default for PathFollowCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(5.0), threshold: 1.4, offset_from_furthest: 6 }
    }
}

impl Critic for PathFollowCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.path.len() < 2 || scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        let last = scene.path.len() - 1;
        let first = (scene.furthest() + self.offset_from_furthest).min(last);
        // The first free point after an obstacle on the path.
        let index = (first..last).find(|index| scene.valid()[*index]).unwrap_or(last);
        let point = scene.path[index];
        add_costs(scene, costs, self.weight, |motion| {
            end(&motion).map_or(0.0, |(x, y, _)| point.distance(x, y))
        })
    }
}

/// Returns x, y and the heading at the end of a motion.
fn end(motion: &Trajectory<'_>) -> Option<(f32, f32, f32)> {
    Some((*motion.x.last()?, *motion.y.last()?, *motion.yaw.last()?))
}

/// The direction in which a robot should drive along its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AngleMode {
    /// Forward.
    #[default]
    Forward,
    /// Forward or backward.
    Any,
    /// The direction of the headings of the path.
    OfPath,
}

/// The critic for the angle between the heading at the end of a motion and a point ahead on the path. It counts only if the robot does not
/// look toward the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAngleCritic {
    /// The weight.
    pub weight: Weight,
    /// The distance to the goal above which the critic counts, in metres.
    pub threshold: f64,
    /// The number of points from the furthest point that a motion reaches to the point ahead.
    pub offset_from_furthest: usize,
    /// The angle between the robot and the point above which the critic counts, in radians.
    pub max_angle_to_furthest: f64,
    /// The direction in which the robot should drive.
    pub mode: AngleMode,
}

impl Default for PathAngleCritic {
    fn default() -> Self {
        Self {
            weight: Weight::linear(2.2),
            threshold: 0.5,
            offset_from_furthest: 4,
            max_angle_to_furthest: std::f64::consts::FRAC_PI_4,
            mode: AngleMode::Forward,
        }
    }
}

impl PathAngleCritic {
    /// Returns the angle between a heading and the direction to a point of the path.
    fn angle(&self, heading: f32, direction: f32, point: RelativePose) -> f32 {
        let angle = angle_between(heading, direction);
        match self.mode {
            AngleMode::Forward => angle,
            AngleMode::Any => angle.min(PI - angle),
            AngleMode::OfPath if angle_between(direction, point.yaw) > FRAC_PI_2 => PI - angle,
            AngleMode::OfPath => angle,
        }
    }
}

impl Critic for PathAngleCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        let index = (scene.furthest() + self.offset_from_furthest).min(scene.path.len() - 1);
        let point = scene.path[index];
        if self.angle(scene.yaw, point.y.atan2(point.x), point) < self.max_angle_to_furthest as f32 {
            return true;
        }
        add_costs(scene, costs, self.weight, |motion| {
            end(&motion).map_or(0.0, |(x, y, yaw)| self.angle(yaw, (point.y - y).atan2(point.x - x), point))
        })
    }
}
