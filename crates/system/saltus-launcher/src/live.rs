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

/// The columns of the longest name that is shown whole.
const LONGEST_NAME: usize = 32;

/// What the last line of the table says.
const HELP: &str = "up/down: choose   l: only its output   r: restart   s: stop   Ctrl-C: end everything";
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

/// Returns a text that takes up a number of columns of the terminal.
fn padded(text: &str, columns: usize) -> String {
    let text = if width(text) > columns { format!("{}…", cut(text, columns - 1)) } else { text.into() };
    let spaces = columns.saturating_sub(width(&text));
    text + &" ".repeat(spaces)
}

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wish {
    Restart(Id),
    Stop(Id),
}

/// The live table. When it is dropped, the terminal is as before.
#[derive(Debug)]
pub(crate) struct Live {
    before: Termios,
    /// Whether the program had the terminal when this was looked at last, so that the table is there and keys come.
    is_shown: bool,
    /// Whether the launch runs elsewhere.
    is_watcher: bool,
    chosen: Id,
    /// The process whose output is shown alone.
    only: Option<Id>,
    keys: VecDeque<u8>,
}

impl Live {
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
        take_keys(&before)?;
        Ok(Some(Self { before, is_shown: true, is_watcher, chosen: 0, only: None, keys: VecDeque::new() }))
    }

    /// The shell may have changed the terminal.
    pub(crate) fn leave(&mut self) {
        self.is_shown = false;
    }

    /// Looks whether the program has the terminal, which a shell gives and takes. Returns whether that has changed.
    pub(crate) fn change(&mut self) -> bool {
        let is_shown = is_foreground();
        if is_shown && !self.is_shown {
            // An error means that the terminal is gone, which is seen when keys are read.
            let _ = take_keys(&self.before);
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

    /// Returns the table. It has at most half of the lines of the terminal.
    pub(crate) fn table(&mut self, rows: &[Row]) -> Vec<StyledText> {
        // Some terminals do not know how many lines they have.
        let height = tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_row));
        self.rows(rows, if height == 0 { 24 } else { height })
    }

    fn rows(&mut self, rows: &[Row], height: usize) -> Vec<StyledText> {
        self.chosen = self.chosen.min(rows.len().saturating_sub(1));
        let most = (height / 2).saturating_sub(2).max(1);
        let first = self.chosen.saturating_sub(most / 2).min(rows.len().saturating_sub(most));
        let columns =
            rows.iter().map(|row| width(&row.name)).max().unwrap_or_default().clamp(4, LONGEST_NAME);
        let head = padded("NAME", columns);
        let head = format!(
            "{head} {:<9} {:>7} {:>6} {:>7} {:>8}  LAST LINE",
            "STATE", "PID", "CPU %", "PSS MB", "RESTARTS"
        );
        let mut table = vec![StyledText::new(&head, "7")];
        for (id, row) in rows.iter().enumerate().skip(first).take(most) {
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

    /// Reads the keys that were pressed. Returns what the user wants, or `None` if the terminal is gone.
    pub(crate) fn read_keys(&mut self, count: usize) -> Option<Vec<Wish>> {
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
        Some(self.wishes(count))
    }

    fn wishes(&mut self, count: usize) -> Vec<Wish> {
        let mut wishes = Vec::new();
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
                b'r' => wishes.push(Wish::Restart(self.chosen)),
                b's' => wishes.push(Wish::Stop(self.chosen)),
                _ => {}
            }
        }
        wishes
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // In the background, it belongs to another program. If it is gone, nothing can be done.
        if is_foreground() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
        }
    }
}

/// Lets keys come one by one. Ctrl-C is a signal as before.
fn take_keys(before: &Termios) -> io::Result<()> {
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
