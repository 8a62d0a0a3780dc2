//! The parts of a launch that users see: lines, the live table, and the log file of the launch.

use std::{
    io,
    os::fd::BorrowedFd,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::event::PollFlags;

use crate::{
    attach::Clients,
    live::{Request, Row},
    log_file::LogFile,
    sample::Samples,
    screen::{Level, Line, Screen},
};

/// The screen of a launch, the clients that watch it from elsewhere, and its log file.
pub(super) struct Display {
    screen: Screen,
    clients: Option<Clients>,
    samples: Samples,
    log: LogFile,
    /// Whether the user was told that log files can't be written.
    is_log_loss_reported: bool,
}

impl Display {
    /// Opens the display of a launch with this log folder.
    pub(super) fn open(folder: &Path, with_table: bool) -> io::Result<Self> {
        // The launch goes on if its folder can't have a socket.
        let clients = Clients::open(folder);
        let unreachable =
            clients.as_ref().err().map(|error| format!("`--attach` can't show this launch: {error}"));
        let mut display = Self {
            screen: Screen::open(with_table, false)?,
            clients: clients.ok(),
            samples: Samples::new(),
            log: LogFile::open(folder, "launch")?,
            is_log_loss_reported: false,
        };
        if let Some(text) = unreachable {
            display.message(Level::Warning, "launch", &text);
        }
        Ok(display)
    }

    /// Shows a line of the launcher, and writes it to the log file of the launch.
    pub(super) fn message(&mut self, level: Level, name: &str, text: &str) {
        self.line(&Line::Message { level, name: name.into(), text: text.into() });
        let written = self.log.line(&log_line(level, name, text));
        self.report_log_loss(written);
    }

    /// Shows a line on the screen and to the clients.
    pub(super) fn line(&mut self, line: &Line) {
        self.screen.line(line);
        if let Some(clients) = &mut self.clients {
            clients.send_line(line);
        }
    }

    /// Tells the user once that log files are not complete. A full disk must not end a robot.
    pub(super) fn report_log_loss(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && !std::mem::replace(&mut self.is_log_loss_reported, true)
        {
            let text = format!("log files can't be written, so their lines are lost: {error}");
            self.line(&Line::Message { level: Level::Warning, name: "launch".into(), text });
        }
    }

    /// Whether somebody sees the table.
    pub(super) fn is_watched(&self) -> bool {
        self.has_table() || self.clients.as_ref().is_some_and(Clients::is_watched)
    }

    /// Whether the screen has a table, which reads keys.
    pub(super) fn has_table(&self) -> bool {
        self.screen.live.is_some()
    }

    /// Whether the output of processes is to be read: not while it is written slowly.
    pub(super) fn wants_lines(&mut self) -> bool {
        self.screen.wants_lines()
    }

    /// Returns the time until the table is to be drawn; `None` if nobody sees it.
    pub(super) fn table_due_in(&self) -> Option<Duration> {
        self.is_watched().then(|| self.samples.due_in())
    }

    /// Returns the descriptors of clients, and the events that they wait for.
    pub(super) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        self.clients.iter().flat_map(Clients::fds)
    }

    /// Returns the requests of users. `count` is the number of processes.
    pub(super) fn take_requests(&mut self, count: usize) -> Vec<Request> {
        let keys = self.screen.live.as_mut().map(|live| live.read_keys(count));
        let mut requests = keys.unwrap_or_else(|| Some(Vec::new())).unwrap_or_else(|| {
            self.screen.close_table();
            Vec::new()
        });
        requests.extend(self.clients.as_mut().map(Clients::receive).unwrap_or_default());
        requests
    }

    /// Reads the usage of processes, if it is time to. Returns whether it was.
    pub(super) fn update_samples(&mut self, pids: impl Iterator<Item = i32>) -> bool {
        self.samples.update(pids)
    }

    /// Returns the usage of processes.
    pub(super) fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Shows the table on the screen and to the clients. `is_new` says whether the usage in the rows is new.
    pub(super) fn draw(&mut self, rows: Vec<Row>, is_new: bool) {
        self.screen.draw(&rows);
        if let Some(clients) = &mut self.clients {
            clients.send_rows(rows, is_new);
        }
    }

    /// The launcher goes on after it was stopped.
    pub(super) fn resume(&mut self) {
        self.screen.resume();
    }

    /// Waits until everything is written, or until `gives_up`. The terminal is as before.
    pub(super) fn close(&mut self, gives_up: impl Fn() -> bool) {
        if let Some(clients) = &mut self.clients {
            clients.send_end();
        }
        if let Some(text) = self.screen.close(gives_up) {
            // A full disk must not end a robot.
            let _ = self.log.line(&log_line(Level::Warning, "launch", &text));
        }
    }
}

/// Returns a line of the log of a launch, as in ROS 2: the seconds since the epoch, the level, and the name.
fn log_line(level: Level, name: &str, text: &str) -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    format!("{time:.6} [{}] [{name}]: {text}", level.word())
}
