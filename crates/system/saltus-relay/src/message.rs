//! A message that passes from one graph to another.

use std::fmt;

use saltus_host::{Sample, Stamp};
use saltus_types::NetworkLoss;

/// The bytes of a message that came from another system, in one or several parts.
pub trait Parts: Send + Sync {
    /// Returns the number of bytes of all parts.
    fn len(&self) -> usize;

    /// Returns whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies all parts into `into`, which has the length of the message.
    fn copy_to(&self, into: &mut [u8]);
}

/// How many messages were not passed on, and why; `None` if all were.
pub type NotPassed = Option<(NetworkLoss, u64)>;

/// Where the bytes of a message are.
pub enum Body {
    /// In the shared memory of their publisher, until this is dropped.
    Sample(Sample),
    /// In the memory of another system.
    Parts(Box<dyn Parts>),
}

/// A message with its original time and number.
pub struct Message {
    /// The original time and number.
    pub stamp: Stamp,
    /// The bytes.
    pub body: Body,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("stamp", &self.stamp).field("len", &self.len()).finish()
    }
}

/// Bytes in memory of this process.
impl Parts for Vec<u8> {
    fn len(&self) -> usize {
        self.len()
    }

    fn copy_to(&self, into: &mut [u8]) {
        into.copy_from_slice(self);
    }
}

impl From<Sample> for Message {
    fn from(sample: Sample) -> Self {
        let stamp = Stamp { source_time: sample.source_time(), sequence: sample.sequence(), gid: None };
        Self { stamp, body: Body::Sample(sample) }
    }
}

impl Message {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        match &self.body {
            Body::Sample(sample) => sample.len(),
            Body::Parts(parts) => parts.len(),
        }
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the sample that has the bytes, if they are in shared memory.
    pub(crate) fn into_sample(self) -> Option<Sample> {
        match self.body {
            Body::Sample(sample) => Some(sample),
            Body::Parts(_) => None,
        }
    }

    /// Returns a copy in memory of this process.
    #[must_use]
    pub fn copied(&self) -> Self {
        Self { stamp: self.stamp, body: Body::Parts(Box::new(self.to_vec())) }
    }

    /// Returns a copy of the bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        self.copy_to(&mut bytes);
        bytes
    }

    /// Copies the bytes into `into`.
    ///
    /// # Panics
    /// Panics if `into` has another length.
    pub fn copy_to(&self, into: &mut [u8]) {
        match &self.body {
            Body::Sample(sample) => into.copy_from_slice(sample),
            Body::Parts(parts) => parts.copy_to(into),
        }
    }
}
