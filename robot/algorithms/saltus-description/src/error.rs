//! The errors of a description.

/// An error in a description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// The text is not XML.
    #[error("the description is not XML: {0}")]
    Xml(String),
    /// A line of the text is not URDF.
    #[error("line {line} of the description: {text}")]
    Line {
        /// The line number, from 1.
        line: u32,
        /// The description of the error.
        text: String,
    },
    /// The links and joints are not a tree.
    #[error("{0}")]
    Tree(String),
}
