//! Functions that both ends of a measurement use.

use std::time::Duration;

use saltus::executor::WaitStrategy;

type Error = Box<dyn std::error::Error>;

/// The longest time that each end waits for the other end.
pub(crate) const MATCH: Duration = Duration::from_secs(10);

pub(crate) fn parse_wait(word: &str) -> Result<WaitStrategy, Error> {
    match word {
        "block" => Ok(WaitStrategy::Block),
        "adaptive" => Ok(WaitStrategy::Adaptive),
        "spin" => Ok(WaitStrategy::Spin),
        other => Err(format!("expected block, adaptive or spin, found `{other}`").into()),
    }
}
