//! What is wrong with a definition, and where.

/// A definition that breaks the grammar.
///
/// **Invariant:** `line` and `column` count from 1; `column` counts characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The file: its path, or `package/kind/Name.kind` if the text is not from a file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What the grammar expects there.
    pub expected: String,
    /// What was found there.
    pub found: String,
}
