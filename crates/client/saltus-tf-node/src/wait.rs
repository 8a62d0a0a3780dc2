//! Waits for a transform on the thread of the caller.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use saltus_tf::{Buffer, LookupError, StampedTransform};
use saltus_types::Time;

/// Why a transform was not there in time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WaitError {
    /// The timeout has expired. The error says why there is no transform.
    #[error("{0}. Canceled after {1:.3} s")]
    Timeout(LookupError, f64),
    /// The transform can never be there.
    #[error(transparent)]
    Never(LookupError),
}

/// A waker that unparks a thread.
struct UnparkWaker(Thread);

impl Wake for UnparkWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Returns a transform as soon as it is there, at most `timeout` later. The thread sleeps meanwhile.
///
/// The transforms must be received by another thread: [`TransformListener::with_thread`](crate::TransformListener::with_thread).
///
/// # Errors
///
/// Returns an error if the transform is not there in time, or if it can never be there.
pub fn wait_for_transform(
    buffer: &Buffer,
    target: &str,
    source: &str,
    time: Time,
    timeout: Duration,
) -> Result<StampedTransform, WaitError> {
    // `None` means that there is no deadline.
    let end = Instant::now().checked_add(timeout);
    let waker = Waker::from(Arc::new(UnparkWaker(thread::current())));
    let mut future = pin!(buffer.wait(target, source, time));
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return result.map_err(WaitError::Never);
        }
        let left = end.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            let result = buffer.lookup(target, source, time);
            return result.map_err(|error| WaitError::Timeout(error, timeout.as_secs_f64()));
        }
        thread::park_timeout(left);
    }
}
