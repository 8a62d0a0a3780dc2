//! The live table: the processes of a launch at the bottom of the terminal, and their output above it.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal, Write},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::getpgrp,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr},
};
use serde::{Deserialize, Serialize};

use crate::supervisor::Id;

/// What the last line of the table says.
const HELP: &str = "up/down: choose   l: only its output   r: restart   s: stop   Ctrl-C: end everything";

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
    fn text(&self) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let pid = or_dash(self.pid.map(|pid| pid.to_string()));
        let cpu = or_dash(self.cpu.map(|cpu| format!("{cpu:.1}")));
        let pss = or_dash(self.pss.map(|pss| format!("{:.1}", pss as f64 / 1e6)));
        let Self { name, state, restarts, last_line, .. } = self;
        format!("{name:<24} {state:<9} {pid:>7} {cpu:>6} {pss:>7} {restarts:>8}  {last_line}")
    }
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
    /// How many lines of the table are on the terminal.
    drawn: usize,
    chosen: Id,
    /// The process whose output is shown alone.
    only: Option<Id>,
    keys: VecDeque<u8>,
}

impl Live {
    /// Returns a table, if the program has a terminal.
    pub(crate) fn open() -> io::Result<Option<Self>> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let stdin = io::stdin();
        if !is_foreground() {
            return Ok(None);
        }
        let before = tcgetattr(&stdin)?;
        let mut keys = before.clone();
        // Keys come one by one. Ctrl-C is a signal as before.
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &keys)?;
        Ok(Some(Self { before, drawn: 0, chosen: 0, only: None, keys: VecDeque::new() }))
    }

    /// Whether the output of a process is shown.
    pub(crate) fn shows(&self, id: Id) -> bool {
        self.only.is_none_or(|only| only == id)
    }

    /// Writes a line above the table.
    pub(crate) fn line(&mut self, line: &str) {
        let text = format!("{}{line}\n", self.erased());
        write(&text);
    }

    /// Draws the table.
    pub(crate) fn draw(&mut self, rows: &[Row]) {
        let size = tcgetwinsize(io::stdout()).map_or((24, 80), |size| (size.ws_row, size.ws_col));
        let (height, width) = (usize::from(size.0), usize::from(size.1).max(1));
        let text = self.erased() + &self.table(rows, height, width);
        write(&text);
    }

    /// Returns the text that removes the table.
    fn erased(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            lines => format!("\r\x1b[{lines}A\x1b[J"),
        }
    }

    /// Returns the table. It has at most half of the lines of the terminal.
    fn table(&mut self, rows: &[Row], height: usize, width: usize) -> String {
        self.chosen = self.chosen.min(rows.len().saturating_sub(1));
        let most = (height / 2).saturating_sub(2).max(1);
        let first = self.chosen.saturating_sub(most / 2).min(rows.len().saturating_sub(most));
        let head = format!(
            "{:<24} {:<9} {:>7} {:>6} {:>7} {:>8}  LAST LINE",
            "NAME", "STATE", "PID", "CPU %", "PSS MB", "RESTARTS"
        );
        let cut = |line: &str| line.chars().filter(|c| !c.is_control()).take(width).collect::<String>();
        let mut lines = vec![format!("\x1b[7m{:<width$}\x1b[0m", cut(&head))];
        for (id, row) in rows.iter().enumerate().skip(first).take(most) {
            let line = cut(&row.text());
            lines.push(if id == self.chosen { format!("\x1b[1m{line}\x1b[0m") } else { line });
        }
        lines.push(cut(&match self.only.and_then(|only| rows.get(only)) {
            Some(row) => format!("only the output of {}   l: all output", row.name),
            None => HELP.into(),
        }));
        self.drawn = lines.len();
        lines.iter().map(|line| format!("{line}\n")).collect()
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
        let text = self.erased();
        write(&text);
        // If the terminal is gone, nothing can be done.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// Whether this process may read keys. A shell may have put it into the background.
pub(crate) fn is_foreground() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

fn write(text: &str) {
    let mut out = io::stdout().lock();
    // If nobody reads the output, the launch goes on.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
