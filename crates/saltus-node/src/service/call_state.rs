//! How far a call is, and why it has no response.

use saltus_types::lock;
use std::{
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicU64},
    task::{Context, Poll, Waker},
    time::Duration,
};

use saltus_cdr::CdrError;
use saltus_host::{OpenError, PublishError, Sample};

/// What waits for a server: the services of an action are waited for together.
fn waiter(service: &str) -> &'static str {
    if service.contains("/_action/") { "wait_for_server" } else { "wait_for_service" }
}

/// Why a call has no response.
#[derive(Clone, thiserror::Error)]
pub enum CallError {
    /// Nobody serves it.
    #[error("no server for service '{service}': start one, or wait for it with {}()", waiter(service))]
    NoServer {
        /// Its name.
        service: String,
    },
    /// Its server, or the last of them, has gone or died before it answered.
    #[error("the server of service '{service}' has gone before it answered")]
    ServerGone {
        /// Its name.
        service: String,
    },
    /// The server let go of the request without an answer.
    #[error("the server of service '{service}' let go of the request without an answer")]
    NotAnswered {
        /// Its name.
        service: String,
    },
    /// The response did not come in time. The server may still be at it.
    #[error("service '{service}' did not answer within {timeout:?}")]
    Timeout {
        /// Its name.
        service: String,
        /// How long was waited.
        timeout: Duration,
    },
    /// The context was shut down meanwhile.
    #[error("the context was shut down before service '{service}' answered")]
    ShutDown {
        /// Its name.
        service: String,
    },
    /// The request does not fit its type, or the response is not what its type says.
    #[error("service '{service}': {cause}")]
    Value {
        /// Its name.
        service: String,
        /// What is wrong.
        cause: CdrError,
    },
    /// The request could not be sent.
    #[error("service '{service}': can't send a request: {cause}")]
    Send {
        /// Its name.
        service: String,
        /// Why not.
        cause: Arc<PublishError>,
    },
    /// The response was taken before.
    #[error("the response of service '{service}' was taken before")]
    Taken {
        /// Its name.
        service: String,
    },
    /// There is no memory to wait with, or the context was inherited over `fork`.
    #[error("service '{service}': can't wait for a response: {cause}")]
    Wait {
        /// Its name.
        service: String,
        /// Why not.
        cause: Arc<OpenError>,
    },
}

saltus_types::debug_as_display!(CallError);

/// How far a call is.
#[derive(Debug)]
enum Progress {
    /// Not answered; whoever polls it is woken then.
    Pending(Option<Waker>),
    Done(Result<Sample, CallError>),
    /// What came of it was taken, or nobody wants it any more.
    Over,
}

/// A call as both its caller and its client know it.
#[derive(Debug)]
pub(super) struct CallState {
    progress: Mutex<Progress>,
    /// The number of its request; 0 until it is sent.
    pub(super) sequence: AtomicU64,
}

impl CallState {
    pub(super) fn new() -> Self {
        Self { progress: Mutex::new(Progress::Pending(None)), sequence: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }

    pub(super) fn is_done(&self) -> bool {
        !matches!(*self.lock(), Progress::Pending(_))
    }

    /// Whether what came of it was taken.
    pub(super) fn is_over(&self) -> bool {
        matches!(*self.lock(), Progress::Over)
    }

    /// What came of it, once.
    pub(super) fn take(&self) -> Option<Result<Sample, CallError>> {
        let mut progress = self.lock();
        match std::mem::replace(&mut *progress, Progress::Over) {
            Progress::Done(result) => Some(result),
            pending => {
                *progress = pending;
                None
            }
        }
    }

    pub(super) fn complete(&self, result: Result<Sample, CallError>) {
        let mut progress = self.lock();
        if let Progress::Pending(waker) = &mut *progress {
            let waker = waker.take();
            *progress = Progress::Done(result);
            drop(progress);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Result<Sample, CallError>> {
        if let Some(result) = self.take() {
            return Poll::Ready(result);
        }
        if let Progress::Pending(waker) = &mut *self.lock() {
            *waker = Some(context.waker().clone());
        }
        // It may have come between the two looks.
        self.take().map_or(Poll::Pending, Poll::Ready)
    }
}
