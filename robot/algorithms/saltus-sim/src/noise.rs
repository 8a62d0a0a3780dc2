//! The random numbers of sensors.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A stream of random numbers. Each name has its own stream, so a sensor does not depend on the others.
#[derive(Clone, Debug)]
pub(crate) struct Noise(ChaCha8Rng);

impl Noise {
    /// Returns the stream of a sensor of a robot.
    pub(crate) fn new(seed: u64, robot: &str, sensor: &str) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(hash(robot).rotate_left(32) ^ hash(sensor));
        Self(random)
    }

    /// Returns a number from the normal distribution with mean 0 and this standard deviation.
    pub(crate) fn normal(&mut self, deviation: f64) -> f64 {
        if deviation == 0.0 {
            return 0.0;
        }
        let standard: f64 = StandardNormal.sample(&mut self.0);
        standard * deviation
    }
}

/// Returns the FNV-1a hash of a text, which is the same on every machine and with every compiler.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
