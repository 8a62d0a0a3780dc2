//! Serial lines and pseudo-terminals: messages in frames with a checksum.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Read},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::OpenOptionsExt,
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::OFlags,
    io::Errno,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{ControlModes, OptionalActions, speed, tcgetattr, tcsetattr},
};
use saltus_node::Logger;
use saltus_xrce::{SerialDecoder, write_serial_frame};

use super::{FIRST_NUMBER, Poller, Transport, TransportEvent, stream::Outgoing, would_block};

/// The address of the agent on a line.
const AGENT: u8 = 0;
/// The number of bytes that may wait for a line, besides those that the system holds.
const WAITING: usize = 8 << 10;
/// The longest message on a line, in bytes.
const LONGEST: usize = 8 << 10;

/// Lines that are open, and lines that are opened when their device appears.
#[derive(Debug)]
pub(crate) struct Serial {
    lines: Vec<Line>,
    poller: Option<Poller>,
    /// The frame that is being written.
    scratch: Vec<u8>,
    /// The lines whose clients are gone, and that the agent does not know yet.
    ended: VecDeque<LineAddress>,
    kind: &'static str,
    logger: Logger,
}

/// A client on a line: the number of the line, and the address on it.
pub(crate) type LineAddress = (usize, u8);

#[derive(Debug)]
struct Line {
    path: PathBuf,
    speed: Option<u32>,
    file: Option<File>,
    /// The other end of a pseudo-terminal. While it is open, the line does not hang up when a client closes it.
    _other_end: Option<OwnedFd>,
    decoder: SerialDecoder,
    outgoing: Outgoing,
    wants_write: bool,
    input: Vec<u8>,
    /// The part of `input` that was not looked at.
    unread: std::ops::Range<usize>,
    is_ready: bool,
    /// The addresses that have sent frames.
    heard: Vec<u8>,
    /// Why it can't be opened, as it was logged last. Empty if it is open, or was not tried yet.
    problem: String,
}

impl Line {
    /// Makes the poller report when something arrives. If that fails, the line is closed again.
    fn register(&mut self, poller: Option<&Poller>, number: usize) -> io::Result<()> {
        let (Some(file), Some(poller)) = (&self.file, poller) else { return Ok(()) };
        let added = poller.add(file.as_fd(), FIRST_NUMBER + number as u64);
        if added.is_err() {
            self.file = None;
        }
        added
    }

    /// Writes what waits, as much as the system takes. Makes the poller report when it takes more.
    fn flush(&mut self, poller: Option<&Poller>, number: usize) -> io::Result<()> {
        let Some(file) = self.file.as_mut().filter(|_| !self.outgoing.is_empty()) else { return Ok(()) };
        self.outgoing.flush(file)?;
        let wanted = !self.outgoing.is_empty();
        if wanted != self.wants_write
            && let Some(poller) = poller
        {
            poller.want_write(file.as_fd(), FIRST_NUMBER + number as u64, wanted)?;
            self.wants_write = wanted;
        }
        Ok(())
    }

    fn new(path: PathBuf, speed: Option<u32>, file: Option<File>, other_end: Option<OwnedFd>) -> Self {
        Self {
            path,
            speed,
            file,
            _other_end: other_end,
            decoder: SerialDecoder::new(AGENT, LONGEST),
            outgoing: Outgoing::new(WAITING),
            wants_write: false,
            input: vec![0; 4096],
            unread: 0..0,
            is_ready: false,
            heard: Vec::new(),
            problem: String::new(),
        }
    }

    /// Opens the device.
    fn open(&mut self) -> io::Result<()> {
        let flags = (OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&self.path)?;
        make_raw(&file, self.speed)?;
        self.file = Some(file);
        self.decoder = SerialDecoder::new(AGENT, LONGEST);
        self.outgoing = Outgoing::new(WAITING);
        self.wants_write = false;
        Ok(())
    }
}

/// Makes a terminal pass all bytes as they are, at the given speed in baud.
fn make_raw(file: &File, baud: Option<u32>) -> io::Result<()> {
    let mut modes = tcgetattr(file)?;
    modes.make_raw();
    modes.control_modes |= ControlModes::CREAD | ControlModes::CLOCAL;
    if let Some(baud) = baud {
        modes.set_speed(baud)?;
    }
    Ok(tcsetattr(file, OptionalActions::Now, &modes)?)
}

/// The speed of a line if none is given, in baud.
pub(crate) const DEFAULT_SPEED: u32 = speed::B115200;

/// Returns whether an error says that a device is not there, or not yet.
fn is_absent(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NXIO | Errno::NODEV | Errno::IO))
}

impl Serial {
    /// Opens lines. Those whose device is not there are opened when it appears.
    ///
    /// # Errors
    /// Returns an error if the only device is there, and can't be opened.
    pub(crate) fn open(paths: &[PathBuf], baud: u32) -> io::Result<Self> {
        let mut lines = Vec::new();
        for path in paths {
            let mut line = Line::new(path.clone(), Some(baud), None, None);
            if let Err(error) = line.open()
                && paths.len() == 1
                && !is_absent(&error)
            {
                return Err(with_path(path, &error));
            }
            lines.push(line);
        }
        let kind = if paths.len() == 1 { "serial" } else { "multiserial" };
        Ok(Self::of(lines, kind))
    }

    /// Creates a pseudo-terminal. Returns the path at which a client opens it.
    pub(crate) fn pseudo_terminal() -> io::Result<(Self, PathBuf)> {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&own)?;
        unlockpt(&own)?;
        let name = ptsname(&own, Vec::new())?;
        let path = PathBuf::from(name.to_string_lossy().into_owned());
        let other_end = OpenOptions::new().read(true).write(true).open(&path)?;
        make_raw(&other_end, None)?;
        let file = File::from(own);
        rustix::io::ioctl_fionbio(&file, true)?;
        let line = Line::new(path.clone(), None, Some(file), Some(other_end.into()));
        Ok((Self::of(vec![line], "pty"), path))
    }

    fn of(lines: Vec<Line>, kind: &'static str) -> Self {
        let logger = Logger::new("agent").child(kind);
        Self { lines, poller: None, scratch: Vec::new(), ended: VecDeque::new(), kind, logger }
    }

    /// Closes a line, and notes for the agent that its clients are gone.
    fn close(&mut self, number: usize) {
        let line = &mut self.lines[number];
        line.file = None;
        line.is_ready = false;
        line.unread = 0..0;
        self.ended.extend(line.heard.drain(..).map(|address| (number, address)));
    }

    /// Opens the lines whose devices have appeared, and logs what has changed.
    fn reopen(&mut self) {
        for (number, line) in self.lines.iter_mut().enumerate().filter(|(_, line)| line.file.is_none()) {
            let path = line.path.display().to_string();
            let opened = line.open().and_then(|()| line.register(self.poller.as_ref(), number));
            match opened {
                Ok(()) => {
                    line.problem.clear();
                    saltus_node::info!(self.logger, "{path}: open");
                }
                Err(error) if error.to_string() != line.problem => {
                    line.problem = error.to_string();
                    saltus_node::warn!(self.logger, "{path}: {error}; waiting for it");
                }
                Err(_) => {}
            }
        }
    }

    /// Reads from a line. Returns the next message, if one is complete.
    fn read(&mut self, number: usize, buffer: &mut [u8]) -> Option<TransportEvent<LineAddress>> {
        let line = &mut self.lines[number];
        loop {
            for index in line.unread.by_ref() {
                if let Some(frame) = line.decoder.push(line.input[index]) {
                    let len = frame.message.len();
                    buffer[..len].copy_from_slice(frame.message);
                    if !line.heard.contains(&frame.source) {
                        line.heard.push(frame.source);
                    }
                    return Some(TransportEvent::Message { from: (number, frame.source), len });
                }
            }
            match line.file.as_mut()?.read(&mut line.input) {
                Ok(len) if len > 0 => line.unread = 0..len,
                Err(error) if would_block(&error) => {
                    line.is_ready = false;
                    return None;
                }
                Ok(_) | Err(_) => {
                    self.close(number);
                    return None;
                }
            }
        }
    }
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Transport for Serial {
    type Address = LineAddress;

    fn register(&mut self, poller: Poller) -> io::Result<()> {
        for (number, line) in self.lines.iter().enumerate() {
            if let Some(file) = &line.file {
                poller.add(file.as_fd(), FIRST_NUMBER + number as u64)?;
            }
        }
        self.poller = Some(poller);
        Ok(())
    }

    fn note_ready(&mut self, number: u64) {
        let Some(number) = number.checked_sub(FIRST_NUMBER).map(|number| number as usize) else { return };
        let Some(line) = self.lines.get_mut(number) else { return };
        line.is_ready = true;
        if line.flush(self.poller.as_ref(), number).is_err() {
            self.close(number);
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<TransportEvent<LineAddress>>> {
        for number in 0..self.lines.len() {
            if self.lines[number].is_ready
                && let Some(arrived) = self.read(number, buffer)
            {
                return Ok(Some(arrived));
            }
        }
        Ok(self.ended.pop_front().map(TransportEvent::Closed))
    }

    fn send(&mut self, (number, address): &LineAddress, message: &[u8]) -> bool {
        let Some(line) = self.lines.get_mut(*number) else { return false };
        let Some(file) = &mut line.file else { return false };
        self.scratch.clear();
        write_serial_frame(AGENT, *address, message, &mut self.scratch);
        line.outgoing.send(&self.scratch, file).unwrap_or_else(|_| {
            self.close(*number);
            false
        })
    }

    fn flush(&mut self) {
        for number in 0..self.lines.len() {
            if self.lines[number].flush(self.poller.as_ref(), number).is_err() {
                self.close(number);
            }
        }
    }

    fn mtu(&self) -> usize {
        LONGEST
    }

    fn maintain(&mut self) {
        self.reopen();
    }

    fn link(&self, (number, address): &LineAddress) -> String {
        let path = self.lines.get(*number).map(|line| line.path.display().to_string());
        format!("{} {} address {address}", self.kind, path.unwrap_or_default())
    }

    fn name(&self) -> String {
        let paths: Vec<String> = self.lines.iter().map(|line| line.path.display().to_string()).collect();
        format!("{} {}", self.kind, paths.join(" "))
    }

    fn damaged(&self) -> u64 {
        self.lines.iter().map(|line| line.decoder.damaged()).sum()
    }
}
