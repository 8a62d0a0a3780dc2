//! A YAML parser that follows ROS 2. A document is a tree in which every node has its line and column. Scalars follow
//! the rules of YAML 1.1, as in PyYAML and `rcl_yaml_param_parser`.
//!
//! This crate does no input or output. It may be used on untrusted text: aliases are errors, and the depth is limited.
//! Errors contain the line and column.
//!
//! ```
//! let node = saltus_yaml::parse("x: 1\nnames: [a, 'no']")?;
//! let x = node.get("x").unwrap();
//! assert_eq!((x.as_integer(), x.line), (Some(1), 1));
//! let names = node.get("names").unwrap().as_sequence().unwrap();
//! assert_eq!(names[1].as_bool(), None, "quoted words are text");
//! # Ok::<(), saltus_yaml::YamlError>(())
//! ```

use std::{fmt, io, path::PathBuf};

mod flow;
mod parameter;
mod parse;
mod scalar;

pub use parameter::ParameterWord;
pub use parse::parse;

/// The error for a document that is not YAML, or that ROS 2 does not accept.
///
/// **Invariant:** `line` and `column` count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct YamlError {
    /// The line.
    pub line: usize,
    /// The column: the number of the character in the line.
    pub column: usize,
    /// The error at this location.
    pub message: String,
}

/// Why a YAML file can't be used. This crate reads no files. The error is for the crates that read files.
#[derive(thiserror::Error)]
pub enum FileError {
    /// The file can't be read.
    #[error("can't read {}: {source}", .path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The content of the file is invalid.
    #[error("{}: {source}", .path.display())]
    Content {
        /// The path of the file.
        path: PathBuf,
        /// The description of the error, with its location.
        source: YamlError,
    },
}

/// Prints the same text as `Display`, because a `main` that returns this error prints its `Debug` form.
impl fmt::Debug for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A node of a document.
///
/// **Invariant:** `line` and `column` count from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value of the node.
    pub value: Value,
    /// The line in which the node begins.
    pub line: usize,
    /// The column in which the node begins: the number of the character in the line.
    pub column: usize,
}

/// How a document has a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes, and without a tag that makes it a text.
    Plain,
    /// In lines below `|` or `>`, without such a tag.
    Block,
    /// In quotes, or with a tag that makes it a text.
    Text,
}

/// The value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A single word or text. Its meaning depends on whether it has quotes, and on the type that the reader expects.
    Scalar {
        /// The text without quotes, in which escape sequences are replaced.
        text: String,
        /// How the document has the text.
        style: Style,
    },
    /// A list: `[a, b]`, or lines that begin with a dash.
    Sequence(Vec<Node>),
    /// A mapping: `{a: 1}`, or lines with a colon. The keys are texts, in the order of the document.
    Mapping(Vec<(String, Node)>),
}

impl Node {
    /// Returns the value of a key, if the node is a mapping that has the key. If the mapping has the key several times,
    /// returns the last value.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_mapping()?.iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Returns the pairs of keys and values, if the node is a mapping.
    pub fn as_mapping(&self) -> Option<&[(String, Self)]> {
        match &self.value {
            Value::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Returns the pairs of keys and values of a mapping, or none if the node is null.
    ///
    /// # Errors
    /// Returns an error if the node is something else.
    pub fn pairs(&self) -> Result<&[(String, Self)], YamlError> {
        if self.is_null() {
            return Ok(&[]);
        }
        self.as_mapping().ok_or_else(|| self.error("expected a mapping"))
    }

    /// Returns the items, if the node is a sequence.
    pub fn as_sequence(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the text of a scalar, even if it could also be a number, a bool or null.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a scalar without quotes, which may be a number, a bool or null.
    pub fn as_word(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, style: Style::Plain } => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a scalar without quotes, also in lines below `|` or `>`. rcl reads it as a number or a bool.
    pub fn as_word_or_block(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, style: Style::Plain | Style::Block } => Some(text),
            _ => None,
        }
    }

    /// Returns the node with another text, in the same style.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        let style = if let Value::Scalar { style, .. } = self.value { style } else { Style::Text };
        Self { value: Value::Scalar { text, style }, ..*self }
    }

    /// Whether the node is null: empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        self.as_word().is_some_and(scalar::is_null)
    }

    /// Returns the value of a bool: `true`, `yes`, `on`, `false`, `no` or `off`.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_word().and_then(scalar::bool)
    }

    /// Returns the value of an integer. It is decimal, has a prefix `0x`, `0o` or `0b`, or is octal with the prefix
    /// `0`.
    pub fn as_integer(&self) -> Option<i128> {
        self.as_word().and_then(scalar::integer)
    }

    /// Returns the value of a floating-point number: it has a point or an exponent, or is `.inf` or `.nan`. Returns
    /// `None` for an integer.
    pub fn as_float(&self) -> Option<f64> {
        self.as_word().and_then(scalar::float)
    }

    /// Returns an error with the location of this node.
    pub fn error(&self, message: impl Into<String>) -> YamlError {
        YamlError { line: self.line, column: self.column, message: message.into() }
    }

    /// Returns a description of the node for an error text.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Scalar { text, .. } => format!("`{text}`"),
            Value::Sequence(_) => "a list".into(),
            Value::Mapping(_) => "a mapping".into(),
        }
    }
}
