//! The error of parsing a definition.

/// The error for a definition that does not follow the grammar.
///
/// **Invariant:** `line` and `column` count from 1. `column` counts characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The path of the file, or `package/kind/Name.kind` if the text is not from a file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column: the number of the character in the line.
    pub column: usize,
    /// The expected part of the grammar.
    pub expected: String,
    /// The text that was found.
    pub found: String,
}
