//! Log records: messages with their source.

use std::{borrow::Cow, fmt};

use saltus_host::system_now;
use saltus_types::Severity;
use tracing::{
    Level, Metadata,
    field::{Field, Visit},
};

/// The `tracing` target of messages of loggers. The layer uses it to tell them from messages of other libraries.
#[doc(hidden)]
pub const TARGET: &str = "ros";

/// A message that is logged.
pub(super) struct LogRecord {
    pub(super) severity: Severity,
    pub(super) name: String,
    pub(super) message: String,
    pub(super) context: u64,
    pub(super) file: Cow<'static, str>,
    pub(super) line: u32,
    pub(super) function: Cow<'static, str>,
    pub(super) time: i64,
    /// Whether the message comes from a logger. If so, some fields of its event have a special meaning.
    pub(super) is_from_logger: bool,
}

impl LogRecord {
    pub(super) fn of(metadata: &'static Metadata<'static>) -> Self {
        Self {
            severity: severity_of(*metadata.level()),
            name: library_name(metadata),
            message: String::new(),
            context: 0,
            file: metadata.file().unwrap_or("").into(),
            line: metadata.line().unwrap_or(0),
            function: metadata.module_path().unwrap_or("").into(),
            time: system_now().as_nanos(),
            is_from_logger: metadata.target() == TARGET,
        }
    }
}

impl Visit for LogRecord {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        use fmt::Write;
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            // Another field of a library's event.
            name => write!(self.message, " {name}={value:?}"),
        };
        // Writing to a string fails only if the `Debug` implementation of the value fails.
        let _ = written;
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "logger" if self.is_from_logger => self.name = value.into(),
            _ => self.record_debug(field, &format_args!("{value}")),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "context" if self.is_from_logger => self.context = value,
            "fatal" if self.is_from_logger => self.severity = Severity::Fatal,
            _ => self.record_debug(field, &value),
        }
    }
}

/// Returns a record for a warning of this library, with an empty message.
pub(super) fn library_warning() -> LogRecord {
    LogRecord {
        severity: Severity::Warn,
        name: "saltus".into(),
        message: String::new(),
        context: 0,
        file: file!().into(),
        line: line!(),
        function: module_path!().into(),
        time: system_now().as_nanos(),
        is_from_logger: true,
    }
}

pub(super) fn library_name(metadata: &Metadata<'_>) -> String {
    metadata.target().replace("::", ".")
}

pub(super) fn severity_of(level: Level) -> Severity {
    match level {
        Level::ERROR => Severity::Error,
        Level::WARN => Severity::Warn,
        Level::INFO => Severity::Info,
        _ => Severity::Debug,
    }
}
