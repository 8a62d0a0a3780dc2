//! YAML as ROS 2 reads it: a document as a tree in which every node knows its place, and scalars
//! by the rules of YAML 1.1, as PyYAML and `rcl_yaml_param_parser` have them.
//!
//! Pure, and safe to use on a stranger's text: anchors and aliases are refused, depth is limited,
//! and errors name line and column.
//!
//! ```
//! let node = saltus_yaml::parse("x: 1\nnames: [a, 'no']")?;
//! let x = node.get("x").unwrap();
//! assert_eq!((x.as_integer(), x.line), (Some(1), 1));
//! let names = node.get("names").unwrap().as_sequence().unwrap();
//! assert_eq!(names[1].as_bool(), None, "what is quoted is text");
//! # Ok::<(), saltus_yaml::YamlError>(())
//! ```

use std::{fmt, io, path::PathBuf};

mod parse;
mod scalar;

pub use parse::parse;

/// A document that is not YAML, or not what ROS 2 takes.
///
/// **Invariant:** `line` and `column` count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct YamlError {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

/// Why a file of YAML is of no use to whoever reads it. Nothing here reads one.
#[derive(thiserror::Error)]
pub enum FileError {
    /// It can't be read.
    #[error("can't read {}: {source}", .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It does not say what it should.
    #[error("{}: {source}", .path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// Where, and what is wrong.
        source: YamlError,
    },
}

/// As it is displayed: a `main` that returns it prints this, and a user should read the sentence.
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
    /// One word or text. What it means depends on whether it was quoted, and on who asks.
    Scalar {
        /// Without quotes, escapes resolved.
        text: String,
        /// Whether it stood without quotes.
        plain: bool,
    },
    /// `[a, b]`, or lines with a dash.
    Sequence(Vec<Node>),
    /// `{a: 1}`, or lines with a colon: keys are text, in the order of the document.
    Mapping(Vec<(String, Node)>),
}

impl Node {
    /// The value under a key, if this is a mapping that has it; the last one if it has several.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_mapping()?.iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The pairs, if it is a mapping.
    pub fn as_mapping(&self) -> Option<&[(String, Self)]> {
        match &self.value {
            Value::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The items, if it is a sequence.
    pub fn as_sequence(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a scalar, whatever it may mean besides.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar without quotes, which may be a number.
    pub fn as_word(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain: true } => Some(text),
            _ => None,
        }
    }

    /// Whether it is nothing: empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        self.as_word().is_some_and(scalar::is_null)
    }

    /// The truth value of `true`, `yes`, `on` and their opposites.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_word().and_then(scalar::bool)
    }

    /// A whole number: decimal, or with `0x`, `0o` or `0b` in front, or octal with just a `0`.
    pub fn as_integer(&self) -> Option<i128> {
        self.as_word().and_then(scalar::integer)
    }

    /// A number with a point or an exponent, `.inf` or `.nan`; a whole number is none.
    pub fn as_float(&self) -> Option<f64> {
        self.as_word().and_then(scalar::float)
    }

    /// An error at this node.
    pub fn error(&self, what: impl Into<String>) -> YamlError {
        YamlError { line: self.line, column: self.column, what: what.into() }
    }

    /// What it is, for an error text.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Scalar { text, .. } => format!("`{text}`"),
            Value::Sequence(_) => "a list".into(),
            Value::Mapping(_) => "a mapping".into(),
        }
    }
}
