//! Lets other terminals watch a launch: `saltus launch --attach`.
//!
//! A launch has a socket in its log folder. It sends each line that it shows and, once in a second, the rows of its table.
//! A client sends what its user wants. All messages are lines of JSON.

use std::{
    fs, io,
    io::{Read, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

use rustix::event::{PollFd, PollFlags, poll};
use serde::{Deserialize, Serialize};

use crate::{
    guard::signal_fd,
    live::{Live, Row, Wish, is_foreground},
};

/// The name of the socket.
const SOCKET: &str = "control.sock";
/// How much is kept for a client that does not read. Then it is cut off.
const MOST: usize = 4_000_000;

/// What a launch sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Message {
    Line(String),
    Rows(Vec<Row>),
}

/// The socket of a launch, and the clients.
#[derive(Debug)]
pub(crate) struct Clients {
    listener: UnixListener,
    path: PathBuf,
    clients: Vec<Client>,
}

#[derive(Debug)]
struct Client {
    stream: UnixStream,
    /// What was not sent yet.
    unsent: Vec<u8>,
    /// What was received of a message that is not complete.
    received: Vec<u8>,
}

impl Clients {
    /// Opens the socket. Only the user of the launch can connect.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(SOCKET);
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path, clients: Vec::new() })
    }

    /// Whether somebody watches.
    pub(crate) fn is_watched(&self) -> bool {
        !self.clients.is_empty()
    }

    /// Returns the descriptors to wait for, and what for.
    pub(crate) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let clients = self.clients.iter().map(|client| {
            let wants_to_write = if client.unsent.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            (client.stream.as_fd(), PollFlags::IN | wants_to_write)
        });
        std::iter::once((self.listener.as_fd(), PollFlags::IN)).chain(clients)
    }

    /// Takes new clients, and reads what they want.
    pub(crate) fn receive(&mut self) -> Vec<Wish> {
        while let Ok((stream, _)) = self.listener.accept() {
            if stream.set_nonblocking(true).is_ok() {
                self.clients.push(Client { stream, unsent: Vec::new(), received: Vec::new() });
            }
        }
        let mut wishes = Vec::new();
        self.clients.retain_mut(|client| client.receive(&mut wishes).is_ok() && client.flush().is_ok());
        wishes
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        if self.is_watched() {
            self.send(&Message::Line(line.to_owned()));
        }
    }

    pub(crate) fn send_rows(&mut self, rows: Vec<Row>) {
        self.send(&Message::Rows(rows));
    }

    fn send(&mut self, message: &Message) {
        // A row has no value that JSON can't express.
        let Ok(mut bytes) = serde_json::to_vec(message) else { return };
        bytes.push(b'\n');
        self.clients.retain_mut(|client| {
            client.unsent.extend_from_slice(&bytes);
            client.unsent.len() <= MOST && client.flush().is_ok()
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

    fn receive(&mut self, wishes: &mut Vec<Wish>) -> io::Result<()> {
        let (lines, is_end) = read_lines(&mut self.stream, &mut self.received)?;
        for line in lines {
            wishes.push(serde_json::from_slice(&line)?);
        }
        if is_end { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// Reads the complete lines that are there. Also returns whether no others will come.
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
        if received.len() > MOST {
            break;
        }
    }
    let Some(end) = received.iter().rposition(|byte| *byte == b'\n') else { return Ok((Vec::new(), is_end)) };
    let complete: Vec<u8> = received.drain(..=end).collect();
    let lines = complete.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec);
    Ok((lines.collect(), is_end))
}

/// Returns the log folders of all launches that run, the newest last. `parent` is the folder with the log folders.
pub fn running(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let folders = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        folders.filter(|folder| UnixStream::connect(folder.join(SOCKET)).is_ok()).collect();
    found.sort();
    found
}

/// Shows a launch that runs, until it ends or the user ends it with Ctrl-C. The launch goes on.
///
/// # Errors
///
/// Returns an error if the launch has ended.
pub fn attach(folder: &Path) -> io::Result<()> {
    let mut stream = UnixStream::connect(folder.join(SOCKET))?;
    stream.set_nonblocking(true)?;
    let mut live = Live::open()?;
    // Ctrl-C must restore the terminal.
    let signals = signal_fd()?;
    let (mut received, mut rows) = (Vec::new(), Vec::new());
    loop {
        let stdin = io::stdin();
        let mut fds = vec![PollFd::new(&stream, PollFlags::IN), PollFd::new(&signals, PollFlags::IN)];
        if live.is_some() && is_foreground() {
            fds.push(PollFd::new(&stdin, PollFlags::IN));
        }
        match poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if signals.read_signal()?.is_some() {
            return Ok(());
        }
        let (lines, is_end) = read_lines(&mut stream, &mut received)?;
        for line in lines {
            match serde_json::from_slice(&line)? {
                Message::Line(line) => match &mut live {
                    Some(live) => live.line(&line),
                    None => writeln!(io::stdout().lock(), "{line}")?,
                },
                Message::Rows(new) => rows = new,
            }
        }
        if is_end {
            return Ok(());
        }
        if let Some(live) = &mut live {
            let Some(wishes) = live.read_keys(rows.len()) else { return Ok(()) };
            for wish in wishes {
                let mut bytes = serde_json::to_vec(&wish)?;
                bytes.push(b'\n');
                stream.write_all(&bytes)?;
            }
            live.draw(&rows);
        }
    }
}
