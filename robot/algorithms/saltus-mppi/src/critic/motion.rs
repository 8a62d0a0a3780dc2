//! Critics for velocities.

use super::{Critic, Weight, add_costs, mean};
use crate::{Trajectory, scene::Scene, settings::MotionModel};

/// The critic for velocities outside of the limits, integrated over the time of the motion. For a car, arcs that are too narrow count as
/// well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintCritic {
    /// The weight.
    pub weight: Weight,
    /// The highest velocity forward, in m/s.
    pub vx_max: f64,
    /// The lowest velocity forward, in m/s.
    pub vx_min: f64,
    /// The highest velocity sideways, in m/s; 0 for a robot that cannot drive sideways.
    pub vy_max: f64,
}

impl Default for ConstraintCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(4.0), vx_max: 0.5, vx_min: -0.35, vy_max: 0.0 }
    }
}

impl Critic for ConstraintCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        let max_speed = self.vx_max.hypot(self.vy_max) as f32;
        let min_speed = (if self.vx_min > 0.0 { 1.0 } else { -1.0 }) * self.vx_min.hypot(self.vy_max) as f32;
        let excess = |speed: f32| (speed - max_speed).max(0.0) + (min_speed - speed).max(0.0);
        let speed = |vx: f32, vy: f32| if vx > 0.0 { vx.hypot(vy) } else { -vx.hypot(vy) };
        add_costs(scene, costs, self.weight, |Trajectory { vx, vy, wz, .. }| {
            let sum: f32 = match scene.model {
                MotionModel::Differential => vx.iter().map(|vx| excess(*vx)).sum(),
                MotionModel::Omni => vx.iter().zip(vy).map(|(vx, vy)| excess(speed(*vx, *vy))).sum(),
                MotionModel::Ackermann { min_turning_radius } => {
                    // A robot that does not turn has no radius.
                    let narrow = |vx: f32, wz: f32| match wz == 0.0 {
                        true => 0.0,
                        false => (min_turning_radius as f32 - (vx / wz).abs()).max(0.0),
                    };
                    vx.iter().zip(wz).map(|(vx, wz)| excess(*vx) + narrow(*vx, *wz)).sum()
                }
            };
            sum * scene.time
        })
    }
}

/// The critic for the distance that the robot drives backward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreferForwardCritic {
    /// The weight.
    pub weight: Weight,
    /// The distance to the goal above which the critic counts, in metres.
    pub threshold: f64,
}

impl Default for PreferForwardCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(5.0), threshold: 0.5 }
    }
}

impl Critic for PreferForwardCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.is_near_goal(self.threshold as f32) {
            return true;
        }
        add_costs(scene, costs, self.weight, |motion| {
            motion.vx.iter().map(|vx| (-vx).max(0.0)).sum::<f32>() * scene.time
        })
    }
}

/// The critic for the mean angular speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwirlingCritic {
    /// The weight.
    pub weight: Weight,
}

impl Default for TwirlingCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(10.0) }
    }
}

impl Critic for TwirlingCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        if scene.is_near_goal(scene.tolerance) {
            return true;
        }
        add_costs(scene, costs, self.weight, |motion| mean(motion.wz.iter().map(|wz| wz.abs())))
    }
}

/// The critic for velocities in the deadband of the drive, integrated over the time of the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityDeadbandCritic {
    /// The weight.
    pub weight: Weight,
    /// The velocities at which the robot begins to move: forward, sideways, and turning, in m/s and rad/s.
    pub deadband: [f64; 3],
}

impl Default for VelocityDeadbandCritic {
    fn default() -> Self {
        Self { weight: Weight::linear(35.0), deadband: [0.0; 3] }
    }
}

impl Critic for VelocityDeadbandCritic {
    fn score(&mut self, scene: &Scene<'_>, costs: &mut [f32]) -> bool {
        let [x, y, theta] = self.deadband.map(|velocity| velocity.abs() as f32);
        let missing =
            |values: &[f32], least: f32| values.iter().map(|v| (least - v.abs()).max(0.0)).sum::<f32>();
        add_costs(scene, costs, self.weight, |Trajectory { vx, vy, wz, .. }| {
            let sideways = if scene.model.is_holonomic() { missing(vy, y) } else { 0.0 };
            (missing(vx, x) + sideways + missing(wz, theta)) * scene.time
        })
    }
}
