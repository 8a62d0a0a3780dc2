//! The standard output of the launcher, which a thread writes: a terminal or a pipe that takes nothing stops only this thread.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

use rustix::termios::tcgetwinsize;
use saltus_types::lock;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How much text is kept until it is written, in bytes.
const MOST: usize = 1_000_000;
/// How long a line waits for room. This slows processes whose output is read slowly. If nothing was written in this time,
/// nobody reads the output.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often is looked whether the end of the output is still awaited.
const LOOK: Duration = Duration::from_millis(50);

/// The standard output.
#[derive(Debug)]
pub(crate) struct Output(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    pending: Mutex<Pending>,
    changed: Condvar,
}

/// What is to be written.
#[derive(Debug, Default)]
struct Pending {
    lines: VecDeque<String>,
    /// The length of these lines in bytes.
    size: usize,
    /// How many lines came when there was no room, since that was written.
    lost: u64,
    /// The table below the lines, if it has changed.
    table: Option<Vec<StyledText>>,
    /// Whether the table is no longer at the end of the terminal.
    is_moved: bool,
    is_writing: bool,
    /// How many lines the thread writes at the moment.
    in_work: u64,
    /// Whether nobody reads the output at the moment. Then no line waits for room.
    is_stalled: bool,
    /// Whether the output was closed.
    is_closed: bool,
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
        let shared = Arc::<Shared>::default();
        let own = shared.clone();
        thread::Builder::new().name("output".into()).spawn(move || own.write(file))?;
        Ok(Self(shared))
    }

    /// Writes a line above the table.
    pub(crate) fn line(&self, line: String) {
        let Shared { pending, changed } = &*self.0;
        let mut pending = lock(pending);
        if pending.is_closed {
            return;
        }
        if !pending.has_room(&line) && !pending.is_stalled {
            let waits = |pending: &mut Pending| !pending.has_room(&line) && !pending.is_closed;
            let waited = changed.wait_timeout_while(pending, PATIENCE, waits);
            pending = waited.unwrap_or_else(PoisonError::into_inner).0;
            pending.is_stalled = !pending.has_room(&line);
        }
        if pending.has_room(&line) {
            pending.size += line.len();
            pending.lines.push_back(line);
        } else {
            pending.lost += 1;
        }
        changed.notify_all();
    }

    /// Sets the table at the end of the terminal. Without rows, there is none.
    pub(crate) fn table(&self, rows: Vec<StyledText>) {
        lock(&self.0.pending).table = Some(rows);
        self.0.changed.notify_all();
    }

    /// Leaves the table where it is, because others have written below it.
    pub(crate) fn leave_table(&self) {
        lock(&self.0.pending).is_moved = true;
    }

    /// Waits until everything is written, or until `gives_up`. Returns how many lines were not.
    pub(crate) fn finish(&self, gives_up: impl Fn() -> bool) -> u64 {
        let mut pending = lock(&self.0.pending);
        while !pending.is_empty() && !gives_up() {
            let waited = self.0.changed.wait_timeout(pending, LOOK);
            pending = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        pending.in_work + pending.lost + pending.lines.len() as u64
    }
}

impl Pending {
    fn has_room(&self, line: &str) -> bool {
        self.lines.is_empty() || self.size + line.len() <= MOST
    }

    fn is_empty(&self) -> bool {
        self.is_closed
            || (self.lines.is_empty() && self.table.is_none() && self.lost == 0 && !self.is_writing)
    }
}

impl Shared {
    /// Writes what comes. This is the thread.
    fn write(&self, mut file: File) {
        let mut drawn = Drawn::default();
        loop {
            let text = self.next(&file, &mut drawn);
            let written = file.write_all(text.as_bytes());
            let mut pending = lock(&self.pending);
            (pending.is_writing, pending.is_stalled, pending.in_work) = (false, false, 0);
            // Nobody reads the output any more. The launch goes on.
            pending.is_closed = written.is_err();
            self.changed.notify_all();
            if pending.is_closed {
                return;
            }
        }
    }

    /// Waits until something is to be written, and returns it.
    fn next(&self, file: &File, drawn: &mut Drawn) -> String {
        let waits = |pending: &mut Pending| pending.is_empty();
        let waited = self.changed.wait_while(lock(&self.pending), waits);
        let mut pending = waited.unwrap_or_else(PoisonError::into_inner);
        (pending.is_writing, pending.in_work) = (true, pending.lines.len() as u64 + pending.lost);
        if std::mem::take(&mut pending.is_moved) {
            *drawn = Drawn::default();
        }
        let mut lines = String::new();
        for line in pending.lines.drain(..) {
            lines.push_str(&line);
            lines.push('\n');
        }
        pending.size = 0;
        let lost = std::mem::take(&mut pending.lost);
        if lost > 0 {
            lines.push_str(&format!(
                "[WARNING] [launch]: {lost} lines are only in the log files, because nobody read the output\n"
            ));
        }
        let table = pending.table.take();
        drop(pending);
        let columns = tcgetwinsize(file).map_or(usize::MAX, |size| usize::from(size.ws_col).max(1));
        drawn.replaced(lines, table, columns)
    }
}

/// The table as it is at the end of the terminal.
#[derive(Debug, Default)]
struct Drawn {
    rows: Vec<StyledText>,
    /// The columns of the terminal when it was written.
    columns: usize,
}

impl Drawn {
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
        let lines = |row: &StyledText| cut(&row.text, self.columns).width().div_ceil(columns).max(1);
        let lines: usize = self.rows.iter().map(lines).sum();
        if lines == 0 { String::new() } else { format!("\r\x1b[{lines}A\x1b[J") }
    }
}

/// Returns as much of a text as has room in columns of a terminal.
pub(crate) fn cut(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let end = text.char_indices().find(|(_, c)| {
        let width = c.width().unwrap_or_default();
        let has_room = width <= left;
        left = left.saturating_sub(width);
        !has_room
    });
    end.map_or(text, |(place, _)| &text[..place])
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, PipeReader},
        time::Instant,
    };

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
    fn lines_are_above_the_table_which_is_removed_before_them() {
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
    fn lines_that_nobody_reads_are_counted_and_do_not_stop_the_launcher() {
        let (mut reader, output) = pipe();
        let line = "a".repeat(1000);
        let begin = Instant::now();
        for _ in 0..10_000 {
            output.line(line.clone());
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        let mut whole = 0;
        let lost = loop {
            match &lines(&mut reader, 1)[0] {
                text if *text == line => whole += 1,
                text => break text.clone(),
            }
        };
        let count = 10_000 - whole;
        assert!(count > 0);
        let want = format!(
            "[WARNING] [launch]: {count} lines are only in the log files, because nobody read the output"
        );
        assert_eq!(lost, want);
        output.line("later".into());
        assert_eq!(lines(&mut reader, 1), ["later"]);
    }

    #[test]
    fn a_slow_reader_loses_nothing() {
        let (mut reader, output) = pipe();
        let line = "a".repeat(1000);
        let writer = thread::spawn({
            let line = line.clone();
            move || (0..5000).for_each(|_| output.line(line.clone()))
        });
        assert!(lines(&mut reader, 5000).iter().all(|got| *got == line));
        writer.join().unwrap();
    }

    #[test]
    fn a_closed_output_takes_everything() {
        let (reader, output) = pipe();
        drop(reader);
        output.line("first".into());
        output.finish(|| false);
        output.line("second".into());
        assert_eq!(output.finish(|| false), 0);
    }

    #[test]
    fn a_row_has_as_many_lines_as_a_narrower_terminal_needs() {
        let rows = ["abcdefgh", "", "機械機械"].map(|text| StyledText::new(text, "")).to_vec();
        let drawn = |columns| Drawn { rows: rows.clone(), columns };
        assert_eq!(drawn(80).erased(80), "\r\x1b[3A\x1b[J");
        assert_eq!(drawn(80).erased(4), "\r\x1b[5A\x1b[J");
        assert_eq!(drawn(4).erased(4), "\r\x1b[3A\x1b[J");
        assert_eq!(Drawn::default().erased(4), "");
    }

    #[test]
    fn a_text_is_cut_by_columns() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("機械", 3), "機");
        assert_eq!(cut("e\u{301}x", 1), "e\u{301}");
    }
}
