//! Lines on the terminal: the output of processes with their names, and what the launcher does.

use std::{
    env,
    io::{self, IsTerminal, Write},
};

use crate::{attach::Clients, live::Live, supervisor::Id};

/// Colours for the names of processes.
const COLORS: [u8; 6] = [36, 33, 32, 35, 34, 31];

/// How important a line of the launcher is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

/// Writes lines to the standard output.
#[derive(Debug)]
pub(crate) struct Screen {
    is_colored: bool,
    /// The table below the lines, if there is one.
    pub(crate) live: Option<Live>,
    /// Those who watch the launch from elsewhere.
    pub(crate) clients: Option<Clients>,
}

impl Screen {
    /// Returns a screen. It has colors if it is a terminal, or if the environment says so.
    /// It has a table only if it is one and `with_table` is set.
    pub(crate) fn open(with_table: bool, clients: Option<Clients>) -> io::Result<Self> {
        let is_colored = match env::var("RCUTILS_COLORIZED_OUTPUT").as_deref() {
            Ok("1") => true,
            Ok("0") => false,
            _ => io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        let live = if with_table { Live::open()? } else { None };
        Ok(Self { is_colored, live, clients })
    }

    /// Removes the live table. The terminal is as before.
    pub(crate) fn close(&mut self) {
        self.live = None;
    }

    /// Writes a line of a process, whose name comes first. It is not shown if the user wants only that of another one.
    pub(crate) fn output(&mut self, id: Id, name: &str, line: &str) {
        let color = COLORS[id % COLORS.len()];
        let text = if self.is_colored {
            format!("\x1b[{color}m[{name}]\x1b[0m {line}")
        } else {
            format!("[{name}] {line}")
        };
        self.send(&text);
        if self.live.as_ref().is_none_or(|live| live.shows(id)) {
            self.show(&text);
        }
    }

    /// Writes a line of the launcher, as ROS 2 does.
    pub(crate) fn message(&mut self, level: Level, name: &str, text: &str) {
        let (word, color) = match level {
            Level::Info => ("INFO", 0),
            Level::Warning => ("WARNING", 33),
            Level::Error => ("ERROR", 31),
        };
        let line = format!("[{word}] [{name}]: {text}");
        let text = if self.is_colored && color > 0 { format!("\x1b[{color}m{line}\x1b[0m") } else { line };
        self.send(&text);
        self.show(&text);
    }

    fn send(&mut self, line: &str) {
        if let Some(clients) = &mut self.clients {
            clients.send_line(line);
        }
    }

    fn show(&mut self, line: &str) {
        if let Some(live) = &mut self.live {
            return live.line(line);
        }
        // If nobody reads the output, the launch goes on.
        let _ = writeln!(io::stdout().lock(), "{line}");
    }
}
