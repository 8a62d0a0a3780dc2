//! The connection of other terminals to a launch: `saltus launch --attach`.
//!
//! A launch has a socket in its log folder. It sends each line that it shows and, once in a second, the rows of its table.
//! A client sends the requests of its user. All messages are lines of JSON.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd},
        unix::net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, poll};
use serde::{Deserialize, Serialize};

use crate::{
    guard::{ending_fd, has_signal, is_foreground, is_stop_over, signal_fd},
    live::{Request, Row},
    screen::{Line, Screen},
};

/// The name of the socket.
const SOCKET: &str = "control.sock";
/// The maximum number of bytes that are kept for a client that does not read. A client with more is disconnected. It is also
/// the maximum length of a message.
const MAX_UNSENT: usize = 4_000_000;

/// The time for which the last lines may be written after the user has ended the client.
const LAST_LINES_TIMEOUT: Duration = Duration::from_millis(200);

/// A message from a launch to a client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Message {
    Line(Line),
    Rows(Vec<Row>),
    /// The launch has ended, and sends nothing more.
    End,
}

/// The socket of a launch, and the clients.
#[derive(Debug)]
pub(crate) struct Clients {
    listener: UnixListener,
    path: PathBuf,
    clients: Vec<Client>,
    /// Whether a client has come that has no rows yet.
    has_new: bool,
}

#[derive(Debug)]
struct Client {
    stream: UnixStream,
    /// The bytes that were not sent yet.
    unsent: Vec<u8>,
    /// The received bytes of a message that is not complete.
    received: Vec<u8>,
}

impl Clients {
    /// Opens the socket. Only the user of the launch can connect.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let listener = with_short_path(folder, |path| UnixListener::bind(path))?;
        let path = folder.join(SOCKET);
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path, clients: Vec::new(), has_new: false })
    }

    /// Whether there is a client.
    pub(crate) fn is_watched(&self) -> bool {
        !self.clients.is_empty()
    }

    /// Returns the descriptors to wait for, and the events.
    pub(crate) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let clients = self.clients.iter().map(|client| {
            let wants_to_write = if client.unsent.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            (client.stream.as_fd(), PollFlags::IN | wants_to_write)
        });
        std::iter::once((self.listener.as_fd(), PollFlags::IN)).chain(clients)
    }

    /// Accepts new clients, and reads the requests of all clients.
    pub(crate) fn receive(&mut self) -> Vec<Request> {
        while let Ok((stream, _)) = self.listener.accept() {
            if stream.set_nonblocking(true).is_ok() {
                self.clients.push(Client { stream, unsent: Vec::new(), received: Vec::new() });
                self.has_new = true;
            }
        }
        let mut requests = Vec::new();
        self.clients.retain_mut(|client| client.receive(&mut requests).is_ok() && client.flush().is_ok());
        requests
    }

    pub(crate) fn send_line(&mut self, line: &Line) {
        if self.is_watched() {
            self.send(&Message::Line(line.clone()));
        }
    }

    /// Sends the rows if their values are new, or if a client is new.
    pub(crate) fn send_rows(&mut self, rows: Vec<Row>, are_new: bool) {
        if self.is_watched() && (std::mem::take(&mut self.has_new) || are_new) {
            self.send(&Message::Rows(rows));
        }
    }

    pub(crate) fn send_end(&mut self) {
        self.send(&Message::End);
    }

    fn send(&mut self, message: &Message) {
        // JSON can express every value of a message.
        let Ok(mut bytes) = serde_json::to_vec(message) else { return };
        bytes.push(b'\n');
        self.clients.retain_mut(|client| {
            client.unsent.extend_from_slice(&bytes);
            client.unsent.len() <= MAX_UNSENT && client.flush().is_ok()
        });
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        // An error means that somebody has removed the folder.
        let _ = fs::remove_file(&self.path);
    }
}

impl Client {
    fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive(&mut self, requests: &mut Vec<Request>) -> io::Result<()> {
        let (lines, is_end) = read_lines(&mut self.stream, &mut self.received)?;
        for line in lines {
            requests.push(serde_json::from_slice(&line)?);
        }
        if is_end { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// Reads the complete lines that are there. Also returns whether the stream has ended.
fn read_lines(stream: &mut UnixStream, received: &mut Vec<u8>) -> io::Result<(Vec<Vec<u8>>, bool)> {
    let mut bytes = [0; 64 * 1024];
    let mut is_end = false;
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => {
                is_end = true;
                break;
            }
            Ok(count) => received.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if received.len() > MAX_UNSENT {
            return Err(io::Error::other("a message is too long"));
        }
    }
    let Some(end) = received.iter().rposition(|byte| *byte == b'\n') else { return Ok((Vec::new(), is_end)) };
    let complete: Vec<u8> = received.drain(..=end).collect();
    let lines = complete.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec);
    Ok((lines.collect(), is_end))
}

/// Calls a function with a path of the socket in a folder that is short enough for the kernel, which allows about 100 bytes.
fn with_short_path<T>(folder: &Path, using: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = File::open(folder)?;
    using(&PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd())))
}

fn connect(folder: &Path) -> io::Result<UnixStream> {
    with_short_path(folder, |path| UnixStream::connect(path))
}

/// Returns the log folders of all launches that run, the newest last. `parent` is the folder with the log folders.
pub fn running(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let folders = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = folders.filter(|folder| connect(folder).is_ok()).collect();
    found.sort();
    found
}

/// Shows a launch that runs, until it ends or the user ends it with Ctrl-C. The launch goes on.
///
/// # Errors
///
/// Returns an error if the launch has ended before, if it was killed, or if it has disconnected this process because it did not
/// read.
pub fn attach(folder: &Path) -> io::Result<()> {
    let mut stream = connect(folder)?;
    stream.set_nonblocking(true)?;
    // Before the thread of the output is started. Ctrl-C must restore the terminal.
    let signals = signal_fd()?;
    let mut screen = Screen::open(true, true)?;
    let (mut received, mut rows, mut has_ended) = (Vec::new(), Vec::new(), false);
    loop {
        let stdin = io::stdin();
        let mut fds = vec![PollFd::new(&stream, PollFlags::IN), PollFd::new(&signals, PollFlags::IN)];
        if screen.live.is_some() && is_foreground() {
            fds.push(PollFd::new(&stdin, PollFlags::IN));
        }
        match poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        while let Some(signal) = signals.read_signal()? {
            if !is_stop_over(&signal) {
                let begin = Instant::now();
                screen.close(|| begin.elapsed() > LAST_LINES_TIMEOUT);
                return Ok(());
            }
            screen.resume();
        }
        let (lines, is_end) = read_lines(&mut stream, &mut received)?;
        for line in lines {
            match serde_json::from_slice(&line)? {
                Message::Line(line) => screen.line(&line),
                Message::Rows(new) => rows = new,
                Message::End => has_ended = true,
            }
        }
        let keys = screen.live.as_mut().map(|live| live.read_keys(rows.len()));
        let is_gone = matches!(keys, Some(None));
        if is_end || is_gone {
            // The last lines are still shown.
            let ending = ending_fd()?;
            screen.close(|| has_signal(&ending));
            return match (is_end && !has_ended, connect(folder)) {
                (false, _) => Ok(()),
                (true, Ok(_)) => {
                    Err(io::Error::other("the launch goes on, but its lines were not read in time"))
                }
                (true, Err(_)) => Err(io::Error::other("the launch was killed")),
            };
        }
        for request in keys.flatten().unwrap_or_default() {
            let mut bytes = serde_json::to_vec(&request)?;
            bytes.push(b'\n');
            stream.write_all(&bytes)?;
        }
        screen.draw(&rows);
    }
}
