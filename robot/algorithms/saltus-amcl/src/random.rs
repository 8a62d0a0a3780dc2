//! Random numbers.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A random number generator. The same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// Creates a generator from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a number from the uniform distribution over [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Returns a number from the normal distribution with mean 0 and this standard deviation.
    pub(crate) fn normal(&mut self, deviation: f64) -> f64 {
        let standard: f64 = StandardNormal.sample(&mut self.0);
        standard * deviation
    }

    /// Returns an integer below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.uniform() * limit as f64) as usize).min(limit - 1)
    }
}
