//! The common part of the rows of a table.

/// The subject of a row of a table.
pub(super) trait Measured {
    /// Its name in the table.
    fn name(&self) -> String;
    /// Whether it is not Saltus.
    fn is_peer(&self) -> bool;
}
