//! Random numbers.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A generator of random numbers: the same seed gives the same ones on each machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a number from 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.0.random()
    }

    /// Returns a normally distributed number with this standard deviation.
    pub(crate) fn normal(&mut self, deviation: f64) -> f64 {
        let standard: f64 = StandardNormal.sample(&mut self.0);
        standard * deviation
    }

    /// Returns a number below a limit, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.share() * limit as f64) as usize).min(limit - 1)
    }
}
