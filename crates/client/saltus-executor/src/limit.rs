//! How long a pass of an executor may last.

use saltus_node::monotonic_now;

/// How long a pass may last.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    /// Until everything that is ready has run.
    None,
    /// Until one callback has run.
    One,
    /// Until this monotonic time in nanoseconds. The callback that runs then is the last one.
    Until(u64),
}

impl Limit {
    /// Whether no callback may begin after so many have run.
    #[inline]
    pub(crate) fn is_reached(self, ran: u64) -> bool {
        match self {
            Self::None => false,
            Self::One => ran > 0,
            Self::Until(deadline) => monotonic_now() >= deadline,
        }
    }
}
