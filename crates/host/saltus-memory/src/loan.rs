//! Loans: memory in which the caller writes a message, which is then sent without a copy.

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

/// Memory for a message that has not been sent. Dropping it frees the memory without sending.
///
/// **Invariant:** it is at least as long as requested, and starts 4 bytes before a multiple of 64. So the body after
/// the encapsulation header is aligned for any type.
#[derive(Debug)]
pub struct Loan {
    sender: Arc<Sender>,
    /// The chunk; `None` once it was sent.
    index: Option<ChunkIndex>,
    message: NonNull<[u8]>,
}

// SAFETY: only this loan uses the memory until it is sent; the rest is `Send` and `Sync`.
unsafe impl Send for Loan {}
// SAFETY: shared access to a loan only reads its memory.
unsafe impl Sync for Loan {}

impl Loan {
    /// Creates a loan for a message of `len` bytes of a sender.
    #[inline]
    pub fn new(sender: &Arc<Sender>, len: usize) -> Result<Self, PublishError> {
        let (index, message) = sender.draft(len)?.into_parts();
        Ok(Self { sender: sender.clone(), index: Some(index), message })
    }

    /// Sends the first `len` bytes. If `stamp` is given, it replaces the present time and the sender's count.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
    #[inline]
    pub fn send(mut self, len: usize, stamp: Option<Stamp>) -> Result<(), PublishError> {
        let index = self.sendable(len)?;
        self.index = None;
        self.sender.send(index, len, stamp)
    }

    /// Sends the first `len` bytes as a request to every receiver whose queue has room, and returns its number.
    ///
    /// # Errors
    /// Returns the loan and the error if there is no receiver, or if all queues are full.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
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

    /// Sends the first `len` bytes as the response to a request.
    ///
    /// # Errors
    /// Returns the loan and the error if the client is not connected.
    ///
    /// # Panics
    /// Panics if `len` exceeds the loan's length.
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

    /// Returns the chunk, if `len` bytes of it may be sent.
    #[inline]
    fn sendable(&self, len: usize) -> Result<ChunkIndex, PublishError> {
        assert!(
            len <= self.message.len(),
            "can't send {len} bytes of a loan of {} bytes",
            self.message.len()
        );
        let index = self.index.filter(|_| self.sender.is_usable());
        index.ok_or_else(|| self.sender.unusable())
    }

    /// Makes the loan at least `len` bytes long and keeps the first `used` bytes. This costs one copy, which is
    /// counted.
    ///
    /// # Panics
    /// Panics if `used` exceeds the loan's length.
    pub fn grow(&mut self, used: usize, len: usize) -> Result<(), PublishError> {
        assert!(
            used <= self.message.len(),
            "can't keep {used} bytes of a loan of {} bytes",
            self.message.len()
        );
        let (index, message) = self.sender.draft(len.max(self.message.len() * 2))?.into_parts();
        // SAFETY: both are chunks of this sender that only this loan uses. The old chunk is at least `used` bytes long,
        // and the new one is longer than the old one.
        unsafe {
            std::ptr::copy_nonoverlapping(self.message.cast::<u8>().as_ptr(), message.cast().as_ptr(), used);
        }
        let mut inner = self.sender.lock();
        if let Some(small) = self.index.replace(index) {
            inner.pool.free_unsent(small);
        }
        inner.regrown += 1;
        drop(inner);
        self.message = message;
        Ok(())
    }
}

impl Deref for Loan {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: only this loan uses the chunk. The sender owns the memory, and is open as long as the loan exists.
        unsafe { self.message.as_ref() }
    }
}

impl DerefMut for Loan {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the chunk is reached only through `&mut self`.
        unsafe { self.message.as_mut() }
    }
}

impl Drop for Loan {
    #[inline]
    fn drop(&mut self) {
        if let Some(index) = self.index.take()
            && self.sender.memory.usability.may_release()
        {
            self.sender.lock().pool.free_unsent(index);
        }
    }
}
