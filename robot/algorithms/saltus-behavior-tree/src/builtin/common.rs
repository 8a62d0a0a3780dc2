//! Parts that several nodes share.

use crate::{error::TickError, status::Status, tree::Tick};

/// The result of a tick.
pub(super) type Outcome = Result<Status, TickError>;

/// Ticks the only child, and resets it when it is done.
pub(super) fn decorated<C>(tick: &mut Tick<'_, C>) -> Outcome {
    let status = tick.tick_child(0)?;
    if status.is_completed() {
        tick.halt_child(0);
    }
    Ok(status)
}
