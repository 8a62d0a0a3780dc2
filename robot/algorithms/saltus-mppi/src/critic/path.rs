//! Critics for the path.

use std::f32::consts::{FRAC_PI_2, PI};

use super::{Critic, Weight, add, between};
use crate::{
    Trajectory,
    scene::{Place, Scene},
};

/// The mean distance of points of a motion from the points of the path that are as far along it. It does not count if much of the path
/// is blocked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAlignCritic {
    /// How much it counts.
    pub weight: Weight,
    /// It counts only if the goal is farther, in metres.
    pub threshold: f64,
    /// How much of the path may be blocked.
    pub max_path_occupancy_ratio: f64,
    /// It counts only if motions lead so many points along the path.
    pub offset_from_furthest: usize,
    /// Of so many points of a motion, one counts.
    pub trajectory_point_step: usize,
    /// Whether the headings of the path count.
    pub use_path_orientations: bool,
}

impl Default for PathAlignCritic {
    fn default() -> Self {
        Self {
            weight: Weight::of(10.0),
            threshold: 0.5,
            max_path_occupancy_ratio: 0.07,
            offset_from_furthest: 20,
            trajectory_point_step: 4,
            use_path_orientations: false,
        }
    }
}

/// So many blocked points are always allowed.
const FEW: f32 = 2.0;

impl PathAlignCritic {
    fn is_blocked(&self, valid: &[bool]) -> bool {
        let blocked = valid.iter().filter(|is_valid| !**is_valid).count() as f32;
        blocked / valid.len() as f32 > self.max_path_occupancy_ratio as f32 && blocked > FEW
    }

    /// Returns the mean distance of a motion from a path, whose points have these distances from its beginning.
    fn distance(&self, motion: &Trajectory<'_>, path: &[Place], along: &[f32], valid: &[bool]) -> f32 {
        let (mut driven, mut place, mut sum, mut count) = (0.0, 0, 0.0, 0.0);
        let mut last: Option<(f32, f32)> = None;
        for step in (0..motion.x.len()).step_by(self.trajectory_point_step.max(1)) {
            let (x, y) = (motion.x[step], motion.y[step]);
            if let Some((from_x, from_y)) = last.replace((x, y)) {
                driven += (x - from_x).hypot(y - from_y);
                place = nearest_along(along, driven, place);
                if valid[place] {
                    let turn = if self.use_path_orientations {
                        between(path[place].yaw, motion.yaw[step])
                    } else {
                        0.0
                    };
                    sum += path[place].distance(x, y).hypot(turn);
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// Returns the place of the distance that is the nearest to another one, from a place on.
fn nearest_along(along: &[f32], distance: f32, from: usize) -> usize {
    let behind = along[from..].iter().position(|known| *known > distance).map(|place| from + place);
    match behind {
        None => along.len() - 1,
        Some(0) => 0,
        Some(place) if place > from && distance - along[place - 1] < along[place] - distance => place - 1,
        Some(place) => place,
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
        add(scene, costs, self.weight, |motion| self.distance(&motion, path, &along, valid))
    }
}

/// The distance of the end of a motion from a point ahead on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathFollowCritic {
    /// How much it counts.
    pub weight: Weight,
    /// It counts only if the goal is farther, in metres.
    pub threshold: f64,
    /// The point is so many points behind the furthest one that a motion comes to.
    pub offset_from_furthest: usize,
}

impl Default for PathFollowCritic {
    fn default() -> Self {
        Self { weight: Weight::of(5.0), threshold: 1.4, offset_from_furthest: 6 }
    }
}

impl Critic for PathFollowCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.path.len() < 2 || scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        let last = scene.path.len() - 1;
        let wanted = (scene.furthest() + self.offset_from_furthest).min(last);
        // Behind what blocks the path, not in it.
        let place = (wanted..last).find(|place| scene.valid()[*place]).unwrap_or(last);
        let point = scene.path[place];
        add(scene, costs, self.weight, |motion| end(&motion).map_or(0.0, |(x, y, _)| point.distance(x, y)))
    }
}

/// Returns where a motion ends, and the heading there.
fn end(motion: &Trajectory<'_>) -> Option<(f32, f32, f32)> {
    Some((*motion.x.last()?, *motion.y.last()?, *motion.yaw.last()?))
}

/// In which direction a robot is to drive along its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AngleMode {
    /// Forward.
    #[default]
    Forward,
    /// Forward or backward.
    Any,
    /// As the headings of the path say.
    OfPath,
}

/// The angle from the heading at the end of a motion to a point ahead on the path. It counts only if the robot does not look there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAngleCritic {
    /// How much it counts.
    pub weight: Weight,
    /// It counts only if the goal is farther, in metres.
    pub threshold: f64,
    /// The point is so many points behind the furthest one that a motion comes to.
    pub offset_from_furthest: usize,
    /// It counts only if the angle from the robot to the point is larger, in radians.
    pub max_angle_to_furthest: f64,
    /// In which direction the robot is to drive.
    pub mode: AngleMode,
}

impl Default for PathAngleCritic {
    fn default() -> Self {
        Self {
            weight: Weight::of(2.2),
            threshold: 0.5,
            offset_from_furthest: 4,
            max_angle_to_furthest: std::f64::consts::FRAC_PI_4,
            mode: AngleMode::Forward,
        }
    }
}

impl PathAngleCritic {
    /// Returns the angle between a heading and the direction to a point of the path.
    fn angle(&self, heading: f32, direction: f32, point: Place) -> f32 {
        let angle = between(heading, direction);
        match self.mode {
            AngleMode::Forward => angle,
            AngleMode::Any => angle.min(PI - angle),
            AngleMode::OfPath if between(direction, point.yaw) > FRAC_PI_2 => PI - angle,
            AngleMode::OfPath => angle,
        }
    }
}

impl Critic for PathAngleCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        let place = (scene.furthest() + self.offset_from_furthest).min(scene.path.len() - 1);
        let point = scene.path[place];
        if self.angle(scene.yaw, point.y.atan2(point.x), point) < self.max_angle_to_furthest as f32 {
            return true;
        }
        add(scene, costs, self.weight, |motion| {
            end(&motion).map_or(0.0, |(x, y, yaw)| self.angle(yaw, (point.y - y).atan2(point.x - x), point))
        })
    }
}
