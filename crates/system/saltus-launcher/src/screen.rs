//! Lines on the terminal: the output of processes with their names, and the messages of the launcher.

use std::{
    env,
    io::{self, IsTerminal},
};

use serde::{Deserialize, Serialize};

use crate::{
    live::{LiveTable, Row},
    output::Output,
    supervisor::Id,
};

/// The colors for the names of processes.
const COLORS: [u8; 6] = [36, 33, 32, 35, 34, 31];

/// The importance of a line of the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

impl Level {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        }
    }
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
    is_terminal: bool,
    output: Output,
    /// The table below the lines, if there is one.
    pub(crate) live: Option<LiveTable>,
}

impl Screen {
    /// Returns a screen. It has colors if it is a terminal, or if the environment says so. It has a table if it is a terminal
    /// and `with_table` is set. A watcher shows a launch that runs elsewhere.
    pub(crate) fn open(with_table: bool, is_watcher: bool) -> io::Result<Self> {
        let is_terminal = io::stdout().is_terminal();
        let is_colored = match env::var("RCUTILS_COLORIZED_OUTPUT").as_deref() {
            Ok("1") => true,
            Ok("0") => false,
            _ => is_terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        let live = if with_table { LiveTable::open(is_watcher)? } else { None };
        Ok(Self { is_colored, is_terminal, output: Output::new()?, live })
    }

    /// Removes the live table, and waits until everything is written, or until `gives_up`. Restores the terminal. Returns a
    /// text about the lines that were not written.
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

    /// Goes on after the program was stopped, such as with Ctrl-Z. The shell has written below the table.
    pub(crate) fn resume(&mut self) {
        if let Some(live) = &mut self.live {
            self.output.leave_table();
            live.set_hidden();
        }
    }

    /// Shows the processes in the table, if there is one. In the background there is none.
    pub(crate) fn draw(&mut self, rows: &[Row]) {
        let Some(live) = &mut self.live else { return };
        match (live.update_visibility(), live.is_shown()) {
            (_, true) => self.output.table(live.table(rows)),
            (true, false) => self.output.leave_table(),
            (false, false) => {}
        }
    }

    /// Whether the output of processes is to be read: not while it is written slowly.
    pub(crate) fn wants_lines(&mut self) -> bool {
        self.output.wants_lines()
    }

    /// Writes a line. The line of a process is left out if the user wants only the lines of another one.
    pub(crate) fn line(&self, line: &Line) {
        let text = match line {
            Line::Output { id, name, text } => {
                if self.live.as_ref().is_some_and(|live| !live.shows(*id)) {
                    return;
                }
                let name = self.colored(COLORS[id % COLORS.len()], &format!("[{name}]"));
                if self.is_terminal { format!("{name} {}", harmless(text)) } else { format!("{name} {text}") }
            }
            Line::Message { level, name, text } => {
                let color = match level {
                    Level::Info => 0,
                    Level::Warning => 33,
                    Level::Error => 31,
                };
                self.colored(color, &format!("[{}] [{name}]: {text}", level.word()))
            }
        };
        self.output.line(text);
    }

    fn colored(&self, color: u8, text: &str) -> String {
        if self.is_colored && color > 0 { format!("\x1b[{color}m{text}\x1b[0m") } else { text.into() }
    }
}

/// Returns a line of a process as it is written to a terminal. Escape sequences are removed, except those of colors. Of a
/// line that overwrites itself, such as a progress bar, only the end is left.
fn harmless(line: &str) -> String {
    let last = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    let (mut text, mut rest, mut is_colored) = (String::new(), last, false);
    while let Some(character) = rest.chars().next() {
        let (length, is_color) = sequence(rest);
        if is_color || length == 0 && (!character.is_control() || character == '\t') {
            text.push_str(&rest[..length.max(character.len_utf8())]);
        }
        is_colored |= is_color;
        rest = &rest[length.max(character.len_utf8())..];
    }
    if is_colored { text + "\x1b[0m" } else { text }
}

/// Returns the length of the escape sequence with which a text begins, and whether it is a color.
fn sequence(text: &str) -> (usize, bool) {
    let Some(after) = text.strip_prefix('\x1b') else { return (0, false) };
    let end_after = |found: Option<usize>, length: usize| found.map_or(text.len(), |index| index + length);
    match after.chars().next() {
        Some('[') => {
            let last = text[2..].find(|c| ('@'..='~').contains(&c)).map(|index| index + 2);
            (end_after(last, 1), last.is_some_and(|index| text[index..].starts_with('m')))
        }
        // Such as the title of the window: it ends with BEL, or with ESC and a backslash.
        Some(']' | 'P' | '_' | '^' | 'X') => (end_after(text.find(['\x07', '\\']), 1), false),
        Some(other) => (1 + other.len_utf8(), false),
        None => (1, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colors_are_left_of_the_escape_sequences_of_a_process() {
        for (line, want) in [
            ("plain\ttext", "plain\ttext"),
            ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m\x1b[0m"),
            ("a\x1b[?25lb\x1b[2Jc\x1b[?1049hd\x1b[10;3He", "abcde"),
            ("\x1b]0;title\x07a\x1b]8;;link\x1b\\b\x1bMc", "abc"),
            ("progress 1\rprogress 2\r", "progress 2"),
            ("a\x08\x07\0b\x1b", "ab"),
            ("a\x1b[31", "a"),
            ("a\x1b]title", "a"),
            ("\x1bé機", "機"),
        ] {
            assert_eq!(harmless(line), want, "{line:?}");
        }
    }
}
