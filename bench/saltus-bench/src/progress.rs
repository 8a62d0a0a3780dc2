//! The progress of a run.

use std::{
    io,
    io::{IsTerminal, Write},
};

use crate::row::Key;

/// Prints the progress of a run: on one line of a terminal, or as lines elsewhere.
pub(crate) struct Progress {
    done: usize,
    steps: usize,
    terminal: bool,
}

impl Progress {
    pub(crate) fn new(steps: usize) -> Self {
        Self { done: 0, steps, terminal: io::stderr().is_terminal() }
    }

    /// Counts a measurement that begins, and prints the progress.
    pub(crate) fn step(&mut self, key: &Key) {
        self.done += 1;
        let (done, steps) = (self.done, self.steps);
        let size = if key.size == 0 { String::new() } else { format!("{} B, ", key.size) };
        let what = format!("[{done}/{steps}] {} {} {}, {size}{}", key.scenario, key.peer, key.mode, key.pin);
        if self.terminal {
            eprint!("\r\x1b[K{what}");
            let _ = io::stderr().flush();
        } else if done == 1 || done.is_multiple_of(10) {
            eprintln!("{what}");
        }
    }

    pub(crate) fn end(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
