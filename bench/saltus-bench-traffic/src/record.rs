//! The messages that a node has received, in a file.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

/// A message that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The number of the subscription in its node, in the order of the system.
    pub subscription: u32,
    /// The number of the publisher.
    pub publisher: u32,
    /// The number of the message. Each publisher counts from 0.
    pub sequence: u32,
    /// When it was published, in nanoseconds of the monotonic clock.
    pub sent: u64,
    /// From `publish` to the callback, in nanoseconds.
    pub latency: u32,
    /// From the message of a source on which it depends to the callback, in nanoseconds.
    pub age: u32,
}

const SIZE: usize = 28;
/// A small buffer, because its memory counts as that of the measured node.
const BUFFER: usize = 4096;

/// Writes messages to a file.
pub(crate) struct Recorder(BufWriter<File>);

impl Recorder {
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(BUFFER, File::create(path)?)))
    }

    pub(crate) fn add(&mut self, received: Received) -> io::Result<()> {
        let Received { subscription, publisher, sequence, sent, latency, age } = received;
        let mut bytes = [0; SIZE];
        for (chunk, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip([
            subscription,
            publisher,
            sequence,
            latency,
            age,
            sent as u32,
            (sent >> 32) as u32,
        ]) {
            *chunk = word.to_le_bytes();
        }
        self.0.write_all(&bytes)
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Reads the messages in a file. A message that was not written completely is left out.
///
/// # Errors
///
/// Returns an error if the file can't be read.
pub fn read_records(path: &Path) -> io::Result<Vec<Received>> {
    let bytes = std::fs::read(path)?;
    let records = bytes.as_chunks::<SIZE>().0.iter().map(|record| {
        let mut words = record.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or_default();
        let [subscription, publisher, sequence, latency, age, low, high] = std::array::from_fn(|_| next());
        let sent = u64::from(low) | (u64::from(high) << 32);
        Received { subscription, publisher, sequence, sent, latency, age }
    });
    Ok(records.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let one = Received { subscription: 1, publisher: 2, sequence: 3, sent: 1 << 40, latency: 5, age: 6 };
        let two = Received { sequence: u32::MAX, sent: u64::MAX, ..one };
        let mut recorder = Recorder::new(&path).unwrap();
        recorder.add(one).unwrap();
        recorder.add(two).unwrap();
        recorder.end().unwrap();
        assert_eq!(read_records(&path).unwrap(), [one, two]);
    }
}
