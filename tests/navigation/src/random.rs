//! Random numbers that are the same in each run.

/// A random number generator with its state.
///
/// Source: G. Steele et al., "Fast splittable pseudorandom number generators", 2014.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns an integer below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        (((self.next_number() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// Returns a number from the uniform distribution over [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next_number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
