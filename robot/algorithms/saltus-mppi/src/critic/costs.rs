//! Critics for obstacles.

use super::{Critic, Weight};
use crate::{Trajectory, scene::Scene};

/// The critic for the costs below the robot. A collision has a high fixed cost, and a near collision has a higher cost than the cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostCritic {
    /// The weight, which is divided by the highest cost of a cell.
    pub weight: Weight,
    /// The cost of a point at a near collision.
    pub critical_cost: f64,
    /// The cost of a cell from which on a point is at a near collision.
    pub near_collision_cost: u8,
    /// The cost of a motion with a collision.
    pub collision_cost: f64,
    /// The distance to the goal below which only near collisions count, in metres.
    pub near_goal_distance: f64,
    /// Whether the outline of the robot is checked. Otherwise only its centre is.
    pub consider_footprint: bool,
    /// The number of steps between two points of a motion that are checked.
    pub trajectory_point_step: usize,
}

impl Default for CostCritic {
    fn default() -> Self {
        Self {
            weight: Weight::linear(3.81),
            critical_cost: 300.0,
            near_collision_cost: 253,
            collision_cost: 1e6,
            near_goal_distance: 0.5,
            consider_footprint: false,
            trajectory_point_step: 2,
        }
    }
}

/// The highest cost of a cell.
const HIGHEST: f64 = 254.0;

impl CostCritic {
    /// Returns the cost of a motion; `None` if it has a collision. `possible` is the cost from which on the outline may touch an obstacle.
    fn cost(
        &self,
        scene: &Scene<'_>,
        motion: &Trajectory<'_>,
        possible: u8,
        is_near_goal: bool,
    ) -> Option<f32> {
        let mut sum = 0.0;
        for step in (0..motion.x.len()).step_by(self.trajectory_point_step.max(1)) {
            let (x, y) = (motion.x[step], motion.y[step]);
            let cost = scene.cost(x, y);
            if cost == 0 {
                continue;
            }
            let is_outline = self.consider_footprint && cost >= possible;
            let below = if is_outline { scene.footprint_cost(x, y, motion.yaw[step]) } else { cost };
            if scene.is_collision(below, self.consider_footprint) {
                return None;
            }
            if cost >= self.near_collision_cost {
                sum += self.critical_cost as f32;
            } else if !is_near_goal {
                sum += f32::from(cost);
            }
        }
        Some(sum)
    }
}

impl Critic for CostCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        let (possible, is_near_goal) =
            (scene.possible_collision(), scene.is_near_goal(self.near_goal_distance as f32));
        let mut is_possible = false;
        for (total, motion) in costs.iter_mut().zip(scene.batch.trajectories()) {
            let points = motion.x.len().div_ceil(self.trajectory_point_step.max(1)).max(1) as f32;
            let cost = self.cost(scene, &motion, possible, is_near_goal);
            is_possible |= cost.is_some();
            let cost = cost.unwrap_or(self.collision_cost as f32);
            *total += self.weight.cost(cost / HIGHEST as f32 / points);
        }
        is_possible
    }
}

/// The critic for the distances to obstacles, which it computes from the inflated costs. It needs an inflation layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstaclesCritic {
    /// The power of the total cost.
    pub power: i32,
    /// The weight of points that are nearer to an obstacle than the margin.
    pub critical_weight: f64,
    /// The weight of points that are within the radius of the inflation.
    pub repulsion_weight: f64,
    /// The cost of a motion with a collision.
    pub collision_cost: f64,
    /// The margin, in metres.
    pub collision_margin_distance: f64,
    /// The distance to the goal below which only the margin counts, in metres.
    pub near_goal_distance: f64,
    /// Whether the outline of the robot is checked. Otherwise only its centre is.
    pub consider_footprint: bool,
}

impl Default for ObstaclesCritic {
    fn default() -> Self {
        Self {
            power: 1,
            critical_weight: 20.0,
            repulsion_weight: 1.5,
            collision_cost: 1e5,
            collision_margin_distance: 0.1,
            near_goal_distance: 0.5,
            consider_footprint: false,
        }
    }
}

/// The proximity of obstacles to a motion.
struct ObstacleProximity {
    /// The sum of the distances by which points are within the margin, in metres; the cost of a motion with a collision.
    margin: f32,
    /// The sum of the distances by which points are within the radius of the inflation, in metres.
    repulsion: f32,
    touches: bool,
}

impl ObstaclesCritic {
    fn proximity(&self, scene: &Scene<'_>, motion: &Trajectory<'_>, possible: u8) -> ObstacleProximity {
        let mut near = ObstacleProximity { margin: 0.0, repulsion: 0.0, touches: false };
        for step in 0..motion.x.len() {
            let (x, y) = (motion.x[step], motion.y[step]);
            let mut cost = scene.cost(x, y);
            let is_outline = self.consider_footprint && cost >= possible;
            if is_outline {
                cost = scene.footprint_cost(x, y, motion.yaw[step]);
            }
            if scene.is_collision(cost, self.consider_footprint) {
                return ObstacleProximity { margin: self.collision_cost as f32, touches: true, ..near };
            }
            let Some(inflation) = scene.inflation.filter(|inflation| cost > 0 && inflation.scaling > 0.0)
            else {
                continue;
            };
            // The inverse of `InflationSettings::cost`. The centre of the robot is farther away than its outline.
            let from_outline = ((253.0 / f64::from(cost)).ln() / inflation.scaling) as f32;
            let distance = if is_outline { from_outline + inflation.inscribed as f32 } else { from_outline };
            near.margin += (self.collision_margin_distance as f32 - distance).max(0.0);
            near.repulsion += inflation.radius as f32 - distance;
        }
        near
    }
}

impl Critic for ObstaclesCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        let (possible, is_near_goal) =
            (scene.possible_collision(), scene.is_near_goal(self.near_goal_distance as f32));
        let all: Vec<ObstacleProximity> =
            scene.batch.trajectories().map(|motion| self.proximity(scene, &motion, possible)).collect();
        let least = all.iter().map(|near| near.repulsion).fold(f32::INFINITY, f32::min);
        let steps = scene.batch.trajectory(0).x.len().max(1) as f32;
        for (total, near) in costs.iter_mut().zip(&all) {
            let repulsion = if is_near_goal { 0.0 } else { (near.repulsion - least) / steps };
            let cost = self.critical_weight as f32 * near.margin + self.repulsion_weight as f32 * repulsion;
            *total += Weight { weight: 1.0, power: self.power }.cost(cost);
        }
        all.iter().any(|near| !near.touches)
    }
}
