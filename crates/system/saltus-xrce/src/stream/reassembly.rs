//! Putting a submessage together from its fragments.

/// The result of a fragment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reassembled {
    /// More fragments follow.
    Incomplete,
    /// It was the last one. The submessage is complete, with its header.
    Complete(Vec<u8>),
    /// It was the last one. The submessage is longer than the limit, and is dropped.
    TooLong {
        /// The length of the submessage, in bytes.
        size: usize,
    },
}

/// Puts a submessage together from its fragments, which must come in order.
///
/// **Invariant:** it holds at most `limit` bytes. The fragments of a longer submessage are dropped as they come.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly {
    limit: usize,
    bytes: Vec<u8>,
    /// The length of all fragments.
    size: usize,
}

impl Reassembly {
    /// Creates it. `limit` is the longest submessage, in bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), size: 0 }
    }

    /// Takes the next fragment.
    pub(crate) fn push(&mut self, fragment: &[u8], is_last: bool) -> Reassembled {
        self.size += fragment.len();
        if self.size <= self.limit {
            self.bytes.extend_from_slice(fragment);
        } else {
            self.bytes = Vec::new();
        }
        if !is_last {
            return Reassembled::Incomplete;
        }
        let (bytes, size) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.size));
        if size <= self.limit { Reassembled::Complete(bytes) } else { Reassembled::TooLong { size } }
    }

    /// Drops the fragments of an incomplete submessage.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.limit);
    }
}
