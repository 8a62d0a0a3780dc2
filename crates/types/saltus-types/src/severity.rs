//! The severity of a log message.

use std::{fmt, str::FromStr};

/// The severities of `rcl_interfaces/msg/Log`, with their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of ROS 2 and explain themselves")]
pub enum Severity {
    /// The logger has the level of its parent. Only loggers have this value. Messages never have it.
    Unset = 0,
    Debug = 10,
    Info = 20,
    Warn = 30,
    Error = 40,
    Fatal = 50,
}

impl Severity {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Unset, "UNSET"),
        (Self::Debug, "DEBUG"),
        (Self::Info, "INFO"),
        (Self::Warn, "WARN"),
        (Self::Error, "ERROR"),
        (Self::Fatal, "FATAL"),
    ];
}

impl fmt::Display for Severity {
    /// Writes the word in capitals, as in ROS 2's console format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::ALL.iter().find(|(severity, _)| severity == self).map_or("", |(_, word)| word))
    }
}

/// The error for a word that is not a severity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected debug, info, warn, error, fatal or unset, found `{0}`")]
pub struct ParseSeverityError(pub String);

impl FromStr for Severity {
    type Err = ParseSeverityError;

    /// ```
    /// use saltus::log::Severity;
    /// assert_eq!("Warn".parse(), Ok(Severity::Warn));
    /// assert!("loud".parse::<Severity>().is_err());
    /// ```
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
        known.map(|(severity, _)| *severity).ok_or_else(|| ParseSeverityError(word.into()))
    }
}
