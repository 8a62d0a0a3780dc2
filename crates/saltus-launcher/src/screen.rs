//! Lines on the terminal: the output of processes with their names, and what the launcher does.

use std::{
    env,
    io::{self, IsTerminal},
};

use serde::{Deserialize, Serialize};

use crate::{
    live::{Live, Row},
    output::Output,
    supervisor::Id,
};

/// Colours for the names of processes.
const COLORS: [u8; 6] = [36, 33, 32, 35, 34, 31];

/// How important a line of the launcher is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

/// A line that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    /// A line of a process.
    Output { id: Id, name: String, text: String },
    /// A line of the launcher.
    Message { level: Level, name: String, text: String },
}

/// Writes lines to the standard output.
#[derive(Debug)]
pub(crate) struct Screen {
    is_colored: bool,
    output: Output,
    /// The table below the lines, if there is one.
    pub(crate) live: Option<Live>,
}

impl Screen {
    /// Returns a screen. It has colors if it is a terminal, or if the environment says so.
    /// It has a table only if it is one and `with_table` is set.
    pub(crate) fn open(with_table: bool) -> io::Result<Self> {
        let is_colored = match env::var("RCUTILS_COLORIZED_OUTPUT").as_deref() {
            Ok("1") => true,
            Ok("0") => false,
            _ => io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        let live = if with_table { Live::open()? } else { None };
        Ok(Self { is_colored, output: Output::new()?, live })
    }

    /// Removes the live table, and waits until everything is written, or until `gives_up`. The terminal is as before.
    /// Returns what was not written, if there is something.
    pub(crate) fn close(&mut self, gives_up: impl Fn() -> bool) -> Option<String> {
        self.close_table();
        self.output.finish(gives_up)
    }

    /// Removes the live table.
    pub(crate) fn close_table(&mut self) {
        if self.live.take().is_some() {
            self.output.table(Vec::new());
        }
    }

    /// The program goes on after it was stopped, such as with Ctrl-Z. The shell has written below the table.
    pub(crate) fn resume(&mut self) {
        if let Some(live) = &mut self.live {
            self.output.leave_table();
            live.leave();
        }
    }

    /// Shows the processes in the table, if there is one. In the background there is none.
    pub(crate) fn draw(&mut self, rows: &[Row]) {
        let Some(live) = &mut self.live else { return };
        match (live.change(), live.is_shown()) {
            (_, true) => self.output.table(live.table(rows)),
            (true, false) => self.output.leave_table(),
            (false, false) => {}
        }
    }

    /// Whether processes are to be read: not while their output is written slowly.
    pub(crate) fn wants_lines(&mut self) -> bool {
        self.output.wants_lines()
    }

    /// Writes a line. That of a process is not shown if the user wants only those of another one.
    pub(crate) fn line(&self, line: &Line) {
        let text = match line {
            Line::Output { id, name, text } => {
                if self.live.as_ref().is_some_and(|live| !live.shows(*id)) {
                    return;
                }
                format!("{} {text}", self.colored(COLORS[id % COLORS.len()], &format!("[{name}]")))
            }
            Line::Message { level, name, text } => {
                let (word, color) = match level {
                    Level::Info => ("INFO", 0),
                    Level::Warning => ("WARNING", 33),
                    Level::Error => ("ERROR", 31),
                };
                self.colored(color, &format!("[{word}] [{name}]: {text}"))
            }
        };
        self.output.line(text);
    }

    fn colored(&self, color: u8, text: &str) -> String {
        if self.is_colored && color > 0 { format!("\x1b[{color}m{text}\x1b[0m") } else { text.into() }
    }
}
