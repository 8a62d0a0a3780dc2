//! The live table: the processes of a launch at the bottom of the terminal, and their output above it.

use std::{
    collections::VecDeque,
    env,
    io::{self, IsTerminal},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr},
};
use serde::{Deserialize, Serialize};

use crate::{
    guard::is_foreground,
    output::{StyledText, cut, width},
    supervisor::Id,
};

/// The maximum width of a name in columns. A longer name is cut.
const MAX_NAME_WIDTH: usize = 32;

/// The last line of the table.
const HELP: &str = "up/down: choose   l: only its output   r: restart   s: stop   Ctrl-C: end everything";
/// The last line of the table of a launch that runs elsewhere.
const HELP_OF_WATCHER: &str = "up/down: choose   l: only its output   r: restart   s: stop   Ctrl-C: leave";

/// A row of the table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) pid: Option<i32>,
    /// In percent of one CPU.
    pub(crate) cpu: Option<f64>,
    /// In bytes.
    pub(crate) pss: Option<u64>,
    pub(crate) restarts: u32,
    pub(crate) last_line: String,
}

impl Row {
    fn text(&self, columns: usize) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let pid = or_dash(self.pid.map(|pid| pid.to_string()));
        let cpu = or_dash(self.cpu.map(|cpu| format!("{cpu:.1}")));
        let pss = or_dash(self.pss.map(|pss| format!("{:.1}", pss as f64 / 1e6)));
        let Self { name, state, restarts, last_line, .. } = self;
        let name = padded(name, columns);
        format!("{name} {state:<9} {pid:>7} {cpu:>6} {pss:>7} {restarts:>8}  {last_line}")
    }
}

/// Returns a text with spaces or without its end, so that it is `columns` wide.
fn padded(text: &str, columns: usize) -> String {
    let text = if width(text) > columns { format!("{}…", cut(text, columns - 1)) } else { text.into() };
    let spaces = columns.saturating_sub(width(&text));
    text + &" ".repeat(spaces)
}

/// A request of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// End a process and start it again.
    Restart(Id),
    /// End a process.
    Stop(Id),
}

/// The live table. It restores the terminal when it is dropped.
#[derive(Debug)]
pub(crate) struct LiveTable {
    before: Termios,
    /// Whether the program had the terminal at the last check. Only then the table is shown and keys are read.
    is_shown: bool,
    /// Whether the launch runs elsewhere.
    is_watcher: bool,
    /// The process of the highlighted row.
    chosen: Id,
    /// The process whose output is shown alone.
    only: Option<Id>,
    keys: VecDeque<u8>,
}

impl LiveTable {
    /// Returns a table, if the program has a terminal.
    pub(crate) fn open(is_watcher: bool) -> io::Result<Option<Self>> {
        let is_dumb = env::var_os("TERM").is_none_or(|kind| kind.is_empty() || kind == "dumb");
        if is_dumb || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let stdin = io::stdin();
        if !is_foreground() {
            return Ok(None);
        }
        let before = tcgetattr(&stdin)?;
        set_key_mode(&before)?;
        Ok(Some(Self { before, is_shown: true, is_watcher, chosen: 0, only: None, keys: VecDeque::new() }))
    }

    /// Notes that a shell may have changed the terminal.
    pub(crate) fn set_hidden(&mut self) {
        self.is_shown = false;
    }

    /// Checks whether the program has the terminal, which a shell gives and takes. Returns whether this has changed.
    pub(crate) fn update_visibility(&mut self) -> bool {
        let is_shown = is_foreground();
        if is_shown && !self.is_shown {
            // An error means that the terminal is gone, which is seen when keys are read.
            let _ = set_key_mode(&self.before);
        }
        std::mem::replace(&mut self.is_shown, is_shown) != is_shown
    }

    /// Whether the table is there.
    pub(crate) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Whether the output of a process is shown.
    pub(crate) fn shows(&self, id: Id) -> bool {
        self.only.is_none_or(|only| only == id)
    }

    /// Returns the lines of the table: at most half of the lines of the terminal.
    pub(crate) fn table(&mut self, rows: &[Row]) -> Vec<StyledText> {
        // Some terminals do not report their number of lines.
        let height = tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_row));
        self.rows(rows, if height == 0 { 24 } else { height })
    }

    fn rows(&mut self, rows: &[Row], height: usize) -> Vec<StyledText> {
        self.chosen = self.chosen.min(rows.len().saturating_sub(1));
        let max_rows = (height / 2).saturating_sub(2).max(1);
        let first = self.chosen.saturating_sub(max_rows / 2).min(rows.len().saturating_sub(max_rows));
        let columns =
            rows.iter().map(|row| width(&row.name)).max().unwrap_or_default().clamp(4, MAX_NAME_WIDTH);
        let head = padded("NAME", columns);
        let head = format!(
            "{head} {:<9} {:>7} {:>6} {:>7} {:>8}  LAST LINE",
            "STATE", "PID", "CPU %", "PSS MB", "RESTARTS"
        );
        let mut table = vec![StyledText::new(&head, "7")];
        for (id, row) in rows.iter().enumerate().skip(first).take(max_rows) {
            table.push(StyledText::new(&row.text(columns), if id == self.chosen { "1" } else { "" }));
        }
        let last = match self.only.and_then(|only| rows.get(only)) {
            Some(row) => format!("only the output of {}   l: all output", row.name),
            None if self.is_watcher => HELP_OF_WATCHER.into(),
            None => HELP.into(),
        };
        table.push(StyledText::new(&last, ""));
        table
    }

    /// Reads the keys that were pressed. Returns the requests of the user, or `None` if the terminal is gone.
    pub(crate) fn read_keys(&mut self, count: usize) -> Option<Vec<Request>> {
        let mut bytes = [0; 64];
        if tcgetpgrp(io::stdin()).is_err() {
            return None;
        }
        let is_ready = || {
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], Some(&now)).is_ok_and(|count| count > 0)
        };
        while is_foreground() && is_ready() {
            match rustix::io::read(io::stdin(), &mut bytes) {
                Ok(read) if read > 0 => self.keys.extend(&bytes[..read]),
                Err(Errno::INTR) => {}
                _ => return None,
            }
        }
        Some(self.take_requests(count))
    }

    fn take_requests(&mut self, count: usize) -> Vec<Request> {
        let mut requests = Vec::new();
        while let Some(key) = self.keys.pop_front() {
            match key {
                // An arrow is three bytes.
                0x1b => match (self.keys.pop_front(), self.keys.pop_front()) {
                    (Some(b'['), Some(b'A')) => self.chosen = self.chosen.saturating_sub(1),
                    (Some(b'['), Some(b'B')) => self.chosen = (self.chosen + 1).min(count.saturating_sub(1)),
                    _ => {}
                },
                b'k' => self.chosen = self.chosen.saturating_sub(1),
                b'j' => self.chosen = (self.chosen + 1).min(count.saturating_sub(1)),
                b'l' => self.only = if self.only.is_some() { None } else { Some(self.chosen) },
                b'r' => requests.push(Request::Restart(self.chosen)),
                b's' => requests.push(Request::Stop(self.chosen)),
                _ => {}
            }
        }
        requests
    }
}

impl Drop for LiveTable {
    fn drop(&mut self) {
        // In the background, it belongs to another program. If it is gone, nothing can be done.
        if is_foreground() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
        }
    }
}

/// Sets the terminal to deliver single keys without echo. Ctrl-C is still a signal.
fn set_key_mode(before: &Termios) -> io::Result<()> {
    let mut modes = before.clone();
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    Ok(tcsetattr(io::stdin(), OptionalActions::Now, &modes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_as_many_columns_as_they_need_and_long_ones_are_cut() {
        assert_eq!(padded("arm", 5), "arm  ");
        assert_eq!(padded("機械", 5), "機械 ");
        assert_eq!(padded("abcdef", 5), "abcd…");
        assert_eq!(padded("機械機械", 6), "機械… ");
        // Control characters and joined characters are counted in the same way everywhere.
        for text in ["a\tb\tc", "❤️❤️❤️", "👩\u{200d}🚀👩"] {
            (1..6).for_each(|columns| drop(padded(text, columns)));
        }
    }
}
