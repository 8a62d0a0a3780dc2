//! Memory for messages that are being written: chunks, and the stack for small messages.

use std::ptr::NonNull;

use super::{PublishError, Sender};
use crate::{
    chunk::{ChunkIndex, MESSAGE_OFFSET, block_len},
    protocol::ring::Unsent,
};

/// Messages of at most this many bytes (a body of 256) are written on the stack and then copied, so the sender is
/// locked once. For longer messages it is locked twice.
pub(super) const SMALL: usize = 260;
/// The offset of the message in [`SmallMessage`]. The body begins at a cache line, as in a chunk.
const START: usize = MESSAGE_OFFSET % 64;

/// Memory for a small message, aligned as in a chunk.
#[repr(C, align(64))]
pub(super) struct SmallMessage([u8; START + SMALL]);

impl SmallMessage {
    pub(super) const fn new() -> Self {
        Self([0; START + SMALL])
    }

    /// Returns the memory of a message of `len` bytes, which must be at most [`SMALL`].
    #[inline]
    pub(super) fn message(&mut self, len: usize) -> &mut [u8] {
        &mut self.0[START..START + len]
    }
}

/// A chunk that is being written. Dropping it frees the chunk: if the writer fails or panics, nothing is sent.
pub(crate) struct Draft<'a> {
    sender: &'a Sender,
    index: ChunkIndex,
    message: NonNull<[u8]>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(sender: &'a Sender, index: ChunkIndex) -> Self {
        let message = sender.lock().pool.message(index);
        Self { sender, index, message }
    }

    /// Returns the memory of a message of `len` bytes.
    #[inline]
    pub(super) fn message(&mut self, len: usize) -> &mut [u8] {
        // SAFETY: no other writer has the chunk's index, and the sender keeps the chunk mapped.
        let message = unsafe { self.message.as_mut() };
        &mut message[..len]
    }

    /// Returns the chunk and its memory. The caller owns both from now on.
    pub(crate) fn into_parts(self) -> (ChunkIndex, NonNull<[u8]>) {
        let parts = (self.index, self.message);
        std::mem::forget(self);
        parts
    }

    /// Returns the chunk, which the caller owns from now on.
    pub(super) fn into_index(self) -> ChunkIndex {
        self.into_parts().0
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        self.sender.lock().pool.free_unsent(self.index);
    }
}

impl Sender {
    /// Returns a chunk for a message of at least `len` bytes. The sender is not locked when this returns, or while
    /// memory is allocated.
    #[inline]
    pub(crate) fn draft(&self, len: usize) -> Result<Draft<'_>, PublishError> {
        if !self.is_usable() {
            return Err(self.unusable());
        }
        let mut inner = self.lock();
        if let Some(index) = inner.pool.acquire(len) {
            let message = inner.pool.message(index);
            return Ok(Draft { sender: self, index, message });
        }
        let small = inner.pool.take_small(len);
        drop(inner);
        let arena = &self.memory.arena;
        small.into_iter().for_each(|block| arena.free(block));
        let index = match arena.allocate(block_len(len)) {
            Ok(block) => {
                if arena.is_low() {
                    // The housekeeping thread commits more memory, so that this thread does not have to wait for it.
                    self.memory.link.ring_housekeeping();
                }
                self.lock().pool.add(block, &self.memory.segment)
            }
            // If there is no memory, a chunk is reused at once. That is slow (see `ChunkPool::acquire`), but it is no
            // error.
            Err(error) => self.lock().pool.acquire_any(len).ok_or(error),
        };
        let index = index.inspect_err(|_| {
            self.counters.count_failure();
            self.lock().count_unsent(Unsent::OutOfMemory, 1);
        })?;
        Ok(Draft::new(self, index))
    }
}
