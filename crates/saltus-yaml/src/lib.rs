//! YAML as ROS 2 reads it. A document is a tree in which every node has its line and column. Scalars are
//! read by the rules of YAML 1.1, as in PyYAML and `rcl_yaml_param_parser`.
//!
//! Pure, and safe to use on untrusted text: anchors and aliases are refused, depth is limited,
//! and errors name line and column.
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

mod parse;
mod scalar;

pub use parse::parse;

/// An error of a document that is not YAML, or that ROS 2 does not accept.
///
/// **Invariant:** `line` and `column` count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct YamlError {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Why a YAML file can't be used. This crate reads no files: the error is for the crates that do.
#[derive(thiserror::Error)]
pub enum FileError {
    /// It can't be read.
    #[error("can't read {}: {source}", .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Its content is invalid.
    #[error("{}: {source}", .path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// Where, and what is wrong.
        source: YamlError,
    },
}

/// Prints the same text as `Display`. A `main` that returns this error prints its `Debug` form, and the user
/// should see the readable sentence.
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
    /// What it holds.
    pub value: Value,
    /// The line where it begins.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One word or text. Its meaning depends on whether it was quoted, and on the type that the reader expects.
    Scalar {
        /// Without quotes, escapes resolved.
        text: String,
        /// Whether it was written without quotes.
        plain: bool,
    },
    /// `[a, b]`, or lines with a dash.
    Sequence(Vec<Node>),
    /// `{a: 1}`, or lines with a colon: keys are text, in the order of the document.
    Mapping(Vec<(String, Node)>),
}

impl Node {
    /// Returns the value of a key, if this is a mapping that has the key. If the key stands there several times,
    /// returns the last value.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_mapping()?.iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Returns the pairs, if it is a mapping.
    pub fn as_mapping(&self) -> Option<&[(String, Self)]> {
        match &self.value {
            Value::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Returns the items, if it is a sequence.
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

    /// Returns the text of a scalar that was written without quotes, which may be a number.
    pub fn as_word(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain: true } => Some(text),
            _ => None,
        }
    }

    /// Whether it is null: empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        self.as_word().is_some_and(scalar::is_null)
    }

    /// Returns the truth value of `true`, `yes`, `on` and their opposites.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_word().and_then(scalar::bool)
    }

    /// Returns a whole number: decimal, or with `0x`, `0o` or `0b` in front, or octal with only a `0` in front.
    pub fn as_integer(&self) -> Option<i128> {
        self.as_word().and_then(scalar::integer)
    }

    /// Returns a number with a point or an exponent, `.inf` or `.nan`; `None` for a whole number.
    pub fn as_float(&self) -> Option<f64> {
        self.as_word().and_then(scalar::float)
    }

    /// Returns an error at this node.
    pub fn error(&self, message: impl Into<String>) -> YamlError {
        YamlError { line: self.line, column: self.column, message: message.into() }
    }

    /// Describes the node for an error text.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Scalar { text, .. } => format!("`{text}`"),
            Value::Sequence(_) => "a list".into(),
            Value::Mapping(_) => "a mapping".into(),
        }
    }
}
