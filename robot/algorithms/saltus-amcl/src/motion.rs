//! How particles move.

use std::f64::consts::PI;

use saltus_motion::{Pose, wrapped};

use crate::random::Random;

/// How a robot drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionModel {
    /// It turns, drives straight on, and turns.
    #[default]
    Differential,
    /// It can also drive aside.
    Omni,
}

/// How wrong its odometry is. These are variances per unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionNoise {
    /// Of turning by turning.
    pub alpha1: f64,
    /// Of turning by driving.
    pub alpha2: f64,
    /// Of driving by driving.
    pub alpha3: f64,
    /// Of driving by turning.
    pub alpha4: f64,
    /// Of driving aside by driving.
    pub alpha5: f64,
}

impl Default for MotionNoise {
    fn default() -> Self {
        Self { alpha1: 0.2, alpha2: 0.2, alpha3: 0.2, alpha4: 0.2, alpha5: 0.2 }
    }
}

/// A motion, as the odometry says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// The heading before it.
    heading: f64,
    /// The way in metres, and its direction.
    way: f64,
    direction: f64,
    /// By how much the heading changed.
    turn: f64,
}

impl Motion {
    pub(crate) fn between(before: &Pose, after: &Pose) -> Self {
        Self {
            heading: before.yaw,
            way: before.distance(after),
            direction: (after.y - before.y).atan2(after.x - before.x),
            turn: wrapped(after.yaw - before.yaw),
        }
    }

    /// Moves a particle, and a little differently.
    pub(crate) fn apply(
        &self,
        model: MotionModel,
        noise: &MotionNoise,
        pose: &mut Pose,
        random: &mut Random,
    ) {
        match model {
            MotionModel::Differential => self.differential(noise, pose, random),
            MotionModel::Omni => self.omni(noise, pose, random),
        }
    }

    fn differential(&self, noise: &MotionNoise, pose: &mut Pose, random: &mut Random) {
        // The direction of a tiny way says nothing.
        let first = if self.way < 0.01 { 0.0 } else { wrapped(self.direction - self.heading) };
        let second = wrapped(self.turn - first);
        // Backward motion is no turn.
        let size = |turn: f64| turn.abs().min(wrapped(turn - PI).abs());
        let (one, two, way) = (size(first).powi(2), size(second).powi(2), self.way.powi(2));
        let deviation = |variance: f64| variance.max(0.0).sqrt();
        let first = first - random.normal(deviation(noise.alpha1 * one + noise.alpha2 * way));
        let way_noise = deviation(noise.alpha3 * way + noise.alpha4 * (one + two));
        let driven = self.way - random.normal(way_noise);
        let second = second - random.normal(deviation(noise.alpha1 * two + noise.alpha2 * way));
        let direction = pose.yaw + first;
        pose.x += driven * direction.cos();
        pose.y += driven * direction.sin();
        pose.yaw = wrapped(direction + second);
    }

    fn omni(&self, noise: &MotionNoise, pose: &mut Pose, random: &mut Random) {
        let (way, turn) = (self.way.powi(2), self.turn.powi(2));
        let deviation = |variance: f64| variance.max(0.0).sqrt();
        let driven = self.way + random.normal(deviation(noise.alpha3 * way + noise.alpha4 * turn));
        let turned = self.turn + random.normal(deviation(noise.alpha1 * turn + noise.alpha2 * way));
        let aside = random.normal(deviation(noise.alpha4 * turn + noise.alpha5 * way));
        let (sine, cosine) = (wrapped(self.direction - self.heading) + pose.yaw).sin_cos();
        pose.x += driven * cosine + aside * sine;
        pose.y += driven * sine - aside * cosine;
        pose.yaw = wrapped(pose.yaw + turned);
    }
}
