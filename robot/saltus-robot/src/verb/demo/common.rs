//! Code that the demos have in common.

use saltus::Context;

/// Reads how many times as fast as real time.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| (1e-3..=1e3).contains(factor));
    factor.ok_or_else(|| "expected a number from 0.001 to 1000".into())
}

/// Shuts the context down: when one part of the demo ends, also by a panic, all do.
pub(super) struct ShutDownOnDrop<'a>(pub(super) &'a Context);

impl Drop for ShutDownOnDrop<'_> {
    fn drop(&mut self) {
        self.0.shut_down();
    }
}
