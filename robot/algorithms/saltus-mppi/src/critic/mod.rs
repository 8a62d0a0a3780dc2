//! Critics, which rate motions. Each critic adds to the cost of each motion.
//!
//! Source: `nav2_mppi_controller`, whose names and settings these are.

mod costs;
mod goal;
mod motion;
mod path;

pub use costs::{CostCritic, ObstaclesCritic};
pub use goal::{GoalAngleCritic, GoalCritic};
pub use motion::{ConstraintCritic, PreferForwardCritic, TwirlingCritic, VelocityDeadbandCritic};
pub use path::{AngleMode, PathAlignCritic, PathAngleCritic, PathFollowCritic};

use crate::scene::Scene;

/// A critic of motions.
pub trait Critic: Send {
    /// Adds to the cost of each motion of the scene. Returns whether the robot can follow at least one of them.
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool;
}

/// The weight of a critic: a value becomes the cost `(value * weight)^power`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// The factor of a value.
    pub weight: f64,
    /// The power of the product.
    pub power: i32,
}

impl Weight {
    /// Creates a weight with the power 1.
    pub const fn linear(weight: f64) -> Self {
        Self { weight, power: 1 }
    }

    /// Returns the cost of a value.
    fn cost(self, value: f32) -> f32 {
        let cost = value * self.weight as f32;
        if self.power > 1 { cost.powi(self.power) } else { cost }
    }
}

/// Adds the cost of a value of each motion. Returns true.
fn add_costs(
    scene: &Scene<'_>,
    costs: &mut [f32],
    weight: Weight,
    value: impl Fn(crate::Trajectory<'_>) -> f32,
) -> bool {
    for (cost, trajectory) in costs.iter_mut().zip(scene.batch.trajectories()) {
        *cost += weight.cost(value(trajectory));
    }
    true
}

/// Returns the mean of some values.
fn mean(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len().max(1) as f32;
    values.sum::<f32>() / count
}

/// Returns the angle between two directions, from 0 to π.
fn angle_between(one: f32, other: f32) -> f32 {
    let turn = (one - other).rem_euclid(std::f32::consts::TAU);
    turn.min(std::f32::consts::TAU - turn)
}
