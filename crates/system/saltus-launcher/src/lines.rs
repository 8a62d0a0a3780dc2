//! Reads the output of a process, and splits it into lines.

use std::{io, os::fd::OwnedFd};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read},
};

/// The maximum length of a line in bytes. A longer line is split.
const MAX_LINE: usize = 64 * 1024;

/// The maximum number of bytes that are read at once.
const CHUNK_SIZE: usize = 64 * 1024;
/// The maximum number of chunks that are read from one process before others are read.
const MAX_CHUNKS: usize = 16;

/// The reading end of the output of a process.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// `None` if the process has closed its output.
    pub(crate) fd: Option<OwnedFd>,
    lines: Lines,
}

impl Stream {
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&fd, fcntl_getfl(&fd)? | OFlags::NONBLOCK)?;
        Ok(Self { fd: Some(fd), lines: Lines::default() })
    }

    /// Returns the complete lines that are there. Does not wait for others.
    pub(crate) fn available(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut bytes = vec![0; CHUNK_SIZE];
        for _ in 0..MAX_CHUNKS {
            let Some(fd) = &self.fd else { break };
            match read(fd, &mut bytes) {
                Ok(count) if count > 0 => lines.extend(self.lines.push(&bytes[..count])),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // The end; of a terminal it is an error.
                _ => self.fd = None,
            }
        }
        lines
    }

    /// Returns everything that is there. Other processes that have the output may write more, which is lost.
    pub(crate) fn end(&mut self) -> Vec<String> {
        let mut lines = self.available();
        self.fd = None;
        lines.extend(self.lines.end());
        lines
    }
}

/// The bytes that a process has written after its last line break.
#[derive(Debug, Default)]
struct Lines(Vec<u8>);

impl Lines {
    /// Appends bytes that a process has written. Returns the lines that are complete.
    fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.0.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                lines.extend(self.end());
            } else if self.0.len() >= MAX_LINE {
                let rest = self.0.split_off(self.0.len() - unfinished_length(&self.0));
                lines.extend(self.end());
                self.0 = rest;
            }
        }
        lines
    }

    /// Returns the last line, which no line break ends.
    fn end(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.0);
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(line).into_owned())
    }
}

/// Returns the number of bytes at the end that are the begin of a character in UTF-8.
fn unfinished_length(bytes: &[u8]) -> usize {
    // A character has four bytes at most.
    let tail = &bytes[bytes.len().saturating_sub(4)..];
    let is_begin = |length: &usize| {
        let error = std::str::from_utf8(&tail[tail.len() - length..]).err();
        error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..tail.len().min(4)).find(is_begin).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_complete_or_the_last_one() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"one\r\ntw"), ["one"]);
        assert_eq!(lines.push(b"o\n\nthree"), ["two", ""]);
        assert_eq!(lines.end().as_deref(), Some("three"));
        assert_eq!(lines.end(), None);
        assert_eq!(lines.push(b"\xff\n"), ["\u{fffd}"]);
    }

    #[test]
    fn a_stream_gives_what_is_there_and_does_not_wait() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut stream = Stream::new(reader.into()).unwrap();
        assert!(stream.available().is_empty());
        io::Write::write_all(&mut writer, b"one\ntwo").unwrap();
        assert_eq!(stream.available(), ["one"]);
        assert!(stream.fd.is_some());
        drop(writer);
        assert!(stream.available().is_empty() && stream.fd.is_none());
        assert_eq!(stream.end(), ["two"]);
    }

    #[test]
    fn a_line_without_end_is_split() {
        let mut lines = Lines::default();
        let got: Vec<String> = (0..3).flat_map(|_| lines.push(&[b'a'; MAX_LINE])).collect();
        assert!(got.iter().all(|line| line.len() == MAX_LINE) && got.len() == 3);
    }

    #[test]
    fn a_line_is_not_split_within_a_character() {
        for character in ["é", "機", "🤖"] {
            let mut lines = Lines::default();
            let text = "a".to_owned() + &character.repeat(MAX_LINE / character.len() + 1);
            let (begin, rest) = text.as_bytes().split_at(MAX_LINE);
            let got = [lines.push(begin), lines.push(rest)].concat();
            assert_eq!(got.concat() + &lines.end().unwrap(), text);
        }
    }
}
