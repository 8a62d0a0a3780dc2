//! A future that ends when a transform is there.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use saltus_types::Time;

use crate::{buffer::Buffer, error::LookupError, transform::StampedTransform, waiters::Request};

/// A future of a transform. It is created by [`Buffer::wait`].
pub struct TransformFuture {
    buffer: Buffer,
    request: Request,
    number: u64,
}

impl Buffer {
    /// Returns a future that ends when a transform is there: see [`lookup`](Self::lookup). It also ends if the transform can
    /// never be there, because the time is too far in the past. It needs no thread and no timer: it is woken when a transform is
    /// set.
    pub fn wait(&self, target: &str, source: &str, time: Time) -> TransformFuture {
        let request = Request { target: target.into(), source: source.into(), time };
        TransformFuture { buffer: self.clone(), request, number: self.waiters().next() }
    }
}

impl fmt::Debug for TransformFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformFuture").field("request", &self.request).finish_non_exhaustive()
    }
}

impl Future for TransformFuture {
    type Output = Result<StampedTransform, LookupError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The waker is added before the lookup, so that a transform that is set now wakes this future.
        self.buffer.waiters().add(self.number, &self.request, context.waker());
        self.buffer.outcome(&self.request).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Drop for TransformFuture {
    fn drop(&mut self) {
        self.buffer.waiters().remove(self.number);
    }
}
