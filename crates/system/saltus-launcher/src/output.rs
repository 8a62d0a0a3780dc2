//! The standard output of the launcher, which a thread writes: a terminal or a pipe that takes nothing stops only this thread.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    termios::tcgetwinsize,
};
use saltus_types::lock;
use unicode_width::UnicodeWidthChar;

/// The length of unwritten text in bytes at which processes are not read any more. They wait as if they wrote themselves.
const PAUSE_SIZE: usize = 256 * 1024;
/// The maximum length of unwritten text in bytes. It is more than one process can add.
const MAX_SIZE: usize = 4_000_000;
/// The maximum number of bytes that are written at once.
const PIECE_SIZE: usize = 4096;
/// The time without a write after which nobody seems to read the output. Then processes are read again, and lines are lost.
const STALL_TIMEOUT: Duration = Duration::from_millis(500);
/// The interval at which to check whether to wait longer for the end of the output.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The standard output.
#[derive(Debug)]
pub(crate) struct Output {
    state: Arc<OutputState>,
    /// The number of written pieces at the last check while the text was too long, and the time since which it is the same.
    stall: Option<(u64, Instant)>,
}

#[derive(Debug, Default)]
struct OutputState {
    pending: Mutex<Pending>,
    changed: Condvar,
}

/// The text that is to be written.
#[derive(Debug, Default)]
struct Pending {
    lines: VecDeque<String>,
    /// The length of these lines in bytes.
    size: usize,
    /// The number of lines that came when there was no room, since the last warning about them.
    lost: u64,
    /// The table below the lines, if it has changed.
    table: Option<Vec<StyledText>>,
    /// Whether others have written below the table.
    is_moved: bool,
    is_writing: bool,
    /// The number of lines that the thread is writing.
    in_work: u64,
    /// The number of pieces that were written.
    progress: u64,
    /// The error because of which nothing more can be written.
    failure: Option<String>,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledText {
    text: String,
    /// The escape sequence of its style, without `ESC [` and `m`.
    style: &'static str,
}

impl StyledText {
    /// Returns a row. Control characters are left out.
    pub(crate) fn new(text: &str, style: &'static str) -> Self {
        Self { text: text.chars().filter(|c| !c.is_control()).collect(), style }
    }
}

impl Output {
    /// Returns the standard output.
    pub(crate) fn new() -> io::Result<Self> {
        Self::to(File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }

    fn to(file: File) -> io::Result<Self> {
        let state = Arc::<OutputState>::default();
        let own = state.clone();
        thread::Builder::new().name("output".into()).spawn(move || own.write(file))?;
        Ok(Self { state, stall: None })
    }

    /// Writes a line above the table. If there is no room, the line is lost.
    pub(crate) fn line(&self, line: String) {
        let mut pending = lock(&self.state.pending);
        if pending.failure.is_some() {
            return;
        }
        if pending.size + line.len() > MAX_SIZE {
            pending.lost += 1;
        } else {
            pending.size += line.len();
            pending.lines.push_back(line);
        }
        self.state.changed.notify_all();
    }

    /// Whether processes are to be read. If the output is read slowly, they wait. If nobody reads it, they do not wait.
    pub(crate) fn wants_lines(&mut self) -> bool {
        let (size, progress) = {
            let pending = lock(&self.state.pending);
            (pending.size, pending.progress)
        };
        if size < PAUSE_SIZE {
            self.stall = None;
            return true;
        }
        match self.stall {
            Some((before, since)) if before == progress => since.elapsed() > STALL_TIMEOUT,
            _ => {
                self.stall = Some((progress, Instant::now()));
                false
            }
        }
    }

    /// Sets the table at the end of the terminal. Without rows, there is none.
    pub(crate) fn table(&self, rows: Vec<StyledText>) {
        lock(&self.state.pending).table = Some(rows);
        self.state.changed.notify_all();
    }

    /// Notes that others have written below the table, so that it is not replaced.
    pub(crate) fn leave_table(&self) {
        lock(&self.state.pending).is_moved = true;
    }

    /// Waits until everything is written, or until `gives_up`. Returns a text about the lines that were not written.
    pub(crate) fn finish(&self, gives_up: impl Fn() -> bool) -> Option<String> {
        let mut pending = lock(&self.state.pending);
        while !pending.is_empty() && !gives_up() {
            let waited = self.state.changed.wait_timeout(pending, CHECK_INTERVAL);
            pending = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(failure) = &pending.failure {
            return Some(format!("the output can't be written: {failure}"));
        }
        let lost = pending.in_work + pending.lost + pending.lines.len() as u64;
        (lost > 0).then(|| format!("{lost} lines were not shown, because nobody read the output"))
    }
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.failure.is_some()
            || (self.lines.is_empty() && self.table.is_none() && self.lost == 0 && !self.is_writing)
    }

    /// Removes the next lines, at least one if there is one, and returns them.
    fn take_lines(&mut self) -> String {
        let mut text = String::new();
        while text.len() < PIECE_SIZE
            && let Some(line) = self.lines.pop_front()
        {
            self.size -= line.len();
            self.in_work += 1;
            text.push_str(&line);
            text.push('\n');
        }
        if self.lines.is_empty() && self.lost > 0 {
            text.push_str(&format!(
                "[WARNING] [launch]: {} lines are only in the log files, because nobody read the output\n",
                self.lost
            ));
            self.in_work += std::mem::take(&mut self.lost);
        }
        text
    }
}

impl OutputState {
    /// Writes lines and tables until an error. This is the thread.
    fn write(&self, mut file: File) {
        let mut drawn = DrawnTable::default();
        loop {
            let text = self.next_text(&file, &mut drawn);
            let mut pieces = text.as_bytes().chunks(PIECE_SIZE);
            let written = pieces.try_for_each(|piece| {
                write_piece(&mut file, piece)?;
                lock(&self.pending).progress += 1;
                Ok(())
            });
            let mut pending = lock(&self.pending);
            (pending.is_writing, pending.in_work) = (false, 0);
            pending.failure = written.err().map(|error: io::Error| error.to_string());
            self.changed.notify_all();
            if pending.failure.is_some() {
                // The launch goes on.
                return;
            }
        }
    }

    /// Waits until something is to be written, and returns it.
    fn next_text(&self, file: &File, drawn: &mut DrawnTable) -> String {
        let waits = |pending: &mut Pending| pending.is_empty();
        let waited = self.changed.wait_while(lock(&self.pending), waits);
        let mut pending = waited.unwrap_or_else(PoisonError::into_inner);
        pending.is_writing = true;
        if std::mem::take(&mut pending.is_moved) {
            *drawn = DrawnTable::default();
        }
        let lines = pending.take_lines();
        // While there are more lines, the table is not drawn between them.
        let table = if pending.lines.is_empty() { pending.table.take() } else { Some(Vec::new()) };
        drop(pending);
        let columns = tcgetwinsize(file).map_or(usize::MAX, |size| columns_of(size.ws_col));
        drawn.replaced(lines, table, columns)
    }
}

/// Writes all bytes. Another program may have made the output non-blocking.
fn write_piece(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                poll(&mut [PollFd::new(file, PollFlags::OUT)], None)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the number of columns of a terminal. Some terminals report 0.
fn columns_of(reported: u16) -> usize {
    if reported == 0 { 80 } else { reported.into() }
}

/// The table that is at the end of the terminal.
#[derive(Debug, Default)]
struct DrawnTable {
    rows: Vec<StyledText>,
    /// The columns of the terminal when it was written.
    columns: usize,
}

impl DrawnTable {
    /// Returns the text that writes lines above the table, and a new table if there is one.
    fn replaced(&mut self, lines: String, table: Option<Vec<StyledText>>, columns: usize) -> String {
        if lines.is_empty() && columns == self.columns && table.as_ref().is_none_or(|rows| *rows == self.rows)
        {
            return lines;
        }
        let mut text = self.erased(columns) + &lines;
        self.columns = columns;
        if let Some(rows) = table {
            self.rows = rows;
        }
        for StyledText { text: row, style } in &self.rows {
            let row = cut(row, columns);
            text.push_str(&if style.is_empty() {
                format!("{row}\n")
            } else {
                format!("\x1b[{style}m{row}\x1b[0m\n")
            });
        }
        text
    }

    /// Returns the text that removes the table. A terminal that has become narrower has broken its rows.
    fn erased(&self, columns: usize) -> String {
        let lines = |row: &StyledText| width(cut(&row.text, self.columns)).div_ceil(columns).max(1);
        let lines: usize = self.rows.iter().map(lines).sum();
        if lines == 0 { String::new() } else { format!("\r\x1b[{lines}A\x1b[J") }
    }
}

/// Returns the width of a text in columns of a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Returns the begin of a text that fits into columns of a terminal.
pub(crate) fn cut(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let end = text.char_indices().find(|(_, c)| {
        let width = c.width().unwrap_or_default();
        let has_room = width <= left;
        left = left.saturating_sub(width);
        !has_room
    });
    end.map_or(text, |(index, _)| &text[..index])
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, PipeReader};

    use super::*;

    fn pipe() -> (BufReader<PipeReader>, Output) {
        let (reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        (BufReader::new(reader), Output::to(file).unwrap())
    }

    fn lines(reader: &mut BufReader<PipeReader>, count: usize) -> Vec<String> {
        reader.lines().take(count).map(Result::unwrap).collect()
    }

    #[test]
    fn the_table_is_removed_before_new_lines_and_written_below_them() {
        let (mut reader, output) = pipe();
        output.line("first".into());
        output.table(vec![StyledText::new("NAME\u{7}", "7"), StyledText::new("node", "")]);
        output.finish(|| false);
        output.line("second".into());
        output.finish(|| false);
        output.leave_table();
        output.table(vec![]);
        output.line("third".into());
        output.finish(|| false);
        let want = [
            "first",
            "\x1b[7mNAME\x1b[0m",
            "node",
            "\r\x1b[2A\x1b[Jsecond",
            "\x1b[7mNAME\x1b[0m",
            "node",
            "third",
        ];
        assert_eq!(lines(&mut reader, 7), want);
    }

    #[test]
    fn lines_that_nobody_reads_are_counted() {
        let (mut reader, mut output) = pipe();
        let line = "a".repeat(1000);
        let begin = Instant::now();
        // Processes wait only for a while.
        while begin.elapsed() < STALL_TIMEOUT {
            if output.wants_lines() {
                output.line(line.clone());
            }
        }
        for _ in 0..10_000 {
            output.line(line.clone());
        }
        while !output.wants_lines() {
            assert!(begin.elapsed() < 10 * STALL_TIMEOUT);
        }
        let mut whole = 0;
        let lost = loop {
            match &lines(&mut reader, 1)[0] {
                text if *text == line => whole += 1,
                text => break text.clone(),
            }
        };
        assert!((4000..6000).contains(&whole), "{whole}");
        assert!(lost.ends_with("lines are only in the log files, because nobody read the output"), "{lost}");
        output.line("later".into());
        assert_eq!(lines(&mut reader, 1), ["later"]);
    }

    #[test]
    fn a_slow_reader_loses_nothing() {
        let (mut reader, mut output) = pipe();
        let line = "a".repeat(1000);
        let writer = thread::spawn({
            let line = line.clone();
            move || {
                for _ in 0..2000 {
                    while !output.wants_lines() {
                        thread::yield_now();
                    }
                    output.line(line.clone());
                }
                assert_eq!(output.finish(|| false), None);
            }
        });
        for _ in 0..400 {
            // The reader is slow: it reads less than 5 MB in a second.
            thread::sleep(Duration::from_millis(1));
            assert!(lines(&mut reader, 5).iter().all(|got| *got == line));
        }
        writer.join().unwrap();
    }

    #[test]
    fn a_closed_output_takes_everything() {
        let (reader, output) = pipe();
        drop(reader);
        output.line("first".into());
        output.finish(|| false);
        output.line("second".into());
        let failure = output.finish(|| false).unwrap();
        assert!(failure.starts_with("the output can't be written: Broken pipe"), "{failure}");
    }

    #[test]
    fn an_output_that_does_not_wait_loses_nothing() {
        let (reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let flags = rustix::fs::fcntl_getfl(&file).unwrap();
        rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
        let output = Output::to(file).unwrap();
        let line = "a".repeat(1000);
        (0..200).for_each(|_| output.line(line.clone()));
        assert!(lines(&mut BufReader::new(reader), 200).iter().all(|got| *got == line));
    }

    #[test]
    fn a_row_has_as_many_lines_as_a_narrower_terminal_needs() {
        let rows = ["abcdefgh", "", "機械機械"].map(|text| StyledText::new(text, "")).to_vec();
        let drawn = |columns| DrawnTable { rows: rows.clone(), columns };
        assert_eq!(drawn(80).erased(80), "\r\x1b[3A\x1b[J");
        assert_eq!(drawn(80).erased(4), "\r\x1b[5A\x1b[J");
        assert_eq!(drawn(4).erased(4), "\r\x1b[3A\x1b[J");
        assert_eq!(DrawnTable::default().erased(4), "");
    }

    #[test]
    fn a_text_is_cut_by_columns() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("機械", 3), "機");
        assert_eq!(cut("e\u{301}x", 1), "e\u{301}");
    }
}
