//! Futures that an executor polls while it runs callbacks, and deadlines.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake},
    time::Duration,
};

use saltus_node::{Waker, monotonic_now};

/// Returns the time at which a timeout that begins now ends, in monotonic nanoseconds.
pub(crate) fn deadline_after(timeout: Duration) -> u64 {
    monotonic_now().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX))
}

/// The waker of a future: it notes that the future must be polled again, and wakes the executor.
pub(crate) struct Flag {
    woken: AtomicBool,
    waker: Waker,
}

impl Flag {
    pub(crate) fn new(waker: Waker) -> Arc<Self> {
        Arc::new(Self { woken: AtomicBool::new(true), waker })
    }

    pub(crate) fn is_woken(&self) -> bool {
        self.woken.load(Ordering::Acquire)
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.waker.ring();
    }
}

/// A future that an executor must complete. It is polled only after it was woken.
pub(crate) struct Completion<'a, F> {
    future: Pin<Box<F>>,
    flag: &'a Arc<Flag>,
}

impl<'a, F: Future> Completion<'a, F> {
    pub(crate) fn new(future: F, flag: &'a Arc<Flag>) -> Self {
        Self { future: Box::pin(future), flag }
    }

    /// Polls the future if it was woken. Returns its output if it is complete.
    pub(crate) fn poll(&mut self) -> Option<F::Output> {
        if !self.flag.woken.swap(false, Ordering::AcqRel) {
            return None;
        }
        let waker = self.flag.clone().into();
        match self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }
}
