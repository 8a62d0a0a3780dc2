//! Bytes that wait until a descriptor can take them.

use std::{
    collections::VecDeque,
    io::{self, Write},
};

use super::would_block;

/// The bytes of messages that the system has not taken yet. A message is never cut.
///
/// **Invariant:** it holds at most `limit` bytes and one message.
#[derive(Debug)]
pub(super) struct Outgoing {
    bytes: VecDeque<u8>,
    limit: usize,
}

impl Outgoing {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit }
    }

    /// Returns whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds a message. [`Outgoing::flush`] writes it. Returns `false` if too much waits that the system does not take; then nothing is
    /// added.
    pub(super) fn send(&mut self, message: &[u8], to: &mut impl Write) -> io::Result<bool> {
        if self.bytes.len() >= self.limit {
            self.flush(to)?;
        }
        let has_room = self.bytes.len() < self.limit;
        if has_room {
            self.bytes.extend(message);
        }
        Ok(has_room)
    }

    /// Writes what waits, as much as the system takes.
    pub(super) fn flush(&mut self, to: &mut impl Write) -> io::Result<()> {
        while !self.is_empty() {
            let written = write_some(self.bytes.as_slices().0, to)?;
            if written == 0 {
                break;
            }
            self.bytes.drain(..written);
        }
        Ok(())
    }
}

/// Returns how many bytes the system has taken.
fn write_some(bytes: &[u8], to: &mut impl Write) -> io::Result<usize> {
    match to.write(bytes) {
        Err(error) if would_block(&error) => Ok(0),
        written => written,
    }
}
