//! What they have in common.

use crate::{error::TickError, status::Status, tree::Tick};

/// What a tick returns.
pub(super) type Outcome = Result<Status, TickError>;

/// Ticks the only child, and resets it when it is done.
pub(super) fn decorated<C>(tick: &mut Tick<'_, C>) -> Outcome {
    let status = tick.tick_child(0)?;
    if status.is_completed() {
        tick.halt_child(0);
    }
    Ok(status)
}
