//! The state of a call, and the errors of calls.

use saltus_types::lock;
use std::{
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicU64},
    task::{Context, Poll, Waker},
    time::Duration,
};

use saltus_cdr::CdrError;
use saltus_host::{OpenError, PublishError, Sample};

/// Returns the name of the method that waits for a server. An action client has one method for all its services.
fn wait_method(service: &str) -> &'static str {
    if service.contains("/_action/") { "wait_for_server" } else { "wait_for_service" }
}

/// Why a call has no response.
#[derive(Clone, thiserror::Error)]
pub enum CallError {
    /// The service has no server.
    #[error("no server for service '{service}': start one, or wait for it with {}()", wait_method(service))]
    NoServer {
        /// The name of the service.
        service: String,
    },
    /// The last server of the service was closed or died before it answered.
    #[error("the server of service '{service}' was closed or died before it answered")]
    ServerGone {
        /// The name of the service.
        service: String,
    },
    /// The server dropped the request without a response.
    #[error("the server of service '{service}' dropped the request without a response")]
    NotAnswered {
        /// The name of the service.
        service: String,
    },
    /// The response did not come in time. The server may still send it.
    #[error("service '{service}' did not answer within {timeout:?}")]
    Timeout {
        /// The name of the service.
        service: String,
        /// The time for which the caller waited.
        timeout: Duration,
    },
    /// The context was shut down before the response came.
    #[error("the context was shut down before service '{service}' answered")]
    ShutDown {
        /// The name of the service.
        service: String,
    },
    /// The request does not fit its type, or the response does not match its type.
    #[error("service '{service}': {cause}")]
    Value {
        /// The name of the service.
        service: String,
        /// The reason why the value is invalid.
        cause: CdrError,
    },
    /// The request could not be sent.
    #[error("service '{service}': can't send a request: {cause}")]
    Send {
        /// The name of the service.
        service: String,
        /// The cause.
        cause: Arc<PublishError>,
    },
    /// The response was taken already.
    #[error("the response of service '{service}' was taken already")]
    Taken {
        /// The name of the service.
        service: String,
    },
    /// There is no memory for a doorbell, or the context was inherited over `fork` or expelled from its domain.
    #[error("service '{service}': can't wait for a response: {cause}")]
    Wait {
        /// The name of the service.
        service: String,
        /// The cause.
        cause: Arc<OpenError>,
    },
}

saltus_types::debug_as_display!(CallError);

/// The progress of a call.
#[derive(Debug)]
enum Progress {
    /// There is no result yet. The waker belongs to the task that polls the call.
    Pending(Option<Waker>),
    Done(Result<Sample, CallError>),
    /// The result was taken.
    Taken,
}

/// The state of a call, which the caller and the client share.
#[derive(Debug)]
pub(super) struct CallState {
    progress: Mutex<Progress>,
    /// The sequence number of the request. 0 until it is sent.
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

    /// Whether the result was taken.
    pub(super) fn is_taken(&self) -> bool {
        matches!(*self.lock(), Progress::Taken)
    }

    /// Takes the result, if there is one. A result can be taken once.
    pub(super) fn take(&self) -> Option<Result<Sample, CallError>> {
        let mut progress = self.lock();
        match std::mem::replace(&mut *progress, Progress::Taken) {
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
        // The result may have come after the first check and before the waker was set.
        self.take().map_or(Poll::Pending, Poll::Ready)
    }
}
