//! Memory for a message that is written at leisure and sent without a copy.

use std::{
    ops::{Deref, DerefMut},
    ptr::NonNull,
    sync::Arc,
};

use saltus_types::Time;

use crate::{
    chunk::ChunkIndex,
    sender::{PublishError, RequestId, Sender, Stamp},
};

/// Memory for a message that has not been sent. Dropped, it goes back unused.
///
/// **Invariant:** it is at least as long as was asked for, and starts 4 bytes before a multiple of
/// 64, so that the body behind the encapsulation header is aligned for anything.
#[derive(Debug)]
pub struct Loan {
    sender: Arc<Sender>,
    /// Always there but while it is being sent.
    index: Option<ChunkIndex>,
    message: NonNull<[u8]>,
}

// SAFETY: the memory is this loan's alone until it is sent; the rest is `Send` and `Sync`.
unsafe impl Send for Loan {}
// SAFETY: shared access to a loan only reads its memory.
unsafe impl Sync for Loan {}

impl Loan {
    /// A place for a message of `len` bytes that a sender will send.
    pub fn new(sender: &Arc<Sender>, len: usize) -> Result<Self, PublishError> {
        let (index, message) = sender.draft(len)?.into_parts();
        Ok(Self { sender: sender.clone(), index: Some(index), message })
    }

    /// Sends the first `len` bytes; with a stamp of the caller's, if there is one.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn send(mut self, len: usize, stamp: Option<Stamp>) -> Result<(), PublishError> {
        let index = self.sendable(len)?;
        self.index = None;
        self.sender.send(index, len, stamp)
    }

    /// Sends the first `len` bytes as a request to every receiver, and returns its number. The loan comes back
    /// if there is no receiver, or all queues are full.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn request(mut self, len: usize, stamp: Option<Stamp>) -> Result<u64, (Self, PublishError)> {
        let sent = self.sendable(len).and_then(|index| self.sender.send_request(index, len, stamp));
        match sent {
            Ok(sequence) => {
                self.index = None;
                Ok(sequence)
            }
            Err(error) => Err((self, error)),
        }
    }

    /// Sends the first `len` bytes as the response to a request. The loan comes back if the client is not connected.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn respond(
        mut self,
        len: usize,
        request: RequestId,
        source_time: Option<Time>,
    ) -> Result<(), (Self, PublishError)> {
        let sent =
            self.sendable(len).and_then(|index| self.sender.send_response(index, len, request, source_time));
        match sent {
            Ok(()) => {
                self.index = None;
                Ok(())
            }
            Err(error) => Err((self, error)),
        }
    }

    fn sendable(&self, len: usize) -> Result<ChunkIndex, PublishError> {
        assert!(len <= self.message.len(), "a loan of {} bytes can't send {len}", self.message.len());
        let index = self.index.filter(|_| self.sender.is_usable());
        index.ok_or_else(|| self.sender.unusable())
    }

    /// Makes it at least `len` bytes long, keeping the first `used`: one copy, which is counted.
    ///
    /// # Panics
    /// If `used` exceeds the loan's length.
    pub fn grow(&mut self, used: usize, len: usize) -> Result<(), PublishError> {
        assert!(used <= self.message.len(), "a loan of {} bytes has no {used} in use", self.message.len());
        let (index, message) = self.sender.draft(len.max(self.message.len() * 2))?.into_parts();
        // SAFETY: both are chunks of this publisher in this loan's hands; the old one is at least
        // `used` long, and the new one is longer than the old.
        unsafe {
            std::ptr::copy_nonoverlapping(self.message.cast::<u8>().as_ptr(), message.cast().as_ptr(), used);
        }
        let mut inner = self.sender.lock();
        if let Some(small) = self.index.replace(index) {
            inner.pool.give_back(small);
        }
        inner.regrown += 1;
        drop(inner);
        self.message = message;
        Ok(())
    }
}

impl Deref for Loan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the chunk is in this loan's hands, and its publisher, which owns the memory, is open
        // as long as the loan lives.
        unsafe { self.message.as_ref() }
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` is the only way to it.
        unsafe { self.message.as_mut() }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(index) = self.index.take()
            && self.sender.memory.usability.may_release()
        {
            self.sender.lock().pool.give_back(index);
        }
    }
}
