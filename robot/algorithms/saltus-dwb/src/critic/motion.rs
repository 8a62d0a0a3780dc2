//! How a robot should move, wherever it is.

use super::{Critic, Score};
use crate::{context::Context, trajectory::Trajectory};

/// Prefers to drive forward, and not to turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreferForward(pub PreferForwardSettings);

/// How much is worse than to drive forward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreferForwardSettings {
    /// The score of a backward motion, and of a slow one without turning.
    pub penalty: f64,
    /// Below this, a motion is slow, in m/s.
    pub slow: f64,
    /// Below this, it does not turn, in rad/s.
    pub straight: f64,
    /// The score of turning, in s/rad.
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

/// Prefers not to turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Twirling;

impl Critic for Twirling {
    fn score(&self, trajectory: &Trajectory, _context: &Context<'_>) -> Score {
        Ok(trajectory.velocity.theta.abs())
    }
}
