//! Critics for the end of the path.

use std::f32::consts::PI;

use super::{Critic, Weight, add_costs, angle_between, mean};
use crate::scene::Scene;

/// The critic for the mean distance from the goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalCritic {
    /// The weight.
    pub weight: Weight,
    /// The distance to the goal below which the critic counts, in metres.
    pub threshold: f64,
}

impl Default for GoalCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(5.0), threshold: 1.4 }
    }
}

impl Critic for GoalCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if !scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        add_costs(scene, costs, self.weight, |motion| {
            mean(motion.x.iter().zip(motion.y).map(|(x, y)| scene.goal.distance(*x, *y)))
        })
    }
}

/// The critic for the mean angle to the heading of the goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalAngleCritic {
    /// The weight.
    pub weight: Weight,
    /// The distance to the goal below which the critic counts, in metres.
    pub threshold: f64,
    /// Whether the opposite heading counts as well.
    pub is_symmetric: bool,
}

impl Default for GoalAngleCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(3.0), threshold: 0.5, is_symmetric: false }
    }
}

impl Critic for GoalAngleCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        let Some(end) = scene.path.last().filter(|_| scene.is_near_goal(self.threshold as f32)) else {
            return true;
        };
        let angle = |yaw: &f32| {
            let angle = angle_between(*yaw, end.yaw);
            if self.is_symmetric { angle.min(PI - angle) } else { angle }
        };
        add_costs(scene, costs, self.weight, |motion| mean(motion.yaw.iter().map(angle)))
    }
}
