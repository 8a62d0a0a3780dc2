//! Chunks in the hands of a writer, and small messages on the stack.

use std::ptr::NonNull;

use super::{PublishError, Sender};
use crate::{
    chunk::{ChunkIndex, MESSAGE_OFFSET, block_len},
    protocol::ring::Unsent as Why,
};

/// Messages of at most this many bytes (a body of 256) are written on the stack and then copied, so the publisher is
/// locked once. For longer ones it is locked twice.
pub(super) const SMALL: usize = 260;
/// Where the body begins a cache line, as in a chunk.
const START: usize = MESSAGE_OFFSET % 64;

/// A place for a small message, aligned as in a chunk.
#[repr(C, align(64))]
pub(super) struct SmallMessage([u8; START + SMALL]);

impl SmallMessage {
    pub(super) const fn new() -> Self {
        Self([0; START + SMALL])
    }

    /// The place of a message of `len` bytes, at most [`SMALL`].
    pub(super) fn message(&mut self, len: usize) -> &mut [u8] {
        &mut self.0[START..START + len]
    }
}

/// A chunk in the hands of a writer. It goes back unused, should its writer fail or panic.
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

    /// The place of a message of `len` bytes.
    pub(super) fn message(&mut self, len: usize) -> &mut [u8] {
        // SAFETY: the chunk's index is in nobody else's hands, and the sender keeps it mapped.
        let message = unsafe { self.message.as_mut() };
        &mut message[..len]
    }

    /// The chunk and its place, which are the caller's now.
    pub(crate) fn into_parts(self) -> (ChunkIndex, NonNull<[u8]>) {
        let parts = (self.index, self.message);
        std::mem::forget(self);
        parts
    }

    /// It is to be sent.
    pub(super) fn keep(self) -> ChunkIndex {
        self.into_parts().0
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        self.sender.lock().pool.give_back(self.index);
    }
}

impl Sender {
    /// A chunk for a message of at least `len` bytes. No lock is held when this returns, nor while memory is asked
    /// of the system.
    pub(crate) fn draft(&self, len: usize) -> Result<Draft<'_>, PublishError> {
        if !self.is_usable() {
            return Err(self.unusable());
        }
        let mut inner = self.lock();
        if let Some(index) = inner.pool.acquire(len) {
            let message = inner.pool.message(index);
            return Ok(Draft { sender: self, index, message });
        }
        let small = inner.pool.shed_small(len);
        drop(inner);
        let arena = &self.memory.arena;
        small.into_iter().for_each(|block| arena.free(block));
        let index = match arena.allocate(block_len(len)) {
            Ok(block) => {
                if arena.is_low() {
                    // Its thread gets the next memory, and this one need not wait for it.
                    self.memory.link.ring_housekeeping();
                }
                self.lock().pool.adopt(block, &self.memory.segment)
            }
            // Better a chunk out of turn than none.
            Err(error) => self.lock().pool.acquire_any(len).ok_or(error),
        };
        let index = index.inspect_err(|_| {
            self.counters.count_failure();
            self.lock().count_unsent(Why::OutOfMemory);
        })?;
        Ok(Draft::new(self, index))
    }
}
