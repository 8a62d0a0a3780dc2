//! The motion models of the particles.
//!
//! Source: S. Thrun, W. Burgard, D. Fox, "Probabilistic Robotics", 2005, and `nav2_amcl`.

use std::f64::consts::PI;

use saltus_motion::{Pose, wrapped};

use crate::random::Random;

/// The motion model of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionModel {
    /// A differential drive: each motion is a turn, a straight motion and a second turn.
    #[default]
    Differential,
    /// An omnidirectional drive, which also moves sideways.
    Omni,
}

/// The noise of the odometry, as the factors between the square of a motion and the variance that it adds. A turn is in radians, and a
/// translation in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionNoise {
    /// The variance of the turn per squared turn.
    pub alpha1: f64,
    /// The variance of the turn per squared translation, in rad²/m².
    pub alpha2: f64,
    /// The variance of the translation per squared translation.
    pub alpha3: f64,
    /// The variance of the translation per squared turn, in m²/rad².
    pub alpha4: f64,
    /// The variance of the sideways translation per squared translation, for the omnidirectional model.
    pub alpha5: f64,
}

impl Default for MotionNoise {
    fn default() -> Self {
        Self { alpha1: 0.2, alpha2: 0.2, alpha3: 0.2, alpha4: 0.2, alpha5: 0.2 }
    }
}

/// The motion between two poses of the odometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OdometryMotion {
    /// The heading before the motion.
    heading: f64,
    /// The length of the translation in metres, and its direction.
    translation: f64,
    direction: f64,
    /// The change of the heading, in radians.
    turn: f64,
}

impl OdometryMotion {
    /// Returns the motion from one pose to another.
    pub(crate) fn between(before: &Pose, after: &Pose) -> Self {
        Self {
            heading: before.yaw,
            translation: before.distance(after),
            direction: (after.y - before.y).atan2(after.x - before.x),
            turn: wrapped(after.yaw - before.yaw),
        }
    }

    /// Moves a particle by this motion with random noise.
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
        // The direction of a tiny translation is only noise.
        let first = if self.translation < 0.01 { 0.0 } else { wrapped(self.direction - self.heading) };
        let second = wrapped(self.turn - first);
        // Backward motion does not count as a turn of 180 degrees.
        let size = |turn: f64| turn.abs().min(wrapped(turn - PI).abs());
        let (one, two) = (size(first).powi(2), size(second).powi(2));
        let squared = self.translation.powi(2);
        let deviation = |variance: f64| variance.max(0.0).sqrt();
        let first = first - random.normal(deviation(noise.alpha1 * one + noise.alpha2 * squared));
        let translation_noise = deviation(noise.alpha3 * squared + noise.alpha4 * (one + two));
        let driven = self.translation - random.normal(translation_noise);
        let second = second - random.normal(deviation(noise.alpha1 * two + noise.alpha2 * squared));
        let direction = pose.yaw + first;
        pose.x += driven * direction.cos();
        pose.y += driven * direction.sin();
        pose.yaw = wrapped(direction + second);
    }

    fn omni(&self, noise: &MotionNoise, pose: &mut Pose, random: &mut Random) {
        let (squared, turn) = (self.translation.powi(2), self.turn.powi(2));
        let deviation = |variance: f64| variance.max(0.0).sqrt();
        let driven =
            self.translation + random.normal(deviation(noise.alpha3 * squared + noise.alpha4 * turn));
        let turned = self.turn + random.normal(deviation(noise.alpha1 * turn + noise.alpha2 * squared));
        let sideways = random.normal(deviation(noise.alpha4 * turn + noise.alpha5 * squared));
        let (sine, cosine) = (wrapped(self.direction - self.heading) + pose.yaw).sin_cos();
        pose.x += driven * cosine + sideways * sine;
        pose.y += driven * sine - sideways * cosine;
        pose.yaw = wrapped(pose.yaw + turned);
    }
}
