//! Critics for the velocity of a trajectory.

use super::{Critic, Score};
use crate::{context::Context, trajectory::Trajectory};

/// The critic that prefers to drive forward without turning.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreferForward(pub PreferForwardSettings);

/// The settings of [`PreferForward`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreferForwardSettings {
    /// The score of a backward motion, and of a slow one without turning.
    pub penalty: f64,
    /// The speed below which a motion is slow, in m/s.
    pub slow: f64,
    /// The angular velocity below which a motion is straight, in rad/s.
    pub straight: f64,
    /// The factor of the angular velocity in the score, in s/rad.
    pub turning: f64,
}

impl Default for PreferForwardSettings {
    fn default() -> Self {
        Self { penalty: 1.0, slow: 0.1, straight: 0.2, turning: 10.0 }
    }
}

impl Critic for PreferForward {
    fn score(&self, trajectory: &Trajectory, _context: &Context<'_>) -> Score {
        let (forward, turning) = (trajectory.velocity.x, trajectory.velocity.theta.abs());
        let is_slow = forward < self.0.slow && turning < self.0.straight;
        Ok(if forward < 0.0 || is_slow { self.0.penalty } else { turning * self.0.turning })
    }
}

/// The critic that prefers not to turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Twirling;

impl Critic for Twirling {
    fn score(&self, trajectory: &Trajectory, _context: &Context<'_>) -> Score {
        Ok(trajectory.velocity.theta.abs())
    }
}
