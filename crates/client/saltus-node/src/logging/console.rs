//! Printing of log messages on the console, in the format of ROS 2.

use std::{
    env,
    io::{self, IsTerminal, Write},
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use saltus_types::Severity;

use super::record::LogRecord;

/// The default format of ROS 2.
const DEFAULT_FORMAT: &str = "[{severity}] [{time}] [{name}]: {message}";

static CONSOLE: LazyLock<Console> = LazyLock::new(Console::from_environment);
static IS_ON: AtomicBool = AtomicBool::new(true);

/// Switches printing on or off.
pub(super) fn switch(on: bool) {
    IS_ON.store(on, Ordering::Relaxed);
}

/// Prints a record, unless printing is switched off.
pub(super) fn print(record: &LogRecord) {
    if IS_ON.load(Ordering::Relaxed) {
        CONSOLE.print(record);
    }
}

/// The settings with which records are printed.
#[derive(Debug)]
struct Console {
    format: String,
    is_stdout: bool,
    is_colored: bool,
}

impl Console {
    fn from_environment() -> Self {
        let is_set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let is_stdout = is_set("RCUTILS_LOGGING_USE_STDOUT").is_some_and(|value| value == "1");
        let is_terminal = if is_stdout { io::stdout().is_terminal() } else { io::stderr().is_terminal() };
        Self {
            format: is_set("RCUTILS_CONSOLE_OUTPUT_FORMAT").unwrap_or_else(|| DEFAULT_FORMAT.into()),
            is_stdout,
            is_colored: is_set("RCUTILS_COLORIZED_OUTPUT").map_or(is_terminal, |value| value == "1"),
        }
    }

    /// Prints a record as a line. Errors are ignored, because the console may be closed.
    fn print(&self, record: &LogRecord) {
        let line = self.line(record);
        let _ = match self.is_stdout {
            true => io::stdout().write_all(line.as_bytes()),
            false => io::stderr().write_all(line.as_bytes()),
        };
    }

    fn line(&self, record: &LogRecord) -> String {
        let text = fill_in(&self.format, record);
        let color = match record.severity {
            Severity::Debug => 32,
            Severity::Warn => 33,
            Severity::Error | Severity::Fatal => 31,
            Severity::Unset | Severity::Info => 0,
        };
        if self.is_colored { format!("\x1b[{color}m{text}\x1b[0m\n") } else { text + "\n" }
    }
}

/// Replaces each known `{token}` in a format. All other text stays as it is.
fn fill_in(format: &str, record: &LogRecord) -> String {
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, after_brace)) = rest.split_once('{') {
        text += before;
        let Some((token, after)) = after_brace.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        match token_value(token, record) {
            Some(value) => text += &value,
            None => text.extend(["{", token, "}"]),
        }
        rest = after;
    }
    text + rest
}

fn token_value(token: &str, record: &LogRecord) -> Option<String> {
    let (seconds, nanos) = (record.time.div_euclid(1_000_000_000), record.time.rem_euclid(1_000_000_000));
    Some(match token {
        "severity" => record.severity.to_string(),
        "name" => record.name.clone(),
        "message" => record.message.clone(),
        "function_name" => record.function.to_string(),
        "file_name" => record.file.to_string(),
        "line_number" => record.line.to_string(),
        "time" => format!("{seconds}.{nanos:09}"),
        "time_as_nanoseconds" => record.time.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logging::record::library_warning;

    fn record() -> LogRecord {
        let (message, name) = ("hello {name}".into(), "a.b".into());
        LogRecord { time: 1_500_000_000, message, name, ..library_warning() }
    }

    #[test]
    fn a_line_follows_the_format() {
        let line = |format: &str| {
            Console { format: format.into(), is_stdout: false, is_colored: false }.line(&record())
        };
        assert_eq!(line(DEFAULT_FORMAT), "[WARN] [1.500000000] [a.b]: hello {name}\n");
        assert_eq!(line("{time_as_nanoseconds} {nonsense} {"), "1500000000 {nonsense} {\n");
        let colored = Console { format: "{message}".into(), is_stdout: false, is_colored: true };
        assert_eq!(colored.line(&record()), "\x1b[33mhello {name}\x1b[0m\n");
    }
}
