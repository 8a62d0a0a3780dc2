//! What the rows of a table have in common.

/// What a row of a table measures.
pub(super) trait Measured {
    /// Its name in the table.
    fn name(&self) -> String;
    /// Whether it is not Saltus.
    fn is_peer(&self) -> bool;
}
