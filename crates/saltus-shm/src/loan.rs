//! Memory for a message that is written at leisure and sent without a copy.

use std::{
    ops::{Deref, DerefMut},
    ptr::NonNull,
    sync::Arc,
};

use crate::{
    PublishError, RequestId,
    chunk::ChunkIndex,
    publisher::{Handle, Publisher},
};

/// Memory for a message that has not been sent. Dropped, it goes back unused.
///
/// **Invariant:** it is at least as long as was asked for, and starts 4 bytes before a multiple of
/// 64, so that the body behind the encapsulation header is aligned for anything.
#[derive(Debug)]
pub struct Loan {
    publisher: Arc<Handle>,
    /// Always there but while it is being sent.
    index: Option<ChunkIndex>,
    message: NonNull<[u8]>,
}

// SAFETY: the memory is this loan's alone until it is sent; the rest is `Send` and `Sync`.
unsafe impl Send for Loan {}
// SAFETY: shared access to a loan only reads its memory.
unsafe impl Sync for Loan {}

impl Publisher {
    /// A place for a message of `len` bytes, to be written at leisure and sent without a copy.
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        let (index, message) = self.0.core.draft(len)?.into_parts();
        Ok(Loan { publisher: self.0.clone(), index: Some(index), message })
    }
}

impl Loan {
    /// Sends the first `len` bytes.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn publish(mut self, len: usize) -> Result<(), PublishError> {
        assert!(len <= self.message.len(), "a loan of {} bytes can't send {len}", self.message.len());
        let publisher = self.publisher.clone();
        let core = &publisher.core;
        if !core.is_usable() {
            return Err(core.unusable());
        }
        match self.index.take() {
            Some(index) => core.send(index, len),
            None => Ok(()),
        }
    }

    /// Sends the first `len` bytes as a request to every server, and returns its number. The loan comes back
    /// if there is no server, or one whose queue is full.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn request(mut self, len: usize) -> Result<u64, (Self, PublishError)> {
        assert!(len <= self.message.len(), "a loan of {} bytes can't send {len}", self.message.len());
        match self.sendable() {
            Ok(index) => match self.publisher.core.send_request(index, len) {
                Ok(sequence) => {
                    self.index = None;
                    Ok(sequence)
                }
                Err(error) => Err((self, error)),
            },
            Err(error) => Err((self, error)),
        }
    }

    /// Sends the first `len` bytes as the response to a request.
    ///
    /// # Panics
    /// If `len` exceeds the loan's length.
    pub fn respond(mut self, len: usize, request: RequestId) -> Result<(), PublishError> {
        assert!(len <= self.message.len(), "a loan of {} bytes can't send {len}", self.message.len());
        let index = self.sendable()?;
        let core = &self.publisher.core;
        core.send_response(index, len, request).or_else(|_| {
            // The client may be known to the domain, and not yet to this process.
            self.publisher.catch_up();
            core.send_response(index, len, request)
        })?;
        self.index = None;
        Ok(())
    }

    fn sendable(&self) -> Result<ChunkIndex, PublishError> {
        let index = self.index.filter(|_| self.publisher.core.is_usable());
        index.ok_or_else(|| self.publisher.core.unusable())
    }

    /// Makes it at least `len` bytes long, keeping the first `used`: one copy, which is counted.
    ///
    /// # Panics
    /// If `used` exceeds the loan's length.
    pub fn grow(&mut self, used: usize, len: usize) -> Result<(), PublishError> {
        assert!(used <= self.message.len(), "a loan of {} bytes has no {used} in use", self.message.len());
        let core = &self.publisher.core;
        let (index, message) = core.draft(len.max(self.message.len() * 2))?.into_parts();
        // SAFETY: both are chunks of this publisher in this loan's hands; the old one is at least
        // `used` long, and the new one is longer than the old.
        unsafe {
            std::ptr::copy_nonoverlapping(self.message.cast::<u8>().as_ptr(), message.cast().as_ptr(), used);
        }
        let mut inner = core.lock();
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
            && self.publisher.core.shared.usability.may_release()
        {
            self.publisher.core.lock().pool.give_back(index);
        }
    }
}
